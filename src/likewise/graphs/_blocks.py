"""What partitions say of pairs, as sums of whole blocks, so that a pair said several times can count once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray, relabel
from ..constraints import Partition
from ..linalg._row_matrix import RowMatrix, indicator

MOST_TERMS = 100
"""More terms than this are not worth having: partitions that overlap in so many ways are better written out."""

Kind = Literal["must", "cannot"]


class Blocks:
    """The matrix Σ_t amount_t · [rows i and j are in one block of codes_t], off its diagonal.

    "The same block here and there" is the same block of a finer partition, so such sums can be multiplied entry by
    entry as well as added, in O(n) for each two terms and without a pair written out.

    Parameters
    ----------
    terms : iterable of ((n,) codes, amount)
        −1 is in no block. Terms that speak of the same blocks become one; those that come to nothing are left out.
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
        """The product, entry by entry: of two statements, the pairs that both speak of."""
        return Blocks(
            (_finer(codes, others), amount * times) for codes, amount in self.terms for others, times in other.terms
        )

    def matrix(self, belief: FloatArray) -> RowMatrix:
        """The sum as a matrix, times a belief for each row that is the same for all rows of a block."""
        n = len(belief)
        total = RowMatrix.zeros(n)
        for codes, amount in self.terms:
            of_block = np.zeros(int(codes.max()) + 1)
            of_block[codes[codes >= 0]] = belief[codes >= 0]
            total = total + RowMatrix.low_rank(indicator(codes), sparse.diags_array(amount * of_block))
        return total


Statements = list[tuple[float, Blocks]]
"""Beliefs, and the pairs believed so."""


def statements(partitions: Sequence[Partition], kind: Kind) -> Statements:
    """What each partition says of this kind, a pair as often as it is said."""
    said = ((partition.weight, _said(partition, kind)) for partition in partitions)
    return [(weight, blocks) for weight, blocks in said if blocks.terms]


def statements_once(partitions: Sequence[Partition], kind: Kind) -> Statements | None:
    """The same, a pair only with the largest of its beliefs; None where that takes too many terms.

    By falling belief, each statement keeps the pairs that none before it spoke of.
    """
    covered, once = Blocks(), []
    for weight, blocks in sorted(statements(partitions, kind), key=lambda each: -each[0]):
        new = blocks - (blocks & covered)
        covered = covered + new
        once.append((weight, new))
        if len(covered.terms) > MOST_TERMS:
            return None
    return once


def _said(partition: Partition, kind: Kind) -> Blocks:
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
