"""Which rows the ensemble is made of: every row, or landmarks by which all others are placed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from .._arrays import BoolArray, FloatArray, IntArray, slices
from .._progress import stage
from .._saved import Saved, check_shape
from .._threads import parallel_map
from ..constraints import Constraints
from ..graphs._fuzzy import Nearness
from ..linalg._eigen import unit_length
from ..linalg._row_matrix import indicator
from ._kmeans import constrained_kmeans
from ._unsupervised import Features

MAX_LANDMARKS = 10_000
"""Rows up to which all are in the ensemble; of more, so many landmarks are."""

MAX_CONSTRAINED = 5_000
"""Landmarks that are there because a constraint touches them, at most."""

BATCH_ROWS = 2_048
"""Rows that are placed at once."""

N_VOTERS = 10
"""Rows near a new one that vote for its cluster."""


def choose_rows(
    constraints: Constraints, rng: np.random.RandomState, drawn: BoolArray | None = None
) -> IntArray | None:
    """The landmarks: rows that constraints touch, and others at random. None where every row is in the ensemble.

    ``drawn`` is a mask of rows that stand for all others: where it is given, those are the others.
    """
    n = constraints.n_samples
    if n <= MAX_LANDMARKS:
        return None
    # pair by pair, so that both rows of a constraint are in
    pairs = rng.permutation(np.concatenate([constraints.must_link, constraints.cannot_link])).ravel()
    touched = np.concatenate([pairs, rng.permutation(np.flatnonzero(constraints.constrained_rows()))])
    comparisons = constraints.comparisons
    if len(comparisons):
        touched = np.concatenate([touched, rng.permutation(np.hstack([comparisons.near, comparisons.far])).ravel()])
    _, first = np.unique(touched, return_index=True)
    touched = touched[np.sort(first)][:MAX_CONSTRAINED]
    room = MAX_LANDMARKS - len(touched)
    others = np.setdiff1d(np.arange(n) if drawn is None else np.flatnonzero(drawn), touched)
    return np.sort(np.concatenate([touched, rng.choice(others, room, replace=False) if len(others) > room else others]))


def _check_every_row(placement: Any) -> None:
    if placement.n != placement.near.n:
        raise ValueError(f"{placement.n} rows and {placement.near.n} by which new ones are placed do not fit together")


def _check_landmarks(placement: Any) -> None:
    check_shape(placement.rows, (None,), "rows", "i")
    rows, n_anchors = placement.rows, placement.near.n
    if len(rows) < n_anchors or not 0 <= rows.min() <= rows.max() < placement.n:
        raise ValueError(f"{placement.n} rows and {n_anchors} landmarks do not fit together")


@dataclass
class EveryRow:
    """Every row is in the ensemble: what is found for it holds for all rows as it is.

    Attributes
    ----------
    n : int
        Number of rows.
    near : Nearness
        Finds the rows near new ones, in linear and graph features.
    """

    _saved: ClassVar[Saved] = Saved(("n",), parts={"near": Nearness}, check=_check_every_row)

    n: int
    near: Nearness

    n_landmarks: ClassVar[int] = 0

    @classmethod
    def of(cls, features: Features) -> EveryRow:
        """All rows that have features."""
        return cls(features.n, _near(features))

    @property
    def rows(self) -> IntArray:
        """The rows of the ensemble, in its order."""
        return np.arange(self.n)

    @property
    def anchors(self) -> Any:
        """An index of the rows by which new ones are placed."""
        return slice(None)

    def restrict(self, constraints: Constraints) -> Constraints:
        """The constraints among the rows of the ensemble."""
        return constraints

    def merge(self, constraints: Constraints, applied: Constraints) -> Constraints:
        """Constraints on all rows: those within the ensemble as they were ``applied`` there, the others as given."""
        return applied

    def average(self, values: FloatArray) -> FloatArray:
        """For each row the mean of the values of those near it; for a row of the ensemble its own."""
        return values

    def directions(self, Z: FloatArray) -> FloatArray:
        """The same for coordinates of unit length."""
        return Z

    def vote(self, labels: IntArray) -> IntArray:
        """For each row the cluster that most of the rows near it are in."""
        return labels

    def label(self, labels: IntArray, *_: Any, closed: bool) -> IntArray:
        """The labels of all rows, from those of the ensemble."""
        return labels


@dataclass
class Landmarks:
    """Some rows are in the ensemble, and all others are placed by those near them; methods as in :class:`EveryRow`.

    Attributes
    ----------
    n, near
    rows : (m,) ints
        The landmarks, and after them late ones, which only constraints that were added touch.
    weights : (n, near.n) CSR matrix
        The weights of each row to the landmarks near it.
    features : (n, d) array
        All rows in linear and graph features.
    """

    _saved: ClassVar[Saved] = Saved(("n", "rows"), parts={"near": Nearness}, check=_check_landmarks)

    n: int
    near: Nearness
    rows: IntArray
    weights: Any = None
    features: Any = None

    @classmethod
    def of(cls, features: Features, X: Any, rows: IntArray, n_jobs: int | None = None) -> Landmarks:
        """Place all rows of X, of which ``rows`` have features."""
        near = _near(features)
        n = X.shape[0]

        def place(batch: slice) -> tuple[FloatArray, Any]:
            placed = features.transform(X[batch])
            return placed, near.of(placed)

        with stage("placing rows"):
            batches = parallel_map(place, slices(n, BATCH_ROWS), n_jobs, report=True)
        placed, weights = zip(*batches, strict=True)
        return cls(n, near, rows, sparse.csr_array(sparse.vstack(weights)), np.concatenate(placed))

    @property
    def anchors(self) -> Any:
        return self.rows[: self.near.n]

    @property
    def n_landmarks(self) -> int:
        return len(self.rows)

    def restrict(self, constraints: Constraints) -> Constraints:
        return constraints.restrict(self.rows)

    def merge(self, constraints: Constraints, applied: Constraints) -> Constraints:
        inside = np.zeros(self.n, dtype=np.bool_)
        inside[self.rows] = True
        must_beyond = ~inside[constraints.must_link].all(axis=1)
        cannot_beyond = ~inside[constraints.cannot_link].all(axis=1)
        return Constraints(
            self.n,
            np.concatenate([self.rows[applied.must_link], constraints.must_link[must_beyond]]),
            np.concatenate([self.rows[applied.cannot_link], constraints.cannot_link[cannot_beyond]]),
            np.concatenate([applied.must_weight, constraints.must_weight[must_beyond]]),
            np.concatenate([applied.cannot_weight, constraints.cannot_weight[cannot_beyond]]),
            constraints.partitions,
            constraints.comparisons,
            constraints.preferences,
        )

    def average(self, values: FloatArray) -> FloatArray:
        total = np.asarray(self.weights.sum(axis=1)).ravel()
        scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        averaged = sparse.diags_array(scale) @ self.weights @ values[: self.near.n]
        averaged[self.rows] = values
        return averaged

    def directions(self, Z: FloatArray) -> FloatArray:
        return unit_length(self.average(Z))

    def vote(self, labels: IntArray) -> IntArray:
        return self.average(indicator(labels).toarray()).argmax(axis=1)

    def label(
        self,
        labels: IntArray,
        Z: FloatArray,
        constraints: Constraints,
        n_clusters: int,
        rng: np.random.RandomState,
        *,
        closed: bool,
    ) -> IntArray:
        """k-means of all rows, which lie at ``Z``, under all constraints, from where the ensemble votes for."""
        closed = closed and not constraints.only("pairs").conflicts(limit=1)
        return constrained_kmeans(Z, n_clusters, constraints, rng, closed=closed, starts=[self.vote(labels)])

    def late_rows(self, constraints: Constraints) -> IntArray:
        """The rows that constraints touch and that are no landmarks yet, as far as there is room for more."""
        room = max(MAX_LANDMARKS + MAX_CONSTRAINED - len(self.rows), 0)
        touched = constraints.constrained_rows() | constraints.comparisons.compared_rows()
        return np.setdiff1d(np.flatnonzero(touched), self.rows)[:room]


Placement = EveryRow | Landmarks


def _near(features: Features) -> Nearness:
    return Nearness(features.both.F, min(N_VOTERS, features.n - 1), "euclidean")
