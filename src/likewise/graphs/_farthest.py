"""Rows that lie far out: the largest distance of all, and candidates for the farthest rows."""

from __future__ import annotations

import numpy as np

from .._arrays import FloatArray, IntArray
from .._progress_legacy import listening
from .._threads import parallel_map
from ._approximate import good_enough
from ._distances import Distances
from ._exact import Found, exact_search

FAR_OUT = 2048
"""Rows far out that are candidates for the farthest of any query, at first."""

MIDDLE = 256
"""Rows, evenly spaced, whose mean is the center that rows are far from."""

ROUNDING = 1e-9
"""What a mean square may be off, as a share of it."""

BLOCK = 4096
"""Queries whose radii are found together."""


def radii(distances: Distances, n_jobs: int | None = None) -> FloatArray:
    """How far each query is at most from the mean of some rows, in the space where the distances are Euclidean.

    With s and t any of the rows that make the mean, its square is mean_s d²(x, s) − ½ mean_st d²(s, t).
    """
    some = _evenly(distances.n, MIDDLE)
    among = distances.distance(distances.values(some, some, double=True)) ** 2

    def squares(queries: slice) -> FloatArray:
        most = distances.values(queries, some) + distances.slack(queries)[:, None]
        return np.asarray((distances.distance(most) ** 2).mean(axis=1))

    blocks = [slice(start, start + BLOCK) for start in range(0, distances.n_queries, BLOCK)]
    with listening(None):
        found = np.concatenate(parallel_map(squares, blocks, n_jobs, report=True)) - among.mean() * (0.5 - ROUNDING)
    return np.asarray(np.sqrt(np.maximum(found, 0.0)))


def largest_distance(distances: Distances, *, approximate: bool = False, n_jobs: int | None = None) -> float:
    """The largest distance between two rows.

    Two rows are no farther apart than the sum of their radii, so only pairs are looked at for which that is more than
    the largest distance so far. ``approximate``: only the rows that lie farthest out are.
    """
    radius = radii(distances, n_jobs)
    outer = np.argsort(-radius, kind="stable")
    if approximate:
        outer = outer[: 2 * FAR_OUT]
    largest = 0.0
    for start in range(0, len(outer), FAR_OUT):
        block = outer[start : start + FAR_OUT]
        within = int(np.searchsorted(-radius[outer], radius[block[0]] - largest))
        among = outer[: min(within, start + len(block))]
        if len(among) < 2:
            break
        with listening(None):
            found = exact_search(distances, 1, farthest=True, queries=block, among=among, n_jobs=n_jobs)
        largest = max(largest, float(found.distances.max()))
    return largest


def approximate_farthest(
    distances: Distances, k: int, *, unit: float = 0.0, themselves: bool = True, n_jobs: int | None = None
) -> Found:
    """The k farthest rows of each query among rows that lie far out: who is farthest from one is so from many.

    Parameters are those of :func:`~likewise.graphs._exact.exact_search`.
    """
    outer = np.argsort(-radii(distances), kind="stable")

    def attempt(queries: IntArray, effort: int) -> Found:
        # the rows that are farthest from some, and those farthest from the center of all
        some = _evenly(distances.n_queries, FAR_OUT * effort)
        with listening(None):
            seen = exact_search(distances, k, farthest=True, queries=some, themselves=themselves, n_jobs=n_jobs).rows
        among = np.union1d(seen, outer[: FAR_OUT * effort])
        return exact_search(
            distances, k, farthest=True, unit=unit, queries=queries, among=among, themselves=themselves, n_jobs=n_jobs
        )

    return good_enough(attempt, distances, k, farthest=True, unit=unit, themselves=themselves, n_jobs=n_jobs)


def _evenly(n: int, count: int) -> IntArray:
    return np.unique(np.linspace(0, n - 1, min(n, count)).astype(np.int64))
