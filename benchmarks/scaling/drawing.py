"""Figures of the curves: one per axis, with a panel per family."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from ..accuracy.writing import saved
from .axes import AXES
from .fitting import LEAST_S, exponent
from .mathematics import families
from .running import Points

COLORS = ("#1b6ca8", "#c96f4a", "#5b9a68", "#b08bbb", "#d4a72c", "#8c6d5a", "#444444")


def curve_of(points: Points, method: str, axis: str) -> list[tuple[int, float]]:
    """The measured part of a curve."""
    found = (points.get((method, axis, value)) for value in AXES[axis].values)
    return [(point.value, point.seconds) for point in found if point is not None and not point.stopped]


def draw(points: Points, folder: Path) -> list[Path]:
    """Write a figure for each axis with a curve."""
    folder.mkdir(exist_ok=True)
    return [
        draw_axis(points, axis, folder / f"scaling-{axis}.png")
        for axis in AXES
        if any(point.axis == axis for point in points.values())
    ]


def draw_axis(points: Points, axis: str, path: Path) -> Path:
    """Seconds along one axis, both logarithmic, with exponents in the legend and a sign where a curve ends early."""
    shapes = families()
    figure, panels = plt.subplots(1, len(shapes), figsize=(3.4 * len(shapes), 5.2), sharey=True, layout="constrained")
    for panel, (title, family) in zip(panels, shapes.items(), strict=True):
        for method, color in zip(family, COLORS, strict=False):
            curve = np.array(curve_of(points, method, axis), dtype=float).reshape(-1, 2)
            if not len(curve):
                continue
            power = exponent([tuple(place) for place in curve])
            label = f"{method}  {power:.2f}" if power == power else f"{method}  –"
            panel.plot(*curve.T, color=color, marker="o", markersize=3, linewidth=1.3, label=label)
            if reason := end_of(points, method, axis):
                sign = {"memory": "s", "time": "x", "error": "v"}[reason]
                panel.plot(*curve[-1], color=color, marker=sign, markersize=8, fillstyle="none")
        panel.set(xscale="log", yscale="log", title=title, xlabel=AXES[axis].title)
        panel.set_xlim(AXES[axis].values[0] / 1.5, AXES[axis].values[-1] * 1.5)
        panel.grid(which="major", color="#eeeeee")
        panel.axhspan(0, LEAST_S, color="#f4f4f4", zorder=0)
        if panel.get_lines():
            panel.legend(fontsize=8, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.16), frameon=False)
    panels[0].set_ylabel("seconds of a fit")
    signs = "gray: too quick to fit; ends early: × time, □ memory, ▽ error"
    figure.suptitle(f"{AXES[axis].fixed}.  Beside a name: its exponent; {signs}", fontsize=10)
    saved(figure, path)
    return path


def end_of(points: Points, method: str, axis: str) -> str:
    """Why a curve ends before its last value; empty if it does not."""
    reasons = [point.stopped for (name, along, _), point in points.items() if (name, along) == (method, axis)]
    return next((reason.split(":")[0] for reason in reasons if reason), "")
