"""The forms that papers are made of: of a graph over the rows, scatters around centers, and ridges.

Groups are given as codes, one a row; −1 is in no group.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import BoolArray, FloatArray, IntArray
from ..linalg._row_matrix import RowMatrix, indicator
from ._form import Form


def laplacian(graph: RowMatrix | Any, *, signed: bool = False) -> Form:
    """Σ over edges of weight × (difference along w)²: ``K = D − W``, D the row sums of W.

    Parameters
    ----------
    graph : RowMatrix, symmetric sparse or dense matrix
        W, the weights between rows.
    signed : bool
        Some weights are negative, so that the form is not positive semi-definite.

    Returns
    -------
    Form

    See Also
    --------
    degree : the form to divide a Laplacian by.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.forms import laplacian
    >>> from likewise.graphs import RowMatrix
    >>> one_edge = RowMatrix.from_pairs(3, np.array([[0, 2]]), np.array([1.0]))
    >>> laplacian(one_edge).matrix(np.array([[1.0], [5.0], [4.0]]))
    array([[9.]])
    """
    graph = RowMatrix.of(graph)
    return Form(RowMatrix.diag(graph.row_sums()) - graph, psd=not signed)


def degree(graph: RowMatrix | Any) -> Form:
    """Σ over rows of degree × (position along w)²: ``K = D``, the row sums; indefinite if one is negative.

    Parameters
    ----------
    graph : RowMatrix, symmetric sparse or dense matrix

    Returns
    -------
    Form
    """
    sums = RowMatrix.of(graph).row_sums()
    return Form(RowMatrix.diag(sums), psd=bool(np.all(sums >= 0)))


def ridge(cost: float | FloatArray) -> Form:
    """``Σ cost_j w_j²``, whatever the rows: ``ridge(1.0)`` is the identity.

    Parameters
    ----------
    cost : float or (f,) array
        Not negative.

    Returns
    -------
    Form
    """
    if not np.all(np.asarray(cost) >= 0):
        raise ValueError(f"a ridge must not be negative, got {np.min(cost)}.")
    return Form(None, cost)


def relative_ridge(amount: float, scale: Form, X: Any) -> Form:
    """A ridge of ``amount`` × the mean diagonal entry of another form, on every feature.

    Parameters
    ----------
    amount : float
    scale : Form
    X : (n, f) array or sparse matrix

    Returns
    -------
    Form
    """
    return ridge(float(amount) * max(float(scale.diagonal(X).mean()), 0.0))


def total_scatter(n: int, sample_weight: FloatArray | None = None) -> Form:
    """Σ over the n rows of weight × (x − mean)(x − mean)ᵀ.

    Parameters
    ----------
    n : int
    sample_weight : (n,) array, optional
        A row of weight 3 counts as three rows, one of weight 0 as none. Default: 1 for each.

    Returns
    -------
    Form

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.forms import total_scatter
    >>> total_scatter(2, np.array([3.0, 1.0])).matrix(np.array([[0.0], [4.0]]))
    array([[12.]])
    """
    return Form(RowMatrix.centering(n, sample_weight))


def within_scatter(codes: IntArray, sample_weight: FloatArray | None = None) -> Form:
    """Σ over grouped rows of (x − c)(x − c)ᵀ, c the centroid of the row's group.

    Parameters
    ----------
    codes : (n,) int array
        The group of each row; −1 is in none.
    sample_weight : (n,) array, optional
        How many rows each row counts as.

    Returns
    -------
    Form

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.forms import within_scatter
    >>> within_scatter(np.array([0, 0, -1])).matrix(np.array([[1.0], [3.0], [9.0]]))
    array([[2.]])
    """
    Z, sizes, _ = _members(codes, sample_weight)
    grouped = RowMatrix.diag(_grouped(codes, sample_weight))
    return Form(grouped - RowMatrix.low_rank(Z, sparse.diags_array(1.0 / sizes)))


def between_scatter(codes: IntArray, sample_weight: FloatArray | None = None) -> Form:
    """Σ over groups of size × (c_group − c)(c_group − c)ᵀ, c the mean of the grouped rows.

    Parameters
    ----------
    codes : (n,) int array
        The group of each row; −1 is in none.
    sample_weight : (n,) array, optional
        How many rows each row counts as.

    Returns
    -------
    Form
    """
    Z, sizes, _ = _members(codes, sample_weight)
    grouped = _grouped(codes, sample_weight)[:, None]
    groups = RowMatrix.low_rank(Z, sparse.diags_array(1.0 / sizes))
    return Form(groups - RowMatrix.low_rank(grouped) * (1.0 / (sizes.sum() or 1.0)))


def centroid_scatter(codes: IntArray, sample_weight: FloatArray | None = None) -> Form:
    """Σ over groups of c_group c_groupᵀ: uncentered, each group counting once.

    Parameters
    ----------
    codes : (n,) int array
        The group of each row; −1 is in none.
    sample_weight : (n,) array, optional
        How many rows each row counts as. A group of one row of weight 3 is three groups.

    Returns
    -------
    Form
    """
    Z, sizes, single = _members(codes, sample_weight)
    groups = RowMatrix.low_rank(Z, sparse.diags_array(np.where(single, sizes, 1.0) / sizes**2))
    return Form(groups.written_out(int(single.sum())))  # a group of one is a row as it is


def centroids(codes: IntArray, sample_weight: FloatArray | None = None) -> tuple[sparse.csr_array, FloatArray]:
    """The matrix M (n × groups) with ``Mᵀ X`` the group means, and how many groups each counts as."""
    Z, sizes, single = _members(codes, sample_weight)
    return sparse.csr_array(Z @ sparse.diags_array(1.0 / sizes)), np.where(single, sizes, 1.0)


def _members(codes: IntArray, weight: FloatArray | None) -> tuple[sparse.csr_array, FloatArray, BoolArray]:
    """Which row belongs to which group, by its weight; the weight of each group, and whether it has one row only."""
    if weight is not None:
        codes = np.where(weight > 0, codes, -1)
    used, dense = np.unique(codes[codes >= 0], return_inverse=True)
    packed = np.full(len(codes), -1)
    packed[codes >= 0] = dense
    Z = indicator(packed, len(used))
    single = np.bincount(dense, minlength=len(used)) == 1
    if weight is not None:
        Z = sparse.csr_array(sparse.diags_array(weight) @ Z)
    return Z, np.asarray(Z.sum(axis=0)).ravel(), single


def _grouped(codes: IntArray, weight: FloatArray | None) -> FloatArray:
    """The weight of each row that is in a group; 0 for the others."""
    return np.where(codes >= 0, 1.0 if weight is None else weight, 0.0)
