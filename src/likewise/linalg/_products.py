"""Products of sparse data with blocks of columns, on as many threads as the numerical libraries may use."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from .._arrays import FloatArray
from .._threads import n_threads, parallel_map
from ._precise import times

WORTH = 2**21
"""Multiplications below which a product is done before threads have started."""


class Threaded:
    """A sparse matrix A for many products ``A @ V`` and ``A.T @ U``, both by rows.

    scipy multiplies on one thread, but lets others run meanwhile. A product by rows falls into parts that do not
    touch, so the answer is the same to the bit for any number of threads. That number follows ``OMP_NUM_THREADS`` and
    threadpoolctl, so nothing is oversubscribed inside the workers of joblib.

    Parameters
    ----------
    matrix : (n, f) sparse array

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from likewise.linalg._products import Threaded
    >>> A = Threaded(sparse.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])))
    >>> A.T @ (A @ np.ones((3, 1)))
    array([[3.],
           [9.],
           [6.]])
    """

    def __init__(self, matrix: Any, transposed: Threaded | None = None) -> None:
        self.matrix = sparse.csr_array(matrix)
        self.shape: tuple[int, int] = self.matrix.shape
        if transposed is not None:
            self.T = transposed

    @cached_property
    def T(self) -> Threaded:
        """The transposed matrix, sorted by its own rows once for all."""
        return Threaded(self.matrix.T.tocsr(), transposed=self)

    def __matmul__(self, V: FloatArray) -> FloatArray:
        threads = n_threads()
        if threads == 1 or self.matrix.nnz * V.shape[-1] < WORTH:
            return np.asarray(self.matrix @ V)
        V = np.ascontiguousarray(V)
        return np.concatenate(parallel_map(lambda part: part @ V, self._parts(threads)))

    def _parts(self, count: int) -> list[Any]:
        """Slices of the rows with about as many entries each; they share memory with the whole."""
        indptr, indices, data = self.matrix.indptr, self.matrix.indices, self.matrix.data
        cuts = np.searchsorted(indptr, np.linspace(0, self.matrix.nnz, count + 1)[1:-1])
        bounds = [0, *(int(cut) for cut in cuts), self.shape[0]]
        parts = []
        for start, stop in pairwise(bounds):
            first, last = indptr[start], indptr[stop]
            part = (data[first:last], indices[first:last], indptr[start : stop + 1] - first)
            parts.append(sparse.csr_array(part, shape=(stop - start, self.shape[1])))
        return parts


class Gram:
    """``X Xᵀ`` for many products with columns.

    A sparse feature that one row alone has adds to the diagonal only, and most words of texts are such.

    Parameters
    ----------
    X : (n, f) array or sparse array

    Examples
    --------
    >>> Gram(sparse.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]))) @ np.eye(2)
    array([[ 5.,  2.],
           [ 2., 10.]])
    """

    def __init__(self, X: Any) -> None:
        self._own: Any = 0
        if sparse.issparse(X):
            often = np.bincount(X.indices, minlength=X.shape[1])
            self._own = row_norms(X[:, often == 1], squared=True).astype(X.dtype)[:, None]
            X = Threaded(X[:, often > 1])
        self._X = X

    def __matmul__(self, V: FloatArray) -> FloatArray:
        return np.asarray(self._X @ (self._X.T @ V) + self._own * V)


def product(X: Any, V: FloatArray) -> FloatArray:
    """``X @ V`` once, X dense or sparse."""
    by_rows = sparse.issparse(X) and X.format == "csr" and X.nnz * V.shape[1] >= WORTH
    return np.asarray(Threaded(X) @ V) if by_rows else times(X, V)
