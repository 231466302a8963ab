"""The committee of clusterings that votes on pairs of rows, and the calibration of its votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .._arrays import FloatArray, IntArray
from ..front import Likewise
from ..front._evidence import UNSUPERVISED, calibrated, member_weights, unsupervised_members
from ..front._folds import Statements

MAX_EARLIER = 25.0
"""Maximum total weight of earlier hints in the calibration, since they were not chosen like questions."""

MIN_SLOPE = 1.0
"""Lower bound of the slope of the calibration, so that the probability of "same" increases with the votes."""


@dataclass(frozen=True)
class Committee:
    """Clusterings of the same rows, with weights.

    Attributes
    ----------
    rows : (m,) ints
        The rows that are clustered.
    labelings : (c, m) ints
    weights : (c,) floats
        The weights of the clusterings, with sum 1.
    """

    rows: IntArray
    labelings: IntArray
    weights: FloatArray

    @classmethod
    def of_model(cls, model: Likewise) -> Committee:
        """The ensemble of a fitted model; with more than 10,000 rows, it clusters only the landmarks.

        Members have the weights that they would have if the constraints were not answers to questions: a row that they
        place wrongly is asked about sooner, so there is no need to be cautious.
        """
        consensus = model._consensus
        members = unsupervised_members(model._unsupervised)
        families = {UNSUPERVISED: 1.0}
        if consensus is not None:
            members += consensus.members
            families = replace(consensus, evidence=replace(consensus.evidence, chosen=False)).weights
        weights = member_weights(members, families)
        counted = np.flatnonzero(weights > 0)
        labelings = np.array([members[number].labels for number in counted])
        return cls(model._placement.rows, labelings, weights[counted] / weights.sum())

    @classmethod
    def of_labelings(cls, labelings: Any, weights: Any = None) -> Committee:
        """A committee of any labelings; rows with negative labels are in no cluster.

        Labels and labelings are put into a canonical order, so that the result does not depend on the names of clusters
        and the order of labelings.
        """
        codes = []
        for labels in labelings:
            labels = np.asarray(labels)
            _, first, code = np.unique(labels, return_index=True, return_inverse=True)
            code = np.argsort(np.argsort(first))[code.ravel()]
            alone = np.flatnonzero(labels < 0) if labels.dtype.kind in "if" else np.zeros(0, dtype=np.int64)
            code[alone] = code.max() + 1 + np.arange(len(alone))
            codes.append(code)
        counts = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
        order = sorted(range(len(codes)), key=lambda number: (codes[number].tolist(), counts[number]))
        return cls(np.arange(len(codes[0])), np.array(codes)[order], counts[order] / counts.sum())

    def coassociation(self, places: IntArray) -> NDArray[np.float32]:
        """The (p, p) matrix of votes for each pair of some rows to be in the same cluster."""
        columns = []
        for labels, weight in zip(self.labelings[:, places], self.weights, strict=True):
            code = np.unique(labels, return_inverse=True)[1]
            columns.append(np.sqrt(np.float32(weight)) * np.eye(int(code.max(initial=-1)) + 1, dtype=np.float32)[code])
        shares = np.hstack(columns)
        votes: NDArray[np.float32] = shares @ shares.T
        return votes


@dataclass(frozen=True)
class Calibration:
    """Logistic calibration from votes to the probability of "same".

    Attributes
    ----------
    offset : float
        The log odds at half of the votes.
    slope : float
    """

    offset: float = 0.0
    slope: float = 6.0

    @classmethod
    def of(cls, votes: Sequence[float], same: Sequence[bool], weights: Sequence[float]) -> Calibration:
        """Fit the calibration to answers and the votes for their pairs when the questions were asked.

        >>> Calibration.of([], [], [])
        Calibration(offset=0.0, slope=6.0)
        >>> surprised = Calibration.of([0.9] * 9, [False] * 9, [1.0] * 9)
        >>> bool(surprised.chance(0.9) < 0.5)
        True
        """
        ends = [0.0, 1.0]  # with weight 0, to evaluate the fitted line
        statements = Statements(
            np.zeros((len(votes) + 2, 2), dtype=np.int64),
            np.array([*same, False, True]),
            np.array([*weights, 0.0, 0.0]),
        )
        odds = calibrated(np.array([*votes, *ends]), statements)
        low, high = float(odds[-2]), float(odds[-1])
        return cls((low + high) / 2, max(high - low, MIN_SLOPE))

    def chance(self, votes: Any) -> Any:
        """The probability that two rows are the same, given the share of votes for it."""
        return expit(self.offset + self.slope * (votes - 0.5))


def earlier_votes(model: Likewise) -> tuple[list[float], list[bool], list[float]]:
    """The held-out votes on the hints of a model, whether each is a must-link, and their weights for calibration."""
    consensus = model._consensus
    if consensus is None or not consensus.members:
        return [], [], []
    evidence = consensus.evidence
    together = evidence.together[: evidence.statements.n_stated]
    weight = min(1.0, MAX_EARLIER / max(len(together), 1))
    return together.tolist(), evidence.statements.same[: len(together)].tolist(), [weight] * len(together)
