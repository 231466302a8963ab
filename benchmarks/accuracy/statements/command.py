"""``likewise-bench statements``: run the missing trials of the worth of answers, and write the results."""

from __future__ import annotations

from pathlib import Path

import click
from papers.framework.command import print_failures
from rich.console import Console

from ..command import run_missing, unpacked
from .run import DRAWS
from .writing import write_results

FOLDER = Path(__file__).parent

FIRST = [f"judged/*/0/{amount}/*" for amount in (0, 25, 30, 100)]
STEPS = (
    *((pattern, 3) for pattern in FIRST),
    *((f"judged/*/{percent}/{amount}/*", 3) for percent, amount in ((0, 250), (10, 25), (10, 30), (10, 100))),
    *((f"judged/*/{percent}/{amount}/*", 3) for percent, amount in ((10, 250), (0, 500), (10, 500))),
    ("judged/*", DRAWS),
    ("*", DRAWS),
)
"""Cells and draws in the order of running, so that a stopped run has the most important ones."""


@click.command()
@click.argument("patterns", nargs=-1)
@click.option("--seeds", type=click.IntRange(1), default=DRAWS, show_default=True, help="Run at most this many draws.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Number of processes.")
def statements(patterns: tuple[str, ...], seeds: int, jobs: int) -> None:
    """Measure the worth of an answer for each way of asking; write accuracy/statements/RESULTS.md.

    PATTERNS choose cells, such as judged/iris/0/100/*; default: all. Results that exist are kept.
    """
    console = Console()
    ledger = unpacked(FOLDER)
    failures = []
    for pattern, draws in [(pattern, seeds) for pattern in patterns] or STEPS:
        failures += run_missing("benchmarks.accuracy.statements", ledger, [pattern], min(seeds, draws), jobs, console)
    console.print(f"results: {write_results(FOLDER, ledger.read())}", soft_wrap=True)
    print_failures(failures, console)
    if failures:
        raise SystemExit(1)
