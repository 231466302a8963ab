"""Claims that follow from other cells.

=========  ============================================================================================
above      share of the comparisons in which the first mean is at least the second
rises      share of the steps along the star, in order of number, in which the mean does not fall
wilcoxon   p-value of "the first is larger", one pair a comparison
gain       mean of 100 · (first − second) / second, per cent
saving     mean of 100 · (second − first) / second, per cent: how much less time
=========  ============================================================================================

Two cells are compared where their stars stand for the same.
"""

from __future__ import annotations

import numpy as np

from likewise.evaluation import Results
from likewise.evaluation.protocols import one_sided_wilcoxon

from .claims import Claim, Claims

ROUNDING = 5e-4
"""Means this close are equal: papers print no more digits."""


def value_of(claim: Claim, results: Results) -> float:
    """What a claim amounts to in these results; NaN where cells are missing."""
    if not claim.how:
        return results.mean(claim.id)
    if claim.how == "rises":
        means = np.array([results.mean(cell) for cell in results.matching(claim.cells[0]).values()])
        means = means[~np.isnan(means)]
        return float(np.mean(np.diff(means) >= -ROUNDING)) if means.size > 1 else float("nan")
    first, second = (_means(pattern, results) for pattern in claim.cells)
    pairs = np.array([(first[star], second[star]) for star in first if star in second]).reshape(-1, 2)
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    if not len(pairs):
        return float("nan")
    a, b = pairs.T
    if claim.how == "above":
        return float(np.mean(a >= b - ROUNDING))
    if claim.how == "wilcoxon":
        return one_sided_wilcoxon(a, b)
    change = 100.0 * (a - b) / np.where(b == 0, np.nan, b)
    return float(np.nanmean(change if claim.how == "gain" else -change))


def with_derived(claims: Claims, results: Results) -> Results:
    """Results, and the values of the claims that follow from them."""
    derived = {claim.id: value_of(claim, results) for claim in claims if claim.how}
    return results.with_values({cell: value for cell, value in derived.items() if not np.isnan(value)})


def _means(pattern: str, results: Results) -> dict[str, float]:
    return {star: results.mean(cell) for star, cell in results.matching(pattern).items()}
