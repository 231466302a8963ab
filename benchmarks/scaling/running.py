"""Measuring a curve point by point, each in its own process, until a limit of time or memory."""

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
"""Seconds in addition to the limit, for creating the data."""


@dataclass(frozen=True)
class Limits:
    """The limits at which a curve ends."""

    seconds: float = 60.0
    gib: float = 8.0


@dataclass(frozen=True)
class Point:
    """A point of a curve: its measurements, or why there are none.

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
        """Whether it need not be run again: it was measured, failed, or was stopped at limits at least as high."""
        held = {"time": self.limit_s >= limits.seconds, "memory": self.limit_gib >= limits.gib}
        return held.get(self.stopped.split(":")[0], True)


Points = dict[tuple[str, str, int], Point]


def read(path: Path) -> Points:
    """Read the points of a file; none if it does not exist."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as lines:
        found = [Point(**{name: _typed(name, cell) for name, cell in line.items()}) for line in csv.DictReader(lines)]
    return {(point.method, point.axis, point.value): point for point in found}


def _typed(name: str, cell: str) -> Any:
    kinds = {"value": int, "seconds": float, "peak_gib": float, "limit_s": float, "limit_gib": float}
    return kinds.get(name, str)(cell)


def write(path: Path, points: Points) -> None:
    """Write the points, sorted by name and value."""
    with atomic_write_text(path) as lines:
        table = csv.DictWriter(lines, [field.name for field in fields(Point)], lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(points[key]) for key in sorted(points))


def fitted(method: str, problem: Problem, quick: bool) -> tuple[float, float]:
    """Seconds and peak memory of one fit, without creating the data; short fits are the median of three."""
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
    """Measure one point in its own process."""
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
    """Measure the points of a curve in order, up to the first without a time; known points are not run again.

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
