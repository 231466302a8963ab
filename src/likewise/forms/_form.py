"""Quadratic forms over the features, defined by weights between rows."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray
from ..linalg._products import centered, column_blocks, crossprod64, is_float32, matmul64, row_blocks
from ..linalg._row_matrix import RowMatrix


@dataclass(frozen=True, eq=False)
class Form:
    """A quadratic form ``q(w) = wᵀ (Xᵀ K X + diag(ridge)) w``: the cost of a direction w.

    Parameters
    ----------
    rows : RowMatrix, symmetric sparse or dense matrix, or None
        K, the weights between rows. None means zero.
    ridge : float or (f,) array
        A cost on each feature that does not depend on the rows.
    psd : bool
        Whether q(w) ≥ 0 for every w (positive semi-definite). The solver relies on it without checking;
        :func:`likewise.testing.check_form` verifies it.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.forms import ridge, total_scatter
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 3.0]])
    >>> (total_scatter(3) + 0.5 * ridge(1.0)).matrix(X).round(2)
    array([[8.5, 6. ],
           [6. , 6.5]])
    """

    rows: RowMatrix | None
    ridge: float | FloatArray = 0.0
    psd: bool = True

    def __post_init__(self) -> None:
        if self.rows is not None:
            object.__setattr__(self, "rows", RowMatrix.of(self.rows))

    def __add__(self, other: Form) -> Form:
        if self.rows is None or other.rows is None:
            rows = self.rows if other.rows is None else other.rows
        else:
            rows = self.rows + other.rows
        return Form(rows, self.ridge + other.ridge, self.psd and other.psd)

    def __mul__(self, scalar: float) -> Form:
        rows = None if self.rows is None else self.rows * scalar
        return Form(rows, self.ridge * scalar, self.psd and scalar >= 0)

    __rmul__ = __mul__

    def __neg__(self) -> Form:
        return self * -1.0

    def __sub__(self, other: Form) -> Form:
        return self + (-other)

    @property
    def has_ridge(self) -> bool:
        """Whether every feature has a positive ridge."""
        return bool(np.all(np.asarray(self.ridge) > 0))

    def apply(self, X: Any, V: FloatArray) -> FloatArray:
        """``(Xᵀ K X + diag(ridge)) V`` without computing the f×f matrix.

        The product is in float32 only if the form, X and V are all float32.

        Parameters
        ----------
        X : (n, f) array or sparse matrix
        V : (f,) or (f, m) array

        Returns
        -------
        array, shaped as V
        """
        image: FloatArray = (np.asarray(self.ridge) * V.T).T
        if self.rows is not None:
            seen = self.rows @ matmul64(X, V)
            image = image + (X.T @ seen if seen.dtype == np.float32 else crossprod64(X, seen))
        return image

    def astype(self, dtype: Any) -> Form:
        """The same form in another precision.

        Parameters
        ----------
        dtype : numpy dtype

        Returns
        -------
        Form
        """
        other = copy(self)
        if self.rows is not None:
            object.__setattr__(other, "rows", self.rows.astype(dtype))
        object.__setattr__(other, "ridge", np.asarray(self.ridge, dtype=dtype))
        return other

    def matrix(self, X: Any) -> FloatArray:
        """The f×f matrix of the form.

        Parameters
        ----------
        X : (n, f) array or sparse matrix

        Returns
        -------
        (f, f) array
        """
        M = np.zeros((X.shape[1], X.shape[1])) if self.rows is None else _matrix(X, self.rows)
        M[np.diag_indices_from(M)] += self.ridge
        return M

    def diagonal(self, X: Any) -> FloatArray:
        """The diagonal of :meth:`matrix`, without computing the rest.

        Parameters
        ----------
        X : (n, f) array or sparse matrix

        Returns
        -------
        (f,) array
        """
        values = np.zeros(X.shape[1]) + self.ridge
        if self.rows is not None:
            if not sparse.issparse(X) and self.rows.ignores_shifts():
                X = centered(X)  # sums of squares lose precision if the data are far from the origin
            own, between, touched = _split_diagonal(self.rows.sparse)
            values += _column_squares(X, own)
            for left, core in ((X[touched], between), (crossprod64(self.rows.factor, X), self.rows.core)):
                values += _column_forms(left, core)
        return values

    def value(self, X: Any, W: FloatArray, image: FloatArray | None = None) -> FloatArray:
        """``q(w)`` for each column w of ``W``.

        Parameters
        ----------
        X : (n, f) array or sparse matrix
        W : (f, m) array
        image : (n, m) array, optional
            ``X @ W``, if already computed.

        Returns
        -------
        (m,) array
        """
        values = _column_products(W, (np.asarray(self.ridge) * W.T).T)
        if self.rows is not None:
            XW = matmul64(X, W) if image is None else image
            values = values + _column_products(XW, self.rows @ XW)
        return values


def _matrix(X: Any, K: RowMatrix) -> FloatArray:
    M: Any = _matrix_of_float32(X, K.sparse) if is_float32(X) else X.T @ (K.sparse @ X)
    if K.core.nnz:
        thin = crossprod64(K.factor, X)
        M = M + thin.T @ (K.core @ thin)
    M = M.toarray() if sparse.issparse(M) else M
    return np.asarray((M + M.T) / 2)


def _matrix_of_float32(X: Any, K: sparse.csr_array) -> FloatArray:
    own, between, touched = _split_diagonal(K)
    M = np.zeros((X.shape[1], X.shape[1]))
    for rows in row_blocks(X):
        some = X[rows].astype(np.float64)
        M += some.T @ (own[rows, None] * some)
    left = X[touched]
    for columns in column_blocks(left):
        M[:, columns] += crossprod64(left, between @ left[:, columns].astype(np.float64))
    return M


def _split_diagonal(K: sparse.csr_array) -> tuple[FloatArray, sparse.csr_array, IntArray]:
    """``(diagonal, rest, rows)``: the off-diagonal part, restricted to the rows where it is nonzero."""
    own = K.diagonal()
    between = sparse.csr_array(K - sparse.diags_array(own))
    between.eliminate_zeros()
    touched = np.flatnonzero(np.diff(between.indptr))
    return own, between[touched][:, touched], touched


def _column_squares(A: Any, weights: FloatArray) -> FloatArray:
    """The weighted sum of squares of each column."""
    if sparse.issparse(A):
        squares = sparse.csr_array(A)
        squares = sparse.csr_array(
            (np.square(squares.data, dtype=np.float64), squares.indices, squares.indptr), shape=squares.shape
        )
        return np.asarray(squares.T @ weights)
    parts = ((A[rows].astype(np.float64, copy=False), weights[rows, None]) for rows in row_blocks(A))
    return np.asarray(sum(np.einsum("ij,ij->j", part, part * weight) for part, weight in parts))


def _column_forms(A: Any, core: Any) -> FloatArray:
    """``aᵀ core a`` for each column a."""
    if is_float32(A):
        parts = (A[:, columns].astype(np.float64) for columns in column_blocks(A))
        return np.concatenate([_column_products(part, core @ part) for part in parts])
    return _column_products(A, core @ A)


def _column_products(A: Any, B: Any) -> FloatArray:
    if sparse.issparse(A):
        return np.asarray(A.multiply(B).sum(axis=0)).ravel()
    return np.asarray(np.einsum("ij,ij->j", A, B))
