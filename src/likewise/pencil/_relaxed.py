"""Where rows would lie if they could lie anywhere.

A direction places the rows at y = X w. Without the data in between, the best places are the leading eigenvectors of a
sparse matrix, which cost next to nothing. With more features than rows and a small ridge the data can follow them
closely; so they are where to start, and as no direction does better, they tell when to stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from .._arrays import FloatArray
from .._progress_legacy import listening
from ..forms._form import Form
from ..linalg._davidson import BLOCK, leading
from ..linalg._row_matrix import RowMatrix

TOL = 1e-3
"""How exact the places are, relative to their quotients."""

FIRST_TOL = 0.1
"""How exact they are after a first look, which tells the best from the rest."""

DEGREE = 7
"""Of the polynomial that draws the best and the rest apart. It is odd: what lies below the rest stays below."""

SPARE = 8
"""So many more places than directions are sought."""


class Relaxed(NamedTuple):
    """Places of the rows, best first, and what the quotients of directions cannot exceed."""

    places: FloatArray
    bounds: FloatArray


def relaxed_optimum(numerator: Form, denominator: Form, n_components: int) -> Relaxed | None:
    """The best places of the rows; None where the denominator does more than to weigh the rows (around their mean).

    The ridge of the denominator is 1, and the numerator's is even: along a direction that no row sees, the quotient is
    the numerator's ridge, and no mixture exceeds the larger of the two.
    """
    if numerator.rows is None or denominator.rows is None:
        return None
    space = _Places.of(numerator.rows, denominator.rows)
    count = n_components + SPARE
    if space is None or 4 * count > numerator.rows.n:
        return None
    with listening(None):
        V, quotients, errors = _best_places(space, count)
    return Relaxed(space.scale * V, np.maximum(quotients + errors, np.max(numerator.ridge)))


def _best_places(space: _Places, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The best places, their quotients, and how far those may be off.

    A product with a sparse matrix costs less than to grow the subspace by it. So after a first look the subspace grows
    by a polynomial of the matrix, which needs fewer steps.
    """
    rng = np.random.default_rng(0)
    V = leading(space, rng.standard_normal((space.rows.n, BLOCK)), count, FIRST_TOL)
    V, quotients, errors = _turned(space, V)
    if errors.max() <= TOL * np.abs(quotients).max():
        return V, quotients, errors
    lowest = _lowest(space)
    allowed = TOL * max(abs(quotients[0]), abs(lowest))
    apart = _Apart(space, (quotients[-1] + lowest) / 2, max((quotients[-1] - lowest) / 2, allowed))
    V = leading(apart, V @ rng.standard_normal((count, BLOCK)), count, apart.tol(quotients[0], allowed))
    return _turned(space, V)


def _lowest(space: _Places) -> float:
    """About the least quotient of all places."""

    def multiply(column: FloatArray) -> FloatArray:
        return space.multiply(column[:, None], column[:, None]).ravel()

    n = space.rows.n
    start = np.random.default_rng(0).standard_normal(n)
    operator = LinearOperator((n, n), multiply)
    return float(eigsh(operator, 1, which="SA", tol=FIRST_TOL, v0=start, return_eigenvectors=False)[0])


def _turned(space: _Places, V: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Orthonormal places turned to the best ones among them, best first, with quotients and their errors."""
    image = space.multiply(V, V)
    inner = V.T @ image
    quotients, turn = np.linalg.eigh((inner + inner.T) / 2)
    quotients, turn = quotients[::-1], turn[:, ::-1]
    V = V @ turn
    return V, quotients, np.linalg.norm(image @ turn - V * quotients, axis=0)


@dataclass(frozen=True)
class _Places:
    """Places of the rows, times √weight: there the denominator is the identity.

    ``mean`` is what places that all rows share become, a unit column, if those are none.
    """

    rows: RowMatrix
    scale: FloatArray
    mean: FloatArray | None
    exact = True

    @classmethod
    def of(cls, numerator: RowMatrix, denominator: RowMatrix) -> _Places | None:
        """Where the denominator has a positive weight for each row, and no more, or around the mean of the rows."""
        weights = denominator.sparse.diagonal()
        if denominator.sparse.nnz != np.count_nonzero(weights) or not (weights > 0).all():
            return None
        plain, scale = RowMatrix.diag(weights), (1 / np.sqrt(weights))[:, None]
        probe = np.random.default_rng(0).standard_normal((numerator.n, 2))
        seen = denominator @ probe
        if np.allclose(seen, plain @ probe):
            return cls(numerator, scale, None)
        if np.allclose(seen, plain.centered() @ probe) and numerator.ignores_shifts():
            return cls(numerator, scale, scale / np.linalg.norm(scale))
        return None

    def _inside(self, V: FloatArray) -> FloatArray:
        return V if self.mean is None else V - self.mean * (self.mean.T @ V)

    def start(self, n_components: int, random: FloatArray) -> tuple[FloatArray, FloatArray, None]:
        """Anywhere."""
        random = self._inside(random)
        return random, random, None

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The numerator of each column."""
        return self._inside(self.scale * (self.rows @ (self.scale * V)))

    def divide(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The columns themselves."""
        return V

    def step(self, residual: FloatArray, top: float) -> tuple[FloatArray, FloatArray]:
        """The residual itself."""
        return residual, residual


@dataclass(frozen=True)
class _Apart:
    """The same places under a Chebyshev polynomial of the numerator, which is small on the rest and grows beyond it.

    ``middle`` and ``half`` are of the interval where the rest lies. Its upper end is the least quotient of the first
    look: quotients in a subspace fall short of the best there are, so it lies below all that are sought.
    """

    space: _Places
    middle: float
    half: float
    exact = True

    def tol(self, top: float, allowed: float) -> float:
        """The tolerance that allows so much there: at the end of the rest, the polynomial is this steep."""
        steep = DEGREE**2 / self.half
        return float(allowed * steep / np.cosh(DEGREE * np.arccosh(max((top - self.middle) / self.half, 1.0))))

    def start(self, n_components: int, random: FloatArray) -> tuple[FloatArray, FloatArray, None]:
        """Anywhere."""
        return self.space.start(n_components, random)

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The polynomial of the numerator, by its recurrence."""
        before, here = V, self._shifted(V, 1)
        for _ in range(DEGREE - 1):
            before, here = here, self._shifted(here, 2) - before
        return here

    def divide(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The columns themselves."""
        return V

    def step(self, residual: FloatArray, top: float) -> tuple[FloatArray, FloatArray]:
        """The residual itself."""
        return residual, residual

    def _shifted(self, V: FloatArray, times: float) -> FloatArray:
        return (times / self.half) * (self.space.multiply(V, V) - self.middle * V)
