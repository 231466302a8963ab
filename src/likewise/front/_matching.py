"""Clusters of two labelings that are the same by another name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from ._members import Member

Array = np.ndarray


def shared(labels: Array, others: Array) -> Array:
    """How many rows each cluster of one labeling shares with each of another."""
    shape = int(labels.max()) + 1, int(others.max()) + 1
    return np.bincount(labels * shape[1] + others, minlength=shape[0] * shape[1]).reshape(shape)


def renamed(labels: Array, others: Array) -> Array:
    """The same clusters, named after those of ``others`` that they share most rows with, one to one.

    >>> renamed(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1])).tolist()
    [1, 1, 0, 0]
    """
    counts = shared(labels, others)
    size = max(counts.shape)
    square = np.zeros((size, size), dtype=np.int64)
    square[: counts.shape[0], : counts.shape[1]] = counts
    _, names = linear_sum_assignment(square, maximize=True)
    return names[labels]


def agreed(members: Sequence[Member], labels: Array) -> Array:
    """Which rows each member puts where ``labels`` do, a line of bools a member.

    A cluster of a member stands for the one of ``labels`` that most of its rows are in.
    """
    stands_for = (shared(member.labels, labels).argmax(axis=1)[member.labels] for member in members)
    return np.array([meant == labels for meant in stands_for])


def agreement(members: Sequence[Member], alike: Array) -> Array:
    """For each row, the share of members that put it where labels do (:func:`agreed`), each family counting once."""
    weight = family_weights(members)
    return weight @ alike / weight.sum()


def family_weights(members: Sequence[Member], voices: Mapping[str, float] | None = None) -> Array:
    """Weights under which every family counts once, or as much as its voice."""
    families = [member.family for member in members]
    return np.array([(1.0 if voices is None else voices[family]) / families.count(family) for family in families])
