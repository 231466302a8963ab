"""What does not depend on constraints: the features, and the clusters that they give alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from .._arrays import FloatArray, IntArray
from .._progress import track
from .._saved import Saved
from .._threads import parallel_map
from ..clustering.agreement._hbgf import consensus_embedding
from ..clustering.kmeans._lloyd import best_of, lloyd, plain
from ..clustering.kmeans._points import Points
from ..clustering.kmeans._seeding import kmeans_plus_plus
from ..prepare._kinds import DataKind
from ..prepare._linear import LinearFeatures
from ._budget import Budget
from ._graph_features import GraphFeatures
from ._kmeans import EXACT, kmeans_labels, reserve_stream
from ._learned_map import Space

SIZES = (1.0, 1.5, 2.0)
"""Clusters of the runs, in units of those asked for: finer ones vote without forcing what merges."""

N_REPEATS = 5
"""Runs for each size in each space."""

GRAPH_SPACES = {"graph": 0.5, "both": 0.5}
"""The spaces of the runs, and how much each counts."""

ALL_SPACES = {"linear": 0.5, "graph": 0.25, "both": 0.25}
"""The same for texts and categories. The neighbor graph of texts can be wrong as a whole, where k-means in linear
features still finds topics; rows of categories have few different distances, so that their nearest neighbors are often
ties. For other tables, runs in linear features do more harm than good."""

N_STARTS = 10
"""Of the k-means in the space where they are joined."""

BUDGET_SHARE = 0.5
"""Of a budget, what the runs may have used when the last of them is made."""


@dataclass
class Features:
    """The rows of one data set in three spaces.

    Attributes
    ----------
    to_linear, to_graph
        The transformers that made them, for new rows.
    linear, graph, both : Space
        Linear features, graph features, and both side by side.
    graph_s : float
        Seconds that the graph took.
    partitions : dict of int to list of (n,) ints
        Partitions by their number of clusters, where it was to be chosen; no constraint changes them.
    """

    _saved: ClassVar[Saved] = Saved(parts={"to_linear": LinearFeatures, "to_graph": GraphFeatures})

    to_linear: LinearFeatures
    to_graph: GraphFeatures
    linear: Space
    graph: Space
    both: Space
    graph_s: float = 0.0
    partitions: dict[int, list[IntArray]] = field(default_factory=dict)

    @classmethod
    def of(cls, X: Any, kind: DataKind | None = None) -> Features:
        """Make the features of the rows of X; by default the kind of data is seen by its values."""
        to_linear = LinearFeatures(kind)
        rows, linear = to_linear.fit_transform(X)
        start = perf_counter()
        to_graph = GraphFeatures(metric=to_linear.metric)
        graph = to_graph.fit_transform(rows)
        graph_s = perf_counter() - start
        linear, graph = linear.astype(np.float32), graph.astype(np.float32)
        both = np.hstack([linear, graph])
        return cls(to_linear, to_graph, Space(linear), Space(graph), Space(both), graph_s)

    def transform(self, X: Any) -> FloatArray:
        """New rows in both spaces side by side."""
        rows, linear = self.to_linear.transform(X)
        return np.hstack([linear, self.to_graph.transform(rows)]).astype(np.float32)

    def extended(self, rows: FloatArray) -> Features:
        """With more rows at the end, which have features of both kinds side by side."""
        both = np.concatenate([self.both.F, rows])
        width = self.linear.F.shape[1]
        spaces = Space(both[:, :width]), Space(both[:, width:]), Space(both)
        return Features(self.to_linear, self.to_graph, *spaces, self.graph_s)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.linear.F)


@dataclass
class Unsupervised:
    """Clusters without constraints.

    Attributes
    ----------
    n_clusters : int
    labels : (n,) ints
    embedding : (n, k) array
        The space in which rows are close that the runs put together.
    labelings : list of (n,) ints
        The labels of each run.
    weights : (runs,) array
        How much each run counts; they add up to 1.
    run_s, joining_s : float
        Seconds that a run took, and that joining them took: what is to come takes as long.
    """

    n_clusters: int
    labels: IntArray
    embedding: FloatArray
    labelings: list[IntArray]
    weights: FloatArray
    run_s: float = 0.0
    joining_s: float = 0.0


def cluster_unsupervised(
    features: Features,
    n_clusters: int,
    rng: np.random.RandomState,
    budget: Budget | None = None,
    n_jobs: int | None = None,
) -> Unsupervised:
    """Many plain k-means runs in several spaces, with k clusters and more, and their consensus (:func:`likewise.hbgf`).

    Where time is short there are fewer of them, but one of each kind.
    """
    budget = budget or Budget()
    runs = []
    shares = []
    to_linear = features.to_linear
    spaces = ALL_SPACES if to_linear.metric == "cosine" or to_linear.two_valued else GRAPH_SPACES
    for space, share in spaces.items():
        points = Points(getattr(features, space).F)
        for size in SIZES:
            k = min(round(size * n_clusters), features.n)
            runs += [(points, k, reserve_stream(rng, k)) for _ in range(N_REPEATS)]
            shares += [share] * N_REPEATS
    labelings: dict[int, IntArray] = {}
    start = budget.elapsed
    for repeat in track(range(N_REPEATS)):
        spent = budget.elapsed - start
        if repeat and not budget.has_room(spent / repeat, BUDGET_SHARE):
            budget.left_out.append(f"{len(runs) - len(labelings)} of {len(runs)} runs without hints")
            break
        chosen = range(repeat, len(runs), N_REPEATS)
        labels = parallel_map(lambda number: kmeans_labels(*runs[number]), chosen, n_jobs)
        labelings.update(zip(chosen, labels, strict=True))
    end = budget.elapsed
    ordered = [labelings[number] for number in sorted(labelings)]
    weights = np.array([shares[number] for number in sorted(labelings)])
    weights /= weights.sum()
    embedding, _ = consensus_embedding(ordered, n_clusters, weights=weights)
    points = Points(embedding)
    run = best_of(
        lloyd(points, kmeans_plus_plus(points, n_clusters, rng), plain(points), **EXACT) for _ in range(N_STARTS)
    )
    return Unsupervised(
        n_clusters,
        run.labels,
        embedding,
        ordered,
        weights,
        run_s=(end - start) / len(ordered),
        joining_s=budget.elapsed - end,
    )
