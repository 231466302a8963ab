"""The optimal embedding of the rows, if they need not be a linear map of the data.

A direction places the rows at y = X w. Without the data in between, the best positions are the leading eigenvectors of
a sparse matrix, which cost next to nothing. With more features than rows and a small ridge the data can follow them
closely; so they are where to start, and as no direction does better, they bound the quotients.
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
"""How exact the embedding is, relative to its quotients."""

FIRST_TOL = 0.1
"""How exact it is after a first pass, which separates the wanted part of the spectrum from the rest."""

DEGREE = 7
"""Of the Chebyshev filter. It is odd: what lies below the filtered interval stays below."""

SPARE = 8
"""So many more columns than directions are computed."""


class Relaxed(NamedTuple):
    """The columns of the embedding, best first, and upper bounds of the quotients of directions."""

    embedding: FloatArray
    bounds: FloatArray


def relaxed_optimum(numerator: Form, denominator: Form, n_components: int) -> Relaxed | None:
    """The best embedding of the rows; None where the denominator does more than to weigh the rows (around their mean).

    The ridge of the denominator is 1, and the numerator's is even: along a direction that no row sees, the quotient is
    the numerator's ridge, and no mixture exceeds the larger of the two.
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

    A product with a sparse matrix costs less than to grow the subspace by it. So after a first pass the subspace
    grows by a polynomial of the matrix, which needs fewer steps.
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
    """About the least quotient of any column."""

    def multiply(column: FloatArray) -> FloatArray:
        return space.multiply(column[:, None], column[:, None]).ravel()

    n = space.rows.n
    start = np.random.default_rng(0).standard_normal(n)
    operator = LinearOperator((n, n), multiply)
    return float(eigsh(operator, 1, which="SA", tol=FIRST_TOL, v0=start, return_eigenvectors=False)[0])


def _rotate(space: _Embedding, V: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Orthonormal columns rotated to the best combinations, best first, with quotients and their errors."""
    image = space.multiply(V, V)
    inner = V.T @ image
    quotients, rotation = np.linalg.eigh((inner + inner.T) / 2)
    quotients, rotation = quotients[::-1], rotation[:, ::-1]
    V = V @ rotation
    return V, quotients, np.linalg.norm(image @ rotation - V * quotients, axis=0)


class _OverIdentity:
    """Quotients whose denominator is the identity."""

    is_exact = True

    def divide(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The columns themselves."""
        return V

    def precondition(self, residual: FloatArray, top: float) -> tuple[FloatArray, FloatArray]:
        """The residual itself."""
        return residual, residual


@dataclass(frozen=True)
class _Embedding(_OverIdentity):
    """Columns of positions of the rows, times √weight: so the denominator is the identity.

    ``mean`` is the unit column of a position that all rows share, where that is to be projected out.
    """

    rows: RowMatrix
    scale: FloatArray
    mean: FloatArray | None

    @classmethod
    def of(cls, numerator: RowMatrix, denominator: RowMatrix) -> _Embedding | None:
        """For a denominator that is a positive weight for each row, as it is or around the mean of the rows."""
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
    """The same columns under a Chebyshev polynomial of the numerator: small on the rest of the spectrum, large beyond.

    ``middle`` and ``half`` (of its width) are of the interval where the rest lies. Its upper end is the least quotient
    of the first pass: quotients in a subspace fall short of the best there are, so it lies below all that are sought.
    """

    space: _Embedding
    middle: float
    half: float

    def tol(self, top: float, allowed: float) -> float:
        """The tolerance that allows an error of ``allowed`` in the quotients: the slope of the filter at its edge."""
        steep = DEGREE**2 / self.half
        return float(allowed * steep / np.cosh(DEGREE * np.arccosh(max((top - self.middle) / self.half, 1.0))))

    def start(self, n_components: int, random: FloatArray) -> tuple[FloatArray, FloatArray, None]:
        """The random columns themselves."""
        return self.space.start(n_components, random)

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The polynomial of the numerator, by its recurrence."""
        before, here = V, self._shifted(V, 1)
        for _ in range(DEGREE - 1):
            before, here = here, self._shifted(here, 2) - before
        return here

    def _shifted(self, V: FloatArray, times: float) -> FloatArray:
        return (times / self.half) * (self.space.multiply(V, V) - self.middle * V)
