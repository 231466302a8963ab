"""Pairs implied by several partitions, counted once with their largest weight, without expanding partitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from scipy import sparse

from .._arrays import BoolArray, FloatArray, IntArray, relabel
from ..linalg._row_matrix import RowMatrix, indicator
from ._partition import Partition, pairs_across, pairs_within

if TYPE_CHECKING:
    from ._constraints import Constraints

MOST_TERMS = 100
"""With more terms than this, partitions are compared between kinds of rows instead of between blocks."""

MOST_PAIRS = 10_000_000
"""Limit on the number of pairs that this expands."""

Kind = Literal["must", "cannot"]
KINDS: tuple[Kind, Kind] = ("must", "cannot")


class Links(Protocol):
    """A set of pairs of rows."""

    def matrix(self, weight: FloatArray) -> RowMatrix:
        """The matrix of weights of the pairs. `weight` has an entry for each row, equal for the two rows of a pair.

        The diagonal is arbitrary.
        """

    def n_pairs(self) -> int:
        """Number of pairs."""

    def n_within(self, codes: IntArray) -> int:
        """Number of pairs with both rows in the same block."""


WeightedLinks = list[tuple[float, Links]]
"""Disjoint sets of pairs, each with its weight."""


class Blocks:
    """A set of pairs whose indicator is Σ_t amount_t · [rows i and j are in the same block of codes_t].

    Two rows are in the same block of two partitions if and only if they are in the same block of their common
    refinement. Such sums can therefore be added and multiplied elementwise, in O(n) for each pair of terms, without
    expanding them to pairs.

    Parameters
    ----------
    terms : iterable of ((n,) codes, amount)
        A row with code −1 is in no block. Terms with equal blocks are merged, and those with amount 0 removed.
    """

    def __init__(self, terms: Iterable[tuple[IntArray, int]] = ()) -> None:
        merged: dict[bytes, tuple[IntArray, int]] = {}
        for codes, amount in terms:
            if np.bincount(codes[codes >= 0]).max(initial=0) > 1:
                key = codes.tobytes()
                merged[key] = codes, amount + merged.get(key, (codes, 0))[1]
        self.terms = [(codes, amount) for codes, amount in merged.values() if amount]

    def __add__(self, other: Blocks) -> Blocks:
        return Blocks([*self.terms, *other.terms])

    def __sub__(self, other: Blocks) -> Blocks:
        return Blocks([*self.terms, *((codes, -amount) for codes, amount in other.terms)])

    def __and__(self, other: Blocks) -> Blocks:
        """The elementwise product: the pairs in both sets."""
        return Blocks(
            (_finer(codes, others), amount * times) for codes, amount in self.terms for others, times in other.terms
        )

    def matrix(self, weight: FloatArray) -> RowMatrix:
        """As for every set of pairs."""
        total = RowMatrix.zeros(len(weight))
        for codes, amount in self.terms:
            of_block = np.zeros(int(codes.max()) + 1)
            of_block[codes[codes >= 0]] = weight[codes >= 0]
            total = total + RowMatrix.low_rank(indicator(codes), sparse.diags_array(amount * of_block))
        return total

    def n_pairs(self) -> int:
        """As for every set of pairs."""
        total = 0
        for codes, amount in self.terms:
            sizes = np.bincount(codes[codes >= 0])
            total += amount * int((sizes * (sizes - 1) // 2).sum())
        return total

    def n_within(self, codes: IntArray) -> int:
        """As for every set of pairs."""
        return (self & Blocks([(codes, 1)])).n_pairs()


class _Kinds:
    """Pairs between kinds of rows, where rows of the same kind are in the same block of every partition.

    Parameters
    ----------
    kind : (n,) codes
    core : (k, k) sparse array of ones
        Symmetric. The diagonal marks kinds whose rows are linked to each other.
    """

    def __init__(self, kind: IntArray, core: sparse.csr_array) -> None:
        self._kind = kind
        self._core = core

    def matrix(self, weight: FloatArray) -> RowMatrix:
        of_kind = np.zeros(self._core.shape[0])
        of_kind[self._kind] = weight
        return RowMatrix.low_rank(indicator(self._kind), sparse.diags_array(of_kind) @ self._core)

    def n_pairs(self) -> int:
        return self.n_within(np.zeros(len(self._kind), dtype=np.int64))

    def n_within(self, codes: IntArray) -> int:
        known = codes >= 0
        ends = self._kind[known], codes[known]
        counts = sparse.csr_array((np.ones(known.sum(), dtype=np.int64), ends), (self._core.shape[0], codes.max() + 1))
        twice = (self._core @ counts).multiply(counts).sum() - self._core.diagonal() @ counts.sum(axis=1)
        return int(twice) // 2


def links_once(partitions: Sequence[Partition], kind: Kind) -> WeightedLinks:
    """The pairs of one kind that partitions imply, each once with its largest weight.

    In order of decreasing weight, each partition adds the pairs that no earlier one implies.
    """
    covered, once = Blocks(), []
    implied = [(partition.weight, _implied_blocks(partition, kind)) for partition in partitions]
    for weight, blocks in sorted((each for each in implied if each[1].terms), key=lambda each: -each[0]):
        new = blocks - (blocks & covered)
        covered = covered + new
        if new.terms:
            once.append((weight, new))
        if len(covered.terms) > MOST_TERMS:
            return _between_kinds(partitions, kind)
    return list(once)


def implies(partition: Partition, kind: Kind, pairs: IntArray) -> BoolArray:
    """Mask the pairs that a partition implies."""
    codes = partition.codes[pairs]
    known: BoolArray = codes.min(axis=1) >= 0
    same: BoolArray = codes[:, 0] == codes[:, 1]
    if kind == "must":
        return known & same & partition.same_within
    return known & ((same & partition.different_within) | (~same & partition.different_across))


def stated_pairs(constraints: Constraints, kind: Kind) -> tuple[IntArray, FloatArray]:
    """The pairs of one kind that are stated as pairs, and their weights."""
    if kind == "must":
        return constraints.must_link, constraints.must_weight
    return constraints.cannot_link, constraints.cannot_weight


def implied_weights(constraints: Constraints, kind: Kind) -> FloatArray:
    """The largest weight that partitions give to each stated pair of one kind; 0 if none implies it."""
    pairs, _ = stated_pairs(constraints, kind)
    weights = np.zeros(len(pairs))
    for partition in constraints.partitions:
        weights = np.maximum(weights, partition.weight * implies(partition, kind, pairs))
    return weights


def pair_weights(constraints: Constraints, kind: Kind) -> FloatArray:
    """The weights of pairs of one kind: one entry for each stated pair, and one for each weight that partitions add.

    A pair that is stated or implied more than once has its largest weight.
    """
    _, stated = stated_pairs(constraints, kind)
    implied = implied_weights(constraints, kind)
    n_implied: dict[float, int] = {}
    for weight, links in links_once(constraints.partitions, kind):
        n_implied[weight] = n_implied.get(weight, 0) + links.n_pairs()
    raised = implied[stated > implied]  # implied weights that are replaced by larger stated weights
    added = [weight for weight, n_pairs in n_implied.items() if n_pairs > np.count_nonzero(raised == weight)]
    return np.concatenate([np.maximum(stated, implied), added])


def n_distinct(constraints: Constraints, kind: Kind) -> int:
    """The number of distinct pairs of one kind, stated or implied."""
    alone = implied_weights(constraints, kind) == 0
    implied = links_once(constraints.partitions, kind)
    return int(np.count_nonzero(alone)) + sum(links.n_pairs() for _, links in implied)


def _implied_blocks(partition: Partition, kind: Kind) -> Blocks:
    codes = partition.codes
    if kind == "must":
        return Blocks([(codes, 1)] if partition.same_within else [])
    terms = [(codes, 1)] if partition.different_within else []
    if partition.different_across:
        # all pairs of known rows, minus the pairs within a block
        terms += [(np.where(codes >= 0, 0, -1), 1), (codes, -1)]
    return Blocks(terms)


def _finer(first: IntArray, second: IntArray) -> IntArray:
    """The codes of the common refinement of two partitions."""
    return relabel(np.where((first >= 0) & (second >= 0), first * (second.max(initial=0) + 1) + second, -1))


def _between_kinds(partitions: Sequence[Partition], kind: Kind) -> WeightedLinks:
    """Same as `links_once`, by expanding partitions to pairs of kinds of rows; often there are far fewer than rows."""
    of_row = np.zeros(partitions[0].n_samples, dtype=np.int64)
    for partition in partitions:
        of_row = _finer(of_row, partition.codes + 1)
    _, first, sizes = np.unique(of_row, return_index=True, return_counts=True)
    n_kinds = len(first)
    covered = np.empty(0, dtype=np.int64)  # pairs of kinds, as numbers
    once: WeightedLinks = []
    for weight in sorted({partition.weight for partition in partitions}, reverse=True):
        written = np.empty(0, dtype=np.int64)
        for partition in partitions:
            if partition.weight == weight:
                pairs = _pairs_of_kinds(partition.codes[first], partition, kind, sizes > 1)
                written = np.union1d(written, pairs.min(axis=1) * n_kinds + pairs.max(axis=1))
                if len(written) + len(covered) > MOST_PAIRS:
                    raise ValueError(
                        f"the overlaps of {len(partitions)} partitions require expanding more than {MOST_PAIRS:,} "
                        "pairs to count each pair once. Remove the least informative partitions."
                    )
        new = np.setdiff1d(written, covered, assume_unique=True)
        covered = np.union1d(covered, new)
        if len(new):
            left, right = np.divmod(new, n_kinds)
            ends = np.concatenate([left, right[left != right]]), np.concatenate([right, left[left != right]])
            core = sparse.csr_array((np.ones(len(ends[0]), dtype=np.int64), ends), shape=(n_kinds, n_kinds))
            once.append((weight, _Kinds(of_row, core)))
    return once


def _pairs_of_kinds(codes: IntArray, partition: Partition, kind: Kind, several: BoolArray) -> IntArray:
    """The pairs of kinds that a partition implies; a kind of several rows may be linked to itself."""
    pairs = [np.empty((0, 2), dtype=np.int64)]
    if partition.same_within if kind == "must" else partition.different_within:
        own = np.flatnonzero(several & (codes >= 0))
        pairs += [pairs_within(codes), np.column_stack([own, own])]
    if kind == "cannot" and partition.different_across:
        pairs.append(pairs_across(codes))
    return np.concatenate(pairs)
