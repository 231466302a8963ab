"""The leading directions of a quotient in a growing subspace: block Davidson with thick restarts.

The subspace V is orthonormal in the denominator D. In it the best directions are those of a small matrix. What is
left over of ``N w − θ D w`` for them, sent through a rough inverse of D, is what the subspace grows by. With the exact
inverse this is block Lanczos; a rough one costs steps, never the answer.
"""

from __future__ import annotations

import warnings
from typing import Protocol

import numpy as np
from scipy import linalg

from .._arrays import FloatArray
from .._progress_legacy import Fall
from ._precise import inner

BLOCK = 16
"""Columns that the subspace grows by."""

MAX_STEPS = 500

ROUNDING = {"d": (1e-24, 1e-13), "f": (1e-10, 1e-10)}
"""Of double and single precision: squares of columns that are rounding, as a part of what was taken away from them, and
of those beside them."""

STARTED = 0.7
"""The share of the time that a start takes which is more than a guess."""


class Space(Protocol):
    """Where directions live. A direction is a column v, and y is what inner products see of it."""

    @property
    def exact(self) -> bool:
        """Whether a step applies the very inverse of the denominator."""

    def start(self, n_components: int, random: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Columns (V, Y) to begin with, and what the quotients cannot exceed, if that is known."""

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The numerator of each column."""

    def divide(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The denominator of each column; V itself where that is the identity."""

    def step(self, residual: FloatArray, top: float) -> tuple[FloatArray, FloatArray]:
        """Columns (V, Y) that make up for a residual, where the largest quotient so far is ``top``."""


def leading(space: Space, start: FloatArray, n_components: int, tol: float) -> FloatArray:
    """The ``n_components`` columns with the largest quotient; fewer if there are fewer.

    Settled is what leaves little over, or what has come as near to the largest quotients that there can be.
    """
    full = len(start)
    n_components = min(n_components, full)
    ceiling = min(full, max(2 * n_components, n_components + 6 * BLOCK))
    T, Y, bounds = space.start(n_components, start)
    DT = space.divide(T, Y)
    basis = _Basis(ceiling + BLOCK, T, Y, DT)
    H = np.zeros((ceiling + BLOCK, ceiling + BLOCK))
    best, size, unsettled = np.zeros((0, 0)), 0, n_components
    falling = Fall(tol, (0.0 if bounds is None else STARTED, 1.0))
    for _ in range(MAX_STEPS):
        old, size = size, basis.add(T, Y, DT, size)
        if size == old:
            break
        new = slice(old, size)
        basis.N[:, new] = space.multiply(basis.V[:, new], basis.Y[:, new])
        H[:size, old:size] = inner(basis.Y[:, :size], basis.N[:, old:size])
        H[old:size, :old] = H[:old, old:size].T
        values, turn = linalg.eigh(_symmetric(H[:size, :size]))
        values, turn = values[::-1], turn[:, ::-1]
        best = turn[:, :n_components]
        largest = float(np.abs(values).max())
        if bounds is not None and size >= n_components and (bounds - values[:n_components] <= tol * largest).all():
            break
        if space.exact:
            # A Krylov subspace: what it lacks of any of its directions, the numerators of the last block hold.
            main, amounts, rest = _main_part(basis.N[:, new] - _combined(basis.D[:, :size], H[:size, new]))
            amounts, rest = amounts @ best[new], np.zeros(best.shape[1])
        else:
            found = values[:n_components]
            main, amounts, rest = _main_part(
                _combined(basis.N[:, :size], best) - _combined(basis.D[:, :size], best * found)
            )
        T, Y = space.step(main, float(values[0]))
        DT = space.divide(T, Y)
        gain = _symmetric(inner(main, Y))
        errors = np.einsum("ij,ik,kj->j", amounts, gain, amounts).clip(0) + rest * np.abs(gain).sum(axis=0).max()
        errors = np.sqrt(errors)
        falling.tell(float(errors.max() / (largest or 1.0)))
        unsettled = int(np.sum(errors > tol * largest))
        if size >= n_components and not unsettled:
            break
        if size + BLOCK > ceiling:
            size = basis.turn(turn[:, : n_components + BLOCK])
            H[:size, :size] = np.diag(values[:size])
            best = np.eye(size, n_components)
    else:
        warnings.warn(
            f"the matrix-free route stopped after {MAX_STEPS} steps with {unsettled} of {n_components} directions "
            f"not settled to tol={tol}. Ask for fewer directions, a larger ridge, or a larger tol.",
            stacklevel=4,
        )
    return _combined(basis.V[:, :size], best)


def _main_part(residual: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """``(Q, A, rest)``: the residuals are about Q A, Q a block of orthonormal columns; the squares of what is left."""
    values, turn = linalg.eigh(inner(residual, residual))
    main = values > max(1e-20 * values[-1], 0.0)
    main[:-BLOCK] = False
    root = np.sqrt(values[main])
    rest = np.square(turn[:, ~main]) @ values[~main].clip(0)
    return _combined(residual, turn[:, main] / root), root[:, None] * turn[:, main].T, rest


def _combined(columns: FloatArray, weights: FloatArray) -> FloatArray:
    """Combinations of columns, in their precision."""
    return columns @ weights.astype(columns.dtype, copy=False)


def _symmetric(M: FloatArray) -> FloatArray:
    return (M + M.T) / 2


class _Basis:
    """The subspace: columns V, what inner products see of them (Y), their denominators (D) and numerators (N).

    Y and D are V itself where the space has it so; then they are kept, and worked on, once.
    """

    def __init__(self, width: int, V: FloatArray, Y: FloatArray, D: FloatArray) -> None:
        count = 1 + (Y is not V) + (D is not V)
        self._parts = [np.empty((len(V), width), dtype=V.dtype, order="F") for _ in range(count)]
        self._y, self._d = int(Y is not V), count - 1 if D is not V else 0
        self.V, self.Y, self.D = self._parts[0], self._parts[self._y], self._parts[self._d]
        self.N = np.empty_like(self.V)
        self._rounding = ROUNDING[V.dtype.char]

    def add(self, V: FloatArray, Y: FloatArray, D: FloatArray, size: int) -> int:
        """Take in what of the columns lies outside of the first ``size``, orthonormal; how many there are then."""
        blocks = [block for place, block in enumerate((V, Y, D)) if place in (0, self._y, 2 * (self._d > 0))]
        for last in (False, True):
            inside = inner(self.Y[:, :size], blocks[self._d])
            reach = np.square(inside).sum(axis=0)
            if last:
                # What was left may be rounding, drawn out to unit length: then most of it lies inside.
                blocks, inside = [block[:, reach < 0.5] for block in blocks], inside[:, reach < 0.5]
            blocks = [
                block - _combined(part[:, :size], inside) for block, part in zip(blocks, self._parts, strict=True)
            ]
            if not blocks[0].shape[1]:
                return size
            values, turn = linalg.eigh(_symmetric(inner(blocks[self._y], blocks[self._d])))
            # Columns that depend on each other leave eigenvalues of rounding size.
            kept = values > max(self._rounding[0] * reach.max(), self._rounding[1] * values.max())
            blocks = [_combined(block, turn[:, kept] / np.sqrt(values[kept])) for block in blocks]
        grown: int = size + blocks[0].shape[1]
        for block, part in zip(blocks, self._parts, strict=True):
            part[:, size:grown] = block
        return grown

    def turn(self, turn: FloatArray) -> int:
        """Combinations of the columns in their place; how many there are."""
        size: int = turn.shape[1]
        for array in (*self._parts, self.N):
            array[:, :size] = _combined(array[:, : len(turn)], turn)
        return size
