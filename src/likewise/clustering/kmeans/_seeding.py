"""Where k-means starts: spread-out points, or the means of what a person said belongs together."""

from __future__ import annotations

import numpy as np

from ._points import Array, PointSet


def spread_out(points: PointSet, n_clusters: int, rng: np.random.RandomState, first: Array | None = None) -> Array:
    """k-means++: each next center a point drawn in proportion to its squared distance from those there are.

    Of 2 + log k draws the one that leaves the smallest objective is taken (Arthur and Vassilvitskii 2007). A point
    counts as often as there are rows behind it. ``first`` are centers that are given; the rest is drawn.
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
        else:  # fewer distinct points than clusters: any will do
            drawn = rng.randint(points.n, size=1)
        candidates = points.take(drawn)
        left = np.minimum(points.squared_distances(candidates), closest[:, None])
        best = int((points.weight @ left).argmin())
        closest = left[:, best].astype(np.float64)
        centers.append(candidates[best : best + 1])
    return np.concatenate(centers)


def drawn_rows(points: PointSet, n_clusters: int, rng: np.random.RandomState) -> Array:
    """Points drawn at random, none twice."""
    return points.take(rng.choice(points.n, n_clusters, replace=False))


def farthest_first(points: PointSet, groups: Array, n_clusters: int, rng: np.random.RandomState) -> Array:
    """Means of groups said to be one: the largest first, then always the one far from those taken, and large.

    Groups are weighed by their number of rows times the squared distance to the nearest center taken (the weighted
    farthest-first traversal of Bilenko, Basu and Mooney 2004). With fewer groups of two or more than clusters, all
    of them start a cluster and :func:`spread_out` draws the rest.
    """
    sizes = np.bincount(groups, points.weight)
    members = np.bincount(groups)
    told = np.flatnonzero((members > 1) | (sizes > 1))
    if len(told) == 0:
        return spread_out(points, n_clusters, rng)
    place = np.full(len(sizes), -1)
    place[told] = np.arange(len(told))
    means = _means_of(points, place[groups], len(told))
    if len(told) <= n_clusters:
        return spread_out(points, n_clusters, rng, means)
    sizes = sizes[told]
    chosen = [int(sizes.argmax())]
    closest = np.full(len(told), np.inf)
    for _ in range(n_clusters - 1):
        gap = means - means[chosen[-1]]
        closest = np.minimum(closest, np.einsum("ij,ij->i", gap, gap))
        closest[chosen] = -1.0
        chosen.append(int((closest * sizes).argmax()))
    return means[chosen]


def _means_of(points: PointSet, codes: Array, n_blocks: int) -> Array:
    """Means of the blocks of points; −1 is in none."""
    # One more cluster takes the points in no block, and is thrown away.
    means, _ = points.means(np.where(codes < 0, n_blocks, codes), n_blocks + 1)
    return means[:n_blocks]
