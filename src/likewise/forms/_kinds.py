"""The forms that the methods are built from: graph forms, scatter matrices, and ridges.

Groups are given as one code per row; −1 means that a row is in no group.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import BoolArray, FloatArray, IntArray
from ..linalg._row_matrix import RowMatrix, indicator
from ._form import Form


def laplacian(graph: RowMatrix | Any, *, signed: bool = False) -> Form:
    """Sum over edges of weight × (difference along w)²: ``K = D − W``, with D the row sums of W.

    Parameters
    ----------
    graph : RowMatrix, symmetric sparse or dense matrix
        W, the weights between rows.
    signed : bool
        Whether some weights are negative; the form is then not assumed to be positive semi-definite.

    Returns
    -------
    Form

    See Also
    --------
    degree : The usual denominator for a Laplacian.

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
    """Sum over rows of degree × (position along w)²: ``K = D``, the row sums of the graph.

    The form is indefinite if a row sum is negative.

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
    """``Σ cost_j w_j²``, independent of the rows; ``ridge(1.0)`` is the identity.

    Parameters
    ----------
    cost : float or (f,) array
        Nonnegative.

    Returns
    -------
    Form
    """
    if not np.all(np.asarray(cost) >= 0):
        raise ValueError(f"a ridge must not be negative, got {np.min(cost)}.")
    return Form(None, cost)


def relative_ridge(amount: float, scale: Form, X: Any) -> Form:
    """A ridge on every feature, relative to the mean diagonal entry of another form.

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
    """Scatter of all n rows: the sum of weight × (x − mean)(x − mean)ᵀ.

    Parameters
    ----------
    n : int
    sample_weight : (n,) array, optional
        A row of weight 3 counts as three rows, one of weight 0 is ignored. Default: 1.

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
    """Scatter within groups: the sum of (x − c)(x − c)ᵀ with c the centroid of the row's group.

    Parameters
    ----------
    codes : (n,) int array
        The group of each row; −1 is in none.
    sample_weight : (n,) array, optional
        The weight of each row.

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
    """Scatter between groups: the sum of size × (c_group − c)(c_group − c)ᵀ with c the mean of the grouped rows.

    Parameters
    ----------
    codes : (n,) int array
        The group of each row; −1 is in none.
    sample_weight : (n,) array, optional
        The weight of each row.

    Returns
    -------
    Form
    """
    Z, sizes, _ = _members(codes, sample_weight)
    grouped = _grouped(codes, sample_weight)[:, None]
    groups = RowMatrix.low_rank(Z, sparse.diags_array(1.0 / sizes))
    return Form(groups - RowMatrix.low_rank(grouped) * (1.0 / (sizes.sum() or 1.0)))


def centroid_scatter(codes: IntArray, sample_weight: FloatArray | None = None) -> Form:
    """Uncentered scatter of the group centroids: the sum of c_group c_groupᵀ, with equal weight for every group.

    Parameters
    ----------
    codes : (n,) int array
        The group of each row; −1 is in none.
    sample_weight : (n,) array, optional
        The weight of each row. A group of one row of weight 3 counts as three groups.

    Returns
    -------
    Form
    """
    Z, sizes, single = _members(codes, sample_weight)
    groups = RowMatrix.low_rank(Z, sparse.diags_array(np.where(single, sizes, 1.0) / sizes**2))
    return Form(groups.written_out(int(single.sum())))  # groups of one row are cheaper in the sparse part


def centroids(codes: IntArray, sample_weight: FloatArray | None = None) -> tuple[sparse.csr_array, FloatArray]:
    """The n × groups matrix M such that ``Mᵀ X`` are the group means, and the weight of each group."""
    Z, sizes, single = _members(codes, sample_weight)
    return sparse.csr_array(Z @ sparse.diags_array(1.0 / sizes)), np.where(single, sizes, 1.0)


def _members(codes: IntArray, weight: FloatArray | None) -> tuple[sparse.csr_array, FloatArray, BoolArray]:
    """The weighted membership matrix, the weight of each group, and whether the group has only one row."""
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
    """The weight of each row; 0 for rows in no group."""
    return np.where(codes >= 0, 1.0 if weight is None else weight, 0.0)
