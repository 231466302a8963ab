"""Run what is missing of the comparison, and write its results.

``python -m benchmarks.accuracy [--seeds N] [PATTERN ...]``: the first N draws of the cells that fit a pattern such as
``iris/*/likewise``; all unless told.
"""

from __future__ import annotations

import lzma
from argparse import ArgumentParser
from collections import Counter
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from likewise._atomic import atomic_write
from likewise.cli.papers import with_progress
from likewise.studies import Ledger, Study, plan

from .writing import write_results

FOLDER = Path(__file__).parent


def unpacked(folder: Path) -> Ledger:
    """All values so far. They are kept packed; what a stopped run has left in the open goes before that."""
    loose, packed = folder / "results.csv", folder / "results.csv.xz"
    if packed.exists() and not loose.exists():
        with atomic_write(loose) as file:
            file.write(lzma.decompress(packed.read_bytes()))
    return Ledger(loose)


def pack(ledger: Ledger) -> None:
    """Keep the values, sorted, in a tenth of the space."""
    ledger.tidy()
    with atomic_write(ledger.path.with_suffix(".csv.xz")) as file:
        file.write(lzma.compress(ledger.path.read_bytes()))


def main() -> int:
    """Run the cells asked for; say whether all had an answer."""
    parser = ArgumentParser("python -m benchmarks.accuracy")
    parser.add_argument("patterns", nargs="*", default=["*"], help="such as iris/*/likewise")
    parser.add_argument("--seeds", type=int, default=1000, help="so many draws at most")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    console = Console()
    study = Study.read(FOLDER)
    ledger = unpacked(FOLDER)
    failures = []
    for pattern in asked.patterns:
        planned = plan(study, ledger.read(), cell=pattern)
        planned = replace(planned, tasks=tuple(task for task in planned.tasks if task.seed < asked.seeds))
        if planned.tasks:
            failures += with_progress(planned, ledger, asked.jobs, console)
    pack(ledger)
    console.print(f"results: {write_results(FOLDER, ledger.read())}")
    for error, count in Counter(failure.error for failure in failures).most_common():
        console.print(f"[red]{count} without an answer[/red]: {error}", highlight=False)
    return int(bool(failures))


if __name__ == "__main__":
    raise SystemExit(main())
