"""Comparisons and preferences against the clusterings that did not see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, log_expit

from .._arrays import BoolArray, FloatArray, IntArray
from ..constraints import Comparisons, Preference
from ._folds import N_FOLDS
from ._members import Member, by_family
from ._unsupervised import Unsupervised

COMPARISON_PRIOR = (6.0, 0.0), (3.0, 1.0)
"""What a difference of 1 in the shares of votes, and in resemblance, counts in log odds before any answer is read:
means and standard deviations."""

PREFERENCE_PRIOR = (12.0,), (4.0,)
"""The same of a margin: steep, as somebody who means certain clusters prefers whatever has more of them right. How much
more counts little, so that members gain nothing by siding with all that the better clustering says."""

MAX_DISPUTED = 2_000
"""Pairs on which two clusterings differ that stand for all of them."""


Prior = tuple[tuple[float, ...], tuple[float, ...]]
"""Means and standard deviations of slopes."""


def calibrated_slopes(X: FloatArray, weight: FloatArray, prior: Prior) -> FloatArray:
    """The slopes s that make σ(X s) likely, with a normal prior; the first is not below 0.

    No intercept: a reversed answer has −X.
    """
    mean, precision = np.array(prior[0]), np.array(prior[1]) ** -2

    def likelihood(slopes: FloatArray) -> float:
        return float(weight @ log_expit(X @ slopes) - precision @ np.square(slopes - mean) / 2)

    slopes, value = mean, likelihood(mean)
    for _ in range(50):
        chance = expit(-X @ slopes)
        gradient = X.T @ (weight * chance) - precision * (slopes - mean)
        curvature = X.T @ (X * (weight * chance * (1 - chance))[:, None]) + np.diag(precision)
        step = np.linalg.solve(curvature, gradient)
        if np.abs(step).max() < 1e-9:
            break
        step = step / max(1.0, float(np.abs(step).max()) / 4.0)
        while likelihood(slopes + step) < value and np.abs(step).max() > 1e-9:  # beyond the top of the hill
            step = step / 2
        slopes = slopes + step
        value = likelihood(slopes)
    slopes[0] = max(slopes[0], 0.0)
    return slopes


@dataclass(frozen=True)
class HeldOutComparisons:
    """Comparisons, and what members say of them that did not see them.

    A score is the share of votes for near together less that for far together. A member did not see a comparison if
    its fold holds any of its rows.

    Where clusters do not decide, people may go by resemblance. Members that learned nothing but resemblance must not
    pass for better ones, so it enters the likelihood beside the score.

    Attributes
    ----------
    comparisons : Comparisons
    resemblance : (m,) array
        How much more alike the near rows are than the far ones, before anything is learned.
    """

    comparisons: Comparisons
    resemblance: FloatArray
    prior = COMPARISON_PRIOR

    def covariates(self, scores: FloatArray) -> FloatArray:
        """What the likelihood of an answer depends on."""
        return np.column_stack([scores, self.resemblance])

    @property
    def weight(self) -> FloatArray:
        """How much each counts."""
        return self.comparisons.weight

    @property
    def n_independent(self) -> int:
        """How many things they say: no more than there are rows in them."""
        return min(len(self.comparisons), int(self.comparisons.compared_rows().sum()))

    def scores(self, members: Sequence[Member], folds: IntArray) -> FloatArray:
        """The scores by members, each family counting once."""
        near, far = self.comparisons.near, self.comparisons.far
        touched = folds[np.hstack([near, far])]
        unseen = {fold: (touched == fold).any(axis=1) for fold in {member.fold for member in members}}
        total, n_families = np.zeros(len(near)), np.zeros(len(near))
        for own in by_family(members).values():
            difference, asked = np.zeros(len(near)), np.zeros(len(near))
            for member in own:
                difference += unseen[member.fold] * _difference(member.labels, near, far)
                asked += unseen[member.fold]
            total += np.divide(difference, asked, out=np.zeros(len(near)), where=asked > 0)
            n_families += asked > 0
        return total / np.maximum(n_families, 1)

    def plain_scores(self, unsupervised: Unsupervised) -> FloatArray:
        """The scores by the runs without constraints."""
        near, far = self.comparisons.near, self.comparisons.far
        each = [_difference(labels, near, far) for labels in unsupervised.labelings]
        return np.average(each, axis=0, weights=unsupervised.weights)


def _difference(labels: IntArray, near: IntArray, far: IntArray) -> FloatArray:
    together = [labels[pairs[:, 0]] == labels[pairs[:, 1]] for pairs in (near, far)]
    return together[0].astype(np.float64) - together[1]


@dataclass(frozen=True)
class HeldOutPreferences:
    """Preferences, and what members say of them, on pairs that they did not see.

    Every member sees a preference without the rows of its fold. So each is asked once for each fold: of the pairs that
    the two clusterings dispute and that touch the fold, on how many does the member side with the better one? A score
    is this share less the other.

    Attributes
    ----------
    preferences : tuple of Preference
    pairs : (q, 2) ints
        Disputed pairs.
    same : (q,) bools
        Whether the better clustering has them together.
    number : (q,) ints
        The preference of each.
    folds : (n,) ints
    """

    preferences: tuple[Preference, ...]
    pairs: IntArray
    same: BoolArray
    number: IntArray
    folds: IntArray
    prior = PREFERENCE_PRIOR

    def covariates(self, scores: FloatArray) -> FloatArray:
        """What the likelihood of an answer depends on."""
        return scores[:, None]

    @classmethod
    def of(cls, preferences: tuple[Preference, ...], folds: IntArray, rng: np.random.RandomState) -> HeldOutPreferences:
        """Draw disputed pairs, where they are many."""
        found = [disputed_pairs(preference, rng) for preference in preferences]
        number = np.repeat(np.arange(len(found)), [len(same) for _, same in found])
        pairs, same = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return cls(preferences, pairs, same, number, folds)

    @cached_property
    def _touches(self) -> BoolArray:
        """Which pairs touch the rows of each fold, a line a fold."""
        return np.array([(self.folds[self.pairs] == fold).any(axis=1) for fold in range(N_FOLDS)])

    @cached_property
    def _counts(self) -> FloatArray:
        """Pairs of each preference that touch each fold."""
        return np.array([np.bincount(self.number, touches, len(self.preferences)) for touches in self._touches])

    @property
    def weight(self) -> FloatArray:
        """How much each preference counts for each fold."""
        weights = np.array([preference.weight for preference in self.preferences])
        return np.where(self._counts > 0, weights / N_FOLDS, 0.0).ravel()

    @property
    def n_independent(self) -> int:
        """How many things they say: as many as they count for, but no more than they are asked about."""
        counts = [min(max(preference.weight, 1.0), N_FOLDS) for preference in self.preferences]
        return round(sum(counts))

    def scores(self, members: Sequence[Member], folds: IntArray) -> FloatArray:
        """The scores by members, each family counting once; 0 where no member was asked."""
        total, n_families = np.zeros_like(self._counts), np.zeros(N_FOLDS)
        for own in by_family(members).values():
            for fold in range(N_FOLDS):
                labelings = [member.labels for member in own if member.fold == fold]
                if labelings:
                    total[fold] += np.mean([self._margins(labels, fold) for labels in labelings], axis=0)
                    n_families[fold] += 1
        return (total / np.maximum(n_families, 1)[:, None]).ravel()

    def plain_scores(self, unsupervised: Unsupervised) -> FloatArray:
        """The scores by the runs without constraints, on the same pairs."""
        each = [
            np.concatenate([self._margins(labels, fold) for fold in range(N_FOLDS)])
            for labels in unsupervised.labelings
        ]
        return np.average(each, axis=0, weights=unsupervised.weights)

    def _margins(self, labels: IntArray, fold: int) -> FloatArray:
        """Of the disputed pairs that touch a fold, the share on which labels side with better less that with worse."""
        agrees = (labels[self.pairs[:, 0]] == labels[self.pairs[:, 1]]) == self.same
        right = np.bincount(self.number, agrees & self._touches[fold], len(self.preferences))
        return 2 * np.divide(right, self._counts[fold], out=np.full_like(right, 0.5), where=self._counts[fold] > 0) - 1


HeldOut = HeldOutComparisons | HeldOutPreferences


def log_odds(held_out: HeldOut, scores: FloatArray) -> FloatArray:
    """The log odds of each answer, by its score."""
    X = held_out.covariates(scores)
    return X @ calibrated_slopes(X, held_out.weight, held_out.prior)


def log_likelihoods(held_out: HeldOut, scores: FloatArray) -> FloatArray:
    """The log-likelihood of each answer, by its score."""
    return log_expit(log_odds(held_out, scores))


def resemblance(F: FloatArray, comparisons: Comparisons) -> FloatArray:
    """How much nearer the near rows of each comparison are than the far ones, in units of how much that varies."""
    near, far = (F[pairs[:, 0]] - F[pairs[:, 1]] for pairs in (comparisons.near, comparisons.far))
    difference = np.linalg.norm(far, axis=1).astype(np.float64) - np.linalg.norm(near, axis=1)
    size = float(np.sqrt(np.mean(np.square(difference)))) if len(difference) else 0.0
    return difference / size if size > 0 else difference


def tie_odds(held_out: HeldOutComparisons, unsupervised: Unsupervised) -> FloatArray:
    """The log odds of each answer if clusters do not decide: by resemblance, as far as answers go by it."""
    X = held_out.covariates(held_out.plain_scores(unsupervised))
    return X[:, 1] * calibrated_slopes(X, held_out.weight, held_out.prior)[1]


def disputed_pairs(preference: Preference, rng: np.random.RandomState) -> tuple[IntArray, BoolArray]:
    """Pairs that only one of the two clusterings has together, and whether that is the better one; a sample of many.

    Where all of them are of one kind, as for requests to split or to merge, as many pairs of the other kind join them
    on which the two agree. Else members that put all rows together, or none, would side with the better one.
    """
    rows = np.flatnonzero(preference.shown())
    if len(rows) * (len(rows) - 1) // 2 <= 10 * MAX_DISPUTED:
        left, right = (rows[places] for places in np.triu_indices(len(rows), 1))
    else:
        left = rng.choice(rows, 20 * MAX_DISPUTED)
        right = rng.choice(rows, 20 * MAX_DISPUTED)
    better, worse = (codes[left] == codes[right] for codes in (preference.better, preference.worse))
    real = left != right
    chosen = _some(np.flatnonzero((better != worse) & real), MAX_DISPUTED, rng)
    if len(chosen) and better[chosen].all():
        chosen = np.concatenate([chosen, _some(np.flatnonzero(~better & ~worse & real), len(chosen), rng)])
    elif not better[chosen].any():
        chosen = np.concatenate([chosen, _some(np.flatnonzero(better & worse & real), len(chosen), rng)])
    return np.column_stack([left[chosen], right[chosen]]), better[chosen]


def _some(numbers: IntArray, most: int, rng: np.random.RandomState) -> IntArray:
    return numbers if len(numbers) <= most else np.sort(rng.choice(numbers, most, replace=False))
