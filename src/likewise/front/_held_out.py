"""Held-out comparisons and preferences: their scores and likelihoods under members that were not trained on them."""

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
"""Prior means and standard deviations of the slopes of log-odds on the score and on the similarity of a comparison."""

PREFERENCE_PRIOR = (12.0,), (4.0,)
"""Prior mean and standard deviation of the slope of log-odds on the score of a preference.

It is steep, since the better clustering is preferred even if it is better by little. So a member gains little by
agreeing with all pairs of the better clustering instead of most of them.
"""

MAX_DISPUTED = 2_000
"""Maximum number of disputed pairs of a preference; of more, a sample is drawn."""


Prior = tuple[tuple[float, ...], tuple[float, ...]]
"""Means and standard deviations of slopes."""


def calibrated_slopes(X: FloatArray, weight: FloatArray, prior: Prior) -> FloatArray:
    """Slopes of a logistic regression, with a normal prior; the first is at least 0.

    All answers are coded as positive: a reversed answer has the covariates −X. So there is no intercept.
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
        while likelihood(slopes + step) < value and np.abs(step).max() > 1e-9:  # the step overshoots the maximum
            step = step / 2
        slopes = slopes + step
        value = likelihood(slopes)
    slopes[0] = max(slopes[0], 0.0)
    return slopes


@dataclass(frozen=True)
class HeldOutComparisons:
    """Comparisons, scored by held-out members.

    The score of a comparison is the share of votes that the near rows belong together, minus the share of votes that
    the far rows do. A member is held out for a comparison if its fold contains any of the four rows.

    People may answer ties by the similarity of rows. So that members that learned only the similarity do not appear
    better than others, it is a covariate of the likelihood as well.

    Attributes
    ----------
    comparisons : Comparisons
    resemblance : (m,) array
        How much more similar the near rows are than the far rows, in features before learning.
    """

    comparisons: Comparisons
    resemblance: FloatArray
    prior = COMPARISON_PRIOR

    def covariates(self, scores: FloatArray) -> FloatArray:
        """The covariates of the likelihood of each answer."""
        return np.column_stack([scores, self.resemblance])

    @property
    def weight(self) -> FloatArray:
        """The weight of each comparison."""
        return self.comparisons.weight

    @property
    def n_independent(self) -> int:
        """The number of independent comparisons: at most the number of rows in them."""
        return min(len(self.comparisons), int(self.comparisons.compared_rows().sum()))

    def scores(self, members: Sequence[Member], folds: IntArray) -> FloatArray:
        """The scores by held-out members, averaged over families."""
        near, far = self.comparisons.near, self.comparisons.far
        folds_of = folds[np.hstack([near, far])]
        held_out = {fold: (folds_of == fold).any(axis=1) for fold in {member.fold for member in members}}
        total, n_families = np.zeros(len(near)), np.zeros(len(near))
        for own in by_family(members).values():
            difference, n_votes = np.zeros(len(near)), np.zeros(len(near))
            for member in own:
                difference += held_out[member.fold] * _difference(member.labels, near, far)
                n_votes += held_out[member.fold]
            total += np.divide(difference, n_votes, out=np.zeros(len(near)), where=n_votes > 0)
            n_families += n_votes > 0
        return total / np.maximum(n_families, 1)

    def plain_scores(self, unsupervised: Unsupervised) -> FloatArray:
        """The scores by the unsupervised runs."""
        near, far = self.comparisons.near, self.comparisons.far
        each = [_difference(labels, near, far) for labels in unsupervised.labelings]
        return np.average(each, axis=0, weights=unsupervised.weights)


def _difference(labels: IntArray, near: IntArray, far: IntArray) -> FloatArray:
    together = [labels[pairs[:, 0]] == labels[pairs[:, 1]] for pairs in (near, far)]
    return together[0].astype(np.float64) - together[1]


@dataclass(frozen=True)
class HeldOutPreferences:
    """Preferences, scored by members on held-out pairs.

    Each member is trained on preferences without the rows of its fold. So every preference has a score for each fold:
    among the disputed pairs (those on which the two clusterings differ) with a row in the fold, the share on which the
    members of the fold agree with the better clustering, minus the share on which they agree with the worse.

    Attributes
    ----------
    preferences : tuple of Preference
    pairs : (q, 2) ints
        Disputed pairs.
    same : (q,) bools
        Whether the rows of each pair share a cluster in the better clustering.
    number : (q,) ints
        The index of the preference of each pair.
    folds : (n,) ints
    """

    preferences: tuple[Preference, ...]
    pairs: IntArray
    same: BoolArray
    number: IntArray
    folds: IntArray
    prior = PREFERENCE_PRIOR

    def covariates(self, scores: FloatArray) -> FloatArray:
        """The covariates of the likelihood of each answer."""
        return scores[:, None]

    @classmethod
    def of(cls, preferences: tuple[Preference, ...], folds: IntArray, rng: np.random.RandomState) -> HeldOutPreferences:
        """Collect the disputed pairs of each preference, or a sample of them."""
        found = [disputed_pairs(preference, rng) for preference in preferences]
        number = np.repeat(np.arange(len(found)), [len(same) for _, same in found])
        pairs, same = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return cls(preferences, pairs, same, number, folds)

    @cached_property
    def _touches(self) -> BoolArray:
        """For each fold, a mask of the pairs with a row in the fold."""
        return np.array([(self.folds[self.pairs] == fold).any(axis=1) for fold in range(N_FOLDS)])

    @cached_property
    def _counts(self) -> FloatArray:
        """The number of pairs of each preference with a row in each fold."""
        return np.array([np.bincount(self.number, touches, len(self.preferences)) for touches in self._touches])

    @property
    def weight(self) -> FloatArray:
        """The weight of each preference in each fold."""
        weights = np.array([preference.weight for preference in self.preferences])
        return np.where(self._counts > 0, weights / N_FOLDS, 0.0).ravel()

    @property
    def n_independent(self) -> int:
        """The number of independent answers: the weight of each preference, from 1 to the number of folds."""
        counts = [min(max(preference.weight, 1.0), N_FOLDS) for preference in self.preferences]
        return round(sum(counts))

    def scores(self, members: Sequence[Member], folds: IntArray) -> FloatArray:
        """The scores by held-out members, averaged over families; 0 if there are none."""
        total, n_families = np.zeros_like(self._counts), np.zeros(N_FOLDS)
        for own in by_family(members).values():
            for fold in range(N_FOLDS):
                labelings = [member.labels for member in own if member.fold == fold]
                if labelings:
                    total[fold] += np.mean([self._margins(labels, fold) for labels in labelings], axis=0)
                    n_families[fold] += 1
        return (total / np.maximum(n_families, 1)[:, None]).ravel()

    def plain_scores(self, unsupervised: Unsupervised) -> FloatArray:
        """The scores by the unsupervised runs, on the same pairs."""
        each = [
            np.concatenate([self._margins(labels, fold) for fold in range(N_FOLDS)])
            for labels in unsupervised.labelings
        ]
        return np.average(each, axis=0, weights=unsupervised.weights)

    def _margins(self, labels: IntArray, fold: int) -> FloatArray:
        """Scores of labels in a fold: the share of pairs that agree with the better clustering minus the worse."""
        agrees = (labels[self.pairs[:, 0]] == labels[self.pairs[:, 1]]) == self.same
        right = np.bincount(self.number, agrees & self._touches[fold], len(self.preferences))
        return 2 * np.divide(right, self._counts[fold], out=np.full_like(right, 0.5), where=self._counts[fold] > 0) - 1


HeldOut = HeldOutComparisons | HeldOutPreferences


def log_odds(held_out: HeldOut, scores: FloatArray) -> FloatArray:
    """The log-odds of each answer, given its score."""
    X = held_out.covariates(scores)
    return X @ calibrated_slopes(X, held_out.weight, held_out.prior)


def log_likelihoods(held_out: HeldOut, scores: FloatArray) -> FloatArray:
    """The log-likelihood of each answer, given its score."""
    return log_expit(log_odds(held_out, scores))


def resemblance(F: FloatArray, comparisons: Comparisons) -> FloatArray:
    """How much closer the near rows of each comparison are than the far rows, scaled to a root mean square of 1."""
    near, far = (F[pairs[:, 0]] - F[pairs[:, 1]] for pairs in (comparisons.near, comparisons.far))
    difference = np.linalg.norm(far, axis=1).astype(np.float64) - np.linalg.norm(near, axis=1)
    size = float(np.sqrt(np.mean(np.square(difference)))) if len(difference) else 0.0
    return difference / size if size > 0 else difference


def tie_odds(held_out: HeldOutComparisons, unsupervised: Unsupervised) -> FloatArray:
    """The log-odds of each answer if it is a tie, by the similarity of its rows."""
    X = held_out.covariates(held_out.plain_scores(unsupervised))
    return X[:, 1] * calibrated_slopes(X, held_out.weight, held_out.prior)[1]


def disputed_pairs(preference: Preference, rng: np.random.RandomState) -> tuple[IntArray, BoolArray]:
    """Pairs that share a cluster in one of the two clusterings only, and whether that is the better one.

    If all of them are of one kind, as for requests to split or to merge a cluster, as many pairs of the other kind on
    which both clusterings agree are added. Otherwise members with a single cluster, or with a cluster for each row,
    would agree with the better clustering. Of many pairs, a sample is drawn.
    """
    rows = np.flatnonzero(preference.shown())
    if len(rows) * (len(rows) - 1) // 2 <= 10 * MAX_DISPUTED:
        left, right = (rows[places] for places in np.triu_indices(len(rows), 1))
    else:
        left = rng.choice(rows, 20 * MAX_DISPUTED)
        right = rng.choice(rows, 20 * MAX_DISPUTED)
    better, worse = (codes[left] == codes[right] for codes in (preference.better, preference.worse))
    distinct = left != right
    chosen = _sample(np.flatnonzero((better != worse) & distinct), MAX_DISPUTED, rng)
    if len(chosen) and better[chosen].all():
        chosen = np.concatenate([chosen, _sample(np.flatnonzero(~better & ~worse & distinct), len(chosen), rng)])
    elif not better[chosen].any():
        chosen = np.concatenate([chosen, _sample(np.flatnonzero(better & worse & distinct), len(chosen), rng)])
    return np.column_stack([left[chosen], right[chosen]]), better[chosen]


def _sample(numbers: IntArray, most: int, rng: np.random.RandomState) -> IntArray:
    """At most ``most`` of the numbers, in ascending order."""
    return numbers if len(numbers) <= most else np.sort(rng.choice(numbers, most, replace=False))
