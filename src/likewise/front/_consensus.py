"""From constraints to labels: members, their consensus, the fallback, and what becomes of doubtful constraints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FloatArray, IntArray
from ..clustering._base import uncertain_weight
from ..clustering.agreement._hbgf import consensus_embedding
from ..constraints import Constraints
from ._answerer import are_pairs, worth_in_pairs
from ._evidence import UNSUPERVISED, Evidence, member_weights, unsupervised_members
from ._folds import MAX_PAIRS, Statements
from ._kmeans import constrained_kmeans
from ._members import Member
from ._training import Trainer

MIN_CONSTRAINTS = 25
"""With fewer constraints, stated and entailed, the result falls back to the unsupervised one."""

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
    stated : Constraints
        The constraints as they were read: as given, or with comparisons read as pairs.
    """

    labels: IntArray
    embedding: FloatArray
    members: tuple[Member, ...]
    folds: IntArray
    evidence: Evidence
    fallback: str
    closed: bool
    applied: Constraints
    stated: Constraints

    @property
    def weights(self) -> dict[str, float]:
        """The share of each family in the result; members have none where it falls back."""
        if self.fallback:
            return {name: float(name == UNSUPERVISED) for name in self.evidence.weights}
        weights = self.evidence.faded_weights()
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}

    @property
    def constraint_weight(self) -> float:
        """How much of what was learned from constraints counts, from 0 to 1; 0 where the result falls back."""
        return 0.0 if self.fallback else self.evidence.constraint_weight


def apply_constraints(
    trainer: Trainer, constraints: Constraints, trust: str, previous: Consensus | None = None
) -> Consensus:
    """Cluster under constraints, as far as they can be trusted.

    Under "auto" constraints are certain if they look right to members that did not see them, or are too few to train
    any: must-links hold. If members are not sure, what they learned from certain constraints stays, but each may be
    broken at its price. If constraints look wrong, or contradict each other, members learn again, without closure, from
    constraints weighted by the probability that they are right; one wrong must-link then no longer merges two whole
    groups.

    What members learned fades with what it explains of unseen constraints: the less sure it is that they explain these
    better than the unsupervised runs do, the more these count (:meth:`Evidence.faded_weights`). Where constraints are
    too few to learn from, the result falls back to the unsupervised one, in which they are kept.

    Comparisons are read as pairs if who answered thought of clusters, and left open what these do not decide
    (:func:`likewise.front._answerer.are_pairs`). Forced answers are learned from as what they are.

    ``previous`` is the consensus with fewer constraints: members start from its members.
    """
    unsupervised, rng, n_clusters = trainer.unsupervised, trainer.rng, trainer.n_clusters
    if are_pairs(constraints.comparisons, unsupervised):
        constraints = constraints.as_pairs()
    stated = constraints
    certain = _are_certain(constraints) and not constraints.only("pairs").conflicts(limit=1)
    closed = trust == "strict" or (trust == "auto" and certain)
    statements = Statements.with_entailed(constraints, rng) if closed else Statements.of(constraints, rng)
    members: list[Member] = []
    folds = np.zeros(trainer.features.n, dtype=np.int64)
    earlier: tuple[Member, ...] = ()
    earlier_folds = None
    if previous is not None and previous.members:
        earlier, earlier_folds = previous.members, previous.folds
    n_constraints = max(count_constraints(constraints), len(statements)) + worth_in_pairs(constraints, n_clusters)
    fallback = ""
    if n_constraints < MIN_CONSTRAINTS:
        only_pairs = not len(constraints.comparisons) and not constraints.preferences
        fallback = f"fewer than {MIN_CONSTRAINTS} hints" if only_pairs else f"worth fewer than {MIN_CONSTRAINTS} pairs"
    if not fallback:
        reserve = float(trust == "auto")
        members, folds = trainer.train(constraints, earlier, earlier_folds, closed=closed, reserve=reserve)
        fallback = "" if members else "no clustering was trained on hints"
    evidence = Evidence.of(statements, members, folds, unsupervised, rng, trainer.held_out(constraints, folds))
    applied = constraints
    if trust == "auto" and members:
        verdict = evidence.verdict() if closed else "wrong"
        if constraints.n_cannot_link == 0 and evidence.constraint_weight < 0.5:
            # Members that put all rows together keep every must-link; unsupervised runs cannot be fooled by that.
            verdict = Evidence.of(statements, (), folds, unsupervised, rng).verdict()
        if verdict == "wrong":
            applied = reweighted(constraints, evidence)
            again, folds_again = trainer.train(applied, earlier, earlier_folds, closed=False)
            if again:
                members, folds = again, folds_again
                # all constraints are tested again: those left out were not chosen by these members
                held_out = trainer.held_out(constraints, folds)
                evidence = Evidence.of(statements, members, folds, unsupervised, rng, held_out)
        closed = verdict == "right"
    starts = [unsupervised.labels]
    if fallback:
        embedding = unsupervised.embedding
        n_init = 0
    else:
        everyone = [*unsupervised_members(unsupervised), *members]
        weights = member_weights(everyone, evidence.faded_weights())
        counting = [member.labels for member, weight in zip(everyone, weights, strict=True) if weight > 0]
        embedding, _ = consensus_embedding(counting, n_clusters, weights=weights[weights > 0])
        n_init = N_STARTS if previous is None else 1
        if previous is not None:
            starts.append(previous.labels)
    labels = constrained_kmeans(embedding, n_clusters, applied, rng, closed=closed, starts=starts, n_init=n_init)
    return Consensus(labels, embedding, tuple(members), folds, evidence, fallback, closed, applied, stated)


def count_constraints(constraints: Constraints) -> int:
    """How many pairs are stated or implied."""
    return constraints.n_must_link + constraints.n_cannot_link


def reweighted(constraints: Constraints, evidence: Evidence) -> Constraints:
    """The pairs weighted by the probability that they are right, without those that are more likely wrong.

    Partitions are written out as their pairs, unless these are more than evidence was gathered on.
    """
    if count_constraints(constraints) <= MAX_PAIRS:
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
    return Constraints(
        constraints.n_samples,
        must,
        cannot,
        must_weight,
        cannot_weight,
        constraints.partitions,
        constraints.comparisons,
        constraints.preferences,
    )


def _are_certain(constraints: Constraints) -> bool:
    """Whether every must-link has weight 1."""
    return uncertain_weight(constraints, ("must",)) is None
