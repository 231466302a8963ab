"""Approximate search for the nearest or farthest rows, with a measured recall.

For nearest neighbors, rows are partitioned into cells around centers (an inverted file index). A query is compared with
all rows of its own cell and of the closest other cells. The queries of a cell are processed together, so that this is a
matrix product for every kind of distance. For farthest rows, only rows far from the mean are candidates. The recall is
measured on a sample of the queries, for which the exact search is run as well.
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
"""Recall to reach; the effort is doubled until it is reached."""

ATTEMPTS = 6

SAMPLE = 400
"""Number of queries on which the recall is measured."""

CELLS = 8
"""Number of cells that a query is compared with in the first attempt."""

ROWS_PER_CENTER = 32
"""Number of rows per center from which the centers are computed."""

FAR_OUT = 2048
"""Number of rows far from the mean that are candidates for the farthest rows in the first attempt."""

MEAN_OF = 256
"""Number of evenly spaced rows from which the mean is computed."""

ROUNDING = 1e-9
"""Relative error of a mean square."""

BLOCK = 4096
"""Number of queries whose radii are computed together."""

Attempt = Callable[[IntArray, int], Neighbors]
"""(queries, effort) → neighbors."""


def approximate_nearest(
    distances: Distances, k: int, *, resolution: float = 0.0, exclude_self: bool = True, n_jobs: int | None = None
) -> Neighbors:
    """Approximate k nearest rows of each query.

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
        # The queries of a cell are processed together, in blocks of limited size.
        ends = np.flatnonzero(np.diff(asked[order], append=-1)) + 1
        blocks = [
            order[start : min(start + QUERIES, end)]
            for first, end in zip(np.append(0, ends[:-1]), ends, strict=True)
            for start in range(first, end, QUERIES)
        ]

        def search_block(some: IntArray) -> tuple[IntArray, Any]:
            nearby = [members[cell] for cell in around[asked[some[0]]]]
            candidates = np.sort(np.concatenate([distances.hubs, *nearby]))
            # The cells have too few rows: search all of them.
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
    """Approximate k farthest rows of each query, among rows far from the mean and from other rows.

    Parameters are those of :func:`~likewise.graphs._exact.exact_search`.
    """
    by_radius = np.argsort(-radii(distances, n_jobs), kind="stable")

    def attempt(queries: IntArray, effort: int) -> Neighbors:
        # Candidates: the rows farthest from a sample of rows, and those farthest from the mean.
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
    """Increase the effort until the recall on a sample is sufficient, then search for all queries."""
    sample = np.unique(np.random.default_rng(0).integers(distances.n_queries, size=SAMPLE))
    with observe(None):
        last = exact_search(distances, k, resolution=resolution, queries=sample, **options).distances[:, -1:]
        for effort in 2 ** np.arange(ATTEMPTS):
            found = attempt(sample, int(effort)).distances
            # A row at the same distance as the k-th counts as found.
            hit = found >= last - resolution if options.get("farthest") else found <= last + resolution
            recall = float(hit.mean())
            if recall >= RECALL:
                break
    everything = attempt(np.arange(distances.n_queries), int(effort))
    return Neighbors(everything.rows, everything.distances, recall)


def radii(distances: Distances, n_jobs: int | None = None) -> FloatArray:
    """An upper bound on the distance of each query to the mean of a sample of rows.

    The squared distance is mean_s d²(x, s) − ½ mean_st d²(s, t), with s and t running over the sample.
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

    The distance of two rows is at most the sum of their radii, so only pairs are compared for which this sum exceeds
    the largest distance so far. With ``approximate``, only the rows with the largest radii are compared.
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
    """Centers of about 2√n cells, from a few iterations of k-means on a sample of the rows."""
    count = max(1, int(2 * np.sqrt(len(rows))))
    some = rows[evenly_spaced(len(rows), ROWS_PER_CENTER * count)]
    return KMeans(count, init="random", n_init=1, max_iter=5, tol=0.0, random_state=0).fit(some).cluster_centers_
