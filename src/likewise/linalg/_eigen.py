"""Eigenproblems: dense symmetric ones, orthonormal bases, and the leading eigenvectors of a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.linalg.lapack import dpocon, dpstrf, dsygst
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from .._arrays import FloatArray, IntArray
from .._progress import report

NULL = 1e-10
"""Eigenvalues of a denominator below this fraction of its largest eigenvalue count as zero."""

WELL_CONDITIONED = 1e-7
"""Matrices with a reciprocal condition number above this are inverted by their Cholesky factor."""

SPARE = 8
"""Number of eigenvectors computed in addition to those requested."""

MANY = 0.2
"""If more than this fraction of the eigenvectors is requested, all of them are computed."""

DENSE = 600
"""Up to this number of vertices in a component, a full decomposition is faster than an iteration for a few vectors."""

LARGE = 6000
"""Beyond this number of vertices no full matrix is built. Below it, an iteration that would cost more than a full
decomposition is stopped."""

Further = Callable[[IntArray, int], tuple[FloatArray, FloatArray]]
"""``(rows, r) → values, vectors``: the r leading eigenpairs of one component, without the trivial one, √degree."""


# -- dense matrices -----------------------------------------------------------------------------------------------


def generalized_eigh(
    numerator: FloatArray, denominator: FloatArray, count: int | None = None
) -> tuple[FloatArray, FloatArray, bool]:
    """Eigenpairs of ``numerator w = value · denominator w``, largest value first.

    The denominator may be singular: its null space is found by an eigendecomposition and discarded. A well-conditioned
    denominator is factorized by Cholesky instead, at a tenth of the cost. Both ways lead to a symmetric problem, so the
    result is always real.

    Parameters
    ----------
    numerator, denominator : (f, f) array
        Symmetric; the denominator positive semi-definite.
    count : int, optional
        Number of largest eigenpairs to compute, at least. If None or close to f, all are computed.

    Returns
    -------
    values : (r,) array
    vectors : (f, r) array
        Orthonormal with respect to the denominator.
    is_complete : bool
        Whether these are all eigenpairs.

    Examples
    --------
    >>> values, vectors, is_complete = generalized_eigh(np.diag([3.0, 1.0, 4.0]), np.diag([1.0, 1.0, 2.0]))
    >>> values, is_complete
    (array([3., 2., 1.]), True)
    """
    root = well_conditioned_cholesky(denominator)
    if root is None:
        values, vectors = np.linalg.eigh(denominator)
        kept = values > NULL * values.max(initial=0.0)
        whiten = vectors[:, kept] / np.sqrt(values[kept])
        inner = whiten.T @ numerator @ whiten
        values, vectors = np.linalg.eigh((inner + inner.T) / 2)
        return values[::-1], whiten @ vectors[:, ::-1], True
    inner, _ = dsygst(numerator, root, lower=1)
    few = count is not None and count + SPARE < MANY * len(root)
    if count is not None and few:
        size = len(root)
        values, vectors = linalg.eigh(inner, lower=True, subset_by_index=(size - count - SPARE, size - 1))
    else:
        values, vectors = np.linalg.eigh(inner)
    return values[::-1], linalg.solve_triangular(root, vectors[:, ::-1], lower=True, trans="T"), not few


def well_conditioned_cholesky(matrix: FloatArray) -> FloatArray | None:
    """The lower Cholesky factor of a well-conditioned matrix; None for any other matrix."""
    try:
        root = np.asfortranarray(np.linalg.cholesky(matrix), dtype=np.float64)
    except linalg.LinAlgError:
        return None
    if not len(root):
        return None
    reciprocal, _ = dpocon(root, np.abs(matrix).sum(axis=0).max(), uplo="L")
    return root if reciprocal > WELL_CONDITIONED else None


def orthonormal_rows(C: Any) -> FloatArray:
    """An orthonormal basis of the row space of C, by a rank-revealing (pivoted) QR decomposition of Cᵀ.

    A sparse C is never converted to dense: the triangular factor comes from a pivoted Cholesky decomposition of C Cᵀ.
    That loses half of the digits; a second decomposition with the same pivots restores them.

    Parameters
    ----------
    C : (b, f) array or sparse matrix

    Returns
    -------
    (rank, f) array

    Examples
    --------
    >>> orthonormal_rows(np.array([[3.0, 4.0], [6.0, 8.0]])).round(9)
    array([[0.6, 0.8]])
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
    """The columns of W, with signs such that the entry of largest magnitude is positive (the first one, if tied)."""
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
    # L⁻¹ is small and C is sparse, so no intermediate result is larger than the output.
    return np.asarray((chosen.T @ linalg.solve_triangular(L, np.eye(rank), lower=True).T).T)


# -- normalized graphs --------------------------------------------------------------------------------------------
#
# Every connected component contributes the eigenvalue 1 to D^-½ K D^-½, with eigenvector √degree on that component.
# With several components this eigenvalue is multiple, and a solver may return any rotation of these vectors. They are
# therefore constructed directly, and only the vectors after them are computed, component by component. So the result
# does not depend on how a solver breaks ties.


def connected_parts(graph: Any, degrees: FloatArray) -> list[IntArray]:
    """The vertices of each connected component, largest sum of degrees first; vertices of degree 0 are left out."""
    count, codes = connected_components(graph, directed=False)
    inside = np.flatnonzero(degrees > 0)
    volume = np.bincount(codes[inside], degrees[inside], minlength=count)
    order = np.argsort(-volume, kind="stable")
    by_part = inside[np.argsort(codes[inside], kind="stable")]
    bounds = np.cumsum(np.bincount(codes[inside], minlength=count))
    parts = np.split(by_part, bounds[:-1])
    return [parts[number] for number in order if volume[number] > 0]


def leading_pairs(
    parts: list[IntArray], degrees: FloatArray, n_vectors: int, further: Further
) -> tuple[FloatArray, FloatArray]:
    """The ``n_vectors`` leading eigenpairs: √degree of each component, then those that ``further`` computes.

    Vectors are columns. With more components than vectors the largest components are kept, and the rows of the others
    are zero. If there are fewer pairs than requested, the last values and vectors are zero.
    """
    n = len(degrees)
    V, eigenvalues = np.zeros((n, n_vectors)), np.zeros(n_vectors)
    eigenvalues[: len(parts)] = 1.0
    for column, rows in enumerate(parts[:n_vectors]):
        V[rows, column] = np.sqrt(degrees[rows] / degrees[rows].sum())
    left = n_vectors - len(parts)
    if left <= 0:
        return eigenvalues, V
    found = [(rows, *further(rows, min(left, len(rows) - 1))) for rows in parts if len(rows) > 1]
    values = np.concatenate([values for _, values, _ in found]) if found else np.zeros(0)
    owner = np.repeat(np.arange(len(found)), [len(values) for _, values, _ in found])
    position = np.concatenate([np.arange(len(values)) for _, values, _ in found]) if found else owner
    for column, best in enumerate(np.argsort(-values, kind="stable")[:left], start=len(parts)):
        rows, _, vectors = found[owner[best]]
        V[rows, column], eigenvalues[column] = vectors[:, position[best]], values[best]
    return eigenvalues, V


def largest_eigenpairs(M: Any, first: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """The ``count`` largest eigenpairs of a symmetric M (array or operator with @), without its eigenvector ``first``.

    ``first`` has unit length and the largest eigenvalue, 1; it is shifted to the other end of the spectrum.
    """
    n = len(first)
    if n <= DENSE or count > n // 4:
        values, vectors = _all_at_once(M, first, count)
    else:
        try:
            values, vectors = _iterated(M, first, count)
        except ArpackNoConvergence as failure:
            if n > LARGE:
                raise RuntimeError(
                    f"the {count} leading eigenvectors of a connected component with {n:,} rows did not converge: "
                    "their eigenvalues are not separated. Use more neighbors, or another number of clusters."
                ) from failure
            values, vectors = _all_at_once(M, first, count)
    values, vectors = values[::-1], vectors[:, ::-1]
    return values, vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(count)])


def _all_at_once(M: Any, first: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    full = M.toarray() if hasattr(M, "toarray") else np.asarray(M)
    lowest = linalg.norm(full, 1)
    full = full - (1 + lowest) * np.outer(first, first)
    try:
        values, vectors = linalg.eigh(full, subset_by_index=(len(full) - count, len(full) - 1))
    except linalg.LinAlgError:  # the default driver (evr) fails in rare cases; divide and conquer (evd) does not
        values, vectors = linalg.eigh(full, driver="evd")
    return values[-count:], vectors[:, -count:]


def _iterated(M: Any, first: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    n = len(first)
    n_products = 0

    def apply(x: FloatArray) -> FloatArray:
        nonlocal n_products
        n_products += 1
        report(n_products)
        x = x.ravel()
        return np.asarray(M @ x - 2 * first * (first @ x))

    operator = LinearOperator((n, n), matvec=apply, dtype=np.float64)
    start = np.random.default_rng(0).normal(size=n)
    restarts = None if n > LARGE else max(30, n * n // 100_000)
    width = min(n, max(2 * count + 1, 40))
    values, vectors = eigsh(operator, count, which="LA", v0=start, ncv=width, maxiter=restarts)
    order = np.argsort(values)
    return values[order], vectors[:, order]


def graph_eigenpairs(
    graph: Any, degrees: FloatArray, n_vectors: int, matrix: Callable[[IntArray], Any] | None = None
) -> tuple[FloatArray, FloatArray, int]:
    """The leading eigenpairs of D^-½ W D^-½, and the number of connected components of the graph W.

    ``matrix``, if given, maps the vertices of a component to another matrix with the same first eigenpair, (1,
    √degree).
    """
    parts = connected_parts(graph, degrees)

    def further(rows: IntArray, count: int) -> tuple[FloatArray, FloatArray]:
        first = np.sqrt(degrees[rows] / degrees[rows].sum())
        return largest_eigenpairs(matrix(rows) if matrix else normalized(graph, degrees, rows), first, count)

    values, V = leading_pairs(parts, degrees, n_vectors, further)
    return values, V, len(parts)


def normalized(K: Any, degrees: FloatArray, rows: IntArray) -> Any:
    """``D^-½ K D^-½`` restricted to some rows, which are in ascending order and have positive degrees."""
    if len(rows) < len(degrees):
        K = K[rows][:, rows]
    scale = 1 / np.sqrt(degrees[rows])
    if sparse.issparse(K):
        return sparse.csr_array(sparse.diags_array(scale) @ K @ sparse.diags_array(scale))
    return K * scale * scale[:, None]


def unit_length(V: FloatArray) -> FloatArray:
    """Rows divided by their length; zero rows stay zero."""
    length = linalg.norm(V, axis=1, keepdims=True)
    return np.asarray(np.divide(V, length, out=np.zeros_like(V), where=length > 0))
