"""Symmetric n×n matrices over the rows, stored as sparse + low rank."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import BoolArray, FloatArray, IntArray


def _csr(matrix: Any, shape: tuple[int, int] | None = None) -> sparse.csr_array:
    if isinstance(matrix, sparse.csr_array) and matrix.dtype == np.float64:
        return matrix
    return sparse.csr_array(matrix, shape=shape, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class RowMatrix:
    """The symmetric matrix ``sparse + factor · core · factorᵀ``.

    Graphs of pairs and of neighbors are sparse. Constraints on whole groups are not, but they have low rank: a complete
    graph on each group is ``Z Zᵀ`` with Z the group indicator, "rows of different groups differ" is ``1 1ᵀ − Z Zᵀ``,
    and centering is ``I − 1 1ᵀ/n``. So a product costs as much as the constraints that were given, not n².

    Parameters
    ----------
    sparse : (n, n) sparse array
    factor : (n, g) sparse array, optional
    core : (g, g) sparse array, optional
        Symmetric; the identity when only ``factor`` is given.

    Examples
    --------
    >>> from likewise.graphs import RowMatrix
    >>> RowMatrix.centering(3).toarray().round(2)
    array([[ 0.67, -0.33, -0.33],
           [-0.33,  0.67, -0.33],
           [-0.33, -0.33,  0.67]])
    """

    sparse: sparse.csr_array
    factor: sparse.csr_array
    core: sparse.csr_array

    def __init__(self, sparse: Any, factor: Any = None, core: Any = None) -> None:
        n = sparse.shape[0]
        factor = _csr((n, 0)) if factor is None else _csr(factor)
        core = _identity(factor.shape[1]) if core is None else _csr(core)
        object.__setattr__(self, "sparse", _csr(sparse))
        object.__setattr__(self, "factor", factor)
        object.__setattr__(self, "core", core)

    # -- constructors ---------------------------------------------------------------------------------------------

    @classmethod
    def of(cls, matrix: Any) -> RowMatrix:
        """Convert a symmetric n×n matrix. A RowMatrix is returned as it is.

        Parameters
        ----------
        matrix : RowMatrix, or (n, n) array or sparse matrix

        Returns
        -------
        RowMatrix
        """
        if isinstance(matrix, RowMatrix):
            return matrix
        matrix = _csr(matrix)
        if matrix.shape[0] != matrix.shape[1] or abs(matrix - matrix.T).max() > 1e-9 * abs(matrix).max():
            raise ValueError(f"weights between rows must be a symmetric n×n matrix; got shape {matrix.shape}.")
        return cls(matrix)

    @classmethod
    def zeros(cls, n: int) -> RowMatrix:
        """The zero matrix.

        Parameters
        ----------
        n : int

        Returns
        -------
        RowMatrix
        """
        return cls(_csr((n, n)))

    @classmethod
    def diag(cls, values: FloatArray) -> RowMatrix:
        """A diagonal matrix, which assigns a weight to each row.

        Parameters
        ----------
        values : (n,) array

        Returns
        -------
        RowMatrix
        """
        n, rows = len(values), np.flatnonzero(values)
        indptr = np.concatenate([[0], np.cumsum(np.asarray(values) != 0)])
        return cls(sparse.csr_array((np.asarray(values, dtype=np.float64)[rows], rows, indptr), shape=(n, n)))

    @classmethod
    def low_rank(cls, factor: Any, core: Any = None) -> RowMatrix:
        """A matrix ``factor · core · factorᵀ`` without a sparse part.

        Parameters
        ----------
        factor : (n, g) array or sparse matrix
        core : (g, g) array or sparse matrix, optional
            Symmetric. Default: the identity.

        Returns
        -------
        RowMatrix
        """
        n = factor.shape[0]
        return cls(_csr((n, n)), factor, core)

    @classmethod
    def from_pairs(cls, n: int, pairs: IntArray, weights: FloatArray) -> RowMatrix:
        """The adjacency matrix of a graph with one edge per pair.

        Parameters
        ----------
        n : int
        pairs : (m, 2) int array
        weights : (m,) array

        Returns
        -------
        RowMatrix

        Examples
        --------
        >>> RowMatrix.from_pairs(2, np.array([[0, 1]]), np.array([3.0])).toarray()
        array([[0., 3.],
               [3., 0.]])
        """
        left, right = pairs[:, 0], pairs[:, 1]
        ends = np.concatenate([left, right]), np.concatenate([right, left])
        return cls(_csr((np.concatenate([weights, weights]), ends), (n, n)))

    @classmethod
    def centering(cls, n: int, weight: FloatArray | None = None) -> RowMatrix:
        """The centering matrix ``I − 1 1ᵀ/n``; for weighted rows, ``diag(w) − w wᵀ/Σw``.

        Parameters
        ----------
        n : int
        weight : (n,) array, optional
            The weight of each row. Default: 1.

        Returns
        -------
        RowMatrix
        """
        if weight is None:
            return cls(_identity(n), np.ones((n, 1)), np.array([[-1.0 / n]]))
        weight = np.asarray(weight, dtype=np.float64)
        return cls(cls.diag(weight).sparse, weight[:, None], np.array([[-1.0 / weight.sum()]]))

    # -- arithmetic -----------------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.sparse.shape[0])

    def __add__(self, other: RowMatrix) -> RowMatrix:
        both = self.sparse + other.sparse
        thin = [part for part in (self, other) if part.core.shape[0]]
        if len(thin) < 2:
            one = thin[0] if thin else self
            return RowMatrix(both, one.factor, one.core)
        factor = sparse.hstack([self.factor, other.factor], format="csr")
        return RowMatrix(both, factor, sparse.block_diag([self.core, other.core], format="csr"))

    def __mul__(self, scalar: float) -> RowMatrix:
        return RowMatrix(self.sparse * scalar, self.factor, self.core * scalar)

    __rmul__ = __mul__

    def __neg__(self) -> RowMatrix:
        return self * -1.0

    def __sub__(self, other: RowMatrix) -> RowMatrix:
        return self + (-other)

    def astype(self, dtype: Any) -> RowMatrix:
        """The same matrix in another precision.

        Parameters
        ----------
        dtype : numpy dtype

        Returns
        -------
        RowMatrix
        """
        other = copy(self)
        for name in ("sparse", "factor", "core"):
            object.__setattr__(other, name, getattr(self, name).astype(dtype, copy=False))
        return other

    def __matmul__(self, V: FloatArray) -> FloatArray:
        image: FloatArray = self.sparse @ V
        if self.core.nnz:
            image = image + self.factor @ (self.core @ (self.factor.T @ V))
        return image

    # -- entries and parts ----------------------------------------------------------------------------------------

    def row_sums(self) -> FloatArray:
        """``K 1``: the degree of each row.

        Returns
        -------
        (n,) array
        """
        return self @ np.ones(self.n)

    def entries(self, left: IntArray, right: IntArray) -> FloatArray:
        """The values at ``(left[t], right[t])``.

        Parameters
        ----------
        left, right : (m,) int arrays

        Returns
        -------
        (m,) array
        """
        values = np.asarray(self.sparse[left, right]).ravel() if len(left) else np.zeros(0)
        if self.core.nnz:
            Z = self.factor
            values = values + (Z[left] @ self.core).multiply(Z[right]).sum(axis=1)
        return values

    def diagonal(self) -> FloatArray:
        """The values at ``(i, i)``.

        Returns
        -------
        (n,) array
        """
        values = self.sparse.diagonal()
        if self.core.nnz:
            inside = (self.factor @ self.core).multiply(self.factor).sum(axis=1)
            values = values + np.asarray(inside).ravel()
        return np.asarray(values)

    def ignores_shifts(self) -> bool:
        """Whether ``K 1 = 0``, so that adding a constant vector to every row of the data changes nothing.

        Returns
        -------
        bool
        """
        scale = np.abs(self.diagonal()).max(initial=0.0)
        return bool(np.abs(self.row_sums()).max(initial=0.0) <= 1e-9 * scale)

    def without_diagonal(self) -> RowMatrix:
        """The same matrix with a zero diagonal.

        Returns
        -------
        RowMatrix
        """
        return self - RowMatrix.diag(self.diagonal())

    def span(self) -> tuple[IntArray, sparse.csr_array, sparse.csr_array]:
        """A factorization ``K = E B Eᵀ`` with few columns in E.

        Returns
        -------
        rows : (m,) ints
            Rows with a nonzero entry in the sparse part.
        E : (n, m + g) sparse array
            One unit column for each of ``rows``, then the factor.
        B : (m + g, m + g) sparse array
        """
        rows = self.support()
        E = sparse.hstack([selector(self.n, rows), self.factor], format="csr")
        B = sparse.block_diag([self.sparse[rows][:, rows], self.core], format="csr")
        return rows, E, B

    def support(self) -> IntArray:
        """The rows with a nonzero entry in the sparse part.

        Returns
        -------
        (m,) ints
        """
        return np.flatnonzero(np.diff(self.sparse.indptr))

    def lift(self, members: Any) -> RowMatrix:
        """Expand a matrix over groups to one over rows: ``members · K · membersᵀ``.

        Parameters
        ----------
        members : (n, g) array or sparse matrix
            Which rows belong to which of the g groups.

        Returns
        -------
        RowMatrix
        """
        members = _csr(members)
        factor = sparse.hstack([members, members @ self.factor], format="csr")
        return RowMatrix.low_rank(factor, sparse.block_diag([self.sparse, self.core], format="csr"))

    def centered(self, weight: FloatArray | None = None) -> RowMatrix:
        """``Hᵀ K H`` with H the centering matrix, which applies K to the centered data.

        Parameters
        ----------
        weight : (n,) array, optional
            The weight of each row in the mean. Default: 1.

        Returns
        -------
        RowMatrix
        """
        sums = self.row_sums()
        weight = np.ones(self.n) if weight is None else np.asarray(weight, dtype=np.float64)
        n = weight.sum()
        factor = np.column_stack([weight, sums])
        core = np.array([[sums.sum() / n**2, -1.0 / n], [-1.0 / n, 0.0]])
        return self + RowMatrix.low_rank(factor, core)

    def written_out(self, limit: int) -> RowMatrix:
        """The same matrix with small low-rank parts moved to the sparse part.

        Groups of one or two rows are cheaper as pairs; large groups are not. The smallest parts are moved first.

        Parameters
        ----------
        limit : int
            Maximum number of entries to add to the sparse part.

        Returns
        -------
        RowMatrix
        """
        sizes = np.bincount(self.factor.indices, minlength=self.factor.shape[1]).astype(np.float64)
        core = self.core.tocoo()
        entries = sizes[core.row] * sizes[core.col]
        values, counts = np.unique(entries, return_counts=True)
        # Move all parts of the same size or none of them, so that both parts stay symmetric.
        fitting = values[np.cumsum(values * counts) <= limit]
        if not len(fitting):
            return self
        small = entries <= fitting[-1]

        def chosen(which: BoolArray) -> sparse.csr_array:
            return _csr((core.data[which], (core.row[which], core.col[which])), core.shape)

        kept = chosen(~small)
        columns = np.flatnonzero(np.diff(kept.indptr))
        written = self.factor @ chosen(small) @ self.factor.T
        return RowMatrix(self.sparse + written, self.factor[:, columns], kept[columns][:, columns])

    def toarray(self) -> FloatArray:
        """The full n×n array, for tests and small data.

        Returns
        -------
        (n, n) array
        """
        return np.asarray(self.sparse.toarray() + (self.factor @ self.core @ self.factor.T).toarray())


def _identity(n: int) -> sparse.csr_array:
    return sparse.csr_array(sparse.eye_array(n))


def selector(n: int, rows: IntArray) -> sparse.csr_array:
    """The n×len(rows) matrix whose column t is the unit vector of ``rows[t]``."""
    columns = np.arange(len(rows))
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, len(rows)))


def indicator(codes: IntArray, n_blocks: int | None = None) -> sparse.csr_array:
    """The n×blocks 0/1 matrix of group membership; code −1 means no group."""
    known = np.flatnonzero(codes >= 0)
    width = int(codes.max(initial=-1)) + 1 if n_blocks is None else n_blocks
    return sparse.csr_array((np.ones(len(known)), (known, codes[known])), shape=(len(codes), width))
