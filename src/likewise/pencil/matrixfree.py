"""The matrix-free route: a restarted block Krylov method that only multiplies by the data.

The quotient ``numerator / denominator`` is maximised in a growing subspace V, orthonormal in the denominator D. The
subspace grows by ``D⁻¹ (N u − θ D u)`` for the Ritz vectors u that have not settled. With the exact inverse that is
block Lanczos for ``D⁻¹ N`` with full reorthogonalisation; with an inexact one it is Davidson's method.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse

from ..forms.form import Form

Array = np.ndarray
Linear = Callable[[Array], Array]

WOODBURY = 4000
"""Up to this many rows in the denominator its inverse is applied exactly."""

INNER_STEPS = 12
"""Steps of conjugate gradients that stand in for the inverse beyond that."""

MAX_STEPS = 300


def solve_matrix_free(
    X: Any,
    numerator: Form,
    denominator: Form,
    n_components: int,
    *,
    tol: float,
    random_state: int | np.random.Generator | None,
) -> Array:
    """The ``n_components`` directions with the largest ``numerator / denominator``, as columns."""
    f = X.shape[1]
    rng = np.random.default_rng(random_state)
    apply_denominator, inverse = _with_inverse(X, denominator)
    block = min(f, max(8, min(n_components + 8, 24)))
    ceiling = min(f, max(3 * n_components, n_components + 6 * block))
    # The subspace, and both forms applied to it; the first ``size`` columns are in use.
    V, DV, NV = (np.empty((f, ceiling), order="F") for _ in range(3))
    H = np.zeros((ceiling, ceiling))  # Vᵀ N V
    size = 0
    watched = np.arange(n_components)

    fresh = inverse(numerator.apply(X, rng.standard_normal((f, min(f, n_components + 8)))))
    for _ in range(MAX_STEPS):
        fresh, D_fresh = _orthonormal(fresh, apply_denominator, V[:, :size], DV[:, :size])
        if size and not fresh.shape[1]:
            break
        old, size = size, size + fresh.shape[1]
        V[:, old:size], DV[:, old:size], NV[:, old:size] = fresh, D_fresh, numerator.apply(X, fresh)
        H[:size, old:size] = V[:, :size].T @ NV[:, old:size]
        H[old:size, :old] = H[:old, old:size].T
        values, turn = linalg.eigh(_symmetric(H[:size, :size]))
        values, turn = values[::-1], turn[:, ::-1]
        if size >= f:
            break
        floor = tol * np.abs(values).max()
        # What has settled stays settled as the subspace grows; all are looked at once more before the end.
        for candidates in (watched, np.arange(n_components)):
            some = turn[:, candidates]
            residuals = NV[:, :size] @ some - (DV[:, :size] @ some) * values[candidates]
            corrections = inverse(residuals)
            errors = np.sqrt(np.maximum(np.einsum("ij,ij->j", residuals, corrections), 0.0))
            unsettled = np.flatnonzero(errors > floor)
            if len(unsettled):
                break
        if not len(unsettled):
            break
        watched = candidates[unsettled]
        fresh = corrections[:, unsettled[:block]]
        if size + block > ceiling:
            turn = turn[:, : min(n_components + block, ceiling - block)]
            for A in (V, DV, NV):
                A[:, : turn.shape[1]] = A[:, :size] @ turn
            size = turn.shape[1]
            H[:size, :size] = np.diag(values[:size])
            turn = np.eye(size)
    else:
        warnings.warn(
            f"the matrix-free route stopped after {MAX_STEPS} steps with {len(watched)} of {n_components} directions "
            f"not settled to tol={tol}. Ask for fewer directions, a larger ridge, or a larger tol.",
            stacklevel=4,
        )
    return V[:, :size] @ turn[:, :n_components]


def _symmetric(M: Array) -> Array:
    return (M + M.T) / 2


def _orthonormal(T: Array, form: Linear, V: Array, DV: Array) -> tuple[Array, Array]:
    """``T`` made orthonormal in the form, and against V; and the form applied to it."""
    T = T / np.maximum(np.linalg.norm(T, axis=0), np.finfo(float).tiny)
    for _ in range(2):
        T = T - V @ (DV.T @ T)
        DT = form(T)
        values, turn = linalg.eigh(_symmetric(T.T @ DT))
        kept = values > 1e-13 * values.max(initial=0.0)
        turn = turn[:, kept] / np.sqrt(values[kept])
        T, DT = T @ turn, DT @ turn
    return T, DT


def _with_inverse(X: Any, form: Form) -> tuple[Linear, Linear]:
    """The form as a map, and its inverse (or what stands in for it)."""
    ridge = np.broadcast_to(np.asarray(form.ridge, dtype=float), X.shape[1])
    if form.rows is None:
        return lambda T: T * ridge[:, None], lambda R: R / ridge[:, None]
    _, E, B = form.rows.span()
    if E.shape[1] > WOODBURY:
        return lambda T: form.apply(X, T), _conjugate_gradients(X, form)
    C = E.T @ X  # the few rows that the form sees
    return lambda T: T * ridge[:, None] + C.T @ (B @ (C @ T)), _woodbury(C, B, ridge)


def _woodbury(C: Any, B: sparse.csr_array, ridge: Array) -> Linear:
    """``(diag(ridge) + Cᵀ B C)⁻¹`` by a solve as large as B.

    = R⁻¹ − R⁻¹ Cᵀ Q C R⁻¹ with ``Q = (I + B G)⁻¹ B`` and ``G = C R⁻¹ Cᵀ``; B may be singular.
    """
    scaled = C @ sparse.diags_array(1.0 / ridge)
    G = scaled @ C.T
    G = G.toarray() if sparse.issparse(G) else G
    Q = linalg.solve(np.eye(len(G)) + B @ G, B.toarray())
    Q = _symmetric(Q)

    def inverse(R: Array) -> Array:
        return R / ridge[:, None] - scaled.T @ (Q @ (scaled @ R))

    return inverse


def _conjugate_gradients(X: Any, form: Form) -> Linear:
    """A fixed number of Jacobi-preconditioned steps, all columns at once."""
    diagonal = form.diagonal(X)[:, None]

    def inverse(R: Array) -> Array:
        solution, residual = np.zeros_like(R), R.copy()
        towards = residual / diagonal
        direction, energy = towards, np.einsum("ij,ij->j", residual, towards)
        for _ in range(INNER_STEPS):
            image = form.apply(X, direction)
            curvature = np.einsum("ij,ij->j", direction, image)
            step = np.divide(energy, curvature, out=np.zeros_like(energy), where=curvature > 0)
            solution += step * direction
            residual -= step * image
            towards = residual / diagonal
            renewed = np.einsum("ij,ij->j", residual, towards)
            ratio = np.divide(renewed, energy, out=np.zeros_like(energy), where=energy > 0)
            direction, energy = towards + ratio * direction, renewed
        return solution

    return inverse
