"""What to do next where constraints count little."""

from __future__ import annotations

import numpy as np

from ..constraints import Constraints
from ..constraints._format import pluralize
from ._answerer import worth_in_pairs
from ._certainty import labeled_rows
from ._consensus import MIN_CONSTRAINTS, Consensus, count_constraints

ENOUGH = 2.0
"""The gain in standard errors from which constraints count enough, 84 % and more."""

AGREEING = 0.9
"""Constraints of which the unsupervised result keeps so many teach little."""

MIN_LABELS = 8
"""So many labels imply as many pairs as clusterings need to learn from: 28."""

MAX_FACTOR = 4.0
"""No advice for more than so many times the constraints that there are: what is extrapolated so far means little."""


def advice(consensus: Consensus, constraints: Constraints, kept_without: float) -> str:
    """How many more constraints are likely needed until they count.

    The gain on held-out constraints grows with their number m, its standard error with √m: z times larger takes z²
    times as many.

    Parameters
    ----------
    consensus : Consensus
    constraints : Constraints
        As given: labels are counted as labels.
    kept_without : float
        The share of the constraints that the unsupervised result keeps.

    Returns
    -------
    str
        Empty where constraints count enough.
    """
    labeled = int(labeled_rows(constraints).sum())
    others = len(constraints.comparisons) + len(constraints.preferences)
    count, unit = (labeled, "label") if labeled else (count_constraints(constraints) + others, "hint")
    if not constraints.groups().any():
        return "the hints join all rows into one group: check where they come from, or add some of rows that differ"
    if consensus.fallback:
        worth = worth_in_pairs(consensus.stated, consensus.evidence.n_clusters)
        missing = MIN_CONSTRAINTS - count_constraints(consensus.stated) - worth
        if missing <= 0:
            return "allow more time (budget_s), so that clusterings can learn from the hints"
        if others:
            return f"give {pluralize(int(np.ceil(missing)), 'more pair')}, or other hints that say as much"
        least = MIN_LABELS if labeled else MIN_CONSTRAINTS
        return f"give {pluralize(least - count, f'more {unit}')}: from {least} on, other rows learn from them"
    evidence = consensus.evidence
    if evidence.coverage == 1 and evidence.z >= ENOUGH:
        return ""
    if kept_without >= AGREEING:
        return (
            f"nothing needs to be done: clusters without hints keep {kept_without:.0%} of the hints, so that these "
            "teach little; hints about rows in doubt would teach more"
        )
    if evidence.z >= ENOUGH:
        return (
            f"give more {unit}s of each cluster, such as two pairs of rows that are the same: they tell little of some"
        )
    factor = (ENOUGH / evidence.z) ** 2 if evidence.z > 0 else np.inf
    if factor > MAX_FACTOR:
        return (
            "what these hints say is not what sets the rows apart, or they are too few to tell: check the most "
            f"doubtful of them, or give at least {_rounded(count):,} more {unit}s"
        )
    return f"give about {_rounded((factor - 1) * count):,} more {unit}s"


def _rounded(number: float) -> int:
    """Up to a multiple of five: it is an estimate."""
    return max(5 * int(np.ceil(number / 5)), 5)
