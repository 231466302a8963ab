"""The constrained result: training members, reweighting doubtful constraints, and the consensus or the fallback."""

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
"""With fewer constraints, given and implied, the result falls back to the unsupervised one."""

N_STARTS = 5
"""Number of initializations of the final k-means; a single one if it can also start from previous labels."""


@dataclass(frozen=True)
class Consensus:
    """The consensus of the ensemble under constraints.

    Attributes
    ----------
    labels : (n,) ints
    embedding : (n, k) array
        The consensus embedding that was clustered.
    members : tuple of Member
        Empty if there were too few constraints to train any.
    folds : (n,) ints
        The fold of each row; a member is trained without the constraints on the rows of its fold.
    evidence : Evidence
        The held-out evidence for the given constraints.
    fallback : str
        Why the result falls back to the unsupervised one; empty if it does not.
    closed : bool
        Whether constraints were finally treated as certain, so that must-link groups stay together.
    applied : Constraints
        The constraints of the final k-means: as given, or reweighted and without those that are probably wrong.
    stated : Constraints
        The constraints as interpreted: as given, or with comparisons read as pairs.
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
        """The share of each family in the result; only unsupervised runs have one if the result falls back."""
        if self.fallback:
            return {name: float(name == UNSUPERVISED) for name in self.evidence.weights}
        weights = self.evidence.faded_weights()
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}

    @property
    def constraint_weight(self) -> float:
        """The weight of constraints in the result, from 0 to 1; 0 if the result falls back."""
        return 0.0 if self.fallback else self.evidence.constraint_weight


def apply_constraints(
    trainer: Trainer,
    constraints: Constraints,
    trust: str,
    previous: Consensus | None = None,
    chosen: bool = False,
) -> Consensus:
    """Cluster under constraints, depending on how far they can be trusted.

    With ``trust="auto"``, constraints are treated as certain, so that all must-links hold, if held-out members confirm
    them or if there are too few to train members. Of few constraints, those that contradict others are left out, since
    those that follow from the rest are worth more. If members are not sure, they are kept, but each constraint of the
    final k-means may be violated at a penalty. If constraints look wrong, or contradict each other, members are trained
    again, without closure, on constraints weighted by the probability that they are right; then a single wrong
    must-link no longer merges two whole groups.

    The less evidence there is that members predict held-out constraints better than the unsupervised runs do, the more
    weight the unsupervised runs have in the consensus (:meth:`Evidence.faded_weights`). If there are too few
    constraints to learn from, or if there is no evidence at all, the result falls back to the unsupervised embedding,
    clustered under the constraints.

    Comparisons are read as pairs if ties were left open (:func:`likewise.front._answerer.are_pairs`). Otherwise members
    are trained on the comparisons themselves.

    ``previous`` is the consensus under fewer constraints; training starts from its members. With ``chosen``,
    constraints are answers to chosen questions about pairs.
    """
    unsupervised, rng, n_clusters = trainer.unsupervised, trainer.rng, trainer.n_clusters
    if are_pairs(constraints.comparisons, unsupervised):
        constraints = constraints.as_pairs()
    contradictory = bool(constraints.only("pairs").conflicts(limit=1))
    if contradictory and trust == "auto" and count_constraints(constraints) < MIN_CONSTRAINTS:
        constraints, _ = constraints.drop_conflicts()
        contradictory = False
    certain = _are_certain(constraints) and not contradictory
    closed = trust == "strict" or (trust == "auto" and certain)
    statements = Statements.with_entailed(constraints, rng) if closed else Statements.of(constraints, rng)
    members: list[Member] = []
    folds = np.zeros(trainer.features.n, dtype=np.int64)
    start_from = (previous.members, previous.folds) if previous is not None and previous.members else ((), None)
    fallback = _too_few(constraints, statements, n_clusters)
    if not fallback:
        reserve = float(trust == "auto")
        members, folds = trainer.train(constraints, *start_from, closed=closed, reserve=reserve)
        fallback = "" if members else "no clustering was trained on hints"
    held_out = trainer.held_out(constraints, folds)
    evidence = Evidence.of(statements, members, folds, unsupervised, rng, held_out, chosen)
    applied = constraints
    if trust == "auto" and members:
        verdict = evidence.verdict() if closed else "wrong"
        if constraints.n_cannot_link == 0 and evidence.constraint_weight < 0.5:
            # Members with a single cluster satisfy all must-links; the unsupervised runs do not have this flaw.
            verdict = Evidence.of(statements, (), folds, unsupervised, rng).verdict()
        if verdict == "wrong":
            applied = reweighted(constraints, evidence)
            again, folds_again = trainer.train(applied, *start_from, closed=False)
            if again:
                members, folds = again, folds_again
                # All constraints are tested again: those left out were not chosen by these members.
                held_out = trainer.held_out(constraints, folds)
                evidence = Evidence.of(statements, members, folds, unsupervised, rng, held_out, chosen)
        closed = verdict == "right"
    starts = [unsupervised.labels]
    if fallback or evidence.constraint_weight == 0:
        embedding = unsupervised.embedding
        n_init = 0
    else:
        ensemble = [*unsupervised_members(unsupervised), *members]
        weights = member_weights(ensemble, evidence.faded_weights())
        labelings = [member.labels for member, weight in zip(ensemble, weights, strict=True) if weight > 0]
        embedding, _ = consensus_embedding(labelings, n_clusters, weights=weights[weights > 0])
        n_init = N_STARTS if previous is None else 1
        if previous is not None:
            starts.append(previous.labels)
    labels = constrained_kmeans(embedding, n_clusters, applied, rng, closed=closed, starts=starts, n_init=n_init)
    return Consensus(labels, embedding, tuple(members), folds, evidence, fallback, closed, applied, constraints)


def _too_few(constraints: Constraints, statements: Statements, n_clusters: int) -> str:
    """Why there are too few constraints to learn from; empty if there are enough."""
    worth = worth_in_pairs(constraints, n_clusters)
    if max(count_constraints(constraints), len(statements)) + worth >= MIN_CONSTRAINTS:
        return ""
    only_pairs = not len(constraints.comparisons) and not constraints.preferences
    return f"fewer than {MIN_CONSTRAINTS} hints" if only_pairs else f"worth fewer than {MIN_CONSTRAINTS} pairs"


def count_constraints(constraints: Constraints) -> int:
    """Number of must-links and cannot-links, including those of partitions."""
    return constraints.n_must_link + constraints.n_cannot_link


def reweighted(constraints: Constraints, evidence: Evidence) -> Constraints:
    """The pairs weighted by the probability that they are right, without those that are more likely wrong than right.

    Partitions are expanded to pairs, unless there are more than ``MAX_PAIRS``.
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
