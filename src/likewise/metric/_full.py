"""The optimal full metric, by projected gradient ascent.

    maximize  g(A) = Σ_p w_p ‖x_i − x_j‖_A over cannot-links p   subject to  tr(A S) ≤ 1,  A ⪰ 0,

with S the must-link sum and w the weights of the pairs (Xing et al. 2002, Section 2.2). The published algorithm
alternates between projections onto the half-space and onto the cone after each gradient step. In coordinates where S is
the identity, both constraints only concern the eigenvalues of A (they are ≥ 0 and sum to 1), so the projection onto
both has a closed form. The maximum is the same.

g is concave and homogeneous of degree ½. So with M = ∇g(A) in these coordinates, the maximum exceeds g(A) by at most
λ_max(M) − tr(M A), which serves as the stopping criterion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from .._arrays import FloatArray
from .._progress import report

FLOOR = 1e-12
"""Added under the square root, relative to a typical squared distance, since the root has no derivative at 0."""

MEMORY = 8
"""A step may decrease the value, but not below the smallest of this number of previous values (nonmonotone search)."""


@dataclass(frozen=True)
class Maximum:
    """The metric A, the number of steps, and a bound on the relative distance to the maximum."""

    metric: FloatArray
    n_iter: int
    gap: float


def maximize(S: FloatArray, D: FloatArray, weights: FloatArray, *, tol: float, max_iter: int) -> Maximum:
    """Maximize g.

    Parameters
    ----------
    S : (f, f) array
        Must-link sum with its ridge, positive definite.
    D : (pairs, f) array
        Differences of cannot-linked rows, not all zero.
    weights : (pairs,) array
        Weights of the pairs.
    tol : float
        Stop when the relative distance to the maximum is at most this.
    max_iter : int

    Examples
    --------
    >>> import numpy as np
    >>> found = maximize(np.eye(2), np.array([[3.0, 4.0]]), np.ones(1), tol=1e-9, max_iter=50)
    >>> found.metric.round(6)
    array([[0.36, 0.48],
           [0.48, 0.64]])
    """
    L = linalg.cholesky(S, lower=True)
    # Differences in coordinates where S is the identity, one per column.
    Z = linalg.solve_triangular(L, D.T, lower=True)
    basis, sizes, _ = linalg.svd(Z, full_matrices=False)
    basis = basis[:, sizes > 1e-12 * sizes[0]]  # the optimal metric is zero outside their span
    B, n_iter, gap = _ascend(basis.T @ Z, weights / weights.sum(), tol, max_iter)
    half = linalg.solve_triangular(L.T, basis, lower=False)
    return Maximum(half @ B @ half.T, n_iter, gap)


def _ascend(Z: FloatArray, weights: FloatArray, tol: float, max_iter: int) -> tuple[FloatArray, int, float]:
    """Projected gradient ascent with Barzilai–Borwein steps over {B ⪰ 0, tr B = 1}."""
    r = len(Z)
    B = np.eye(r) / r
    floor = FLOOR * (weights @ np.sqrt(np.square(Z).sum(axis=0) / r)) ** 2

    def value_and_gradient(B: FloatArray) -> tuple[float, FloatArray]:
        d = np.sqrt(np.maximum(np.einsum("ip,ip->p", Z, B @ Z), 0.0) + floor)
        return float(weights @ d), (Z * (weights / (2 * d))) @ Z.T

    value, M = value_and_gradient(B)
    seen = [value]
    length = 1.0 / linalg.norm(M)
    n_iter = 0
    gap = _gap(B, M, value)
    while gap > tol and n_iter < max_iter:
        report(n_iter)
        n_iter += 1
        toward = project_spectahedron(B + length * M) - B
        rise, share = float(np.vdot(M, toward)), 1.0
        while True:
            tried = B + share * toward
            new_value, new_M = value_and_gradient(tried)
            if new_value >= min(seen[-MEMORY:]) + 1e-4 * share * rise or share < 1e-10:
                break
            share /= 2
        moved = tried - B
        curvature = float(np.vdot(moved, M - new_M))
        length = float(np.vdot(moved, moved)) / curvature if curvature > 0 else length * 10
        length = min(max(length, 1e-12 / linalg.norm(new_M)), 1e12 / linalg.norm(new_M))
        B, M, value = tried, new_M, new_value
        seen.append(value)
        gap = _gap(B, M, value)
    return B, n_iter, gap


def _gap(B: FloatArray, M: FloatArray, value: float) -> float:
    best = linalg.eigh(M, eigvals_only=True, subset_by_index=[len(M) - 1, len(M) - 1])[0]
    return max(0.0, float(best - np.vdot(M, B)) / value)


def project_spectahedron(B: FloatArray) -> FloatArray:
    """The closest matrix whose eigenvalues are nonnegative and sum to 1.

    >>> project_spectahedron(np.diag([2.0, 1.5, -3.0])).round(2).tolist()
    [[0.75, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.0]]
    """
    values, vectors = linalg.eigh((B + B.T) / 2)
    falling = values[::-1]
    surplus = (np.cumsum(falling) - 1) / np.arange(1, len(values) + 1)
    kept = np.flatnonzero(falling > surplus)[-1]
    values = np.maximum(values - surplus[kept], 0)
    return (vectors * values) @ vectors.T
