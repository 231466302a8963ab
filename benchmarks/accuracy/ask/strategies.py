"""Published strategies and random questions. None of them uses what Likewise has learned.

They get answers one by one, and end when all questions have been asked or nothing is left to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.ensemble import RandomForestClassifier

from likewise import Constraints
from likewise.clustering import MPCKMeans

from .person import Person

RECLUSTER_AFTER = 10
"""NPU as published clusters again for each row; here, after this number of answers, and a fifth of all so far."""

N_TREES = 50


class Told(NamedTuple):
    """The relation of two rows, and the number of screens after which it was known."""

    screen: int
    rows: tuple[int, int]
    same: bool


class Spent(Exception):
    """All questions have been asked."""


@dataclass
class Round:
    """One run of a strategy.

    Attributes
    ----------
    X : (n, f) array
    n_clusters : int
    rows : int array
        Those that may be asked about.
    labels : int array
        Clusters found without answers.
    person : Person
    screens : int
        Questions that may be asked.
    rng : Generator
    told : list of Told
    """

    X: np.ndarray
    n_clusters: int
    rows: np.ndarray
    labels: np.ndarray
    person: Person
    screens: int
    rng: np.random.Generator
    told: list[Told] = field(default_factory=list)
    used: int = 0

    def ask(self, i: int, j: int) -> bool | None:
        """Ask a question; it costs a screen, even if the answer is "can't say"."""
        if self.used == self.screens:
            raise Spent
        self.used += 1
        said = self.person.pair(i, j)
        if said is not None:
            self.told.append(Told(self.used, (int(i), int(j)), said))
        return said

    def run(self, strategy: Callable[[Round], None]) -> list[Told]:
        """The known relations at the end, in order."""
        with suppress(Spent):
            strategy(self)
        return self.told

    def constraints(self) -> Constraints:
        """The known relations so far."""
        return constraints_of(self.told, len(self.X))


def constraints_of(told: Iterable[Told], n_samples: int) -> Constraints:
    """The known relations as must-links and cannot-links."""
    told = list(told)
    same = [one.rows for one in told if one.same]
    return Constraints(n_samples, same, [one.rows for one in told if not one.same])


def random(asking: Round) -> None:
    """Distinct random pairs."""
    for i, j in random_pairs(asking):
        asking.ask(i, j)


def balanced(asking: Round) -> None:
    """Alternately a pair within a cluster of the result without answers, and a pair of two clusters."""
    waiting: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    pairs = random_pairs(asking)
    for turn in count():
        within = turn % 2 == 0
        while not waiting[within]:
            pair = next(pairs, None)
            if pair is None:
                break
            i, j = pair
            waiting[bool(asking.labels[i] == asking.labels[j])].append(pair)
        left = waiting[within] or waiting[not within]
        if not left:
            return
        asking.ask(*left.pop(0))


def random_pairs(asking: Round) -> Iterator[tuple[int, int]]:
    """All pairs of rows that may be asked about, in random order."""
    left, right = np.triu_indices(len(asking.rows), 1)
    for place in asking.rng.permutation(len(left)):
        yield int(asking.rows[left[place]]), int(asking.rows[right[place]])


class Neighborhoods:
    """Sets of rows that belong together, and differ between sets; rows that stay open are set aside."""

    def __init__(self, asking: Round) -> None:
        self.asking = asking
        self.groups: list[list[int]] = []
        self.open = asking.rows.tolist()

    @property
    def placed(self) -> list[int]:
        return [row for group in self.groups for row in group]

    def found(self, row: int) -> None:
        """Start a neighborhood."""
        self.open.remove(row)
        self.groups.append([row])

    def place(self, row: int, order: Iterable[int], most: int | None = None) -> None:
        """Ask about a row and one row of each neighborhood, in this order, until the answer is "same".

        If there are `most` neighborhoods and it is in none but the last, it is there; that costs no question.
        """
        self.open.remove(row)
        order, unsure = [int(group) for group in order], False
        for number, group in enumerate(order):
            other = int(self.asking.rng.choice(self.groups[group]))
            if len(order) == most and number == most - 1 and not unsure:
                self.asking.told.append(Told(self.asking.used, (row, other), True))
                said: bool | None = True
            else:
                said = self.asking.ask(row, other)
            if said:
                self.groups[group].append(row)
                return
            unsure |= said is None
        if not unsure:
            self.groups.append([row])

    def by_center(self, row: int) -> np.ndarray:
        """The neighborhoods, in order of the distance to their centers."""
        X = self.asking.X
        centers = np.array([X[group].mean(axis=0) for group in self.groups])
        return np.argsort(((centers - X[row]) ** 2).sum(axis=1))

    def by_nearest(self, row: int) -> np.ndarray:
        """The neighborhoods, in order of the distance to their nearest rows."""
        X = self.asking.X
        return np.argsort([((X[group] - X[row]) ** 2).sum(axis=1).min() for group in self.groups])

    def farthest(self) -> int:
        """The open row that is farthest from all known ones."""
        distances = cdist(self.asking.X[self.open], self.asking.X[self.placed]).min(axis=1)
        return self.open[int(distances.argmax())]

    def explore(self) -> None:
        """Farthest-first traversal, until there are as many neighborhoods as clusters."""
        self.found(int(self.asking.rng.choice(self.open)))
        while self.open and len(self.groups) < self.asking.n_clusters:
            row = self.farthest()
            self.place(row, self.by_center(row))


def explore_and_consolidate(asking: Round) -> None:
    """Basu, Banerjee and Mooney 2004: explore, then ask about random rows, nearest center first."""
    known = Neighborhoods(asking)
    known.explore()
    while known.open:
        row = int(asking.rng.choice(known.open))
        known.place(row, known.by_center(row), asking.n_clusters)


def min_max(asking: Round) -> None:
    """Mallapragada, Jin and Jain 2008: explore, then ask about the row least similar to all known ones."""
    known = Neighborhoods(asking)
    known.explore()
    while known.open:
        row = known.farthest()
        known.place(row, known.by_nearest(row), asking.n_clusters)


def npu(asking: Round) -> None:
    """Xiong, Azimi and Fern 2014: ask about the row with the most uncertain neighborhood per expected question.

    Similarities of rows are shares of a random forest's trees that put them into one leaf; it learns the clusters that
    MPCK-means finds with the answers so far.
    """
    known = Neighborhoods(asking)
    known.found(int(asking.rng.choice(known.open)))
    alike, then = np.empty((0, 0)), -RECLUSTER_AFTER
    while known.open:
        if asking.used - then >= max(RECLUSTER_AFTER, asking.used / 5):
            alike, then = forest_similarity(asking), asking.used
        open_rows = alike[known.open]
        chances = np.array([open_rows[:, group].mean(axis=1) for group in known.groups]).T + 1e-9
        chances /= chances.sum(axis=1, keepdims=True)
        entropy = -(chances * np.log(chances)).sum(axis=1)
        questions = (-np.sort(-chances, axis=1) * np.arange(1, chances.shape[1] + 1)).sum(axis=1)
        worth = entropy / questions
        best = int(asking.rng.choice(np.flatnonzero(worth >= worth.max() - 1e-12)))
        known.place(known.open[best], np.argsort(-chances[best], kind="stable"))


def forest_similarity(asking: Round) -> np.ndarray:
    """The share of trees in which two rows are in the same leaf, for all pairs."""
    seed = int(asking.rng.integers(2**31))
    clusterer = MPCKMeans.as_published(asking.n_clusters, closure=asking.person.is_right, n_init=1, random_state=seed)
    labels = clusterer.fit(asking.X, constraints=asking.constraints()).labels_
    leaves = RandomForestClassifier(N_TREES, random_state=seed).fit(asking.X, labels).apply(asking.X)
    return np.mean([tree[:, None] == tree for tree in leaves.T], axis=0)
