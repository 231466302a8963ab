"""The rows that the ensemble clusters: all of them, or landmarks, from which other rows are assigned."""

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
"""Up to this number of rows, the ensemble clusters all of them; of more, this number of landmarks."""

MAX_CONSTRAINED = 5_000
"""Maximum number of landmarks that are chosen because they are constrained."""

BATCH_ROWS = 2_048
"""Number of rows that are assigned at once."""

N_VOTERS = 10
"""Number of nearest neighbors that vote for the cluster of a new row."""


def choose_rows(
    constraints: Constraints, rng: np.random.RandomState, drawn: BoolArray | None = None
) -> IntArray | None:
    """The landmarks: constrained rows and random others. None if the ensemble clusters all rows.

    ``drawn`` is an optional mask of the rows that the random ones are chosen from.
    """
    n = constraints.n_samples
    if n <= MAX_LANDMARKS:
        return None
    # Pair by pair, so that both rows of a constraint are landmarks.
    pairs = rng.permutation(np.concatenate([constraints.must_link, constraints.cannot_link])).ravel()
    constrained = np.concatenate([pairs, rng.permutation(np.flatnonzero(constraints.constrained_rows()))])
    comparisons = constraints.comparisons
    if len(comparisons):
        compared = rng.permutation(np.hstack([comparisons.near, comparisons.far])).ravel()
        constrained = np.concatenate([constrained, compared])
    _, first = np.unique(constrained, return_index=True)
    constrained = constrained[np.sort(first)][:MAX_CONSTRAINED]
    room = MAX_LANDMARKS - len(constrained)
    others = np.setdiff1d(np.arange(n) if drawn is None else np.flatnonzero(drawn), constrained)
    if len(others) > room:
        others = rng.choice(others, room, replace=False)
    return np.sort(np.concatenate([constrained, others]))


def _check_every_row(placement: Any) -> None:
    if placement.n != placement.near.n:
        raise ValueError(f"{placement.n} rows and {placement.near.n} rows in the neighbor search do not fit together")


def _check_landmarks(placement: Any) -> None:
    check_shape(placement.rows, (None,), "rows", "i")
    rows, n_anchors = placement.rows, placement.near.n
    if len(rows) < n_anchors or not 0 <= rows.min() <= rows.max() < placement.n:
        raise ValueError(f"{placement.n} rows and {n_anchors} landmarks do not fit together")


@dataclass
class EveryRow:
    """The ensemble clusters all rows, so its results need not be extended to other rows.

    Attributes
    ----------
    n : int
        Number of rows.
    near : Nearness
        Neighbor search for new rows, in linear and graph features.
    """

    _saved: ClassVar[Saved] = Saved(("n",), parts={"near": Nearness}, check=_check_every_row)

    n: int
    near: Nearness

    n_landmarks: ClassVar[int] = 0

    @classmethod
    def of(cls, features: Features) -> EveryRow:
        """Create the placement from the features of all rows."""
        return cls(features.n, _near(features))

    @property
    def rows(self) -> IntArray:
        """The indices of the ensemble's rows."""
        return np.arange(self.n)

    @property
    def anchors(self) -> Any:
        """An index of the rows in the neighbor search."""
        return slice(None)

    def restrict(self, constraints: Constraints) -> Constraints:
        """The constraints among the rows of the ensemble."""
        return constraints

    def merge(self, constraints: Constraints, applied: Constraints) -> Constraints:
        """Constraints on all rows: those ``applied`` within the ensemble, and the others as given."""
        return applied

    def average(self, values: FloatArray) -> FloatArray:
        """Extend values from the ensemble to all rows, by the weighted mean over nearest neighbors."""
        return values

    def directions(self, Z: FloatArray) -> FloatArray:
        """Extend coordinates of unit length from the ensemble to all rows."""
        return Z

    def vote(self, labels: IntArray) -> IntArray:
        """Extend labels from the ensemble to all rows, by a weighted vote of nearest neighbors."""
        return labels

    def label(self, labels: IntArray, *_: Any, closed: bool) -> IntArray:
        """The final labels of all rows, from those of the ensemble."""
        return labels


@dataclass
class Landmarks:
    """The ensemble clusters landmarks, and results are extended to all rows; methods as in :class:`EveryRow`.

    Attributes
    ----------
    n, near
    rows : (m,) ints
        The landmarks, followed by late ones, which are constrained only by constraints that were added later.
    weights : (n, near.n) CSR matrix
        The weights between each row and its nearest landmarks.
    features : (n, d) array
        Linear and graph features of all rows.
    """

    _saved: ClassVar[Saved] = Saved(("n", "rows"), parts={"near": Nearness}, check=_check_landmarks)

    n: int
    near: Nearness
    rows: IntArray
    weights: Any = None
    features: Any = None

    @classmethod
    def of(cls, features: Features, X: Any, rows: IntArray, n_jobs: int | None = None) -> Landmarks:
        """Find the nearest landmarks of all rows of X; ``features`` are those of the landmarks ``rows``."""
        near = _near(features)
        n = X.shape[0]

        def embed(batch: slice) -> tuple[FloatArray, Any]:
            transformed = features.transform(X[batch])
            return transformed, near.of(transformed)

        with stage("placing rows"):
            batches = parallel_map(embed, slices(n, BATCH_ROWS), n_jobs, report=True)
        transformed, weights = zip(*batches, strict=True)
        return cls(n, near, rows, sparse.csr_array(sparse.vstack(weights)), np.concatenate(transformed))

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
        """Constrained k-means of all rows in the embedding ``Z``, initialized by the extended labels."""
        closed = closed and not constraints.only("pairs").conflicts(limit=1)
        return constrained_kmeans(Z, n_clusters, constraints, rng, closed=closed, starts=[self.vote(labels)])

    def late_rows(self, constraints: Constraints) -> IntArray:
        """The constrained rows that are not landmarks yet, up to the maximum number of landmarks."""
        room = max(MAX_LANDMARKS + MAX_CONSTRAINED - len(self.rows), 0)
        constrained = constraints.constrained_rows() | constraints.comparisons.compared_rows()
        return np.setdiff1d(np.flatnonzero(constrained), self.rows)[:room]


Placement = EveryRow | Landmarks


def _near(features: Features) -> Nearness:
    return Nearness(features.both.F, min(N_VOTERS, features.n - 1), "euclidean")
