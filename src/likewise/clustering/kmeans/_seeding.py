"""Initial centers of k-means: k-means++, random points, or the means of must-link groups."""

from __future__ import annotations

import numpy as np

from ..._arrays import FloatArray, IntArray
from ._points import PointSet


def kmeans_plus_plus(
    points: PointSet, n_clusters: int, rng: np.random.RandomState, first: FloatArray | None = None
) -> FloatArray:
    """Greedy k-means++: sample centers with probability proportional to the squared distance from earlier centers.

    Of 2 + log k candidates the one with the smallest objective is chosen (Arthur and Vassilvitskii 2007). Points are
    weighted by their number of rows. ``first`` are given centers; the others are sampled.
    """
    trials = 2 + int(np.log(n_clusters))
    if first is None or len(first) == 0:
        total = points.weight.sum()
        start = rng.choice(points.n, p=points.weight / total if total > 0 else None)
        first = points.take(np.array([start]))
    centers = [first]
    closest = points.squared_distances(first).min(axis=1).astype(np.float64)
    for _ in range(n_clusters - len(first)):
        mass = np.cumsum(points.weight * closest)
        if mass[-1] > 0:
            drawn = np.searchsorted(mass, rng.uniform(size=trials) * mass[-1], side="right")
            drawn = np.minimum(drawn, points.n - 1)
        else:  # fewer distinct points than clusters: choose any
            drawn = rng.randint(points.n, size=1)
        candidates = points.take(drawn)
        left = np.minimum(points.squared_distances(candidates), closest[:, None])
        best = int((points.weight @ left).argmin())
        closest = left[:, best].astype(np.float64)
        centers.append(candidates[best : best + 1])
    return np.concatenate(centers)


def random_rows(points: PointSet, n_clusters: int, rng: np.random.RandomState) -> FloatArray:
    """Points drawn at random without replacement."""
    return points.take(rng.choice(points.n, n_clusters, replace=False))


def farthest_first(points: PointSet, groups: IntArray, n_clusters: int, rng: np.random.RandomState) -> FloatArray:
    """Means of must-link groups that are large and far apart (weighted farthest-first traversal).

    After the largest group, the next one maximizes its number of rows times the squared distance to the nearest chosen
    center (Bilenko, Basu and Mooney 2004). If there are fewer groups of at least two rows than clusters, all of them
    are used, and :func:`kmeans_plus_plus` samples the rest.
    """
    sizes = np.bincount(groups, points.weight)
    members = np.bincount(groups)
    linked = np.flatnonzero((members > 1) | (sizes > 1))
    if len(linked) == 0:
        return kmeans_plus_plus(points, n_clusters, rng)
    place = np.full(len(sizes), -1)
    place[linked] = np.arange(len(linked))
    means = _means_of(points, place[groups], len(linked))
    if len(linked) <= n_clusters:
        return kmeans_plus_plus(points, n_clusters, rng, means)
    sizes = sizes[linked]
    chosen = [int(sizes.argmax())]
    closest = np.full(len(linked), np.inf)
    for _ in range(n_clusters - 1):
        gap = means - means[chosen[-1]]
        closest = np.minimum(closest, np.einsum("ij,ij->i", gap, gap))
        closest[chosen] = -1.0
        chosen.append(int((closest * sizes).argmax()))
    return means[chosen]


def _means_of(points: PointSet, codes: IntArray, n_blocks: int) -> FloatArray:
    """Means of blocks of points; −1 means no block."""
    # The points in no block form an additional cluster, which is dropped.
    means, _ = points.means(np.where(codes < 0, n_blocks, codes), n_blocks + 1)
    return means[:n_blocks]
