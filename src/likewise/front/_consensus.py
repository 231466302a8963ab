"""From constraints to labels: members, their consensus, the fallback, and what becomes of doubtful constraints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FloatArray, IntArray
from ..clustering._base import uncertain_weight
from ..clustering.agreement._hbgf import consensus_embedding
from ..constraints import Constraints
from ._evidence import UNSUPERVISED, Evidence, member_weights
from ._folds import MAX_PAIRS, Statements
from ._kmeans import constrained_kmeans
from ._members import Member
from ._training import Trainer

MIN_CONSTRAINTS = 25
"""With fewer constraints the result falls back to the unsupervised one."""

MIN_GAIN = 0.5
"""So it does if learning does not explain unseen constraints better by more than this (log-likelihood)."""

GAIN_ERRORS = 0.5
"""The gain must be larger still, by so many of its standard errors."""

N_STARTS = 5
"""Of the last k-means; one is enough beside the labels with fewer constraints."""


@dataclass(frozen=True)
class Consensus:
    """Labels, and how they came about.

    Attributes
    ----------
    labels : (n,) ints
    embedding : (n, k) array
        The space they were found in.
    members : tuple of Member
        Empty where there were too few constraints to train any.
    folds : (n,) ints
        The fold of each row, for what members did not see.
    evidence : Evidence
        For the constraints as given.
    fallback : str
        Why the result falls back to the unsupervised one; empty if it does not.
    closed : bool
        Whether constraints were taken as certain in the end: must-link groups moved as one.
    applied : Constraints
        The constraints that the labels were found with: as given, or weighted, without those left out.
    """

    labels: IntArray
    embedding: FloatArray
    members: tuple[Member, ...]
    folds: IntArray
    evidence: Evidence
    fallback: str
    closed: bool
    applied: Constraints

    @property
    def weights(self) -> dict[str, float]:
        """How much each family counts in the result: members count nothing where it falls back."""
        if not self.fallback:
            return self.evidence.weights
        return {name: float(name == UNSUPERVISED) for name in self.evidence.weights}


def apply_constraints(
    trainer: Trainer, constraints: Constraints, trust: str, previous: Consensus | None = None
) -> Consensus:
    """Cluster under constraints, as far as they can be trusted.

    Under "auto" constraints are certain if they look right to members that did not see them, or are too few to train
    any: must-links hold. If members are not sure, what they learned from certain constraints stays, but each may be
    broken at its price. If constraints look wrong, or contradict each other, members learn again, without closure, from
    constraints weighted by the probability that they are right; one wrong must-link then no longer merges two whole
    groups.

    The result falls back to the unsupervised one where constraints are few, where there is not even one must-link a
    cluster (with two clusters a cannot-link says as much), and where members do not explain unseen constraints better
    by more than chance.

    ``previous`` is the consensus with fewer constraints: members start from its members.
    """
    unsupervised, rng, n_clusters = trainer.unsupervised, trainer.rng, trainer.n_clusters
    statements = Statements.of(constraints, rng)
    closed = trust == "strict" or (trust == "auto" and _are_certain(constraints) and not constraints.conflicts(limit=1))
    members: list[Member] = []
    folds = np.zeros(trainer.features.n, dtype=np.int64)
    earlier: tuple[Member, ...] = ()
    earlier_folds = None
    if previous is not None and previous.members:
        earlier, earlier_folds = previous.members, previous.folds
    fallback = f"fewer than {MIN_CONSTRAINTS} hints" if count_constraints(constraints) < MIN_CONSTRAINTS else ""
    if not fallback:
        reserve = float(trust == "auto")
        members, folds = trainer.train(constraints, earlier, earlier_folds, closed=closed, reserve=reserve)
        fallback = "" if members else "no clustering was trained on hints"
    evidence = Evidence.of(statements, members, folds, unsupervised.labelings, rng)
    applied = constraints
    if trust == "auto" and members:
        verdict = evidence.verdict() if closed else "wrong"
        if constraints.n_cannot_link == 0 and not _is_worth_learning(evidence):
            # Members that put all rows together keep every must-link; unsupervised runs cannot be fooled by that.
            verdict = Evidence.of(statements, (), folds, unsupervised.labelings, rng).verdict()
        if verdict == "wrong":
            applied = reweighted(constraints, evidence)
            again, folds_again = trainer.train(applied, earlier, earlier_folds, closed=False)
            if again:
                members, folds = again, folds_again
                # all constraints are tested again: those left out were not chosen by these members
                evidence = Evidence.of(statements, members, folds, unsupervised.labelings, rng)
        closed = verdict == "right"
    if not fallback and 2 < n_clusters > constraints.n_must_link:
        fallback = f"fewer must-links than clusters ({constraints.n_must_link} and {n_clusters})"
    if not fallback and not _is_worth_learning(evidence):
        fallback = f"learning from hints gains {evidence.gain:.1f} ± {evidence.error:.1f} on unseen ones, not enough"
    starts = [unsupervised.labels]
    if fallback:
        embedding = unsupervised.embedding
        n_init = 0
    else:
        everyone = [*(Member(UNSUPERVISED, labels, -1) for labels in unsupervised.labelings), *members]
        weights = member_weights(everyone, evidence.weights)
        embedding, _ = consensus_embedding([member.labels for member in everyone], n_clusters, weights=weights)
        n_init = N_STARTS if previous is None else 1
        if previous is not None:
            starts.append(previous.labels)
    labels = constrained_kmeans(embedding, n_clusters, applied, rng, closed=closed, starts=starts, n_init=n_init)
    return Consensus(labels, embedding, tuple(members), folds, evidence, fallback, closed, applied)


def _is_worth_learning(evidence: Evidence) -> bool:
    """Whether members explain unseen constraints better than the unsupervised runs do, by more than chance."""
    return evidence.gain - GAIN_ERRORS * evidence.error > MIN_GAIN


def count_constraints(constraints: Constraints) -> int:
    """Pairs, but no more than there are rows in them: 18 labels are 18 statements, though they imply 153 pairs."""
    return min(constraints.n_must_link + constraints.n_cannot_link, int(constraints.constrained_rows().sum()))


def reweighted(constraints: Constraints, evidence: Evidence) -> Constraints:
    """The pairs weighted by the probability that they are right, without those that are more likely wrong.

    Partitions are written out as their pairs, unless these are more than evidence was gathered on.
    """
    if constraints.n_must_link + constraints.n_cannot_link <= MAX_PAIRS:
        constraints = constraints.expand(limit=MAX_PAIRS)
    right, pairs, same = evidence.right(), evidence.statements.pairs, evidence.statements.same
    place = {(int(i), int(j), bool(kind)): t for t, ((i, j), kind) in enumerate(zip(pairs, same, strict=True))}
    kept = []
    for links, weights, kind in (
        (constraints.must_link, constraints.must_weight, True),
        (constraints.cannot_link, constraints.cannot_weight, False),
    ):
        chance = right[[place[int(i), int(j), kind] for i, j in links]] if len(links) else np.zeros(0)
        likely = chance >= 0.5
        kept.append((links[likely], (weights * chance)[likely]))
    (must, must_weight), (cannot, cannot_weight) = kept
    return Constraints(constraints.n_samples, must, cannot, must_weight, cannot_weight, constraints.partitions)


def _are_certain(constraints: Constraints) -> bool:
    """Whether every must-link has weight 1."""
    return uncertain_weight(constraints, ("must",)) is None
