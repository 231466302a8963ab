"""Late landmarks: extending a fitted ensemble to rows that are constrained only by constraints added later."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import FloatArray, IntArray
from ..linalg._eigen import unit_length
from ..linalg._row_matrix import indicator
from ._consensus import Consensus
from ._folds import row_folds
from ._landmarks import Landmarks
from ._learned_map import Space
from ._members import Member
from ._unsupervised import Features, Unsupervised


@dataclass(frozen=True)
class LateLandmarks:
    """Rows that are added to the landmarks; their labels and coordinates come from the landmarks nearest to them.

    Attributes
    ----------
    rows : (r,) ints
    features : (r, d) array
        Linear and graph features.
    weights : (r, m) CSR matrix
        The weights between these rows and their nearest landmarks.
    """

    rows: IntArray
    features: FloatArray
    weights: Any

    @classmethod
    def of(cls, landmarks: Landmarks, rows: IntArray) -> LateLandmarks:
        """Take the features and weights of some rows."""
        return cls(rows, landmarks.features[rows], landmarks.weights[rows])

    def join(self, landmarks: Landmarks) -> Landmarks:
        """Append these rows to the landmarks."""
        return replace(landmarks, rows=np.append(landmarks.rows, self.rows))

    def extend_features(self, features: Features) -> Features:
        """Append the features of these rows."""
        return features.extended(self.features)

    def extend_labels(self, labels: IntArray) -> IntArray:
        """Append the labels of these rows, by a weighted vote of their nearest landmarks."""
        votes = self.weights @ indicator(labels[: self.weights.shape[1]])
        return np.append(labels, votes.toarray().argmax(axis=1))

    def extend_embedding(self, Z: FloatArray) -> FloatArray:
        """Append the coordinates of these rows, scaled to unit length."""
        return np.concatenate([Z, unit_length(self.weights @ Z[: self.weights.shape[1]]).astype(Z.dtype)])

    def extend_unsupervised(self, unsupervised: Unsupervised) -> Unsupervised:
        """Append these rows to the unsupervised result."""
        return replace(
            unsupervised,
            labels=self.extend_labels(unsupervised.labels),
            embedding=self.extend_embedding(unsupervised.embedding),
            labelings=[self.extend_labels(labels) for labels in unsupervised.labelings],
        )

    def extend_consensus(self, consensus: Consensus | None, rng: np.random.RandomState) -> Consensus | None:
        """Append these rows to the consensus under fewer constraints."""
        if consensus is None:
            return None
        return replace(
            consensus,
            labels=self.extend_labels(consensus.labels),
            members=tuple(self._extend_member(member) for member in consensus.members),
            folds=np.append(consensus.folds, row_folds(len(self.rows), rng)),
        )

    def _extend_member(self, member: Member) -> Member:
        kept = Space(self.extend_embedding(member.kept.F)) if isinstance(member.kept, Space) else member.kept
        return replace(member, labels=self.extend_labels(member.labels), kept=kept)
