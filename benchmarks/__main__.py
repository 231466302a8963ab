"""The commands: ``likewise-bench``, or ``python -m benchmarks`` from the root of the checkout."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module

import click
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from . import (
    preloaded,  # noqa: F401  (rows register themselves)
    profiling,
)
from .apart import run_apart
from .harness import ROWS
from .measuring import measured
from .writing import COLUMNS, INTRODUCTION, RESULTS, cells, show, write

LIMIT_S = 3600.0
"""A row that takes longer than this is ended as failed."""


@click.command("likewise-bench")
@click.argument("names", nargs=-1)
@click.option("--list", "listed", is_flag=True, help="List the rows and their bars.")
@click.option("--quick", is_flag=True, help="Tiny sizes, one run each, nothing kept: check that every row runs.")
@click.option("--profile", is_flag=True, help="Profile our work on one thread; written to PROFILES.md.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Parallel rows; only with --quick.",
)
def rows(names: tuple[str, ...], listed: bool, quick: bool, profile: bool, jobs: int) -> None:
    """Measure the rows called NAMES, or all, against their opponents, and write the results to RESULTS.md.

    `likewise-bench scaling` measures how time and memory grow with the data. `likewise-bench accuracy` compares the
    clusters of many methods with the true classes. `likewise-bench unseen` does so on data sets that were not used
    during development, and `likewise-bench mixed` on tables with columns unrelated to the classes. `likewise-bench ask`
    compares strategies to choose questions. `likewise-bench studio` tests the studio under load.
    """
    if unknown := [name for name in names if name not in ROWS]:
        raise click.UsageError(f"no benchmark called {unknown[0]!r}. There are: {', '.join(ROWS)}.")
    if jobs > 1 and not quick:
        raise click.UsageError("--jobs goes with --quick only: rows that run at once disturb each other's times.")
    chosen = [ROWS[name] for name in names or ROWS]
    if listed:
        for row in chosen:
            click.echo(f"{row.name}: {row.work}; against {row.opponent}; asked: {str(row.bar) or 'nothing'}")
        return
    lines, failures, console = [], 0, Console(stderr=True)
    work, line_of = (profiling.profiled, profiling.line) if profile else (measured, cells)
    file, head, introduction = (
        (profiling.PROFILES, profiling.COLUMNS, profiling.INTRODUCTION) if profile else (RESULTS, COLUMNS, INTRODUCTION)
    )
    columns = TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn()
    with (
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
        ThreadPoolExecutor(jobs) as pool,
    ):
        task = progress.add_task("benchmarks", total=len(chosen))
        outcomes = pool.map(
            partial(run_apart, work, limit_s=LIMIT_S), [row.name for row in chosen], [quick] * len(chosen)
        )
        for row, outcome in zip(chosen, outcomes, strict=True):
            progress.update(task, advance=1, description=row.name)
            if not outcome.ended:
                lines.append(line_of(row, outcome.value))
                if not quick:
                    write(lines[-1:], file, head, introduction)
            else:
                failures += outcome.ended != "skipped"
                console.print(
                    f"{row.name}: {outcome.ended}: {outcome.why}", highlight=False, markup=False, soft_wrap=True
                )
                if outcome.value:
                    console.print(outcome.value, highlight=False, markup=False, soft_wrap=True)
    show(lines, head)
    if lines and not quick:
        console.print(f"results: {file}", highlight=False, soft_wrap=True)
    if failures:
        raise SystemExit(1)


COMMANDS = {
    "scaling": "scaling",
    "accuracy": "accuracy",
    "unseen": "unseen",
    "mixed": "mixed",
    "ask": "accuracy.ask",
    "statements": "accuracy.statements",
    "studio": "studio",
}
"""The package of each command, except that of the rows."""


def main(arguments: list[str]) -> None:
    """Run the command that the first argument names, such as ``scaling`` or ``accuracy``; otherwise the rows."""
    name = arguments[0] if arguments else ""
    if name in COMMANDS:
        command = getattr(import_module(f"{__package__}.{COMMANDS[name]}.command"), name)
        command.main(arguments[1:], prog_name=f"likewise-bench {name}")
    else:
        rows.main(arguments, prog_name="likewise-bench")


if __name__ == "__main__":
    main(sys.argv[1:])
