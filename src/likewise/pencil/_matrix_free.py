"""The matrix-free route, which accesses the data only through matrix products.

The columns are first scaled by the ridge of the denominator, so that it becomes D = I + Xᵀ K X. With fewer features
than rows, the iteration works on the directions themselves. Otherwise the best directions are combinations of rows, w =
Xᵀ v, and the iteration works on v, which is shorter. The forms depend on w only through ``X w = G v`` with G = X Xᵀ, so
a step costs one product with G. The inverse of D, needed for preconditioning, is exact by Woodbury's identity if K has
low rank, and approximated by a few steps of conjugate gradients otherwise.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.utils.extmath import row_norms

from .._arrays import FloatArray, IntArray
from .._threads import single_blas_thread
from ..forms._form import Form
from ..forms._kinds import laplacian
from ..linalg._cg import conjugate_gradients
from ..linalg._davidson import BLOCK, largest_quotients
from ..linalg._products import GramMatrix, ThreadedMatrix, crossprod64
from ..linalg._row_matrix import RowMatrix
from ._relaxed import relaxed_optimum

FLOAT32_TOL = 1e-4
"""Smallest tolerance used in single precision; the quotients are then accurate to about float32 precision."""

HUGE = 1e10
"""Column scales beyond this may overflow single precision when squared and summed."""

WOODBURY = 4000
"""If the denominator involves at most this number of rows, and at most half of all, its inverse is applied exactly."""

INNER_TOL = 0.1
INNER_STEPS = 10
"""Tolerance and maximum number of conjugate gradient steps for the inverse otherwise. A rough inverse is sufficient."""

START_TOL = 0.01
START_STEPS = 60
"""The same for the initial directions, which approximate the optimal embedding of the rows."""

ROUGH = 1e-3
"""If the tolerance of the result is at least this, conjugate gradients run in single precision, which is faster."""

DRIFT = 1.5
"""Woodbury's inverse is recomputed when the largest quotient has changed by this factor."""

STRONGEST = 100
"""Number of leading eigenvectors of the denominator that are deflated in conjugate gradients ..."""

PASSES = 2
"""... and number of power iterations on a random block by which they are approximated."""


def solve_matrix_free(
    X: Any,
    numerator: Form,
    denominator: Form,
    n_components: int,
    *,
    tol: float,
    random_state: int | np.random.Generator | None,
) -> FloatArray:
    """The ``n_components`` directions with the largest ``numerator / denominator``, as columns."""
    f = X.shape[1]
    order = _common_first(X) if sparse.issparse(X) else np.arange(f)
    scale = 1.0 / np.sqrt(np.broadcast_to(np.asarray(denominator.ridge, dtype=float), f))[order]
    precision: Any = X.dtype if max(scale.max(), 1 / scale.min()) < HUGE else np.float64
    tol = max(tol, FLOAT32_TOL) if precision == np.float32 else tol
    rounded = scale.astype(precision)
    X = sparse.csr_array(X[:, order] @ sparse.diags_array(rounded)) if sparse.issparse(X) else X * rounded
    ridge = np.broadcast_to(numerator.ridge, f)[order] * scale**2
    is_even = np.ptp(ridge) <= 1e-10 * np.abs(ridge).max()
    by_rows = X.shape[0] < f and is_even
    random = np.random.default_rng(random_state).standard_normal((X.shape[0] if by_rows else f, BLOCK))
    start = random.astype(precision)
    with single_blas_thread() if sparse.issparse(X) else nullcontext():
        kind = _RowOperator if by_rows else _FeatureOperator
        operator = kind(X, Form(numerator.rows, ridge, numerator.psd), Form(denominator.rows, 1.0), tol=tol)
        W = operator.directions(largest_quotients(operator, start, n_components, tol))
    return np.asarray((scale[:, None] * W)[np.argsort(order)])


def is_low_rank(K: RowMatrix | None) -> bool:
    """Whether K involves few enough rows for Woodbury's identity to be cheap."""
    if K is None:
        return True
    rank: int = len(K.support()) + K.factor.shape[1]
    return rank <= min(WOODBURY, K.n // 2)


def _common_first(X: sparse.csr_array) -> IntArray:
    """Features ordered by the number of rows in which they occur, most frequent first: better for the cache."""
    return np.argsort(-np.bincount(X.indices, minlength=X.shape[1]), kind="stable")


class _Woodbury:
    """Woodbury's identity: ``(I + Xᵀ K X)⁻¹ = I − Cᵀ Q C`` with K = E B Eᵀ, C = Eᵀ X and Q = (I + B C Cᵀ)⁻¹ B.

    Both B and C may be singular.
    """

    def __init__(self, X: Any, K: RowMatrix) -> None:
        _, E, self.B = K.span()
        C = crossprod64(E, X)
        CT = C.T.tocsr() if sparse.issparse(C) else C.T
        gram = (C @ CT).toarray() if sparse.issparse(C) else C @ CT
        self.factors = linalg.lu_factor(np.eye(len(gram)) + self.B @ gram, overwrite_a=True)
        self.E, self.C, self.CT = (matrix.astype(X.dtype, copy=False) for matrix in (E, C, CT))

    def weights(self, W: FloatArray) -> FloatArray:
        """``Q C W``."""
        return np.asarray(linalg.lu_solve(self.factors, self.B @ (self.C @ W)), dtype=W.dtype)


class _Quotient:
    """Base class of both operators: the data, the two forms, and the inverse by Woodbury's identity, if applicable.

    An indefinite numerator is N₊ − N₋ with N₋ the Laplacian of its attracting pairs. Directions with large N₋ do not
    help; preconditioning by the inverse of D + N₋/θ, with θ the largest quotient so far, suppresses them.

    ``tol`` is the tolerance of the result. Columns have the precision of the data.
    """

    def __init__(self, X: Any, numerator: Form, denominator: Form, *, tol: float) -> None:
        self._data = X
        self._forms = numerator, denominator
        self._tol = tol
        self.X = ThreadedMatrix(X) if sparse.issparse(X) else X
        self.numerator = numerator.astype(X.dtype)
        self.denominator = denominator.astype(X.dtype)
        self._woodbury: _Woodbury | None = None
        self._woodbury_top = np.nan
        self._attraction = None if numerator.psd or numerator.rows is None else _attraction(numerator.rows)
        if self._attraction is not None and not (
            self._attraction.sparse.nnz and is_low_rank(self._with_attraction(1.0))
        ):
            self._attraction = None
        if self._attraction is not None:
            trace = float(Form(self._attraction).diagonal(X).sum())
            self._least_top = 0.01 * trace / len(self._attraction.support())
        elif denominator.rows is not None and is_low_rank(denominator.rows):
            self._woodbury = _Woodbury(X, denominator.rows)

    def start(self, n_components: int, random: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Preconditioned random columns (V, Y), without upper bounds."""
        return *self.precondition(random, 0.0), None

    def precondition(self, residual: FloatArray, top: float) -> tuple[FloatArray, FloatArray]:
        """An approximate inverse of the denominator applied to a residual, and its image."""
        raise NotImplementedError

    @property
    def is_exact(self) -> bool:
        """Whether :meth:`precondition` applies the exact inverse of the denominator."""
        return self._attraction is None and is_low_rank(self.denominator.rows)

    def _inverse(self, top: float) -> _Woodbury | None:
        """None if the denominator is the identity or does not have low rank."""
        if self._attraction is not None:
            top = max(top, self._least_top)
            if not self._woodbury_top / DRIFT < top < self._woodbury_top * DRIFT:
                self._woodbury_top = top
                self._woodbury = _Woodbury(self._data, self._with_attraction(1.0 / top))
        return self._woodbury

    def _with_attraction(self, amount: float) -> RowMatrix:
        assert self._attraction is not None
        K = self._forms[1].rows
        return self._attraction * amount if K is None else K + self._attraction * amount


class _FeatureOperator(_Quotient):
    """Works on the directions w themselves."""

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """``N V``."""
        return self.numerator.apply(self.X, V)

    def divide(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """``D V``."""
        return V if self.denominator.rows is None else self.denominator.apply(self.X, V)

    def precondition(self, residual: FloatArray, top: float) -> tuple[FloatArray, FloatArray]:
        """``D⁻¹ R``, approximately, which is its own image."""
        inverse = self._inverse(top)
        if inverse is not None:
            solution = residual - inverse.CT @ inverse.weights(residual)
        elif self.denominator.rows is None:
            solution = residual
        else:
            solution, _ = conjugate_gradients(self._system, residual, INNER_TOL, INNER_STEPS)
        return solution, solution

    def directions(self, V: FloatArray) -> FloatArray:
        """The columns themselves."""
        return V

    @cached_property
    def _system(self) -> FeatureSystem:
        return FeatureSystem(self.X, self.denominator, self.denominator.diagonal(self._data))


class _RowOperator(_Quotient):
    """Works on combinations of rows: v represents ``w = Xᵀ v``, and its image is ``y = G v = X w``.

    Residuals R are stored such that ``Xᵀ R`` is the residual of w.
    """

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """``K Y + ridge V`` of the numerator."""
        return _on_rows(self.numerator, V, Y)

    def divide(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """``K Y + V`` of the denominator."""
        return V if self.denominator.rows is None else _on_rows(self.denominator, V, Y)

    def start(self, n_components: int, random: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """The directions that approximate the optimal embedding of the rows, if the denominator involves all rows."""
        K = self.denominator.rows
        relaxed = None
        if K is not None and not is_low_rank(K):
            relaxed = relaxed_optimum(*self._forms, n_components)
        if relaxed is None or K is None:
            return super().start(n_components, random)
        bounds = relaxed.bounds[:n_components]
        system = self._system

        def near(V: FloatArray, Y: FloatArray) -> bool:
            values = self._quotients(V, system.unit * Y)
            return bool((bounds - values[:n_components] <= self._tol * np.abs(values).max()).all())

        # Minimize (Gv − y)ᵀ K (Gv − y) + vᵀGv, for all columns y of the embedding at once.
        right = (K @ relaxed.embedding).astype(system.precision)
        V, _ = conjugate_gradients(system, right, START_TOL, START_STEPS, enough=near)
        return *self._with_image(V), bounds

    def precondition(self, residual: FloatArray, top: float) -> tuple[FloatArray, FloatArray]:
        """``(K G + I)⁻¹ R``, approximately, and G times that."""
        inverse = self._inverse(top)
        if inverse is None and self.denominator.rows is not None:
            right = residual.astype(self._system.precision)
            return self._with_image(conjugate_gradients(self._system, right, INNER_TOL, INNER_STEPS)[0])
        W = self.X.T @ residual
        if inverse is not None:
            weights = inverse.weights(W)
            residual = residual - inverse.E @ weights
            W = W - inverse.CT @ weights
        return residual, self.X @ W

    def directions(self, V: FloatArray) -> FloatArray:
        """``Xᵀ V``."""
        return np.asarray(self.X.T @ V)

    def _with_image(self, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        V = V.astype(self._data.dtype, copy=False)
        return V, self.X @ (self.X.T @ V)

    def _quotients(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The largest quotients of linear combinations of the columns, in decreasing order."""
        values: FloatArray = linalg.eigh(Y.T @ self.multiply(V, Y), Y.T @ self.divide(V, Y), eigvals_only=True)
        return values[::-1]

    @cached_property
    def _system(self) -> RowSystem:
        assert self.denominator.rows is not None
        precision = np.float32 if self._tol >= ROUGH else self._data.dtype
        return RowSystem(self._data, self.denominator.rows, precision)


class FeatureSystem:
    """``Xᵀ K X + I`` for conjugate gradients, preconditioned by its diagonal."""

    def __init__(self, X: Any, form: Form, diagonal: FloatArray) -> None:
        self._X = X
        self._form = form
        self._diagonal = diagonal[:, None]

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """``(Xᵀ K X + I) V``."""
        return self._form.apply(self._X, V)

    def precondition(self, residual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The residual divided by the diagonal."""
        V = residual / self._diagonal
        return V, V


class RowSystem:
    """``K G + I`` for conjugate gradients. It is self-adjoint with respect to G; each step costs one product with G.

    The preconditioner deflates the leading eigenvectors, ``K G p = λ p``, which are known approximately. Rows are
    scaled by the length of the longest one, so that any data fit the range of single precision.
    """

    def __init__(self, X: Any, K: RowMatrix, precision: Any) -> None:
        self.precision = precision
        self.unit = float(row_norms(X, squared=True).max()) or 1.0
        self._gram = GramMatrix((X / np.sqrt(self.unit)).astype(precision))
        self._rows = (self.unit * K).astype(precision)
        V = np.random.default_rng(0).standard_normal((K.n, min(STRONGEST, K.n // 4 + 1))).astype(precision)
        Y = self._gram @ V
        for _ in range(PASSES):
            V = self._rows @ Y
            V, Y = _orthonormal(V, self._gram @ V)
        strength, rotation = linalg.eigh(Y.T @ (self._rows @ Y))
        self._strong = V @ rotation
        self._strong_image = Y @ rotation
        self._excess = ((strength - strength[:1]) / (1 + strength))[:, None]

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """``V + K Y``."""
        return V + self._rows @ Y

    def precondition(self, residual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Divide by the eigenvalue along each leading eigenvector, relative to the smallest of them."""
        image = self._gram @ residual
        part = self._excess * (self._strong_image.T @ residual)
        return residual - self._strong @ part, image - self._strong_image @ part


def _orthonormal(V: FloatArray, Y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Linear combinations of the columns such that VᵀY = I, without those that are rounding errors."""
    values, rotation = linalg.eigh(V.astype(np.float64).T @ Y.astype(np.float64))
    kept = values > np.finfo(V.dtype).eps ** 1.5 * values.max(initial=0.0)
    rotation = (rotation[:, kept] / np.sqrt(values[kept])).astype(V.dtype)
    return V @ rotation, Y @ rotation


def _attraction(K: RowMatrix) -> RowMatrix | None:
    """The Laplacian of the pairs with a negative weight in the form; None if there are none."""
    edges = sparse.csr_array(K.sparse - sparse.diags_array(K.sparse.diagonal()))
    return laplacian(edges.maximum(0)).rows


def _on_rows(form: Form, V: FloatArray, Y: FloatArray) -> FloatArray:
    image: FloatArray = np.asarray(form.ridge).flat[0] * V
    return image if form.rows is None else image + form.rows @ Y
