"""The same rows in two spaces of two dimensions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .._palette import palette
from ._figures import CANNOT_LINK, FAINT, INK, MUST_LINK, new_figure, save

MAX_NAMED = 20
"""Groups up to which there is a legend."""


def scatter(
    before: np.ndarray,
    after: np.ndarray,
    groups: Any,
    *,
    constraints: Any = None,
    titles: tuple[str, str] = ("before", "after"),
    path: str | Path | None = None,
) -> Any:
    """Draw the same rows in two planes, side by side.

    Parameters
    ----------
    before, after : (n, 2) arrays
    groups : (n,) labels
        Classes or clusters, shown as colors.
    constraints : Constraints, optional
        Drawn as lines on the left: green for same, red and dashed for different.
    titles : pair of str
    path : str or Path, optional
        Where to write it; the suffix names the format.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import RCA
    >>> X, y = load_iris(return_X_y=True)
    >>> figure = scatter(X[:, :2], RCA(n_components=2).fit_transform(X, y), y, titles=("two columns", "RCA"))
    >>> [axis.get_title() for axis in figure.axes]
    ['two columns', 'RCA']
    """
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    names, codes = np.unique(np.asarray(groups), return_inverse=True)
    colors = np.array(palette(len(names)))
    size = float(np.clip(6000 / max(len(codes), 1), 1.5, 26))
    figure = new_figure(11, 5.2)
    for side, (axis, points, title) in enumerate(zip(figure.subplots(1, 2), (before, after), titles, strict=True)):
        points = np.asarray(points, dtype=float)
        # as one image inside an SVG: a hundred thousand circles would be a file that nothing opens
        axis.scatter(*points.T, c=colors[codes], s=size, linewidths=0, rasterized=len(codes) > 5000)
        _frame(axis, points, title)
        if constraints is not None and side == 0:
            for pairs, color, style in (
                (constraints.must_link, MUST_LINK, "solid"),
                (constraints.cannot_link, CANNOT_LINK, (0, (4, 2))),
            ):
                lines = LineCollection(points[pairs], colors=color, linewidths=0.6, alpha=0.6, linestyles=style)
                axis.add_collection(lines)
    if len(names) <= MAX_NAMED:
        dots = [Line2D([], [], marker="o", linestyle="", color=color) for color in colors]
        figure.legend(dots, [str(name) for name in names], loc="outside right center", frameon=False)
    return save(figure, path)


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
