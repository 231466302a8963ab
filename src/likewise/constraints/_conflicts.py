"""Contradictions: rows that must be together and must not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._arrays import BoolArray, IntArray
from ._chains import Chains, Spread
from ._partition import Partition
from ._wording import listed

if TYPE_CHECKING:
    from ._constraints import Constraints


@dataclass(frozen=True)
class Conflict:
    """Two rows said to differ, and a shortest chain of must-links that proves them the same.

    Attributes
    ----------
    cannot_link : (int, int)
        The two rows, in ascending order.
    chain : tuple of int
        Rows from the first to the second; each must be with the next by one must-link or one block.
    source : str
        The hint that says they differ: "cannot_link[2]", or "partitions[0]".

    Examples
    --------
    >>> from likewise.constraints import Constraints
    >>> hints = Constraints(20, must_link=[(3, 8), (8, 17)], cannot_link=[(3, 17)])
    >>> print(hints.conflicts()[0])
    rows 3 and 17 are linked by 3–8–17, but cannot_link[0] = (3, 17)
    """

    cannot_link: tuple[int, int]
    chain: tuple[int, ...]
    source: str

    def __str__(self) -> str:
        first, second = self.cannot_link
        chain = listed(self.chain, "–")
        stated = f" = ({first}, {second})" if self.source.startswith("cannot_link") else " says that they differ"
        return f"rows {first} and {second} are linked by {chain}, but {self.source}{stated}"


class ConstraintConflictError(ValueError):
    """Hints that no clustering can satisfy.

    Attributes
    ----------
    conflicts : tuple of Conflict
        The first few contradictions; empty when a clique is the matter.
    clique : tuple of int or None
        Rows that are all different from each other, more of them than clusters.
    """

    def __init__(self, message: str, conflicts: Sequence[Conflict] = (), clique: tuple[int, ...] | None = None) -> None:
        super().__init__(message)
        self.conflicts = tuple(conflicts)
        self.clique = clique

    def __reduce__(self) -> tuple[type[ConstraintConflictError], tuple[object, ...]]:
        return ConstraintConflictError, (str(self), self.conflicts, self.clique)


@dataclass(frozen=True)
class _Cells:
    """The rows of a partition gathered by (closed group, block), one cell for each that occurs."""

    rows: IntArray  # ordered by cell
    bounds: IntArray  # cell c holds rows[bounds[c] : bounds[c + 1]]
    group: IntArray
    code: IntArray

    def __getitem__(self, cell: int) -> IntArray:
        return self.rows[self.bounds[cell] : self.bounds[cell + 1]]

    @property
    def sizes(self) -> IntArray:
        return np.diff(self.bounds)


def _cells(partition: Partition, groups: IntArray) -> _Cells:
    known = np.flatnonzero(partition.codes >= 0)
    key = groups[known] * partition.n_blocks + partition.codes[known]
    order = np.argsort(key, kind="stable")
    values, start = np.unique(key[order], return_index=True)
    group, code = np.divmod(values, max(partition.n_blocks, 1))
    return _Cells(known[order], np.append(start, len(known)), group, code)


def tally(constraints: Constraints, groups: IntArray) -> tuple[int, BoolArray]:
    """Count the conflicts without proving them, and mask the closed groups that hold one."""
    held = groups[constraints.cannot_link]
    inside = held[held[:, 0] == held[:, 1], 0]
    wrong = np.zeros(groups.max(initial=-1) + 1, dtype=np.bool_)
    wrong[inside] = True
    count = len(inside)
    for partition in constraints.partitions:
        if partition.n_cannot_link == 0:
            continue
        cells = _cells(partition, groups)
        if partition.different_across:
            blocks = np.bincount(cells.group, minlength=len(wrong))
            wrong |= blocks > 1
            count += int((blocks * (blocks - 1) // 2).sum())
        if partition.different_within:
            wrong[cells.group[cells.sizes > 1]] = True
            count += int(np.count_nonzero(cells.sizes > 1))
    return count, wrong


def find_conflicts(constraints: Constraints) -> Iterator[Conflict]:
    """Yield every contradiction, proved: the stated cannot-links first, in their order, then the partitions.

    For a partition one witness stands for a closed group and two of its blocks (`different_across`), or a
    closed group and one of its blocks (`different_within`): the one with the shortest chain.
    """
    groups = constraints.groups()
    count, _ = tally(constraints, groups)
    if count == 0:
        return
    chains = Chains(constraints)
    held = groups[constraints.cannot_link]
    start, spread = -1, None
    for index in np.flatnonzero(held[:, 0] == held[:, 1]).tolist():
        first, second = constraints.cannot_link[index].tolist()
        if spread is None or first != start:  # cannot-links are sorted: one search serves all that share a row
            start, spread = first, chains.spread(np.array([first]))
        yield Conflict((first, second), spread.nearest(np.array([second])), f"cannot_link[{index}]")
    for number, partition in enumerate(constraints.partitions):
        for chain in _partition_conflicts(partition, groups, chains):
            forward = chain if chain[0] < chain[-1] else chain[::-1]
            yield Conflict((forward[0], forward[-1]), forward, f"partitions[{number}]")


def _partition_conflicts(partition: Partition, groups: IntArray, chains: Chains) -> Iterator[tuple[int, ...]]:
    cells = _cells(partition, groups)
    if partition.different_across:
        stop = np.searchsorted(cells.group, cells.group, side="right")
        for cell in np.flatnonzero(stop - np.arange(len(stop)) > 1).tolist():
            spread: Spread = chains.spread(cells[cell])
            for other in range(cell + 1, stop[cell]):
                yield spread.nearest(cells[other])
    if partition.different_within:
        for cell in np.flatnonzero(cells.sizes > 1).tolist():
            yield chains.spread(cells[cell]).closest_two()


def raise_conflicts(constraints: Constraints, groups: IntArray, *, shown: int = 3) -> None:
    """Raise an error that names the first few contradictions, if there are any."""
    count, _ = tally(constraints, groups)
    if count == 0:
        return
    first = constraints.conflicts(limit=shown)
    stated = first[0].source.startswith("cannot_link")
    more = f"; and {count - len(first):,} more" if count > len(first) else ""
    raise ConstraintConflictError(
        f"{'must_link and cannot_link contradict' if stated else 'the hints contradict each other'}: "
        f"{'; '.join(map(str, first))}{more}. Remove one of these pairs, or call drop_conflicts().",
        first,
    )
