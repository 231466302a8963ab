"""The parts of a fit that do not depend on constraints: features, and the unsupervised consensus."""

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
"""Numbers of clusters of the runs, relative to ``n_clusters``; finer runs do not decide which clusters merge."""

N_REPEATS = 5
"""Number of runs for each size in each space."""

GRAPH_SPACES = {"graph": 0.5, "both": 0.5}
"""The spaces of the runs, and their weights."""

ALL_SPACES = {"linear": 0.5, "graph": 0.25, "both": 0.25}
"""Spaces and weights for texts and categories. The neighbor graph of texts may be misleading as a whole, while k-means
in linear features still finds topics. Between rows of categories there are few different distances, so that nearest
neighbors are often ties. For other tables, runs in linear features make results worse on average."""

N_STARTS = 10
"""Number of initializations of k-means in the consensus embedding."""

BUDGET_SHARE = 0.5
"""Share of the time budget within which runs are made."""


@dataclass
class Features:
    """Features of all rows in three spaces.

    Attributes
    ----------
    to_linear, to_graph
        The fitted transformers, for new rows.
    linear, graph, both : Space
        Linear features, graph features, and both side by side.
    graph_s : float
        Seconds spent on graph features.
    partitions : dict of int to list of (n,) ints
        Unsupervised partitions for each number of clusters, if it had to be chosen. They do not depend on constraints.
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
        """Compute the features of the rows of X; by default the kind of data is inferred from the values."""
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
        """Linear and graph features of new rows, side by side."""
        rows, linear = self.to_linear.transform(X)
        return np.hstack([linear, self.to_graph.transform(rows)]).astype(np.float32)

    def extended(self, rows: FloatArray) -> Features:
        """Append rows, given by their linear and graph features side by side."""
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
    """The unsupervised consensus.

    Attributes
    ----------
    n_clusters : int
    labels : (n,) ints
    embedding : (n, k) array
        The consensus embedding of the runs.
    labelings : list of (n,) ints
        The labels of each run.
    weights : (runs,) array
        The weight of each run; they add up to 1.
    run_s, joining_s : float
        Seconds of a run and of the consensus, from which later times are estimated.
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
    """Consensus (:func:`likewise.hbgf`) of many k-means runs in several spaces, with ``n_clusters`` clusters and more.

    If time is short, there are fewer repeats, but at least one run for each space and size.
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
