"""Hints that are rules: the nearest labeling to an answer that keeps every one of them."""

from __future__ import annotations

import numpy as np

from ..clustering.kmeans._coloring import PlacementError, Placer, TwoSides
from ..clustering.kmeans._penalties import Penalties
from ..clustering.kmeans._points import Points
from ..constraints import Constraints
from ..graphs import cannot_link_graph

Array = np.ndarray

MOST_STEPS = 10_000
"""How many times the search for a labeling may step back, in each set of groups that cannot-links connect."""


def kept_apart(
    Z: Array, labels: Array, n_clusters: int, hints: Constraints, rng: np.random.RandomState
) -> tuple[Array, str]:
    """Labels that keep all cannot-links, and nothing; or the same labels as before, and why none that do were found.

    Must-link groups move as one, each to the nearest cluster that is allowed, as in
    :class:`~likewise.clustering.COPKMeans`; rows that no cannot-link speaks of stay where they are.

    Parameters
    ----------
    Z : (n, d) array
        Where rows lie.
    labels : (n,) ints
        They keep all must-links.
    n_clusters : int
    hints : Constraints
        Without contradictions.
    rng : RandomState
    """
    closure = hints.closure()
    apart = Penalties(cannot_link_graph(closure.between))
    _, first = np.unique(closure.groups, return_index=True)
    placed = labels[first]
    if apart.total(placed) == 0:
        return labels, ""
    centers, _ = Points(Z).means(labels, n_clusters)
    groups = Points(Z, closure.groups)
    costs = (groups.weight[:, None] * groups.squared_distances(centers))[apart.rows].astype(np.float64)
    try:
        if n_clusters == 2:
            told = TwoSides(closure, apart).best(costs)
        else:
            told = Placer(closure, apart, n_clusters, MOST_STEPS).place(costs, rng)
            told, _ = apart.sweep(told, costs, np.inf, rng)
    except PlacementError as error:
        return labels, str(error)
    placed[apart.rows] = told
    return placed[closure.groups], ""
