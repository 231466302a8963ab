"""The diagonal metric by Newton–Raphson with the whole Hessian, the way the paper timed it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from likewise import Constraints

Array = np.ndarray

RIDGE = 1e-6
"""Share of a random pair's squared difference that every feature costs: without must-links there is no optimum."""


def newton_metric(X: Array, hints: Constraints, *, tol: float = 1e-3, max_iter: int = 100) -> Array:
    """The weights at which :func:`newton_steps` ends."""
    *_, weights = newton_steps(X, hints, tol=tol, max_iter=max_iter)
    return weights


def newton_steps(X: Array, hints: Constraints, *, tol: float = 1e-3, max_iter: int = 100) -> Iterator[Array]:
    """The start, then the weights after each step.

    Lowered is the sum over must-links of ‖·‖²_A − log of the sum over cannot-links of ‖·‖_A.
    Each step inverts the features × features Hessian (with a millionth of its mean on the diagonal: fewer pairs than
    features leave it singular), is halved for as long as that lowers the objective, and is clipped at zero, as in the
    code that Xing et al. published. It ends when the objective changes by less than a thousandth. On many features that
    is far from the optimum, and a smaller `tol` does not help: clipped steps stop lowering the objective.
    """
    must, cannot = (np.square(X[pairs[:, 0]] - X[pairs[:, 1]]) for pairs in (hints.must_link, hints.cannot_link))
    linear = must.sum(axis=0) + 2 * RIDGE * max(len(must), 1) * X.var(axis=0)
    n_features = X.shape[1]

    def objective(weights: Array) -> float:
        return float(linear @ weights - np.log(np.sqrt(np.maximum(cannot @ weights, 1e-300)).sum()))

    weights = np.full(n_features, 0.5 / linear.sum())  # the must-link sum is ½ at the optimum
    yield weights
    for _ in range(max_iter):
        inner = cannot @ weights
        inner = np.maximum(inner, 1e-9 * inner.max())
        total = np.sqrt(inner).sum()
        slope = (cannot / (2 * np.sqrt(inner))[:, None]).sum(axis=0) / total
        hessian = np.outer(slope, slope) + (cannot.T * inner**-1.5) @ cannot / (4 * total)
        hessian[np.diag_indices(n_features)] += 1e-6 * np.trace(hessian) / n_features
        step = np.linalg.inv(hessian) @ (linear - slope)
        moved, length = np.maximum(weights - step, 0.0), 0.5
        while length > 1e-12:
            shorter = np.maximum(weights - length * step, 0.0)
            if not objective(shorter) < objective(moved):
                break
            moved, length = shorter, length / 2
        before, after = objective(weights), objective(moved)
        if not after < before:
            yield weights  # a step was made, and taken back
            break
        weights = moved
        yield weights
        if before - after < tol * abs(after):
            break
