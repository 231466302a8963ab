"""Static pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

INK, FAINT = "#222222", "#b8b8b8"
HINT_SAME, HINT_DIFFERENT = "#1b7837", "#b2182b"


def before_and_after(
    before: np.ndarray,
    after: np.ndarray,
    groups: Any,
    path: str | Path,
    *,
    constraints: Any = None,
    titles: tuple[str, str] = ("before", "after"),
) -> Path:
    """Two scatter plots side by side: the same rows in two spaces of two dimensions.

    Parameters
    ----------
    before, after : (n, 2) arrays
    groups : (n,) labels
        Colours.
    path : str or Path
        Where to write; the suffix names the format.
    constraints : Constraints, optional
        Drawn as lines on the left: green for same, red for different.
    titles : pair of str

    Returns
    -------
    Path
        The file written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    names, codes = np.unique(np.asarray(groups), return_inverse=True)
    size = float(np.clip(6000 / max(len(codes), 1), 5, 26))
    figure = Figure(figsize=(11, 5.2), layout="constrained")
    FigureCanvasAgg(figure)
    for axis, points, title in zip(figure.subplots(1, 2), (before, after), titles, strict=True):
        points = np.asarray(points, dtype=float)
        colours = axis.scatter(*points.T, c=codes, cmap="tab10" if len(names) <= 10 else "turbo", s=size, linewidths=0)
        _frame(axis, points, title)
        if constraints is not None and title == titles[0]:
            for pairs, colour in (
                (constraints.must_link, HINT_SAME),
                (constraints.cannot_link, HINT_DIFFERENT),
            ):
                axis.add_collection(LineCollection(points[pairs], colors=colour, linewidths=0.6, alpha=0.6))
    if len(names) <= 20:
        handles, _ = colours.legend_elements(num=None if len(names) > 1 else 1)
        figure.legend(handles, [str(name) for name in names], loc="outside right center", frameon=False)
    figure.savefig(path, dpi=130)
    return path


def curves(
    panels: Mapping[str, Mapping[str, tuple[Any, Any, Any]]],
    path: str | Path,
    *,
    along: str,
    up: str,
    logarithmic: str = "",
) -> Path:
    """Learning curves, a panel for each data set.

    Parameters
    ----------
    panels : mapping of title to mapping of name to (x, mean, deviation)
        A line for each name, with a band of one standard deviation. A line of one point is drawn across the panel:
        what a method without hints reaches.
    path : str or Path
        Where to write; the suffix names the format.
    along, up : str
        What the axes show.
    logarithmic : str
        Which axes are logarithmic: "", "x", "y" or "xy".

    Returns
    -------
    Path
        The file written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    wide = min(3, len(panels))
    tall = -(-len(panels) // wide)
    figure = Figure(figsize=(4.2 * wide + 1.6, 3.2 * tall + 0.3), layout="constrained")
    FigureCanvasAgg(figure)
    names = list(dict.fromkeys(name for panel in panels.values() for name in panel))
    colours = {name: f"C{number % 10}" for number, name in enumerate(names)}
    axes = figure.subplots(tall, wide, squeeze=False).ravel()
    handles: dict[str, Any] = {}
    for axis, (title, lines) in zip(axes, panels.items(), strict=False):
        for name, (x, mean, deviation) in lines.items():
            x, mean, deviation = (np.asarray(part, dtype=float) for part in (x, mean, deviation))
            if not len(x):
                continue
            if len(x) == 1:
                handles[name] = axis.axhline(mean[0], color=colours[name], linestyle="--", linewidth=1.2)
                continue
            (handles[name],) = axis.plot(x, mean, color=colours[name], marker="o", markersize=3.5, linewidth=1.5)
            axis.fill_between(x, mean - deviation, mean + deviation, color=colours[name], alpha=0.12, linewidth=0)
        axis.set_title(title, color=INK)
        axis.set_xlabel(along)
        axis.set_ylabel(up)
        if "x" in logarithmic:
            axis.set_xscale("log")
        if "y" in logarithmic:
            axis.set_yscale("log")
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(color=FAINT, alpha=0.4, linewidth=0.5)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    if handles:
        figure.legend(handles.values(), handles.keys(), loc="outside right center", frameon=False)
    figure.savefig(path, dpi=110)
    return path


def _frame(axis: Any, points: np.ndarray, title: str) -> None:
    # A few far-off points must not shrink the rest to a dot.
    low, high = np.percentile(points, [0.5, 99.5], axis=0)
    margin = 0.08 * np.maximum(high - low, 1e-12)
    axis.set_xlim(low[0] - margin[0], high[0] + margin[0])
    axis.set_ylim(low[1] - margin[1], high[1] + margin[1])
    axis.set_title(title, color=INK)
    axis.set_xticks([])
    axis.set_yticks([])
    for spine in axis.spines.values():
        spine.set_color(FAINT)
