"""Lengths of rows, and rows of unit length."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from .._arrays import FloatArray


def squared_lengths(rows: Any) -> FloatArray:
    """The squared Euclidean norm of each row."""
    if isinstance(rows, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(row_norms(rows, squared=True))


def unit_rows(X: Any) -> Any:
    """Rows divided by their Euclidean norm; zero rows stay zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6000000000000001, 0.8], [0.0, 0.0]]
    """
    length = np.sqrt(squared_lengths(X))
    scale = np.divide(1, length, out=np.zeros_like(length), where=length > 0)
    if sparse.issparse(X):
        return sparse.csr_array(sparse.diags_array(scale) @ X).astype(X.dtype, copy=False)
    return X * scale[:, None]
