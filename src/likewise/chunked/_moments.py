"""Count, sum and scatter of rows, the sufficient statistics of many methods for the rows without hints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray, evenly_spaced, slices
from .._devices import (
    blocks_on_device,
    double_of,
    follow,
    is_foreign,
    kept_rows,
    kernels_for,
    namespace,
    numpy_dtype,
    rows_at,
    set_to_zero,
)
from ._fold import among

BUFFER = 2**17
"""Number of values that are centered and multiplied at once, so that they fit into the cache of a core."""

LEAST_EIGENVALUE = 1e-3
"""Smallest eigenvalue of the correlation matrix for single precision, whose rounding errors are 10⁻⁷ of the largest."""

LARGE = 1e12
"""Largest root mean square of a column for single precision; its reciprocal is the smallest."""


@dataclass(frozen=True)
class Moments:
    """First and second moments of rows about an origin near their mean, which avoids cancellation.

    Attributes
    ----------
    count : int
    total : (f,) array
        Σ (x − origin).
    scatter : (f, f) array
        Σ (x − origin)(x − origin)ᵀ.
    """

    count: int
    total: FloatArray
    scatter: FloatArray

    def __add__(self, other: Moments) -> Moments:
        with np.errstate(invalid="ignore"):  # checked when all are added
            return Moments(self.count + other.count, self.total + other.total, self.scatter + other.scatter)

    @property
    def mean(self) -> FloatArray:
        """The mean, relative to the origin."""
        return self.total / self.count

    @property
    def centered_scatter(self) -> FloatArray:
        """Σ (x − mean)(x − mean)ᵀ."""
        return self.scatter - self.count * np.outer(self.mean, self.mean)

    def shows_all(self, origin: FloatArray, dtype: Any) -> bool:
        """Whether the sums prove that all values are finite, and neither too large nor too small to be squared.

        If False, the rows must be checked.
        """
        if not np.isfinite(self.scatter).all() or not np.isfinite(self.total).all():
            return False
        squares = float(np.trace(self.scatter) + 2 * origin @ self.total + self.count * (origin @ origin))
        numbers, limits = self.count * len(origin), np.finfo(dtype)
        return numbers * float(limits.tiny / limits.eps) <= squares <= float(limits.max) / numbers


def origin_of(X: Any) -> FloatArray:
    """A point near the mean of the rows, estimated from 256 of them; zero for sparse rows.

    If a column is constant in these rows, its exact value is used, so that centered constant columns are exactly zero.
    """
    if sparse.issparse(X):
        return np.zeros(X.shape[1])
    some = np.asarray(rows_at(X, evenly_spaced(X.shape[0], 256)))
    mean = some.mean(axis=0, dtype=np.float64).astype(some.dtype)
    return np.where((some == some[0]).all(axis=0), some[0], mean).astype(np.float64)


def precision_of_products(X: Any, origin: FloatArray) -> Any:
    """The precision for products of rows: single for float32 rows if that is accurate enough, otherwise double.

    Sums of products in single precision have a relative error of about 3e-8, as the values themselves. That is not
    enough if columns are nearly collinear, or nearly too large or too small to be squared.
    """
    if sparse.issparse(X) or (numpy_dtype(X) if is_foreign(X) else X.dtype) != np.float32:
        return np.float64
    some = rows_at(X, evenly_spaced(X.shape[0], 1024 + 4 * X.shape[1])) - origin
    size = np.sqrt(np.mean(np.square(some), axis=0))
    if not ((size > 1 / LARGE) & (size < LARGE)).all():
        return np.float64
    correlations = np.corrcoef(some, rowvar=False).reshape(len(size), -1)
    try:
        np.linalg.cholesky(correlations - LEAST_EIGENVALUE * np.eye(len(size)))
    except np.linalg.LinAlgError:
        return np.float64
    return np.float32


def moments(
    rows: Any, first: int, *, origin: FloatArray, precision: Any = np.float64, without: IntArray | None = None
) -> Moments:
    """The moments of the rows of a leaf, summed in double precision.

    Parameters
    ----------
    rows : (n, f) array or CSR matrix
    first : int
        The number of the first row.
    origin : (f,) array
        Zero for sparse rows.
    precision : numpy dtype
        The precision of products of a few hundred dense rows.
    without : ints, optional
        The numbers of rows to leave out, in ascending order.

    Returns
    -------
    Moments
    """
    n, f = rows.shape
    out = np.empty(0, dtype=np.int64) if without is None else among(without, rows, first)
    if is_foreign(rows):
        return moments_on_device(rows, origin, precision, out)
    if sparse.issparse(rows):
        rows = (rows[np.delete(np.arange(n), out)] if len(out) else rows).astype(np.float64)
        return Moments(n - len(out), np.asarray(rows.sum(axis=0)).ravel(), np.asarray((rows.T @ rows).toarray()))
    # A column of ones is appended, so that the products contain the sums.
    step = max(BUFFER // (f + 1), 256)
    buffer = np.ones((min(step, n), f + 1), dtype=precision)
    sums = np.zeros((f + 1, f + 1))
    origin = origin.astype(precision)
    with np.errstate(over="ignore", invalid="ignore"):  # `shows_all` checks the sums
        for some in slices(n, step):
            moved = buffer[: some.stop - some.start]
            np.subtract(rows[some], origin, out=moved[:, :f])
            left_out = out[slice(*np.searchsorted(out, [some.start, some.stop]))] - some.start
            moved[left_out] = 0
            sums += moved.T @ moved
            moved[left_out, f] = 1
    return Moments(n - len(out), sums[f, :f].copy(), sums[:f, :f].copy())


SUMMED_ROWS = 1024
"""Number of rows per partial sum on a device, which would be mostly idle in a single sum over few columns."""


def moments_on_device(rows: Any, origin: FloatArray, precision: Any, out: IntArray) -> Moments:
    """The moments of rows on a device without those in ``out``, summed in double precision on the device."""
    xp, double, (n, f) = namespace(rows), double_of(rows), rows.shape
    kernels = kernels_for(rows) if precision == np.float32 else None
    if kernels is not None and f <= kernels.MOST_COLUMNS:
        found = kernels.moments(rows, follow(origin.astype(np.float32), rows), kept_rows(rows, out))
        return Moments(n - len(out), *found)
    step = blocks_on_device(f)
    if n > step:
        parts = [
            moments_on_device(
                rows[some.start : some.stop, :],
                origin,
                precision,
                out[slice(*np.searchsorted(out, [some.start, some.stop]))] - some.start,
            )
            for some in slices(n, step)
        ]
        return sum(parts[1:], start=parts[0])
    # subtracting a double-precision origin also converts the rows
    moved = set_to_zero(rows - follow(origin.astype(precision), rows), out)
    even = n // SUMMED_ROWS * SUMMED_ROWS
    total = xp.sum(moved[even:, :], axis=0, dtype=double)
    if even:
        first = xp.sum(xp.reshape(moved[:even, :], (-1, SUMMED_ROWS, f)), axis=1)
        total = total + xp.sum(first, axis=0, dtype=double)
    scatter = xp.matmul(xp.permute_dims(moved, (1, 0)), moved)
    return Moments(n - len(out), total, xp.astype(scatter, double, copy=False))
