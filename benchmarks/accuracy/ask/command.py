"""``likewise-bench ask``: run the missing trials of the questions, and write the results."""

from __future__ import annotations

from pathlib import Path

import click
from papers.framework.command import print_failures
from rich.console import Console

from likewise.evaluation import Ledger

from ..command import run_missing, unpacked
from .run import DRAWS
from .writing import coverage, means, write_results

FOLDER = Path(__file__).parent

STEPS = (("judged/*/0/*", 3), ("judged/*/10/*", 3), ("judged/*", DRAWS), ("*", DRAWS))
"""Cells and draws in the order of running, so that a stopped run has the most important ones."""


@click.command()
@click.argument("patterns", nargs=-1)
@click.option("--seeds", type=click.IntRange(1), default=DRAWS, show_default=True, help="Run at most this many draws.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Number of processes.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep the values in this .csv file, print means, and leave the results as they are: to try settings.",
)
def ask(patterns: tuple[str, ...], seeds: int, jobs: int, out: Path | None) -> None:
    """Simulate people who answer the questions of several strategies; write accuracy/ask/RESULTS.md.

    PATTERNS choose cells, such as judged/iris/0/pairs; default: all. Results that exist are kept.
    """
    console = Console()
    ledger = Ledger(out) if out else unpacked(FOLDER)
    failures = []
    for pattern, draws in [(pattern, seeds) for pattern in patterns] or STEPS:
        failures += run_missing("benchmarks.accuracy.ask", ledger, [pattern], min(seeds, draws), jobs, console)
    if out:
        console.print(coverage(ledger.read()), means(ledger.read()), sep="\n\n", soft_wrap=True)
    else:
        console.print(f"results: {write_results(FOLDER, ledger.read())}", soft_wrap=True)
    print_failures(failures, console)
    if failures:
        raise SystemExit(1)
