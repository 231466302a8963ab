"""Distances after must-link groups have collapsed to points in the feature space of a Gaussian kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from .._arrays import FloatArray, IntArray, slices
from .._threads import parallel_map
from ..constraints import Constraints
from ._distances import Distances, Euclidean, pair_blocks
from ._kernel import correction, must_link_differences

BLOCK = 1024
"""Number of rows whose kernel values with the must-linked rows are computed at once."""

FLOAT32_SCALE = 1e30
"""If the longest row exceeds the width of the kernel by more than this factor, exponents overflow in single
precision."""


class CollapsedKernel(Distances):
    """Distances d̂ between rows after the null-space projection of a Gaussian kernel (DSP paper, Eq. 10).

    With z the rows of the correction T in K̂ = K − T Tᵀ,

    .. math:: \\hat d_{ij}^2 = 2 - 2 K_{ij} - \\|z_i - z_j\\|^2

    which needs X and the kernel columns of the must-linked rows, but not the full kernel. The value is d̂²/2 − 1.

    Must-linked rows are hubs: a collapsed group is closer to the mean than its rows were before.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    delta : float
        The width of the kernel exp(−d²/2δ²).
    constraints : Constraints
        The must-link groups to collapse.
    n_jobs : int, optional
        Number of threads for computing the correction.
    """

    def __init__(self, X: Any, delta: float, constraints: Constraints, n_jobs: int | None = None) -> None:
        self.n = self.n_queries = X.shape[0]
        self._plain = Euclidean(X)
        self._gamma = 0.5 / delta**2
        # Factor from squared distances, in units of the longest row, to exponents.
        self._scale = self._gamma * self._plain.longest**2
        self._needs_double = self._scale > FLOAT32_SCALE
        self.dense = self._plain.dense
        self.hubs, differences = must_link_differences(constraints)
        self._Z: FloatArray = np.zeros((self.n, 0))
        if len(self.hubs):
            B = correction(self._kernel(self.hubs, self.hubs), differences) * np.sqrt(0.5)
            parts = parallel_map(lambda rows: self._kernel(rows, self.hubs) @ B, slices(self.n, BLOCK), n_jobs)
            self._Z = np.concatenate(parts)
        self.width = self._plain.width + self._Z.shape[1]
        self._fixed = Euclidean(self._Z)

    def _kernel(self, queries: Any, rows: Any) -> FloatArray:
        exponent = np.maximum(self._plain.approx(queries, rows, double=True), 0.0, dtype=np.float64)
        exponent *= -self._scale
        return np.asarray(np.exp(exponent, out=exponent))

    def approx(self, queries: Any, rows: Any, *, double: bool = False) -> FloatArray:
        """−K − ½ ‖z_i − z_j‖²."""
        found = self._plain.approx(queries, rows, double=double or self._needs_double)
        np.maximum(found, 0.0, out=found)  # rounding errors may make squared distances negative
        found *= -self._scale
        np.exp(found, out=found)
        correction = self._fixed.approx(queries, rows, double=double)
        correction *= self._fixed.longest**2
        found += correction
        return np.negative(found, out=found)

    def error_bound(self, queries: Any, *, double: bool = False) -> FloatArray:
        """The error of the exponent, since ``|d(e^−t)| ≤ |dt|``, plus that of the correction."""
        exponent = self._plain.error_bound(queries, double=double or self._needs_double) * self._scale
        exponent = np.minimum(exponent, 1.0)  # e^−t lies between 0 and 1
        roundoff = np.finfo(np.float64 if double else np.float32).eps
        correction = self._fixed.error_bound(queries, double=double) * self._fixed.longest**2
        return np.asarray(exponent + correction + 4 * roundoff)

    def is_exact(self, double: bool) -> bool:
        """False: the distances of close rows lose digits."""
        return False

    def to_distance(self, values: FloatArray) -> FloatArray:
        """√(2 + 2 value)."""
        return np.sqrt(np.maximum(2.0 + 2.0 * np.asarray(values, dtype=np.float64), 0.0))

    def to_value(self, distances: FloatArray) -> FloatArray:
        """d̂²/2 − 1."""
        return np.asarray(distances**2 / 2 - 1.0)

    def exact(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """d̂, with 1 − K computed by expm1, so that the distances of close rows do not lose digits."""
        halves = -np.expm1(-self._gamma * self._plain.exact(queries, rows) ** 2)
        for some in pair_blocks(len(rows), self._Z.shape[1]):
            halves[some] -= row_norms(self._Z[queries[some]] - self._Z[rows[some]], squared=True)
        return np.asarray(np.sqrt(2 * np.maximum(halves, 0.0)))

    def breaks_tie(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """The distance before the collapse, since all rows of a group have the same distance afterward."""
        return self._plain.exact(queries, rows)

    def coordinates(self) -> tuple[FloatArray, FloatArray]:
        """The rows before the collapse: rows that are close afterward were close before, or are must-linked."""
        return self._plain.coordinates()
