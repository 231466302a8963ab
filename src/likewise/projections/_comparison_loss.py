"""The bounded logistic loss of comparisons, with a penalty for departing from PCA, and its minimization."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from .._arrays import FloatArray, IntArray, evenly_spaced
from ..constraints import Constraints

AVERAGE = 2.0
"""The mean squared distance of two rows under the initial map."""

MAX_PAIRS = 20_000
"""Maximum number of pairs that labels are expanded to."""

TOL = 1e-12
"""Relative tolerance of L-BFGS, for the change of the loss and for the gradient."""

STEADY = 0.1
"""The weight of the identity in the penalty on changes of the map, relative to the mean variance of a feature."""


@dataclass(frozen=True)
class ComparisonLoss:
    """The loss of a map: the comparisons that it violates, and its distance from the initial map.

    With δ_t and γ_t the differences between the rows of the near and of the far pair of comparison t, w_t its weight, ε
    the share of wrong comparisons, T the covariance of the rows, R = T + 0.1 (tr T / f) I and c the ``penalty``,

    .. math:: - \\sum_t w_t \\log\\big(\\varepsilon + (1 - 2 \\varepsilon)\\,
              \\sigma(\\|W^T \\gamma_t\\|^2 - \\|W^T \\delta_t\\|^2 + b_t)\\big)
              + \\frac{c}{2} \\mathrm{tr} (W - W_0)^T R (W - W_0).

    A comparison costs at most −log ε, and its gradient vanishes if it is far from being satisfied. A must-link is
    compared with the mean squared distance of two rows, which is 2: γ_t = 0 and b_t = 2. A cannot-link is the reverse.

    Attributes
    ----------
    near, far : (m, f) array or sparse matrix
        δ and γ.
    offset : (m,) array
        b.
    weight : (m,) array
    covariance : callable
        From V to T V.
    variance : float
        The mean variance of a feature, tr T / f.
    start : (f, r) array
        W₀.
    penalty : float
    error_rate : float
    """

    near: Any
    far: Any
    offset: FloatArray
    weight: FloatArray
    covariance: Callable[[FloatArray], FloatArray]
    variance: float
    start: FloatArray
    penalty: float
    error_rate: float

    def __call__(self, flat: FloatArray) -> tuple[float, FloatArray]:
        """The loss of a map, given as a flattened array, and its gradient."""
        W = flat.reshape(self.start.shape)
        near, far = self.near @ W, self.far @ W
        kept = expit(np.einsum("ij,ij->i", far, far) - np.einsum("ij,ij->i", near, near) + self.offset)
        chance = self.error_rate + (1 - 2 * self.error_rate) * kept
        slope = (2 * (1 - 2 * self.error_rate) * self.weight * kept * (1 - kept) / chance)[:, None]
        moved = W - self.start
        cost = self.covariance(moved) + STEADY * self.variance * moved
        value = self.penalty / 2 * float(np.vdot(moved, cost)) - float(self.weight @ np.log(chance))
        gradient = self.near.T @ (slope * near) - self.far.T @ (slope * far) + self.penalty * cost
        return value, np.asarray(gradient).ravel()

    def minimized(self, max_iter: int) -> tuple[FloatArray, int]:
        """The map that L-BFGS finds from ``start``, and the number of iterations."""
        options = {"maxiter": max_iter, "ftol": TOL, "gtol": TOL}
        found = minimize(self, self.start.ravel(), jac=True, method="L-BFGS-B", options=options)
        better = found.fun <= self(self.start.ravel())[0]
        return (found.x.reshape(self.start.shape) if better else self.start), int(found.nit)


def scaled_axes(axes: FloatArray, covariance: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Axes scaled such that the mean squared distance of two rows is 2."""
    variance = float(np.vdot(axes, covariance(axes)))
    return axes / np.sqrt(variance) if variance > 0 else axes


class Terms(NamedTuple):
    """The terms of :class:`ComparisonLoss`, from comparisons and pairs of rows.

    Attributes
    ----------
    near, far : (m, 2) ints
        The more similar and the less similar pair; a row and itself where a pair is compared with the average distance.
    offset : (m,) array
        The average distance, with the sign with which it enters; 0 for comparisons.
    weight : (m,) array
    """

    near: IntArray
    far: IntArray
    offset: FloatArray
    weight: FloatArray

    @classmethod
    def of(cls, constraints: Constraints) -> Terms:
        """The terms of comparisons, must-links and cannot-links.

        The total weight of the pairs is at most one per constrained row, since m labels imply about m² pairs but carry
        no more information than m pairs.
        """
        comparisons, pairs = constraints.comparisons, written_out(constraints)
        near, far = [comparisons.near], [comparisons.far]
        offset, weight = [np.zeros(len(comparisons))], [comparisons.weight]
        for links, weights, sign in (
            (pairs.must_link, pairs.must_weight, 1.0),
            (pairs.cannot_link, pairs.cannot_weight, -1.0),
        ):
            alone = np.repeat(links[:, :1], 2, axis=1)
            near.append(links if sign > 0 else alone)
            far.append(alone if sign > 0 else links)
            offset.append(np.full(len(links), AVERAGE * sign))
            weight.append(weights * min(1.0, len(np.unique(links)) / max(len(links), 1)))
        return cls(np.concatenate(near), np.concatenate(far), np.concatenate(offset), np.concatenate(weight))


def written_out(constraints: Constraints) -> Constraints:
    """All pairs; if labels imply too many, only the pairs among an evenly spaced subset of the labeled rows."""
    if constraints.n_must_link + constraints.n_cannot_link > MAX_PAIRS:
        n_rows = max(int(np.sqrt(2 * MAX_PAIRS / max(len(constraints.partitions), 1))), 2)
        parts = []
        for part in constraints.partitions:
            known = np.flatnonzero(part.codes >= 0)
            kept = known[evenly_spaced(len(known), n_rows)]
            codes = np.full_like(part.codes, -1)
            codes[kept] = part.codes[kept]
            parts.append(part.with_codes(codes))
        constraints = replace(constraints, partitions=tuple(parts))
    return constraints.expand(limit=constraints.n_must_link + constraints.n_cannot_link)
