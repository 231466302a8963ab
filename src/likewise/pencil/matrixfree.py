"""The matrix-free route: block Lanczos with thick restarts, which only multiplies by the data.

The wanted directions are the leading eigenvectors of A = D⁻¹ N, N the numerator and D the denominator. A is
self-adjoint in D, so a Krylov subspace V that is orthonormal in D, grown a block at a time, holds them soon; the part
of A V that leaves V tells how far each of them still is from settled, without a further product. Columns are scaled by
the ridge first, which makes D the identity plus what the pairs add.

With fewer rows than features, and N = Xᵀ R R X for a known R, the same directions are w = D⁻¹ Xᵀ R u with u the leading
eigenvectors of the symmetric R X D⁻¹ Xᵀ R: shorter vectors, and orthonormal in the plain sense.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse

from ..constraints.pairs import FloatArray
from ..forms.form import Form

Linear = Callable[[FloatArray], FloatArray]

BLOCK = 16
"""Columns that the subspace grows by."""

WOODBURY = 4000
"""Up to this many rows in the denominator, and half of all, its inverse is applied exactly."""

INNER_TOL, INNER_STEPS = 1e-11, 1000
"""How well, and in how many steps at most, conjugate gradients invert it beyond that."""

MAX_STEPS = 500


def solve_matrix_free(
    X: Any,
    numerator: Form,
    denominator: Form,
    n_components: int,
    *,
    tol: float,
    random_state: int | np.random.Generator | None,
) -> FloatArray:
    """The ``n_components`` directions with the largest ``numerator / denominator``, as columns."""
    scale = 1.0 / np.sqrt(np.broadcast_to(np.asarray(denominator.ridge, dtype=float), X.shape[1]))
    X = sparse.csr_array(X @ sparse.diags_array(scale)) if sparse.issparse(X) else X * scale
    N = Form(numerator.rows, numerator.ridge * scale**2, numerator.psd)
    metric, inverse = _with_inverse(X, Form(denominator.rows, 1.0))

    rng = np.random.default_rng(random_state)
    root = None if N.rows is None or np.any(N.ridge) or X.shape[0] >= X.shape[1] else N.rows.square_root()
    if root is not None:
        XT = X.T.tocsr() if sparse.issparse(X) else X.T

        def to_direction(U: FloatArray) -> FloatArray:
            return inverse(XT @ (root @ U))

        def advance(U: FloatArray) -> FloatArray:
            image: FloatArray = X @ to_direction(U)
            return root @ image

        start = advance(rng.standard_normal((X.shape[0], BLOCK)))
        W: FloatArray = scale[:, None] * to_direction(_leading(advance, None, start, n_components, tol))
        lengths = np.linalg.norm(W, axis=0)
        return W[:, lengths > 1e-12 * lengths.max(initial=0.0)]  # beyond the rank nothing is left of a direction

    def onward(W: FloatArray) -> FloatArray:
        return inverse(N.apply(X, W))

    start = onward(rng.standard_normal((X.shape[1], BLOCK)))
    return np.asarray(scale[:, None] * _leading(onward, metric, start, n_components, tol))


def _leading(advance: Linear, metric: Linear | None, start: FloatArray, n_components: int, tol: float) -> FloatArray:
    """The leading eigenvectors of A, where ``advance(Q)`` is A Q and ``metric(Q)`` is D Q (None: Q)."""
    full = len(start)
    n_components = min(n_components, full)
    ceiling = min(full, max(2 * n_components, n_components + 6 * BLOCK))
    V = np.empty((full, ceiling + BLOCK), order="F")
    DV = V if metric is None else np.empty_like(V)
    H = np.zeros((ceiling + BLOCK, ceiling + BLOCK))  # Vᵀ D A V
    size = 0
    Q, DQ, _ = _orthonormal(start, metric, V[:, :0], DV[:, :0])
    for _ in range(MAX_STEPS):
        old, size = size, size + Q.shape[1]
        V[:, old:size], DV[:, old:size] = Q, DQ
        W = advance(Q)
        H[:size, old:size] = DV[:, :size].T @ W
        H[old:size, :old] = H[:old, old:size].T
        values, turn = linalg.eigh(_symmetric(H[:size, :size]))
        values, turn = values[::-1], turn[:, ::-1]
        Q, DQ, leaving = _orthonormal(W, metric, V[:, :size], DV[:, :size])
        errors = np.linalg.norm(leaving @ turn[old:size, :n_components], axis=0)
        unsettled = int(np.sum(errors > tol * np.abs(values).max()))
        if (size >= n_components and not unsettled) or not Q.shape[1]:
            break
        if size + BLOCK > ceiling:
            kept = turn[:, : n_components + BLOCK]
            size = kept.shape[1]
            for A in [V] if DV is V else [V, DV]:
                A[:, :size] = A[:, : len(kept)] @ kept
            H[:size, :size] = np.diag(values[:size])
    else:
        warnings.warn(
            f"the matrix-free route stopped after {MAX_STEPS} steps with {unsettled} of {n_components} directions "
            f"not settled to tol={tol}. Ask for fewer directions, a larger ridge, or a larger tol.",
            stacklevel=4,
        )
        return V[:, :n_components]
    return np.asarray(V[:, :size] @ turn[:, :n_components])


def _symmetric(M: FloatArray) -> FloatArray:
    return (M + M.T) / 2


def _orthonormal(
    W: FloatArray, metric: Linear | None, V: FloatArray, DV: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """``(Q, D Q, B)``: the part of W outside V is ``Q B``, with Q orthonormal in D."""
    inside = DV.T @ W
    reach = float(np.square(inside).sum(axis=0).max(initial=0.0))
    W = W - V @ inside
    W = W - V @ (DV.T @ W)
    DW = W if metric is None else metric(W)
    values, turn = linalg.eigh(_symmetric(W.T @ DW))
    # Columns that depend on each other leave eigenvalues of rounding size.
    kept = values > max(1e-24 * reach, 1e-13 * values.max(initial=0.0))
    root = np.sqrt(values[kept])
    Q, DQ = W @ (turn[:, kept] / root), DW @ (turn[:, kept] / root)
    # What is left may be rounding noise, drawn out to unit length: then most of it lies inside V.
    inside = DV.T @ Q
    true = np.square(inside).sum(axis=0) < 0.5
    Q, DQ = Q[:, true] - V @ inside[:, true], DQ[:, true] - DV @ inside[:, true]
    return Q, DQ, (root[:, None] * turn[:, kept].T)[true]


def _with_inverse(X: Any, form: Form) -> tuple[Linear, Linear]:
    """A form with ridge 1 as a map, and its inverse."""
    if form.rows is None:
        return lambda W: W, lambda R: R
    if not easily_inverted(form):
        return lambda W: form.apply(X, W), _conjugate_gradients(X, form)
    # Woodbury: with C the few rows that the form sees and G = C Cᵀ,
    # (I + Cᵀ B C)⁻¹ = I − Cᵀ Q C, Q = (I + B G)⁻¹ B; B may be singular.
    _, E, B = form.rows.span()
    C = E.T @ X
    G = (C @ C.T).toarray() if sparse.issparse(C) else C @ C.T
    Q = _symmetric(linalg.solve(np.eye(len(G)) + B @ G, B.toarray()))
    return lambda W: W + C.T @ (B @ (C @ W)), lambda R: R - C.T @ (Q @ (C @ R))


def easily_inverted(form: Form) -> bool:
    """Whether the form touches so few rows, and so small a part of them, that Woodbury's identity is cheap."""
    if form.rows is None:
        return True
    span: int = len(form.rows.support()) + form.rows.factor.shape[1]
    return span <= min(WOODBURY, form.rows.n // 2)


def _conjugate_gradients(X: Any, form: Form) -> Linear:
    """Jacobi-preconditioned, all columns at once."""
    diagonal = form.diagonal(X)[:, None]

    def inverse(R: FloatArray) -> FloatArray:
        solution, residual = np.zeros_like(R), R.copy()
        direction = residual / diagonal
        energy = np.einsum("ij,ij->j", residual, direction)
        enough = INNER_TOL**2 * energy
        for _ in range(INNER_STEPS):
            image = form.apply(X, direction)
            curvature = np.einsum("ij,ij->j", direction, image)
            step = np.divide(energy, curvature, out=np.zeros_like(energy), where=curvature > 0)
            solution += step * direction
            residual -= step * image
            towards = residual / diagonal
            renewed = np.einsum("ij,ij->j", residual, towards)
            if np.all(renewed <= enough):
                break
            ratio = np.divide(renewed, energy, out=np.zeros_like(energy), where=energy > 0)
            direction, energy = towards + ratio * direction, renewed
        return solution

    return inverse
