"""Constraints between all rows of groups, stored without expanding them to pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._arrays import BoolArray, IntArray, relabel
from ._format import pluralize
from ._validate import checked_weight, chosen_rows, read_only, whole_numbers

if TYPE_CHECKING:
    from ._comparisons import Comparisons
    from ._constraints import Constraints
    from ._preference import Preference


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Partition:
    """Blocks of rows, and the must-links and cannot-links that they imply.

    Partial labels, blocking keys and the frames of a video imply O(n²) pairs of rows. A partition stores them as one
    code per row.

    Parameters
    ----------
    codes : (n_samples,) integers
        The block of each row, −1 if it is unknown. Blocks are renumbered 0, 1, ... by first appearance, so that
        partitions with the same blocks compare equal.
    same_within : bool, default=True
        Whether rows of the same block are must-linked (labels, blocking keys).
    different_across : bool, default=False
        Whether rows of different blocks are cannot-linked (labels).
    different_within : bool, default=False
        Whether rows of the same block are cannot-linked (two faces in one frame are two people). Excludes
        `same_within`.
    weight : float, default=1.0
        The weight of every implied pair, positive and finite.
    names : sequence of str, optional
        The name of each code, ``names[code]``, such as the label that it represents. They are stored in the order of
        the blocks. Names do not affect equality; labels joined with ``|`` are the same class if they have the same
        name.

    Notes
    -----
    A block of one row implies pairs only with `different_across`.

    See Also
    --------
    Constraints.from_labels : Partial labels as a partition.
    likewise.sources.groups.all_different : A column of blocks within which all rows are different.

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
    >>> Partition([1, 1, -1, 0], different_across=True, names=["cat", "dog"]).names
    ('dog', 'cat')
    """

    codes: IntArray
    same_within: bool
    different_across: bool
    different_within: bool
    weight: float
    names: tuple[str, ...] | None

    def __init__(
        self,
        codes: Any,
        same_within: bool = True,
        different_across: bool = False,
        different_within: bool = False,
        weight: float = 1.0,
        names: Sequence[str] | None = None,
    ) -> None:
        array = whole_numbers(codes, "codes", remedy="For labels that are text use Constraints.from_labels(labels).")
        if array.ndim != 1:
            raise ValueError(f"codes must be one number for each row, got shape {array.shape}.")
        wrong = np.flatnonzero(array < -1)
        if wrong.size:
            raise ValueError(f"codes[{wrong[0]}] = {array[wrong[0]]}: a block is 0 or more. Write −1 if it is unknown.")
        if same_within and different_within:
            raise ValueError("same_within and different_within contradict each other. Pass same_within=False.")
        if not (same_within or different_across or different_within):
            raise ValueError("a partition must imply something: set same_within, different_across or different_within.")
        setattr_ = object.__setattr__  # since the dataclass is frozen
        setattr_(self, "names", None if names is None else _names_of_blocks(array, names))
        setattr_(self, "codes", read_only(relabel(array)))
        setattr_(self, "same_within", bool(same_within))
        setattr_(self, "different_across", bool(different_across))
        setattr_(self, "different_within", bool(different_within))
        setattr_(self, "weight", checked_weight(weight, "weight"))

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
    def is_labels(self) -> bool:
        """Whether the blocks are classes: `same_within` and `different_across`."""
        return self.same_within and self.different_across

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
        """Number of must-linked pairs."""
        return self._n_within if self.same_within else 0

    @property
    def n_cannot_link(self) -> int:
        """Number of cannot-linked pairs."""
        known, within = self.n_known, self._n_within
        across = known * (known - 1) // 2 - within
        return across * self.different_across + within * self.different_within

    def constrained_rows(self) -> BoolArray:
        """Mask of the rows in at least one implied pair.

        Returns
        -------
        (n,) bools
        """
        known = self.codes >= 0
        if self.different_across and self.n_blocks > 1:
            return known
        if not (self.same_within or self.different_within):
            return np.zeros_like(known)
        shared: BoolArray = np.append(self.block_sizes > 1, False)
        return known & shared[self.codes]

    def restrict(self, rows: Any) -> Partition:
        """Select rows, in the given order.

        Parameters
        ----------
        rows : row numbers without duplicates, or a boolean mask

        Returns
        -------
        Partition

        Examples
        --------
        >>> Partition([5, 5, 8, -1]).restrict([3, 2, 0]).codes
        array([-1,  0,  1])
        """
        return self.with_codes(self.codes[chosen_rows(rows, self.n_samples)])

    def with_codes(self, codes: IntArray, **changes: Any) -> Partition:
        """A partition with other codes, and otherwise the same parameters.

        Parameters
        ----------
        codes : (n,) ints
            Block of each row, with the same numbering of blocks; −1 if it is unknown.
        **changes
            Other parameters of the constructor to change.

        Returns
        -------
        Partition
        """
        return Partition(codes, **{**self._meaning(), **changes})

    def _same_pairs(self, other: Partition) -> bool:
        """Whether both imply the same pairs, regardless of weights."""
        return self._flags == other._flags and np.array_equal(self.codes, other.codes)

    def _meaning(self) -> dict[str, Any]:
        attributes = ("same_within", "different_across", "different_within", "weight", "names")
        return {name: getattr(self, name) for name in attributes}

    @property
    def _flags(self) -> tuple[bool, bool, bool]:
        return self.same_within, self.different_across, self.different_within

    def __or__(self, other: Any) -> Constraints:
        from ._constraints import Constraints

        joined: Constraints = Constraints(self.n_samples, partitions=[self]) | other
        return joined

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        return self.weight == other.weight and self._same_pairs(other)

    def __reduce__(self) -> tuple[type[Partition], tuple[Any, ...]]:
        # copies use the constructor, since copied numpy arrays are writable
        return Partition, (np.array(self.codes), *self._flags, self.weight, self.names)

    def __repr__(self) -> str:
        words = ("same within", "different across", "different within")
        meaning = ", ".join(word for word, flag in zip(words, self._flags, strict=True) if flag)
        weight = "" if self.weight == 1 else f", weight {self.weight:g}"
        blocks = pluralize(self.n_blocks, "block")
        return f"Partition({self.n_known:,} of {pluralize(self.n_samples, 'row')} in {blocks}: {meaning}{weight})"


class Parts(NamedTuple):
    """The arguments of :class:`Constraints`, as returned by the modules that it imports."""

    n_samples: int
    must_link: Any = ()
    cannot_link: Any = ()
    must_weight: Any = None
    cannot_weight: Any = None
    partitions: Sequence[Partition] = ()
    comparisons: Comparisons | None = None
    preferences: Sequence[Preference] = ()


def _names_of_blocks(codes: IntArray, names: Sequence[str]) -> tuple[str, ...]:
    """The names of codes in order of first appearance."""
    if isinstance(names, str):
        raise TypeError(f"names must be a list with one name for each block, got the string {names!r}.")
    known = codes[codes >= 0]
    present, first = np.unique(known, return_index=True)
    if present.size and present[-1] >= len(names):
        raise ValueError(f"names has {len(names)} entries, but there is a block {present[-1]}. Give each code a name.")
    found = tuple(names[code] for code in present[np.argsort(first)].tolist())
    place: dict[str, int] = {}
    for block, name in enumerate(found):
        if not isinstance(name, str):
            raise TypeError(f"the name of block {block} is {name!r}. Names must be strings.")
        if not name.strip():
            raise ValueError(f"the name of block {block} is blank. Use the code −1 for rows whose block is unknown.")
        if place.setdefault(name, block) != block:
            raise ValueError(f"two blocks have the name {name!r}. Give them the same code, or different names.")
    return found


def distinct_partitions(partitions: Iterable[Partition], n_samples: int) -> tuple[Partition, ...]:
    """Check partitions, remove those without known rows, and merge those that differ only in weight."""
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
                f"partitions[{number}] is for {partition.n_samples} rows, the constraints for {n_samples}. "
                "Build both for the same data."
            )
        repeated = next((i for i, other in enumerate(kept) if partition._same_pairs(other)), None)
        if repeated is not None:
            named = next((part.names for part in (kept[repeated], partition) if part.names), None)
            weight = max(kept[repeated].weight, partition.weight)
            kept[repeated] = replace(kept[repeated], weight=weight, names=named)
        elif partition.n_known:
            kept.append(partition)
    return tuple(kept)


def join_labels(partitions: Iterable[Partition], others: Iterable[Partition]) -> list[Partition]:
    """Concatenate partitions, merging named labels such that each name is one class.

    Labels are not merged if their weights differ, or if a row would have two names.

    >>> first = Partition([0, 1, -1, -1], different_across=True, names=["CLL", "FL"])
    >>> more = Partition([-1, -1, 0, -1], different_across=True, names=["FL"])
    >>> [part.codes.tolist() for part in join_labels([first], [more])]
    [[0, 1, 1, -1]]
    """
    joined = list(partitions)
    for partition in others:
        places = range(len(joined)) if partition.is_labels and partition.names is not None else range(0)
        for place in places:
            both = _joined(joined[place], partition)
            if both is not None:
                joined[place] = both
                break
        else:
            joined.append(partition)
    return joined


def _joined(first: Partition, second: Partition) -> Partition | None:
    if not first.is_labels or first.names is None or second.names is None or first.weight != second.weight:
        return None
    code = {name: number for number, name in enumerate(first.names)}
    numbers = np.array([code.setdefault(name, len(code)) for name in second.names] + [-1])  # −1 stays −1
    codes = numbers[second.codes]
    both = (first.codes >= 0) & (codes >= 0)
    if (first.codes[both] != codes[both]).any():
        return None
    return first.with_codes(np.where(first.codes >= 0, first.codes, codes), names=list(code))


def pairs_within(codes: IntArray) -> IntArray:
    """All pairs of rows in the same block.

    >>> pairs_within(np.array([0, 1, 0, -1, 0])).tolist()
    [[0, 2], [0, 4], [2, 4]]
    """
    rows = by_block(codes)
    stop = _block_ends(codes[rows])
    return _with_partners(rows, np.arange(len(rows)) + 1, stop)


def pairs_across(codes: IntArray) -> IntArray:
    """All pairs of rows in different blocks.

    >>> pairs_across(np.array([0, 1, 0, -1])).tolist()
    [[0, 1], [2, 1]]
    """
    rows = by_block(codes)
    stop = _block_ends(codes[rows])
    return _with_partners(rows, stop, np.full(len(rows), len(rows)))


def numbered_pairs(number: IntArray, start: IntArray, stop: IntArray) -> IntArray:
    """Return pairs of positions by their number, without enumerating all pairs.

    Position i is paired with positions start[i] to stop[i], and the pairs are numbered in this order.

    >>> numbered_pairs(np.array([0, 2]), np.array([1, 2, 3]), np.array([3, 3, 3])).tolist()
    [[0, 1], [1, 2]]
    """
    ends = np.cumsum(stop - start)
    left = np.searchsorted(ends, number, side="right")
    return np.column_stack([left, stop[left] - (ends[left] - number)])


def by_block(codes: IntArray) -> IntArray:
    """Return the known rows, sorted by block (stable)."""
    known = np.flatnonzero(codes >= 0)
    return known[np.argsort(codes[known], kind="stable")]


def _block_ends(codes: IntArray) -> IntArray:
    """Return the end of the block of each position in sorted codes."""
    return np.bincount(codes).cumsum()[codes]


def _with_partners(rows: IntArray, start: IntArray, stop: IntArray) -> IntArray:
    """Pair the row at each position with the rows at positions start to stop."""
    counts = stop - start
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.column_stack([np.repeat(rows, counts), rows[np.repeat(start, counts) + offset]])
