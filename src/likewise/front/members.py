"""Clusterings trained on hints: several families, each member blind to a quarter of the rows' hints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..clustering.points import Points
from ..constraints import Constraints
from .folds import N_FOLDS, Statements, row_folds, without
from .graph_features import GraphFeatures
from .ground import Ground
from .kmeans import quick_labels
from .learning import Space, Within, within_links
from .softmax import softmax_labels

Array = np.ndarray


@dataclass(frozen=True)
class Member:
    """One clustering of all rows.

    Attributes
    ----------
    family : str
    labels : (n,) ints
    fold : int
        The rows whose hints it did not see.
    """

    family: str
    labels: Array
    fold: int


@dataclass
class Lesson:
    """What members of one fold learn from: the rows, the hints they may see, and how far these are trusted.

    What they share is worked out once, when the first of them asks.
    """

    ground: Ground
    hints: Constraints
    n_clusters: int
    closed: bool
    rng: np.random.RandomState

    @cached_property
    def within(self) -> Within:
        """What must-linked rows differ by."""
        return within_links(self.hints, closed=self.closed)

    @cached_property
    def graph(self) -> Array:
        """Learned graph features."""
        return self.ground.G.learned(self.within)

    @cached_property
    def both(self) -> Array:
        """Linear and graph features, learned together."""
        return self.ground.C.learned(self.within)

    @cached_property
    def linear(self) -> Array:
        """Learned linear features."""
        return self.ground.L.learned(self.within)

    def clustered(self, Z: Array) -> Array:
        """Labels by k-means."""
        return quick_labels(Points(Z), self.n_clusters, self.rng)


def learned_graph(lesson: Lesson) -> Array:
    """k-means in learned graph features: for curved clusters."""
    return lesson.clustered(lesson.graph)


def learned_both(lesson: Lesson) -> Array:
    """k-means in linear and graph features, learned together."""
    return lesson.clustered(lesson.both)


def learned_linear(lesson: Lesson) -> Array:
    """k-means in learned linear features: for tables with weak clusters."""
    return lesson.clustered(lesson.linear)


def relearned_graph(lesson: Lesson) -> Array:
    """A new neighbour graph in learned linear features, and k-means in its coordinates."""
    graph = GraphFeatures(n_components=max(2 * lesson.n_clusters, 20), metric=lesson.ground.linear.metric)
    return lesson.clustered(Space(graph.fit_transform(lesson.linear)).learned(lesson.within))


def soft_assignment(lesson: Lesson) -> Array:
    """A softmax on graph features that explains pairs of both kinds."""
    start = learned_graph(lesson)
    statements = Statements.of(lesson.hints, lesson.rng)
    return softmax_labels(lesson.ground.G.F, statements, start, lesson.n_clusters)


FAMILIES: dict[str, tuple[Callable[[Lesson], Array], int]] = {
    "graph": (learned_graph, 2),
    "both": (learned_both, 2),
    "linear": (learned_linear, 1),
    "relearned graph": (relearned_graph, 1),
    "soft": (soft_assignment, 1),
}
"""Each family, and how many members it has for each fold."""


def train(
    ground: Ground, hints: Constraints, n_clusters: int, rng: np.random.RandomState, *, closed: bool
) -> tuple[list[Member], Array]:
    """Members of all families, and the fold of each row."""
    folds = row_folds(ground.n, rng)
    members = []
    for fold in range(N_FOLDS):
        lesson = Lesson(ground, without(hints, folds == fold), n_clusters, closed, rng)
        for family, (labels, repeats) in FAMILIES.items():
            members += [Member(family, labels(lesson), fold) for _ in range(repeats)]
    return members, folds
