"""Nearest rows through the inverted lists of faiss, a package of its own (the extra ``ann``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .._arrays import IntArray
from .._threads import n_threads
from ._approximate import good_enough
from ._distances import Cosine, Euclidean
from ._exact import Found, best, exact_search

LISTS = 8
"""Lists that a query is compared with, at first."""


def faiss_nearest(
    distances: Euclidean | Cosine, k: int, *, unit: float = 0.0, themselves: bool = True, n_jobs: int | None = None
) -> Found:
    """The k nearest rows of each query, as far as faiss finds them; distances and their order are exact.

    Parameters are those of :func:`~likewise.graphs._exact.exact_search`.

    Notes
    -----
    Rows are kept in √n lists around centers (IVF-Flat), and a query is compared with the rows of some of them. Of the
    indexes of faiss that was the quickest for 50,000 × 64 rows at a recall of 0.9, with the time it takes to build.
    """
    faiss = _faiss()
    rows, queries = (np.ascontiguousarray(table) for table in distances.coordinates())
    lists = max(1, int(np.sqrt(distances.n)))
    threads = n_jobs or n_threads()
    # by the angle itself: as points, rows of zeros would be nearer than they are
    measure = faiss.METRIC_INNER_PRODUCT if isinstance(distances, Cosine) else faiss.METRIC_L2
    index = faiss.index_factory(distances.width, f"IVF{lists},Flat", measure)
    index.cp.min_points_per_centroid = 1  # few rows are no reason to complain
    with threadpool_limits(threads, user_api="openmp"):
        index.train(rows)
        index.add(rows)

    def attempt(asked: IntArray, effort: int) -> Found:
        index.nprobe = min(LISTS * effort, lists)
        with threadpool_limits(threads, user_api="openmp"):
            # one more, as a query finds itself
            found = index.search(queries[asked], k + themselves)[1]
        likely = found >= 0
        if themselves:
            likely &= found != asked[:, None]
        enough = likely.sum(axis=1) >= k
        positions, places = np.nonzero(likely[enough])
        near = found[enough][positions, places]
        apart = distances.of_pairs(asked[enough][positions], near)
        chosen, lengths = np.empty((len(asked), k), dtype=np.int64), np.empty((len(asked), k))
        chosen[enough], lengths[enough] = best(positions, near, apart, int(enough.sum()), k, 1, unit)
        if not enough.all():  # lists with too few rows: look everywhere
            rest = exact_search(distances, k, unit=unit, queries=asked[~enough], themselves=themselves, n_jobs=n_jobs)
            chosen[~enough], lengths[~enough] = rest.rows, rest.distances
        return Found(chosen, lengths)

    return good_enough(attempt, distances, k, unit=unit, themselves=themselves, n_jobs=n_jobs)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise ImportError(
            'search="faiss" needs faiss, which is not installed. Install it: pip install "likewise[ann]", or use '
            'search="approximate", which needs no package.'
        ) from None
    return faiss
