"""Names of clusters: after each fit, a name is assigned to the cluster with most of its anchor rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._arrays import IntArray

N_ANCHORS = 20
"""Number of anchor rows of a name."""

MIN_SHARE = 0.25
"""Minimum fraction of the anchors that a cluster must contain to get the name."""


@dataclass(frozen=True)
class PlacedNames:
    """The names of each cluster.

    Attributes
    ----------
    names : list of list of str
        The names of each cluster; if there are several, the one with most anchors first.
    events : list of list of int
        The events in which they were given.
    unplaced : list of (int, str)
        Names whose rows no longer exist or are spread over many clusters.
    """

    names: list[list[str]]
    events: list[list[int]]
    unplaced: list[tuple[int, str]]


def place_names(names: Sequence[tuple[int, str, Sequence[int]]], labels: IntArray, n_clusters: int) -> PlacedNames:
    """Assign names to clusters, one to one where possible.

    Names are assigned in decreasing order of the fraction of their anchors in a cluster. A name whose cluster is taken
    is assigned to the next cluster with a quarter of its anchors; if there is none, both names share the cluster.

    Parameters
    ----------
    names : sequence of (event, name, rows)
        Rows that no longer exist are negative.
    labels : (n,) ints
    n_clusters : int

    Examples
    --------
    >>> labels = np.array([0, 0, 0, 1, 1])
    >>> place_names([(1, "cats", [0, 1]), (2, "dogs", [3, 4]), (3, "lions", [2])], labels, 2).names
    [['cats', 'lions'], ['dogs']]
    """
    counts = np.zeros((len(names), max(n_clusters, 1)))
    for place, (_, _, rows) in enumerate(names):
        there = labels[[row for row in rows if row >= 0]]
        there = there[there >= 0]
        if len(there):
            counts[place] = np.bincount(there, minlength=counts.shape[1])[: counts.shape[1]] / len(there)
    found: list[list[tuple[float, int]]] = [[] for _ in range(n_clusters)]
    left = [place for place in range(len(names)) if n_clusters and counts[place].max() >= MIN_SHARE]
    unplaced = [place for place in range(len(names)) if place not in left]
    open_counts = counts.copy()
    waiting = set(left)
    while waiting:
        place = max(waiting, key=lambda each: (open_counts[each].max(), len(names[each][2]), -each))
        cluster = int(open_counts[place].argmax())
        if open_counts[place, cluster] < MIN_SHARE:
            break
        found[cluster].append((counts[place, cluster], place))
        waiting.remove(place)
        open_counts[:, cluster] = 0.0
    for place in sorted(waiting):
        cluster = int(counts[place].argmax())
        found[cluster].append((counts[place, cluster], place))
    return PlacedNames(
        [[names[place][1] for _, place in each] for each in found],
        [[names[place][0] for _, place in each] for each in found],
        [(names[place][0], names[place][1]) for place in unplaced],
    )
