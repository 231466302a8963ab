"""Certainty of each row's cluster, and its second most likely cluster, by the votes of the ensemble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import BoolArray, FloatArray, IntArray
from ..constraints import Constraints
from ._evidence import member_weights, shared_rows
from ._members import Member

DOUBTFUL = 0.7
"""Rows with a lower certainty are in doubt."""


class Assignment(NamedTuple):
    """Clusters of rows, with their certainty.

    Attributes
    ----------
    labels : (m,) ints
        The cluster of each row.
    second_labels : (m,) ints
        The second most likely cluster of each row; −1 if all votes are for the first.
    certainty : (m,) array
        The share of votes for the cluster of each row, from 0 to 1.
    """

    labels: NDArray[np.int32]
    second_labels: NDArray[np.int32]
    certainty: FloatArray


def membership(
    members: Sequence[Member], weights: Mapping[str, float], labels: IntArray, n_clusters: int
) -> FloatArray:
    """The share of votes for each cluster, for each row; the shares of a row add up to 1.

    The vote of a member for a row is the distribution of ``labels`` within the member's cluster that contains the row:
    if 90 of its 100 rows are in cluster 2 and 10 in cluster 5, the vote is 0.9 for cluster 2 and 0.1 for cluster 5.
    Votes are weighted by family. A vote for the largest of these clusters only separates correctly from incorrectly
    clustered rows less well.

    Parameters
    ----------
    members : sequence of Member
    weights : mapping of str to float
        The weight of each family.
    labels : (n,) ints
        The clusters of the result.
    n_clusters : int

    Returns
    -------
    (n, n_clusters) array

    Examples
    --------
    >>> members = [Member("a", np.array([0, 0, 1, 1]), -1), Member("a", np.array([1, 1, 1, 0]), -1)]
    >>> membership(members, {"a": 1.0}, np.array([0, 0, 1, 1]), 2).round(2).tolist()
    [[0.83, 0.17], [0.83, 0.17], [0.33, 0.67], [0.0, 1.0]]
    """
    shares = np.zeros((len(labels), n_clusters))
    amounts = member_weights(members, weights)
    for member, amount in zip(members, amounts / amounts.sum(), strict=True):
        if amount > 0:
            shared = np.zeros((int(member.labels.max()) + 1, n_clusters))
            counts = shared_rows(member.labels, labels)
            shared[:, : counts.shape[1]] = counts
            sizes = np.maximum(shared.sum(axis=1, keepdims=True), 1)
            shares += (amount * shared / sizes)[member.labels]
    return shares / shares.sum(axis=1, keepdims=True)  # exactly 1 where all members agree


def assign(shares: FloatArray, labels: NDArray[np.integer]) -> Assignment:
    """The certainty of each row's cluster, and its second most likely cluster.

    Parameters
    ----------
    shares : (m, k) array
        The share of votes for each cluster.
    labels : (m,) ints
        The cluster of each row.

    Examples
    --------
    >>> found = assign(np.array([[0.8, 0.2, 0.0], [0.0, 0.0, 1.0]]), np.array([0, 2]))
    >>> found.second_labels.tolist(), found.certainty.tolist()
    ([1, -1], [0.8, 1.0])
    """
    rows = np.arange(len(labels))
    certainty = np.clip(shares[rows, labels], 0.0, 1.0)
    others = shares.copy()
    others[rows, labels] = 0.0
    second = np.where(others.max(axis=1) > 0, others.argmax(axis=1), -1)
    return Assignment(labels.astype(np.int32, copy=False), second.astype(np.int32), certainty)


def labeled_rows(constraints: Constraints) -> BoolArray:
    """Mask of the rows that have a label.

    >>> labeled_rows(Constraints.from_labels(["a", None, "b"])).tolist()
    [True, False, True]
    """
    mask = np.zeros(constraints.n_samples, dtype=np.bool_)
    for partition in constraints.partitions:
        if partition.is_labels:
            mask |= partition.codes >= 0
    return mask
