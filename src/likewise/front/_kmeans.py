"""Runs of k-means, with and without constraints, for the ensemble."""

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

CLOSED_PENALTY = 0.3
"""Penalty of a violated cannot-link with closure, where every pair between two groups is penalized, relative to the
mean squared distance of a row to the mean of all."""

STATED_PENALTY = 1.0
"""Relative penalty of a violated constraint without closure, where only given pairs are penalized."""

QUICK: dict[str, Any] = {"max_iter": 30, "tol": 1e-3}
"""Options of Lloyd's algorithm for members of an ensemble, which need not converge exactly."""

EXACT: dict[str, Any] = {"max_iter": 100, "tol": 1e-6}
"""Options of Lloyd's algorithm for the final labels."""

RandomStream = dict[str, Any]
"""The state of a random generator, which is cheaper to copy than a generator; many are never opened."""


def reserve_stream(rng: np.random.RandomState, n_clusters: int) -> RandomStream:
    """The state of ``rng`` for one initialization of k-means; ``rng`` itself is advanced past it.

    So runs can be made in any order, on several threads or not at all, and each draws the same numbers as if they were
    made one after the other. ``kmeans_plus_plus`` draws one number for its first center and 2 + log k for each other
    one. (With fewer rows than clusters it draws a different amount, and streams overlap, which does no harm.)
    """
    stream: RandomStream = rng.get_state(legacy=False)
    rng.uniform(size=1 + (n_clusters - 1) * (2 + int(np.log(n_clusters))))
    return stream


def open_stream(stream: RandomStream) -> np.random.RandomState:
    """A generator with the state of the stream."""
    rng = np.random.RandomState(0)  # faster than seeding from the system; the state is replaced
    rng.set_state(stream)
    return rng


def kmeans_labels(points: Points, n_clusters: int, stream: RandomStream, start: IntArray | None = None) -> IntArray:
    """Labels of one run of k-means, initialized by the means of the clusters of ``start``, or by k-means++."""
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
    """Labels by constrained k-means, the best of several initializations.

    Parameters
    ----------
    Z : (n, d) array
    n_clusters : int
    constraints : Constraints
    rng : RandomState
    closed : bool
        If True, must-link groups stay together, and every pair between cannot-linked groups is penalized. Otherwise
        every given constraint may be violated at a penalty proportional to its weight.
    starts : sequence of (n,) int arrays
        Labels to initialize centers from.
    n_init : int
        Number of further initializations: if ``closed``, the first by farthest-first traversal of must-link groups;
        the others by k-means++.
    """
    n_clusters = min(n_clusters, len(Z))
    groups = constraints.groups() if closed else np.arange(len(Z))
    points = Points(Z, groups if closed else None)
    penalties = (groups_apart if closed else rows_apart)(constraints, closed=closed)
    penalty = CLOSED_PENALTY if closed else STATED_PENALTY
    assign = penalized(points, penalties, penalty * mean_squared_deviation(Z), rng)
    centers = [_means(Points(Z), labels, n_clusters, lambda: rng) for labels in starts]
    for number in range(n_init):
        if closed and number == 0:
            centers.append(farthest_first(points, np.arange(points.n), n_clusters, rng))
        else:
            centers.append(kmeans_plus_plus(points, n_clusters, rng))
    run = best_of(lloyd(points, start, assign, free=penalties.free, **EXACT) for start in centers)
    return run.labels[groups]


def _means(points: Points, labels: IntArray, n_clusters: int, rng: Callable[[], np.random.RandomState]) -> FloatArray:
    """The means of the given clusters; centers of empty clusters are chosen by k-means++."""
    means, alive = points.means(labels, n_clusters)
    return means if alive.all() else kmeans_plus_plus(points, n_clusters, rng(), means[alive])
