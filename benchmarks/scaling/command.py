"""``likewise-bench scaling``."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from .axes import AXES, curves
from .axes import methods as known_methods
from .running import Limits, Points, read, sweep, write

HOME = Path(__file__).parents[1]


@click.command("scaling")
@click.argument("methods", nargs=-1, metavar="[METHOD]...")
@click.option("--axis", "axes", type=click.Choice(list(AXES)), multiple=True, help="Only this axis; can be repeated.")
@click.option("--limit-s", type=click.FloatRange(0, min_open=True), default=60.0, show_default=True,
              help="Time limit of a point, in seconds.")  # fmt: skip
@click.option("--limit-gib", type=click.FloatRange(0, min_open=True), default=8.0, show_default=True,
              help="Memory limit of a point, in GiB.")  # fmt: skip
@click.option("--again", is_flag=True, help="Measure existing points again.")
@click.option("--draw", "only_draw", is_flag=True, help="Only write page and pictures, from existing points.")
@click.option("--quick", is_flag=True, help="Tiny problems, nothing kept: check that every curve runs.")
def scaling(
    methods: tuple[str, ...],
    axes: tuple[str, ...],
    limit_s: float,
    limit_gib: float,
    again: bool,
    only_draw: bool,
    quick: bool,
) -> None:
    """Measure how the time and memory of METHODs, or of all, grow with the data.

    Points are kept one by one in scaling.csv: a run that was stopped continues where it was.
    """
    if unknown := [name for name in methods if name not in known_methods()]:
        raise click.UsageError(f"no method called {unknown[0]!r}. There are: {', '.join(known_methods())}.")
    file, console = HOME / "scaling.csv", Console(stderr=True)
    points: Points = {} if quick else read(file)
    before = {} if again else dict(points)
    asked = [] if only_draw else curves(methods, axes)
    columns = TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("curves", total=len(asked))
        for method, axis in asked:
            progress.update(task, description=f"{method}, {axis}")
            known = lambda value, key=(method, axis): before.get((*key, value))  # noqa: E731
            for point in sweep(method, axis, Limits(limit_s, limit_gib), known, quick):
                points[method, axis, point.value] = point
                if point.stopped:
                    message = f"{method}, {axis} = {point.value:,}: {point.stopped}"
                    console.print(message, highlight=False, markup=False, soft_wrap=True)
                if not quick:
                    write(file, points)
            progress.advance(task)
    if not quick:
        from .drawing import draw  # plotting loads when something is drawn
        from .writing import write_scaling

        console.print(f"results: {write_scaling(points, draw(points, HOME / 'figures'), HOME / 'SCALING.md')}")
    if quick and any(point.stopped for point in points.values()):
        raise SystemExit(1)
