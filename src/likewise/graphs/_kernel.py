"""Gaussian kernels: their width, and kernels in whose feature space must-linked rows coincide.

Projecting the feature space of a kernel onto the null space of all must-link differences M maps every must-link group
to a single point. The kernel becomes ``K̂ = K − Kᴹᵀ W⁺ Kᴹ`` (DSP paper, Eqs. 4–8). The rank of this correction is at
most the number of must-links, and it needs only the kernel columns of must-linked rows.
"""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.metrics.pairwise import euclidean_distances
from threadpoolctl import threadpool_limits

from .._arrays import FloatArray, IntArray, evenly_spaced
from .._saved import WIDTHS
from .._sklearn import Interval, StrOptions
from .._warnings import NarrowKernelWarning
from ..constraints import Constraints

DELTA = [StrOptions({"median"}), Interval(Real, *WIDTHS, closed="both")]
"""Valid values of the parameter ``delta``."""

SAMPLE = 1500
"""Number of evenly spaced rows among which the median distance is computed."""

NULL = 1e-10
"""Eigenvalues of W below this fraction of the largest count as zero. Cycles of must-links make W singular."""

SURE = 100.0
"""Factor by which the estimated smallest eigenvalue of W must exceed that threshold for W to count as regular."""

SMALL = 500
"""Up to this number of must-links BLAS is fastest on one thread."""


def kernel_null_space(K: FloatArray, constraints: Constraints) -> FloatArray:
    """The kernel after projection onto the null space of the must-links.

    Parameters
    ----------
    K : (n, n) array
        Symmetric positive semi-definite kernel matrix.
    constraints : Constraints
        Rows of each must-link group collapse to one point. Cannot-links are not used.

    Returns
    -------
    (n, n) array
        K̂, in which ``K̂ᵢᵢ + K̂ⱼⱼ − 2 K̂ᵢⱼ = 0`` for every must-linked pair.

    Examples
    --------
    >>> import numpy as np
    >>> import likewise
    >>> K = np.array([[1.0, 0.2, 0.1], [0.2, 1.0, 0.3], [0.1, 0.3, 1.0]])
    >>> K_hat = likewise.graphs.kernel_null_space(K, likewise.Constraints(3, must_link=[(0, 2)]))
    >>> bool(np.isclose(K_hat[0, 0] + K_hat[2, 2] - 2 * K_hat[0, 2], 0))
    True
    """
    K = np.asarray(K, dtype=np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"K must be a square kernel matrix, got shape {K.shape}.")
    if not np.allclose(K, K.T, rtol=1e-7, atol=1e-8 * np.abs(K).max(initial=0.0)):
        raise ValueError("K must be symmetric; symmetrize it with (K + K.T) / 2 if rounding made it differ.")
    if constraints.n_samples != len(K):
        raise ValueError(
            f"constraints were built for {constraints.n_samples} rows, but K has {len(K)}. "
            "Restrict them to the same rows: constraints.restrict(rows)."
        )
    linked, differences = must_link_differences(constraints)
    T = K[:, linked] @ correction(K[np.ix_(linked, linked)], differences)
    return np.asarray(K - T @ T.T)


def must_link_differences(constraints: Constraints) -> tuple[IntArray, sparse.csr_array]:
    """``(linked, D)``: the rows in groups of two or more, and a sparse matrix of differences between them.

    The differences are those of each row of a group to the first one, a basis of all must-link differences.
    """
    groups = constraints.groups()
    _, first, inverse, sizes = np.unique(groups, return_index=True, return_inverse=True, return_counts=True)
    linked = np.flatnonzero(sizes[inverse] > 1)
    head = first[inverse[linked]]
    members = np.flatnonzero(linked != head)
    m, t = len(members), np.arange(len(members))
    D = sparse.csr_array((np.ones(m), (t, members)), shape=(m, len(linked)))
    D = D - sparse.csr_array((np.ones(m), (t, np.searchsorted(linked, head[members]))), shape=D.shape)
    return linked, sparse.csr_array(D)


def correction(K: FloatArray, differences: sparse.csr_array) -> FloatArray:
    """B such that ``K̂ = K − T Tᵀ`` with ``T = K[:, linked] B``, from the kernel between linked rows (Eqs. 7–8)."""
    W = differences @ (differences @ K).T
    with threadpool_limits(1 if len(W) <= SMALL else None, user_api="blas"):
        return np.asarray(differences.T @ _root_of_inverse((W + W.T) / 2))


def _root_of_inverse(W: FloatArray) -> FloatArray:
    """R such that ``W⁺ = R Rᵀ``, by Cholesky, or by the more expensive eigendecomposition if W is singular."""
    factor, failed = linalg.lapack.dpotrf(W, clean=True)
    if len(W) and not failed:
        rcond, _ = linalg.lapack.dpocon(factor, np.abs(W).sum(axis=0).max())
        if rcond > SURE * NULL:
            return np.asarray(linalg.lapack.dtrtri(factor)[0])
    values, vectors = np.linalg.eigh(W)
    kept = values > NULL * values.max(initial=0.0)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


def median_distance(X: Any) -> float:
    """The median distance between two rows, exact up to 1,500 rows."""
    n = X.shape[0]
    distances = euclidean_distances(X if n <= SAMPLE else X[evenly_spaced(n, SAMPLE)])
    median = float(np.median(distances[np.triu_indices_from(distances, 1)]))
    return median if median > 0 else 1.0


def resolve_delta(delta: float | str, X: Any) -> float:
    """``delta`` as a number; warns if the kernel is so narrow that collapsed groups are neighbors of all rows."""
    median = median_distance(X)
    if isinstance(delta, str):
        return median
    if delta < median / 2:
        warnings.warn(
            f"delta={delta:g} is less than half of the median distance between rows ({median:g}). With such a narrow "
            "kernel must-link groups become neighbors of all rows, and the result is useless. Use delta='median' or "
            "larger.",
            NarrowKernelWarning,
            stacklevel=4,
        )
    return float(delta)
