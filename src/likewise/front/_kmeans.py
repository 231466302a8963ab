"""One k-means run, plain or with hints, out of the parts that all k-means here share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..clustering.kmeans._lloyd import best_of, lloyd, plain
from ..clustering.kmeans._pck import groups_apart, priced, rows_apart
from ..clustering.kmeans._points import Points
from ..clustering.kmeans._scale import mean_squared_deviation
from ..clustering.kmeans._seeding import farthest_first, spread_out
from ..constraints import Constraints
from ._streams import Stream, opened

Array = np.ndarray

PRICE = {True: 0.3, False: 1.0}
"""Price of a broken hint, in units of the mean squared distance of a row to the mean of all: with closure, where every
pair between two groups has it, and without, where a hint stands for itself."""

QUICK: dict[str, Any] = {"max_iter": 30, "tol": 1e-3}
"""For members of an ensemble: the last digits of one run drown among the others."""

EXACT: dict[str, Any] = {"max_iter": 100, "tol": 1e-6}


def quick_labels(points: Points, n_clusters: int, own: Stream, labels: Array | None = None) -> Array:
    """Labels of one plain run from one start: spread-out rows, or the means of given clusters."""
    n_clusters = min(n_clusters, points.n)
    if labels is None:
        start = spread_out(points, n_clusters, opened(own))
    else:
        start = _means(points, labels, n_clusters, lambda: opened(own))
    return lloyd(points, start, plain(points), **QUICK).labels


def hinted_run(
    Z: Array,
    n_clusters: int,
    hints: Constraints,
    rng: np.random.RandomState,
    *,
    closed: bool,
    starts: Sequence[Array],
    n_init: int = 0,
) -> Array:
    """Labels of the rows by k-means that heeds hints; the best of several starts.

    Parameters
    ----------
    Z : (n, d) array
    n_clusters : int
    hints : Constraints
    rng : RandomState
    closed : bool
        Must-link groups move as one, and every pair that cannot-links part has a price. Otherwise every stated hint
        has one, by its belief, and must-links may be broken.
    starts : sequence of (n,) int arrays
        Labelings to start from.
    n_init : int
        Starts besides: the first from the hints if ``closed``, the others spread out.
    """
    n_clusters = min(n_clusters, len(Z))
    groups = hints.groups() if closed else np.arange(len(Z))
    points = Points(Z, groups if closed else None)
    penalties = (groups_apart if closed else rows_apart)(hints, closed=closed)
    assign = priced(points, penalties, PRICE[closed] * mean_squared_deviation(Z), rng)
    begun = [_means(Points(Z), labels, n_clusters, lambda: rng) for labels in starts]
    for number in range(n_init):
        if closed and number == 0:
            begun.append(farthest_first(points, np.arange(points.n), n_clusters, rng))
        else:
            begun.append(spread_out(points, n_clusters, rng))
    run = best_of(lloyd(points, centers, assign, free=penalties.free, **EXACT) for centers in begun)
    return run.labels[groups]


def _means(points: Points, labels: Array, n_clusters: int, rng: Callable[[], np.random.RandomState]) -> Array:
    """The means of given clusters; spread-out rows for those that are empty."""
    means, alive = points.means(labels, n_clusters)
    return means if alive.all() else spread_out(points, n_clusters, rng(), means[alive])
