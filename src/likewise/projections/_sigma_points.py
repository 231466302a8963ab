"""Few weighted rows in the place of many: rows that hints name as they are, sigma points for all others.

Where both forms of a method treat rows without hints alike, these enter by their number n, mean m and scatter S alone.
So do 2f weighted rows with the same number, mean and scatter, known as sigma points (Julier and Uhlmann 1997):

    m ± √(f/n) · r_j    of weight n / 2f,        S = Σ_j r_j r_jᵀ

The answer is that of all rows, to rounding, after one pass over them.
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
"""Below this number of rows a fit on all of them is done before it would pay."""

MANY_ROWS = 2**18
"""From this number of rows on the rounding of products in single precision averages out."""

ROUNDING = 1e-15
"""Variances below this part of the largest, for each feature, are the rounding of none."""


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Rows that stand for many more.

    Attributes
    ----------
    points : (m, f) array
    weight : (m,) array
        How many rows each counts as; their sum is the number of rows.
    constraints : Constraints
        On these rows.
    """

    points: FloatArray
    weight: FloatArray
    constraints: Constraints


def is_tall(shape: tuple[int, int], n_hinted: int = 0) -> bool:
    """Whether few weighted rows are worth finding.

    >>> is_tall((1_000_000, 100)), is_tall((1_000_000, 100), 600_000), is_tall((5_000, 10))
    (True, False, False)
    """
    n, f = shape
    return n >= max(LEAST_ROWS, 4 * f + 2 * n_hinted) and f <= DIRECT


@dataclass(frozen=True, eq=False)
class Read:
    """What one pass over all rows gives: moments of rows without hints, the hinted rows, and a sample of all."""

    others: Moments
    some: Picked

    def __add__(self, other: Read) -> Read:
        return Read(self.others + other.others, self.some + other.some)


@dataclass(frozen=True, eq=False)
class FirstPass:
    """What is known of rows that were read once.

    Attributes
    ----------
    others : Moments
        Of rows without hints, around the origin.
    origin : (f,) array
    some : Picked
        The hinted rows, and a sample of all others where one was asked for.
    """

    others: Moments
    origin: FloatArray
    some: Picked

    def hinted_rows(self, hinted: IntArray) -> FloatArray:
        """The hinted rows, in double precision."""
        return dense_double(self.some.rows[np.searchsorted(self.some.numbers, hinted)])


def read_once(rows: Chunked, hinted: IntArray, sample: int = 0, seed: int = 0) -> FirstPass:
    """Read all rows for their moments, the hinted ones, and a sample."""
    origin, precision = rows.of_first_leaf(origin_and_precision)
    if rows.shape[0] < MANY_ROWS:
        precision = np.float64
    asked = {"origin": origin, "hinted": hinted, "share": sample / rows.shape[0], "seed": seed}
    with stage("reading rows"):
        found: Read = rows.fold(partial(moments_and_hinted, precision=precision, **asked))
        if precision == np.float32 and not np.isfinite(found.others.scatter).all():  # too large for single precision
            found = rows.fold(partial(moments_and_hinted, precision=np.float64, **asked))
    return FirstPass(found.others, origin, found.some)


def origin_and_precision(rows: Any) -> tuple[FloatArray, Any]:
    """What the first leaf tells before all rows are read."""
    origin = origin_of(rows)
    return origin, precision_of_products(rows, origin)


def moments_and_hinted(
    rows: Any, first: int, *, origin: FloatArray, precision: Any, hinted: IntArray, share: float = 0.0, seed: int = 0
) -> Read:
    """What to look for in each leaf."""
    return Read(
        moments(rows, first, origin=origin, precision=precision, without=hinted),
        pick(rows, first, numbers=hinted, share=share, seed=seed),
    )


def with_sigma_points(
    hinted_rows: FloatArray, others: Moments, origin: FloatArray, constraints: Constraints, hinted: IntArray
) -> WeightedRows:
    """The hinted rows, and 2f sigma points for all others.

    Parameters
    ----------
    hinted_rows : (t, f) array
        The hinted rows.
    others, origin
        Moments of all other rows, around the origin.
    constraints : Constraints
    hinted : (t,) ints
        The numbers of the hinted rows: all that constraints are about.
    """
    f = hinted_rows.shape[1]
    scatter = others.centered_scatter
    size = np.diag(scatter)
    varies = size > f * ROUNDING * np.diag(others.scatter)
    scale = np.sqrt(np.where(varies, size, 0.0))
    unit = np.divide(1.0, scale, out=np.zeros(f), where=varies)  # columns may be measured in any units
    with blas_threads_for(f):
        values, vectors = linalg.eigh(scatter * np.outer(unit, unit))
    values = np.where(values > f * ROUNDING * values[-1], values, 0.0)
    root = scale * (vectors * np.sqrt(values * (f / others.count))).T
    center = origin + others.mean
    return _weighted(hinted_rows, np.concatenate([center + root, center - root]), constraints, hinted)


def with_placeholders(hinted_rows: FloatArray, constraints: Constraints, hinted: IntArray) -> WeightedRows:
    """The hinted rows, and 2f rows in their middle that only count, for methods that ignore the others."""
    middle = np.repeat(hinted_rows.mean(axis=0, keepdims=True), 2 * hinted_rows.shape[1], axis=0)
    return _weighted(hinted_rows, middle, constraints, hinted)


def _weighted(hinted_rows: FloatArray, others: FloatArray, constraints: Constraints, hinted: IntArray) -> WeightedRows:
    n = constraints.n_samples
    free = np.setdiff1d(np.arange(len(hinted) + len(others)), hinted)[: len(others)]  # any rows without hints
    rows = np.concatenate([hinted, free])
    weight = np.concatenate([np.ones(len(hinted_rows)), np.full(len(others), (n - len(hinted_rows)) / len(others))])
    return WeightedRows(np.concatenate([hinted_rows, others]), weight, constraints.restrict(rows))


def dense_double(rows: Any) -> FloatArray:
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)
