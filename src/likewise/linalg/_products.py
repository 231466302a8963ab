"""Products with data: of single precision summed in double, and of sparse matrices on several threads.

Dense data of single precision are never copied to double as a whole: a block of rows at a time is made double,
multiplied and forgotten. Data of double precision are multiplied as they are.
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
"""Numbers that are held in double precision at once, about."""

THREADED_FROM = 2**21
"""Multiplications below which a product is done before threads have started."""


def is_float32(X: Any) -> bool:
    """Whether X is a dense array of single precision."""
    return isinstance(X, np.ndarray) and X.dtype == np.float32


def centered(X: Any) -> Any:
    """Dense X less the mean of each column, in its own precision: differences stay, rounding does not grow.

    Rows that are all equal become exactly zero, so that rounding errors are not taken for differences.
    """
    if len(X) and (X[-1] == X[0]).all() and (X[0] == X).all():
        return np.zeros_like(X)
    return X - X.mean(axis=0, dtype=np.float64).astype(X.dtype)


def canonical(X: Any) -> Any:
    """X; a copy with each entry stored once and in order, where X is sparse and holds some in several parts.

    Squares, counts and comparisons of stored values would be wrong for such a matrix.
    """
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def without_zeros(matrix: Any) -> sparse.csr_array:
    """A sparse matrix without the zeros it stores."""
    matrix = sparse.csr_array(matrix)
    matrix.eliminate_zeros()
    return matrix


def matmul64(X: Any, V: NDArray[Any]) -> NDArray[Any]:
    """``X V``, summed in double precision unless both are of single precision."""
    if not is_float32(X) or V.dtype == np.float32:
        return np.asarray(X @ V)
    image = np.empty((X.shape[0], *V.shape[1:]))
    for rows in row_blocks(X):
        image[rows] = X[rows].astype(np.float64) @ V
    return image


def crossprod64(A: Any, B: Any) -> Any:
    """``Aᵀ B``, either of them dense or sparse, summed in double precision."""
    if not (is_float32(A) or is_float32(B)):
        return A.T @ B
    if sparse.issparse(A) and A.shape[1] * B.shape[1] > ENTRIES // 8:  # too wide to be summed up block by block
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
    """Slices over the columns, each of about ``ENTRIES`` numbers, but of 16 columns at least."""
    return slices(X.shape[1], max(16, ENTRIES // max(X.shape[0], 1)))


class ThreadedMatrix:
    """A sparse matrix A for many products ``A @ V`` and ``A.T @ U``, on as many threads as OpenMP may use.

    SciPy multiplies on one thread, but lets others run meanwhile. A product by rows falls into parts that do not
    overlap, so the result is the same to the bit for any number of threads. That number follows ``OMP_NUM_THREADS`` and
    threadpoolctl, so nothing is oversubscribed inside the workers of joblib.

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
        """The transposed matrix, sorted by its own rows once for all products."""
        return ThreadedMatrix(self.matrix.T.tocsr(), transposed=self)

    def __matmul__(self, V: FloatArray) -> FloatArray:
        threads = n_threads()
        if threads == 1 or self.matrix.nnz * V.shape[-1] < THREADED_FROM:
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


class GramMatrix:
    """``X Xᵀ`` for many products with columns.

    A sparse feature that one row alone has adds to the diagonal only, and most words of texts are such.

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
    """``X @ V`` once, X dense or sparse: on several threads where that pays, else as :func:`matmul64`."""
    by_rows = sparse.issparse(X) and X.format == "csr" and X.nnz * V.shape[1] >= THREADED_FROM
    return np.asarray(ThreadedMatrix(X) @ V) if by_rows else matmul64(X, V)
