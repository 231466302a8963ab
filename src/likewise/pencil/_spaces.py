"""The two places where the matrix-free route can look for directions, and the rough inverse in each.

The denominator is D = I + Xᵀ K X, for the columns are scaled by the ridge first. With fewer features than rows,
directions are looked for as they are. Otherwise the best ones are combinations of rows, w = Xᵀ v: shorter columns, and
as ``X w = G v`` with G = X Xᵀ is all that the forms look at, a step costs one product with G whatever the forms are.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse

from .._arrays import FloatArray
from .._progress_legacy import Fall
from ..forms._form import Form
from ..forms._graph import laplacian
from ..linalg._cg import OfFeatures, OfRows, conjugate_gradients
from ..linalg._davidson import STARTED
from ..linalg._precise import inner
from ..linalg._products import Threaded
from ..linalg._row_matrix import RowMatrix
from ._relaxed import relaxed_optimum

WOODBURY = 4000
"""Up to this many rows in the denominator, and half of all, its inverse is applied exactly."""

INNER_TOL, INNER_STEPS = 0.1, 10
"""How well, and in how many steps at most, conjugate gradients invert it beyond that: a rough inverse does."""

START_TOL, START_STEPS = 0.01, 60
"""The same of the start, where the rows' own best places are to be followed."""

ROUGH = 1e-3
"""From this tolerance of the answer on, they run in single precision, which is quicker."""

DRIFT = 1.5
"""The rough inverse is made anew when the largest quotient has changed by this factor."""


def easily_inverted(form: Form) -> bool:
    """Whether the form touches so few rows, and so small a part of them, that Woodbury's identity is cheap."""
    return form.rows is None or _few(form.rows)


def _few(K: RowMatrix) -> bool:
    span: int = len(K.support()) + K.factor.shape[1]
    return span <= min(WOODBURY, K.n // 2)


class _Woodbury:
    """``(I + Xᵀ K X)⁻¹ = I − Cᵀ Q C``: C = Eᵀ X the few rows that K = E B Eᵀ sees, Q = (I + B C Cᵀ)⁻¹ B.

    B may be singular, and so may C.
    """

    def __init__(self, X: Any, K: RowMatrix) -> None:
        _, E, self.B = K.span()
        C = inner(E, X)
        CT = C.T.tocsr() if sparse.issparse(C) else C.T
        gram = (C @ CT).toarray() if sparse.issparse(C) else C @ CT
        self.factors = linalg.lu_factor(np.eye(len(gram)) + self.B @ gram, overwrite_a=True)
        self.E, self.C, self.CT = (matrix.astype(X.dtype, copy=False) for matrix in (E, C, CT))

    def weights(self, W: FloatArray) -> FloatArray:
        """``Q C W``."""
        return np.asarray(linalg.lu_solve(self.factors, self.B @ (self.C @ W)), dtype=W.dtype)


class _Space:
    """What both spaces share: the data, the two forms, and an inverse by Woodbury's identity where one serves.

    An indefinite numerator is N₊ − N₋ with N₋ the Laplacian of the pairs that it holds together. Where N₋ is large,
    steps along it are wasted; the inverse of D + N₋/θ, θ the largest quotient so far, keeps them out.

    ``tol`` is the tolerance of the answer. Columns have the precision of the data.
    """

    def __init__(self, X: Any, numerator: Form, denominator: Form, *, tol: float) -> None:
        self.X = Threaded(X) if sparse.issparse(X) else X
        self._tol = tol
        self.numerator, self.denominator = numerator.astype(X.dtype), denominator.astype(X.dtype)
        self._forms = numerator, denominator
        self._data, self._made_for, self._exact = X, np.nan, None
        self._held = None if numerator.psd or numerator.rows is None else _held_together(numerator.rows)
        if self._held is not None and not (self._held.sparse.nnz and _few(self._with_held(1.0))):
            self._held = None
        if self._held is not None:
            self._least = 0.01 * float(Form(self._held).diagonal(X).sum()) / len(self._held.support())
        elif denominator.rows is not None and _few(denominator.rows):
            self._exact = _Woodbury(X, denominator.rows)

    def start(self, n_components: int, random: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Columns (V, Y) to begin with, and what the quotients cannot exceed, if that is known."""
        return *self.step(random, 0.0), None

    def step(self, residual: FloatArray, top: float) -> tuple[FloatArray, FloatArray]:
        """Columns (V, Y) that make up for a residual."""
        raise NotImplementedError

    @property
    def exact(self) -> bool:
        """Whether :meth:`step` applies the very inverse of the denominator."""
        return self._held is None and easily_inverted(self.denominator)

    def _inverse(self, top: float) -> _Woodbury | None:
        """None where the denominator is the identity, or touches too many rows."""
        if self._held is not None:
            top = max(top, self._least)
            if not self._made_for / DRIFT < top < self._made_for * DRIFT:
                self._made_for, self._exact = top, _Woodbury(self._data, self._with_held(1.0 / top))
        return self._exact

    def _with_held(self, amount: float) -> RowMatrix:
        assert self._held is not None
        K = self._forms[1].rows
        return self._held * amount if K is None else K + self._held * amount


class Features(_Space):
    """Directions as they are."""

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """``N V``."""
        return self.numerator.apply(self.X, V)

    def divide(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """``D V``."""
        return V if self.denominator.rows is None else self.denominator.apply(self.X, V)

    def step(self, residual: FloatArray, top: float) -> tuple[FloatArray, FloatArray]:
        """About ``D⁻¹ R``."""
        inverse = self._inverse(top)
        if inverse is not None:
            solution = residual - inverse.CT @ inverse.weights(residual)
        elif self.denominator.rows is None:
            solution = residual
        else:
            solution, _ = conjugate_gradients(self._slow, residual, INNER_TOL, INNER_STEPS)
        return solution, solution

    def directions(self, V: FloatArray) -> FloatArray:
        """The columns themselves."""
        return V

    @cached_property
    def _slow(self) -> OfFeatures:
        return OfFeatures(self.X, self.denominator, self.denominator.diagonal(self._data))


class Rows(_Space):
    """Directions as combinations of rows: v stands for ``w = Xᵀ v``, and ``y = G v = X w`` is what is seen of it.

    Residuals are held without the G in front of them: ``Xᵀ R`` is the residual of w.
    """

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """``K Y + ridge V`` of the numerator."""
        return _on_rows(self.numerator, V, Y)

    def divide(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """``K Y + V`` of the denominator."""
        return V if self.denominator.rows is None else _on_rows(self.denominator, V, Y)

    def start(self, n_components: int, random: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Where the denominator touches all rows: what follows best where the rows would lie without the data."""
        rows = self.denominator.rows
        relaxed = None
        if rows is not None and not easily_inverted(self.denominator):
            relaxed = relaxed_optimum(*self._forms, n_components)
        if relaxed is None or rows is None:
            return super().start(n_components, random)
        bounds, slow = relaxed.bounds[:n_components], self._slow

        def near(V: FloatArray, Y: FloatArray) -> bool:
            values = self._quotients(V, slow.unit * Y)
            return bool((bounds - values[:n_components] <= self._tol * np.abs(values).max()).all())

        # The least of (Gv − y)ᵀ K (Gv − y) + vᵀGv, for all places y at once.
        falling = Fall(START_TOL, (0.0, STARTED))
        wanted = (rows @ relaxed.places).astype(slow.precision)
        V, _ = conjugate_gradients(slow, wanted, START_TOL, START_STEPS, left=falling.tell, enough=near)
        return *self._exactly_seen(V), bounds

    def step(self, residual: FloatArray, top: float) -> tuple[FloatArray, FloatArray]:
        """About ``(K G + I)⁻¹ R``, and G times that."""
        inverse = self._inverse(top)
        if inverse is None and self.denominator.rows is not None:
            wanted = residual.astype(self._slow.precision)
            return self._exactly_seen(conjugate_gradients(self._slow, wanted, INNER_TOL, INNER_STEPS)[0])
        W = self.X.T @ residual
        if inverse is not None:
            weights = inverse.weights(W)
            residual, W = residual - inverse.E @ weights, W - inverse.CT @ weights
        return residual, self.X @ W

    def directions(self, V: FloatArray) -> FloatArray:
        """``Xᵀ V``."""
        return np.asarray(self.X.T @ V)

    def _exactly_seen(self, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        V = V.astype(self._data.dtype, copy=False)
        return V, self.X @ (self.X.T @ V)

    def _quotients(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The largest quotients of combinations of the columns, falling."""
        values: FloatArray = linalg.eigh(Y.T @ self.multiply(V, Y), Y.T @ self.divide(V, Y), eigvals_only=True)
        return values[::-1]

    @cached_property
    def _slow(self) -> OfRows:
        assert self.denominator.rows is not None
        precision = np.float32 if self._tol >= ROUGH else self._data.dtype
        return OfRows(self._data, self.denominator.rows, precision)


def _held_together(K: RowMatrix) -> RowMatrix | None:
    """The Laplacian of the pairs whose difference a form counts as a loss."""
    edges = sparse.csr_array(K.sparse - sparse.diags_array(K.sparse.diagonal()))
    return laplacian(edges.maximum(0)).rows


def _on_rows(form: Form, V: FloatArray, Y: FloatArray) -> FloatArray:
    image: FloatArray = np.asarray(form.ridge).flat[0] * V
    return image if form.rows is None else image + form.rows @ Y
