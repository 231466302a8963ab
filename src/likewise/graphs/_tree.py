"""Nearest rows by a tree of boxes: for few features."""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree

from .._threads import n_threads
from ._distances import Euclidean
from ._exact import Found, best, exact_search

EQUAL = 1e-12
"""Distances that differ by less than this share of them are equal."""


def tree_search(distances: Euclidean, k: int, *, themselves: bool = True, n_jobs: int | None = None) -> Found:
    """The k nearest rows of each query, exact; as :func:`~likewise.graphs._exact.exact_search`, also where rows tie.

    A tree gives any of the rows that are equally far. Where the k-th and the next are, a block search decides.
    """
    own = int(themselves)
    asked = np.asarray(distances.queries, dtype=np.float64)
    count = min(k + own + 1, distances.n)
    tree = KDTree(np.asarray(distances.X, dtype=np.float64))
    apart, rows = tree.query(asked, np.arange(1, count + 1), workers=n_jobs or n_threads())
    if themselves:
        # of many rows in one place the query itself may be missing: then the last one goes
        extra = rows == np.arange(len(asked))[:, None]
        extra[~extra.any(axis=1), -1] = True
        apart, rows = (table[~extra].reshape(len(asked), count - 1) for table in (apart, rows))
    open_rows = np.zeros(len(asked), dtype=np.bool_)
    if apart.shape[1] > k:
        open_rows = apart[:, k] <= apart[:, k - 1] * (1 + EQUAL)
    positions = np.repeat(np.arange(len(asked)), k)
    found, near = best(positions, rows[:, :k].ravel(), apart[:, :k].ravel(), len(asked), k, 1, 0.0)
    if open_rows.any():
        exact = exact_search(distances, k, queries=np.flatnonzero(open_rows), themselves=themselves, n_jobs=n_jobs)
        found[open_rows], near[open_rows] = exact.rows, exact.distances
    return Found(found, near)
