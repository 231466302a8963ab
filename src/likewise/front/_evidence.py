"""What members say of constraints they did not see: is it worth learning from them, and which are wrong?"""

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
"""The calibration before any constraint is read: even odds at half of the votes, and this slope."""

PRIOR_STD = np.array([2.0, 3.0])
"""The standard deviations of that prior."""

SURE = 0.1
"""Members are sure of a pair if at most so many of them are of the other opinion."""

MAX_CONTRARY = 0.05
"""Constraints are taken as certain if no more of those that members are sure of say the contrary."""

MIN_SURE = 20
"""Constraints that members must be sure of before they say anything about all."""

MIN_SURE_SHARE = 0.3
"""The share of constraints that members must be sure of before contrary ones count as wrong, and not the members."""

FREE_ERRORS = 1.5
"""Standard errors by which a family may fall behind the best and still count in full."""

CAUTION = 1.0
"""Standard errors by which a gain is taken to be smaller than it looks."""

NO_COVERAGE, FULL_COVERAGE = 0.5, 2.0
"""Must-links a cluster below which nothing is learned of the clusters, and from which on it counts in full."""

UNSUPERVISED = "without hints"
"""The name of the runs without constraints among the families."""

ERROR_RATE = 0.1
"""The share of wrong constraints that is assumed where some are wrong."""


@dataclass(frozen=True)
class Suspect:
    """A constraint, and how likely it is to be wrong.

    Attributes
    ----------
    rows : (int, int)
        Of a comparison, those that are said to be more alike.
    kind : {"must-link", "cannot-link", "comparison"}
        What was stated.
    wrong : float
        The probability that the opposite is true, by the clusterings that did not see the constraint, if a tenth of all
        are wrong. Where constraints are weighted, those above a half are left out.
    together : float
        The share of these clusterings that puts the two rows together; of a comparison less that for ``than``.
    than : (int, int) or None
        The rows that a comparison says are less alike.
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
    """The share of the labelings, by weight, that puts the two rows of each pair together."""
    left, right = pairs.T
    return np.average([labels[left] == labels[right] for labels in labelings], axis=0, weights=weights)


def held_out_votes(members: Sequence[Member], folds: IntArray, pairs: IntArray) -> FloatArray:
    """The same among the members that saw no constraint about the pair, each family counting once."""
    total = np.zeros(len(pairs))
    n_families = np.zeros(len(pairs))
    left, right = pairs.T
    unseen = {fold: (folds[pairs] == fold).any(axis=1) for fold in {member.fold for member in members}}
    for own in by_family(members).values():
        together = np.zeros(len(pairs))
        asked = np.zeros(len(pairs))
        for member in own:
            together += unseen[member.fold] & (member.labels[left] == member.labels[right])
            asked += unseen[member.fold]
        total += np.divide(together, asked, out=np.zeros_like(together), where=asked > 0)
        n_families += asked > 0
    return total / np.maximum(n_families, 1)


def calibrated(together: FloatArray, statements: Statements) -> FloatArray:
    """The log odds that the two rows of each pair are the same, from the share of clusterings that say so.

    A logistic regression of the stated kinds on the share of votes, with a normal prior for where constraints are few
    or all of one kind. Several regressions at once, where ``together`` has several rows.
    """
    X = np.stack([np.ones_like(together), together - 0.5], axis=-1)
    parameters = np.broadcast_to(PRIOR_MEAN[:, None], (*together.shape[:-1], 2, 1))
    same, weight = statements.same[:, None], statements.weight[:, None]
    across = np.swapaxes(X, -1, -2)
    for _ in range(25):
        chance = expit(X @ parameters)
        slope = across @ (weight * (same - chance)) - (parameters - PRIOR_MEAN[:, None]) / PRIOR_STD[:, None] ** 2
        curvature = across @ (X * (weight * chance * (1 - chance))) + np.diag(PRIOR_STD**-2)
        step = np.linalg.solve(curvature, slope)
        largest = np.abs(step).max(axis=-2, keepdims=True)
        parameters = parameters + step / np.maximum(1.0, largest / 4.0)
        if largest.max() < 1e-8:
            break
    odds: FloatArray = (X @ parameters)[..., 0]
    return odds


def log_likelihoods(together: FloatArray, statements: Statements) -> FloatArray:
    """The log-likelihood of each statement, by the share of clusterings that put its rows together."""
    return log_expit(statements.signs * calibrated(together, statements))


def family_weights(
    statements: Statements,
    members: Sequence[Member],
    folds: IntArray,
    unsupervised: FloatArray,
    others: Sequence[tuple[HeldOut, FloatArray]] = (),
) -> dict[str, float]:
    """How much each family counts: 1, but less where it explains unseen constraints worse than the best one does.

    Held-out constraints are too few to choose by, so the weight of a family falls only as it is behind the best by more
    than chance allows: it is e^−(z − 1.5)₊, with z the difference of log-likelihoods in standard errors.

    Parameters
    ----------
    statements, members, folds
    unsupervised : (m,) array
        Log-likelihood of each statement by the runs without constraints.
    others : sequence of (HeldOut, (m,) array)
        Comparisons and preferences, and the same of them.
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
    """The standard error of a sum."""
    return float(values.std(ddof=1) * np.sqrt(len(values))) if len(values) > 1 else 0.0


@dataclass(frozen=True)
class Evidence:
    """Constraints against the clusterings that did not see them.

    Attributes
    ----------
    together : (m,) array
        The share of held-out members that puts the rows of each statement together.
    wrong : (m,) array
        The probability that each statement is wrong, by the clusterings alone.
    gain : float
        How much better members explain constraints they did not see than the unsupervised runs do, as a difference of
        log-likelihoods summed over the statements.
    error : float
        Its standard error.
    weights : dict
        How much each family counts, with the unsupervised runs as one; see :func:`family_weights`.
    n_clusters : int
    others : tuple of HeldOut
        Comparisons and preferences.
    scores : tuple of arrays
        What held-out members say of them.
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

    @classmethod
    def of(
        cls,
        statements: Statements,
        members: Sequence[Member],
        folds: IntArray,
        unsupervised: Unsupervised,
        rng: np.random.RandomState,
        held_out: Sequence[HeldOut] = (),
    ) -> Evidence:
        """Ask members, and the labels of the unsupervised runs; only these where there are no members."""

        def ask(pairs: IntArray) -> tuple[FloatArray, FloatArray]:
            alone = votes(unsupervised.labelings, pairs, unsupervised.weights)
            return (held_out_votes(members, folds, pairs) if len(members) else alone), alone

        together, alone = ask(statements.pairs)
        wrong = expit(-statements.signs * calibrated(together, statements))
        if statements.n_stated is not None:
            # what is entailed repeats an error: what was stated is judged by itself
            stated = statements.stated()
            wrong[: len(stated)] = expit(-stated.signs * calibrated(together[: len(stated)], stated))
        contrasted = statements.contrasted(len(folds), rng)
        shares = (together, alone) if contrasted is statements else ask(contrasted.pairs)
        learned, plain = log_likelihoods(np.stack(shares), contrasted)
        gains = contrasted.weight * (learned - plain)
        scores, plains = [], []
        for other in held_out:
            alone = other.plain_scores(unsupervised)
            score = other.scores(members, folds) if len(members) else alone
            logs, plain_logs = (log_likelihoods_of(other, values) for values in (score, alone))
            gains = np.concatenate([gains, other.weight * (logs - plain_logs)])
            scores.append(score)
            plains.append(plain_logs)
        weights = family_weights(contrasted, members, folds, plain, list(zip(held_out, plains, strict=True)))
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
        )

    @property
    def constraint_weight(self) -> float:
        """How much constraints count, from 0 to 1.

        It is Φ(z − 1), a cautious estimate of the probability that learning helps, with z the gain in standard errors:
        .16 where nothing speaks for or against it, .98 at three standard errors. Less where constraints say little of
        some clusters: see :attr:`coverage`.
        """
        return self.coverage * float(ndtr(self.z - CAUTION))

    @property
    def coverage(self) -> float:
        """How well constraints cover the clusters: 0 with half a must-link for each of them or less, 1 with two.

        Of pairs drawn at random from k clusters one in k is a must-link. So k² pairs count as one must-link for each
        cluster, whatever their kinds: labels have few must-links and all cannot-links. Two clusters are always covered.
        A comparison that clusters decide has a must-link in it, and a preference is as good as one.
        """
        if self.n_clusters <= 2:
            return 1.0
        each = max(self.statements.same.sum() / self.n_clusters, len(self.statements) / self.n_clusters**2)
        for held_out in self.others:
            if isinstance(held_out, HeldOutComparisons):
                each += decided_share(self.n_clusters) * len(held_out.comparisons) / self.n_clusters
            else:
                each += sum(max(preference.weight, 1.0) for preference in held_out.preferences) / self.n_clusters
        return float(np.clip((each - NO_COVERAGE) / (FULL_COVERAGE - NO_COVERAGE), 0.0, 1.0))

    @property
    def z(self) -> float:
        """The gain in standard errors, of as many pairs as are independent of each other.

        These are no more than there are rows in them: 18 labels imply 153 pairs, and say no more than 18 things.
        """
        if self.error <= 0:
            return 0.0
        said = len(np.unique(self.statements.pairs)) + sum(held_out.n_independent for held_out in self.others)
        share = said / (len(self.statements) + sum(len(held_out.weight) for held_out in self.others))
        return self.gain / self.error * float(np.sqrt(min(share, 1.0)))

    def faded_weights(self) -> dict[str, float]:
        """The weights of the families: as constraints count less, those that learned give to the unsupervised runs."""
        share = self.constraint_weight
        learned = {name: weight for name, weight in self.weights.items() if name != UNSUPERVISED}
        faded = {name: share * weight for name, weight in learned.items()}
        return faded | {UNSUPERVISED: self.weights[UNSUPERVISED] + (1.0 - share) * sum(learned.values())}

    def verdict(self) -> str:
        """Whether constraints look "right", "wrong" in part, or members are not sure enough to tell ("open").

        Asked are the constraints that nearly all held-out members agree on. Where few of these say the contrary,
        constraints are right; where more do, either the constraints are wrong or the members, and members that are
        seldom sure are.
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
        """The probability that each statement is right, if a tenth of all are wrong: one against all odds may still be.

        By Bayes' rule, with p the probability of what was stated and e the share of errors: (1 − e) p to e (1 − p).
        """
        stated, opposite = (1 - ERROR_RATE) * (1 - self.wrong), ERROR_RATE * self.wrong
        return stated / (stated + opposite)

    def suspects(self, rows: IntArray) -> tuple[Suspect, ...]:
        """What was stated, the most likely to be wrong first; ``rows`` are the numbers of the rows of the ensemble."""
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
    """The probability that each answer is reversed, if a tenth of all are; see :meth:`Evidence.right`."""
    wrong = expit(-log_odds(held_out, scores))
    stated, opposite = (1 - ERROR_RATE) * (1 - wrong), ERROR_RATE * wrong
    return opposite / (stated + opposite)


def shared_rows(labels: IntArray, others: IntArray) -> IntArray:
    """How many rows each cluster of one labeling shares with each of another."""
    shape = int(labels.max()) + 1, int(others.max()) + 1
    return np.bincount(labels * shape[1] + others, minlength=shape[0] * shape[1]).reshape(shape)


def align_labels(labels: IntArray, others: IntArray) -> IntArray:
    """The same clusters, numbered as those of ``others`` that they share most rows with, one to one.

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
    """Which rows each member puts where ``labels`` do, a line of bools a member.

    A cluster of a member stands for the one of ``labels`` that most of its rows are in.
    """
    stands_for = (shared_rows(member.labels, labels).argmax(axis=1)[member.labels] for member in members)
    return np.array([cluster == labels for cluster in stands_for])


def unsupervised_members(unsupervised: Unsupervised) -> list[Member]:
    """The runs without constraints as a family of members."""
    runs = zip(unsupervised.labelings, unsupervised.weights, strict=True)
    return [Member(UNSUPERVISED, labels, -1, weight=float(weight)) for labels, weight in runs]


def member_weights(members: Sequence[Member], weights: Mapping[str, float] | None = None) -> FloatArray:
    """Weights of members under which every family counts once, or by its weight."""
    total = dict.fromkeys((member.family for member in members), 0.0)
    for member in members:
        total[member.family] += member.weight
    scale = {family: (1.0 if weights is None else weights[family]) / own for family, own in total.items()}
    return np.array([scale[member.family] * member.weight for member in members])
