"""Mean distances between rows, the unit of penalties, without an n × n matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from ..._arrays import FloatArray, evenly_spaced
from ..._threads import parallel_map
from ...linalg._unit_rows import unit_rows
from ._points import IN_CACHE, blocks

SAMPLE = 1000
"""Number of evenly spaced rows on which the mean distance is computed."""


def mean_distance(X: Any, *, cosine: bool = False, sample_weight: FloatArray | None = None) -> float:
    """The mean distance between two different rows, on 1,000 evenly spaced rows if there are more.

    A row of weight 3 counts as three rows with distance 0 between them.

    >>> mean_distance(np.array([[0.0], [1.0], [3.0]]))
    2.0
    """
    n = X.shape[0]
    weight = np.ones(n) if sample_weight is None else sample_weight
    if n > SAMPLE:
        some = evenly_spaced(n, SAMPLE)
        X, weight, n = X[some], weight[some], SAMPLE
    rows = unit_rows(X) if cosine else X
    count = float(weight.sum())
    if count <= 1:
        return 0.0
    totals: dict[int, float] = {}

    def total(left: slice, right: slice) -> float:
        distances = euclidean_distances(rows[left], rows[right])
        if sample_weight is None:
            return float(distances.sum(dtype=np.float64))
        return float(weight[left] @ distances @ weight[right])

    def add(block: slice) -> None:
        # Each pair once: this block with itself and with all later rows.
        totals[block.start] = total(block, block) / 2
        if block.stop < n:
            totals[block.start] += total(block, slice(block.stop, n))

    parallel_map(add, blocks(n, n, IN_CACHE))
    return float(sum(totals[start] for start in sorted(totals))) / (count * (count - 1) / 2)


def mean_squared_deviation(X: Any, *, cosine: bool = False, sample_weight: FloatArray | None = None) -> float:
    """The mean squared distance of a row to the mean of all: half the mean squared distance of two rows, by
    Σ_ij ‖x_i − x_j‖² = 2n Σ_i ‖x_i − x̄‖², so that it is exact for any number of rows.

    >>> mean_squared_deviation(np.array([[0.0], [2.0]]))
    1.0
    """
    rows = unit_rows(X) if cosine else X
    if sample_weight is not None:
        center = np.asarray(rows.T @ sample_weight).ravel() / sample_weight.sum()
        if not sparse.issparse(rows):
            rows, center = rows - center, np.zeros(1)
        squares = np.average(row_norms(rows, squared=True), weights=sample_weight)
        return max(float(squares - center @ center), 0.0)
    if not sparse.issparse(rows):
        return float(rows.var(axis=0, dtype=np.float64).sum())
    center = np.asarray(rows.mean(axis=0, dtype=np.float64)).ravel()
    return max(float(row_norms(rows, squared=True).mean(dtype=np.float64) - center @ center), 0.0)
