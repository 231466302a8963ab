"""Lloyd's algorithm, shared by all k-means methods, and the best of several initializations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ..._arrays import BoolArray, FloatArray, IntArray
from ..._progress import report, track
from ._points import PointSet, nearest
from ._seeding import kmeans_plus_plus

Assign = Callable[[FloatArray, IntArray | None], tuple[IntArray, float]]
"""(centers, previous labels or None) → (labels, objective of these labels and centers)."""

Start = Callable[[PointSet, int, np.random.RandomState], FloatArray]
"""(points, number of clusters, random state) → centers."""


@dataclass(frozen=True)
class Run:
    """The result of one initialization: labels, centers, and their objective."""

    labels: IntArray
    centers: FloatArray
    objective: float
    n_iter: int
    history: tuple[float, ...]


def plain(points: PointSet) -> Assign:
    """Assign every point to its nearest center."""

    def assign(centers: FloatArray, labels: IntArray | None) -> tuple[IntArray, float]:
        labels, distance = nearest(points, centers)
        return labels, float(points.weight @ distance) + points.constant

    return assign


def k_means(
    points: PointSet,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    n_init: int,
    max_iter: int,
    tol: float,
    start: Start = kmeans_plus_plus,
) -> Run:
    """Plain k-means: the best of ``n_init`` initializations."""
    assign = plain(points)
    return best_of(
        lloyd(points, start(points, n_clusters, rng), assign, max_iter=max_iter, tol=tol) for _ in track(range(n_init))
    )


def lloyd(
    points: PointSet,
    centers: FloatArray,
    assign: Assign,
    *,
    max_iter: int,
    tol: float,
    free: BoolArray | None = None,
    move: Callable[[IntArray, FloatArray], FloatArray] | None = None,
) -> Run:
    """Alternate between assigning points and moving centers; the objective never increases.

    Stops when no label changes, or when the objective decreases by at most ``tol`` times its value.

    Parameters
    ----------
    points, centers, assign
    free : (n,) mask, optional
        Unconstrained points, which may be moved to fill an empty cluster. Default: all.
    move : callable (labels, centers) → centers, optional
        Replaces the computation of the optimal centers.
    """
    move = move or (lambda labels, centers: best_centers(points, labels, centers, free))
    labels, objective = assign(centers, None)
    history = [objective]
    while len(history) < max_iter:
        report(len(history))
        moved = move(labels, centers)
        relabeled, gained = assign(moved, labels)
        if np.array_equal(relabeled, labels):
            # The centers are now the means of exactly these rows.
            centers, objective = moved, gained
            history.append(objective)
            break
        centers, labels = moved, relabeled
        history.append(gained)
        if objective - gained <= tol * abs(objective):
            objective = gained
            break
        objective = gained
    return Run(labels, centers, objective, len(history), tuple(history))


def best_centers(points: PointSet, labels: IntArray, centers: FloatArray, free: BoolArray | None = None) -> FloatArray:
    """The mean of each cluster. An empty cluster takes the free point farthest from its center, if there is one."""
    n_clusters = len(centers)
    moved, alive = points.means(labels, n_clusters)
    if alive.all():
        return moved
    labels = labels.copy()
    apart = points.squared_distances(moved)[np.arange(points.n), labels] * points.weight
    if free is not None:
        apart[~free] = 0.0
    for cluster in np.flatnonzero(~alive):
        farthest = int(apart.argmax())
        if apart[farthest] <= 0:
            break
        labels[farthest], apart[farthest] = cluster, 0.0
    moved, alive = points.means(labels, n_clusters)
    moved[~alive] = centers[~alive]
    return moved


def best_of(runs: Iterable[Run]) -> Run:
    """The run with the smallest objective; the first one, if tied up to rounding errors."""
    remaining = iter(runs)
    best = next(remaining)
    for run in remaining:
        if run.objective < best.objective - 1e-12 * abs(best.objective):
            best = run
    return best
