"""Learning curves: the quality of a clustering by the number of hints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._figures import new_figure, save, style_axis


def learning_curve(
    panels: Mapping[str, Mapping[str, tuple[Any, Any, Any]]],
    *,
    x_label: str = "hints",
    y_label: str = "agreement with the classes",
    log: str = "",
    path: str | Path | None = None,
) -> Any:
    """Draw learning curves, a panel for each data set.

    Parameters
    ----------
    panels : mapping of title to mapping of name to (x, mean, deviation)
        A line for each name, with a band of one standard deviation. A line of one point is drawn across the panel, as
        for a method without hints.
    x_label, y_label : str
        What the axes show.
    log : str
        Which axes are logarithmic: "", "x", "y" or "xy".
    path : str or Path, optional
        Where to write it; the suffix names the format.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> lines = {"Likewise": ([10, 50, 100], [0.5, 0.6, 0.8], [0.1, 0.1, 0.05]), "k-means": ([0], [0.55], [0.0])}
    >>> len(learning_curve({"digits": lines}).axes)
    1
    """
    if not panels:
        raise ValueError("panels is empty: give at least one title and its lines.")
    wide = min(3, len(panels))
    tall = -(-len(panels) // wide)
    figure = new_figure(4.2 * wide + 1.6, 3.2 * tall + 0.3)
    names = list(dict.fromkeys(name for panel in panels.values() for name in panel))
    colors = {name: f"C{number % 10}" for number, name in enumerate(names)}
    axes = figure.subplots(tall, wide, squeeze=False).ravel()
    handles: dict[str, Any] = {}
    for axis, (title, lines) in zip(axes, panels.items(), strict=False):
        for name, (x, mean, deviation) in lines.items():
            x, mean, deviation = (np.asarray(part, dtype=float) for part in (x, mean, deviation))
            if not len(x):
                continue
            if len(x) == 1:
                handles[name] = axis.axhline(mean[0], color=colors[name], linestyle="--", linewidth=1.2)
                continue
            (handles[name],) = axis.plot(x, mean, color=colors[name], marker="o", markersize=3.5, linewidth=1.5)
            axis.fill_between(x, mean - deviation, mean + deviation, color=colors[name], alpha=0.12, linewidth=0)
        style_axis(axis, title, x_label, y_label)
        if "x" in log:
            axis.set_xscale("log")
        if "y" in log:
            axis.set_yscale("log")
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    if handles:
        figure.legend(handles.values(), handles.keys(), loc="outside right center", frameon=False)
    return save(figure, path)
