"""Where rows would lie if they could lie anywhere.

A direction places the rows at y = X w. Without the data in between, the best places are the leading eigenvectors of a
sparse matrix, which cost next to nothing. With more features than rows and a small ridge the data can follow them
closely; so they are where to start, and as no direction does better, they tell when to stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..constraints.pairs import FloatArray
from ..forms.form import Form
from ..graphs.rows import RowMatrix
from ..progress import listening
from .davidson import BLOCK, leading

TOL = 1e-3
"""How exact the places are, relative to their quotients."""

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
    start = np.random.default_rng(0).standard_normal((numerator.rows.n, BLOCK))
    with listening(None):
        V = leading(space, start, count, TOL)
    quotients = np.einsum("ij,ij->j", V, space.multiply(V, V))
    bounds = quotients + TOL * np.abs(quotients).max()
    return Relaxed(space.scale * V, np.maximum(bounds, np.max(numerator.ridge)))


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
