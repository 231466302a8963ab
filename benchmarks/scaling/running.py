"""A curve, point by point, each in a process of its own, until it gets too long or too large."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from likewise._atomic import atomic_write_text
from likewise._methods import method_named

from ..apart import run_apart
from ..measuring import SHORT_S, forget_peak, peak_gib, timed
from ..writing import machine
from .axes import AXES, Problem
from .fitting import predicted

MAKING_S = 30.0
"""Seconds a process has beside the limit, to draw its data."""


@dataclass(frozen=True)
class Limits:
    """Where a curve ends."""

    seconds: float = 60.0
    gib: float = 8.0


@dataclass(frozen=True)
class Point:
    """A place of a curve: what was measured there, or why nothing was.

    ``stopped`` is empty, or one of "time", "memory", "error" with a colon and the reason. Limits are those of the run.
    """

    method: str
    axis: str
    value: int
    seconds: float = float("nan")
    peak_gib: float = float("nan")
    stopped: str = ""
    limit_s: float = 0.0
    limit_gib: float = 0.0
    machine: str = ""

    def is_final(self, limits: Limits) -> bool:
        """Whether it need not be run again: it was measured, it failed, or it stopped at limits no lower than these."""
        held = {"time": self.limit_s >= limits.seconds, "memory": self.limit_gib >= limits.gib}
        return held.get(self.stopped.split(":")[0], True)


Points = dict[tuple[str, str, int], Point]


def read(path: Path) -> Points:
    """The points of a file; none if it is not there."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as lines:
        found = [Point(**{name: _typed(name, cell) for name, cell in line.items()}) for line in csv.DictReader(lines)]
    return {(point.method, point.axis, point.value): point for point in found}


def _typed(name: str, cell: str) -> Any:
    kinds = {"value": int, "seconds": float, "peak_gib": float, "limit_s": float, "limit_gib": float}
    return kinds.get(name, str)(cell)


def write(path: Path, points: Points) -> None:
    """Keep the points, in the order of their names and values."""
    with atomic_write_text(path) as lines:
        table = csv.DictWriter(lines, [field.name for field in fields(Point)], lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(points[key]) for key in sorted(points))


def fitted(method: str, problem: Problem, quick: bool) -> tuple[float, float]:
    """Seconds and peak of one fit; short ones are the median of three. What is drawn and made ready is not counted."""
    warnings.simplefilter("ignore")  # warnings are about answers, and nobody looks at those here
    X, hints = problem.drawn()
    model = problem.model(method, X)
    given = {"constraints": hints} if method_named(method).uses_constraints else {}
    forget_peak()
    seconds, _ = timed(lambda: model.fit(X, **given), repeats=1)
    peak = peak_gib()
    if seconds < SHORT_S and not quick:
        seconds, _ = timed(lambda: model.fit(X, **given))
    return seconds, peak


def measured(method: str, axis: str, value: int, limits: Limits, quick: bool = False) -> Point:
    """One point, in a process of its own."""
    outcome = run_apart(
        fitted, method, AXES[axis].problem(value, quick), quick, limit_s=limits.seconds + MAKING_S, limit_gib=limits.gib
    )
    where = {"limit_s": limits.seconds, "limit_gib": limits.gib, "machine": machine()}
    if outcome.ended:
        why = f"it takes more than {limits.seconds:g} s" if outcome.ended == "time" else outcome.why
        return Point(method, axis, value, stopped=f"{outcome.ended}: {' '.join(why.split())[:200]}", **where)
    seconds, peak = (float(f"{number:.4g}") for number in outcome.value)
    return Point(method, axis, value, seconds, peak, **where)


def sweep(
    method: str,
    axis: str,
    limits: Limits,
    known: Callable[[int], Point | None] = lambda value: None,
    quick: bool = False,
) -> Iterator[Point]:
    """The points of a curve in turn. It ends with the first that has no time; what is known is not run again.

    A point that the curve so far says would take longer than the limit is not begun.
    """
    curve: list[tuple[int, float]] = []
    for value in AXES[axis].tiny if quick else AXES[axis].values:
        point = known(value)
        if point is None or not point.is_final(limits):
            expected = predicted(curve, value)
            if expected > limits.seconds:
                reason = f"time: it would take some {expected:.0f} s"
                point = Point(method, axis, value, stopped=reason, limit_s=limits.seconds, limit_gib=limits.gib,
                              machine=machine())  # fmt: skip
            else:
                point = measured(method, axis, value, limits, quick)
        yield point
        if point.stopped:
            return
        curve.append((value, point.seconds))
