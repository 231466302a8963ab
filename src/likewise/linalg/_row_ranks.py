"""An order of rows that depends only on their values."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import IntArray, slices

COLUMNS = 64
"""Number of columns compared at once; most rows differ in the first ones."""


def row_ranks(X: Any) -> IntArray:
    """The rank of each row in lexicographic order; equal rows have the same rank.

    Sampling or numbering rows by these ranks does not depend on the order in which the rows are given.

    Parameters
    ----------
    X : (n, f) array or CSR matrix

    Examples
    --------
    >>> X = np.array([[2.0, 1.0], [0.0, 5.0], [2.0, 0.0], [0.0, 5.0]])
    >>> row_ranks(X), row_ranks(sparse.csr_array(X))
    (array([3, 0, 2, 0]), array([3, 0, 2, 0]))
    """
    ranks = np.zeros(X.shape[0], dtype=np.int64)
    tied = np.arange(X.shape[0])
    for columns in slices(X.shape[1], COLUMNS):
        if len(tied) < 2:
            break
        values = X[tied][:, columns]
        values = values.toarray() if sparse.issparse(values) else values
        old, group = np.unique(ranks[tied], return_inverse=True)
        order = np.lexsort((*(values.T[::-1] + 0.0), group))
        differ = (values[order[1:]] != values[order[:-1]]).any(axis=1) | (group[order[1:]] != group[order[:-1]])
        first = np.maximum.accumulate(np.where(np.append(True, differ), np.arange(len(order)), 0))
        starts = np.searchsorted(group[order], np.arange(len(old)))
        ranks[tied[order]] = old[group[order]] + first - starts[group[order]]
        _, place, count = np.unique(ranks[tied], return_inverse=True, return_counts=True)
        tied = tied[count[place] > 1]
    return ranks
