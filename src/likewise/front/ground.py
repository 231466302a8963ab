"""What does not depend on hints: features, and the consensus without hints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..clustering.consensus import consensus_embedding
from ..clustering.lloyd import best_of, lloyd, plain
from ..clustering.points import Points
from ..clustering.seeding import spread_out
from .features import LinearFeatures
from .graph_features import GraphFeatures
from .kmeans import EXACT, quick_labels
from .learning import Space

Array = np.ndarray

SIZES = (1.0, 1.5, 2.0)
"""Clusters of the runs without hints, in units of those asked for: finer ones vote without forcing what merges."""

REPEATS = 5
"""Runs for each size in each of two spaces: 30 in all."""


@dataclass
class Ground:
    """The rows of one data set in three spaces.

    Attributes
    ----------
    linear, graph
        What the rows went through, for new ones.
    L, G, C : Space
        Linear features, graph features, and both side by side.
    """

    linear: LinearFeatures
    graph: GraphFeatures
    L: Space
    G: Space
    C: Space

    @classmethod
    def of(cls, X: Any) -> Ground:
        """Prepare the rows of X."""
        linear = LinearFeatures()
        rows, L = linear.fit_transform(X)
        graph = GraphFeatures(metric=linear.metric)
        G = graph.fit_transform(rows)
        L, G = L.astype(np.float32), G.astype(np.float32)
        return cls(linear, graph, Space(L), Space(G), Space(np.hstack([L, G])))

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
    """

    n_clusters: int
    labels: Array
    embedding: Array
    labelings: list[Array]


def baseline(ground: Ground, n_clusters: int, rng: np.random.RandomState) -> Baseline:
    """Many plain k-means runs in G and C, with k clusters and more, and their consensus (:func:`likewise.hbgf`)."""
    labelings = []
    for space in (ground.G, ground.C):
        points = Points(space.F)
        for size in SIZES:
            k = round(size * n_clusters)
            labelings += [quick_labels(points, k, rng) for _ in range(REPEATS)]
    embedding, _ = consensus_embedding(labelings, n_clusters)
    points = Points(embedding)
    run = best_of(
        lloyd(points, spread_out(points, n_clusters, rng), plain(points), **EXACT) for _ in range(2 * REPEATS)
    )
    return Baseline(n_clusters, run.labels, embedding, labelings)
