"""What comparisons and preferences say of clusters: which kind of person answered, and how much an answer counts."""

from __future__ import annotations

import numpy as np

from .._arrays import IntArray
from ..constraints import Comparisons, Constraints
from ._unsupervised import Unsupervised

AS_PAIRS = 0.5
"""Comparisons are read as pairs if a smaller share of the questions that clusters do not decide was answered."""

VOTES_SHARE = 0.7
"""How much the runs without constraints count in the share of such questions; the rest is what even clusters imply."""

PAIRS_OF_PREFERENCE = 1.25
"""Pairs that a preference counts as where the question is whether there is enough to learn from."""


def tie_share(near: IntArray, far: IntArray, unsupervised: Unsupervised) -> float:
    """The share of questions that clusters do not decide: both pairs are in one cluster, or neither is."""
    left = np.array([labels[near[:, 0]] == labels[near[:, 1]] for labels in unsupervised.labelings])
    right = np.array([labels[far[:, 0]] == labels[far[:, 1]] for labels in unsupervised.labelings])
    seen = float(np.average((left == right).mean(axis=1), weights=unsupervised.weights))
    return VOTES_SHARE * seen + (1 - VOTES_SHARE) * (1 - decided_share(unsupervised.n_clusters))


def decided_share(n_clusters: int) -> float:
    """The share of questions about random rows that even clusters decide.

    >>> decided_share(2), round(decided_share(10), 2)
    (0.5, 0.18)
    """
    return 2 / n_clusters * (1 - 1 / n_clusters)


def answered_ties(comparisons: Comparisons, unsupervised: Unsupervised) -> float:
    """The share τ of the questions that clusters do not decide which were answered all the same, from 0 to 1.

    Somebody who thinks of clusters leaves these open (0); somebody who must answer, or goes by resemblance, answers all
    of them (1). With T the share of such questions, answered / asked = (1 − T) + τ T.
    """
    if not len(comparisons.unsure):
        return 1.0
    near = np.concatenate([comparisons.near, comparisons.unsure[:, :2]])
    far = np.concatenate([comparisons.far, comparisons.unsure[:, 2:]])
    ties = tie_share(near, far, unsupervised)
    return max(0.0, (len(comparisons) / len(near) - (1 - ties)) / ties)


def are_pairs(comparisons: Comparisons, unsupervised: Unsupervised) -> bool:
    """Whether comparisons are as good as pairs: near the same cluster, far another."""
    return len(comparisons) > 0 and answered_ties(comparisons, unsupervised) < AS_PAIRS


def worth_in_pairs(constraints: Constraints, n_clusters: int) -> float:
    """How many pairs comparisons and preferences count as; a forced comparison as its chance to say anything."""
    compared = decided_share(n_clusters) * len(constraints.comparisons)
    return compared + PAIRS_OF_PREFERENCE * sum(preference.weight for preference in constraints.preferences)
