"""Advice on what to do next if the constraints have little weight."""

from __future__ import annotations

import numpy as np

from ..constraints import Constraints
from ..constraints._format import pluralize
from ._answerer import worth_in_pairs
from ._certainty import labeled_rows
from ._consensus import MIN_CONSTRAINTS, Consensus, count_constraints
from ._evidence import GAIN_ERRORS, MIN_GAIN

AGREEING = 0.9
"""If the unsupervised result satisfies this share of the constraints, there is little to learn from them."""

MIN_LABELS = 8
"""Number of labels that imply enough pairs to learn from: 28 pairs, at least ``MIN_CONSTRAINTS``."""

MOSTLY = 0.8
"""A sufficient weight of answers to chosen questions about pairs, whose weight approaches 1 without reaching it."""

MAX_FACTOR = 4.0
"""No number is advised beyond this multiple of the given constraints, since the extrapolation is too uncertain."""


def advice(consensus: Consensus, constraints: Constraints, kept_without: float) -> str:
    """Advice on what to do next, such as how many more constraints are probably needed.

    The gain on m held-out constraints grows with m, and its standard error with √m. So a ratio of the two that is z
    times larger takes z² times as many constraints.

    Parameters
    ----------
    consensus : Consensus
    constraints : Constraints
        The constraints as given, in which labels are counted as labels.
    kept_without : float
        The share of the constraints that the unsupervised result satisfies.

    Returns
    -------
    str
        Empty if the constraints have enough weight.
    """
    labeled = int(labeled_rows(constraints).sum())
    others = len(constraints.comparisons) + len(constraints.preferences)
    count, unit = (labeled, "label") if labeled else (count_constraints(constraints) + others, "hint")
    if not constraints.groups().any():
        return "the hints join all rows into one group: check where they come from, or add pairs of rows that differ"
    if consensus.fallback:
        worth = worth_in_pairs(consensus.stated, consensus.evidence.n_clusters)
        known = max(count_constraints(consensus.stated), len(consensus.evidence.statements))
        missing = MIN_CONSTRAINTS - known - worth
        if missing <= 0:
            return "allow more time (budget_s), so that clusterings can learn from the hints"
        if others:
            return f"give {pluralize(int(np.ceil(missing)), 'more pair')}, or other hints worth as many"
        if labeled:
            more = pluralize(MIN_LABELS - count, "more label")
            return f"give {more}: with {MIN_LABELS} or more, clusterings learn from them for all rows"
        more = pluralize(int(np.ceil(missing)), "more hint")
        least = f"{MIN_CONSTRAINTS}, counting pairs that follow from them"
        return f"give up to {more}: {least}, are enough to learn for all rows"
    evidence = consensus.evidence
    if consensus.constraint_weight >= (MOSTLY if evidence.chosen else 1):
        return ""
    if kept_without >= AGREEING:
        return (
            f"nothing needs to be done: without hints, clusters would keep {kept_without:.0%} of them, too; hints "
            "about rows in doubt would add more"
        )
    if evidence.coverage < 1 and evidence.z > GAIN_ERRORS:
        return (
            f"give more {unit}s about each cluster, such as two pairs of rows that belong together: some have too few"
        )
    if evidence.chosen:
        found, enough = evidence.advantage, -evidence.scale * np.log1p(-MOSTLY)
    else:
        found, enough = evidence.z, GAIN_ERRORS + MIN_GAIN / max(evidence.error, MIN_GAIN)
    factor = (enough / found) ** 2 if found > 0 else np.inf
    if factor > MAX_FACTOR:
        return (
            "the hints do not match the structure of the data, or they are too few to tell: check the most doubtful "
            f"of them, or give at least {_rounded(count):,} more {unit}s"
        )
    return f"give about {_rounded((factor - 1) * count):,} more {unit}s"


def _rounded(number: float) -> int:
    """Round an estimated number up to a multiple of five."""
    return max(5 * int(np.ceil(number / 5)), 5)
