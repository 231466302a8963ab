"""The closure of constraints: groups of must-linked rows, cannot-links between groups, and expansion to pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from .._arrays import FloatArray, IntArray, relabel
from ._partition import Partition, Parts, by_block, pairs_across, pairs_within

if TYPE_CHECKING:
    from ._constraints import Constraints

_Weighted = tuple[IntArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Closure:
    """Constraints closed under transitivity and entailment.

    Must-linked rows form a group; a row without must-links is a group of one. Two rows are cannot-linked if and only if
    their groups are, so that the two attributes contain everything that the constraints imply.

    Attributes
    ----------
    groups : (n_samples,) integers
        The group of each row, numbered by first appearance.
    between : Constraints
        Cannot-links between the groups (its `n_samples` is `n_groups`), with the largest weight of the cannot-links
        between two groups. Partitions of the rows become partitions of the groups.

    Examples
    --------
    >>> from likewise.constraints import Constraints
    >>> closure = Constraints(5, must_link=[(0, 2), (2, 4)], cannot_link=[(1, 4)]).closure()
    >>> closure.groups
    array([0, 1, 0, 2, 0])
    >>> closure.sizes
    array([3, 1, 1])
    >>> closure.between.cannot_link.tolist()
    [[0, 1]]
    """

    groups: IntArray
    between: Constraints

    @property
    def n_groups(self) -> int:
        """Number of groups, including groups of one row."""
        return self.between.n_samples

    @property
    def sizes(self) -> IntArray:
        """Number of rows in each group."""
        return np.bincount(self.groups, minlength=self.n_groups)


def link_graph(n_samples: int, must_link: IntArray, partitions: Sequence[Partition]) -> csr_array:
    """The graph of must-links and blocks.

    Its vertices are the rows, followed by the blocks of the `same_within` partitions. A must-link is an edge of length
    2, and a row is connected to its block by an edge of length 1, so that two rows of a block are at the same distance
    as two must-linked rows. Each edge is stored once: must-links, which are sorted, at their first row, the others at
    their block.
    """
    ends = [must_link[:, 1]]
    degrees = [np.bincount(must_link[:, 0], minlength=n_samples)]
    for partition in partitions:
        if partition.same_within:
            ends.append(by_block(partition.codes))
            degrees.append(partition.block_sizes)
    bounds = np.concatenate([[0], *degrees]).cumsum()
    vertices = len(bounds) - 1
    length = np.ones(bounds[-1])
    length[: len(must_link)] = 2.0
    return csr_array((length, np.concatenate(ends), bounds), shape=(vertices, vertices))


def closed_groups(n_samples: int, must_link: IntArray, partitions: Sequence[Partition]) -> IntArray:
    """The connected components of must-links and blocks, numbered by first appearance."""
    if n_samples == 0:
        return np.empty(0, dtype=np.int64)
    _, component = connected_components(link_graph(n_samples, must_link, partitions), directed=False)
    return relabel(component[:n_samples].astype(np.int64))


def between_groups(constraints: Constraints, groups: IntArray) -> Parts:
    """The cannot-links between the groups of consistent constraints."""
    n_groups = int(groups.max(initial=-1)) + 1
    pairs, weights = [groups[constraints.cannot_link]], [constraints.cannot_weight]
    partitions = []
    for partition in constraints.partitions:
        if partition.different_across:
            partitions.append(partition.with_codes(_over_groups(partition, groups, n_groups), same_within=False))
        elif partition.different_within:
            kept, written = _different_within(partition, groups, n_groups)
            partitions += kept
            pairs.append(written)
            weights.append(np.full(len(written), partition.weight))
    return Parts(
        n_groups, cannot_link=np.concatenate(pairs), cannot_weight=np.concatenate(weights), partitions=partitions
    )


def _over_groups(partition: Partition, groups: IntArray, n_groups: int) -> IntArray:
    """The code of each group: that of its rows, which is unique if there are no conflicts."""
    codes = np.full(n_groups, -1, dtype=np.int64)
    known = partition.codes >= 0
    codes[groups[known]] = partition.codes[known]
    return codes


def _different_within(partition: Partition, groups: IntArray, n_groups: int) -> tuple[list[Partition], IntArray]:
    """Convert "different within a block" from rows to groups, as partitions where possible.

    A group may be in several blocks (one track in many frames), and then has no unique code. Blocks that share no group
    with another block remain one partition. Each other block is expanded to pairs of groups, or becomes a partition of
    its own if that is smaller, so that memory does not grow quadratically with the size of a block.
    """
    sizes = partition.block_sizes
    rows = np.flatnonzero(partition.codes >= 0)
    rows = rows[sizes[partition.codes[rows]] > 1]
    held, code = groups[rows], partition.codes[rows]
    many = np.bincount(held, minlength=n_groups) > 1
    shared = np.zeros(partition.n_blocks, dtype=np.bool_)
    shared[code[many[held]]] = True
    large = shared & (sizes * (sizes - 1) // 2 > n_groups)

    def over(chosen: IntArray) -> Partition:
        codes = np.full(n_groups, -1, dtype=np.int64)
        codes[held[chosen]] = code[chosen]
        return partition.with_codes(codes)

    alone = np.flatnonzero(~shared[code])
    kept = [over(alone)] if alone.size else []
    kept += [over(np.flatnonzero(code == block)) for block in np.flatnonzero(large)]
    small = shared & ~large
    return kept, held[pairs_within(np.where(small[code], code, -1))]


def expanded_pairs(constraints: Constraints, limit: int) -> Parts:
    """All pairs, stated and implied; raises an error if there are more than `limit`."""
    if n_expanded(constraints, closed=False) > limit:  # includes duplicates, but is faster to count
        _check_limit(constraints.n_must_link + constraints.n_cannot_link, limit)
    must = [(constraints.must_link, constraints.must_weight)]
    cannot = [(constraints.cannot_link, constraints.cannot_weight)]
    for partition in constraints.partitions:
        if partition.same_within:
            must.append(_with_weight(pairs_within(partition.codes), partition))
        if partition.different_across:
            cannot.append(_with_weight(pairs_across(partition.codes), partition))
        if partition.different_within:
            cannot.append(_with_weight(pairs_within(partition.codes), partition))
    return _joined(constraints, must, cannot)


def n_expanded(constraints: Constraints, *, closed: bool) -> int:
    """The number of pairs after expansion, including duplicates."""
    stated = len(constraints.must_link) + len(constraints.cannot_link)
    stated += sum(partition.n_must_link + partition.n_cannot_link for partition in constraints.partitions)
    if not closed:
        return stated
    closure = constraints.closure()
    sizes, between = closure.sizes, closure.between
    inside = int((sizes * (sizes - 1) // 2).sum())
    return stated + inside + int(np.prod(sizes[between.cannot_link], axis=1).sum())


def entailed_pairs(constraints: Constraints, stated: Constraints, limit: int) -> Parts:
    """The pairs in `stated` and the pairs that they imply.

    A pair within a group has the smallest weight of the must-links that join the group; a pair between groups has the
    largest weight of the cannot-links between them, as in `Closure.between`. If a pair is also stated, the constructor
    keeps the larger weight.
    """
    closure = constraints.closure()
    groups, sizes = closure.groups, closure.sizes
    smallest = np.full(closure.n_groups, np.inf)
    np.minimum.at(smallest, groups[stated.must_link[:, 0]], stated.must_weight)
    apart = closure.between.expand(limit)
    counts = sizes[apart.cannot_link[:, 0]] * sizes[apart.cannot_link[:, 1]]
    _check_limit(int((sizes * (sizes - 1) // 2).sum() + counts.sum()), limit)
    together = pairs_within(np.where(sizes[groups] > 1, groups, -1))
    entailed = _products(groups, sizes, apart.cannot_link, counts)
    return _joined(
        constraints,
        [(stated.must_link, stated.must_weight), (together, smallest[groups[together[:, 0]]])],
        [(stated.cannot_link, stated.cannot_weight), (entailed, np.repeat(apart.cannot_weight, counts))],
    )


def _products(groups: IntArray, sizes: IntArray, between: IntArray, counts: IntArray) -> IntArray:
    """All pairs of rows between the two groups of each pair of groups."""
    rows = np.argsort(groups, kind="stable")
    start = np.cumsum(sizes) - sizes
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    first, second = np.repeat(between, counts, axis=0).T
    row, column = np.divmod(offset, sizes[second])
    return np.column_stack([rows[start[first] + row], rows[start[second] + column]])


def _with_weight(pairs: IntArray, partition: Partition) -> _Weighted:
    return pairs, np.full(len(pairs), partition.weight)


def _joined(constraints: Constraints, must: list[_Weighted], cannot: list[_Weighted]) -> Parts:
    must_link, must_weight = (np.concatenate(parts) for parts in zip(*must, strict=True))
    cannot_link, cannot_weight = (np.concatenate(parts) for parts in zip(*cannot, strict=True))
    pairs = must_link, cannot_link, must_weight, cannot_weight
    return Parts(constraints.n_samples, *pairs, (), constraints.comparisons, constraints.preferences)


def _check_limit(count: int, limit: int) -> None:
    if count > limit:
        raise ValueError(
            f"expanding to {count:,} pairs would exceed the limit of {limit:,}. "
            f"Keep the partitions, or allow it with expand(limit={count})."
        )
