"""Members of the ensemble: clusterings trained on constraints, in several families."""

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
        The rows whose constraints it did not see.
    repeat : int
        Its number among the members of its family with the same fold.
    kept : object
        What the member that takes its place need not work out again when there are more constraints.
    weight : float
        How much it counts beside the others of its family.
    """

    family: str
    labels: IntArray
    fold: int
    repeat: int = 0
    kept: Any = None
    weight: float = 1.0


def by_family(members: Sequence[Member]) -> dict[str, list[Member]]:
    """The members of each family."""
    families: dict[str, list[Member]] = {member.family: [] for member in members}
    for member in members:
        families[member.family].append(member)
    return families


@dataclass
class TrainingData:
    """What members of one fold learn from: the rows, and the constraints they may see.

    What they share is worked out once, when the first of them asks. ``tie_odds`` are the log odds of each comparison
    if clusters do not decide; None where there are no comparisons.
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
        """What linked rows differ by."""
        return links_of(self.constraints, closed=self.closed)

    @property
    def comparisons(self) -> tuple[Comparisons, FloatArray] | None:
        """Comparisons and their odds; None where there are none."""
        return None if self.tie_odds is None else (self.constraints.comparisons, self.tie_odds)

    @cached_property
    def terms(self) -> Terms:
        """Comparisons and pairs, as a projection learns from them."""
        return Terms.of(self.constraints)

    @cached_property
    def graph(self) -> FloatArray:
        """Learned graph features."""
        return self.learned(self.features.graph)

    @cached_property
    def both(self) -> FloatArray:
        """Linear and graph features, learned together."""
        return self.learned(self.features.both)

    @cached_property
    def linear(self) -> FloatArray:
        """Learned linear features."""
        return self.learned(self.features.linear)

    def learned(self, space: Space) -> FloatArray:
        """The rows of a space under the map learned from the constraints."""
        return space.learned(self.links, self.n_clusters)


@dataclass(frozen=True)
class Task:
    """A member to be trained, what it draws from, and the one in its place when there were fewer constraints."""

    family: str
    fold: int
    repeat: int
    stream: RandomStream
    previous: Member | None

    def kmeans(self, Z: FloatArray, n_clusters: int) -> IntArray:
        """Labels by k-means, from those of the previous member if there is one."""
        start = None if self.previous is None else self.previous.labels
        return kmeans_labels(Points(Z), n_clusters, self.stream, start)


Trained = tuple[IntArray, Any]
"""Labels, and what to keep."""


def learned_graph(data: TrainingData, task: Task) -> Trained:
    """k-means in learned graph features: for curved clusters."""
    return task.kmeans(data.graph, data.n_clusters), None


def learned_both(data: TrainingData, task: Task) -> Trained:
    """k-means in linear and graph features, learned together."""
    return task.kmeans(data.both, data.n_clusters), None


def learned_linear(data: TrainingData, task: Task) -> Trained:
    """k-means in learned linear features: for tables with weak clusters."""
    return task.kmeans(data.linear, data.n_clusters), None


def relearned_graph(data: TrainingData, task: Task) -> Trained:
    """k-means in the coordinates of a new neighbor graph, made in learned linear features.

    With more constraints the graph stays, and a map of its coordinates is learned.
    """
    if task.previous is not None:
        space = task.previous.kept
    else:
        graph = GraphFeatures(n_components=max(2 * data.n_clusters, 20), metric=data.features.to_linear.metric)
        space = Space(graph.fit_transform(data.linear))
    return task.kmeans(data.learned(space), data.n_clusters), space


def soft_graph(data: TrainingData, task: Task) -> Trained:
    """A softmax on graph features that explains pairs of both kinds."""
    return _soft(data, task, data.features.graph, data.graph)


def soft_linear(data: TrainingData, task: Task) -> Trained:
    """A softmax on linear features that explains pairs of both kinds."""
    return _soft(data, task, data.features.linear, data.linear)


def soft_unsupervised(data: TrainingData, task: Task) -> Trained:
    """The same from the clusters without constraints: for learned clusters that went astray."""
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
    """k-means in graph features, corrected by comparisons."""
    return _compared(data, task, data.features.graph)


def compared_both(data: TrainingData, task: Task) -> Trained:
    """k-means in linear and graph features, corrected by comparisons."""
    return _compared(data, task, data.features.both)


def compared_linear(data: TrainingData, task: Task) -> Trained:
    """k-means in linear features, corrected by comparisons."""
    return _compared(data, task, data.features.linear)


def _compared(data: TrainingData, task: Task, space: Space) -> Trained:
    return task.kmeans(space.compared(data.terms, data.n_clusters), data.n_clusters), None


@dataclass(frozen=True)
class Family:
    """How members of one kind are trained.

    Attributes
    ----------
    train : callable
    repeats : int
        Members for each fold.
    cost : float or None
        What one takes, in k-means runs without constraints; None for as long as the neighbor graph of all rows.
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
"""Those that are trained where there are comparisons."""

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
"""In which order members are trained, one for each fold at a time: cheap ones first. After each round there is an
ensemble in which every constraint is unseen by some."""


def families_for(constraints: Constraints) -> dict[str, Family]:
    """The families that learn from such constraints."""
    return FAMILIES | COMPARED_FAMILIES if len(constraints.comparisons) else FAMILIES


def rounds_for(constraints: Constraints) -> tuple[tuple[str, int], ...]:
    """The rounds of training, as ``ROUNDS`` has them; those of comparisons come where the cheap ones end."""
    if not len(constraints.comparisons):
        return ROUNDS
    return (*ROUNDS[:3], *((name, 0) for name in COMPARED_FAMILIES), *ROUNDS[3:])


def in_order(members: Sequence[Member]) -> list[Member]:
    """By fold, family and repeat, whatever the order in which they were trained."""
    families = list(FAMILIES | COMPARED_FAMILIES)
    return sorted(members, key=lambda member: (member.fold, families.index(member.family), member.repeat))
