"""Approximate search for the nearest or farthest rows, with a measured recall.

For the nearest, rows are sorted into cells around centers. A query is compared with all rows of its own cell and of
those around it; the queries of a cell go together, so that this is a product of matrices, by whichever distance. The
farthest of any row are among those that lie far from the mean. The recall is measured on a sample of the queries, for
which the exact search is done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from .._arrays import FloatArray, IntArray, evenly_spaced, slices
from .._progress import observe
from .._threads import parallel_map
from ._distances import Distances, Euclidean
from ._exact import QUERIES, BlockSearch, Neighbors, exact_search

RECALL = 0.9
"""The recall to reach; an attempt that falls short is followed by one with twice the effort."""

ATTEMPTS = 6

SAMPLE = 400
"""Queries on which the recall is measured."""

CELLS = 8
"""Cells that a query is compared with, at first."""

ROWS_PER_CENTER = 32
"""Rows for each center that the centers are found from."""

FAR_OUT = 2048
"""Rows far from the mean that are candidates for the farthest of any query, at first."""

MEAN_OF = 256
"""Rows, evenly spaced, whose mean is the center that rows are far from."""

ROUNDING = 1e-9
"""What a mean square may be off, as a share of it."""

BLOCK = 4096
"""Queries whose radii are found together."""

Attempt = Callable[[IntArray, int], Neighbors]
"""(queries, effort) → neighbors."""


def approximate_nearest(
    distances: Distances, k: int, *, resolution: float = 0.0, exclude_self: bool = True, n_jobs: int | None = None
) -> Neighbors:
    """The k nearest rows of each query, as far as they were found.

    Parameters are those of :func:`~likewise.graphs._exact.exact_search`.
    """
    rows, queries = distances.coordinates()
    with observe(None):
        centers = _centers(rows)
        homes = _nearest_center(centers, rows, n_jobs)
        asked = homes if exclude_self else _nearest_center(centers, queries, n_jobs)
    others = np.setdiff1d(np.arange(distances.n), distances.hubs)
    sizes = np.bincount(homes[others], minlength=len(centers))
    members = np.split(others[np.argsort(homes[others], kind="stable")], np.cumsum(sizes)[:-1])

    def attempt(queries: IntArray, effort: int) -> Neighbors:
        count = min(CELLS * effort, len(centers))
        with observe(None):
            around = exact_search(Euclidean(centers), count, exclude_self=False, n_jobs=n_jobs).rows
        order = queries[np.argsort(asked[queries], kind="stable")]
        # Queries of one cell together, and no more than go well together.
        ends = np.flatnonzero(np.diff(asked[order], append=-1)) + 1
        blocks = [
            order[start : min(start + QUERIES, end)]
            for first, end in zip(np.append(0, ends[:-1]), ends, strict=True)
            for start in range(first, end, QUERIES)
        ]

        def search_block(some: IntArray) -> tuple[IntArray, Any]:
            nearby = [members[cell] for cell in around[asked[some[0]]]]
            candidates = np.sort(np.concatenate([distances.hubs, *nearby]))
            # Cells with too few rows: search everywhere.
            enough = candidates if len(candidates) > k else None
            return BlockSearch(distances, k, False, resolution, enough, exclude_self)(some)

        found = parallel_map(search_block, blocks, n_jobs, report=True)
        position = np.argsort(np.concatenate(blocks), kind="stable")[np.argsort(np.argsort(queries, kind="stable"))]
        chosen, lengths = (np.concatenate(parts)[position] for parts in zip(*found, strict=True))
        return Neighbors(chosen, lengths)

    return _with_recall(attempt, distances, k, resolution=resolution, exclude_self=exclude_self, n_jobs=n_jobs)


def approximate_farthest(
    distances: Distances, k: int, *, resolution: float = 0.0, exclude_self: bool = True, n_jobs: int | None = None
) -> Neighbors:
    """The k farthest rows of each query among rows that lie far out: the farthest of one row are so of many.

    Parameters are those of :func:`~likewise.graphs._exact.exact_search`.
    """
    by_radius = np.argsort(-radii(distances, n_jobs), kind="stable")

    def attempt(queries: IntArray, effort: int) -> Neighbors:
        # The rows that are farthest from some, and those farthest from the mean.
        some = evenly_spaced(distances.n_queries, FAR_OUT * effort)
        with observe(None):
            seen = exact_search(
                distances, k, farthest=True, queries=some, exclude_self=exclude_self, n_jobs=n_jobs
            ).rows
        return exact_search(
            distances,
            k,
            farthest=True,
            resolution=resolution,
            queries=queries,
            candidates=np.union1d(seen, by_radius[: FAR_OUT * effort]),
            exclude_self=exclude_self,
            n_jobs=n_jobs,
        )

    return _with_recall(
        attempt, distances, k, farthest=True, resolution=resolution, exclude_self=exclude_self, n_jobs=n_jobs
    )


def _with_recall(attempt: Attempt, distances: Distances, k: int, *, resolution: float, **options: Any) -> Neighbors:
    """The first attempt that finds enough of the neighbors of a sample, made for all queries."""
    sample = np.unique(np.random.default_rng(0).integers(distances.n_queries, size=SAMPLE))
    with observe(None):
        last = exact_search(distances, k, resolution=resolution, queries=sample, **options).distances[:, -1:]
        for effort in 2 ** np.arange(ATTEMPTS):
            found = attempt(sample, int(effort)).distances
            # A row as far as the k-th is as good.
            hit = found >= last - resolution if options.get("farthest") else found <= last + resolution
            recall = float(hit.mean())
            if recall >= RECALL:
                break
    everything = attempt(np.arange(distances.n_queries), int(effort))
    return Neighbors(everything.rows, everything.distances, recall)


def radii(distances: Distances, n_jobs: int | None = None) -> FloatArray:
    """How far each query is at most from the mean of some rows, in the space where the distances are Euclidean.

    With s and t any of the rows that make the mean, its square is mean_s d²(x, s) − ½ mean_st d²(s, t).
    """
    some = evenly_spaced(distances.n, MEAN_OF)
    among = distances.to_distance(distances.approx(some, some, double=True)) ** 2

    def squares(queries: slice) -> FloatArray:
        most = distances.approx(queries, some) + distances.error_bound(queries)[:, None]
        return np.asarray((distances.to_distance(most) ** 2).mean(axis=1))

    found = np.concatenate(parallel_map(squares, slices(distances.n_queries, BLOCK), n_jobs)) - among.mean() * (
        0.5 - ROUNDING
    )
    return np.asarray(np.sqrt(np.maximum(found, 0.0)))


def largest_distance(distances: Distances, *, approximate: bool = False, n_jobs: int | None = None) -> float:
    """The largest distance between two rows.

    Two rows are no farther apart than the sum of their radii, so only pairs are compared for which that is more than
    the largest distance so far. ``approximate``: only the rows with the largest radii are.
    """
    radius = radii(distances, n_jobs)
    outer = np.argsort(-radius, kind="stable")
    if approximate:
        outer = outer[: 2 * FAR_OUT]
    largest = 0.0
    for start in range(0, len(outer), FAR_OUT):
        block = outer[start : start + FAR_OUT]
        within = int(np.searchsorted(-radius[outer], radius[block[0]] - largest))
        candidates = outer[: min(within, start + len(block))]
        if len(candidates) < 2:
            break
        with observe(None):
            found = exact_search(distances, 1, farthest=True, queries=block, candidates=candidates, n_jobs=n_jobs)
        largest = max(largest, float(found.distances.max()))
    return largest


def _nearest_center(centers: Any, rows: Any, n_jobs: int | None) -> IntArray:
    return exact_search(Euclidean(centers, rows), 1, exclude_self=False, n_jobs=n_jobs).rows[:, 0]


def _centers(rows: Any) -> Any:
    """Centers of some 2√n cells, from a few rounds of k-means on some of the rows."""
    count = max(1, int(2 * np.sqrt(len(rows))))
    some = rows[evenly_spaced(len(rows), ROWS_PER_CENTER * count)]
    return KMeans(count, init="random", n_init=1, max_iter=5, tol=0.0, random_state=0).fit(some).cluster_centers_
