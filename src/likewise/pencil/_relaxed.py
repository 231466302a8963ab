"""The relaxed problem: the optimal embedding of the rows if it need not be a linear function of the features.

A direction w gives the rows the coordinates y = X w. If y could be chosen freely, the best coordinates would be the
leading eigenvectors of a sparse matrix, which are cheap to compute. With more features than rows and a small ridge, X w
can come close to them. They are therefore a good start for the iteration, and since no direction can do better, their
quotients are upper bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from .._arrays import FloatArray
from .._progress import observe
from ..forms._form import Form
from ..linalg._davidson import BLOCK, largest_quotients
from ..linalg._row_matrix import RowMatrix

TOL = 1e-3
"""Tolerance of the embedding, relative to its quotients."""

FIRST_TOL = 0.1
"""Tolerance of a first pass, which separates the wanted part of the spectrum from the rest."""

DEGREE = 7
"""Degree of the Chebyshev filter. An odd degree keeps eigenvalues below the filtered interval below it."""

SPARE = 8
"""Number of columns computed in addition to those requested."""


class Relaxed(NamedTuple):
    """The columns of the embedding, best first, and upper bounds on the quotients of directions."""

    embedding: FloatArray
    bounds: FloatArray


def relaxed_optimum(numerator: Form, denominator: Form, n_components: int) -> Relaxed | None:
    """The best embedding of the rows; None unless the denominator is a weighted sum of squares of the (centered) rows.

    The denominator has ridge 1, and the numerator has the same ridge on all features. Along a direction orthogonal to
    all rows the quotient is therefore the numerator's ridge, and no combination exceeds the larger of the two.
    """
    if numerator.rows is None or denominator.rows is None:
        return None
    space = _Embedding.of(numerator.rows, denominator.rows)
    count = n_components + SPARE
    if space is None or 4 * count > numerator.rows.n:
        return None
    with observe(None):
        V, quotients, errors = _best_embedding(space, count)
    return Relaxed(space.scale * V, np.maximum(quotients + errors, np.max(numerator.ridge)))


def _best_embedding(space: _Embedding, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The best columns, their quotients, and the errors of those.

    A product with the sparse matrix is cheaper than orthogonalizing its result against the subspace. After a first
    pass, each step therefore applies a polynomial of the matrix, so that fewer steps are needed.
    """
    rng = np.random.default_rng(0)
    V = largest_quotients(space, rng.standard_normal((space.rows.n, BLOCK)), count, FIRST_TOL)
    V, quotients, errors = _rotate(space, V)
    if errors.max() <= TOL * np.abs(quotients).max():
        return V, quotients, errors
    lowest = _lowest(space)
    allowed = TOL * max(abs(quotients[0]), abs(lowest))
    filtered = _ChebyshevFilter(space, (quotients[-1] + lowest) / 2, max((quotients[-1] - lowest) / 2, allowed))
    V = largest_quotients(filtered, V @ rng.standard_normal((count, BLOCK)), count, filtered.tol(quotients[0], allowed))
    return _rotate(space, V)


def _lowest(space: _Embedding) -> float:
    """The smallest quotient of any column, approximately."""

    def multiply(column: FloatArray) -> FloatArray:
        return space.multiply(column[:, None], column[:, None]).ravel()

    n = space.rows.n
    start = np.random.default_rng(0).standard_normal(n)
    operator = LinearOperator((n, n), multiply)
    return float(eigsh(operator, 1, which="SA", tol=FIRST_TOL, v0=start, return_eigenvectors=False)[0])


def _rotate(space: _Embedding, V: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Orthonormal columns rotated to Ritz vectors, best first, with their quotients and errors."""
    image = space.multiply(V, V)
    inner = V.T @ image
    quotients, rotation = np.linalg.eigh((inner + inner.T) / 2)
    quotients, rotation = quotients[::-1], rotation[:, ::-1]
    V = V @ rotation
    return V, quotients, np.linalg.norm(image @ rotation - V * quotients, axis=0)


class _OverIdentity:
    """An operator whose denominator is the identity."""

    is_exact = True

    def divide(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The columns themselves."""
        return V

    def precondition(self, residual: FloatArray, top: float) -> tuple[FloatArray, FloatArray]:
        """The residual itself."""
        return residual, residual


@dataclass(frozen=True)
class _Embedding(_OverIdentity):
    """Columns of row coordinates times √weight, so that the denominator is the identity.

    ``mean`` is the unit vector of the constant coordinate, if it is to be projected out.
    """

    rows: RowMatrix
    scale: FloatArray
    mean: FloatArray | None

    @classmethod
    def of(cls, numerator: RowMatrix, denominator: RowMatrix) -> _Embedding | None:
        """None unless the denominator is a positive weight on each row, with or without centering."""
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
        """The random columns themselves."""
        random = self._inside(random)
        return random, random, None

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The numerator applied to each column."""
        return self._inside(self.scale * (self.rows @ (self.scale * V)))


@dataclass(frozen=True)
class _ChebyshevFilter(_OverIdentity):
    """A Chebyshev polynomial of the numerator that is small on the unwanted part of the spectrum, and large beyond.

    ``middle`` and ``half`` are the center and half the width of the unwanted interval. Its upper end is the smallest
    quotient of the first pass. Quotients within a subspace are lower bounds, so it lies below all wanted eigenvalues.
    """

    space: _Embedding
    middle: float
    half: float

    def tol(self, top: float, allowed: float) -> float:
        """The tolerance for filtered quotients that corresponds to an error of ``allowed`` in the original ones."""
        steep = DEGREE**2 / self.half
        return float(allowed * steep / np.cosh(DEGREE * np.arccosh(max((top - self.middle) / self.half, 1.0))))

    def start(self, n_components: int, random: FloatArray) -> tuple[FloatArray, FloatArray, None]:
        """The random columns themselves."""
        return self.space.start(n_components, random)

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The polynomial of the numerator applied to each column, by the Chebyshev recurrence."""
        before, here = V, self._shifted(V, 1)
        for _ in range(DEGREE - 1):
            before, here = here, self._shifted(here, 2) - before
        return here

    def _shifted(self, V: FloatArray, times: float) -> FloatArray:
        return (times / self.half) * (self.space.multiply(V, V) - self.middle * V)
