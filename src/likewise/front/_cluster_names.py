"""Naming clusters after the labels of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._arrays import BoolArray, IntArray
from ..constraints import Constraints


@dataclass(frozen=True)
class ClusterName:
    """The name of a cluster, and the label it comes from.

    Attributes
    ----------
    name : str
        Unique among all clusters.
    label : str or None
        The label that the cluster is named after; None if none of its rows is labeled.
    known, known_in_all : int
        Number of rows with this label, in the cluster and in total.
    """

    name: str
    label: str | None = None
    known: int = 0
    known_in_all: int = 0


def label_counts(constraints: Constraints, labels: IntArray, n_clusters: int) -> tuple[list[str], IntArray]:
    """The names of the labels, and the number of rows with each label in each cluster.

    Labels are partitions into named blocks, with must-links within blocks and cannot-links between them. Labels of the
    same name in several partitions are counted together.
    """
    column: dict[str, int] = {}
    counts = np.zeros((n_clusters, 0), dtype=np.int64)
    for partition in constraints.partitions:
        if partition.is_labels and partition.names is not None:
            places = np.array([column.setdefault(name, len(column)) for name in partition.names])
            counts = np.pad(counts, ((0, 0), (0, len(column) - counts.shape[1])))
            known = np.flatnonzero(partition.codes >= 0)
            np.add.at(counts, (labels[known], places[partition.codes[known]]), 1)
    return list(column), counts


def name_clusters(constraints: Constraints, labels: IntArray, n_clusters: int) -> tuple[ClusterName, ...]:
    """Name each cluster after the most frequent label of its rows, or by its number if none of its rows is labeled.

    Ties between labels are broken by the share of the label's rows that are in the cluster, then by order. If several
    clusters have the same label, the one with most rows of it (in a tie, the larger one) is named after the label, and
    the others "CLL (2)", "CLL (3)", …

    Parameters
    ----------
    constraints : Constraints
    labels : (n,) ints
        The cluster of each row.
    n_clusters : int

    Examples
    --------
    >>> known = Constraints.from_labels(["CLL", "CLL", "FL", None, None, "CLL", None])
    >>> [cluster.name for cluster in name_clusters(known, np.array([1, 1, 0, 0, 2, 3, 3]), 4)]
    ['FL', 'CLL', '2', 'CLL (2)']
    """
    names, counts = label_counts(constraints, labels, n_clusters)
    total = counts.sum(axis=0)
    sizes = np.bincount(labels, minlength=n_clusters)
    chosen: dict[int, int] = {}
    for cluster in np.flatnonzero(counts.any(axis=1)).tolist():
        here = counts[cluster]
        chosen[cluster] = int(np.lexsort([-here / total, -here])[0])
    found: dict[int, str] = {}
    taken = {names[label] for label in chosen.values()}
    for label in range(len(names)):
        own = [cluster for cluster, its in chosen.items() if its == label]
        own.sort(key=lambda cluster: (-counts[cluster, label], -sizes[cluster], cluster))
        for place, cluster in enumerate(own):
            found[cluster] = names[label] if place == 0 else _free(f"{names[label]} (", place + 1, ")", taken)
    for cluster in range(n_clusters):
        if cluster not in found:
            number = str(cluster)
            found[cluster] = number if number not in taken else _free("new ", cluster, "", taken)
            taken.add(found[cluster])
    return tuple(
        ClusterName(found[cluster], names[label], int(counts[cluster, label]), int(total[label]))
        if (label := chosen.get(cluster, -1)) >= 0
        else ClusterName(found[cluster])
        for cluster in range(n_clusters)
    )


def rows_of_their_label(constraints: Constraints, labels: IntArray, names: Sequence[ClusterName]) -> BoolArray:
    """Mask of the labeled rows whose cluster is named after their label.

    >>> known = Constraints.from_labels(["CLL", "CLL", "FL", None])
    >>> labels = np.array([0, 0, 0, 1])
    >>> rows_of_their_label(known, labels, name_clusters(known, labels, 2)).tolist()
    [True, True, False, False]
    """
    mask = np.zeros(len(labels), dtype=np.bool_)
    of_cluster = np.array([cluster.label or "" for cluster in names])
    for partition in constraints.partitions:
        if partition.is_labels and partition.names is not None:
            of_row = np.array([*partition.names, "-"])[partition.codes]
            mask |= (partition.codes >= 0) & (of_row == of_cluster[labels])
    return mask


def _free(before: str, number: int, after: str, taken: set[str]) -> str:
    """The first numbered name that is not taken, starting with ``number``; it is added to ``taken``."""
    while (name := f"{before}{number}{after}") in taken:
        number += 1
    taken.add(name)
    return name
