"""``likewise-bench unseen``: run the missing trials, and write the results."""

from __future__ import annotations

from pathlib import Path

import click
from papers.framework.command import print_failures
from rich.console import Console

import likewise

from ..accuracy.command import pack, run_missing, unpacked
from .timing import in_turns
from .writing import write_results

FOLDER = Path(__file__).parent


@click.command()
@click.argument("patterns", nargs=-1)
@click.option("--seeds", type=click.IntRange(1), default=1000, help="Run at most this many draws; default: all.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Number of processes.")
@click.option("--before", is_flag=True, help="Keep the values as those of the version to compare with.")
@click.option(
    "--times",
    type=click.Path(path_type=Path),
    help="Only measure times, alternating with the version whose sources are in this folder.",
)
def unseen(patterns: tuple[str, ...], seeds: int, jobs: int, before: bool, times: Path | None) -> None:
    """Run Likewise on data sets that were not used during its development; write unseen/RESULTS.md.

    PATTERNS choose cells, such as zoo/*/likewise; default: all. Results that exist are kept. The version to compare
    with is run with its own sources: PYTHONPATH=other/src likewise-bench unseen --before. Times need an idle machine:
    likewise-bench unseen --times other/src.
    """
    console = Console()
    console.print(f"likewise of {Path(likewise.__file__).parent}", soft_wrap=True)
    ledgers = {name: unpacked(FOLDER, name) for name in ("before", "results")}
    failures = []
    if times:
        for turn, values in in_turns(times):
            ledgers["results"].append(turn, values.items())
        pack(ledgers["results"])
    else:
        ledger = ledgers["before" if before else "results"]
        failures = run_missing("benchmarks.unseen", ledger, patterns, seeds, jobs, console)
    results = {name: ledger.read() for name, ledger in ledgers.items()}
    console.print(f"results: {write_results(FOLDER, results['results'], results['before'])}", soft_wrap=True)
    print_failures(failures, console)
    if failures:
        raise SystemExit(1)
