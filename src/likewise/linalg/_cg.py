"""Rough inverses of a denominator that touches most rows: conjugate gradients, all columns at once.

As everywhere on the matrix-free route, a column v comes with what inner products see of it: v itself among features,
``y = G v`` with G = X Xᵀ among combinations of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from scipy import linalg
from sklearn.utils.extmath import row_norms

from .._arrays import FloatArray
from ..forms._form import Form
from ._products import Gram
from ._row_matrix import RowMatrix

STRONGEST, PASSES = 100, 2
"""So many directions need not be found, and how often a random block is multiplied to have them beforehand."""

LOOK = 5
"""Steps after which it is seen whether the columns will do."""


class Inverted(Protocol):
    """What is to be inverted."""

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """Times columns."""

    def rough(self, residual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Columns (V, Y): about a multiple of what a residual is of."""


def conjugate_gradients(
    inverted: Inverted,
    wanted: FloatArray,
    tol: float,
    steps: int,
    *,
    left: Callable[[float], None] | None = None,
    enough: Callable[[FloatArray, FloatArray], bool] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Columns (V, Y) that ``inverted`` takes to about ``wanted``, to a relative ``tol`` or in so many steps.

    ``left`` is told what is left over, ``enough`` may find the columns good enough already.
    """
    residual = wanted
    direction, image = inverted.rough(residual)
    solution, seen = np.zeros_like(direction), np.zeros_like(image)
    energy = _products(residual, image)
    settled = tol**2 * energy
    for count in range(1, steps + 1):
        product = inverted.multiply(direction, image)
        step = _quotient(energy, _products(image, product))
        solution += step * direction
        seen += step * image
        residual = residual - step * product
        toward, toward_seen = inverted.rough(residual)
        renewed = _products(residual, toward_seen)
        if left is not None:
            left(tol * float(np.sqrt(_quotient(renewed, settled).max())))
        if np.all(renewed <= settled) or (enough is not None and not count % LOOK and enough(solution, seen)):
            break
        ratio = _quotient(renewed, energy)
        direction, image, energy = toward + ratio * direction, toward_seen + ratio * image, renewed
    return solution, seen


class OfFeatures:
    """``Xᵀ K X + I``, with its diagonal for a rough inverse."""

    def __init__(self, X: Any, form: Form, diagonal: FloatArray) -> None:
        self._X, self._form, self._diagonal = X, form, diagonal[:, None]

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """Times columns."""
        return self._form.apply(self._X, V)

    def rough(self, residual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Divided by the diagonal."""
        V = residual / self._diagonal
        return V, V


class OfRows:
    """``K G + I``, which is self-adjoint in G: each step costs one product with G.

    Its strongest directions, ``K G p = λ p``, are about known, and along them the rough inverse is nearly right.
    The longest row is the unit of length here, so that single precision holds any data.
    """

    def __init__(self, X: Any, K: RowMatrix, precision: Any) -> None:
        self.precision = precision
        self.unit = float(row_norms(X, squared=True).max()) or 1.0
        self._gram = Gram((X / np.sqrt(self.unit)).astype(precision))
        self._rows = (self.unit * K).astype(precision)
        V = np.random.default_rng(0).standard_normal((K.n, min(STRONGEST, K.n // 4 + 1))).astype(precision)
        Y = self._gram @ V
        for _ in range(PASSES):
            V = self._rows @ Y
            V, Y = _turned(V, self._gram @ V)
        strength, turn = linalg.eigh(Y.T @ (self._rows @ Y))
        self._strong, self._strong_seen = V @ turn, Y @ turn
        self._excess = ((strength - strength[:1]) / (1 + strength))[:, None]

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """Times columns."""
        return V + self._rows @ Y

    def rough(self, residual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Shrunk along the strong directions to what it would be along the weakest of them."""
        seen = self._gram @ residual
        part = self._excess * (self._strong_seen.T @ residual)
        return residual - self._strong @ part, seen - self._strong_seen @ part


def _turned(V: FloatArray, Y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Combinations of the columns, orthonormal in what is seen of them, without those that are rounding."""
    values, turn = linalg.eigh(V.astype(np.float64).T @ Y.astype(np.float64))
    kept = values > np.finfo(V.dtype).eps ** 1.5 * values[-1]
    turn = (turn[:, kept] / np.sqrt(values[kept])).astype(V.dtype)
    return V @ turn, Y @ turn


def _products(A: FloatArray, B: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->j", A, B))


def _quotient(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
