"""``likewise papers``: run what is missing of the published tables, and write the report."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from likewise._outside import load_method
from likewise.evaluation import Ledger

from .outside import Contest, console_table, contests, open_to, summary, write_table
from .report import write_report
from .running import Failure, Plan, asked_for, plan, run
from .study import Study, find_studies

FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("name", required=False)
@click.option("--cell", help="Only this cell, those that begin with it, or those that match a pattern with *.")
@click.option("--quick", is_flag=True, help="A subset with two draws each, in minutes.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Number of processes.")
@click.option("--out", type=FOLDER, help="Folder for results; default: beside the papers.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False, exists=True), envvar="LIKEWISE_DATA",
              help="Folder of data sets; default: the environment variable LIKEWISE_DATA.")  # fmt: skip
@click.option("--with", "outside", metavar="FILE.py:CLASS", help="Run this method of your own in the same trials, and "
              "compare it with the results there are. They go to the folder papers-with-NAME, or --out.")  # fmt: skip
@click.option("--fresh", is_flag=True, help="Discard earlier results of the chosen papers.")
def main(
    name: str | None,
    cell: str | None,
    quick: bool,
    jobs: int,
    out: Path | None,
    data: Path | None,
    outside: str | None,
    fresh: bool,
) -> None:
    """Run the tables of the papers again, or those of the paper NAME, and write the report.

    Results that exist are kept: a run that was stopped continues where it was.
    """
    if data is not None:
        os.environ["LIKEWISE_DATA"] = str(data)
    try:
        if outside is None:
            answered = run_papers("papers", name, cell=cell, quick=quick, jobs=jobs, out=out, fresh=fresh)
        else:
            answered = run_outside("papers", outside, name, cell=cell, quick=quick, jobs=jobs, out=out, fresh=fresh)
    except (ValueError, TypeError, FileNotFoundError) as error:
        raise click.UsageError(str(error)) from None
    if not answered:
        raise SystemExit(1)


def run_papers(
    package: str,
    name: str | None = None,
    *,
    cell: str | None = None,
    quick: bool = False,
    jobs: int = 2,
    out: Path | None = None,
    fresh: bool = False,
) -> bool:
    """Run the studies in a package and write their results, figures and report; return whether none failed."""
    console = Console()
    studies = {found: Study.load(found) for found in find_studies(package)}
    home = next(iter(studies.values())).folder.parent if out is None else out
    failures: list[Failure] = []
    for study in (studies[found] for found in find_studies(package, name)):
        place = home / study.name
        if fresh:
            (place / "results.csv").unlink(missing_ok=True)
        ledger = Ledger(place / "results.csv")
        planned = plan(study, ledger.read(), cell=cell, quick=quick)
        if not planned.tasks:
            console.print(f"{study.name}: nothing to run, every cell has its results")
            continue
        failures += run_with_bar(planned, ledger, jobs, console)
        ledger.tidy()
        if study.draw_figures is not None and cell is None and not quick:
            study.draw_figures(ledger.read(), place / "figures")
    results = [(study, Ledger(home / study.name / "results.csv").read()) for study in studies.values()]
    console.print(f"report: {write_report(home / 'REPORT.md', results)}", soft_wrap=True)
    print_failures(failures, console)
    return not failures


def run_outside(
    package: str,
    address: str,
    name: str | None = None,
    *,
    cell: str | None = None,
    quick: bool = False,
    jobs: int = 2,
    out: Path | None = None,
    fresh: bool = False,
) -> bool:
    """Run a method of one's own in the trials of the studies, and compare it; return whether it never failed."""
    console = Console()
    method = load_method(address).name
    home = Path(f"papers-with-{method}") if out is None else out
    failures: list[Failure] = []
    rows: list[Contest] = []
    for found in find_studies(package, name):
        study = Study.load(found)
        guest = open_to(study, address, quick=quick)
        place = home / study.name / "results.csv"
        if fresh:
            place.unlink(missing_ok=True)
        ledger = Ledger(place)
        if cell is None or any(asked_for(trial, method, cell, None) for trial in guest.trials.values()):
            planned = replace(plan(guest, ledger.read(), cell=cell), outside=address)
            failures += run_with_bar(planned, ledger, jobs, console)
            ledger.tidy()
        rows += contests(study, Ledger(study.folder / "results.csv").read(), method, ledger.read())
    if rows:
        console.print(console_table(method, rows))
        console.print(summary(method, rows))
        console.print(f"table: {write_table(home / 'TABLE.md', method, rows)}", soft_wrap=True)
    else:
        console.print(f"{method} has no answer in any row" + ("" if cell is None else f" of {cell!r}") + ".")
    print_failures(failures, console)
    return not failures


def run_with_bar(planned: Plan, ledger: Ledger, jobs: int, console: Console) -> list[Failure]:
    """Run a plan and show how much is left."""
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


def print_failures(failures: Sequence[Failure], console: Console) -> None:
    """Print each error once, how often it occurred, and where it did first."""
    for error, count in Counter(failure.error for failure in failures).most_common():
        first = next(failure for failure in failures if failure.error == error)
        console.print(f"[red]{count} failed[/red], first {first.what} (seed {first.seed}): {error}", highlight=False)
