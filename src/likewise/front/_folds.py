"""Splitting constraints into those that a member is trained on, and those held out to test it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._arrays import BoolArray, FloatArray, IntArray
from ..constraints import Constraints

N_FOLDS = 4

MAX_PAIRS = 20_000
"""Maximum number of pairs for which evidence is gathered; if labels imply more, a sample is drawn."""


@dataclass(frozen=True)
class Statements:
    """Constraints as a list of pairs.

    Attributes
    ----------
    pairs : (m, 2) ints
    same : (m,) bools
        True for a must-link, False for a cannot-link.
    weight : (m,) floats
    n_stated : int, optional
        Number of given pairs, which come first; the others are implied. By default all are given.
    """

    pairs: IntArray
    same: BoolArray
    weight: FloatArray
    n_stated: int | None = None

    @classmethod
    def of(cls, constraints: Constraints, rng: np.random.RandomState) -> Statements:
        """All pairs of the constraints, including those of partitions; a sample if there are too many."""
        if constraints.n_must_link + constraints.n_cannot_link > MAX_PAIRS:
            constraints = _sampled(constraints, rng)
        expanded = constraints.expand(limit=constraints.n_must_link + constraints.n_cannot_link)
        return cls(
            np.concatenate([expanded.must_link, expanded.cannot_link]),
            np.repeat([True, False], [len(expanded.must_link), len(expanded.cannot_link)]),
            np.concatenate([expanded.must_weight, expanded.cannot_weight]),
        )

    @classmethod
    def with_entailed(cls, constraints: Constraints, rng: np.random.RandomState) -> Statements:
        """All pairs of the constraints, and some pairs that they imply: two of each kind for each row.

        If a row is linked to a single row of a group, as by an answer to a question, it is so tested on its group, and
        not only on that row.

        >>> chain = Constraints(4, [(0, 1), (1, 2), (2, 3)])
        >>> statements = Statements.with_entailed(chain, np.random.RandomState(0))
        >>> len(statements), statements.n_stated
        (6, 3)
        """
        stated = cls.of(constraints, rng)
        if constraints.is_empty or constraints.n_must_link + constraints.n_cannot_link > MAX_PAIRS:
            return stated
        # A generator of its own, so that implied pairs do not change what is drawn from ``rng`` later.
        no_rows = np.zeros(constraints.n_samples, dtype=np.bool_)
        extended = seen_constraints(constraints, no_rows, np.random.RandomState(0), closed=True)
        every = cls.of(extended, rng)
        new = ~np.isin(_keys(every.pairs, extended.n_samples), _keys(stated.pairs, extended.n_samples))
        return cls(
            np.concatenate([stated.pairs, every.pairs[new]]),
            np.concatenate([stated.same, every.same[new]]),
            np.concatenate([stated.weight, every.weight[new]]),
            len(stated),
        )

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def signs(self) -> FloatArray:
        """1 for must-links, −1 for cannot-links."""
        return np.where(self.same, 1.0, -1.0)

    def stated(self) -> Statements:
        """The given statements, without implied ones."""
        last = self.n_stated
        return Statements(self.pairs[:last], self.same[:last], self.weight[:last])

    def contrasted(self, n_rows: int, rng: np.random.RandomState) -> Statements:
        """The statements; if all are of one kind, with as many random pairs of the other kind.

        A single cluster satisfies all must-links. Whether a clustering has learned from them shows only if linked rows
        share a cluster more often than random rows do.
        """
        if not len(self) or 0 < self.same.sum() < len(self):
            return self
        return Statements(
            np.concatenate([self.pairs, random_pairs(n_rows, len(self), rng)]),
            np.concatenate([self.same, ~self.same]),
            np.concatenate([self.weight, self.weight]),
        )


def random_pairs(n_rows: int, count: int, rng: np.random.RandomState) -> IntArray:
    """Pairs of two different rows, drawn at random.

    >>> random_pairs(2, 3, np.random.RandomState(0)).sum(axis=1).tolist()
    [1, 1, 1]
    """
    left = rng.randint(n_rows, size=count)
    return np.column_stack([left, (left + 1 + rng.randint(n_rows - 1, size=count)) % n_rows])


def _keys(pairs: IntArray, n_samples: int) -> IntArray:
    """A unique integer for each pair."""
    return pairs[:, 0].astype(np.int64) * n_samples + pairs[:, 1]


def _sampled(constraints: Constraints, rng: np.random.RandomState) -> Constraints:
    """Constraints with a sample of the rows of each partition, so that all pairs can be expanded."""
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
    """A random fold for each row, with folds of equal size."""
    return rng.permutation(np.arange(n) % N_FOLDS)


def drop_rows(constraints: Constraints, rows: BoolArray) -> Constraints:
    """The constraints that do not involve any of the masked rows.

    Folds are made of rows rather than of constraints, so that a held-out constraint is not implied by two others; and
    rather than of must-link groups, since a single group may contain most rows.

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
        constraints.comparisons.without(rows),
        [left for preference in constraints.preferences if (left := preference.without(rows)) is not None],
    )


N_ENTAILED = 2
"""Number of implied pairs of each kind that are added for each constrained row."""


def seen_constraints(
    constraints: Constraints, hidden: BoolArray, rng: np.random.RandomState, *, closed: bool
) -> Constraints:
    """The training constraints of a member: those without hidden rows, and, if ``closed``, some pairs that they imply.

    Must-link groups are those of all constraints, minus the hidden rows, so rows that are linked only through a hidden
    row stay linked. Two implied pairs of each kind per row are enough; all of them would count as if they were
    independent.

    >>> rng = np.random.RandomState(0)
    >>> chain = Constraints(4, [(0, 1), (1, 2), (2, 3)])
    >>> seen_constraints(chain, np.array([False, True, False, False]), rng, closed=True).must_link.tolist()
    [[0, 2], [0, 3], [2, 3]]
    """
    seen = drop_rows(constraints, hidden)
    if not closed:
        return seen
    closure = constraints.closure()
    rows = np.flatnonzero(constraints.constrained_rows() & ~hidden)
    rows = rng.permutation(rows)
    groups = closure.groups[rows]
    order = np.argsort(groups, kind="stable")
    rows, groups = rows[order], groups[order]
    size = np.bincount(groups, minlength=closure.n_groups)
    first = np.cumsum(size) - size
    position = np.arange(len(rows)) - first[groups]
    must = [
        np.column_stack([rows, rows[first[groups] + (position + step) % size[groups]]])
        for step in range(1, N_ENTAILED + 1)
    ]
    linked = np.concatenate(must)
    linked = linked[linked[:, 0] != linked[:, 1]]
    cannot, weight = _entailed_cannot_links(closure.between, rows, groups, first, size, rng)
    entailed = Constraints(constraints.n_samples, linked, cannot, cannot_weight=weight)
    return seen | entailed


def _entailed_cannot_links(
    between: Constraints, rows: IntArray, groups: IntArray, first: IntArray, size: IntArray, rng: np.random.RandomState
) -> tuple[IntArray, FloatArray]:
    """Random cannot-links between rows of cannot-linked groups, ``N_ENTAILED`` for each row, and their weights.

    ``rows`` are sorted by group; ``first`` has the position of the first row of each group, and ``size`` their sizes.
    """
    if not 0 < between.n_cannot_link <= MAX_PAIRS:
        return np.empty((0, 2), dtype=np.int64), np.empty(0)
    apart = between.expand(limit=MAX_PAIRS)
    pairs = np.concatenate([apart.cannot_link, apart.cannot_link[:, ::-1]])
    weights = np.concatenate([apart.cannot_weight, apart.cannot_weight])
    shown = (size[pairs] > 0).all(axis=1)
    pairs, weights = pairs[shown], weights[shown]
    order = np.argsort(pairs[:, 0], kind="stable")
    pairs, weights = pairs[order], weights[order]
    count = np.bincount(pairs[:, 0], minlength=len(size))
    start = np.cumsum(count) - count
    has = count[groups] > 0
    own, of = np.repeat(rows[has], N_ENTAILED), np.repeat(groups[has], N_ENTAILED)
    chosen = start[of] + rng.randint(count[of])
    other = pairs[chosen, 1]
    partner = rows[first[other] + rng.randint(size[other])]
    return np.column_stack([own, partner]), weights[chosen]
