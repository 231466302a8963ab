"""Writing SCALING.md: exponents, required exponents, and where curves end."""

from __future__ import annotations

from pathlib import Path

from ..writing import markdown, write_page
from .axes import AXES, curves
from .drawing import curve_of, end_of
from .fitting import LAST, LEAST_S, exponent
from .mathematics import BECAUSE, WORSE, cost_of, families, needed
from .running import Points

INTRODUCTION = f"""\
# Scaling

Written by `likewise-bench scaling`. A curve consists of one fit for each of several sizes, each in its own process,
until the next one would exceed the limit of time or memory. An exponent of 2 means that twice the size takes four times
as long. Exponents are fitted to the last {LAST} points of a curve that take at least {LEAST_S} s; – if there are fewer
than two. The exponent that the mathematics of the method requires is in brackets, and exponents that exceed it by more
than {WORSE} are **bold**. Smaller exponents are common, since terms that dominate for larger data may be negligible at
these sizes.
"""


def write_scaling(points: Points, pictures: list[Path], path: Path) -> Path:
    """Write the page."""
    parts = [INTRODUCTION, *(f"Measured on {place}." for place in sorted({point.machine for point in points.values()}))]
    parts += [_exponents(points), "## What is worse than needed", _worse(points)]
    for axis, picture in ((picture.stem.removeprefix("scaling-"), picture) for picture in pictures):
        title = AXES[axis].title
        parts += [f"## {title[0].upper()}{title[1:]}", f"{AXES[axis].fixed}."]
        parts += [f"![Seconds over {title}]({picture.parent.name}/{picture.name})", _ends(points, axis)]
    reasons = (f"- {family}: {cost_of(names[0]).reason}." for family, names in families().items())
    parts += ["## Why so much is needed", "\n".join(reasons)]
    return write_page(path, parts)


def _exponents(points: Points) -> str:
    """Methods × axes."""
    methods = [method for family in families().values() for method in family]
    measured = [method for method in methods if any(point.method == method for point in points.values())]
    lines = [[method, *(_cell(points, method, axis) for axis in AXES)] for method in measured]
    return markdown(("", *(axis.title for axis in AXES.values())), lines)


def _cell(points: Points, method: str, axis: str) -> str:
    if (method, axis) not in curves():
        return ""
    power = exponent(curve_of(points, method, axis))
    if power != power:
        return f"– ({needed(method, axis):g})"
    shown = f"{power:.2f}".replace("-", "−")
    return (
        f"**{shown}** ({needed(method, axis):g})"
        if _is_worse(power, method, axis)
        else f"{shown} ({needed(method, axis):g})"
    )


def _is_worse(power: float, method: str, axis: str) -> bool:
    return power > needed(method, axis) + WORSE


def _worse(points: Points) -> str:
    """A line for each exponent that is larger than required."""
    found = []
    for method, axis in dict.fromkeys((point.method, point.axis) for point in points.values()):
        power = exponent(curve_of(points, method, axis))
        if _is_worse(power, method, axis):
            because = BECAUSE.get((method, axis), "not explained yet")
            found.append(f"- {method}, {AXES[axis].title}: {power:.2f} for {needed(method, axis):g}: {because}.")
    return "\n".join(found) or "Nothing."


def _ends(points: Points, axis: str) -> str:
    """Where curves end before their last value, and why."""
    lines = [
        [point.method, f"{point.value:,}", point.stopped]
        for point in points.values()
        if point.axis == axis and end_of(points, point.method, axis) and point.stopped
    ]
    return markdown(("ends before its last value", "at", "why"), lines) if lines else ""
