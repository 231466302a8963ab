"""The dense route: both forms as matrices, one eigenproblem after another."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.linalg.lapack import dpocon, dsygst

from ..constraints.pairs import FloatArray

NULL = 1e-10
"""Eigenvalues of the denominator below this share of its largest count as zero."""

SOUND = 1e-7
"""A matrix whose condition number is below the inverse of this may be divided by its triangular root."""

SPARE, MANY = 8, 0.2
"""So many more eigenvectors are found than were asked for, and all of them beyond this share."""


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
        values, vectors = linalg.eigh(denominator, driver="evd")
        kept = values > NULL * values.max(initial=0.0)
        whiten = vectors[:, kept] / np.sqrt(values[kept])
        inner = whiten.T @ numerator @ whiten
        values, vectors = linalg.eigh((inner + inner.T) / 2, driver="evd")
        return values[::-1], whiten @ vectors[:, ::-1], True
    inner, _ = dsygst(numerator, root, itype=1, lower=1)
    size = len(inner)
    few = count is not None and count + SPARE < MANY * size
    if count is not None and few:
        values, vectors = linalg.eigh(inner, subset_by_index=[size - count - SPARE, size - 1], check_finite=False)
    else:
        values, vectors = linalg.eigh(inner, driver="evd", check_finite=False)
    return values[::-1], linalg.solve_triangular(root, vectors[:, ::-1], lower=True, trans="T"), not few


def sound_root(matrix: FloatArray) -> FloatArray | None:
    """The lower triangular root of a matrix that is far from singular; None of any other."""
    try:
        root = linalg.cholesky(matrix, lower=True)
    except linalg.LinAlgError:
        return None
    if not len(root):
        return None
    condition, _ = dpocon(root, np.abs(matrix).sum(axis=0).max(), uplo="L")
    return root if condition > SOUND else None
