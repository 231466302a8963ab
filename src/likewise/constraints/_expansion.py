"""Hints written out pair by pair."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .._arrays import FloatArray, IntArray
from ._partition import pairs_across, pairs_within

if TYPE_CHECKING:
    from ._constraints import Constraints

_Weighted = tuple[IntArray, FloatArray]


def expand(constraints: Constraints, limit: int, closed: bool) -> Constraints:
    """Write every pair out, or raise when there are more than `limit`."""
    if n_written(constraints, closed=False) > limit:  # with repeats, which is quicker to count
        _within_limit(constraints.n_must_link + constraints.n_cannot_link, limit)
    must, cannot = (
        [(constraints.must_link, constraints.must_weight)],
        [(constraints.cannot_link, constraints.cannot_weight)],
    )
    for partition in constraints.partitions:

        def add(kind: list[_Weighted], pairs: IntArray, weight: float = partition.weight) -> None:
            kind.append((pairs, np.full(len(pairs), weight)))

        if partition.same_within:
            add(must, pairs_within(partition.codes))
        if partition.different_across:
            add(cannot, pairs_across(partition.codes))
        if partition.different_within:
            add(cannot, pairs_within(partition.codes))
    stated = _written(constraints.n_samples, must, cannot) if constraints.partitions else constraints
    if not (closed and (len(stated.must_link) or len(stated.cannot_link))):
        return stated
    return _closed(constraints, stated, limit)


def n_written(constraints: Constraints, *, closed: bool) -> int:
    """Count the pairs that `expand` writes out before it merges those that occur twice."""
    stated = len(constraints.must_link) + len(constraints.cannot_link)
    stated += sum(partition.n_must_link + partition.n_cannot_link for partition in constraints.partitions)
    if not closed:
        return stated
    closure = constraints.closure()
    sizes, between = closure.sizes, closure.between
    inside = int((sizes * (sizes - 1) // 2).sum())
    return stated + inside + int(np.prod(sizes[between.cannot_link], axis=1).sum())


def cannot_links_only(constraints: Constraints) -> Constraints:
    """The same constraints without any must-link, those of partitions included."""
    from ._constraints import Constraints

    return Constraints(
        constraints.n_samples,
        cannot_link=constraints.cannot_link,
        cannot_weight=constraints.cannot_weight,
        partitions=[
            replace(partition, same_within=False)
            for partition in constraints.partitions
            if partition.different_across or partition.different_within
        ],
    )


def _closed(constraints: Constraints, stated: Constraints, limit: int) -> Constraints:
    """Add what the stated pairs entail.

    A pair inside a group is believed as much as the weakest statement that joins it; a pair between groups as
    much as the strongest statement that parts them, as `Closure.between` has it. Where a pair is also stated, the
    constructor keeps the larger belief.
    """
    closure = constraints.closure()
    groups, sizes = closure.groups, closure.sizes
    weakest = np.full(closure.n_groups, np.inf)
    np.minimum.at(weakest, groups[stated.must_link[:, 0]], stated.must_weight)

    apart = closure.between.expand(limit)
    between, strongest = apart.cannot_link, apart.cannot_weight
    counts = sizes[between[:, 0]] * sizes[between[:, 1]]
    _within_limit(int((sizes * (sizes - 1) // 2).sum() + counts.sum()), limit)
    together = pairs_within(np.where(sizes[groups] > 1, groups, -1))
    entailed = _products(groups, sizes, between, counts)
    return _written(
        constraints.n_samples,
        [(stated.must_link, stated.must_weight), (together, weakest[groups[together[:, 0]]])],
        [(stated.cannot_link, stated.cannot_weight), (entailed, np.repeat(strongest, counts))],
    )


def _products(groups: IntArray, sizes: IntArray, between: IntArray, counts: IntArray) -> IntArray:
    """Pair every row of the one group with every row of the other, for each two groups."""
    rows = np.argsort(groups, kind="stable")
    start = np.cumsum(sizes) - sizes
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    first, second = np.repeat(between, counts, axis=0).T
    row, column = np.divmod(offset, sizes[second])
    return np.column_stack([rows[start[first] + row], rows[start[second] + column]])


def _written(n_samples: int, must: list[_Weighted], cannot: list[_Weighted]) -> Constraints:
    from ._constraints import Constraints

    must_link, must_weight = (np.concatenate(parts) for parts in zip(*must, strict=True))
    cannot_link, cannot_weight = (np.concatenate(parts) for parts in zip(*cannot, strict=True))
    return Constraints(n_samples, must_link, cannot_link, must_weight, cannot_weight)


def _within_limit(count: int, limit: int) -> None:
    if count > limit:
        raise ValueError(
            f"writing out {count:,} pairs would pass the limit of {limit:,}. "
            f"Keep the partitions as they are, or allow it with expand(limit={count})."
        )
