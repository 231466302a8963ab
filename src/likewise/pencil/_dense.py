"""The dense route: both forms as matrices, one eigenproblem after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.linalg.lapack import dpocon

from .._arrays import FloatArray
from .._foresight import foreseen
from .._lapack import divided, largest_eigenpairs, solved
from .._progress_legacy import part
from ..forms._form import Form

NULL = 1e-10
"""Eigenvalues of the denominator below this share of its largest count as zero."""

SOUND = 1e-7
"""A matrix whose condition number is below the inverse of this may be divided by its triangular root."""

SPARE, MANY = 8, 0.2
"""So many more eigenvectors are found than were asked for, and all of them beyond this share."""


def matrix_of(form: Form, X: Any) -> FloatArray:
    """The matrix of a form; products with long dense columns are foreseen from every eighth of them."""
    if sparse.issparse(X):
        return form.matrix(X)
    sampled = Form(form.rows, 0.0, form.psd)  # a ridge is for all columns
    return foreseen(
        lambda some: (form if some is X else sampled).matrix(some),
        X,
        cost=lambda some: float(some.size * some.shape[1]),
        steps=(1, 8),
    )


def solve_dense(
    numerator: FloatArray, denominator: FloatArray, count: int | None = None
) -> tuple[FloatArray, FloatArray, bool]:
    """``(values, vectors, all)`` of ``numerator w = value · denominator w``, largest value first.

    All there are, or at least the ``count`` largest, if those are few; ``all`` says which. The vectors are orthonormal
    in the denominator. Its null space is discarded first, by an eigenproblem of its own; where it has none, a
    triangular root does in its place, for a tenth of the cost. Either way the problem becomes symmetric, so nothing
    complex can come out.
    """
    root = sound_root(denominator)
    if root is None:
        with part(0, 0.5):
            values, vectors = foreseen(np.linalg.eigh, denominator)
        kept = values > NULL * values.max(initial=0.0)
        whiten = vectors[:, kept] / np.sqrt(values[kept])
        inner = whiten.T @ numerator @ whiten
        with part(0.5, 1):
            values, vectors = foreseen(np.linalg.eigh, (inner + inner.T) / 2)
        return values[::-1], whiten @ vectors[:, ::-1], True
    few = count is not None and count + SPARE < MANY * len(root)
    wanted = count + SPARE if count is not None and few else None
    values, vectors = foreseen(lambda A, L: _largest(A, L, wanted), numerator, root)
    return values, vectors, not few


def _largest(numerator: FloatArray, root: FloatArray, count: int | None) -> tuple[FloatArray, FloatArray]:
    """The largest values, or all, and their vectors, of a problem whose denominator is ``root · rootᵀ``."""
    inner = divided(numerator, root)
    if count is None:
        values, vectors = np.linalg.eigh(inner)
    else:
        values, vectors = largest_eigenpairs(inner, min(count, len(inner)))
    return values[::-1], solved(root, vectors[:, ::-1])


def sound_root(matrix: FloatArray) -> FloatArray | None:
    """The lower triangular root of a matrix that is far from singular; None of any other."""
    try:
        root = np.asfortranarray(np.linalg.cholesky(matrix), dtype=np.float64)
    except linalg.LinAlgError:
        return None
    if not len(root):
        return None
    condition, _ = dpocon(root, np.abs(matrix).sum(axis=0).max(), uplo="L")
    return root if condition > SOUND else None
