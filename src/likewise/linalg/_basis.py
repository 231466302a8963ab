"""Orthonormal bases of a row space, without an eigenproblem."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.linalg.lapack import dpstrf

from .._arrays import FloatArray


def orthonormal_rows(C: Any) -> FloatArray:
    """Orthonormal rows spanning the row space of C (b × f), by a rank-revealing (pivoted) QR of Cᵀ.

    A sparse C is never made dense: the triangular factor comes from a pivoted Cholesky decomposition of C Cᵀ. That
    loses half of the digits; a second one, which keeps the order of the first, brings them back.
    """
    if not sparse.issparse(C):
        Q, R, _ = linalg.qr(np.asarray(C, dtype=np.float64).T, mode="economic", pivoting=True)
        sizes = np.abs(np.diag(R))
        rank = int(np.sum(sizes > max(C.shape) * np.finfo(float).eps * sizes.max(initial=0.0)))
        return with_sign(Q[:, :rank]).T
    basis = _cholesky_rows(C, (C @ C.T).toarray())
    L = linalg.cholesky(basis @ basis.T, lower=True)
    return with_sign(linalg.solve_triangular(L, basis, lower=True).T).T


def with_sign(W: FloatArray) -> FloatArray:
    """The columns of W with their largest entry positive; among entries as good as equal, the first decides."""
    if not W.size:
        return W
    highest, lowest = W.max(axis=0), -W.min(axis=0)
    signs = np.where(lowest > highest, -1.0, 1.0)
    alike = np.flatnonzero(np.minimum(highest, lowest) >= (1 - 1e-6) * np.maximum(highest, lowest))
    size = np.abs(W[:, alike])
    first = np.argmax(size >= (1 - 1e-6) * size.max(axis=0), axis=0)
    signs[alike] = np.where(W[first, alike] < 0, -1.0, 1.0)
    return W * signs


def _cholesky_rows(C: sparse.csr_array, gram: FloatArray) -> FloatArray:
    tolerance = len(gram) * np.finfo(float).eps * gram.diagonal().max(initial=0.0)
    factor, pivots, rank, _ = dpstrf(gram, tol=tolerance, lower=1)
    L = np.tril(factor[:rank, :rank])
    chosen = C[pivots[:rank] - 1]
    # L⁻¹ is small and C sparse: this way nothing is larger than the answer.
    return np.asarray((chosen.T @ linalg.solve_triangular(L, np.eye(rank), lower=True).T).T)
