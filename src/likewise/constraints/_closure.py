"""What the hints entail: closed groups, and which of them are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._arrays import IntArray
from ._conflicts import raise_conflicts
from ._partition import Partition, pairs_within

if TYPE_CHECKING:
    from ._constraints import Constraints


@dataclass(frozen=True, eq=False)
class Closure:
    """Hints closed under transitivity and entailment.

    Rows that must be together form a group; a row that nothing joins is a group of one. Two rows must be
    apart exactly when their groups must, so everything that follows from the hints is in these two
    attributes.

    Attributes
    ----------
    groups : (n_samples,) integers
        The group of each row, numbered by first appearance.
    between : Constraints
        Cannot-links over the groups (its `n_samples` is `n_groups`). Of several statements about two groups
        the larger belief is kept. Partitions stay partitions of the groups.

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
        """Number of groups, those of one row among them."""
        return self.between.n_samples

    @property
    def sizes(self) -> IntArray:
        """Number of rows in each group."""
        return np.bincount(self.groups, minlength=self.n_groups)


def close(constraints: Constraints) -> Closure:
    """Close consistent hints; contradictory ones raise ConstraintConflictError."""
    from ._constraints import Constraints

    groups = constraints.groups()
    raise_conflicts(constraints, groups)
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
    between = Constraints(
        n_groups,
        cannot_link=np.concatenate(pairs),
        cannot_weight=np.concatenate(weights),
        partitions=partitions,
    )
    return Closure(groups, between)


def _over_groups(partition: Partition, groups: IntArray, n_groups: int) -> IntArray:
    """Give each group the code of its rows; without a conflict they agree."""
    codes = np.full(n_groups, -1, dtype=np.int64)
    known = partition.codes >= 0
    codes[groups[known]] = partition.codes[known]
    return codes


def _different_within(partition: Partition, groups: IntArray, n_groups: int) -> tuple[list[Partition], IntArray]:
    """Carry "different within a block" over to groups, as partitions where that is possible.

    A group may be in several blocks (one track in many frames) and then has no one code. The blocks that
    share no group with another stay one partition. Of the others a block is written out as pairs of groups,
    or becomes a partition of its own when that is smaller: memory never grows with the square of a block.
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
