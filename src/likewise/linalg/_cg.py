"""Conjugate gradients for many right-hand sides at once.

Each column v is stored together with an image y such that the inner product is ⟨v, r⟩ = yᵀ r. For the Euclidean inner
product y is v itself; for the inner product of a matrix G it is ``G v``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from .._arrays import FloatArray

CHECK_EVERY = 5
"""Number of steps between two calls of ``enough``."""


class Preconditioned(Protocol):
    """A linear operator, self-adjoint in its inner product, with a preconditioner."""

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The operator applied to columns V with images Y."""

    def precondition(self, residual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Columns (V, Y) that the operator maps approximately to a multiple of the residual."""


def conjugate_gradients(
    operator: Preconditioned,
    right: FloatArray,
    tol: float,
    max_steps: int,
    *,
    enough: Callable[[FloatArray, FloatArray], bool] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Solve ``operator V = right`` approximately; returns V and its image Y.

    Parameters
    ----------
    operator : Preconditioned
    right : (n, m) array
    tol : float
        Stop when the residual of every column, relative to that of the zero vector, is at most this.
    max_steps : int
    enough : callable, optional
        ``(V, Y) → bool``, called every few steps; return True to stop early.
    """
    residual = right
    direction, image = operator.precondition(residual)
    solution, solution_image = np.zeros_like(direction), np.zeros_like(image)
    energy = _column_products(residual, image)
    done_at = tol**2 * energy
    for count in range(1, max_steps + 1):
        applied = operator.multiply(direction, image)
        step = _quotient(energy, _column_products(image, applied))
        solution += step * direction
        solution_image += step * image
        residual = residual - step * applied
        next_direction, next_image = operator.precondition(residual)
        next_energy = _column_products(residual, next_image)
        if np.all(next_energy <= done_at):
            break
        if enough is not None and not count % CHECK_EVERY and enough(solution, solution_image):
            break
        ratio = _quotient(next_energy, energy)
        direction = next_direction + ratio * direction
        image = next_image + ratio * image
        energy = next_energy
    return solution, solution_image


def _column_products(A: FloatArray, B: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->j", A, B))


def _quotient(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
