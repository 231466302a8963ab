"""The strategy for choosing questions: assign rows to known groups one at a time, most likely group first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import BoolArray, FloatArray, IntArray
from ._answers import ANSWER_ODDS
from ._committee import Calibration, Committee
from ._known import Known
from ._question import Question

MAX_POOL = 2_000
"""Maximum number of candidate rows; if there are more, a random sample is drawn after each fit."""

MAX_TOUCHED = 800
"""Maximum number of constrained rows among the candidates."""

BY_LOT = 5
"""Every fifth row is drawn at random."""

SETTLED = 0.3
"""Weight of a row whose group is certain, relative to an uncertain one, in the coverage criterion."""

MIN_CHANCE = 0.1
"""After the first question about a row, groups with a smaller probability are not asked about. If there are more groups
than clusters, each group gets a smaller part of the probability, and the bound is lowered in proportion."""

JOINT = (0.1, 0.95)
"""If there are more groups than clusters, ask about two groups whose probability to be one is in this range."""

NEW_GROUP = 0.1
"""The odds that a row is in a new group, if there are at least as many groups as clusters."""

N_TYPICAL = 3
"""A group is represented by a random one of this number of its most typical rows."""

N_CHOICES = 4
"""Maximum number of groups in a choice."""

REDUNDANT = 0.5
"""A choice does not contain two groups whose probability to be one is larger than this."""

MAX_BETWEEN = 4
"""Maximum number of questions about two groups when there are more pairwise different groups than clusters."""

ALIKE = 0.95
"""In a check, a row can replace another if at least this share of clusterings has both in the same cluster."""

N_CANDIDATES = 200
"""Maximum number of rows that are considered for piles."""

PLACING = ("coverage", "doubt", "lot")
"""Reasons of the first question about a row."""

Placed = tuple[int, int]


@dataclass
class _Groups:
    """The known groups of rows of the pool.

    Attributes
    ----------
    names : (g,) ints
    members : list of int arrays
    votes : (m, g) array
        The mean votes of each row and the rows of each group.
    shares : (m, g + 1) array
        The probability of each row to be in each group or, in the last column, in a new group.
    entropy : (m,) array
        The normalized entropy of these probabilities; 0 for rows that are in a group.
    """

    names: IntArray
    members: list[IntArray]
    votes: FloatArray
    shares: FloatArray
    entropy: FloatArray

    @property
    def n(self) -> int:
        return len(self.names)


@dataclass
class Chooser:
    """Chooses questions about the rows of a pool. Except in questions, rows are positions in the pool.

    Attributes
    ----------
    committee : Committee
    pool : (m,) ints
        The rows of the pool, as positions among the rows of the committee.
    votes : (m, m) array
        The weighted share of clusterings with both rows in the same cluster.
    known : Known
    calibration : Calibration
    n_clusters : int
    may_ask : (m,) bools
        The rows that may be asked about.
    asked : set of (int, int)
        The pairs that were asked about, whatever the answer.
    placed : int
        The number of rows that were chosen so far.
    joined : bool
        Whether the last question was about two groups, so that the next one is about a row.
    n_given : int, optional
        The number of clusters, if it was given.
    linked : (m,) ints, optional
        The connected components of the questions in a batch. No pair within a component is asked about, since its
        answer may follow from the others.
    """

    committee: Committee
    pool: IntArray
    votes: NDArray[np.float32]
    known: Known
    calibration: Calibration
    n_clusters: int
    may_ask: BoolArray
    asked: set[Placed] = field(default_factory=set)
    placed: int = 0
    joined: bool = False
    n_given: int | None = None
    linked: IntArray | None = None

    def __post_init__(self) -> None:
        self.rows = self.committee.rows[self.pool]
        self._squares = self.votes**2
        self._buffer = np.empty_like(self._squares)
        self._assumed = np.zeros(len(self.rows), dtype=np.bool_)
        self._place = {int(row): place for place, row in enumerate(self.rows)}
        if not self.known.touched.any() and self.may_ask.any():
            # start with the row that is most similar to the others as a group of one
            self.known.touched[np.where(self.may_ask, self._squares.sum(axis=1), -1).argmax()] = True

    def place(self, row: int) -> int:
        """The position of a row in the pool."""
        return self._place[row]

    def has(self, rows: Iterable[int]) -> bool:
        """Whether all given rows are in the pool."""
        return all(row in self._place for row in rows)

    # -- questions ---------------------------------------------------------------------------------------------------
    def pair(self, rng: np.random.Generator, current: int | None = None) -> Question | None:
        """The next pair: the current row and another group, or the next row; None if there are no more questions."""
        groups = self._groups()
        if current is not None:
            at_least = MIN_CHANCE * min(1.0, self.n_clusters / max(groups.n, 1))
            question = self._against(groups, current, "next", rng, at_least=at_least)
            if question is not None:
                return question
        return self._joint(groups) or self._next_row(groups, rng) or self._leftover()

    def check(self, row: int, other: int, tried: Iterable[int], rng: np.random.Generator) -> Question | None:
        """The same row and another row of the group, or one that nearly all clusterings assign to the same cluster."""
        excluded = {row, other, *tried}
        mates = self._checking(row, excluded, self.known.mates(other))
        if not len(mates):
            near = np.flatnonzero((self.votes[other] >= ALIKE) & ~self.known.touched & self.may_ask)
            near = near[np.argsort(-self.votes[other, near], kind="stable")][:N_TYPICAL]
            mates = self._checking(row, excluded, near)
        if not len(mates):
            return None
        votes = [self.votes[row, mates].mean()]
        return self._question("pair", [row, int(self._typical(mates, rng)[0])], "check", votes)

    def _checking(self, row: int, excluded: set[int], mates: IntArray) -> IntArray:
        """The rows among `mates` that a row was not compared with yet."""
        fit = [int(mate) for mate in mates if mate not in excluded and _sorted(row, int(mate)) not in self.asked]
        return np.array([mate for mate in fit if self.may_ask[mate]], dtype=np.int64)

    def excess(self, rng: np.random.Generator) -> Question | None:
        """Typical rows of two groups, if there are more pairwise different groups than clusters.

        One of the answers must then be wrong. The two groups are those that are most likely one, given the votes and
        the number of questions about them.
        """
        if self.joined or self.n_given is None or len(clique := np.array(self.known.clique())) <= self.n_given:
            return None
        groups = self._groups()
        places = np.searchsorted(groups.names, clique)
        chances = self.calibration.chance(self._group_votes(groups)[np.ix_(places, places)])
        odds = np.log(np.clip(chances, 1e-6, 1) / np.clip(1 - chances, 1e-6, 1))
        count = np.zeros(odds.shape, dtype=np.int64)
        code = {int(name): number for number, name in enumerate(clique)}
        for i, j in self.asked:
            left, right = (code.get(int(self.known.group[row])) for row in (i, j))
            if left is not None and right is not None and left != right:
                count[left, right] += 1
                count[right, left] += 1
        odds = odds - ANSWER_ODDS * count
        odds[(count >= MAX_BETWEEN) | np.tri(len(clique), dtype=np.bool_)] = -np.inf
        while np.isfinite(odds.max()):
            a, b = np.unravel_index(int(odds.argmax()), odds.shape)
            found = self._across(groups.members[places[a]], groups.members[places[b]], rng)
            if found is not None:
                return found
            odds[a, b] = -np.inf
        return None

    def _across(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> Question | None:
        """Typical rows of two groups that were not compared with each other yet."""
        first, second = (members[self.may_ask[members]] for members in (first, second))
        if not (len(first) and len(second)):
            return None
        left, right = (self._typical(members, rng).tolist() for members in (first, second))
        pair = next(((i, j) for i in left for j in right if _sorted(i, j) not in self.asked), None)
        if pair is None:
            return None
        return self._question("pair", list(pair), "excess", [self.votes[np.ix_(first, second)].mean()])

    def again(self, pairs: Iterable[Placed], rng: np.random.Generator) -> Question | None:
        """A row and another typical row of its group, to check that it belongs there; None if all were asked about.

        ``pairs`` are rows with a row of their group each, the most doubtful first.
        """
        for row, other in pairs:
            mates = self._checking(row, {row}, self.known.mates(other))
            if len(mates):
                votes = [self.votes[row, mates].mean()]
                return self._question("pair", [row, int(self._typical(mates, rng)[0])], "again", votes)
        return None

    def choice(self, rng: np.random.Generator) -> Question | None:
        """The next row and its most likely groups."""
        groups = self._groups()
        row, why = self._pick(groups, rng)
        if row is None:
            return None
        shown: list[int] = []
        votes = []
        for group in np.argsort(-groups.shares[row, :-1], kind="stable"):
            if len(shown) == N_CHOICES or groups.shares[row, group] <= 0:
                break
            mate = self._mate(groups, row, int(group), rng)
            if mate is None or (self.calibration.chance(self.votes[mate, shown]) > REDUNDANT).any():
                continue
            shown.append(mate)
            votes.append(groups.votes[row, group])
        kind = "choice" if len(shown) > 1 else "pair"
        return self._question(kind, [row, *shown], why, votes) if shown else None

    def piles(self, size: int, rng: np.random.Generator) -> Question | None:
        """Rows to sort into piles.

        They are the next row, a typical row of its most likely group, and rows that maximize the entropy of how the
        clusterings sort all of them.
        """
        groups = self._groups()
        row, why = self._pick(groups, rng)
        if row is None:
            return None
        chosen = [row]
        likeliest = self._mate(groups, row, int(groups.shares[row, :-1].argmax()), rng)
        if likeliest is not None:
            chosen.append(likeliest)
        open_rows = rng.permutation(np.flatnonzero(self._open()))[:N_CANDIDATES]
        core = [int(self._typical(members, rng)[0]) for members in groups.members[: 4 * self.n_clusters]]
        candidates = [each for each in dict.fromkeys([*open_rows.tolist(), *core]) if self.may_ask[each]]
        sorting = self._sortings(chosen)
        added = list(chosen)
        while len(chosen) < size:
            candidates = [
                each for each in candidates if each not in added and all(self._is_open(each, other) for other in added)
            ]
            if not candidates:
                break
            extended = self._sortings_with(chosen, sorting, candidates)
            best = int(np.argmax([_entropy_of(codes, self.committee.weights) for codes in extended]))
            added = [candidates[best]]
            chosen += added
            sorting = extended[best]
        return self._question("piles", chosen, why, pairs=list(combinations(chosen, 2))) if len(chosen) > 1 else None

    def _sortings(self, rows: list[int]) -> IntArray:
        """A code for how each clustering sorts the rows into piles."""
        codes = np.zeros(len(self.committee.labelings), dtype=np.int64)
        for last in range(1, len(rows)):
            codes = self._sortings_with(rows[:last], codes, [rows[last]])[0]
        return codes

    def _sortings_with(self, rows: list[int], sorting: IntArray, others: list[int]) -> IntArray:
        """The codes after adding one of the other rows, for each of them: (others, clusterings)."""
        labels = self.committee.labelings[:, self.pool[rows]]
        own = self.committee.labelings[:, self.pool[others]].T
        joins = np.full(own.shape, len(rows))
        for place in range(len(rows) - 1, -1, -1):
            joins[own == labels[:, place]] = place
        return sorting * (len(rows) + 1) + joins

    def assume(self, question: Question) -> None:
        """Assume the more likely answer to a question, so that the next one is about other rows."""
        linked = self.known.group.copy() if self.linked is None else self.linked
        touched = self.known.touched.copy()
        for (i, j), chance in zip(question.pairs, question.chances, strict=True):
            left, right = self.place(i), self.place(j)
            self.asked.add(_sorted(left, right))
            linked[linked == linked[right]] = linked[left]
            self.known.take(left, right, chance >= 0.5)
        self.linked = linked
        self._assumed |= self.known.touched & ~touched
        self.placed += question.why in PLACING
        self.joined = question.why == "groups"

    # -- groups ------------------------------------------------------------------------------------------------------
    def _groups(self) -> _Groups:
        grouped = np.flatnonzero(self.known.touched)
        grouped = grouped[np.argsort(self.known.group[grouped], kind="stable")]
        names, starts, sizes = np.unique(self.known.group[grouped], return_index=True, return_counts=True)
        m = len(self.rows)
        if not len(names):
            return _Groups(names, [], np.zeros((m, 0)), np.ones((m, 1)), np.zeros(m))
        mean = np.add.reduceat(self.votes[:, grouped], starts, axis=1) / sizes
        apart = self.known.apart[np.ix_(self.known.group, names)]
        chances = np.where(apart, 0.0, self.calibration.chance(mean))
        odds = chances / np.clip(1.0 - chances, 0.02, None)
        code = {int(name): number for number, name in enumerate(names)}
        for i, j in self.asked:  # includes answers "can't say", which are not asked again
            for row, other in ((i, j), (j, i)):
                group = code.get(int(self.known.group[other]))
                if group is not None and self.known.group[row] != self.known.group[other]:
                    odds[row, group] = 0.0
        new = 1.0 if len(names) < self.n_clusters else NEW_GROUP
        shares = np.column_stack([odds, np.full(m, new)])
        shares /= shares.sum(axis=1, keepdims=True)
        entropy = -(shares * np.log(np.clip(shares, 1e-9, 1.0))).sum(axis=1) / np.log(max(self.n_clusters, 2))
        entropy[grouped] = 0.0
        return _Groups(names, np.split(grouped, starts[1:]), mean, shares, entropy)

    def _open(self) -> BoolArray:
        """Mask of the rows that were never asked about."""
        done = self.known.touched | ~self.may_ask
        done[[row for pair in self.asked for row in pair]] = True
        return ~done

    def _is_open(self, row: int, other: int) -> bool:
        """Whether the relation of two rows is unknown and was not asked about."""
        if self.linked is not None and self.linked[row] == self.linked[other]:
            return False
        return self.known.relation(row, other) == 0 and _sorted(row, other) not in self.asked

    def _typical(self, members: IntArray, rng: np.random.Generator) -> IntArray:
        """The rows of a group, most typical first, with the first few in random order."""
        order = members[np.argsort(-self.votes[np.ix_(members, members)].mean(axis=1), kind="stable")]
        return np.concatenate([rng.permutation(order[:N_TYPICAL]), order[N_TYPICAL:]])

    def _mate(self, groups: _Groups, row: int, group: int, rng: np.random.Generator) -> int | None:
        """A typical row of a group to compare a row with."""
        if groups.n == 0:
            return None
        members = groups.members[group]
        members = members[self.may_ask[members]]
        if not len(members):
            return None
        order = self._typical(members, rng)
        order = order[np.argsort(self._assumed[order], kind="stable")]  # prefer rows whose group is not only assumed
        return next((int(mate) for mate in order if mate != row and self._is_open(row, int(mate))), None)

    # -- which rows --------------------------------------------------------------------------------------------------
    def _pick(self, groups: _Groups, rng: np.random.Generator) -> tuple[int | None, str]:
        """The next row to ask about, and the reason."""
        candidates = self._open()
        if not candidates.any() or not groups.n:
            return None, ""
        turn = self.placed + 1
        if turn % BY_LOT == 0:
            return int(rng.choice(np.flatnonzero(candidates))), "lot"
        if turn % 2:
            return int(np.where(candidates, groups.entropy, -1.0).argmax()), "doubt"
        grouped = np.concatenate(groups.members)
        covered = self._squares[:, grouped].max(axis=1)
        weight = SETTLED + (1.0 - SETTLED) * np.minimum(groups.entropy, 1.0)
        # the weighted coverage after adding each row, Σ weight · max(square, covered)
        np.maximum(self._squares, covered, out=self._buffer)
        coverage = self._buffer @ weight.astype(np.float32)
        return int(np.where(candidates, coverage + 1e-6 * groups.entropy, -np.inf).argmax()), "coverage"

    def _next_row(self, groups: _Groups, rng: np.random.Generator) -> Question | None:
        row, why = self._pick(groups, rng)
        return None if row is None else self._against(groups, row, why, rng)

    def _against(
        self, groups: _Groups, row: int, why: str, rng: np.random.Generator, at_least: float = 0.0
    ) -> Question | None:
        """A row and a typical row of its most likely group that was not asked about."""
        shares = groups.shares[row, :-1].copy()
        own = np.flatnonzero(groups.names == self.known.group[row])
        shares[own] = 0.0
        total = shares.sum() + groups.shares[row, -1]
        while groups.n and shares.max() > 0 and shares.max() >= at_least * total:
            group = int(shares.argmax())
            mate = self._mate(groups, row, group, rng)
            if mate is not None:
                return self._question("pair", [row, mate], why, [groups.votes[row, group]])
            shares[group] = 0.0
        return None

    def _joint(self, groups: _Groups) -> Question | None:
        """Two groups that may be one, if there are more groups than clusters."""
        wanted = groups.n > self.n_clusters and not self.joined
        return self._between(groups, *JOINT, "groups") if wanted else None

    def _leftover(self) -> Question | None:
        """After every row was asked about: two groups that may be one, the most likely first.

        Rows without a known group, by answers "can't say", are groups of one.
        """
        self.known.touched[[row for pair in self.asked for row in pair]] = True
        return self._between(self._groups(), 0.0, 1.0, "open")

    def _group_votes(self, groups: _Groups) -> NDArray[np.float32]:
        """The (g, g) matrix of mean votes between the rows of each two groups."""
        grouped = np.concatenate(groups.members)
        sizes = np.array([len(members) for members in groups.members])
        starts = np.cumsum(sizes) - sizes
        mean: NDArray[np.float32]
        mean = np.add.reduceat(np.add.reduceat(self.votes[np.ix_(grouped, grouped)], starts, axis=0), starts, axis=1)
        mean /= np.outer(sizes, sizes)
        return mean

    def _between(self, groups: _Groups, at_least: float, at_most: float, why: str) -> Question | None:
        """The most similar rows of two groups whose relation is unknown, the most likely to be one first."""
        if groups.n < 2:
            return None
        mean = self._group_votes(groups)
        chances = self.calibration.chance(mean)
        chances[self.known.apart[np.ix_(groups.names, groups.names)]] = -1.0
        code = {int(name): number for number, name in enumerate(groups.names)}
        for i, j in self.asked:
            ends = [code.get(int(self.known.group[row])) for row in (i, j)]
            if ends[0] is not None and ends[1] is not None:
                chances[ends[0], ends[1]] = chances[ends[1], ends[0]] = -1.0
        if self.linked is not None:
            chances[self.linked[groups.names][:, None] == self.linked[groups.names]] = -1.0
        chances[np.tril_indices(groups.n)] = -1.0
        chances[chances > at_most] = -1.0
        while chances.max() >= at_least:
            a, b = np.unravel_index(int(chances.argmax()), chances.shape)
            first, second = (members[self.may_ask[members]] for members in (groups.members[a], groups.members[b]))
            if len(first) and len(second):
                block = self.votes[np.ix_(first, second)]
                row, other = divmod(int(block.argmax()), block.shape[1])
                return self._question("pair", [int(first[row]), int(second[other])], why, [mean[a, b]])
            chances[a, b] = -1.0
        return None

    def _question(
        self,
        kind: str,
        places: list[int],
        why: str,
        votes: Sequence[Any] | None = None,
        pairs: Sequence[Placed] | None = None,
    ) -> Question:
        if pairs is None:
            pairs = [(places[0], other) for other in places[1:]]
        shares = [float(share) for share in ([self.votes[pair] for pair in pairs] if votes is None else votes)]
        chances = [float(self.calibration.chance(share)) for share in shares]
        named = [(int(self.rows[i]), int(self.rows[j])) for i, j in pairs]
        rows = [int(self.rows[place]) for place in places]
        return Question(kind, tuple(rows), tuple(named), tuple(chances), tuple(shares), why)


def _sorted(i: int, j: int) -> Placed:
    return (i, j) if i < j else (j, i)


def _entropy_of(codes: IntArray, weights: FloatArray) -> float:
    """The entropy of the weighted distribution of codes."""
    shares = np.bincount(np.unique(codes, return_inverse=True)[1], weights=weights)
    return float(-(shares * np.log(np.maximum(shares, 1e-12))).sum())
