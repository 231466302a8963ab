"""Held-out evidence: how well members predict constraints they were not trained on, and which look wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import expit, log_expit, ndtr

from .._arrays import BoolArray, FloatArray, IntArray
from ._answerer import decided_share
from ._folds import Statements
from ._held_out import HeldOut, HeldOutComparisons, log_odds
from ._held_out import log_likelihoods as log_likelihoods_of
from ._members import Member, by_family
from ._unsupervised import Unsupervised

PRIOR_MEAN = np.array([0.0, 6.0])
"""Prior mean of the calibration: its intercept (even odds at half of the votes) and slope."""

PRIOR_STD = np.array([2.0, 3.0])
"""Prior standard deviations of the calibration."""

SURE = 0.1
"""Members are sure of a pair if at most this share of them disagrees with the others."""

MAX_CONTRARY = 0.05
"""Constraints are treated as certain if members contradict at most this share of those that they are sure of."""

MIN_SURE = 20
"""Number of constraints that members must be sure of for a verdict."""

MIN_SURE_SHARE = 0.3
"""If members are sure of fewer than this share of constraints, contradictions are attributed to the members."""

FREE_ERRORS = 1.5
"""Standard errors by which a family may be behind the best one without losing weight."""

MIN_GAIN = 0.5
"""Constraints have full weight if the gain in log-likelihood exceeds this, plus ``GAIN_ERRORS`` standard errors."""

GAIN_ERRORS = 0.5
"""Number of standard errors by which the gain must exceed ``MIN_GAIN``."""

CAUTION = 1.0
"""Number of standard errors that are subtracted from a smaller gain, as a precaution."""

USEFUL = (0.5, 0.75)
"""The unsupervised clusters are useless if they satisfy this share of the answers to chosen questions, and useful if
they satisfy that one."""

PER_FOLD = (0.5, 3.5)
"""The increase of :attr:`Evidence.advantage` by which their weight decreases by a factor of e, if they are useless, and
if they are useful."""

NO_COVERAGE, FULL_COVERAGE = 0.5, 2.0
"""Must-links per cluster at or below which the coverage is 0, and at or above which it is 1."""

UNSUPERVISED = "without hints"
"""The name of the family of unsupervised runs."""

ERROR_RATE = 0.1
"""Assumed share of wrong constraints."""


@dataclass(frozen=True)
class Suspect:
    """A constraint, and the probability that it is wrong.

    Attributes
    ----------
    rows : (int, int)
        The two rows; for a comparison, the two that were said to be more alike.
    kind : {"must-link", "cannot-link", "comparison"}
    wrong : float
        The probability that the opposite is true, according to the clusterings that were not trained on the constraint,
        and assuming that a tenth of all constraints are wrong. If constraints are weighted, those above 0.5 are left
        out.
    together : float
        The share of these clusterings in which the two rows share a cluster; for a comparison, minus the same share for
        ``than``.
    than : (int, int) or None
        For a comparison, the two rows that were said to be less alike.
    """

    rows: tuple[int, int]
    kind: str
    wrong: float
    together: float
    than: tuple[int, int] | None = None

    def __str__(self) -> str:
        first, second = self.rows
        if self.than is not None:
            return f"{first}–{second} more alike than {self.than[0]}–{self.than[1]}: {self.wrong:.0%} likely reversed"
        return f"{self.kind} {first}–{second}: {self.wrong:.0%} likely wrong ({self.together:.0%} put them together)"


def votes(labelings: Sequence[IntArray], pairs: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """The weighted share of labelings in which the two rows of each pair share a cluster."""
    left, right = pairs.T
    return np.average([labels[left] == labels[right] for labels in labelings], axis=0, weights=weights)


def held_out_votes(members: Sequence[Member], folds: IntArray, pairs: IntArray) -> FloatArray:
    """The share of held-out members in which the two rows of each pair share a cluster, averaged over families.

    A member is held out for a pair if its fold contains one of the two rows.
    """
    total = np.zeros(len(pairs))
    n_families = np.zeros(len(pairs))
    left, right = pairs.T
    held_out = {fold: (folds[pairs] == fold).any(axis=1) for fold in {member.fold for member in members}}
    for own in by_family(members).values():
        together = np.zeros(len(pairs))
        n_votes = np.zeros(len(pairs))
        for member in own:
            together += held_out[member.fold] & (member.labels[left] == member.labels[right])
            n_votes += held_out[member.fold]
        total += np.divide(together, n_votes, out=np.zeros_like(together), where=n_votes > 0)
        n_families += n_votes > 0
    return total / np.maximum(n_families, 1)


def calibrated(together: FloatArray, statements: Statements) -> FloatArray:
    """The log-odds that the two rows of each pair belong together, from the share of votes that they do.

    A logistic regression of the kind of constraint on the share of votes, with a normal prior for when there are few
    constraints or all are of one kind. If ``together`` has several rows, each is a regression of its own.
    """
    X = np.stack([np.ones_like(together), together - 0.5], axis=-1)
    parameters = np.broadcast_to(PRIOR_MEAN[:, None], (*together.shape[:-1], 2, 1))
    same, weight = statements.same[:, None], statements.weight[:, None]
    transposed = np.swapaxes(X, -1, -2)
    for _ in range(25):
        chance = expit(X @ parameters)
        gradient = transposed @ (weight * (same - chance))
        gradient = gradient - (parameters - PRIOR_MEAN[:, None]) / PRIOR_STD[:, None] ** 2
        curvature = transposed @ (X * (weight * chance * (1 - chance))) + np.diag(PRIOR_STD**-2)
        step = np.linalg.solve(curvature, gradient)
        largest = np.abs(step).max(axis=-2, keepdims=True)
        parameters = parameters + step / np.maximum(1.0, largest / 4.0)
        if largest.max() < 1e-8:
            break
    odds: FloatArray = (X @ parameters)[..., 0]
    return odds


def log_likelihoods(together: FloatArray, statements: Statements) -> FloatArray:
    """The log-likelihood of each statement, given the share of votes that its rows belong together."""
    return log_expit(statements.signs * calibrated(together, statements))


def family_weights(
    statements: Statements,
    members: Sequence[Member],
    folds: IntArray,
    unsupervised: FloatArray,
    others: Sequence[tuple[HeldOut, FloatArray]] = (),
) -> dict[str, float]:
    """The weight of each family: 1, or less if it predicts held-out constraints significantly worse than the best.

    There are too few held-out constraints to select families, so the weight decreases only as far as a family is behind
    the best one by more than chance: it is e^−(z − 1.5)₊, with z the difference of log-likelihoods in standard errors.

    Parameters
    ----------
    statements, members, folds
    unsupervised : (m,) array
        Log-likelihood of each statement under the unsupervised runs.
    others : sequence of (HeldOut, (m,) array)
        Comparisons and preferences, with their log-likelihoods under the unsupervised runs.
    """
    families = by_family(members)
    logs = {UNSUPERVISED: unsupervised}
    if families:
        shares = np.array([held_out_votes(own, folds, statements.pairs) for own in families.values()])
        logs = dict(zip(families, log_likelihoods(shares, statements), strict=True)) | logs
    weighted = {name: statements.weight * log for name, log in logs.items()}
    for held_out, plain in others:
        for name, values in weighted.items():
            own = (
                plain if name == UNSUPERVISED else log_likelihoods_of(held_out, held_out.scores(families[name], folds))
            )
            weighted[name] = np.concatenate([values, held_out.weight * own])
    best = max(weighted.values(), key=np.sum)
    return {name: _family_weight(best - log) for name, log in weighted.items()}


def _family_weight(behind: FloatArray) -> float:
    error = _sum_error(behind)
    return float(np.exp(-max(float(behind.sum()) / error - FREE_ERRORS, 0.0))) if error > 0 else 1.0


def _sum_error(values: FloatArray) -> float:
    """The standard error of the sum of the values."""
    return float(values.std(ddof=1) * np.sqrt(len(values))) if len(values) > 1 else 0.0


def lead_in_pairs(satisfied: BoolArray, others: BoolArray) -> float:
    """How many more pairs are satisfied by one clustering than by another, in standard errors, as in McNemar's test.

    >>> lead_in_pairs(np.array([True, True, True, False]), np.array([False, False, False, False]))
    1.5
    """
    ahead = satisfied.astype(np.int64) - others
    return float(ahead.sum() / np.sqrt(np.abs(ahead).sum() + 1.0))


@dataclass(frozen=True)
class Evidence:
    """How well held-out constraints are predicted by the members that were not trained on them.

    Attributes
    ----------
    statements : Statements
    together : (m,) array
        The share of held-out votes that the rows of each statement belong together.
    wrong : (m,) array
        The probability that each statement is wrong, according to the votes alone.
    gain : float
        The log-likelihood of held-out constraints under the members, minus that under the unsupervised runs.
    error : float
        The standard error of the gain.
    weights : dict
        The weight of each family, with the unsupervised runs as one of them; see :func:`family_weights`.
    n_clusters : int
    others : tuple of HeldOut
        Comparisons and preferences.
    scores : tuple of arrays
        Their scores by held-out members.
    chosen : bool
        Whether constraints are answers to chosen questions about pairs.
    satisfied : float
        The share of the given pairs that the unsupervised clusters satisfy.
    lead : float
        How many more of them held-out members satisfy, in standard errors (:func:`lead_in_pairs`).
    """

    statements: Statements
    together: FloatArray
    wrong: FloatArray
    gain: float
    error: float
    weights: dict[str, float]
    n_clusters: int
    others: tuple[HeldOut, ...] = ()
    scores: tuple[FloatArray, ...] = ()
    chosen: bool = False
    satisfied: float = 0.0
    lead: float = 0.0

    @classmethod
    def of(
        cls,
        statements: Statements,
        members: Sequence[Member],
        folds: IntArray,
        unsupervised: Unsupervised,
        rng: np.random.RandomState,
        held_out: Sequence[HeldOut] = (),
        chosen: bool = False,
    ) -> Evidence:
        """Gather the evidence from the votes of members and of unsupervised runs; if no members, of the latter only."""

        def both_votes(pairs: IntArray) -> tuple[FloatArray, FloatArray]:
            plain = votes(unsupervised.labelings, pairs, unsupervised.weights)
            return (held_out_votes(members, folds, pairs) if len(members) else plain), plain

        together, plain_together = both_votes(statements.pairs)
        wrong = expit(-statements.signs * calibrated(together, statements))
        if statements.n_stated is not None:
            # Implied pairs repeat the errors of given ones, so given ones are calibrated on their own.
            stated = statements.stated()
            wrong[: len(stated)] = expit(-stated.signs * calibrated(together[: len(stated)], stated))
        contrasted = statements.contrasted(len(folds), rng)
        shares = (together, plain_together) if contrasted is statements else both_votes(contrasted.pairs)
        learned, plain = log_likelihoods(np.stack(shares), contrasted)
        gains = contrasted.weight * (learned - plain)
        scores, others_plain = [], []
        for other in held_out:
            plain_score = other.plain_scores(unsupervised)
            score = other.scores(members, folds) if len(members) else plain_score
            other_learned, other_plain = (log_likelihoods_of(other, values) for values in (score, plain_score))
            gains = np.concatenate([gains, other.weight * (other_learned - other_plain)])
            scores.append(score)
            others_plain.append(other_plain)
        given = statements.stated()
        left, right = unsupervised.labels[given.pairs.T]
        satisfied = (left == right) == given.same
        weights = family_weights(contrasted, members, folds, plain, list(zip(held_out, others_plain, strict=True)))
        return cls(
            statements,
            together,
            wrong,
            float(gains.sum()),
            _sum_error(gains),
            weights,
            unsupervised.n_clusters,
            tuple(held_out),
            tuple(scores),
            chosen,
            float(satisfied.mean()) if len(given) else 0.0,
            lead_in_pairs((together[: len(given)] > 0.5) == given.same, satisfied),
        )

    @property
    def constraint_weight(self) -> float:
        """The weight of constraints in the consensus, from 0 to 1.

        It is 1 if the gain minus half of its standard error is more than ½. Otherwise it is Φ(z − 1), a cautious
        estimate of the probability that learning helps, with z the gain in standard errors: .16 if there is no evidence
        for or against it. For answers to chosen questions about pairs it is 1 − e^(−a/c), with a the :attr:`advantage`
        and c the :attr:`scale`. It is multiplied by the :attr:`coverage` of clusters by constraints.
        """
        if self.chosen:
            return self.coverage * -float(np.expm1(-max(self.advantage, 0.0) / self.scale))
        enough = self.error > 0 and self.z > GAIN_ERRORS + MIN_GAIN / self.error
        return self.coverage * (1.0 if enough else float(ndtr(self.z - CAUTION)))

    @property
    def advantage(self) -> float:
        """How much better held-out members predict the constraints than unsupervised runs do: the mean of two z-scores.

        Questions are chosen about pairs of which unsupervised runs are unsure, so their likelihood of the answers is
        low even where their consensus is right. Therefore its clusters are compared with the members, too: the mean of
        :attr:`z` and ``lead``.
        """
        return (self.z + self.lead) / 2

    @property
    def scale(self) -> float:
        """The advantage at which the weight of answers is 1 − 1/e; larger if the unsupervised clusters are useful.

        The better the unsupervised clusters are, the more there is to lose.
        """
        return float(np.interp(self.satisfied, USEFUL, PER_FOLD))

    @property
    def coverage(self) -> float:
        """How well constraints cover the clusters: 0 with half a must-link per cluster or less, 1 with two or more.

        Of pairs drawn at random from k clusters, one in k is a must-link, so k² pairs of any kind count as one
        must-link per cluster; this matters for labels, which imply few must-links and many cannot-links. A comparison
        that is not a tie, and a preference, count as a must-link. Two clusters are always covered.
        """
        if self.n_clusters <= 2:
            return 1.0
        per_cluster = max(self.statements.same.sum() / self.n_clusters, len(self.statements) / self.n_clusters**2)
        for held_out in self.others:
            if isinstance(held_out, HeldOutComparisons):
                per_cluster += decided_share(self.n_clusters) * len(held_out.comparisons) / self.n_clusters
            else:
                per_cluster += sum(max(preference.weight, 1.0) for preference in held_out.preferences) / self.n_clusters
        return float(np.clip((per_cluster - NO_COVERAGE) / (FULL_COVERAGE - NO_COVERAGE), 0.0, 1.0))

    @property
    def z(self) -> float:
        """The gain in standard errors, corrected for dependent pairs.

        The number of independent pairs is at most the number of rows in them: 18 labels imply 153 pairs, but count as
        18.
        """
        if self.error <= 0:
            return 0.0
        independent = len(np.unique(self.statements.pairs)) + sum(held_out.n_independent for held_out in self.others)
        share = independent / (len(self.statements) + sum(len(held_out.weight) for held_out in self.others))
        return self.gain / self.error * float(np.sqrt(min(share, 1.0)))

    def faded_weights(self) -> dict[str, float]:
        """The weights of families, shifted to the unsupervised runs as far as constraints lack weight."""
        share = self.constraint_weight
        learned = {name: weight for name, weight in self.weights.items() if name != UNSUPERVISED}
        faded = {name: share * weight for name, weight in learned.items()}
        return faded | {UNSUPERVISED: self.weights[UNSUPERVISED] + (1.0 - share) * sum(learned.values())}

    def verdict(self) -> str:
        """Whether constraints look "right", partly "wrong", or members are not sure enough to tell ("open").

        Only constraints about which nearly all held-out members agree are considered. If members contradict few of
        them, the constraints are right. If they contradict more, the constraints are wrong, unless members are sure of
        so few constraints that they are probably wrong themselves.
        """
        together, same = self.together, self.statements.same
        sure = (together <= SURE) | (together >= 1 - SURE)
        contrary = sure & ((together > 0.5) != same)
        if sure.sum() < MIN_SURE:
            return "open"
        if contrary.sum() <= MAX_CONTRARY * sure.sum():
            return "right"
        return "wrong" if sure.sum() >= MIN_SURE_SHARE * len(sure) else "open"

    def right(self) -> FloatArray:
        """The probability that each statement is right, assuming that a tenth of all are wrong.

        By Bayes' rule, with p the probability of the statement according to the votes and e the share of errors, the
        odds are (1 − e) p to e (1 − p).
        """
        stated, opposite = (1 - ERROR_RATE) * (1 - self.wrong), ERROR_RATE * self.wrong
        return stated / (stated + opposite)

    def suspects(self, rows: IntArray) -> tuple[Suspect, ...]:
        """The given constraints, those most likely wrong first; ``rows`` are the indices of the ensemble's rows."""
        pairs = rows[self.statements.pairs[: self.statements.n_stated]]
        wrong = 1.0 - self.right()[: len(pairs)]
        kinds = np.where(self.statements.same, "must-link", "cannot-link")
        found = [
            Suspect((int(i), int(j)), str(kinds[t]), float(wrong[t]), float(self.together[t]))
            for t, (i, j) in enumerate(pairs)
        ]
        for held_out, scores in zip(self.others, self.scores, strict=True):
            if isinstance(held_out, HeldOutComparisons):
                near, far = (rows[pairs].tolist() for pairs in (held_out.comparisons.near, held_out.comparisons.far))
                reversed_ = reversed_chance(held_out, scores).tolist()
                found += [
                    Suspect((a, b), "comparison", wrong, score, (c, d))
                    for (a, b), (c, d), wrong, score in zip(near, far, reversed_, scores.tolist(), strict=True)
                ]
        return tuple(sorted(found, key=lambda suspect: -suspect.wrong))


def reversed_chance(held_out: HeldOut, scores: FloatArray) -> FloatArray:
    """The probability that each answer is reversed, assuming that a tenth are; see :meth:`Evidence.right`."""
    wrong = expit(-log_odds(held_out, scores))
    stated, opposite = (1 - ERROR_RATE) * (1 - wrong), ERROR_RATE * wrong
    return opposite / (stated + opposite)


def shared_rows(labels: IntArray, others: IntArray) -> IntArray:
    """The contingency table of two labelings."""
    shape = int(labels.max()) + 1, int(others.max()) + 1
    return np.bincount(labels * shape[1] + others, minlength=shape[0] * shape[1]).reshape(shape)


def align_labels(labels: IntArray, others: IntArray) -> IntArray:
    """Renumber clusters to match those of ``others`` one to one, with as many rows in common as possible.

    >>> align_labels(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1])).tolist()
    [1, 1, 0, 0]
    """
    counts = shared_rows(labels, others)
    size = max(counts.shape)
    square = np.zeros((size, size), dtype=np.int64)
    square[: counts.shape[0], : counts.shape[1]] = counts
    _, numbers = linear_sum_assignment(square, maximize=True)
    return numbers[labels]


def matching_rows(members: Sequence[Member], labels: IntArray) -> BoolArray:
    """For each member, a mask of the rows on which it agrees with ``labels``.

    A cluster of a member is identified with the cluster of ``labels`` that most of its rows are in.
    """
    matched = (shared_rows(member.labels, labels).argmax(axis=1)[member.labels] for member in members)
    return np.array([cluster == labels for cluster in matched])


def unsupervised_members(unsupervised: Unsupervised) -> list[Member]:
    """The unsupervised runs as a family of members."""
    runs = zip(unsupervised.labelings, unsupervised.weights, strict=True)
    return [Member(UNSUPERVISED, labels, -1, weight=float(weight)) for labels, weight in runs]


def member_weights(members: Sequence[Member], weights: Mapping[str, float] | None = None) -> FloatArray:
    """Weights of members that add up to the weight of each family; 1 by default."""
    total = dict.fromkeys((member.family for member in members), 0.0)
    for member in members:
        total[member.family] += member.weight
    scale = {family: (1.0 if weights is None else weights[family]) / own for family, own in total.items()}
    return np.array([scale[member.family] * member.weight for member in members])
