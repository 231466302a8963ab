"""What clusterings that never saw a hint say of it: is it worth learning from hints, and which are wrong?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from ._folds import Statements
from ._members import Member

Array = np.ndarray

BELIEVED = np.array([0.0, 6.0])
"""What is believed of the calibration before any hint is read: even odds at half of the votes, and this slope."""

SPREAD = np.array([2.0, 3.0])
"""How far that belief may be off."""

SURE = 0.1
"""Members are sure of a pair if at most so many of them are of the other opinion."""

CONTRARY = 0.05
"""Hints are taken as certain if no more of those that members are sure of say the contrary."""

ENOUGH = 20
"""Hints that members must be sure of before they say anything about all."""

SHARP = 0.3
"""The share of hints that members must be sure of before contrary ones count as wrong, and not the members."""

CHANCE = 1.5
"""Standard errors by which a family may fall behind the best and still count in full."""

UNHINTED = "without hints"
"""The name of the runs without hints among the families."""

ERRORS = 0.1
"""The share of wrong hints that is assumed where some are wrong."""


@dataclass(frozen=True)
class Suspect:
    """A hint, and how likely it is to be wrong.

    Attributes
    ----------
    rows : (int, int)
    kind : {"must-link", "cannot-link"}
        What was said.
    wrong : float
        The chance that the opposite is true, by the clusterings that did not see the hint, if a tenth of all hints are
        wrong. Above a half they are left out, where hints are weighed.
    together : float
        The share of them that puts the two rows together.
    """

    rows: tuple[int, int]
    kind: str
    wrong: float
    together: float

    def __str__(self) -> str:
        first, second = self.rows
        return f"{self.kind} {first}–{second}: {self.wrong:.0%} likely wrong ({self.together:.0%} put them together)"


def votes(labelings: Sequence[Array], pairs: Array) -> Array:
    """The share of the labelings that puts the two rows of each pair together."""
    left, right = pairs.T
    return np.mean([labels[left] == labels[right] for labels in labelings], axis=0)


def blind_votes(members: Sequence[Member], folds: Array, pairs: Array) -> Array:
    """The same among the members that did not see a hint about the pair, each family counting once."""
    total, seen = np.zeros(len(pairs)), np.zeros(len(pairs))
    (left, right), touched = pairs.T, folds[pairs]
    unseen = {fold: (touched == fold).any(axis=1) for fold in {member.fold for member in members}}
    for own in by_family(members).values():
        together, blind = np.zeros(len(pairs)), np.zeros(len(pairs))
        for member in own:
            together += unseen[member.fold] & (member.labels[left] == member.labels[right])
            blind += unseen[member.fold]
        total += np.divide(together, blind, out=np.zeros_like(together), where=blind > 0)
        seen += blind > 0
    return total / np.maximum(seen, 1)


def by_family(members: Sequence[Member]) -> dict[str, list[Member]]:
    """The members of each family."""
    families: dict[str, list[Member]] = {member.family: [] for member in members}
    for member in members:
        families[member.family].append(member)
    return families


def calibrated(together: Array, statements: Statements) -> Array:
    """The log odds that the two rows are the same, from how many clusterings say so.

    A logistic regression of the stated kinds on the share of votes, drawn toward what votes ought to mean where hints
    are few or all of one kind. Several regressions at once, where ``together`` has several rows.
    """
    X = np.stack([np.ones_like(together), together - 0.5], axis=-1)
    parameters = np.broadcast_to(BELIEVED[:, None], (*together.shape[:-1], 2, 1))
    same, weight = statements.same[:, None], statements.weight[:, None]
    across = np.swapaxes(X, -1, -2)
    for _ in range(25):
        chance = expit(X @ parameters)
        slope = across @ (weight * (same - chance)) - (parameters - BELIEVED[:, None]) / SPREAD[:, None] ** 2
        curvature = across @ (X * (weight * chance * (1 - chance))) + np.diag(SPREAD**-2)
        step = np.linalg.solve(curvature, slope)
        largest = np.abs(step).max(axis=-2, keepdims=True)
        parameters = parameters + step / np.maximum(1.0, largest / 4.0)
        if largest.max() < 1e-8:
            break
    odds: Array = (X @ parameters)[..., 0]
    return odds


def explained(share: Array, statements: Statements) -> Array:
    """The log-likelihood of each hint, by how many clusterings put its rows together."""
    return log_expit(statements.signs * calibrated(share, statements))


def voices(statements: Statements, members: Sequence[Member], folds: Array, without: Array) -> dict[str, float]:
    """How much each family counts: all alike, but less where it explains unseen hints worse than the best one does.

    Held-out hints are too few to choose by, so a family fades only as it falls behind the best by more than chance
    allows: its weight is e^−(z − 1.5)₊, with z the difference of log-likelihoods in standard errors.

    Parameters
    ----------
    statements, members, folds
    without : (m,) array
        Log-likelihood of each hint by the runs without hints.
    """
    families = by_family(members)
    logs = {UNHINTED: without}
    if families:
        shares = np.array([blind_votes(own, folds, statements.pairs) for own in families.values()])
        logs = dict(zip(families, explained(shares, statements), strict=True)) | logs
    weighed = {name: statements.weight * log for name, log in logs.items()}
    best = max(weighed.values(), key=np.sum)
    return {name: _voice(best - log) for name, log in weighed.items()}


def _voice(behind: Array) -> float:
    error = _error(behind)
    return float(np.exp(-max(float(behind.sum()) / error - CHANCE, 0.0))) if error > 0 else 1.0


def _error(values: Array) -> float:
    """The standard error of a sum."""
    return float(values.std(ddof=1) * np.sqrt(len(values))) if len(values) > 1 else 0.0


@dataclass(frozen=True)
class Evidence:
    """Hints against the clusterings that did not see them.

    Attributes
    ----------
    together : (m,) array
        The share of blind members that puts the rows of each hint together.
    wrong : (m,) array
        The chance that each hint is wrong, by the clusterings alone.
    gain : float
        How much better the members explain hints they did not see than the answer without hints does, as a difference
        of log-likelihoods summed over the hints.
    error : float
        Its standard error.
    voices : dict
        How much each family counts, and the runs without hints as one; see :func:`voices`.
    """

    statements: Statements
    together: Array
    wrong: Array
    gain: float
    error: float
    voices: dict[str, float]

    @classmethod
    def of(
        cls,
        statements: Statements,
        members: Sequence[Member],
        folds: Array,
        unsupervised: Sequence[Array],
        rng: np.random.RandomState,
    ) -> Evidence:
        """Ask members, and the labelings of the answer without hints; only these where there are no members."""

        def asked(pairs: Array) -> tuple[Array, Array]:
            alone = votes(unsupervised, pairs)
            return (blind_votes(members, folds, pairs) if len(members) else alone), alone

        together, alone = asked(statements.pairs)
        wrong = expit(-statements.signs * calibrated(together, statements))
        told = statements.contrasted(len(folds), rng)
        if told is not statements:
            learned, plain = asked(told.pairs)
        else:
            learned, plain = together, alone
        better, without = explained(np.stack([learned, plain]), told)
        gains = told.weight * (better - without)
        heard = voices(told, members, folds, without)
        return cls(statements, together, wrong, float(gains.sum()), _error(gains), heard)

    def verdict(self) -> str:
        """Whether hints look "right", "wrong" in part, or members are not sure enough to tell ("open").

        Asked are the hints that nearly all blind members agree on. Where few of these say the contrary, hints are
        right; where more do, either the hints are wrong or the members, and members that are seldom sure are.
        """
        together, same = self.together, self.statements.same
        sure = (together <= SURE) | (together >= 1 - SURE)
        contrary = sure & ((together > 0.5) != same)
        if sure.sum() < ENOUGH:
            return "open"
        if contrary.sum() <= CONTRARY * sure.sum():
            return "right"
        return "wrong" if sure.sum() >= SHARP * len(sure) else "open"

    def right(self) -> Array:
        """The chance that each hint is right, if a tenth of all are wrong: a hint against all odds may still be.

        By Bayes' rule, with p the chance of what was said and e the share of errors: (1 − e) p to e (1 − p).
        """
        stated, opposite = (1 - ERRORS) * (1 - self.wrong), ERRORS * self.wrong
        return stated / (stated + opposite)

    def suspects(self, rows: Array | None = None) -> tuple[Suspect, ...]:
        """All hints, the most likely to be wrong first; ``rows`` are the numbers of the rows, unless as they are."""
        pairs = self.statements.pairs if rows is None else rows[self.statements.pairs]
        wrong = 1.0 - self.right()
        order = np.argsort(-wrong, kind="stable")
        kinds = np.where(self.statements.same, "must-link", "cannot-link")
        return tuple(
            Suspect((int(i), int(j)), str(kinds[t]), float(wrong[t]), float(self.together[t]))
            for t, (i, j) in zip(order.tolist(), pairs[order], strict=True)
        )
