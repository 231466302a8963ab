"""Nearest rows among those that are likely, and how many of the true ones that finds.

Rows are sorted into cells around centers. A query is compared with all rows of its own cell and of those around it; the
queries of a cell go together, so that this is a product of matrices, by whichever distance. The recall is measured on a
sample of the queries, for which the whole search is done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from .._arrays import IntArray
from .._progress_legacy import listening
from .._threads import parallel_map
from ._distances import Distances, Euclidean
from ._exact import QUERIES, Found, block_search, exact_search

ENOUGH = 0.9
"""The recall to reach; an attempt that falls short is followed by one that looks at twice as much."""

ATTEMPTS = 6

SAMPLE = 400
"""Queries on which the recall is measured."""

CELLS = 8
"""Cells that a query is compared with, at first."""

TAUGHT = 32
"""Rows for each center that the centers are found from."""

Attempt = Callable[[IntArray, int], Found]
"""(queries, how much to look at) → what was found."""


def approximate_nearest(
    distances: Distances, k: int, *, unit: float = 0.0, themselves: bool = True, n_jobs: int | None = None
) -> Found:
    """The k nearest rows of each query, as far as they were found.

    Parameters are those of :func:`~likewise.graphs._exact.exact_search`.
    """
    rows, queries = distances.coordinates()
    with listening(None):
        centers = _centers(rows)
        homes = exact_search(Euclidean(centers, rows), 1, themselves=False, n_jobs=n_jobs).rows[:, 0]
        asked = homes
        if not themselves:
            asked = exact_search(Euclidean(centers, queries), 1, themselves=False, n_jobs=n_jobs).rows[:, 0]
    others = np.setdiff1d(np.arange(distances.n), distances.always)
    sizes = np.bincount(homes[others], minlength=len(centers))
    members = np.split(others[np.argsort(homes[others], kind="stable")], np.cumsum(sizes)[:-1])

    def attempt(queries: IntArray, effort: int) -> Found:
        count = min(CELLS * effort, len(centers))
        with listening(None):
            around = exact_search(Euclidean(centers), count, themselves=False, n_jobs=n_jobs).rows
        order = queries[np.argsort(asked[queries], kind="stable")]
        # queries of one cell together, and no more than go well together
        ends = np.flatnonzero(np.diff(asked[order], append=-1)) + 1
        blocks = [
            order[start : min(start + QUERIES, end)]
            for first, end in zip(np.append(0, ends[:-1]), ends, strict=True)
            for start in range(first, end, QUERIES)
        ]

        def block(some: IntArray) -> tuple[IntArray, Any]:
            likely = [members[cell] for cell in around[asked[some[0]]]]
            among = np.sort(np.concatenate([distances.always, *likely]))
            # cells with too few rows: look everywhere
            rows = among if len(among) > k else None
            return block_search(distances, some, k, unit=unit, among=rows, themselves=themselves)

        found = parallel_map(block, blocks, n_jobs, report=True)
        place = np.argsort(np.concatenate(blocks), kind="stable")[np.argsort(np.argsort(queries, kind="stable"))]
        chosen, apart = (np.concatenate(parts)[place] for parts in zip(*found, strict=True))
        return Found(chosen, apart)

    return good_enough(attempt, distances, k, unit=unit, themselves=themselves, n_jobs=n_jobs)


def good_enough(attempt: Attempt, distances: Distances, k: int, *, unit: float, **asked: Any) -> Found:
    """The first attempt that finds enough of the neighbors of a sample, made for all queries."""
    sample = np.unique(np.random.default_rng(0).integers(distances.n_queries, size=SAMPLE))
    with listening(None):
        last = exact_search(distances, k, unit=unit, queries=sample, **asked).distances[:, -1:]
        for effort in 2 ** np.arange(ATTEMPTS):
            found = attempt(sample, int(effort)).distances
            # a row as far as the k-th is as good
            hit = found >= last - unit if asked.get("farthest") else found <= last + unit
            recall = float(hit.mean())
            if recall >= ENOUGH:
                break
    everything = attempt(np.arange(distances.n_queries), int(effort))
    return Found(everything.rows, everything.distances, recall)


def _centers(rows: Any) -> Any:
    """Centers of some 2√n cells, from a few rounds of k-means on some of the rows."""
    count = max(1, int(2 * np.sqrt(len(rows))))
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), TAUGHT * count)).astype(np.int64)]
    return KMeans(count, init="random", n_init=1, max_iter=5, tol=0.0, random_state=0).fit(some).cluster_centers_
