"""From hints to an answer: members, their consensus, the guard, and what becomes of doubtful hints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..clustering.agreement._hbgf import consensus_embedding
from ..constraints import Constraints
from ..constraints._overlap import pair_weights
from ._evidence import UNHINTED, Evidence
from ._folds import Statements
from ._kmeans import hinted_run
from ._matching import family_weights
from ._members import Member
from ._training import Teacher

Array = np.ndarray

FEW = 25
"""With fewer hints the answer stays next to the one without."""

LEAST_GAIN = 0.5
"""So it does if learning from hints does not explain unseen ones better by more than this (log-likelihood)."""

DOUBT = 0.5
"""The gain must be larger still, by so many of its standard errors."""

STARTS = 5
"""Of the last k-means; one is enough beside where the answer with fewer hints was."""


@dataclass(frozen=True)
class Answer:
    """Labels, and how they came about.

    Attributes
    ----------
    labels : (n,) ints
    embedding : (n, k) array
        The space they were found in.
    members : tuple of Member
        Empty where too few hints were there to train any.
    folds : (n,) ints
        The fold of each row, for what members did not see.
    evidence : Evidence
        For the hints as given.
    guard : str
        Why the answer stays next to the one without hints; empty if it does not.
    closed : bool
        Whether hints were taken as certain in the end: must-link groups moved as one.
    heard : Constraints
        The hints that the labels were found with: as given, or weighed, without those left out.
    """

    labels: Array
    embedding: Array
    members: tuple[Member, ...]
    folds: Array
    evidence: Evidence
    guard: str
    closed: bool
    heard: Constraints


def heed(teacher: Teacher, hints: Constraints, trust: str, before: Answer | None = None) -> Answer:
    """Cluster as the hints say, as far as they can be believed.

    Under "auto" hints are certain if they look right to members that did not see them, or are too few to train any:
    must-links hold. If members are not sure, what they learned from certain hints stays, but each hint may be broken at
    its price. If hints look wrong, or contradict each other, members learn again, without closure, from hints weighed
    by the chance that they are right; one wrong must-link then no longer merges two whole groups.

    The answer stays next to the one without hints (the guard) where hints are few, where not even one must-link a
    cluster says what clusters are like (with two clusters a cannot-link says as much), and where members do not explain
    unseen hints better by more than chance.

    ``before`` is the answer with fewer hints: members start from those behind it.
    """
    base, rng, n_clusters = teacher.base, teacher.rng, teacher.n_clusters
    statements = Statements.of(hints, rng)
    closed = trust == "strict" or (trust == "auto" and certain(hints) and not hints.conflicts(limit=1))
    members: list[Member] = []
    folds = np.zeros(teacher.ground.n, dtype=np.int64)
    earlier, drawn = (before.members, before.folds) if before is not None and before.members else ((), None)
    guard = f"fewer than {FEW} hints" if n_hints(hints) < FEW else ""
    if not guard:
        members, folds = teacher.train(hints, earlier, drawn, closed=closed, reserve=float(trust == "auto"))
        guard = "" if members else "no clustering was trained on hints"
    evidence = Evidence.of(statements, members, folds, base.labelings, rng)
    heard = hints
    if trust == "auto" and members:
        verdict = evidence.verdict() if closed else "wrong"
        if hints.n_cannot_link == 0 and not learned(evidence):
            # Members that put all rows together keep every must-link; the runs without hints cannot fall for that.
            verdict = Evidence.of(statements, (), folds, base.labelings, rng).verdict()
        if verdict == "wrong":
            heard = weighed(hints, evidence)
            again, folds_again = teacher.train(heard, earlier, drawn, closed=False)
            if again:
                members, folds = again, folds_again
                # all hints are asked again: those left out were not chosen by these members
                evidence = Evidence.of(statements, members, folds, base.labelings, rng)
        closed = verdict == "right"
    if not guard and 2 < n_clusters > hints.n_must_link:
        guard = f"fewer must-links than clusters ({hints.n_must_link} and {n_clusters})"
    if not guard and not learned(evidence):
        guard = f"learning from hints gains {evidence.gain:.1f} ± {evidence.error:.1f} on unseen ones, not enough"
    if guard:
        embedding, starts, n_init = base.embedding, [base.labels], 0
    else:
        everyone = [*(Member(UNHINTED, run, -1) for run in base.labelings), *members]
        weights = family_weights(everyone, evidence.voices)
        labelings = [member.labels for member in everyone]
        embedding = consensus_embedding(labelings, n_clusters, weights=weights)[0]
        starts, n_init = ([base.labels], STARTS) if before is None else ([base.labels, before.labels], 1)
    labels = hinted_run(embedding, n_clusters, heard, rng, closed=closed, starts=starts, n_init=n_init)
    return Answer(labels, embedding, tuple(members), folds, evidence, guard, closed, heard)


def learned(evidence: Evidence) -> bool:
    """Whether members explain unseen hints better than the runs without hints do, by more than chance."""
    return evidence.gain - DOUBT * evidence.error > LEAST_GAIN


def n_hints(hints: Constraints) -> int:
    """How many things were said: pairs, and rows with a place in a partition."""
    return len(hints.must_link) + len(hints.cannot_link) + sum(part.n_known for part in hints.partitions)


def weighed(hints: Constraints, evidence: Evidence) -> Constraints:
    """The stated pairs weighed by the chance that they are right, without those that are more likely wrong.

    What a partition implies stays as it is: no pair of it can be taken out alone.
    """
    right, pairs, same = evidence.right(), evidence.statements.pairs, evidence.statements.same
    place = {(int(i), int(j), bool(kind)): t for t, ((i, j), kind) in enumerate(zip(pairs, same, strict=True))}
    kept = []
    for links, weights, kind in (
        (hints.must_link, hints.must_weight, True),
        (hints.cannot_link, hints.cannot_weight, False),
    ):
        chance = right[[place[int(i), int(j), kind] for i, j in links]] if len(links) else np.zeros(0)
        believed = chance >= 0.5
        kept.append((links[believed], (weights * chance)[believed]))
    (must, must_weight), (cannot, cannot_weight) = kept
    return Constraints(hints.n_samples, must, cannot, must_weight, cannot_weight, hints.partitions)


def certain(hints: Constraints) -> bool:
    """Whether no must-link carries a degree of belief."""
    return bool(np.all(pair_weights(hints, "must") == 1))
