"""From the rows of eigenvectors to labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from ..kmeans._starts import fit_starts

Array = np.ndarray


def partition_rows(V: Array, n_clusters: int, n_init: int, random_state: Any) -> tuple[Array, int]:
    """Labels by k-means on the rows of V, and its iterations; −1 for rows that are zero, which no vector reaches."""
    reached = np.flatnonzero(V.any(axis=1))
    if len(reached) < n_clusters:
        raise ValueError(
            f"only {len(reached)} of {len(V)} rows are like any other, too few for n_clusters={n_clusters}. Use fewer "
            "clusters, more neighbors, or a wider kernel."
        )
    means = fit_starts(KMeans(n_clusters, n_init=n_init, random_state=random_state), V[reached])
    labels = np.full(len(V), -1)
    labels[reached] = means.labels_
    return labels, means.n_iter_
