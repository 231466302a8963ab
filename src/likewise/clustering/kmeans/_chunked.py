"""k-means on rows that are read leaf by leaf: each iteration reads them once, to assign and sum at the same time.

Constrained rows are few and stay in memory, with their penalties. All others are assigned to the nearest center, and
only the sizes, sums and distances of each leaf are kept. Sums are computed in a fixed order, so that the result is
bitwise identical wherever the rows are stored. The initial centers come from a fit in memory, on a sample drawn by a
hash of the row numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._arrays import BoolArray, FloatArray, IntArray
from ..._devices import is_foreign, rows_at, to_numpy
from ..._progress import stage
from ...chunked import Chunked, LinearImage
from ...chunked._fold import Look, among
from ...linalg._unit_rows import squared_lengths, unit_rows
from ._device import assign_and_sum_on_device, distances_on_device, nearest_on_device, spread_on_device
from ._lloyd import Assign, Run
from ._points import IN_CACHE, Points, blocks, dense

SAMPLE = 20_000
"""Number of unconstrained rows in the sample that a fit on files starts with."""

NONE: IntArray = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Step:
    """Statistics of the unconstrained rows that an iteration needs.

    Attributes
    ----------
    sizes : (k,) array
        Sizes of the clusters.
    sums : (k, f) array
        Sums of their rows, relative to the origin.
    cost : float
        Σ ‖x − c‖² − ‖x − o‖² for the origin o; for cosine, Σ ‖x − c‖² of unit rows.
    spread : float
        Σ ‖x − o‖², which is the same in each iteration; 0 if not requested.
    """

    sizes: FloatArray
    sums: FloatArray
    cost: float
    spread: float = 0.0

    def __add__(self, other: Step) -> Step:
        return Step(
            self.sizes + other.sizes, self.sums + other.sums, self.cost + other.cost, self.spread + other.spread
        )


@dataclass(frozen=True, eq=False)
class Hinted:
    """The constrained rows, in memory.

    Attributes
    ----------
    rows : (t,) ints
        Their row numbers, ascending.
    points : Points
        The rows, or the means of their groups.
    assign : callable
        As for :func:`likewise.clustering.kmeans._lloyd.lloyd`.
    groups : (t,) ints
        The point of each row.
    penalty : callable
        The penalty of violated constraints, as a function of the labels of the points.
    """

    rows: IntArray
    points: Points
    assign: Assign
    groups: IntArray
    penalty: Callable[[IntArray], float] = lambda labels: 0.0


def members(rows: Any, towards: FloatArray, offsets: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The nearest center of each row (the first, if tied) as a (k, m) indicator, and the compared values.

    Parameters
    ----------
    rows : (m, f) array
        Relative to the origin.
    towards, offsets : (k, f) and (k,) arrays
        From :func:`comparing`: the nearest center minimizes ``towards @ row + offsets``.

    Notes
    -----
    The compared values are stored center by center, so that many rows are compared at a time.
    """
    near = towards.astype(rows.dtype) @ rows.T
    if offsets.any():
        near += offsets.astype(rows.dtype)[:, None]
    least = near.min(axis=0)
    member = near == least
    if np.count_nonzero(member) != rows.shape[0]:  # ties
        member = near.argmin(axis=0) == np.arange(len(towards))[:, None]
    return member.astype(rows.dtype), least


def comparing(centers: FloatArray, origin: FloatArray, cosine: bool) -> tuple[FloatArray, FloatArray]:
    """−2 c and ‖c‖² of the centers relative to the origin, for :func:`members`; for cosine the offsets are zero."""
    there = centers - origin
    return -2 * there, np.zeros(len(there)) if cosine else squared_lengths(there)


def assign_and_sum(
    rows: Any,
    first: int,
    *,
    centers: FloatArray,
    origin: FloatArray,
    cosine: bool,
    hinted: IntArray,
    with_spread: bool = True,
) -> Step:
    """Assign the unconstrained rows of a leaf, and sum them by cluster."""
    if is_foreign(rows):
        return Step(*assign_and_sum_on_device(rows, among(hinted, rows, first), centers, origin, cosine))
    look = _sum_by_cosine if cosine else partial(sum_by_distance, with_spread=with_spread)
    towards, offsets = comparing(centers, origin, cosine)
    return look(rows, first, towards=towards, offsets=offsets, origin=origin, hinted=hinted)


def sum_by_distance(
    rows: Any,
    first: int,
    *,
    towards: FloatArray,
    offsets: FloatArray,
    origin: FloatArray,
    hinted: IntArray,
    with_spread: bool,
) -> Step:
    """The statistics of a leaf for Euclidean distances."""
    sizes, sums, cost, spread = np.zeros(len(towards)), np.zeros(towards.shape), 0.0, 0.0
    for moved, out in _blocks_without(hinted, rows, first, towards, origin):
        member, least = members(moved, towards, offsets)
        member[:, out] = least[out] = 0
        cost += float(least.sum(dtype=np.float64))
        sizes += member.sum(axis=1)
        sums += member @ moved
        if with_spread:
            squares = squared_lengths(moved)
            squares[out] = 0
            spread += float(squares.sum(dtype=np.float64))
    return Step(sizes, sums, cost, spread)


def _sum_by_cosine(
    rows: Any, first: int, *, towards: FloatArray, offsets: FloatArray, origin: FloatArray, hinted: IntArray
) -> Step:
    sizes, sums, cost = np.zeros(len(towards)), np.zeros(towards.shape), 0.0
    for moved, out in _blocks_without(hinted, rows, first, towards, origin):
        member, least = members(moved, towards, offsets)
        length = np.sqrt(squared_lengths(moved))
        scale = np.divide(1, length, out=np.zeros_like(length), where=length > 0)
        member[:, out] = scale[out] = 0
        cost += 2.0 * (len(moved) - len(out)) + float((least * scale).sum(dtype=np.float64))
        sizes += member @ (scale > 0)  # a zero row has no direction, and does not affect the centers
        sums += (member * scale) @ moved
    return Step(sizes, sums, cost)


def _blocks_without(
    hinted: IntArray, rows: Any, first: int, towards: FloatArray, origin: FloatArray
) -> Iterator[tuple[FloatArray, IntArray]]:
    """Blocks of rows relative to the origin, and which of them are constrained."""
    left_out = among(hinted, rows, first)
    for some in blocks(rows.shape[0], sum(towards.shape), IN_CACHE):
        out = left_out[slice(*np.searchsorted(left_out, [some.start, some.stop]))] - some.start
        yield _moved_to(origin, rows[some]), out


def _moved_to(origin: FloatArray, rows: Any) -> Any:
    return np.subtract(dense(rows), origin, dtype=rows.dtype) if origin.any() else dense(rows)


def chunked_lloyd(
    rows: Chunked, centers: FloatArray, hinted: Hinted | None, *, cosine: bool, max_iter: int, tol: float
) -> tuple[Run, float]:
    """Lloyd's algorithm, reading the rows once per iteration.

    Stops when no center moves, or when the objective decreases by at most ``tol`` times its value. An empty cluster
    takes the unconstrained row farthest from its center, for which the rows are read once more.

    Returns
    -------
    run : Run
        Its labels are those of the constrained rows.
    penalty : float
        The penalty of violated constraints, which is part of the objective.
    """
    origin = middle(centers, cosine)
    apart = hinted.rows if hinted is not None else NONE
    spread = 0.0
    if rows.like is not None and not cosine:
        spread = float(rows.fold(partial(spread_of, origin=origin, hinted=apart)))
    history: list[float] = []
    labels: IntArray | None = None
    while True:
        with stage(f"iteration {len(history) + 1}"):
            found = _step(rows, centers, origin, apart, cosine=cosine, with_spread=not history)
        spread += found.spread
        sizes, sums, objective = found.sizes, found.sums, found.cost + spread
        if hinted is not None:
            labels, cost = hinted.assign(centers, labels)
            points = hinted.points
            weight = np.bincount(labels, points.weight, minlength=len(centers))
            sizes, objective = sizes + weight, objective + cost
            sums = sums + points._sums(labels, len(centers)) + weight[:, None] * (points._origin - origin)
        history.append(objective)
        done = len(history) == max_iter or (len(history) > 1 and history[-2] - objective <= tol * abs(history[-2]))
        moved, alive = _moved(centers, sizes, sums, origin, cosine)
        if not (done or alive.all()):
            assign = partial(_assigned, centers=centers, origin=origin, cosine=cosine)
            sizes, sums = refilled(rows, moved, sizes, sums, alive, assign, apart, origin, cosine=cosine)
            moved, _ = _moved(centers, sizes, sums, origin, cosine)
        if done or np.array_equal(moved, centers):
            break
        centers = moved
    penalty, own = 0.0, apart
    if hinted is not None and labels is not None:
        penalty, own = hinted.penalty(labels), labels[hinted.groups]
    return Run(own, centers, objective, len(history), tuple(history)), penalty


def _step(
    rows: Chunked, centers: FloatArray, origin: FloatArray, hinted: IntArray, *, cosine: bool, with_spread: bool
) -> Step:
    """Read the rows once. Projected rows are compared in the input space if that is cheaper."""
    (k, r), f = centers.shape, rows.directions.shape[1] if isinstance(rows, LinearImage) else 0
    if not isinstance(rows, LinearImage) or cosine or with_spread or 2 * k * f > r * f + 2 * k * r:
        look = partial(assign_and_sum, with_spread=with_spread)
        found: Step = rows.fold(partial(look, centers=centers, origin=origin, cosine=cosine, hinted=hinted))
        return found
    towards, offsets = comparing(centers, origin, cosine)
    found = rows.fold_rows(
        partial(
            sum_by_distance,
            towards=towards @ rows.directions,
            offsets=offsets,
            origin=rows.origin_of(origin).astype(rows.dtype),
            hinted=hinted,
            with_spread=False,
        )
    )
    return replace(found, sums=found.sums @ rows.directions.T)


def placing(run: Run, hinted: Hinted | None, *, cosine: bool) -> Look:
    """The function that labels a leaf: constrained rows keep their labels, others get the nearest center."""
    numbers = hinted.rows if hinted is not None else NONE
    origin = middle(run.centers, cosine)
    return partial(
        nearest_centers, centers=run.centers, origin=origin, cosine=cosine, hinted=numbers, labels=run.labels
    )


def middle(centers: FloatArray, cosine: bool) -> FloatArray:
    """The origin of distances, which avoids a loss of precision if the data are far from zero."""
    return np.zeros(centers.shape[1], centers.dtype) if cosine else centers.mean(axis=0).astype(centers.dtype)


def _moved(
    centers: FloatArray, sizes: FloatArray, sums: FloatArray, origin: FloatArray, cosine: bool
) -> tuple[FloatArray, BoolArray]:
    """The optimal centers, and which clusters have one; the centers of the others do not move."""
    length = np.sqrt(squared_lengths(sums)) if cosine else sizes
    alive = (length > (1e-12 * sizes if cosine else 0)) & (sizes > 0)
    moved = np.divide(sums, length[:, None], out=np.zeros_like(sums), where=alive[:, None])
    return np.where(alive[:, None], moved + origin, centers).astype(centers.dtype), alive


@dataclass(frozen=True, eq=False)
class FarRows:
    """The rows farthest from the centers of their clusters; ties are ordered by row number.

    Attributes
    ----------
    distances : (m,) array
        Squared distances, in decreasing order.
    labels : (m,) ints
    rows : (m, f) array
        Relative to the origin, or of unit length.
    count : int
        Maximum number of rows to keep.
    """

    distances: FloatArray
    labels: IntArray
    rows: FloatArray
    count: int

    def __add__(self, other: FarRows) -> FarRows:
        distances = np.concatenate([self.distances, other.distances])
        best = np.argsort(-distances, kind="stable")[: self.count]
        labels, rows = np.concatenate([self.labels, other.labels]), np.concatenate([self.rows, other.rows])
        return FarRows(distances[best], labels[best], rows[best], self.count)


def far_rows(
    rows: Any,
    first: int,
    *,
    assign: Callable[[Any], IntArray],
    centers: FloatArray,
    origin: FloatArray,
    cosine: bool,
    hinted: IntArray,
    count: int,
) -> FarRows:
    """The unconstrained rows of a leaf that are farthest from the centers of their clusters."""
    found = FarRows(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros((0, centers.shape[1])), count)
    left_out = among(hinted, rows, first)
    if is_foreign(rows):
        labels = assign(rows)
        distances = distances_on_device(rows, labels, centers, origin, cosine)
        distances[left_out] = 0
        best = np.argsort(-distances, kind="stable")[:count]
        taken = rows_at(rows, best)
        there = unit_rows(taken) if cosine else taken - origin
        return FarRows(distances[best], labels[best], there.astype(np.float64), count)
    for some in blocks(rows.shape[0], sum(centers.shape), IN_CACHE):
        block = dense(rows[some])
        labels = assign(block)
        there = unit_rows(block) if cosine else block - origin
        distances = squared_lengths(there - (centers - origin)[labels]).astype(np.float64)
        if cosine:
            distances[squared_lengths(there) == 0] = 0
        distances[left_out[slice(*np.searchsorted(left_out, [some.start, some.stop]))] - some.start] = 0
        best = np.argsort(-distances, kind="stable")[:count]
        found += FarRows(distances[best], labels[best], there[best].astype(np.float64), count)
    return found


def refilled(
    rows: Chunked,
    moved: FloatArray,
    sizes: FloatArray,
    sums: FloatArray,
    alive: BoolArray,
    assign: Callable[[Any], IntArray],
    hinted: IntArray,
    origin: FloatArray,
    *,
    cosine: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """Sizes and sums of clusters after each empty cluster took the row farthest from its center, as in memory.

    Parameters
    ----------
    rows : Chunked
    moved : (k, f) array
        The centers of the clusters.
    sizes, sums : (k,) and (k, f) arrays
        Sums are relative to the origin.
    alive : (k,) mask
        Clusters that have a center.
    assign : callable
        Function from rows to their clusters.
    hinted : (t,) ints
        Constrained rows, which are not moved.
    origin : (f,) array
    cosine : bool
    """
    empty = np.flatnonzero(~alive)
    look = partial(
        far_rows, assign=assign, centers=moved, origin=origin, cosine=cosine, hinted=hinted, count=len(empty)
    )
    with stage("filling empty clusters"):
        far: FarRows = rows.fold(look)
    sizes, sums = sizes.copy(), sums.copy()
    for cluster, distance, label, row in zip(empty, far.distances, far.labels, far.rows, strict=False):
        if distance <= 0:
            break
        sizes[label] -= 1
        sums[label] -= row
        sizes[cluster] += 1
        sums[cluster] += row
    return sizes, sums


def _assigned(rows: Any, *, centers: FloatArray, origin: FloatArray, cosine: bool) -> IntArray:
    return to_numpy(nearest_centers(rows, 0, centers=centers, origin=origin, cosine=cosine)).astype(np.int64)


def spread_of(rows: Any, first: int, *, origin: FloatArray, hinted: IntArray) -> Any:
    """The sum of squared distances of the rows of a leaf to the origin, on a device."""
    return spread_on_device(rows, among(hinted, rows, first), origin)


def nearest_centers(
    rows: Any,
    first: int,
    *,
    centers: FloatArray,
    origin: FloatArray,
    cosine: bool,
    hinted: IntArray = NONE,
    labels: IntArray = NONE,
) -> NDArray[np.int32]:
    """The nearest center of each row of a leaf; constrained rows keep their labels."""
    if is_foreign(rows):
        there = nearest_on_device(rows, centers, origin, cosine)
        if not len(hinted):
            return there
        found = to_numpy(there)
    else:
        found = np.empty(rows.shape[0], dtype=np.int32)
        numbers = np.arange(len(centers))
        towards, offsets = comparing(centers, origin, cosine)
        for some in blocks(rows.shape[0], sum(centers.shape), IN_CACHE):
            member, _ = members(_moved_to(origin, rows[some]), towards, offsets)
            found[some] = numbers @ member
    start = int(np.searchsorted(hinted, first))
    here = among(hinted, rows, first)
    found[here] = labels[start : start + len(here)]
    return found
