"""Pairs that several partitions imply count once, with the largest weight, and are not written out for that."""

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
"""Partitions that overlap in more ways than this are compared row by row instead of block by block."""

MOST_PAIRS = 10_000_000
"""Pairs that may be written out for that."""

Kind = Literal["must", "cannot"]
KINDS: tuple[Kind, Kind] = ("must", "cannot")


class Links(Protocol):
    """A set of pairs of rows."""

    def matrix(self, weight: FloatArray) -> RowMatrix:
        """The weight at each pair; it is given for each row and the same for both rows. The diagonal means nothing."""

    def n_pairs(self) -> int:
        """How many there are."""

    def n_within(self, codes: IntArray) -> int:
        """How many have both rows in one block."""


WeightedLinks = list[tuple[float, Links]]
"""Weights, and the pairs that have them; no pair is in two of the sets."""


class Blocks:
    """The pairs counted by Σ_t amount_t · [rows i and j are in one block of codes_t].

    "The same block here and there" is the same block of a finer partition, so such sums can be multiplied entry by
    entry as well as added, in O(n) for each two terms and without a pair written out.

    Parameters
    ----------
    terms : iterable of ((n,) codes, amount)
        −1 is in no block. Terms with the same blocks become one; those whose amounts cancel are left out.
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
        """The product, entry by entry: the pairs in both sets."""
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
    """Pairs between kinds of rows: rows of one kind are in the same block of every partition.

    Parameters
    ----------
    kind : (n,) codes
    core : (k, k) sparse array of ones
        Symmetric; on its diagonal the kinds whose rows are linked with each other.
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
    """What partitions imply of one kind: each pair once, with the largest of its weights.

    By falling weight, each partition keeps the pairs that none before it implies.
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
    """The pairs of one kind that are stated by themselves, and their weights."""
    if kind == "must":
        return constraints.must_link, constraints.must_weight
    return constraints.cannot_link, constraints.cannot_weight


def implied_weights(constraints: Constraints, kind: Kind) -> FloatArray:
    """The largest weight that partitions give to each stated pair of one kind; 0 where none implies it."""
    pairs, _ = stated_pairs(constraints, kind)
    weights = np.zeros(len(pairs))
    for partition in constraints.partitions:
        weights = np.maximum(weights, partition.weight * implies(partition, kind, pairs))
    return weights


def pair_weights(constraints: Constraints, kind: Kind) -> FloatArray:
    """The weights of pairs of one kind: one entry for each stated pair, and one for each weight that partitions add.

    A pair that is stated or implied several times has its largest weight only.
    """
    _, stated = stated_pairs(constraints, kind)
    implied = implied_weights(constraints, kind)
    n_implied: dict[float, int] = {}
    for weight, links in links_once(constraints.partitions, kind):
        n_implied[weight] = n_implied.get(weight, 0) + links.n_pairs()
    raised = implied[stated > implied]  # their implied weights do not count
    added = [weight for weight, n_pairs in n_implied.items() if n_pairs > np.count_nonzero(raised == weight)]
    return np.concatenate([np.maximum(stated, implied), added])


def n_distinct(constraints: Constraints, kind: Kind) -> int:
    """How many pairs of one kind are stated or implied, each counted once."""
    alone = implied_weights(constraints, kind) == 0
    implied = links_once(constraints.partitions, kind)
    return int(np.count_nonzero(alone)) + sum(links.n_pairs() for _, links in implied)


def _implied_blocks(partition: Partition, kind: Kind) -> Blocks:
    codes = partition.codes
    if kind == "must":
        return Blocks([(codes, 1)] if partition.same_within else [])
    terms = [(codes, 1)] if partition.different_within else []
    if partition.different_across:
        # All pairs of known rows, less the pairs inside a block.
        terms += [(np.where(codes >= 0, 0, -1), 1), (codes, -1)]
    return Blocks(terms)


def _finer(first: IntArray, second: IntArray) -> IntArray:
    """Codes of the blocks that two partitions cut out together."""
    return relabel(np.where((first >= 0) & (second >= 0), first * (second.max(initial=0) + 1) + second, -1))


def _between_kinds(partitions: Sequence[Partition], kind: Kind) -> WeightedLinks:
    """The same, with the pairs written out between kinds of rows, of which there may be far fewer than rows."""
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
                        f"{len(partitions)} partitions overlap in so many ways that more than {MOST_PAIRS:,} pairs "
                        "would have to be written out to count each once. Leave out those that say least."
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
    """The pairs of kinds that a partition implies; a kind of several rows may be linked with itself."""
    pairs = [np.empty((0, 2), dtype=np.int64)]
    if partition.same_within if kind == "must" else partition.different_within:
        own = np.flatnonzero(several & (codes >= 0))
        pairs += [pairs_within(codes), np.column_stack([own, own])]
    if kind == "cannot" and partition.different_across:
        pairs.append(pairs_across(codes))
    return np.concatenate(pairs)
