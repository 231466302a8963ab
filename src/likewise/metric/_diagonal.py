"""The optimal diagonal metric: a convex problem, solved with an active set of features.

Let s be the must-link sum of each feature, C the squared differences of cannot-linked pairs divided by s, w the weights
of the pairs, and b = a·s (elementwise). The problem is

    minimize  φ(b) = Σ_j b_j − log Σ_p w_p √((C b)_p)      subject to b ≥ 0,

which does not depend on the units of the data. φ is convex, Σ b = ½ at its minimum, and there is a minimum with at most
one nonzero weight more than there are pairs. So the problem is solved by Newton's method on a small set of features, to
which features with a negative gradient are added until there are none. A features × features matrix is never formed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg

from .._arrays import FloatArray, IntArray
from .._progress import report

FIRST = 128
"""Number of features that may be added at once, or the number of nonzero weights if that is larger."""

FLOOR = 1e-15
"""Added under the square root, relative to a typical squared distance, since the root has no derivative at 0."""

DENSE = 1000
"""Largest number of features for which the Hessian is formed."""

MOST_DENSE = 2**22
"""Largest size up to which sparse differences of the selected features are converted to dense."""

LEAST_DAMPING = 1e-11
"""Added to the diagonal of the scaled Hessian; increased while a step fails."""


@dataclass(frozen=True)
class Minimum:
    """Weights b of the features, the number of steps, and the violation of the optimality conditions."""

    weights: FloatArray
    n_iter: int
    residual: float


class Objective:
    """φ over some of the features, with its derivatives."""

    def __init__(self, C: Any, pair_weights: FloatArray, floor: float) -> None:
        self.C, self.pair_weights, self.floor = C, pair_weights, floor

    def among(self, columns: IntArray) -> Objective:
        """The same objective restricted to some features; the weights of the others are zero."""
        if len(columns) == self.C.shape[1]:
            return self
        C = self.C[:, columns]
        if sparse.issparse(C) and C.shape[0] * C.shape[1] <= MOST_DENSE:
            C = C.toarray()
        return Objective(C, self.pair_weights, self.floor)

    def value(self, b: FloatArray) -> float:
        """φ(b)."""
        return float(b.sum()) - log(self.pair_weights @ self._distances(b))

    def gradient(self, b: FloatArray) -> FloatArray:
        """∇φ(b) = 1 − Cᵀ(w/d) / 2f, with f = Σ w·d."""
        d = self._distances(b)
        return 1.0 - self._pull(d) / (2 * (self.pair_weights @ d))

    def multiplicative_steps(self, b: FloatArray, times: int) -> FloatArray:
        """Take ``times`` steps b ← b·(1 − ∇φ)², scaled to Σ b = ½, which never increase φ and need no Hessian.

        By Jensen's inequality √(Σ_j C_pj b_j) ≥ Σ_j √(ρ_pj C_pj b_j) for any shares ρ that sum to 1. For the shares at
        the current b both sides are equal, and the step maximizes the right-hand side (minorize–maximize). The steps do
        not depend on the scale of b, so it is normalized only once, at the end.
        """
        for _ in range(times):
            b = b * np.square(self._pull(self._distances(b)))
        return b * (0.5 / b.sum())

    def derivatives(self, b: FloatArray) -> Derivatives:
        """φ, its gradient and the terms of its Hessian at b."""
        d = self._distances(b)
        f = self.pair_weights @ d
        gain = self._pull(d) / (2 * f)
        curvature = self.pair_weights / (4 * f * d * d * d)
        return Derivatives(float(b.sum()) - log(f), gain, curvature, curvature @ self._squares + gain * gain)

    def newton_system(self, at: Derivatives, free: IntArray) -> Callable[[FloatArray, float], FloatArray | None]:
        """``(g, damping) → (H + damping)⁻¹ g`` restricted to ``free``, with H scaled to unit diagonal.

        H = ∇²φ = Cᵀ diag(curvature) C + gain gainᵀ. Up to ``DENSE`` features it is formed, and the result is None if it
        is not numerically positive definite; beyond, the system is solved by conjugate gradients.
        """
        scale = 1 / np.sqrt(at.diagonal[free])
        C = _scaled(self.C if len(free) == self.C.shape[1] else self.C[:, free], scale)
        gain = at.gain[free] * scale
        if len(free) <= DENSE:
            H = (C.T * at.curvature) @ C if not sparse.issparse(C) else (C.T @ _diagonal(at.curvature) @ C).toarray()
            H += np.outer(gain, gain)

            def solve(g: FloatArray, damping: float) -> FloatArray | None:
                damped = H.copy()
                damped.flat[:: len(H) + 1] += damping
                _, x, failed = linalg.lapack.dposv(damped, scale * g, overwrite_a=True)
                return None if failed else scale * x

            return solve

        def solve_by_products(g: FloatArray, damping: float) -> FloatArray:
            def apply(x: FloatArray) -> FloatArray:
                x = x.ravel()
                return C.T @ (at.curvature * (C @ x)) + gain * (gain @ x) + damping * x

            H = LinearOperator((len(free), len(free)), matvec=apply, dtype=np.float64)
            return scale * cg(H, scale * g, rtol=1e-4, maxiter=200)[0]

        return solve_by_products

    @cached_property
    def _squares(self) -> Any:
        return self.C.power(2) if sparse.issparse(self.C) else np.square(self.C)

    def _pull(self, d: FloatArray) -> FloatArray:
        return (self.pair_weights / d) @ self.C

    def _distances(self, b: FloatArray) -> FloatArray:
        return np.sqrt(self.C @ b + self.floor)


@dataclass(frozen=True)
class Derivatives:
    """φ and its derivatives at one point: see :meth:`Objective.newton_system`.

    ``gain`` is 1 − ∇φ, ``curvature`` the coefficient of each pair in the Hessian, ``diagonal`` its diagonal.
    """

    value: float
    gain: FloatArray
    curvature: FloatArray
    diagonal: FloatArray


def _scaled(C: Any, scale: FloatArray) -> Any:
    return sparse.csc_array(C @ _diagonal(scale)) if sparse.issparse(C) else C * scale


def _diagonal(values: FloatArray) -> Any:
    return sparse.diags_array(values)


def near_one(M: Any) -> Any:
    """M times the power of two that brings its largest entry near 1: powers of it vanish no more, and no digit changes.

    >>> near_one(np.array([3e-200, 1e-200])).round(2)
    array([0.57, 0.19])
    """
    return M * 2.0 ** -max(int(np.frexp(abs(M).max())[1]), -1000)


def minimize(C: Any, pair_weights: FloatArray, *, tol: float = 1e-6, max_iter: int = 1000) -> Minimum:
    """Minimize φ over all features.

    Parameters
    ----------
    C : (pairs, f) array or sparse matrix
        Squared differences of cannot-linked pairs, each feature divided by its must-link sum; not all zero.
    pair_weights : (pairs,) array
    tol : float
        Stop when ``max |b − max(b − ∇φ(b), 0)|``, which is zero exactly at the minimum, is below this.
    max_iter : int
        Maximum number of Newton steps in total.

    Examples
    --------
    >>> import numpy as np
    >>> found = minimize(np.array([[4.0, 0.0], [0.0, 1.0]]), np.ones(2))
    >>> found.weights.round(6), found.residual < 1e-6
    (array([0.4, 0.1]), True)
    """
    C = near_one(sparse.csc_array(C) if sparse.issparse(C) else C)
    scores = pair_weights @ np.sqrt(C)  # value of each feature if it had all the weight
    b = 0.5 * scores**2 / (scores @ scores)
    typical = (pair_weights @ np.sqrt(C @ b)) / pair_weights.sum()
    phi = Objective(C, pair_weights, FLOOR * typical**2)
    chosen, inside = prune(phi, b)
    n_iter = 0
    while True:
        report(n_iter)
        inside, steps = newton(phi.among(chosen), inside, tol, max_iter - n_iter)
        b = np.zeros(len(b))
        b[chosen] = inside
        n_iter += steps
        gradient = phi.gradient(b)
        residual = optimality(b, gradient)
        wanted = np.flatnonzero((gradient < -tol) & (b == 0))
        if residual <= tol or n_iter >= max_iter or not len(wanted):
            return Minimum(b, n_iter, residual)
        kept = np.flatnonzero(b)
        wanted = wanted[np.argsort(gradient[wanted], kind="stable")[: max(FIRST, len(kept))]]
        chosen = np.union1d(kept, wanted)
        b[wanted] = 1e-3 * b.max()
        inside = phi.among(chosen).multiplicative_steps(b[chosen], 20)


def prune(phi: Objective, b: FloatArray) -> tuple[IntArray, FloatArray]:
    """The features with a nonzero weight after many multiplicative steps, and their weights, to start Newton from."""
    chosen, value = np.arange(len(b)), np.inf
    for _ in range(20):
        b = phi.multiplicative_steps(b, 20)
        strong = np.flatnonzero(b > 1e-7 * b.max())
        if 2 * len(strong) < len(b):
            chosen, b, phi = chosen[strong], b[strong], phi.among(strong)
        before, value = value, phi.value(b)
        if before - value < 1e-2:
            break
    strong = np.flatnonzero(b > 1e-7 * b.max())
    return chosen[strong], b[strong]


def newton(phi: Objective, b: FloatArray, tol: float, max_iter: int) -> tuple[FloatArray, int]:
    """Projected Newton method: a Newton step in the free features, with Armijo's rule along its projection onto b ≥ 0.

    Features at 0 with a positive gradient are excluded from the step (Bertsekas 1982). Clipping a full Newton step
    instead may give an ascent direction.
    """
    damping = LEAST_DAMPING
    for step in range(max_iter):
        at = phi.derivatives(b)
        gradient = 1.0 - at.gain
        residual = optimality(b, gradient)
        if residual <= tol * 1e-3:
            return b, step
        # Fixed at 0: small weights (the sum of all is ½) that a Newton step on them alone would make negative. If free,
        # they would be clipped at 0 after the step, which would then have to be halved many times.
        held = (gradient > 0) & (b <= min(1e-2, residual)) & (b * at.diagonal <= gradient)
        free = np.flatnonzero(~held)
        solve = phi.newton_system(at, free)
        direction = -b
        while True:
            found = solve(gradient[free], damping)
            if found is not None:
                direction[free] = -found
                nearer = _armijo(phi, b, at.value, gradient, direction)
                if nearer is not None:
                    break
            damping *= 100  # with more features than pairs the Hessian is singular
            if damping > 1e6:  # no improvement is possible within the precision of φ
                return b, step
        b, damping = nearer, max(damping / 10, LEAST_DAMPING)
    return b, max_iter


def optimality(b: FloatArray, gradient: FloatArray) -> float:
    """The largest change of b by a projected gradient step, which is 0 exactly at the minimum."""
    return float(np.abs(b - np.maximum(b - gradient, 0)).max(initial=0.0))


def _armijo(
    phi: Objective, b: FloatArray, start: float, gradient: FloatArray, direction: FloatArray
) -> FloatArray | None:
    """The first of b + direction, b + direction/2, ... (projected onto b ≥ 0) to satisfy Armijo's rule, if any."""
    size = 1.0
    slack = 4 * np.finfo(float).eps * max(abs(start), 1.0)
    while size > 1e-3:
        tried = np.maximum(b + size * direction, 0)
        promised = gradient @ (tried - b)
        if promised < 0 and tried.any() and phi.value(tried) <= start + 1e-4 * promised + slack:
            return tried
        size /= 2
    return None
