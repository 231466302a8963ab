"""Constraints that a member of the ensemble does not see, so that it can be tested on them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._arrays import BoolArray, FloatArray, IntArray
from ..constraints import Constraints

N_FOLDS = 4

MAX_PAIRS = 20_000
"""Pairs that evidence is gathered on; of more, as whole groups imply them, so many are drawn."""


@dataclass(frozen=True)
class Statements:
    """Constraints as a list of pairs.

    Attributes
    ----------
    pairs : (m, 2) ints
    same : (m,) bools
        True for a must-link, False for a cannot-link.
    weight : (m,) floats
    """

    pairs: IntArray
    same: BoolArray
    weight: FloatArray

    @classmethod
    def of(cls, constraints: Constraints, rng: np.random.RandomState) -> Statements:
        """All pairs that the constraints state or imply as wholes; a sample where labels imply too many."""
        if constraints.n_must_link + constraints.n_cannot_link > MAX_PAIRS:
            constraints = _sampled(constraints, rng)
        expanded = constraints.expand(limit=constraints.n_must_link + constraints.n_cannot_link)
        return cls(
            np.concatenate([expanded.must_link, expanded.cannot_link]),
            np.repeat([True, False], [len(expanded.must_link), len(expanded.cannot_link)]),
            np.concatenate([expanded.must_weight, expanded.cannot_weight]),
        )

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def signs(self) -> FloatArray:
        """1 for must-links, −1 for cannot-links."""
        return np.where(self.same, 1.0, -1.0)

    def contrasted(self, n_rows: int, rng: np.random.RandomState) -> Statements:
        """These, or, if all are of one kind, these beside as many random pairs taken to be of the other kind.

        One cluster would keep all must-links. That something was learned shows only where linked rows are together
        more often than random rows.
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


def _sampled(constraints: Constraints, rng: np.random.RandomState) -> Constraints:
    """Partitions cut down to so few rows each that their pairs can be written out."""
    room = MAX_PAIRS // max(2 * len(constraints.partitions), 1)
    n_rows = max(int(np.sqrt(2 * room)), 2)
    sampled = []
    for partition in constraints.partitions:
        known = np.flatnonzero(partition.codes >= 0)
        codes = partition.codes.copy()
        codes[rng.permutation(known)[n_rows:]] = -1
        sampled.append(partition.with_codes(codes))
    return replace(constraints, partitions=tuple(sampled))


def row_folds(n: int, rng: np.random.RandomState) -> IntArray:
    """One of four folds for each row, as even as can be."""
    return rng.permutation(np.arange(n) % N_FOLDS)


def drop_rows(constraints: Constraints, rows: BoolArray) -> Constraints:
    """The constraints that touch none of the masked rows.

    Folds of rows, not of constraints, and not of must-link groups: a constraint left out this way cannot come back as
    what two others entail, and there is no giant group that no fold may split.

    >>> drop_rows(Constraints(4, [(0, 1), (1, 2)], [(2, 3)]), np.array([True, False, False, False]))
    Constraints(4 rows: 1 must-link, 1 cannot-link)
    """
    must = ~rows[constraints.must_link].any(axis=1)
    cannot = ~rows[constraints.cannot_link].any(axis=1)
    return Constraints(
        constraints.n_samples,
        constraints.must_link[must],
        constraints.cannot_link[cannot],
        constraints.must_weight[must],
        constraints.cannot_weight[cannot],
        [partition.with_codes(np.where(rows, -1, partition.codes)) for partition in constraints.partitions],
    )
