"""Scatters: how far rows or groups lie from a center.

Groups are given as codes, one a row; −1 is in no group.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray
from ..linalg._row_matrix import RowMatrix, indicator
from ._form import Form


def total_scatter(n: int) -> Form:
    """Σ over rows of (x − mean)(x − mean)ᵀ."""
    return Form(RowMatrix.centering(n))


def within_scatter(codes: IntArray) -> Form:
    """Σ over grouped rows of (x − c_group)(x − c_group)ᵀ."""
    Z, sizes = _members(codes)
    grouped = RowMatrix.diag((codes >= 0).astype(float))
    return Form(grouped - RowMatrix.low_rank(Z, sparse.diags_array(1.0 / sizes)))


def between_scatter(codes: IntArray) -> Form:
    """Σ over groups of size × (c_group − c)(c_group − c)ᵀ, c the mean of the grouped rows."""
    Z, sizes = _members(codes)
    grouped = (codes >= 0).astype(float)[:, None]
    groups = RowMatrix.low_rank(Z, sparse.diags_array(1.0 / sizes))
    return Form(groups - RowMatrix.low_rank(grouped) * (1.0 / max(sizes.sum(), 1.0)))


def centroid_scatter(codes: IntArray) -> Form:
    """Σ over groups of c_group c_groupᵀ: uncentered, each group counting once."""
    Z, sizes = _members(codes)
    groups = RowMatrix.low_rank(Z, sparse.diags_array(1.0 / sizes**2))
    return Form(groups.written_out(int((sizes == 1).sum())))  # a group of one is a row as it is


def centroids(codes: IntArray) -> sparse.csr_array:
    """The matrix M (n × groups) with ``Mᵀ X`` the group means."""
    Z, sizes = _members(codes)
    return sparse.csr_array(Z @ sparse.diags_array(1.0 / sizes))


def _members(codes: IntArray) -> tuple[sparse.csr_array, FloatArray]:
    used, dense = np.unique(codes[codes >= 0], return_inverse=True)
    packed = np.full(len(codes), -1)
    packed[codes >= 0] = dense
    Z = indicator(packed, len(used))
    return Z, np.asarray(Z.sum(axis=0)).ravel()
