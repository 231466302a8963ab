"""Replacing tall data by a few weighted rows: the constrained rows, and sigma points for all others.

If both forms of a method treat all unconstrained rows alike, they depend on these rows only through their number n,
mean m and scatter S. So they can be replaced by 2f weighted rows with the same number, mean and scatter, known as sigma
points (Julier and Uhlmann 1997):

    m ± √(f/n) · r_j    of weight n / 2f,        S = Σ_j r_j r_jᵀ

Up to rounding errors, the result is that for all rows, after a single pass over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import linalg, sparse

from .._arrays import FloatArray, IntArray
from .._progress import stage
from .._threads import blas_threads_for
from ..chunked import Chunked, Moments, moments
from ..chunked._fold import Picked, pick
from ..chunked._moments import origin_of, precision_of_products
from ..constraints import Constraints
from ..pencil._pencil import DIRECT

LEAST_ROWS = 2**14
"""Below this number of rows, fitting on all of them is as fast."""

MANY_ROWS = 2**18
"""From this number of rows on, the rounding errors of products in single precision average out."""

ROUNDING = 1e-15
"""Variances below this fraction of the largest, times the number of features, count as zero."""


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """A few weighted rows that represent all rows.

    Attributes
    ----------
    points : (m, f) array
    weight : (m,) array
        The number of rows that each one represents.
    constraints : Constraints
        The constraints on these rows.
    """

    points: FloatArray
    weight: FloatArray
    constraints: Constraints


def is_tall(shape: tuple[int, int], n_hinted: int = 0) -> bool:
    """Whether it is worthwhile to replace the data by a few weighted rows.

    >>> is_tall((1_000_000, 100)), is_tall((1_000_000, 100), 600_000), is_tall((5_000, 10))
    (True, False, False)
    """
    n, f = shape
    return n >= max(LEAST_ROWS, 4 * f + 2 * n_hinted) and f <= DIRECT


@dataclass(frozen=True, eq=False)
class PassResult:
    """The result of a pass: moments of the unconstrained rows, the constrained rows, and a sample of all rows."""

    others: Moments
    some: Picked

    def __add__(self, other: PassResult) -> PassResult:
        return PassResult(self.others + other.others, self.some + other.some)


@dataclass(frozen=True, eq=False)
class FirstPass:
    """The result of the first pass over all rows, with the origin that its moments refer to.

    Attributes
    ----------
    others : Moments
        Moments of the unconstrained rows, around ``origin``.
    origin : (f,) array
    some : Picked
        The constrained rows, and a sample of the others if requested.
    """

    others: Moments
    origin: FloatArray
    some: Picked

    def hinted_rows(self, hinted: IntArray) -> FloatArray:
        """The constrained rows, in double precision."""
        return dense_double(self.some.rows[np.searchsorted(self.some.numbers, hinted)])


def read_once(rows: Chunked, hinted: IntArray, sample: int = 0, seed: int = 0) -> FirstPass:
    """Read all rows once, for their moments, the constrained rows, and a sample."""
    origin, precision = rows.of_first_leaf(origin_and_precision)
    if rows.shape[0] < MANY_ROWS:
        precision = np.float64
    asked = {"origin": origin, "hinted": hinted, "share": sample / rows.shape[0], "seed": seed}
    with stage("reading rows"):
        found: PassResult = rows.fold(partial(moments_and_hinted, precision=precision, **asked))
        if precision == np.float32 and not np.isfinite(found.others.scatter).all():  # too large for single precision
            found = rows.fold(partial(moments_and_hinted, precision=np.float64, **asked))
    return FirstPass(found.others, origin, found.some)


def origin_and_precision(rows: Any) -> tuple[FloatArray, Any]:
    """The origin of the moments and the precision of products, both determined from the first leaf."""
    origin = origin_of(rows)
    return origin, precision_of_products(rows, origin)


def moments_and_hinted(
    rows: Any, first: int, *, origin: FloatArray, precision: Any, hinted: IntArray, share: float = 0.0, seed: int = 0
) -> PassResult:
    """Reduce one leaf: moments of its unconstrained rows, its constrained rows, and a sample."""
    return PassResult(
        moments(rows, first, origin=origin, precision=precision, without=hinted),
        pick(rows, first, numbers=hinted, share=share, seed=seed),
    )


def with_sigma_points(
    hinted_rows: FloatArray, others: Moments, origin: FloatArray, constraints: Constraints, hinted: IntArray
) -> WeightedRows:
    """The constrained rows, and 2f sigma points for all others.

    Parameters
    ----------
    hinted_rows : (t, f) array
        The constrained rows.
    others, origin
        Moments of all other rows, around the origin.
    constraints : Constraints
    hinted : (t,) ints
        The numbers of the constrained rows.
    """
    f = hinted_rows.shape[1]
    scatter = others.centered_scatter
    size = np.diag(scatter)
    varies = size > f * ROUNDING * np.diag(others.scatter)
    scale = np.sqrt(np.where(varies, size, 0.0))
    unit = np.divide(1.0, scale, out=np.zeros(f), where=varies)  # independent of the units of the columns
    with blas_threads_for(f):
        values, vectors = linalg.eigh(scatter * np.outer(unit, unit))
    values = np.where(values > f * ROUNDING * values[-1], values, 0.0)
    root = scale * (vectors * np.sqrt(values * (f / others.count))).T
    center = origin + others.mean
    return _weighted(hinted_rows, np.concatenate([center + root, center - root]), constraints, hinted)


def with_placeholders(hinted_rows: FloatArray, constraints: Constraints, hinted: IntArray) -> WeightedRows:
    """The constrained rows, and 2f copies of their mean, for methods that use the others only through their number."""
    middle = np.repeat(hinted_rows.mean(axis=0, keepdims=True), 2 * hinted_rows.shape[1], axis=0)
    return _weighted(hinted_rows, middle, constraints, hinted)


def _weighted(hinted_rows: FloatArray, others: FloatArray, constraints: Constraints, hinted: IntArray) -> WeightedRows:
    n = constraints.n_samples
    free = np.setdiff1d(np.arange(len(hinted) + len(others)), hinted)[: len(others)]  # any unconstrained rows
    rows = np.concatenate([hinted, free])
    weight = np.concatenate([np.ones(len(hinted_rows)), np.full(len(others), (n - len(hinted_rows)) / len(others))])
    return WeightedRows(np.concatenate([hinted_rows, others]), weight, constraints.restrict(rows))


def dense_double(rows: Any) -> FloatArray:
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)
