"""``likewise-bench accuracy``: run the missing trials of the comparison, and write its results."""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
from papers.framework import Failure, Study, plan
from papers.framework.command import print_failures, run_with_bar
from rich.console import Console

from likewise._atomic import atomic_write
from likewise.evaluation import Ledger

from .writing import write_results

FOLDER = Path(__file__).parent


def unpacked(folder: Path, name: str = "results") -> Ledger:
    """Read all results so far. They are stored compressed; the uncompressed file of a stopped run takes precedence."""
    loose, packed = folder / f"{name}.csv", folder / f"{name}.csv.xz"
    if packed.exists() and not loose.exists():
        with atomic_write(loose) as file:
            file.write(lzma.decompress(packed.read_bytes()))
    return Ledger(loose)


def pack(ledger: Ledger) -> None:
    """Sort and compress the results."""
    ledger.tidy()
    with atomic_write(ledger.path.with_suffix(".csv.xz")) as file:
        file.write(lzma.compress(ledger.path.read_bytes()))


def run_missing(
    package: str, ledger: Ledger, patterns: Sequence[str], seeds: int, jobs: int, console: Console
) -> list[Failure]:
    """Run the missing trials among the cells that match a pattern, and compress the results."""
    study = Study.load(package)
    failures = []
    for pattern in patterns or ("*",):
        planned = plan(study, ledger.read(), cell=pattern)
        planned = replace(planned, tasks=tuple(task for task in planned.tasks if task.seed < seeds))
        if planned.tasks:
            failures += run_with_bar(planned, ledger, jobs, console)
    pack(ledger)
    return failures


@click.command()
@click.argument("patterns", nargs=-1)
@click.option("--seeds", type=click.IntRange(1), default=1000, help="Run at most this many draws; default: all.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Number of processes.")
def accuracy(patterns: tuple[str, ...], seeds: int, jobs: int) -> None:
    """Compare methods and other packages on many data sets; write accuracy/RESULTS.md.

    PATTERNS choose cells, such as iris/*/likewise; default: all. Results that exist are kept.
    """
    console = Console()
    ledger = unpacked(FOLDER)
    failures = run_missing("benchmarks.accuracy", ledger, patterns, seeds, jobs, console)
    console.print(f"results: {write_results(FOLDER, ledger.read())}", soft_wrap=True)
    print_failures(failures, console)
    if failures:
        raise SystemExit(1)
