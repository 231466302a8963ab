"""Knowledge about whole groups of rows, never written out as pairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import BoolArray, IntArray, relabel
from ._validate import belief, chosen_rows, read_only, whole_numbers
from ._wording import counted


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Partition:
    """Rows in blocks, and what being in a block means.

    Partial labels, blocking keys and the frames of a film speak of O(n²) pairs of rows in O(n) words. A
    partition keeps them that way: one code for each row, and up to two meanings.

    Parameters
    ----------
    codes : (n_samples,) integers
        The block of each row, −1 where it is not known. Known codes are renumbered 0, 1, ... by first
        appearance, so that two partitions that say the same compare equal.
    same_within : bool, default=True
        Two rows of one block belong together (labels, blocking keys).
    different_across : bool, default=False
        Rows of two blocks do not (labels).
    different_within : bool, default=False
        Two rows of one block do not (two faces in one frame are two people). Excludes `same_within`.
    weight : float, default=1.0
        One degree of belief for all of it: finite, above 0.

    Notes
    -----
    A block of one row says something only with `different_across`.

    Examples
    --------
    >>> from likewise.constraints import Partition
    >>> labels = Partition([7, 7, -1, 2], different_across=True)
    >>> labels
    Partition(3 of 4 rows in 2 blocks: same within, different across)
    >>> labels.codes
    array([ 0,  0, -1,  1])
    >>> labels.n_must_link, labels.n_cannot_link
    (1, 2)
    """

    codes: IntArray
    same_within: bool
    different_across: bool
    different_within: bool
    weight: float

    def __init__(
        self,
        codes: Any,
        same_within: bool = True,
        different_across: bool = False,
        different_within: bool = False,
        weight: float = 1.0,
    ) -> None:
        array = whole_numbers(codes, "codes")
        if array.ndim != 1:
            raise ValueError(f"codes must be one number for each row, got shape {array.shape}.")
        wrong = np.flatnonzero(array < -1)
        if wrong.size:
            raise ValueError(
                f"codes[{wrong[0]}] = {array[wrong[0]]}: a block is 0 or more. Write −1 where it is unknown."
            )
        if same_within and different_within:
            raise ValueError("same_within and different_within contradict each other. Pass same_within=False.")
        if not (same_within or different_across or different_within):
            raise ValueError("a partition must say something: set same_within, different_across or different_within.")
        setattr_ = object.__setattr__  # the way into a frozen dataclass
        setattr_(self, "codes", read_only(relabel(array)))
        setattr_(self, "same_within", bool(same_within))
        setattr_(self, "different_across", bool(different_across))
        setattr_(self, "different_within", bool(different_within))
        setattr_(self, "weight", belief(weight, "weight"))

    @property
    def n_samples(self) -> int:
        """Number of rows, known or not."""
        return len(self.codes)

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return int(self.codes.max(initial=-1)) + 1

    @property
    def n_known(self) -> int:
        """Number of rows whose block is known."""
        return int(np.count_nonzero(self.codes >= 0))

    @property
    def block_sizes(self) -> IntArray:
        """Number of rows in each block."""
        return np.bincount(self.codes[self.codes >= 0], minlength=self.n_blocks)

    @property
    def _n_within(self) -> int:
        sizes = self.block_sizes
        return int((sizes * (sizes - 1) // 2).sum())

    @property
    def n_must_link(self) -> int:
        """Number of pairs it says belong together."""
        return self._n_within if self.same_within else 0

    @property
    def n_cannot_link(self) -> int:
        """Number of pairs it says do not."""
        known, within = self.n_known, self._n_within
        across = known * (known - 1) // 2 - within
        return across * self.different_across + within * self.different_within

    def touched(self) -> BoolArray:
        """Mask of the rows that are in at least one of the pairs it implies."""
        known = self.codes >= 0
        if self.different_across and self.n_blocks > 1:
            return known
        if not (self.same_within or self.different_within):
            return np.zeros_like(known)
        shared: BoolArray = np.append(self.block_sizes > 1, False)
        return known & shared[self.codes]

    def restrict(self, rows: Any) -> Partition:
        """Keep the given rows, in the given order (row numbers, or a mask).

        Examples
        --------
        >>> Partition([5, 5, 8, -1]).restrict([3, 2, 0]).codes
        array([-1,  0,  1])
        """
        return self.with_codes(self.codes[chosen_rows(rows, self.n_samples)])

    def with_codes(self, codes: IntArray, **changes: Any) -> Partition:
        """Say the same about other codes."""
        return Partition(codes, **{**self._meaning(), **changes})

    def same_statement(self, other: Partition) -> bool:
        """Whether both imply the same pairs by the same blocks, whatever their weights."""
        return self._flags == other._flags and np.array_equal(self.codes, other.codes)

    def _meaning(self) -> dict[str, Any]:
        names = ("same_within", "different_across", "different_within", "weight")
        return {name: getattr(self, name) for name in names}

    @property
    def _flags(self) -> tuple[bool, bool, bool]:
        return self.same_within, self.different_across, self.different_within

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        return self.weight == other.weight and self.same_statement(other)

    def __reduce__(self) -> tuple[type[Partition], tuple[Any, ...]]:
        # A copy goes through the constructor: numpy forgets that an array was read-only.
        return Partition, (np.array(self.codes), *self._flags, self.weight)

    def __repr__(self) -> str:
        words = ("same within", "different across", "different within")
        says = ", ".join(word for word, flag in zip(words, self._flags, strict=True) if flag)
        weight = "" if self.weight == 1 else f", weight {self.weight:g}"
        blocks = counted(self.n_blocks, "block")
        return f"Partition({self.n_known:,} of {counted(self.n_samples, 'row')} in {blocks}: {says}{weight})"


def distinct_partitions(partitions: Iterable[Partition], n_samples: int) -> tuple[Partition, ...]:
    """Check partitions; leave out those that know no row, merge those that say the same."""
    if isinstance(partitions, Partition):
        raise TypeError("partitions must be several Partition objects. Write partitions=[partition].")
    kept: list[Partition] = []
    for number, partition in enumerate(partitions):
        if not isinstance(partition, Partition):
            raise TypeError(
                f"partitions[{number}] is a {type(partition).__name__}. "
                "Wrap codes in Partition(codes), or use from_labels(y)."
            )
        if partition.n_samples != n_samples:
            raise ValueError(
                f"partitions[{number}] is over {partition.n_samples} rows, the constraints over {n_samples}. "
                "Give both the rows of one data set."
            )
        said = next((i for i, other in enumerate(kept) if partition.same_statement(other)), None)
        if said is not None:
            kept[said] = max(kept[said], partition, key=lambda each: each.weight)
        elif partition.n_known:
            kept.append(partition)
    return tuple(kept)


def pairs_within(codes: IntArray) -> IntArray:
    """Write out every pair of rows of one block.

    >>> pairs_within(np.array([0, 1, 0, -1, 0])).tolist()
    [[0, 2], [0, 4], [2, 4]]
    """
    rows = by_block(codes)
    stop = _block_ends(codes[rows])
    return _with_partners(rows, np.arange(len(rows)) + 1, stop)


def pairs_across(codes: IntArray) -> IntArray:
    """Write out every pair of rows of two blocks.

    >>> pairs_across(np.array([0, 1, 0, -1])).tolist()
    [[0, 1], [2, 1]]
    """
    rows = by_block(codes)
    stop = _block_ends(codes[rows])
    return _with_partners(rows, stop, np.full(len(rows), len(rows)))


def by_block(codes: IntArray) -> IntArray:
    """Return the known rows ordered by block, and in a block as they come."""
    known = np.flatnonzero(codes >= 0)
    return known[np.argsort(codes[known], kind="stable")]


def _block_ends(codes: IntArray) -> IntArray:
    """Return for each place in sorted codes where its block ends."""
    return np.bincount(codes).cumsum()[codes]


def _with_partners(rows: IntArray, start: IntArray, stop: IntArray) -> IntArray:
    """Pair the row at each position with those at the positions start to stop."""
    counts = stop - start
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.column_stack([np.repeat(rows, counts), rows[np.repeat(start, counts) + offset]])
