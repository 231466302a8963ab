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
"""Rows whose kernel with the linked rows is held at once."""

FLOAT32_SCALE = 1e30
"""Beyond this scale exponents overflow in single precision: one row is that much longer than the kernel is wide."""


class CollapsedKernel(Distances):
    """Distances d̂ between rows after the null-space projection of a Gaussian kernel (DSP paper, Eq. 10).

    With z the rows of the correction T in K̂ = K − T Tᵀ,

    .. math:: \\hat d_{ij}^2 = 2 - 2 K_{ij} - \\|z_i - z_j\\|^2

    which takes X and the kernel columns of the linked rows, and no kernel. A value is d̂²/2 − 1.

    Linked rows are hubs: a collapsed group lies nearer to the mean than its rows did.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    delta : float
        The width of the kernel exp(−d²/2δ²).
    constraints : Constraints
        Its must-links collapse.
    n_jobs : int, optional
        Threads that make the correction.
    """

    def __init__(self, X: Any, delta: float, constraints: Constraints, n_jobs: int | None = None) -> None:
        self.n = self.n_queries = X.shape[0]
        self._plain = Euclidean(X)
        self._gamma = 0.5 / delta**2
        # From squared distances in units of the longest row to exponents.
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
        np.maximum(found, 0.0, out=found)  # rounding may leave less, which would be an exponent above 0
        found *= -self._scale
        np.exp(found, out=found)
        correction = self._fixed.approx(queries, rows, double=double)
        correction *= self._fixed.longest**2
        found += correction
        return np.negative(found, out=found)

    def error_bound(self, queries: Any, *, double: bool = False) -> FloatArray:
        """The error of the exponent, as e^−t changes by less than t does, and that of the correction."""
        exponent = self._plain.error_bound(queries, double=double or self._needs_double) * self._scale
        exponent = np.minimum(exponent, 1.0)  # e^−t lies between 0 and 1
        roundoff = np.finfo(np.float64 if double else np.float32).eps
        correction = self._fixed.error_bound(queries, double=double) * self._fixed.longest**2
        return np.asarray(exponent + correction + 4 * roundoff)

    def is_exact(self, double: bool) -> bool:
        """No: digits are lost between rows that are close."""
        return False

    def to_distance(self, values: FloatArray) -> FloatArray:
        """√(2 + 2 value)."""
        return np.sqrt(np.maximum(2.0 + 2.0 * np.asarray(values, dtype=np.float64), 0.0))

    def to_value(self, distances: FloatArray) -> FloatArray:
        """d̂²/2 − 1."""
        return np.asarray(distances**2 / 2 - 1.0)

    def exact(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """d̂, with 1 − K from expm1: no digits are lost between rows that are close."""
        halves = -np.expm1(-self._gamma * self._plain.exact(queries, rows) ** 2)
        for some in pair_blocks(len(rows), self._Z.shape[1]):
            halves[some] -= row_norms(self._Z[queries[some]] - self._Z[rows[some]], squared=True)
        return np.asarray(np.sqrt(2 * np.maximum(halves, 0.0)))

    def breaks_tie(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """The distance before the collapse, as all rows of a group are equally far after it."""
        return self._plain.exact(queries, rows)

    def coordinates(self) -> tuple[FloatArray, FloatArray]:
        """The rows before the collapse; rows that are near afterward were not far before, or are linked."""
        return self._plain.coordinates()
