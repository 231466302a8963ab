"""Repairing labels so that they satisfy all constraints."""

from __future__ import annotations

import numpy as np

from .._arrays import FloatArray, IntArray
from ..clustering.kmeans._coloring import PlacementError, Placer, TwoSides
from ..clustering.kmeans._penalties import Penalties
from ..clustering.kmeans._points import Points
from ..constraints import Constraints
from ..graphs import cannot_link_graph

MAX_STEPS = 10_000
"""Maximum number of backtracking steps in each connected component of the graph of cannot-linked groups."""


def repair_labels(
    Z: FloatArray, labels: IntArray, n_clusters: int, constraints: Constraints, rng: np.random.RandomState
) -> tuple[IntArray, str]:
    """Change labels so that they satisfy all cannot-links.

    Must-link groups with cannot-links are assigned as a whole to the nearest feasible cluster, as in
    :class:`~likewise.clustering.COPKMeans`; the labels of other rows do not change.

    Parameters
    ----------
    Z : (n, d) array
        The embedding in which distances to clusters are computed.
    labels : (n,) ints
        Labels that satisfy all must-links.
    n_clusters : int
    constraints : Constraints
        Constraints without contradictions.
    rng : RandomState

    Returns
    -------
    labels : (n,) ints
        The repaired labels, or the given ones if no feasible labels were found.
    reason : str
        Why none were found; empty if they were.
    """
    closure = constraints.closure()
    penalties = Penalties(cannot_link_graph(closure.between))
    _, first = np.unique(closure.groups, return_index=True)
    group_labels = labels[first]
    if penalties.total(group_labels) == 0:
        return labels, ""
    centers, _ = Points(Z).means(labels, n_clusters)
    groups = Points(Z, closure.groups)
    costs = (groups.weight[:, None] * groups.squared_distances(centers))[penalties.rows].astype(np.float64)
    try:
        if n_clusters == 2:
            repaired = TwoSides(closure, penalties).best(costs)
        else:
            repaired = Placer(closure, penalties, n_clusters, MAX_STEPS).place(costs, rng)
            repaired, _ = penalties.sweep(repaired, costs, np.inf, rng)
    except PlacementError as error:
        return labels, str(error)
    group_labels[penalties.rows] = repaired
    return group_labels[closure.groups], ""
