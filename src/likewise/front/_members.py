"""Members of the ensemble: families of clusterings that are trained on constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .._arrays import FloatArray, IntArray
from ..clustering.kmeans._points import Points
from ..constraints import Comparisons, Constraints
from ..projections._comparison_loss import Terms
from ._folds import Statements
from ._graph_features import GraphFeatures
from ._kmeans import RandomStream, kmeans_labels
from ._learned_map import Links, Space, links_of
from ._soft_assignment import softmax_labels
from ._unsupervised import Features


@dataclass(frozen=True)
class Member:
    """One clustering of all rows.

    Attributes
    ----------
    family : str
    labels : (n,) ints
    fold : int
        The fold whose constraints are held out; −1 for members that are trained on none.
    repeat : int
        The index of the member within its family and fold.
    kept : object
        State that the next member of the same family, fold and repeat starts from if constraints are added.
    weight : float
        The weight of the member within its family.
    """

    family: str
    labels: IntArray
    fold: int
    repeat: int = 0
    kept: Any = None
    weight: float = 1.0


def by_family(members: Sequence[Member]) -> dict[str, list[Member]]:
    """Group members by family, in order of first appearance."""
    families: dict[str, list[Member]] = {member.family: [] for member in members}
    for member in members:
        families[member.family].append(member)
    return families


@dataclass
class TrainingData:
    """The training data of the members of one fold: features of all rows, and constraints that are not held out.

    Quantities that members share are computed once, on first use. ``tie_odds`` are the log-odds of each comparison if
    it is a tie; None if there are no comparisons.
    """

    features: Features
    unsupervised_labels: IntArray
    constraints: Constraints
    n_clusters: int
    closed: bool
    statements: Statements
    tie_odds: FloatArray | None = None

    @cached_property
    def links(self) -> Links:
        """The scatter of linked rows."""
        return links_of(self.constraints, closed=self.closed)

    @property
    def comparisons(self) -> tuple[Comparisons, FloatArray] | None:
        """The comparisons and their log-odds as ties; None if there are none."""
        return None if self.tie_odds is None else (self.constraints.comparisons, self.tie_odds)

    @cached_property
    def terms(self) -> Terms:
        """Comparisons and pairs as terms of the comparison loss."""
        return Terms.of(self.constraints)

    @cached_property
    def graph(self) -> FloatArray:
        """Graph features, transformed by a learned map."""
        return self.learned(self.features.graph)

    @cached_property
    def both(self) -> FloatArray:
        """Linear and graph features side by side, transformed by a learned map."""
        return self.learned(self.features.both)

    @cached_property
    def linear(self) -> FloatArray:
        """Linear features, transformed by a learned map."""
        return self.learned(self.features.linear)

    def learned(self, space: Space) -> FloatArray:
        """The rows of a space, transformed by the map learned from the constraints."""
        return space.learned(self.links, self.n_clusters)


@dataclass(frozen=True)
class Task:
    """A member to be trained, with its random stream and its predecessor under fewer constraints, if any."""

    family: str
    fold: int
    repeat: int
    stream: RandomStream
    previous: Member | None

    def kmeans(self, Z: FloatArray, n_clusters: int) -> IntArray:
        """Labels by k-means, initialized by those of the previous member if there is one."""
        start = None if self.previous is None else self.previous.labels
        return kmeans_labels(Points(Z), n_clusters, self.stream, start)


Trained = tuple[IntArray, Any]
"""The labels of a member, and its ``kept`` state."""


def learned_graph(data: TrainingData, task: Task) -> Trained:
    """k-means in graph features, transformed by a learned map; for curved clusters."""
    return task.kmeans(data.graph, data.n_clusters), None


def learned_both(data: TrainingData, task: Task) -> Trained:
    """k-means in linear and graph features side by side, transformed by a learned map."""
    return task.kmeans(data.both, data.n_clusters), None


def learned_linear(data: TrainingData, task: Task) -> Trained:
    """k-means in linear features, transformed by a learned map; for tables with weak clusters."""
    return task.kmeans(data.linear, data.n_clusters), None


def relearned_graph(data: TrainingData, task: Task) -> Trained:
    """k-means in graph features of the learned linear features, transformed by a learned map.

    If constraints are added, the graph features stay the same, and only the map is learned again.
    """
    if task.previous is not None:
        space = task.previous.kept
    else:
        graph = GraphFeatures(n_components=max(2 * data.n_clusters, 20), metric=data.features.to_linear.metric)
        space = Space(graph.fit_transform(data.linear))
    return task.kmeans(data.learned(space), data.n_clusters), space


def soft_graph(data: TrainingData, task: Task) -> Trained:
    """Softmax assignment by graph features that maximizes the likelihood of pairs."""
    return _soft(data, task, data.features.graph, data.graph)


def soft_linear(data: TrainingData, task: Task) -> Trained:
    """Softmax assignment by linear features that maximizes the likelihood of pairs."""
    return _soft(data, task, data.features.linear, data.linear)


def soft_unsupervised(data: TrainingData, task: Task) -> Trained:
    """Softmax assignment by linear features, initialized by the unsupervised labels instead of learned ones."""
    previous = task.previous
    start, coefficients = (data.unsupervised_labels, None) if previous is None else (previous.labels, previous.kept)
    affine = data.features.linear.affine
    return softmax_labels(affine, data.statements, start, data.n_clusters, coefficients, data.comparisons)


def _soft(data: TrainingData, task: Task, space: Space, learned: FloatArray) -> Trained:
    if task.previous is not None:
        start = task.previous.labels
        coefficients = task.previous.kept
    else:
        start = task.kmeans(learned, data.n_clusters)
        coefficients = None
    return softmax_labels(space.affine, data.statements, start, data.n_clusters, coefficients, data.comparisons)


def compared_graph(data: TrainingData, task: Task) -> Trained:
    """k-means in graph features, transformed by a map learned from comparisons."""
    return _compared(data, task, data.features.graph)


def compared_both(data: TrainingData, task: Task) -> Trained:
    """k-means in linear and graph features, transformed by a map learned from comparisons."""
    return _compared(data, task, data.features.both)


def compared_linear(data: TrainingData, task: Task) -> Trained:
    """k-means in linear features, transformed by a map learned from comparisons."""
    return _compared(data, task, data.features.linear)


def _compared(data: TrainingData, task: Task, space: Space) -> Trained:
    return task.kmeans(space.compared(data.terms, data.n_clusters), data.n_clusters), None


@dataclass(frozen=True)
class Family:
    """A family of members.

    Attributes
    ----------
    train : callable
        Trains a member.
    repeats : int
        Number of members for each fold.
    cost : float or None
        Time to train a member, relative to an unsupervised run of k-means; None if it takes as long as building the
        neighbor graph of all rows.
    """

    train: Callable[[TrainingData, Task], Trained]
    repeats: int
    cost: float | None


FAMILIES = {
    "graph": Family(learned_graph, 2, 1.0),
    "both": Family(learned_both, 2, 1.5),
    "linear": Family(learned_linear, 1, 1.5),
    "relearned graph": Family(relearned_graph, 1, None),
    "soft graph": Family(soft_graph, 1, 8.0),
    "soft linear": Family(soft_linear, 1, 8.0),
    "soft unsupervised": Family(soft_unsupervised, 1, 8.0),
}

COMPARED_FAMILIES = {
    "compared graph": Family(compared_graph, 1, 2.0),
    "compared both": Family(compared_both, 1, 3.0),
    "compared linear": Family(compared_linear, 1, 3.0),
}
"""Further families that are trained if there are comparisons."""

ROUNDS = (
    ("graph", 0),
    ("both", 0),
    ("linear", 0),
    ("graph", 1),
    ("both", 1),
    ("soft linear", 0),
    ("soft graph", 0),
    ("soft unsupervised", 0),
    ("relearned graph", 0),
)
"""The order of training: a round trains one member for each fold, and cheap families come first. So after each round
there is an ensemble in which every constraint is held out from some members."""


def families_for(constraints: Constraints) -> dict[str, Family]:
    """The families to train on these constraints."""
    return FAMILIES | COMPARED_FAMILIES if len(constraints.comparisons) else FAMILIES


def rounds_for(constraints: Constraints) -> tuple[tuple[str, int], ...]:
    """The rounds of training; those of comparisons come after the first round of each cheap family."""
    if not len(constraints.comparisons):
        return ROUNDS
    return (*ROUNDS[:3], *((name, 0) for name in COMPARED_FAMILIES), *ROUNDS[3:])


def in_order(members: Sequence[Member]) -> list[Member]:
    """Members sorted by fold, family and repeat, independent of the order of training."""
    families = list(FAMILIES | COMPARED_FAMILIES)
    return sorted(members, key=lambda member: (member.fold, families.index(member.family), member.repeat))
