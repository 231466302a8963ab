"""The dense route: both forms as matrices, one eigenproblem after another."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ..constraints.pairs import FloatArray

NULL = 1e-10
"""Eigenvalues of the denominator below this share of its largest count as zero."""


def solve_dense(numerator: FloatArray, denominator: FloatArray) -> tuple[FloatArray, FloatArray]:
    """All ``(values, vectors)`` of ``numerator w = value · denominator w``, largest value first.

    The vectors are orthonormal in the denominator. Its null space is discarded first; what is left is positive
    definite, so both steps are symmetric and nothing complex can come out.
    """
    values, vectors = linalg.eigh(denominator, driver="evd")
    kept = values > NULL * values.max(initial=0.0)
    whiten = vectors[:, kept] / np.sqrt(values[kept])
    inner = whiten.T @ numerator @ whiten
    values, vectors = linalg.eigh((inner + inner.T) / 2, driver="evd")
    return values[::-1], whiten @ vectors[:, ::-1]
