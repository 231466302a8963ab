"""Clusterings trained on hints: several families, each member blind to a quarter of the rows' hints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..clustering.kmeans._points import Points
from ..constraints import Constraints
from ._folds import Statements
from ._graph_features import GraphFeatures
from ._kmeans import quick_labels
from ._learned_map import Space, Taught, taught_by
from ._soft_assignment import softmax_labels
from ._streams import Stream
from ._unsupervised import Ground

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
    repeat : int
        Its number among the members of its family that are blind to the same rows.
    kept : object
        What a member in its place need not work out again when there are more hints.
    """

    family: str
    labels: Array
    fold: int
    repeat: int = 0
    kept: Any = None


@dataclass
class Lesson:
    """What members of one fold learn from: the rows, the hints they may see, and how far these are trusted.

    What they share is worked out once, when the first of them asks.
    """

    ground: Ground
    hints: Constraints
    n_clusters: int
    closed: bool
    statements: Statements

    @cached_property
    def taught(self) -> Taught:
        """What linked rows differ by."""
        return taught_by(self.hints, closed=self.closed)

    @cached_property
    def graph(self) -> Array:
        """Learned graph features."""
        return self.learned(self.ground.G)

    @cached_property
    def both(self) -> Array:
        """Linear and graph features, learned together."""
        return self.learned(self.ground.C)

    @cached_property
    def linear(self) -> Array:
        """Learned linear features."""
        return self.learned(self.ground.L)

    def learned(self, space: Space) -> Array:
        """The rows of a space under what hints teach there."""
        return space.learned(self.taught, self.n_clusters)


@dataclass(frozen=True)
class Place:
    """Where a member belongs, what it draws from, and who was there when there were fewer hints."""

    family: str
    fold: int
    repeat: int
    own: Stream
    before: Member | None

    def clustered(self, Z: Array, n_clusters: int) -> Array:
        """Labels by k-means, from where the member before ended, if there is one."""
        start = None if self.before is None else self.before.labels
        return quick_labels(Points(Z), n_clusters, self.own, start)


Learned = tuple[Array, Any]
"""Labels, and what to keep."""


def learned_graph(lesson: Lesson, place: Place) -> Learned:
    """k-means in learned graph features: for curved clusters."""
    return place.clustered(lesson.graph, lesson.n_clusters), None


def learned_both(lesson: Lesson, place: Place) -> Learned:
    """k-means in linear and graph features, learned together."""
    return place.clustered(lesson.both, lesson.n_clusters), None


def learned_linear(lesson: Lesson, place: Place) -> Learned:
    """k-means in learned linear features: for tables with weak clusters."""
    return place.clustered(lesson.linear, lesson.n_clusters), None


def relearned_graph(lesson: Lesson, place: Place) -> Learned:
    """A new neighbor graph in learned linear features, and k-means in its coordinates.

    With more hints the graph stays, and what they teach is learned in its coordinates.
    """
    if place.before is not None:
        space = place.before.kept
    else:
        graph = GraphFeatures(n_components=max(2 * lesson.n_clusters, 20), metric=lesson.ground.linear.metric)
        space = Space(graph.fit_transform(lesson.linear))
    return place.clustered(lesson.learned(space), lesson.n_clusters), space


def soft_graph(lesson: Lesson, place: Place) -> Learned:
    """A softmax on graph features that explains pairs of both kinds."""
    return _soft(lesson, place, lesson.ground.G, lesson.graph)


def soft_linear(lesson: Lesson, place: Place) -> Learned:
    """The same on linear features."""
    return _soft(lesson, place, lesson.ground.L, lesson.linear)


def _soft(lesson: Lesson, place: Place, space: Space, learned: Array) -> Learned:
    if place.before is not None:
        start, weights = place.before.labels, place.before.kept
    else:
        start, weights = place.clustered(learned, lesson.n_clusters), None
    return softmax_labels(space.affine, lesson.statements, start, lesson.n_clusters, weights)


@dataclass(frozen=True)
class Family:
    """How its members learn, how many there are for each fold, and what one takes, in k-means runs without hints.

    None: as long as the neighbor graph of all rows.
    """

    learn: Callable[[Lesson, Place], Learned]
    repeats: int
    runs: float | None


FAMILIES = {
    "graph": Family(learned_graph, 2, 1.0),
    "both": Family(learned_both, 2, 1.5),
    "linear": Family(learned_linear, 1, 1.5),
    "relearned graph": Family(relearned_graph, 1, None),
    "soft graph": Family(soft_graph, 1, 8.0),
    "soft linear": Family(soft_linear, 1, 8.0),
}

ROUNDS = (
    ("graph", 0),
    ("both", 0),
    ("linear", 0),
    ("graph", 1),
    ("both", 1),
    ("soft linear", 0),
    ("soft graph", 0),
    ("relearned graph", 0),
)
"""In which order members are trained, one for each fold at a time: cheap ones first. After each round there is an
ensemble in which every hint is unseen by some."""


def in_order(members: Sequence[Member]) -> list[Member]:
    """By fold, family and repeat, whatever the order in which they were trained."""
    families = list(FAMILIES)
    return sorted(members, key=lambda member: (member.fold, families.index(member.family), member.repeat))
