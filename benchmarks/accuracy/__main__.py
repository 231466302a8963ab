"""Run what is missing of the comparison, and write its results: ``python -m benchmarks.accuracy [PATTERN]``."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from rich.console import Console

from likewise.cli.papers import with_progress
from likewise.studies import Ledger, Study, plan

from .writing import write_results

FOLDER = Path(__file__).parent


def main(patterns: list[str]) -> int:
    """Run the cells that fit a pattern such as ``iris/*/likewise``, all unless given."""
    console = Console()
    study = Study.read(FOLDER)
    ledger = Ledger(FOLDER / "results.csv")
    failures = []
    for pattern in patterns or [None]:
        planned = plan(study, ledger.read(), cell=pattern)
        if planned.tasks:
            failures += with_progress(planned, ledger, 2, console)
    ledger.tidy()
    console.print(f"results: {write_results(FOLDER, ledger.read())}")
    for error, count in Counter(failure.error for failure in failures).most_common():
        console.print(f"[red]{count} without an answer[/red]: {error}", highlight=False)
    return int(bool(failures))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
