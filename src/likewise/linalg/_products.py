"""Matrix products with the data: float32 data summed in float64, and sparse matrices on several threads.

Dense float32 data are never converted to float64 as a whole, but one block of rows at a time. Data in float64 are
multiplied directly.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.extmath import row_norms

from .._arrays import FloatArray, slices
from .._threads import n_threads, parallel_map

ENTRIES = 2**20
"""Approximate number of values held in float64 at once."""

THREADED_FROM = 2**21
"""Products with fewer multiplications than this run on one thread, since starting threads would take longer."""


def is_float32(X: Any) -> bool:
    """Whether X is a dense array of single precision."""
    return isinstance(X, np.ndarray) and X.dtype == np.float32


def centered(X: Any) -> Any:
    """Dense X minus the column means, in the precision of X.

    If all rows are equal the result is exactly zero, so that rounding errors are not mistaken for differences.
    """
    if len(X) and (X[-1] == X[0]).all() and (X[0] == X).all():
        return np.zeros_like(X)
    return X - X.mean(axis=0, dtype=np.float64).astype(X.dtype)


def canonical(X: Any) -> Any:
    """X itself, or a copy with sorted indices and duplicates summed if X is sparse and not in canonical format.

    Squares, counts and comparisons of stored values are wrong for matrices with duplicate entries.
    """
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def without_zeros(matrix: Any) -> sparse.csr_array:
    """A sparse matrix without explicitly stored zeros."""
    matrix = sparse.csr_array(matrix)
    matrix.eliminate_zeros()
    return matrix


def matmul64(X: Any, V: NDArray[Any]) -> NDArray[Any]:
    """``X V``, summed in float64 unless both are float32."""
    if not is_float32(X) or V.dtype == np.float32:
        return np.asarray(X @ V)
    image = np.empty((X.shape[0], *V.shape[1:]))
    for rows in row_blocks(X):
        image[rows] = X[rows].astype(np.float64) @ V
    return image


def crossprod64(A: Any, B: Any) -> Any:
    """``Aᵀ B`` for dense or sparse A and B, summed in float64."""
    if not (is_float32(A) or is_float32(B)):
        return A.T @ B
    if sparse.issparse(A) and A.shape[1] * B.shape[1] > ENTRIES // 8:  # too wide to add up block by block
        transposed = A.T.astype(np.float64)
        total = np.empty((A.shape[1], B.shape[1]))
        for columns in column_blocks(B):
            total[:, columns] = transposed @ B[:, columns].astype(np.float64)
        return total
    total = np.zeros((A.shape[1], *B.shape[1:]))
    for rows in row_blocks(A if is_float32(A) else B):
        total += A[rows].astype(np.float64, copy=False).T @ B[rows].astype(np.float64, copy=False)
    return total


def row_blocks(X: Any) -> list[slice]:
    """Slices over the rows, each of about ``ENTRIES`` numbers."""
    return slices(X.shape[0], max(1, ENTRIES // max(X.shape[1], 1)))


def column_blocks(X: Any) -> list[slice]:
    """Slices over the columns, each of about ``ENTRIES`` numbers and at least 16 columns."""
    return slices(X.shape[1], max(16, ENTRIES // max(X.shape[0], 1)))


class ThreadedMatrix:
    """A sparse matrix A for repeated products ``A @ V`` and ``A.T @ U``, on as many threads as OpenMP may use.

    SciPy multiplies on one thread, but releases the GIL. The rows are split into disjoint blocks, so the result is
    bitwise identical for any number of threads. That number follows ``OMP_NUM_THREADS`` and threadpoolctl, which avoids
    oversubscription inside joblib workers.

    Parameters
    ----------
    matrix : (n, f) sparse array

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from likewise.linalg._products import ThreadedMatrix
    >>> A = ThreadedMatrix(sparse.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])))
    >>> A.T @ (A @ np.ones((3, 1)))
    array([[3.],
           [9.],
           [6.]])
    """

    def __init__(self, matrix: Any, transposed: ThreadedMatrix | None = None) -> None:
        self.matrix = sparse.csr_array(matrix)
        self.shape: tuple[int, int] = self.matrix.shape
        if transposed is not None:
            self.T = transposed

    @cached_property
    def T(self) -> ThreadedMatrix:
        """The transpose, converted to CSR once for all products."""
        return ThreadedMatrix(self.matrix.T.tocsr(), transposed=self)

    def __matmul__(self, V: FloatArray) -> FloatArray:
        threads = n_threads()
        if threads == 1 or self.matrix.nnz * V.shape[-1] < THREADED_FROM:
            return np.asarray(self.matrix @ V)
        V = np.ascontiguousarray(V)
        return np.concatenate(parallel_map(lambda part: part @ V, self._parts(threads)))

    def _parts(self, count: int) -> list[Any]:
        """Blocks of rows with about the same number of entries each, as views."""
        indptr, indices, data = self.matrix.indptr, self.matrix.indices, self.matrix.data
        cuts = np.searchsorted(indptr, np.linspace(0, self.matrix.nnz, count + 1)[1:-1])
        bounds = [0, *(int(cut) for cut in cuts), self.shape[0]]
        parts = []
        for start, stop in pairwise(bounds):
            first, last = indptr[start], indptr[stop]
            part = (data[first:last], indices[first:last], indptr[start : stop + 1] - first)
            parts.append(sparse.csr_array(part, shape=(stop - start, self.shape[1])))
        return parts


class GramMatrix:
    """``X Xᵀ`` for repeated products with columns, without computing it.

    A sparse feature that occurs in a single row only adds to the diagonal. Most words of a text corpus are like that.

    Parameters
    ----------
    X : (n, f) array or sparse array

    Examples
    --------
    >>> GramMatrix(sparse.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]))) @ np.eye(2)
    array([[ 5.,  2.],
           [ 2., 10.]])
    """

    def __init__(self, X: Any) -> None:
        self._diagonal: Any = 0
        if sparse.issparse(X):
            n_rows_with = np.bincount(X.indices, minlength=X.shape[1])
            self._diagonal = row_norms(X[:, n_rows_with == 1], squared=True).astype(X.dtype)[:, None]
            X = ThreadedMatrix(X[:, n_rows_with > 1])
        self._X = X

    def __matmul__(self, V: FloatArray) -> FloatArray:
        return np.asarray(self._X @ (self._X.T @ V) + self._diagonal * V)


def product(X: Any, V: FloatArray) -> FloatArray:
    """``X @ V`` for dense or sparse X, on several threads if large enough, else by :func:`matmul64`."""
    by_rows = sparse.issparse(X) and X.format == "csr" and X.nnz * V.shape[1] >= THREADED_FROM
    return np.asarray(ThreadedMatrix(X) @ V) if by_rows else matmul64(X, V)
