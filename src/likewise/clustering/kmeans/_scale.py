"""How far apart rows are on average, the unit of penalties, without an n × n matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from ..._arrays import evenly_spaced
from ..._threads import parallel_map
from ...linalg._unit_rows import unit_rows
from ._points import IN_CACHE, blocks

SAMPLE = 1000
"""Rows, evenly spaced, among which the mean distance is taken."""


def mean_distance(X: Any, *, cosine: bool = False) -> float:
    """The mean distance between two different rows: exact up to 1,000 rows, over 1,000 evenly spaced ones beyond.

    >>> mean_distance(np.array([[0.0], [1.0], [3.0]]))
    2.0
    """
    n = X.shape[0]
    if n > SAMPLE:
        X, n = X[evenly_spaced(n, SAMPLE)], SAMPLE
    rows = unit_rows(X) if cosine else X
    if n < 2:
        return 0.0
    totals: dict[int, float] = {}

    def add(block: slice) -> None:
        # Each pair once: this block with itself and with all rows after it.
        totals[block.start] = euclidean_distances(rows[block], rows[block]).sum(dtype=np.float64) / 2
        if block.stop < n:
            totals[block.start] += euclidean_distances(rows[block], rows[block.stop :]).sum(dtype=np.float64)

    parallel_map(add, blocks(n, n, IN_CACHE))
    return float(sum(totals[start] for start in sorted(totals))) / (n * (n - 1) / 2)


def mean_squared_deviation(X: Any, *, cosine: bool = False) -> float:
    """The mean squared distance of a row to the mean of all: half the mean squared distance of two rows, by
    Σ_ij ‖x_i − x_j‖² = 2n Σ_i ‖x_i − x̄‖², so that it is exact for any number of rows.

    >>> mean_squared_deviation(np.array([[0.0], [2.0]]))
    1.0
    """
    rows = unit_rows(X) if cosine else X
    if not sparse.issparse(rows):
        return float(rows.var(axis=0, dtype=np.float64).sum())
    center = np.asarray(rows.mean(axis=0, dtype=np.float64)).ravel()
    return max(float(row_norms(rows, squared=True).mean(dtype=np.float64) - center @ center), 0.0)
