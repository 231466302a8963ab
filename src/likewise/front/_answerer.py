"""How comparisons and preferences are interpreted: whether comparisons imply pairs, and what each answer is worth."""

from __future__ import annotations

import numpy as np

from .._arrays import IntArray
from ..constraints import Comparisons, Constraints
from ._unsupervised import Unsupervised

AS_PAIRS = 0.5
"""Comparisons are read as pairs if less than this share of ties was answered."""

VOTES_SHARE = 0.7
"""Weight of the unsupervised runs in the estimated share of ties; the rest is the share for clusters of equal size."""

PAIRS_OF_PREFERENCE = 1.25
"""Number of pairs that a preference is worth when deciding whether there is enough to learn from."""


def tie_share(near: IntArray, far: IntArray, unsupervised: Unsupervised) -> float:
    """Estimated share of ties: questions whose two pairs are both within a cluster, or both between clusters."""
    left = np.array([labels[near[:, 0]] == labels[near[:, 1]] for labels in unsupervised.labelings])
    right = np.array([labels[far[:, 0]] == labels[far[:, 1]] for labels in unsupervised.labelings])
    seen = float(np.average((left == right).mean(axis=1), weights=unsupervised.weights))
    return VOTES_SHARE * seen + (1 - VOTES_SHARE) * (1 - decided_share(unsupervised.n_clusters))


def decided_share(n_clusters: int) -> float:
    """The share of questions about random rows that are not ties, for clusters of equal size.

    >>> decided_share(2), round(decided_share(10), 2)
    (0.5, 0.18)
    """
    return 2 / n_clusters * (1 - 1 / n_clusters)


def answered_ties(comparisons: Comparisons, unsupervised: Unsupervised) -> float:
    """Estimated share τ of ties that were answered, from 0 to 1.

    A person who decides by clusters leaves ties open (τ = 0). A person who has to answer every question, or decides by
    similarity, answers all of them (τ = 1). With T the share of ties, answered / asked = (1 − T) + τ T.
    """
    if not len(comparisons.unsure):
        return 1.0
    near = np.concatenate([comparisons.near, comparisons.unsure[:, :2]])
    far = np.concatenate([comparisons.far, comparisons.unsure[:, 2:]])
    ties = tie_share(near, far, unsupervised)
    return max(0.0, (len(comparisons) / len(near) - (1 - ties)) / ties)


def are_pairs(comparisons: Comparisons, unsupervised: Unsupervised) -> bool:
    """Whether comparisons imply pairs: the near rows are in one cluster, and the far rows in two."""
    return len(comparisons) > 0 and answered_ties(comparisons, unsupervised) < AS_PAIRS


def worth_in_pairs(constraints: Constraints, n_clusters: int) -> float:
    """How many pairs comparisons and preferences are worth; a comparison is worth its chance of not being a tie."""
    compared = decided_share(n_clusters) * len(constraints.comparisons)
    return compared + PAIRS_OF_PREFERENCE * sum(preference.weight for preference in constraints.preferences)
