"""Figures of rows, constraints, learning curves, ensembles and projections."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...constraints import Constraints
from ...page import palette
from .._counts import PairCounts
from ._figures import CANNOT_LINK, FAINT, INK, MUST_LINK, new_figure, saved, style_axis

MAX_NAMED = 20
"""Maximum number of groups with a legend."""

MAX_WRITTEN = 16
"""Maximum number of clusters for which counts are written into the cells."""


def scatter(
    before: np.ndarray,
    after: np.ndarray,
    groups: Any,
    *,
    names: Any = None,
    constraints: Any = None,
    titles: tuple[str, str] = ("before", "after"),
    path: str | Path | None = None,
) -> Any:
    """Scatter plots of the same rows in two planes, side by side.

    Parameters
    ----------
    before, after : (n, 2) arrays
    groups : (n,) labels
        Classes or clusters, shown as colors.
    names : list-like of str, optional
        Names of the groups, in sorted order; by default the values in ``groups``.
    constraints : Constraints, optional
        Drawn as lines on the left: green for same, red and dashed for different.
    titles : pair of str
    path : str or Path, optional
        The file to save the figure to; the suffix determines the format.

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

    found, codes = np.unique(np.asarray(groups), return_inverse=True)
    colors = np.array(palette(len(found)))
    size = float(np.clip(6000 / max(len(codes), 1), 1.5, 26))
    figure = new_figure(11, 5.2)
    for side, (axis, points, title) in enumerate(zip(figure.subplots(1, 2), (before, after), titles, strict=True)):
        points = np.asarray(points, dtype=float)
        # Rasterized in an SVG, since a file with a hundred thousand circles would be unusable.
        axis.scatter(*points.T, c=colors[codes], s=size, linewidths=0, rasterized=len(codes) > 5000)
        _frame(axis, points, title)
        if constraints is not None and side == 0:
            for pairs, color, style in (
                (constraints.must_link, MUST_LINK, "solid"),
                (constraints.cannot_link, CANNOT_LINK, (0, (4, 2))),
            ):
                lines = LineCollection(points[pairs], colors=color, linewidths=0.6, alpha=0.6, linestyles=style)
                axis.add_collection(lines)
    if len(found) <= MAX_NAMED:
        dots = [Line2D([], [], marker="o", linestyle="", color=color) for color in colors]
        called = found if names is None else names
        figure.legend(dots, [str(name) for name in called], loc="outside right center", frameon=False)
    return saved(figure, path)


def before_after(
    model: Any,
    X: Any,
    groups: Any = None,
    *,
    constraints: Any = None,
    titles: tuple[str, str] = ("largest variance", "after clustering"),
    path: str | Path | None = None,
) -> Any:
    """Scatter plots of the rows on the two maps of the report, before and after clustering.

    Parameters
    ----------
    model : fitted clusterer
    X : (n, f) array, sparse matrix or data frame
        The rows that the model was fitted on.
    groups : (n,) labels, optional
        Shown as colors. By default the clusters.
    constraints : Constraints, optional
        Drawn as lines on the left, if every row is on the map (up to some ten thousand rows).
    titles : pair of str
    path : str or Path, optional
        The file to save the figure to; the suffix determines the format.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import Likewise
    >>> X, y = load_iris(return_X_y=True)
    >>> figure = before_after(Likewise(3, random_state=0).fit(X), X, y)
    >>> [axis.get_title() for axis in figure.axes]
    ['largest variance', 'after clustering']
    """
    from .._facts import Facts  # imported here, since it loads much more than other figures need

    facts = Facts(model, X)
    shown = np.asarray(model.labels_ if groups is None else groups)
    if len(shown) != facts.n_rows:
        raise ValueError(f"groups has {len(shown)} entries, and X has {facts.n_rows} rows.")
    drawn = constraints if len(facts.rows) == facts.n_rows else None
    layout = facts.layout
    return scatter(layout.before, layout.after, shown[facts.rows], constraints=drawn, titles=titles, path=path)


def _frame(axis: Any, points: np.ndarray, title: str) -> None:
    # A few outliers must not determine the scale.
    low, high = np.percentile(points, [0.5, 99.5], axis=0)
    margin = 0.08 * np.maximum(high - low, 1e-12)
    axis.set_xlim(low[0] - margin[0], high[0] + margin[0])
    axis.set_ylim(low[1] - margin[1], high[1] + margin[1])
    axis.set_title(title, color=INK)
    axis.set_xticks([])
    axis.set_yticks([])
    for spine in axis.spines.values():
        spine.set_color(FAINT)


def constraints_kept(labels: Any, constraints: Constraints, *, path: str | Path | None = None) -> Any:
    """Heat maps of constraints by the clusters of their two rows: must-links on the left, cannot-links on the right.

    A must-link is kept if it is on the diagonal, and a cannot-link if it is off the diagonal; violated ones are red.
    Pairs that partitions imply are included.

    Parameters
    ----------
    labels : (n,) labels
        A clustering, such as ``model.labels_``.
    constraints : Constraints
    path : str or Path, optional
        The file to save the figure to; the suffix determines the format.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> constraints = Constraints(4, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 3)])
    >>> [axis.get_title() for axis in constraints_kept([0, 0, 1, 1], constraints).axes]
    ['must-links: 1 of 2 kept', 'cannot-links: 1 of 1 kept']
    """
    names, codes = np.unique(np.asarray(labels), return_inverse=True)
    pair_counts = PairCounts.of(codes, constraints, len(names))
    side = float(np.clip(0.45 * len(names), 3.2, 9))
    figure = new_figure(2 * side + 1, side + 0.8)
    together = np.eye(len(names), dtype=bool)
    for axis, word, counts, right, kept, stated in zip(
        figure.subplots(1, 2),
        ("must", "cannot"),
        (pair_counts.same, pair_counts.different),
        (together, ~together),
        (pair_counts.same_kept, pair_counts.different_kept),
        (pair_counts.n_same, pair_counts.n_different),
        strict=True,
    ):
        _heat(axis, counts, right, names)
        axis.set_title(f"{word}-links: {kept:,} of {stated:,} kept", color=INK)
    return saved(figure, path)


def _heat(axis: Any, counts: np.ndarray, right: np.ndarray, names: np.ndarray) -> None:
    # Kept and violated pairs have separate scales, so that a single violation is visible next to thousands of kept
    # ones.
    shade = np.zeros(counts.shape)
    for mask, sign in ((right, 1.0), (~right, -1.0)):
        part = np.where(mask, counts, 0)
        most = part.max(initial=0)
        shade += sign * np.where(part > 0, 0.25 + 0.6 * part / max(most, 1), 0.0)
    axis.imshow(shade, cmap="RdBu", vmin=-1, vmax=1)
    if len(names) <= MAX_WRITTEN:
        for (row, column), count in np.ndenumerate(counts):
            if count:
                ink = "white" if abs(shade[row, column]) > 0.6 else INK
                axis.text(column, row, f"{count:,}", ha="center", va="center", color=ink, fontsize=8)
    ticks = np.unique(np.linspace(0, len(names) - 1, min(len(names), MAX_WRITTEN)).round().astype(int))
    axis.set_xticks(ticks, [str(name) for name in names[ticks]])
    axis.set_yticks(ticks, [str(name) for name in names[ticks]])
    axis.set_xlabel("cluster")
    axis.set_ylabel("cluster")


def learning_curve(
    panels: Mapping[str, Mapping[str, tuple[Any, Any, Any]]],
    *,
    x_label: str = "hints",
    y_label: str = "agreement with the classes",
    log: str = "",
    path: str | Path | None = None,
) -> Any:
    """Learning curves, with one panel for each data set.

    Parameters
    ----------
    panels : mapping of title to mapping of name to (x, mean, deviation)
        A line for each name, with a band of one standard deviation. A single point, as for a method without hints, is
        drawn as a horizontal line.
    x_label, y_label : str
        Labels of the axes.
    log : str
        The logarithmic axes: "", "x", "y" or "xy".
    path : str or Path, optional
        The file to save the figure to; the suffix determines the format.

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
    return saved(figure, path)


def diversity_quality(ensembles: Any, y: Any, *, path: str | Path | None = None) -> Any:
    """Scatter plot of pairs of members of an ensemble: the NMI between them against their mean NMI with the classes.

    Members should be good and diverse: dots on the lower right. A cross marks the mean.

    Parameters
    ----------
    ensembles : SubspaceMetricEnsemble, or mapping of name to one
        Fitted ensembles.
    y : (n,) labels
        The true classes.
    path : str or Path, optional
        The file to save the figure to; the suffix determines the format.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import Constraints, SubspaceMetricEnsemble
    >>> X, y = load_iris(return_X_y=True)
    >>> constraints = Constraints.sample(y, "equal", 20, random_state=0)
    >>> ensemble = SubspaceMetricEnsemble(3, n_subspaces=4, random_state=0).fit(X, constraints=constraints)
    >>> len(diversity_quality(ensemble, y).axes[0].collections[0].get_offsets())  # pairs of members
    6
    """
    named = ensembles if isinstance(ensembles, Mapping) else {type(ensembles).__name__: ensembles}
    figure = new_figure(6.4, 4.6)
    axis = figure.subplots()
    for number, (name, ensemble) in enumerate(named.items()):
        if not hasattr(ensemble, "diversity_quality"):
            raise TypeError(
                f"{name} is a {type(ensemble).__name__}, which has no members to compare. "
                "Pass a fitted SubspaceMetricEnsemble."
            )
        diversity, quality = ensemble.diversity_quality(y).T
        if not len(quality):
            raise ValueError(f"{name} has one member, and two are compared. Fit it with n_subspaces of 2 or more.")
        color = f"C{number % 10}"
        axis.scatter(quality, 1 - diversity, s=9, color=color, alpha=0.45, linewidths=0, label=name)
        axis.plot(quality.mean(), 1 - diversity.mean(), "+", color=INK, markersize=12, markeredgewidth=1.6)
    limits = np.array([axis.get_xlim(), axis.get_ylim()])
    low, high = limits[:, 0].min(), limits[:, 1].max()
    axis.plot([low, high], [low, high], color=FAINT, linewidth=0.8, zorder=0)
    style_axis(axis, "two members at a time", "quality: mean NMI with the classes", "NMI of the two with each other")
    axis.legend(frameon=False)
    return saved(figure, path)


def eigenvalue_share(projections: Any, *, path: str | Path | None = None) -> Any:
    """The eigenvalues of the directions, largest first. Directions after a clear drop add little.

    For most methods the eigenvalue is a share between 0 and 1, push / (push + pull). For methods with an indefinite
    form (SSDR, GCDR, LPPSI) it is the quotient of the two forms, without such bounds.

    Parameters
    ----------
    projections : Projection, or mapping of name to one
        Fitted projections, or other objects with ``share_``.
    path : str or Path, optional
        The file to save the figure to; the suffix determines the format.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import RCA
    >>> X, y = load_iris(return_X_y=True)
    >>> len(eigenvalue_share(RCA(n_components=3).fit(X, y)).axes[0].lines)
    1
    """
    named = projections if isinstance(projections, Mapping) else {type(projections).__name__: projections}
    figure = new_figure(6.4, 4.0)
    axis = figure.subplots()
    bounded = True
    for number, (name, projection) in enumerate(named.items()):
        if not hasattr(projection, "share_"):
            raise TypeError(
                f"{name} is a {type(projection).__name__} without share_. Pass a fitted projection, such as Costco."
            )
        share = np.asarray(projection.share_, dtype=float)
        bounded &= bool(share.min(initial=0) >= 0 and share.max(initial=0) <= 1 + 1e-9)
        axis.plot(np.arange(1, len(share) + 1), share, marker="o", markersize=4, color=f"C{number % 10}", label=name)
    style_axis(axis, "", "direction", "share" if bounded else "eigenvalue")
    if bounded:
        axis.set_ylim(-0.02, 1.04)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.legend(frameon=False, labelcolor=INK)
    return saved(figure, path)
