"""More rows than a graph can hold at once: some stand for all, and the others are placed by those near them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from .._saved import Saved
from .._threads import parallel_map
from ..constraints import Constraints
from ..graphs._fuzzy import Nearness
from ..linalg._eigen import unit_length
from ..linalg._row_matrix import indicator
from ._newcomers import Newcomers
from ._unsupervised import Ground

Array = np.ndarray

MOST = 10_000
"""Rows up to which each stands for itself, and landmarks beyond."""

MOST_TOLD = 5_000
"""Landmarks that are there because a hint speaks of them, at most."""

BATCH = 2_048
"""Rows that are placed at once."""

VOTERS = 10
"""Landmarks that any other row asks for its cluster."""


def drawn_rows(hints: Constraints, rng: np.random.RandomState) -> Array | None:
    """The rows that stand for all: those that hints speak of, and others at random. None where every row does."""
    n = hints.n_samples
    if n <= MOST:
        return None
    # pair by pair, so that both rows of a hint are in
    pairs = rng.permutation(np.concatenate([hints.must_link, hints.cannot_link])).ravel()
    told = np.concatenate([pairs, rng.permutation(np.flatnonzero(hints.touched()))])
    _, first = np.unique(told, return_index=True)
    told = told[np.sort(first)][:MOST_TOLD]
    others = np.setdiff1d(np.arange(n), told)
    return np.sort(np.concatenate([told, rng.choice(others, MOST - len(told), replace=False)]))


@dataclass
class Landmarks:
    """Which rows stand for all, and how each of all is made of those near it.

    Attributes
    ----------
    n : int
        Number of all rows.
    near : Nearness
        Finds landmarks near a row, in linear and graph features.
    rows : (m,) ints or None
        The landmarks, and after them rows that hints spoke of later; None where every row stands for itself.
    weights : (n, landmarks) CSR matrix
        How much each row is tied to the landmarks near it.
    places : (n, d) array
        All rows in linear and graph features.
    """

    _saved: ClassVar[Saved] = Saved(("n", "rows"), parts={"near": Nearness})

    n: int
    near: Nearness
    rows: Array | None = None
    weights: Any = None
    places: Any = None

    @classmethod
    def of(cls, ground: Ground, X: Any, rows: Array | None, n_jobs: int | None = None) -> Self:
        """Place all rows of X, of which ``rows`` are those of the ground."""
        near = Nearness(ground.C.F, min(VOTERS, ground.n - 1), "euclidean")
        n = X.shape[0]
        if rows is None:
            return cls(n, near)

        def placed(start: int) -> tuple[Array, Any]:
            place = ground.place(X[start : start + BATCH])
            return place, near.of(place)

        places, weights = zip(*parallel_map(placed, range(0, n, BATCH), n_jobs, report=True), strict=True)
        return cls(n, near, rows, sparse.csr_array(sparse.vstack(weights)), np.concatenate(places))

    @property
    def first(self) -> Any:
        """The rows that new ones are placed by."""
        return slice(None) if self.rows is None else self.rows[: self.near.n]

    @property
    def all_here(self) -> Any:
        """The rows that stand for all."""
        return slice(None) if self.rows is None else self.rows

    def hints(self, told: Constraints) -> Constraints:
        """What is said of the rows that stand for all."""
        return told if self.rows is None else told.restrict(self.rows)

    def all_hints(self, told: Constraints, heard: Constraints) -> Constraints:
        """All that was told, but what landmarks know of as it was ``heard``."""
        if self.rows is None:
            return heard
        known = np.zeros(self.n, dtype=np.bool_)
        known[self.rows] = True
        joined = []
        for kind in ("must", "cannot"):
            pairs, weight = getattr(told, f"{kind}_link"), getattr(told, f"{kind}_weight")
            beyond = ~known[pairs].all(axis=1)
            joined.append(np.concatenate([self.rows[getattr(heard, f"{kind}_link")], pairs[beyond]]))
            joined.append(np.concatenate([getattr(heard, f"{kind}_weight"), weight[beyond]]))
        must, must_weight, cannot, cannot_weight = joined
        return Constraints(self.n, must, cannot, must_weight, cannot_weight, told.partitions)

    def means(self, values: Array) -> Array:
        """For each row the mean of what landmarks near it have; for a landmark what it has itself."""
        if self.rows is None:
            return values
        total = np.asarray(self.weights.sum(axis=1)).ravel()
        scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        spread = sparse.diags_array(scale) @ self.weights @ values[: self.near.n]
        spread[self.rows] = values
        return spread

    def directions(self, Z: Array) -> Array:
        """The same for coordinates of unit length."""
        return Z if self.rows is None else unit_length(self.means(Z))

    def votes(self, labels: Array) -> Array:
        """For each row the cluster that most landmarks near it are in."""
        return labels if self.rows is None else self.means(indicator(labels).toarray()).argmax(axis=1)

    def newcomers(self, told: Constraints) -> Newcomers | None:
        """The rows that hints speak of and that do not stand for all yet; None where there are none."""
        if self.rows is None:
            return None
        new = np.setdiff1d(np.flatnonzero(told.touched()), self.rows)[: max(MOST + MOST_TOLD - len(self.rows), 0)]
        return Newcomers(new, self.places[new], self.weights[new]) if len(new) else None

    def join(self, new: Newcomers) -> None:
        """From now on these rows stand for all, too."""
        self.rows = np.append(self.all_here, new.rows)
