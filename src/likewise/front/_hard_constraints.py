"""Constraints that must hold: the nearest labels that keep every one of them."""

from __future__ import annotations

import numpy as np

from .._arrays import FloatArray, IntArray
from ..clustering.kmeans._coloring import PlacementError, Placer, TwoSides
from ..clustering.kmeans._penalties import Penalties
from ..clustering.kmeans._points import Points
from ..constraints import Constraints
from ..graphs import cannot_link_graph

MAX_STEPS = 10_000
"""How many times the search for labels may step back, in each set of groups that cannot-links connect."""


def repair_labels(
    Z: FloatArray, labels: IntArray, n_clusters: int, constraints: Constraints, rng: np.random.RandomState
) -> tuple[IntArray, str]:
    """Labels that keep all cannot-links, and ""; or the labels as they are, and why none that do were found.

    Must-link groups move as one, each to the nearest cluster that is allowed, as in
    :class:`~likewise.clustering.COPKMeans`; rows without a cannot-link stay where they are.

    Parameters
    ----------
    Z : (n, d) array
        Where rows lie.
    labels : (n,) ints
        They keep all must-links.
    n_clusters : int
    constraints : Constraints
        Without contradictions.
    rng : RandomState
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
