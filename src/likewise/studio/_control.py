"""Control questions: pairs drawn from fixed strata, independently of any model."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from .._arrays import IntArray
from .._threads import native
from ..prepare import Rows
from ..prepare._linear import LinearFeatures

MAX_ROWS = 2_000
"""Maximum number of rows that pairs are drawn from."""

MAX_CELLS = 20
ROWS_A_CELL = 5
STEPS = 20

EVERY = 5
"""One in this many questions is a control question."""


class ControlPairs:
    """Pairs of rows in a fixed order, half of them within a cell and half between two cells.

    The cells are the clusters of k-means on at most 2,000 rows without hints; within a cell, "same" is more frequent
    than among all pairs. The same seed and data give the same pairs, independently of the answers.

    Parameters
    ----------
    rows : Rows
    seed : int
    """

    def __init__(self, rows: Rows, seed: int) -> None:
        self._seed = seed
        rng = np.random.default_rng([seed, 7])
        n = len(rows)
        self.rows: IntArray = np.sort(rng.choice(n, MAX_ROWS, replace=False)) if n > MAX_ROWS else np.arange(n)
        codes = _cells(rows.X[self.rows], rows, rng)
        self._cells = [self.rows[codes == code] for code in np.unique(codes)]
        sizes = np.array([len(cell) for cell in self._cells], dtype=np.float64)
        pairs = sizes * (sizes - 1)
        self._within = pairs / pairs.sum() if pairs.any() else None
        self._cell_of = dict(zip(self.rows.tolist(), codes.tolist(), strict=True))

    def pair(self, number: int) -> tuple[int, int]:
        """The pair with the given number, counted from 0."""
        rng = np.random.default_rng([self._seed, 11, number])
        inside = self._within is not None and (len(self._cells) == 1 or rng.random() < 0.5)
        if inside:
            cell = self._cells[int(rng.choice(len(self._cells), p=self._within))]
            left, right = rng.choice(cell, 2, replace=False).tolist()
            return left, right
        left = right = int(rng.choice(self.rows))
        while self._cell_of[left] == self._cell_of[right]:
            right = int(rng.choice(self.rows))
        return left, right


def _cells(X: Any, rows: Rows, rng: np.random.Generator) -> IntArray:
    """The cell of each row."""
    n = X.shape[0]
    count = min(MAX_CELLS, n // ROWS_A_CELL)
    if count < 2:
        return np.zeros(n, dtype=np.int64)
    features = np.asarray(LinearFeatures(rows.kind).fit_transform(X)[1], dtype=np.float32)
    with native().limit(limits=1):
        found = KMeans(count, n_init=1, max_iter=STEPS, random_state=int(rng.integers(2**31))).fit_predict(features)
    return np.unique(found, return_inverse=True)[1]
