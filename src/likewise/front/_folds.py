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
    n_stated : int, optional
        How many of them were stated; those after them are entailed. By default all.
    """

    pairs: IntArray
    same: BoolArray
    weight: FloatArray
    n_stated: int | None = None

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

    @classmethod
    def with_entailed(cls, constraints: Constraints, rng: np.random.RandomState) -> Statements:
        """The same, and some pairs that they entail: two of each kind for each row.

        A row that is compared with one row of each group, as questions do, is tested on its group, not on that row.

        >>> chain = Constraints(4, [(0, 1), (1, 2), (2, 3)])
        >>> statements = Statements.with_entailed(chain, np.random.RandomState(0))
        >>> len(statements), statements.n_stated
        (6, 3)
        """
        stated = cls.of(constraints, rng)
        if constraints.is_empty or constraints.n_must_link + constraints.n_cannot_link > MAX_PAIRS:
            return stated
        # drawn by themselves, so that all else is the same whether pairs entail others or not
        nothing = np.zeros(constraints.n_samples, dtype=np.bool_)
        told = seen_constraints(constraints, nothing, np.random.RandomState(0), closed=True)
        everything = cls.of(told, rng)
        new = ~np.isin(_keys(everything.pairs, told.n_samples), _keys(stated.pairs, told.n_samples))
        return cls(
            np.concatenate([stated.pairs, everything.pairs[new]]),
            np.concatenate([stated.same, everything.same[new]]),
            np.concatenate([stated.weight, everything.weight[new]]),
            len(stated),
        )

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def signs(self) -> FloatArray:
        """1 for must-links, −1 for cannot-links."""
        return np.where(self.same, 1.0, -1.0)

    def stated(self) -> Statements:
        """Those that were stated."""
        last = self.n_stated
        return Statements(self.pairs[:last], self.same[:last], self.weight[:last])

    def contrasted(self, n_rows: int, rng: np.random.RandomState) -> Statements:
        """These, or, if all are of one kind, these beside as many random pairs taken to be of the other kind.

        One cluster would keep all must-links. That something was learned shows only where linked rows are together
        more often than random rows.
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
    """A number for each pair."""
    return pairs[:, 0].astype(np.int64) * n_samples + pairs[:, 1]


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
        constraints.comparisons.without(rows),
        [left for preference in constraints.preferences if (left := preference.without(rows)) is not None],
    )


N_ENTAILED = 2
"""Entailed pairs of each kind that members learn from, for each row that constraints touch."""


def seen_constraints(
    constraints: Constraints, hidden: BoolArray, rng: np.random.RandomState, *, closed: bool
) -> Constraints:
    """What a member may see: the constraints that touch no hidden row, and if ``closed`` some pairs that they entail.

    Groups are those of all constraints, less the hidden rows: two rows stay linked that only a hidden row links. Two
    entailed pairs of each kind for each row are enough; all of them would count as if they were independent.

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
    place = np.arange(len(rows)) - first[groups]
    must = [
        np.column_stack([rows, rows[first[groups] + (place + step) % size[groups]]])
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
    """For each row some rows of groups that its group is cannot-linked with, and the weight of the link.

    ``rows`` are sorted by group: ``first`` is where a group begins and ``size`` how many rows it has.
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
