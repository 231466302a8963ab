"""k-means runs, plain or under constraints, out of the parts that all k-means here share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._arrays import FloatArray, IntArray
from ..clustering.kmeans._lloyd import best_of, lloyd, plain
from ..clustering.kmeans._pck import groups_apart, penalized, rows_apart
from ..clustering.kmeans._points import Points
from ..clustering.kmeans._scale import mean_squared_deviation
from ..clustering.kmeans._seeding import farthest_first, kmeans_plus_plus
from ..constraints import Constraints

CLOSED_PRICE = 0.3
"""Price of a broken cannot-link with closure, where every pair between two groups has it, in units of the mean squared
distance of a row to the mean of all."""

STATED_PRICE = 1.0
"""Price of a broken constraint without closure, where each stands for itself."""

QUICK: dict[str, Any] = {"max_iter": 30, "tol": 1e-3}
"""For members of an ensemble: the last digits of one run drown among the others."""

EXACT: dict[str, Any] = {"max_iter": 100, "tol": 1e-6}

RandomStream = dict[str, Any]
"""The state of a random generator, to draw from once it is opened: many are never needed, and a copy is cheap."""


def reserve_stream(rng: np.random.RandomState, n_clusters: int) -> RandomStream:
    """The state of ``rng`` for one start of k-means, while ``rng`` itself moves on to where that start will end.

    So runs can be made in any order, on several threads or not at all, and each draws what it would have drawn had they
    been made one after the other. A start of ``kmeans_plus_plus`` draws one number for its first center and 2 + log k
    for each other one (where rows are fewer than clusters it draws otherwise, and streams share some numbers, which
    does no harm).
    """
    stream: RandomStream = rng.get_state(legacy=False)
    rng.uniform(size=1 + (n_clusters - 1) * (2 + int(np.log(n_clusters))))
    return stream


def open_stream(stream: RandomStream) -> np.random.RandomState:
    """A generator at the start of the stream."""
    rng = np.random.RandomState(0)  # seeding from the system takes longer, and the state is replaced
    rng.set_state(stream)
    return rng


def kmeans_labels(points: Points, n_clusters: int, stream: RandomStream, start: IntArray | None = None) -> IntArray:
    """Labels of one plain run: from the means of the clusters of ``start``, or from rows by k-means++."""
    n_clusters = min(n_clusters, points.n)
    if start is None:
        centers = kmeans_plus_plus(points, n_clusters, open_stream(stream))
    else:
        centers = _means(points, start, n_clusters, lambda: open_stream(stream))
    return lloyd(points, centers, plain(points), **QUICK).labels


def constrained_kmeans(
    Z: FloatArray,
    n_clusters: int,
    constraints: Constraints,
    rng: np.random.RandomState,
    *,
    closed: bool,
    starts: Sequence[IntArray],
    n_init: int = 0,
) -> IntArray:
    """Labels by k-means under constraints, the best of several starts.

    Parameters
    ----------
    Z : (n, d) array
    n_clusters : int
    constraints : Constraints
    rng : RandomState
    closed : bool
        Must-link groups move as one, and every pair that cannot-links part has a price. Otherwise every stated
        constraint has one, by its weight, and must-links may be broken.
    starts : sequence of (n,) int arrays
        Labels to start from.
    n_init : int
        Further starts: the first from the constraints if ``closed``, the others by k-means++.
    """
    n_clusters = min(n_clusters, len(Z))
    groups = constraints.groups() if closed else np.arange(len(Z))
    points = Points(Z, groups if closed else None)
    penalties = (groups_apart if closed else rows_apart)(constraints, closed=closed)
    price = CLOSED_PRICE if closed else STATED_PRICE
    assign = penalized(points, penalties, price * mean_squared_deviation(Z), rng)
    centers = [_means(Points(Z), labels, n_clusters, lambda: rng) for labels in starts]
    for number in range(n_init):
        if closed and number == 0:
            centers.append(farthest_first(points, np.arange(points.n), n_clusters, rng))
        else:
            centers.append(kmeans_plus_plus(points, n_clusters, rng))
    run = best_of(lloyd(points, start, assign, free=penalties.free, **EXACT) for start in centers)
    return run.labels[groups]


def _means(points: Points, labels: IntArray, n_clusters: int, rng: Callable[[], np.random.RandomState]) -> FloatArray:
    """The means of given clusters; rows by k-means++ for those that are empty."""
    means, alive = points.means(labels, n_clusters)
    return means if alive.all() else kmeans_plus_plus(points, n_clusters, rng(), means[alive])
