"""Block Davidson iteration with thick restarts for the directions with the largest quotient ``N / D``.

The subspace V is orthonormal with respect to the denominator D. The best directions within it are the eigenvectors of a
small matrix. Each step adds the residuals ``N w − θ D w`` of these directions to the subspace, preconditioned by an
approximate inverse of D. With the exact inverse this is block Lanczos. With a rough inverse more steps are needed, but
the result is the same.
"""

from __future__ import annotations

import warnings
from typing import Protocol

import numpy as np
from scipy import linalg

from .._arrays import FloatArray
from .._progress import report
from ._products import crossprod64

BLOCK = 16
"""Number of columns that each step adds to the subspace."""

MAX_STEPS = 500

SETTLED, ASTRAY = 1e-7, 100.0
"""Once residuals, relative to the largest quotient, have fallen below the first value, growth by the second factor
means that only rounding errors are left, and the iteration stops."""

ROUNDING = {"d": (1e-24, 1e-13), "f": (1e-10, 1e-10)}
"""For double and single precision: columns are dropped as rounding errors if their squared length is below the first
value times what was projected out of them, or below the second value times that of the longest column."""


class Operator(Protocol):
    """A numerator and a denominator. A direction is a column v with an image y such that ⟨v, r⟩ = yᵀ r."""

    @property
    def is_exact(self) -> bool:
        """Whether :meth:`precondition` applies the exact inverse of the denominator."""

    def start(self, n_components: int, random: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Initial columns (V, Y), and upper bounds of the largest quotients if known."""

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The numerator applied to each column."""

    def divide(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The denominator applied to each column; V itself if the denominator is the identity."""

    def precondition(self, residual: FloatArray, top: float) -> tuple[FloatArray, FloatArray]:
        """An approximate inverse of the denominator applied to a residual; ``top`` is the largest quotient so far."""


def largest_quotients(operator: Operator, start: FloatArray, n_components: int, tol: float) -> FloatArray:
    """The ``n_components`` columns with the largest quotient; fewer if there are fewer.

    Parameters
    ----------
    operator : Operator
    start : (n, m) array
        Random columns.
    n_components : int
    tol : float
        A column has converged when its residual, or its distance to the upper bound given by the operator, is at most
        this fraction of the largest quotient.
    """
    n = len(start)
    n_components = min(n_components, n)
    max_size = min(n, max(2 * n_components, n_components + 6 * BLOCK))
    T, Y, bounds = operator.start(n_components, start)
    DT = operator.divide(T, Y)
    basis = _Basis(max_size + BLOCK, T, Y, DT)
    H = np.zeros((max_size + BLOCK, max_size + BLOCK))
    best = np.zeros((0, 0))
    size = 0
    n_open = n_components
    least, settled = np.inf, None
    for step in range(MAX_STEPS):
        report(step)
        old, size = size, basis.add(T, Y, DT, size)
        if size == old:
            break
        new = slice(old, size)
        basis.N[:, new] = operator.multiply(basis.V[:, new], basis.Y[:, new])
        H[:size, old:size] = crossprod64(basis.Y[:, :size], basis.N[:, old:size])
        H[old:size, :old] = H[:old, old:size].T
        values, rotation = linalg.eigh(_symmetric(H[:size, :size]))
        values, rotation = values[::-1], rotation[:, ::-1]
        best = rotation[:, :n_components]
        largest = float(np.abs(values).max())
        if bounds is not None and size >= n_components and (bounds - values[:n_components] <= tol * largest).all():
            break
        if operator.is_exact:
            # In a Krylov subspace the residuals of all directions lie in the span of the last block of numerators.
            main, amounts, rest = _main_part(basis.N[:, new] - _combine(basis.D[:, :size], H[:size, new]))
            amounts, rest = amounts @ best[new], np.zeros(best.shape[1])
        else:
            quotients = values[:n_components]
            main, amounts, rest = _main_part(
                _combine(basis.N[:, :size], best) - _combine(basis.D[:, :size], best * quotients)
            )
        T, Y = operator.precondition(main, float(values[0]))
        DT = operator.divide(T, Y)
        gain = _symmetric(crossprod64(main, Y))
        most = np.abs(gain).sum(axis=0).max(initial=0.0)
        errors = np.sqrt(np.einsum("ij,ik,kj->j", amounts, gain, amounts).clip(0) + rest * most)
        n_open = int(np.sum(errors > tol * largest))
        if size >= n_components and not n_open:
            break
        worst = float(errors.max()) / largest if largest > 0 else 0.0
        if settled is not None and worst > ASTRAY * least:
            warnings.warn(
                f"the matrix-free route reached a residual of {least:.0e}; rounding errors prevent tol={tol}.",
                stacklevel=4,
            )
            return settled
        if size >= n_components and worst < min(least, SETTLED):
            least, settled = worst, _combine(basis.V[:, :size], best)
        if size + BLOCK > max_size:
            size = basis.rotate(rotation[:, : n_components + BLOCK])
            H[:size, :size] = np.diag(values[:size])
            best = np.eye(size, n_components)
    else:
        warnings.warn(
            f"the matrix-free route stopped after {MAX_STEPS} steps with {n_open} of {n_components} directions "
            f"not converged to tol={tol}. Ask for fewer directions, a larger ridge, or a larger tol.",
            stacklevel=4,
        )
    return _combine(basis.V[:, :size], best)


def _main_part(residual: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """``(Q, A, rest)``: residuals ≈ Q A, with Q a block of orthonormal columns; ``rest`` are the squared errors."""
    values, rotation = linalg.eigh(crossprod64(residual, residual))
    main = values > max(1e-20 * values[-1], 0.0)
    main[:-BLOCK] = False
    root = np.sqrt(values[main])
    rest = np.square(rotation[:, ~main]) @ values[~main].clip(0)
    return _combine(residual, rotation[:, main] / root), root[:, None] * rotation[:, main].T, rest


def _combine(columns: FloatArray, weights: FloatArray) -> FloatArray:
    """Linear combinations of columns, in the precision of the columns."""
    return columns @ weights.astype(columns.dtype, copy=False)


def _symmetric(M: FloatArray) -> FloatArray:
    return (M + M.T) / 2


class _Basis:
    """The subspace: columns V, their images Y, and the denominator D and numerator N applied to them.

    If the operator returns V itself as Y or D, that array is stored and updated only once.
    """

    def __init__(self, width: int, V: FloatArray, Y: FloatArray, D: FloatArray) -> None:
        self.V = np.empty((len(V), width), dtype=V.dtype, order="F")
        self.Y = self.V if Y is V else np.empty_like(self.V)
        self.D = self.V if D is V else np.empty_like(self.V)
        self.N = np.empty_like(self.V)
        distinct = {id(part): part for part in (self.V, self.Y, self.D)}
        self._parts = list(distinct.values())
        self._y = list(distinct).index(id(self.Y))
        self._d = list(distinct).index(id(self.D))
        self._rounding = ROUNDING[V.dtype.char]

    def add(self, V: FloatArray, Y: FloatArray, D: FloatArray, size: int) -> int:
        """Append the part of the columns that is orthogonal to the first ``size`` ones; returns the new size."""
        blocks = [V]
        if self._y:
            blocks.append(Y)
        if self._d:
            blocks.append(D)
        for last in (False, True):
            inside = crossprod64(self.Y[:, :size], blocks[self._d])
            reach = np.square(inside).sum(axis=0)
            if last:
                # The remainder may be a rounding error scaled to unit length; most of it then lies in the subspace.
                blocks = [block[:, reach < 0.5] for block in blocks]
                inside = inside[:, reach < 0.5]
            blocks = [block - _combine(part[:, :size], inside) for block, part in zip(blocks, self._parts, strict=True)]
            if not blocks[0].shape[1]:
                return size
            values, rotation = linalg.eigh(_symmetric(crossprod64(blocks[self._y], blocks[self._d])))
            # Linearly dependent columns leave eigenvalues of the size of rounding errors.
            kept = values > max(self._rounding[0] * reach.max(), self._rounding[1] * values.max())
            blocks = [_combine(block, rotation[:, kept] / np.sqrt(values[kept])) for block in blocks]
        new_size: int = size + blocks[0].shape[1]
        for block, part in zip(blocks, self._parts, strict=True):
            part[:, size:new_size] = block
        return new_size

    def rotate(self, rotation: FloatArray) -> int:
        """Replace the columns by linear combinations of them; returns the new size."""
        size: int = rotation.shape[1]
        for array in (*self._parts, self.N):
            array[:, :size] = _combine(array[:, : len(rotation)], rotation)
        return size
