"""Rows that hints speak of only later, when others stand for all already."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..linalg._eigen import unit_length
from ..linalg._row_matrix import indicator
from ._consensus import Answer
from ._folds import row_folds
from ._learned_map import Space
from ._members import Member
from ._unsupervised import Baseline, Ground

Array = np.ndarray


@dataclass(frozen=True)
class Newcomers:
    """Rows that join the landmarks late, with what the landmarks near them have.

    Attributes
    ----------
    rows : (r,) ints
    places : (r, d) array
        In linear and graph features.
    weights : (r, landmarks) CSR matrix
        How much each is tied to the landmarks near it.
    """

    rows: Array
    places: Array
    weights: Any

    def among(self, ground: Ground) -> Ground:
        """The ground with these rows at its end."""
        C = np.concatenate([ground.C.F, self.places])
        width = ground.L.F.shape[1]
        return Ground(ground.linear, ground.graph, Space(C[:, :width]), Space(C[:, width:]), Space(C), ground.graph_s)

    def labels(self, labels: Array) -> Array:
        """Labels with theirs at the end: those of most landmarks near them."""
        votes = self.weights @ indicator(labels[: self.weights.shape[1]])
        return np.append(labels, votes.toarray().argmax(axis=1))

    def directions(self, Z: Array) -> Array:
        """Coordinates of unit length, with theirs at the end."""
        return np.concatenate([Z, unit_length(self.weights @ Z[: self.weights.shape[1]]).astype(Z.dtype)])

    def baseline(self, base: Baseline) -> Baseline:
        """The answer without hints, with theirs."""
        labelings = [self.labels(labels) for labels in base.labelings]
        return replace(
            base, labels=self.labels(base.labels), embedding=self.directions(base.embedding), labelings=labelings
        )

    def answer(self, answer: Answer | None, rng: np.random.RandomState) -> Answer | None:
        """The answer with fewer hints, whose members have placed them, too."""
        if answer is None:
            return None
        folds = np.append(answer.folds, row_folds(len(self.rows), rng))
        members, labels = tuple(map(self._member, answer.members)), self.labels(answer.labels)
        return replace(answer, labels=labels, members=members, folds=folds)

    def _member(self, member: Member) -> Member:
        kept = Space(self.directions(member.kept.F)) if isinstance(member.kept, Space) else member.kept
        return replace(member, labels=self.labels(member.labels), kept=kept)
