"""Resolution of conflicts, by dropping constraints of small weight."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._arrays import BoolArray, IntArray
from ._closure import closed_groups
from ._conflicts import count_conflicts
from ._partition import Parts

if TYPE_CHECKING:
    from ._constraints import Constraints


class _Statement(NamedTuple):
    """A must-link, a cannot-link, or the block of one row in a partition."""

    weight: float
    group: int
    joins: bool
    partition: int  # −1 for a pair
    first: int  # a row
    second: int  # a row, or the row's code in the partition
    place: int  # of the pair in its list


class RefusingUnion:
    """Union–find whose components have marks, and that refuses to join components with different values of a mark.

    Everything that separates rows is a mark, a key with a value: a cannot-link sets two values of one key at its ends;
    `different_across` sets the block as the value of a key for the partition; `different_within` sets the row as the
    value of a key for the block.

    >>> union = RefusingUnion()
    >>> union.mark("a", {"color": 1}), union.mark("b", {"color": 2}), union.join("a", "c"), union.join("c", "b")
    (True, True, True, False)
    """

    def __init__(self) -> None:
        self._parent: dict[Hashable, Hashable] = {}
        self._marks: dict[Hashable, dict[Hashable, int]] = {}

    def find(self, vertex: Hashable) -> Hashable:
        """The representative of the component of a vertex."""
        parents = self._parent
        root = parents.setdefault(vertex, vertex)
        while (parent := parents[root]) != root:
            root = parent
        while (parent := parents[vertex]) != root:  # path compression
            parents[vertex], vertex = root, parent
        return root

    def join(self, first: Hashable, second: Hashable) -> bool:
        """Join the components of two vertices unless their marks differ; return whether they are joined."""
        low, high = self.find(first), self.find(second)
        if low == high:
            return True
        few, many = self._marks.setdefault(low, {}), self._marks.setdefault(high, {})
        if len(few) > len(many):  # merging the smaller set into the larger takes O(m log m) in total
            low, high, few, many = high, low, many, few
        if not _agree(few, many):
            return False
        many.update(few)
        self._parent[low] = high
        del self._marks[low]
        return True

    def mark(self, vertex: Hashable, marks: dict[Hashable, int]) -> bool:
        """Mark the component of a vertex unless it has different values; return whether it was marked."""
        own = self._marks.setdefault(self.find(vertex), {})
        if not _agree(marks, own):
            return False
        own.update(marks)
        return True


def _agree(few: dict[Hashable, int], many: dict[Hashable, int]) -> bool:
    return few.keys().isdisjoint(many) or all(many.get(key, value) == value for key, value in few.items())


def split_conflicts(constraints: Constraints) -> tuple[Parts, Parts] | None:
    """The constraints that are kept and those that are dropped; None if there are no conflicts."""
    groups = constraints.groups()
    count, wrong = count_conflicts(constraints, groups)
    if count == 0:
        return None
    statements = _statements(constraints, groups, wrong)
    weight = np.array([statement.weight for statement in statements])
    group = np.array([statement.group for statement in statements])
    # For ties of weight, try both orders, and use for every closed group the one that drops less weight.
    refused = [_refused(constraints, statements, joins_first) for joins_first in (True, False)]
    cost = [np.bincount(group, weight * each, minlength=len(wrong)) for each in refused]
    dropped = np.where((cost[0] <= cost[1])[group], refused[0], refused[1])
    return _split(constraints, [statements[i] for i in np.flatnonzero(dropped)])


def _statements(constraints: Constraints, groups: IntArray, wrong: BoolArray) -> list[_Statement]:
    """List the statements within the closed groups that have conflicts; no others can be in conflict."""
    found = []
    pairs = (
        (True, constraints.must_link, constraints.must_weight),
        (False, constraints.cannot_link, constraints.cannot_weight),
    )
    for joins, links, weights in pairs:
        held = groups[links]
        for index in np.flatnonzero((held[:, 0] == held[:, 1]) & wrong[held[:, 0]]).tolist():
            first, second = links[index].tolist()
            found.append(_Statement(float(weights[index]), int(held[index, 0]), joins, -1, first, second, index))
    for number, partition in enumerate(constraints.partitions):
        rows = np.flatnonzero((partition.codes >= 0) & wrong[groups])
        block = groups[rows] * partition.n_blocks + partition.codes[rows]
        _, which, votes = np.unique(block, return_inverse=True, return_counts=True)
        # blocks with many rows of the group come first, so that the majority is kept
        for row in rows[np.argsort(-votes[which], kind="stable")].tolist():
            group, code = int(groups[row]), int(partition.codes[row])
            found.append(_Statement(partition.weight, group, partition.same_within, number, row, code, row))
    return found


def _refused(constraints: Constraints, statements: list[_Statement], joins_first: bool) -> BoolArray:
    """Add the statements by decreasing weight, and mask those that conflict with the ones added before."""
    union = RefusingUnion()
    refused = np.zeros(len(statements), dtype=np.bool_)
    order = sorted(range(len(statements)), key=lambda i: (-statements[i].weight, statements[i].joins != joins_first))
    for position in order:
        _, _, joins, number, first, second, index = statements[position]
        if number < 0 and joins:
            taken = union.join(first, second)
        elif number < 0:
            taken = union.find(first) != union.find(second)
            if taken:
                key = ("cannot", index)
                union.mark(first, {key: 0})
                union.mark(second, {key: 1})
        else:
            partition = constraints.partitions[number]
            marks: dict[Hashable, int] = {}
            if partition.different_across:
                marks["across", number] = second
            if partition.different_within:
                marks["within", number, second] = first
            block = ("block", number, second)
            marked = block if joins else first
            taken = union.mark(marked, marks) and union.join(first, marked)
        refused[position] = not taken
    return refused


def _split(constraints: Constraints, dropped: list[_Statement]) -> tuple[Parts, Parts]:
    """The constraints without the dropped statements, and the dropped statements as pairs.

    Dropping the block of a row makes it unknown in the partition. It is represented by one pair that the partition
    implied and that conflicts with the constraints that are kept.
    """
    keep_must = np.ones(len(constraints.must_link), dtype=np.bool_)
    keep_cannot = np.ones(len(constraints.cannot_link), dtype=np.bool_)
    codes = [partition.codes.copy() for partition in constraints.partitions]
    for statement in dropped:
        if statement.partition >= 0:
            codes[statement.partition][statement.first] = -1
        else:
            (keep_must if statement.joins else keep_cannot)[statement.place] = False
    kept = Parts(
        constraints.n_samples,
        constraints.must_link[keep_must],
        constraints.cannot_link[keep_cannot],
        constraints.must_weight[keep_must],
        constraints.cannot_weight[keep_cannot],
        [partition.with_codes(left) for partition, left in zip(constraints.partitions, codes, strict=True)],
        constraints.comparisons,
        constraints.preferences,
    )
    kept_groups = closed_groups(kept.n_samples, kept.must_link, kept.partitions)
    must, cannot = [], []  # (row, row, weight) for each row whose block becomes unknown
    for number in {statement.partition for statement in dropped} - {-1}:
        partition, left = constraints.partitions[number], codes[number]
        remaining = np.flatnonzero(left >= 0)
        where = kept_groups if partition.different_across else kept_groups * partition.n_blocks + partition.codes
        in_block, in_group = _first(left[remaining], remaining), _first(where[remaining], remaining)
        for statement in dropped:
            if statement.partition == number:
                row, code = statement.first, statement.second
                if partition.same_within and code in in_block:
                    must.append((row, in_block[code], statement.weight))
                else:  # it conflicts with a row of the same group, in another block or in the same
                    cannot.append((row, in_group[int(where[row])], statement.weight))
    lost_must, lost_cannot = (np.array(lost, dtype=np.float64).reshape(-1, 3) for lost in (must, cannot))
    return kept, Parts(
        constraints.n_samples,
        np.concatenate([constraints.must_link[~keep_must], lost_must[:, :2]]),
        np.concatenate([constraints.cannot_link[~keep_cannot], lost_cannot[:, :2]]),
        np.concatenate([constraints.must_weight[~keep_must], lost_must[:, 2]]),
        np.concatenate([constraints.cannot_weight[~keep_cannot], lost_cannot[:, 2]]),
    )


def _first(keys: IntArray, rows: IntArray) -> dict[int, int]:
    values, index = np.unique(keys, return_index=True)
    return dict(zip(values.tolist(), rows[index].tolist(), strict=True))
