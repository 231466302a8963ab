"""Products with data of single precision that are summed in double, without a copy of the data in double.

A block of rows at a time is made double, multiplied and forgotten. Data of double precision are multiplied as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

ENTRIES = 2**20
"""Numbers that are held in double precision at once, about."""


def is_single(X: Any) -> bool:
    """Whether X is a dense table of single precision."""
    return isinstance(X, np.ndarray) and X.dtype == np.float32


def centered(X: Any) -> Any:
    """Dense X less the mean of each column, in its own precision: differences stay, rounding does not grow."""
    return X - X.mean(axis=0, dtype=np.float64).astype(X.dtype)


def times(X: Any, V: NDArray[Any]) -> NDArray[Any]:
    """``X V``."""
    if not is_single(X) or V.dtype == np.float32:
        return np.asarray(X @ V)
    image = np.empty((X.shape[0], *V.shape[1:]))
    for rows in row_blocks(X):
        image[rows] = X[rows].astype(np.float64) @ V
    return image


def inner(A: Any, B: Any) -> Any:
    """``Aᵀ B``, either of them dense or sparse."""
    if not (is_single(A) or is_single(B)):
        return A.T @ B
    if sparse.issparse(A) and A.shape[1] * B.shape[1] > ENTRIES // 8:  # too wide to be summed up block by block
        turned = A.T.astype(np.float64)
        total = np.empty((A.shape[1], B.shape[1]))
        for columns in column_blocks(B):
            total[:, columns] = turned @ B[:, columns].astype(np.float64)
        return total
    total = np.zeros((A.shape[1], *B.shape[1:]))
    for rows in row_blocks(A if is_single(A) else B):
        total += A[rows].astype(np.float64, copy=False).T @ B[rows].astype(np.float64, copy=False)
    return total


def row_blocks(X: Any) -> Iterator[slice]:
    """Slices over the rows, a table of which is small."""
    yield from _blocks(X.shape[0], X.shape[1])


def column_blocks(X: Any) -> Iterator[slice]:
    """Slices over the columns, a table of which is small, or few."""
    yield from _blocks(X.shape[1], X.shape[0], least=16)


def _blocks(count: int, width: int, least: int = 1) -> Iterator[slice]:
    step = max(least, ENTRIES // max(width, 1))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))
