"""What hints cost a labeling, point by point, without writing out the pairs that groups imply.

With C the beliefs in cannot-links and M those in must-links, a point i in cluster c pays

    Σ_j C_ij [l_j = c] + Σ_j M_ij [l_j ≠ c]  =  degree_i + Σ_j S_ij [l_j = c],        S = C − M,

and S is a few stated pairs plus something of low rank for whole groups (:class:`likewise.graphs.RowMatrix`):
S = P + F B Fᵀ. So it is enough to keep the labels, and for every column of F what those say to it that lie in which
cluster, B Fᵀ [l = c].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from scipy import sparse

from ...graphs import RowMatrix
from ...linalg._row_matrix import indicator
from ._points import BLOCK, IN_CACHE, Array, blocks

BATCH = 4096
"""Points whose costs are written out as lists at once."""

FEW_PAIRS = 10
"""Pairs for each point up to which groups are written out: a loop over pairs is quicker than one over groups."""

INFINITE = float("inf")

Entries = tuple[list[int], list[int], list[float]]
"""The rows of a sparse matrix as plain lists: where each starts, the columns, the values."""


class Penalties:
    """Costs of labels under a signed graph S = C − M.

    Only the points that a hint speaks of are kept; "told" below means these, in ascending order.

    Parameters
    ----------
    cannot : RowMatrix
        Beliefs that two points differ.
    must : RowMatrix, optional
        Beliefs that two points are the same.

    Attributes
    ----------
    rows : (r,) ints
        The told points.
    free : (n,) mask
        The others.
    """

    def __init__(self, cannot: RowMatrix, must: RowMatrix | None = None) -> None:
        signed = cannot if must is None else cannot - must
        signed = signed.written_out(FEW_PAIRS * signed.n)
        pairs = clean(signed.sparse - sparse.diags_array(signed.sparse.diagonal()))
        core = clean(signed.core)
        columns = np.flatnonzero(np.diff(core.indptr))
        factor = clean(signed.factor[:, columns])
        rows = np.flatnonzero(np.diff(pairs.indptr) + np.diff(factor.indptr) > 0)
        degrees = 0.0 if must is None else float(must.row_sums().sum())
        self._set(signed.n, rows, sparse.csr_array(pairs[rows][:, rows]), degrees)
        self.factor, self.core = sparse.csr_array(factor[rows]), sparse.csr_array(core[columns][:, columns])
        # What a point says to itself through its group is no statement about two points. Only columns that a point
        # has together play a part in that.
        together = self.core.multiply(self.factor.T @ self.factor != 0)
        self.own = np.asarray((self.factor @ together).multiply(self.factor).sum(axis=1)).ravel()

    @classmethod
    def of_pairs(cls, n: int, cannot: Array, cannot_weight: Array, must: Array, must_weight: Array) -> Self:
        """The same from pairs that are all written out, at a fraction of the cost."""
        self = cls.__new__(cls)
        pairs, belief = np.concatenate([cannot, must]), np.concatenate([cannot_weight, -must_weight])
        rows, place = np.unique(pairs, return_inverse=True)
        place = place.reshape(-1, 2)
        ends = np.concatenate([place[:, 0], place[:, 1]]), np.concatenate([place[:, 1], place[:, 0]])
        graph = sparse.csr_array((np.tile(belief, 2), ends), shape=(len(rows), len(rows)))
        self._set(n, rows, graph, 2 * float(must_weight.sum()))
        self.factor, self.core = sparse.csr_array((len(rows), 0)), sparse.csr_array((0, 0))
        self.own = np.zeros(len(rows))
        return self

    def _set(self, n: int, rows: Array, pairs: sparse.csr_array, degrees: float) -> None:
        self.rows, self.free = rows, np.ones(n, dtype=bool)
        self.free[rows] = False
        self.pairs, self._degrees = pairs, degrees
        self._lists: tuple[Entries, ...] | None = None

    def votes(self, told: Array, n_clusters: int, some: slice = slice(None)) -> Array:
        """Σ_j S_ij [l_j = c] for every told point (or a block of them) and cluster, the point itself left out."""
        start, stop, _ = some.indices(len(told))
        bounds = self.pairs.indptr[start : stop + 1]
        stored = slice(bounds[0], bounds[-1])
        bins = np.repeat(np.arange(stop - start) * n_clusters, np.diff(bounds)) + told[self.pairs.indices[stored]]
        counted: Array = np.bincount(bins, self.pairs.data[stored], minlength=(stop - start) * n_clusters)
        votes = counted.reshape(stop - start, n_clusters).astype(np.float64, copy=False)  # ints without any pair
        if self.core.nnz:
            votes += self.factor[some] @ self.said(told, n_clusters)
            votes[np.arange(stop - start), told[some]] -= self.own[some]
        return votes

    def total(self, labels: Array) -> float:
        """The belief in all hints that these labels of all points break."""
        return self._broken(labels[self.rows])

    def _broken(self, told: Array) -> float:
        of, other = _rows_of(self.pairs), self.pairs.indices
        twice = self.pairs.data[told[of] == told[other]].sum() + self._degrees
        if self.core.nnz:
            said = self.said(told, int(told.max()) + 1)
            twice += self.factor.data @ said[self.factor.indices, told[_rows_of(self.factor)]] - self.own.sum()
        return max(float(twice) / 2, 0.0)

    def said(self, told: Array, n_clusters: int) -> Array:
        """B Fᵀ [l = c] for each cluster: what the points in it say to each column of F; −1 is in none."""
        return self.core @ (self.factor.T @ indicator(told, n_clusters)).toarray()

    def sweep(self, told: Array, costs: Array, penalty: float, rng: np.random.RandomState) -> tuple[Array, float]:
        """Each told point that would rather be elsewhere, in random order, to the cluster cheapest for it by then.

        A point moves only where that is cheaper as the others stand, so no objective of the form
        Σ cost + penalty · belief can rise; where no point moves, no single move could lower it.

        Parameters
        ----------
        told : (r,) ints
            Their labels.
        costs : (r, n_clusters) array
            What each cluster costs them by itself.
        penalty : float
            The price of one unit of belief; infinite where hints are hard and ``told`` keeps them all.
        rng : RandomState

        Returns
        -------
        told : (r,) ints
        broken : float
            The belief in all hints that these labels break.
        """
        wanting = np.flatnonzero(self._wanting(told, costs, penalty))
        if not len(wanting):
            return told, self._broken(told)
        standing = Standing(self, told, costs.shape[1])
        labels, move = standing.labels, standing.move
        order = rng.permutation(wanting)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            for i, own in zip(batch.tolist(), costs[batch].tolist(), strict=True):
                cost = standing.priced(i, own, penalty)
                best = min(cost)
                if best < cost[labels[i]]:
                    move(i, cost.index(best))
        told = np.array(labels)
        return told, self._broken(told)

    def _wanting(self, told: Array, costs: Array, penalty: float) -> Array:
        """Which points would rather be elsewhere as all others stand."""
        n_clusters = costs.shape[1]
        wanting = np.zeros(len(told), dtype=bool)
        # Over groups a block costs a look at all of them, so there are few.
        for some in blocks(len(told), n_clusters, BLOCK if self.core.nnz else IN_CACHE):
            priced = _priced(costs[some], self.votes(told, n_clusters, some), penalty)
            wanting[some] = priced.min(axis=1) < priced[np.arange(len(priced)), told[some]]
        return wanting

    def lists(self) -> tuple[Entries, ...]:
        """The three sparse matrices as plain lists: a loop over points reads those fastest."""
        if self._lists is None:
            self._lists = tuple(map(_as_lists, (self.pairs, self.factor, self.core)))
        return self._lists


class Standing:
    """Labels of the told points that change one at a time, and what the hints say to each as they stand.

    Parameters
    ----------
    penalties : Penalties
    told : (r,) ints
        −1 where a point has no label yet.
    n_clusters : int
    """

    def __init__(self, penalties: Penalties, told: Array, n_clusters: int) -> None:
        self._pairs, self._factor, self._core = penalties.lists()
        self._own = penalties.own.tolist()
        self.labels: list[int] = told.tolist()
        self._said = penalties.said(told, n_clusters).tolist() if penalties.core.nnz else []

    def charge(self, i: int, cost: list[float], price: float) -> None:
        """Add price · Σ_j S_ij [l_j = c] to the cost of every cluster c; point i itself is left out."""
        labels = self.labels
        for j, belief in _entries(self._pairs, i):
            if labels[j] >= 0:
                cost[labels[j]] += price * belief
        if self._said:
            for q, amount in _entries(self._factor, i):
                for cluster, said in enumerate(self._said[q]):
                    cost[cluster] += price * amount * said
            if labels[i] >= 0:
                cost[labels[i]] -= price * self._own[i]

    def priced(self, i: int, own: list[float], penalty: float) -> list[float]:
        """The cost of each cluster for point i, hints included."""
        if penalty != INFINITE:
            cost = own.copy()
            self.charge(i, cost, penalty)
            return cost
        said = [0.0] * len(own)
        self.charge(i, said, 1.0)
        return [INFINITE if vote > 0.5 else cost for cost, vote in zip(own, said, strict=True)]

    def move(self, i: int, cluster: int) -> None:
        """Give point i another label; −1 takes its label away."""
        before = self.labels[i]
        self.labels[i] = cluster
        if not self._said:
            return
        for q, amount in _entries(self._factor, i):
            for p, belief in _entries(self._core, q):
                if before >= 0:
                    self._said[p][before] -= amount * belief
                if cluster >= 0:
                    self._said[p][cluster] += amount * belief


def _priced(costs: Array, votes: Array, penalty: float) -> Array:
    # Hard hints are certain, so a vote is a whole number of statements.
    return np.where(votes > 0.5, np.inf, costs) if penalty == INFINITE else costs + penalty * votes


def clean(matrix: Any) -> sparse.csr_array:
    """A sparse matrix without the zeros it stores."""
    matrix = sparse.csr_array(matrix)
    matrix.eliminate_zeros()
    return matrix


def _rows_of(matrix: sparse.csr_array) -> Array:
    """The row of each stored value."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def _as_lists(matrix: sparse.csr_array) -> Entries:
    return matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()


def _entries(entries: Entries, row: int) -> Iterator[tuple[int, float]]:
    starts, columns, values = entries
    start, stop = starts[row], starts[row + 1]
    return zip(columns[start:stop], values[start:stop], strict=True)
