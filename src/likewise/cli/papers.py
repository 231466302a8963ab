"""``likewise papers``: run what is missing of the published tables, and write the report."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ..studies import Ledger, Plan, Study, find_studies, plan, run, write_report
from ..studies.running import Failure


def run_papers(
    folder: Path, name: str | None, *, cell: str | None, quick: bool, jobs: int, out: Path | None, fresh: bool
) -> bool:
    """Run studies and write their results, figures and report below `out`; say whether every cell had an answer."""
    console = Console()
    home = folder if out is None else out
    chosen = [Study.read(path) for path in find_studies(folder, name)]
    failures: list[Failure] = []
    for study in chosen:
        place = home / study.name
        if fresh:
            (place / "results.csv").unlink(missing_ok=True)
        ledger = Ledger(place / "results.csv")
        planned = plan(study, ledger.read(), cell=cell, quick=quick)
        if not planned.tasks:
            console.print(f"{study.name}: every cell asked for is there")
            continue
        failures += with_progress(planned, ledger, jobs, console)
        ledger.tidy()
        if study.draw_figures is not None and cell is None and not quick:
            study.draw_figures(ledger.read(), place / "figures")
    every = [Study.read(path) for path in find_studies(folder)]
    report = write_report(
        home / "REPORT.md", [(study, Ledger(home / study.name / "results.csv").read()) for study in every]
    )
    console.print(f"report: {report}")
    for error, count in Counter(failure.error for failure in failures).most_common():
        first = next(failure for failure in failures if failure.error == error)
        console.print(
            f"[red]{count} without an answer[/red], first {first.what} (seed {first.seed}): {error}", highlight=False
        )
    return not failures


def with_progress(planned: Plan, ledger: Ledger, jobs: int, console: Console) -> list[Failure]:
    """Run a plan with a bar that tells how much is left."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task(planned.study.name, total=len(planned.tasks))
        return run(planned, ledger, jobs=jobs, advance=lambda task: progress.advance(bar))
