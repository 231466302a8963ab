"""The best weights of features: a convex problem, solved on the few features that matter.

With s the must-link sum of each feature and C the squared differences of cannot-linked pairs, divide both by s. What is
left is, for b = a·s (elementwise),

    minimise  φ(b) = Σ_j b_j − log Σ_p belief_p √((C b)_p)      subject to b ≥ 0,

in which no unit of the data is left. φ is convex, Σ b = ½ at its minimum, and at most one feature more than there are
pairs needs a weight. So a small set of features is solved exactly by Newton's method, the gradient of the others says
which belong in it, and the set grows until none does: nothing features × features is ever formed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg

Array = np.ndarray

FIRST = 128
"""Features that one set may always hold; with more pairs it may hold as many."""

FLOOR = 1e-15
"""Added under the root, relative to a typical squared distance: the root has no derivative at 0."""

DENSE = 1000
"""Up to so many features the Hessian is written out."""

MOST_DENSE = 2**22
"""Sparse differences of the chosen features become dense up to so many entries."""

LEAST_DAMPING = 1e-11
"""Added to the diagonal of the scaled Hessian; raised while a step fails."""


@dataclass(frozen=True)
class Minimum:
    """Weights b, the steps taken, and by how much the conditions of optimality fail."""

    weights: Array
    n_iter: int
    residual: float


class Objective:
    """φ over some of the features."""

    def __init__(self, C: Any, beliefs: Array, floor: float) -> None:
        self.C, self.beliefs, self.floor = C, beliefs, floor

    def among(self, columns: Array) -> Objective:
        """The same for these features only, the others having no weight."""
        C = self.C[:, columns]
        if sparse.issparse(C) and C.shape[0] * C.shape[1] <= MOST_DENSE:
            C = C.toarray()
        return Objective(C, self.beliefs, self.floor)

    def value(self, b: Array) -> float:
        """φ(b)."""
        return float(b.sum() - np.log(self.beliefs @ self._distances(b)))

    def gradient(self, b: Array) -> Array:
        """∇φ(b) = 1 − Cᵀ(belief/d) / 2f, with f = Σ belief·d."""
        d = self._distances(b)
        return 1.0 - self.C.T @ (self.beliefs / d) / (2 * (self.beliefs @ d))

    def curvature(self, b: Array) -> Array:
        """The diagonal of the Hessian."""
        return self._curvature(*self._bend(b))

    def newton_system(self, b: Array, free: Array) -> Callable[[Array, float], Array]:
        """``(g, damping) → (H + damping)⁻¹ g`` among ``free``, H brought to a unit diagonal for it.

        H = ∇²φ(b) = Cᵀ diag(belief/d³) C / 4f + q qᵀ with q = 1 − ∇φ. Few features: written out. Many: multiplied with.
        """
        some = Objective(self.C[:, free], self.beliefs, self.floor)
        q, bend = self._bend(b)
        scale = 1 / np.sqrt(some._curvature(q[free], bend))
        C, q = some._scaled(scale), q[free] * scale
        if len(free) <= DENSE:
            H = (C.T * bend) @ C if not sparse.issparse(C) else (C.T @ sparse.diags_array(bend) @ C).toarray()
            H = H + np.outer(q, q)

            def solve(g: Array, damping: float) -> Array:
                damped = H + damping * np.eye(len(H))
                return scale * linalg.cho_solve(linalg.cho_factor(damped, check_finite=False), scale * g)

            return solve

        def solve_by_products(g: Array, damping: float) -> Array:
            def apply(x: Array) -> Array:
                x = x.ravel()
                return C.T @ (bend * (C @ x)) + q * (q @ x) + damping * x

            H = LinearOperator((len(free), len(free)), matvec=apply, dtype=np.float64)
            return scale * cg(H, scale * g, rtol=1e-4, maxiter=200)[0]

        return solve_by_products

    def _bend(self, b: Array) -> tuple[Array, Array]:
        d = self._distances(b)
        f = self.beliefs @ d
        return self.C.T @ (self.beliefs / d) / (2 * f), self.beliefs / (4 * f * d**3)

    def _curvature(self, q: Array, bend: Array) -> Array:
        squares = self.C.power(2) if sparse.issparse(self.C) else np.square(self.C)
        return squares.T @ bend + q * q

    def _scaled(self, scale: Array) -> Any:
        return sparse.csc_array(self.C @ sparse.diags_array(scale)) if sparse.issparse(self.C) else self.C * scale

    def _distances(self, b: Array) -> Array:
        return np.sqrt(self.C @ b + self.floor)


def minimise(C: Any, beliefs: Array, *, tol: float = 1e-6, max_iter: int = 1000) -> Minimum:
    """Minimise φ over all features.

    Parameters
    ----------
    C : (pairs, f) array or sparse matrix
        Squared differences of cannot-linked pairs, each feature divided by its must-link sum; not all zero.
    beliefs : (pairs,) array
    tol : float
        Stop when ``max |b − max(b − ∇φ(b), 0)|`` is below it: that is zero exactly at the minimum.
    max_iter : int
        Newton steps in all.

    Examples
    --------
    >>> import numpy as np
    >>> found = minimise(np.array([[4.0, 0.0], [0.0, 1.0]]), np.ones(2))
    >>> found.weights.round(6), found.residual < 1e-6
    (array([0.4, 0.1]), True)
    """
    C = sparse.csc_array(C) if sparse.issparse(C) else C
    scores = beliefs @ np.sqrt(C)  # of each feature, had it all the weight
    b = 0.5 * scores**2 / (scores @ scores)
    typical = (beliefs @ np.sqrt(C @ b)) / beliefs.sum()
    phi = Objective(C, beliefs, FLOOR * typical**2)
    chosen, inside = thin_out(phi, b)
    n_iter = 0
    while True:
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
        inside = multiply(phi.among(chosen), b[chosen])


def multiply(phi: Objective, b: Array) -> Array:
    """A few steps b ← b·(1 − ∇φ)², brought to Σ b = ½: they never raise φ and need no Hessian.

    By Jensen's inequality √(Σ_j C_pj b_j) ≥ Σ_j √(ρ_pj C_pj b_j) for any shares ρ that add up to 1; with the shares
    of the present b both sides agree there, and the right-hand sum is largest at this step.
    """
    for _ in range(20):
        b = b * np.square(1.0 - phi.gradient(b))
        b *= 0.5 / b.sum()
    return b


def thin_out(phi: Objective, b: Array) -> tuple[Array, Array]:
    """The features that still count after many such steps, and their weights: where Newton's method should start."""
    chosen, value = np.arange(len(b)), np.inf
    for _ in range(20):
        b = multiply(phi, b)
        strong = np.flatnonzero(b > 1e-7 * b.max())
        if 2 * len(strong) < len(b):
            chosen, b, phi = chosen[strong], b[strong], phi.among(strong)
        before, value = value, phi.value(b)
        if before - value < 1e-4:
            break
    strong = np.flatnonzero(b > 1e-7 * b.max())
    return chosen[strong], b[strong]


def newton(phi: Objective, b: Array, tol: float, max_iter: int) -> tuple[Array, int]:
    """Projected Newton: a Newton step among the free features, Armijo's rule along its projection onto b ≥ 0.

    A feature at 0 that the gradient holds there takes no part in the step (Bertsekas 1982). Clipping a full Newton
    step instead can point uphill and stop anywhere.
    """
    damping = LEAST_DAMPING
    for step in range(max_iter):
        gradient = phi.gradient(b)
        residual = optimality(b, gradient)
        if residual <= tol * 1e-3:
            return b, step
        # Held at 0: small weights that a Newton step on them alone would bring below it.
        held = (gradient > 0) & (b <= min(1e-6, residual)) & (b * phi.curvature(b) <= gradient)
        free = np.flatnonzero(~held)
        solve = phi.newton_system(b, free)
        direction = -b
        while True:
            direction[free] = -solve(gradient[free], damping)
            nearer = _armijo(phi, b, gradient, direction)
            if nearer is not None:
                break
            damping *= 100  # more features than pairs: the Hessian says nothing about many directions
            if damping > 1e6:  # nothing to gain within the precision of φ
                return b, step
        b, damping = nearer, max(damping / 10, LEAST_DAMPING)
    return b, max_iter


def optimality(b: Array, gradient: Array) -> float:
    """How far b is from where a step down the gradient, put back to b ≥ 0, leads: 0 exactly at the minimum."""
    return float(np.abs(b - np.maximum(b - gradient, 0)).max(initial=0.0))


def _armijo(phi: Objective, b: Array, gradient: Array, direction: Array) -> Array | None:
    """The first of b + direction, b + direction/2, ... (put back to b ≥ 0) that lowers φ as promised; None if none."""
    start, size = phi.value(b), 1.0
    slack = 4 * np.finfo(float).eps * max(abs(start), 1.0)
    while size > 1e-3:
        tried = np.maximum(b + size * direction, 0)
        promised = gradient @ (tried - b)
        if promised < 0 and tried.any() and phi.value(tried) <= start + 1e-4 * promised + slack:
            return tried
        size /= 2
    return None
