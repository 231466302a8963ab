"""What does not depend on hints: features, and the consensus without hints."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from .._progress import track
from .._saved import Saved
from .._threads import parallel_map
from ..clustering.agreement._hbgf import consensus_embedding
from ..clustering.kmeans._lloyd import best_of, lloyd, plain
from ..clustering.kmeans._points import Points
from ..clustering.kmeans._seeding import spread_out
from ..prepare._linear import LinearFeatures
from ._budget import Budget
from ._graph_features import GraphFeatures
from ._kmeans import EXACT, quick_labels
from ._learned_map import Space
from ._streams import own_stream

Array = np.ndarray

SIZES = (1.0, 1.5, 2.0)
"""Clusters of the runs without hints, in units of those asked for: finer ones vote without forcing what merges."""

REPEATS = 5
"""Runs for each size in each of two spaces: 30 in all."""

STARTS = 10
"""Of the k-means in the space where they are joined."""

SHARE = 0.5
"""Of a budget, what the runs without hints may have used when the last of them is made."""


@dataclass
class Ground:
    """The rows of one data set in three spaces.

    Attributes
    ----------
    linear, graph
        What the rows went through, for new ones.
    L, G, C : Space
        Linear features, graph features, and both side by side.
    graph_s : float
        Seconds that the graph took.
    tried : dict
        Partitions without hints by their number of clusters, where one was asked for; no hint changes them.
    """

    _saved: ClassVar[Saved] = Saved(parts={"linear": LinearFeatures, "graph": GraphFeatures})

    linear: LinearFeatures
    graph: GraphFeatures
    L: Space
    G: Space
    C: Space
    graph_s: float = 0.0
    tried: dict[int, list[Array]] = field(default_factory=dict)

    @classmethod
    def of(cls, X: Any) -> Ground:
        """Prepare the rows of X."""
        linear = LinearFeatures()
        rows, L = linear.fit_transform(X)
        start = perf_counter()
        graph = GraphFeatures(metric=linear.metric)
        G = graph.fit_transform(rows)
        graph_s = perf_counter() - start
        L, G = L.astype(np.float32), G.astype(np.float32)
        return cls(linear, graph, Space(L), Space(G), Space(np.hstack([L, G])), graph_s)

    def place(self, X: Any) -> Array:
        """New rows in the space C."""
        rows, L = self.linear.transform(X)
        return np.hstack([L, self.graph.transform(rows)]).astype(np.float32)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.L.F)


@dataclass
class Baseline:
    """The answer without hints.

    Attributes
    ----------
    n_clusters : int
    labels : (n,) ints
    embedding : (n, k) array
        Where the runs agree on what is close.
    labelings : list of (n,) ints
        The runs behind it.
    run_s, joining_s : float
        Seconds that a run took, and that joining them took: what is to come takes as long.
    """

    n_clusters: int
    labels: Array
    embedding: Array
    labelings: list[Array]
    run_s: float = 0.0
    joining_s: float = 0.0


def baseline(
    ground: Ground, n_clusters: int, rng: np.random.RandomState, budget: Budget | None = None, n_jobs: int | None = None
) -> Baseline:
    """Many plain k-means runs in G and C, with k clusters and more, and their consensus (:func:`likewise.hbgf`).

    Where time is short there are fewer of them, but one of each kind.
    """
    budget = budget or Budget()
    points = [Points(space.F) for space in (ground.G, ground.C)]
    runs = []
    for space in points:
        for size in SIZES:
            k = min(round(size * n_clusters), ground.n)
            runs += [(space, k, own_stream(rng, k)) for _ in range(REPEATS)]
    labelings: dict[int, Array] = {}
    start = budget.elapsed
    for repeat in track(range(REPEATS)):
        spent = budget.elapsed - start
        if repeat and not budget.has_room(spent / repeat, SHARE):
            budget.left_out.append(f"{len(runs) - len(labelings)} of {len(runs)} runs without hints")
            break
        chosen = range(repeat, len(runs), REPEATS)
        found = parallel_map(lambda number: quick_labels(*runs[number]), chosen, n_jobs)
        labelings.update(zip(chosen, found, strict=True))
    ran = budget.elapsed
    ordered = [labelings[number] for number in sorted(labelings)]
    embedding, _ = consensus_embedding(ordered, n_clusters)
    joined = Points(embedding)
    run = best_of(lloyd(joined, spread_out(joined, n_clusters, rng), plain(joined), **EXACT) for _ in range(STARTS))
    return Baseline(n_clusters, run.labels, embedding, ordered, (ran - start) / len(ordered), budget.elapsed - ran)
