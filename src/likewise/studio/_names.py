"""Names that stay with rows: after each fit a name goes to the cluster that holds most of its anchors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._arrays import IntArray

N_ANCHORS = 20
"""Rows that carry a name."""

MIN_SHARE = 0.25
"""A cluster that holds a smaller share of the anchors does not get the name."""


@dataclass(frozen=True)
class PlacedNames:
    """Which cluster has which names.

    Attributes
    ----------
    names : list of list of str
        Of each cluster; two where two names met, the one with more anchors first.
    events : list of list of int
        The events that gave them.
    unplaced : list of (int, str)
        Names whose rows are in no cluster, or all over them.
    """

    names: list[list[str]]
    events: list[list[int]]
    unplaced: list[tuple[int, str]]


def place_names(names: Sequence[tuple[int, str, Sequence[int]]], labels: IntArray, n_clusters: int) -> PlacedNames:
    """Give names to clusters, one to one where that is possible.

    Names with the most anchors in a cluster choose first. A name whose cluster is taken goes to the next that holds a
    quarter of its anchors; if there is none, it stands beside the other name.

    Parameters
    ----------
    names : sequence of (event, name, rows)
        Rows that are not there any more are negative.
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
