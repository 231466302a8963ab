"""The bounded logistic loss of comparisons, and the linear map that makes it small without leaving PCA far behind."""

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
"""The mean squared distance of two rows under the map that is started from."""

MAX_PAIRS = 20_000
"""Pairs that labels are written out as."""

TOL = 1e-12
"""L-BFGS stops where a step changes the loss, or the slope is, by no more than this part."""

STEADY = 0.1
"""The part of the mean variance of a feature that changes of the map cost beside the variance along them."""


@dataclass(frozen=True)
class ComparisonLoss:
    """What a map costs: comparisons that it does not keep, and its distance from where it starts.

    With δ_t and γ_t the differences of the rows of the near and the far pair of comparison t, w_t its weight, ε the
    share of wrong ones, T the covariance of the rows, R = T + 0.1 (tr T / f) I and c the ``penalty``,

    .. math:: - \\sum_t w_t \\log\\big(\\varepsilon + (1 - 2 \\varepsilon)\\,
              \\sigma(\\|W^T \\gamma_t\\|^2 - \\|W^T \\delta_t\\|^2 + b_t)\\big)
              + \\frac{c}{2} \\mathrm{tr} (W - W_0)^T R (W - W_0).

    A comparison that is hopelessly broken costs at most −log ε, and no longer pulls. A must-link is compared with what
    two rows are apart on average, which is 2: γ_t = 0 and b_t = 2; a cannot-link the other way round.

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
        """The loss of a map, given as its entries row by row, and its gradient."""
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
        """The map that L-BFGS finds from ``start``, never with a larger loss, and after how many steps."""
        options = {"maxiter": max_iter, "ftol": TOL, "gtol": TOL}
        found = minimize(self, self.start.ravel(), jac=True, method="L-BFGS-B", options=options)
        better = found.fun <= self(self.start.ravel())[0]
        return (found.x.reshape(self.start.shape) if better else self.start), int(found.nit)


def scaled_axes(axes: FloatArray, covariance: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Axes scaled so that the squared distance of two rows is 2 on average: differences of them are of order 1."""
    variance = float(np.vdot(axes, covariance(axes)))
    return axes / np.sqrt(variance) if variance > 0 else axes


class Terms(NamedTuple):
    """Comparisons and pairs of rows, as :class:`ComparisonLoss` sums them up.

    Attributes
    ----------
    near, far : (m, 2) ints
        The rows that are more alike, and those that are less; a row and itself where a pair is compared with what two
        rows are apart on average.
    offset : (m,) array
        That average, as it enters.
    weight : (m,) array
    """

    near: IntArray
    far: IntArray
    offset: FloatArray
    weight: FloatArray

    @classmethod
    def of(cls, constraints: Constraints) -> Terms:
        """Comparisons, must-links and cannot-links; pairs count as at most one for each row that they touch.

        A few labels imply pairs by the square of their number, and say no more than a pair for each row.
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
    """All pairs; where labels imply too many, those of some of their rows, evenly spaced."""
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
