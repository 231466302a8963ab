"""What members say of constraints they did not see: is it worth learning from them, and which are wrong?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import expit, log_expit

from .._arrays import BoolArray, FloatArray, IntArray
from ._folds import Statements
from ._members import Member

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
    kind : {"must-link", "cannot-link"}
        What was stated.
    wrong : float
        The probability that the opposite is true, by the clusterings that did not see the constraint, if a tenth of all
        are wrong. Where constraints are weighted, those above a half are left out.
    together : float
        The share of these clusterings that puts the two rows together.
    """

    rows: tuple[int, int]
    kind: str
    wrong: float
    together: float

    def __str__(self) -> str:
        first, second = self.rows
        return f"{self.kind} {first}–{second}: {self.wrong:.0%} likely wrong ({self.together:.0%} put them together)"


def votes(labelings: Sequence[IntArray], pairs: IntArray) -> FloatArray:
    """The share of the labelings that puts the two rows of each pair together."""
    left, right = pairs.T
    return np.mean([labels[left] == labels[right] for labels in labelings], axis=0)


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


def by_family(members: Sequence[Member]) -> dict[str, list[Member]]:
    """The members of each family."""
    families: dict[str, list[Member]] = {member.family: [] for member in members}
    for member in members:
        families[member.family].append(member)
    return families


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
    statements: Statements, members: Sequence[Member], folds: IntArray, unsupervised: FloatArray
) -> dict[str, float]:
    """How much each family counts: 1, but less where it explains unseen constraints worse than the best one does.

    Held-out constraints are too few to choose by, so the weight of a family falls only as it is behind the best by more
    than chance allows: it is e^−(z − 1.5)₊, with z the difference of log-likelihoods in standard errors.

    Parameters
    ----------
    statements, members, folds
    unsupervised : (m,) array
        Log-likelihood of each statement by the runs without constraints.
    """
    families = by_family(members)
    logs = {UNSUPERVISED: unsupervised}
    if families:
        shares = np.array([held_out_votes(own, folds, statements.pairs) for own in families.values()])
        logs = dict(zip(families, log_likelihoods(shares, statements), strict=True)) | logs
    weighted = {name: statements.weight * log for name, log in logs.items()}
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
    """

    statements: Statements
    together: FloatArray
    wrong: FloatArray
    gain: float
    error: float
    weights: dict[str, float]

    @classmethod
    def of(
        cls,
        statements: Statements,
        members: Sequence[Member],
        folds: IntArray,
        unsupervised: Sequence[IntArray],
        rng: np.random.RandomState,
    ) -> Evidence:
        """Ask members, and the labels of the unsupervised runs; only these where there are no members."""

        def ask(pairs: IntArray) -> tuple[FloatArray, FloatArray]:
            alone = votes(unsupervised, pairs)
            return (held_out_votes(members, folds, pairs) if len(members) else alone), alone

        together, alone = ask(statements.pairs)
        wrong = expit(-statements.signs * calibrated(together, statements))
        contrasted = statements.contrasted(len(folds), rng)
        shares = (together, alone) if contrasted is statements else ask(contrasted.pairs)
        learned, plain = log_likelihoods(np.stack(shares), contrasted)
        gains = contrasted.weight * (learned - plain)
        weights = family_weights(contrasted, members, folds, plain)
        return cls(statements, together, wrong, float(gains.sum()), _sum_error(gains), weights)

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
        """All statements, the most likely to be wrong first; ``rows`` are the numbers of the rows of the ensemble."""
        pairs = rows[self.statements.pairs]
        wrong = 1.0 - self.right()
        order = np.argsort(-wrong, kind="stable")
        kinds = np.where(self.statements.same, "must-link", "cannot-link")
        return tuple(
            Suspect((int(i), int(j)), str(kinds[t]), float(wrong[t]), float(self.together[t]))
            for t, (i, j) in zip(order.tolist(), pairs[order], strict=True)
        )


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


def agreement(members: Sequence[Member], matching: BoolArray) -> FloatArray:
    """For each row, the share of members that put it where labels do, each family counting once."""
    weight = member_weights(members)
    return weight @ matching / weight.sum()


def member_weights(members: Sequence[Member], weights: Mapping[str, float] | None = None) -> FloatArray:
    """Weights of members under which every family counts once, or by its weight."""
    families = [member.family for member in members]
    return np.array([(1.0 if weights is None else weights[family]) / families.count(family) for family in families])
