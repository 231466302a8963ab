"""The answers of a simulated person, for each way of asking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from likewise import Constraints, Likewise
from likewise.clustering.kmeans._points import Points
from likewise.front._kmeans import kmeans_labels, reserve_stream

SHOWN = 20
"""Number of rows of the two clusterings that are compared."""

POOL = 40
"""Number of clusterings from which two at a time are compared."""


def sampled(
    how: str, y: np.ndarray, amount: int, wrong: float, rng: np.random.Generator, **options: Any
) -> Constraints:
    """Answers drawn by :meth:`Constraints.sample`; rows that may not be asked about have the label −1."""
    return Constraints.sample(y, how, amount, error_rate=wrong, random_state=rng, **options)


def by_resemblance(narrow: np.ndarray) -> Callable[[Any, Any], np.ndarray]:
    """The distance of two rows, by which a person answers who is forced to although the classes do not decide."""
    spread = narrow.std(axis=0)
    rows = narrow / np.where(spread > 0, spread.mean(), 1.0)

    def distance(left: Any, right: Any) -> np.ndarray:
        return np.square(rows[left] - rows[right]).sum(axis=1)

    return distance


def pool_of(model: Likewise, n_clusters: int, rng: np.random.RandomState) -> list[np.ndarray]:
    """Clusterings of different quality: k-means in the features of a model, half of them with random weights."""
    features = model._features
    spaces = (features.linear.F, features.graph.F, features.both.F)
    runs = []
    for number in range(POOL):
        F = spaces[number % len(spaces)]
        if number % 2:
            F = F * rng.exponential(size=F.shape[1]).astype(F.dtype)
        runs.append(kmeans_labels(Points(np.ascontiguousarray(F)), n_clusters, reserve_stream(rng, n_clusters)))
    return runs
