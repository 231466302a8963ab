"""Hints that a member of the ensemble does not see, so that they can be asked what they think of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints import Constraints

Array = np.ndarray

N_FOLDS = 4

MOST_PAIRS = 20_000
"""Pairs that evidence is gathered on; of more, as whole groups imply them, so many are drawn."""


@dataclass(frozen=True)
class Statements:
    """Hints as a list of pairs.

    Attributes
    ----------
    pairs : (m, 2) ints
    same : (m,) bools
        Whether the two rows were said to be the same.
    weight : (m,) floats
        How much that is believed.
    """

    pairs: Array
    same: Array
    weight: Array

    @classmethod
    def of(cls, hints: Constraints, rng: np.random.RandomState) -> Statements:
        """All pairs that the hints state or imply as wholes; a draw of them where labels imply too many."""
        if hints.n_must_link + hints.n_cannot_link > MOST_PAIRS:
            hints = _drawn(hints, rng)
        written = hints.expand(limit=hints.n_must_link + hints.n_cannot_link)
        return cls(
            np.concatenate([written.must_link, written.cannot_link]),
            np.repeat([True, False], [len(written.must_link), len(written.cannot_link)]),
            np.concatenate([written.must_weight, written.cannot_weight]),
        )

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def signs(self) -> Array:
        """1 where the two rows were said to be the same, −1 where different."""
        return np.where(self.same, 1.0, -1.0)

    def contrasted(self, n_rows: int, rng: np.random.RandomState) -> Statements:
        """These, or, if all are of one kind, these beside as many pairs of any rows, taken to be of the other kind.

        One cluster would keep all must-links. That something was learned shows only where linked rows are together
        more often than rows that nobody spoke of.
        """
        if not len(self) or 0 < self.same.sum() < len(self):
            return self
        left = rng.randint(n_rows, size=len(self))
        right = (left + 1 + rng.randint(n_rows - 1, size=len(self))) % n_rows
        return Statements(
            np.concatenate([self.pairs, np.column_stack([left, right])]),
            np.concatenate([self.same, ~self.same]),
            np.concatenate([self.weight, self.weight]),
        )


def _drawn(hints: Constraints, rng: np.random.RandomState) -> Constraints:
    """Partitions cut down to so few rows each that their pairs can be written out."""
    room = MOST_PAIRS // max(2 * len(hints.partitions), 1)
    few = max(int(np.sqrt(2 * room)), 2)
    cut = []
    for partition in hints.partitions:
        known = np.flatnonzero(partition.codes >= 0)
        lost = rng.permutation(known)[few:]
        codes = partition.codes.copy()
        codes[lost] = -1
        cut.append(partition.with_codes(codes))
    return Constraints(hints.n_samples, hints.must_link, hints.cannot_link, hints.must_weight, hints.cannot_weight, cut)


def row_folds(n: int, rng: np.random.RandomState) -> Array:
    """One of four folds for each row, as even as can be."""
    return rng.permutation(np.arange(n) % N_FOLDS)


def without(hints: Constraints, rows: Array) -> Constraints:
    """The hints that touch none of the masked rows.

    Folds of rows, not of hints, and not of must-link groups: a hint left out this way cannot come back as what two
    others entail, and there is no giant group that no fold may split.

    >>> without(Constraints(4, [(0, 1), (1, 2)], [(2, 3)]), np.array([True, False, False, False]))
    Constraints(4 rows: 1 must-link, 1 cannot-link)
    """
    must, cannot = (~rows[pairs].any(axis=1) for pairs in (hints.must_link, hints.cannot_link))
    return Constraints(
        hints.n_samples,
        hints.must_link[must],
        hints.cannot_link[cannot],
        hints.must_weight[must],
        hints.cannot_weight[cannot],
        [partition.with_codes(np.where(rows, -1, partition.codes)) for partition in hints.partitions],
    )
