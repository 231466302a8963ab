"""What a cluster is about: the features in which its rows differ most from the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..linalg._row_matrix import indicator
from ..prepare._linear import LinearFeatures
from ._report import ClusterReport

Array = np.ndarray

TOP = 5
"""Features of each cluster that the report names."""


def differences(X: Any, labels: Array, n_clusters: int, linear: LinearFeatures) -> Array:
    """How much higher each feature is in each cluster than in all other rows.

    For a table in units of the standard deviation of the feature; for text as a difference of mean tf-idf weights, so
    that rare words do not count for more than they are used.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
    labels : (n,) ints
    n_clusters : int
    linear : LinearFeatures
        Knows what kind of data this is, and the weights of words.

    Returns
    -------
    (n_clusters, f) array
        0 for a cluster that holds all rows, or none.
    """
    rows = linear.prepared(X)
    inside = indicator(labels, n_clusters)
    sizes = np.asarray(inside.sum(axis=0)).ravel()
    sums = inside.T @ rows
    sums = np.asarray(sums.toarray() if sparse.issparse(sums) else sums, dtype=np.float64)
    others = len(labels) - sizes
    real = (sizes > 0) & (others > 0)
    found = np.zeros_like(sums)
    rest = sums.sum(axis=0) - sums[real]
    found[real] = sums[real] / sizes[real, None] - rest / others[real, None]
    if linear.metric == "euclidean":
        spread = np.std(rows, axis=0, dtype=np.float64)
        found = np.divide(found, spread, out=np.zeros_like(found), where=spread > 0)
    return found


def largest(scores: Array, n: int, names: Any) -> list[tuple[str, float]]:
    """The names of the ``n`` scores that are largest, whatever their sign, and the scores; zeros are left out."""
    order = np.argsort(-np.abs(scores), kind="stable")[:n]
    return [(str(names[column]), float(scores[column])) for column in order if scores[column] != 0]


def characterized(scores: Array, sizes: Array, names: Any) -> tuple[ClusterReport, ...]:
    """What each cluster is about, in a few features."""
    return tuple(
        ClusterReport(int(size), tuple(largest(own, TOP, names))) for size, own in zip(sizes, scores, strict=True)
    )
