"""MPCK-means on rows that are read leaf by leaf, once per iteration, as for k-means.

Centers and metrics depend on the unconstrained rows only through the sizes, sums and scatters of the clusters. With
``farthest="pair"``, the two rows that are farthest apart are searched for each metric, in two more passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...._arrays import FloatArray, IntArray
from ...._progress import stage
from ....chunked import Chunked
from ....chunked._fold import Picked, among, pick
from ....chunked._moments import origin_of
from .._chunked import refilled
from .._lloyd import Run
from .._points import IN_CACHE, blocks, dense
from ._cluster_metrics import Metrics, Spread
from ._violations import Violations


@dataclass(frozen=True, eq=False)
class Sums:
    """The result of the first pass: sums and extremes of all rows relative to an origin, and some of the rows."""

    count: int
    total: FloatArray
    squares: FloatArray
    low: FloatArray
    high: FloatArray
    some: Picked

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.count + other.count,
            self.total + other.total,
            self.squares + other.squares,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.some + other.some,
        )

    @property
    def spread(self) -> Spread:
        """The variation of the rows."""
        mean = self.total / self.count
        if self.squares.ndim == 1:
            pooled = np.maximum(self.squares / self.count - mean**2, 0.0)
        else:
            pooled = self.squares / self.count - np.outer(mean, mean)
        return Spread(mean, self.low, self.high, pooled)


def pick_and_sum(
    rows: Any, first: int, *, origin: FloatArray, full: bool, numbers: IntArray, share: float, seed: int
) -> Sums:
    """Some rows of a leaf, and the sums of all its rows."""
    f = rows.shape[1]
    total, squares = np.zeros(f), np.zeros((f, f) if full else f)
    low, high = np.full(f, np.inf), np.full(f, -np.inf)
    for some in blocks(rows.shape[0], f, IN_CACHE):
        moved = dense(rows[some]) - origin
        total += moved.sum(axis=0)
        squares += moved.T @ moved if full else np.einsum("ij,ij->j", moved, moved)
        np.minimum(low, moved.min(axis=0), out=low)
        np.maximum(high, moved.max(axis=0), out=high)
    return Sums(rows.shape[0], total, squares, low, high, pick(rows, first, numbers=numbers, share=share, seed=seed))


def read_first(
    rows: Chunked, hinted: IntArray, sample: int, seed: int, *, full: bool
) -> tuple[Picked, tuple[FloatArray, Spread]]:
    """The constrained rows and a sample, an origin near the mean of all rows, and the variation around it."""
    origin = rows.of_first_leaf(origin_of).astype(rows.dtype).astype(np.float64)
    look = partial(pick_and_sum, origin=origin, full=full, numbers=hinted, share=sample / rows.shape[0], seed=seed)
    found: Sums = rows.fold(look)
    return found.some, (origin, found.spread)


@dataclass(frozen=True, eq=False)
class HintedRows:
    """The constrained rows, in memory.

    Attributes
    ----------
    numbers : (t,) ints
        Ascending.
    rows : (t, f) array
        Relative to the origin.
    violations : Violations
    rng : RandomState
        Determines the order in which rows are moved.
    """

    numbers: IntArray
    rows: FloatArray
    violations: Violations
    rng: np.random.RandomState


@dataclass(frozen=True, eq=False)
class Step:
    """Statistics of the unconstrained rows: size, sum and scatter of each cluster, and the cost."""

    sizes: FloatArray
    sums: FloatArray
    scatter: FloatArray
    cost: float

    def __add__(self, other: Step) -> Step:
        return Step(
            self.sizes + other.sizes, self.sums + other.sums, self.scatter + other.scatter, self.cost + other.cost
        )

    def same(self, other: Step | None) -> bool:
        """Whether both have the same sums, and so most likely the same clusters."""
        return (
            other is not None
            and np.array_equal(self.sizes, other.sizes)
            and np.array_equal(self.sums, other.sums)
            and np.array_equal(self.scatter, other.scatter)
        )


def moved_by(rows: Any, *, origin: FloatArray) -> FloatArray:
    """Rows relative to the origin, in their own precision."""
    return np.subtract(dense(rows), origin, dtype=rows.dtype)


def _own(rows: Any, metrics: Metrics, centers: FloatArray) -> FloatArray:
    return metrics.lengths(rows, centers) + metrics.row_cost


def _cheapest(rows: Any, *, metrics: Metrics, centers: FloatArray) -> IntArray:
    return _own(rows, metrics, centers).argmin(axis=1)


def assign_and_scatter(rows: Any, first: int, *, metrics: Metrics, centers: FloatArray, hinted: IntArray) -> Step:
    """Assign the unconstrained rows of a leaf, and sum them by cluster."""
    k, f = centers.shape
    total = Step(np.zeros(k), np.zeros((k, f)), np.zeros_like(metrics.values), 0.0)
    left_out = among(hinted, rows, first)
    for some in blocks(rows.shape[0], k + f, IN_CACHE):
        out = left_out[slice(*np.searchsorted(left_out, [some.start, some.stop]))] - some.start
        block = np.delete(rows[some], out, axis=0) if len(out) else rows[some]
        if not len(block):
            continue
        own = _own(block, metrics, centers)
        labels = own.argmin(axis=1)
        sizes, scatter = metrics.summed(block, labels)
        sums = (labels == np.arange(k)[:, None]).astype(np.float64) @ block
        total += Step(sizes, sums, scatter, float(own[np.arange(len(labels)), labels].sum(dtype=np.float64)))
    return total


def nearest_by(
    rows: Any, first: int, *, metrics: Metrics, centers: FloatArray, hinted: IntArray, labels: IntArray
) -> NDArray[np.int32]:
    """The cluster of lowest cost for each row of a leaf; constrained rows keep their labels."""
    found = np.empty(rows.shape[0], dtype=np.int32)
    for some in blocks(rows.shape[0], sum(centers.shape), IN_CACHE):
        found[some] = _cheapest(rows[some], metrics=metrics, centers=centers)
    start, here = int(np.searchsorted(hinted, first)), among(hinted, rows, first)
    found[here] = labels[start : start + len(here)]
    return found


def chunked_mpck(
    rows: Chunked, centers: FloatArray, metrics: Metrics, hinted_rows: HintedRows, *, max_iter: int, tol: float
) -> tuple[Run, Metrics, float]:
    """Alternate between assigning rows and updating centers and metrics, reading the rows once per iteration.

    Returns
    -------
    run : Run
        Its labels are those of the constrained rows.
    metrics : Metrics
    inertia : float
        Σ ‖x − μ‖² under the metrics.
    """
    k, every = len(centers), np.arange(len(hinted_rows.numbers))
    zero = np.zeros(centers.shape[1])
    history: list[float] = []
    labels: IntArray | None = None
    previous: Step | None = None
    while True:
        lean = metrics.lean()
        with stage(f"iteration {len(history) + 1}"):
            look = partial(assign_and_scatter, metrics=lean, centers=centers, hinted=hinted_rows.numbers)
            found: Step = rows.fold(look)
        own = _own(hinted_rows.rows, metrics, centers)
        relabeled = hinted_rows.violations.sweep(
            own.argmin(axis=1) if labels is None else labels, own, metrics, hinted_rows.rng
        )
        violated = hinted_rows.violations.violation_scatter(relabeled, metrics)
        history.append(found.cost + float(own[every, relabeled].sum()) + metrics.cost(*violated))
        unchanged = labels is not None and np.array_equal(relabeled, labels) and found.same(previous)
        slow = len(history) > 1 and history[-2] - history[-1] <= tol * abs(history[-2])
        labels, previous = relabeled, found
        if unchanged or slow or len(history) == max_iter:
            run = Run(labels, centers, history[-1], len(history), tuple(history))
            inertia = found.cost - float(found.sizes @ metrics.row_cost)
            return run, metrics, inertia + float((own - metrics.row_cost)[every, labels].sum())
        sizes, scatter = metrics.summed(hinted_rows.rows, labels)
        sums = found.sums + (labels == np.arange(k)[:, None]).astype(np.float64) @ hinted_rows.rows
        sizes = found.sizes + sizes
        moved = _means(sizes, sums, centers)
        if not sizes.all():
            assign = partial(_cheapest, metrics=lean, centers=centers)
            filled = refilled(rows, moved, sizes, sums, sizes > 0, assign, hinted_rows.numbers, zero)
            moved = _means(*filled, centers)
        centers = moved
        metrics = metrics.learned_from(sizes, found.scatter + scatter, centers, *violated)


def _means(sizes: FloatArray, sums: FloatArray, centers: FloatArray) -> FloatArray:
    means = np.divide(sums, sizes[:, None], out=np.zeros_like(sums), where=sizes[:, None] > 0)
    return np.where(sizes[:, None] > 0, means, centers).astype(centers.dtype)
