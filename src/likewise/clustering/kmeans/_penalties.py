"""Penalties of violated constraints, without expanding groups to pairs.

With C the weights of cannot-links and M those of must-links, the cost of point i in cluster c is

    Σ_j C_ij [l_j = c] + Σ_j M_ij [l_j ≠ c]  =  degree_i + Σ_j S_ij [l_j = c],        S = C − M.

S is a sparse matrix of given pairs plus a low-rank matrix for whole groups (:class:`likewise.graphs.RowMatrix`),
S = P + F B Fᵀ. So it is sufficient to store the labels, and for every column of F and every cluster the sums
("votes") B Fᵀ [l = c].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np
from scipy import sparse

from ..._arrays import BoolArray, FloatArray, IntArray, slices
from ...graphs import RowMatrix
from ...linalg._products import without_zeros
from ...linalg._row_matrix import indicator
from ._points import BLOCK, IN_CACHE, blocks

BATCH = 4096
"""Number of points whose costs are converted to lists at once."""

FEW_PAIRS = 10
"""Up to this number of pairs per point groups are expanded, since a loop over pairs is faster than one over groups."""

INFINITE = float("inf")

Entries = tuple[list[int], list[int], list[float]]
"""A sparse matrix in CSR format as plain lists: row pointers, columns, values."""


class Penalties:
    """Penalties of labels for a signed graph S = C − M.

    Only constrained points are stored, in ascending order.

    Parameters
    ----------
    cannot : RowMatrix
        Weights of cannot-links.
    must : RowMatrix, optional
        Weights of must-links.

    Attributes
    ----------
    rows : (r,) ints
        The constrained points.
    free : (n,) mask
        The others.
    """

    def __init__(self, cannot: RowMatrix, must: RowMatrix | None = None) -> None:
        signed = cannot if must is None else cannot - must
        signed = signed.written_out(FEW_PAIRS * signed.n)
        pairs = without_zeros(signed.sparse - sparse.diags_array(signed.sparse.diagonal()))
        core = without_zeros(signed.core)
        columns = np.flatnonzero(np.diff(core.indptr))
        factor = without_zeros(signed.factor[:, columns])
        rows = np.flatnonzero(np.diff(pairs.indptr) + np.diff(factor.indptr) > 0)
        degrees = 0.0 if must is None else float(must.row_sums().sum())
        self._set(signed.n, rows, sparse.csr_array(pairs[rows][:, rows]), degrees)
        self.factor, self.core = sparse.csr_array(factor[rows]), sparse.csr_array(core[columns][:, columns])
        # The low-rank part includes pairs of a point with itself, which are subtracted.
        together = self.core.multiply(self.factor.T @ self.factor != 0)
        self.own = np.asarray((self.factor @ together).multiply(self.factor).sum(axis=1)).ravel()

    @classmethod
    def of_pairs(
        cls, n: int, cannot: IntArray, cannot_weight: FloatArray, must: IntArray, must_weight: FloatArray
    ) -> Self:
        """The same for pairs only, which is much faster."""
        self = cls.__new__(cls)
        pairs = np.concatenate([cannot, must])
        weight = np.concatenate([cannot_weight, -must_weight])
        rows, place = np.unique(pairs, return_inverse=True)
        place = place.reshape(-1, 2)
        ends = np.concatenate([place[:, 0], place[:, 1]]), np.concatenate([place[:, 1], place[:, 0]])
        graph = sparse.csr_array((np.tile(weight, 2), ends), shape=(len(rows), len(rows)))
        self._set(n, rows, graph, 2 * float(must_weight.sum()))
        self.factor, self.core = sparse.csr_array((len(rows), 0)), sparse.csr_array((0, 0))
        self.own = np.zeros(len(rows))
        return self

    def _set(self, n: int, rows: IntArray, pairs: sparse.csr_array, degrees: float) -> None:
        self.rows = rows
        self.free = np.ones(n, dtype=bool)
        self.free[rows] = False
        self.pairs = pairs
        self._degrees = degrees
        self._lists: tuple[Entries, ...] | None = None

    def votes(self, labels: IntArray, n_clusters: int, some: slice = slice(None)) -> FloatArray:
        """Σ_{j ≠ i} S_ij [l_j = c] for every constrained point i (or a block of them) and cluster c."""
        start, stop, _ = some.indices(len(labels))
        bounds = self.pairs.indptr[start : stop + 1]
        stored = slice(bounds[0], bounds[-1])
        bins = np.repeat(np.arange(stop - start) * n_clusters, np.diff(bounds)) + labels[self.pairs.indices[stored]]
        counted = np.bincount(bins, self.pairs.data[stored], minlength=(stop - start) * n_clusters)
        votes = counted.reshape(stop - start, n_clusters).astype(np.float64, copy=False)  # ints without pairs
        if self.core.nnz:
            votes += self.factor[some] @ self.group_votes(labels, n_clusters)
            votes[np.arange(stop - start), labels[some]] -= self.own[some]
        return votes

    def total(self, labels: IntArray) -> float:
        """The total weight of the constraints that the labels of all points violate."""
        return self._violated(labels[self.rows])

    def _violated(self, labels: IntArray) -> float:
        of, other = _rows_of(self.pairs), self.pairs.indices
        twice = self.pairs.data[labels[of] == labels[other]].sum() + self._degrees
        if self.core.nnz:
            votes = self.group_votes(labels, int(labels.max()) + 1)
            twice += self.factor.data @ votes[self.factor.indices, labels[_rows_of(self.factor)]] - self.own.sum()
        return max(float(twice) / 2, 0.0)

    def group_votes(self, labels: IntArray, n_clusters: int) -> FloatArray:
        """B Fᵀ [l = c] for each column of F and cluster c; label −1 means no cluster."""
        return self.core @ (self.factor.T @ indicator(labels, n_clusters)).toarray()

    def sweep(
        self, labels: IntArray, costs: FloatArray, penalty: float, rng: np.random.RandomState
    ) -> tuple[IntArray, float]:
        """Move points, in random order, to the cluster of lowest cost given the labels of all others.

        Each move decreases the objective Σ cost + penalty · weight; if no point moves, no single move can decrease it.

        Parameters
        ----------
        labels : (r,) ints
            Labels of the constrained points.
        costs : (r, n_clusters) array
            The cost of each cluster without constraints.
        penalty : float
            The penalty per unit of weight; infinite if constraints are hard and ``labels`` satisfies all of them.
        rng : RandomState

        Returns
        -------
        labels : (r,) ints
        violated : float
            The total weight of violated constraints.
        """
        misplaced = np.flatnonzero(self._misplaced(labels, costs, penalty))
        if not len(misplaced):
            return labels, self._violated(labels)
        state = LabelState(self, labels, costs.shape[1])
        present, move = state.labels, state.move
        order = rng.permutation(misplaced)
        for batch in (order[part] for part in slices(len(order), BATCH)):
            for i, own in zip(batch.tolist(), costs[batch].tolist(), strict=True):
                cost = state.total_costs(i, own, penalty)
                best = min(cost)
                if best < cost[present[i]]:
                    move(i, cost.index(best))
        labels = np.array(present)
        return labels, self._violated(labels)

    def _misplaced(self, labels: IntArray, costs: FloatArray, penalty: float) -> BoolArray:
        """The points that have a lower cost in another cluster, given the labels of all others."""
        n_clusters = costs.shape[1]
        misplaced = np.zeros(len(labels), dtype=bool)
        # Each block reads all groups, so blocks are large.
        for some in blocks(len(labels), n_clusters, BLOCK if self.core.nnz else IN_CACHE):
            total = _total_costs(costs[some], self.votes(labels, n_clusters, some), penalty)
            misplaced[some] = total.min(axis=1) < total[np.arange(len(total)), labels[some]]
        return misplaced

    def lists(self) -> tuple[Entries, ...]:
        """The three sparse matrices as plain lists, which are faster in a Python loop."""
        if self._lists is None:
            self._lists = tuple(map(_as_lists, (self.pairs, self.factor, self.core)))
        return self._lists


class LabelState:
    """Labels of the constrained points that change one at a time, and the resulting penalties.

    Parameters
    ----------
    penalties : Penalties
    labels : (r,) ints
        −1 for points without a label.
    n_clusters : int
    """

    def __init__(self, penalties: Penalties, labels: IntArray, n_clusters: int) -> None:
        self._pairs, self._factor, self._core = penalties.lists()
        self._own = penalties.own.tolist()
        self.labels: list[int] = labels.tolist()
        self._group_votes = penalties.group_votes(labels, n_clusters).tolist() if penalties.core.nnz else []

    def add_votes(self, i: int, cost: list[float], penalty: float) -> None:
        """Add penalty · Σ_{j ≠ i} S_ij [l_j = c] to the cost of every cluster c."""
        labels = self.labels
        for j, weight in _entries(self._pairs, i):
            if labels[j] >= 0:
                cost[labels[j]] += penalty * weight
        if self._group_votes:
            for q, amount in _entries(self._factor, i):
                for cluster, votes in enumerate(self._group_votes[q]):
                    cost[cluster] += penalty * amount * votes
            if labels[i] >= 0:
                cost[labels[i]] -= penalty * self._own[i]

    def total_costs(self, i: int, own: list[float], penalty: float) -> list[float]:
        """The cost of each cluster for point i, including penalties."""
        if penalty != INFINITE:
            cost = own.copy()
            self.add_votes(i, cost, penalty)
            return cost
        votes = [0.0] * len(own)
        self.add_votes(i, votes, 1.0)
        return [INFINITE if vote > 0.5 else cost for cost, vote in zip(own, votes, strict=True)]

    def move(self, i: int, cluster: int) -> None:
        """Change the label of point i; −1 removes it."""
        before = self.labels[i]
        self.labels[i] = cluster
        if not self._group_votes:
            return
        for q, amount in _entries(self._factor, i):
            for p, weight in _entries(self._core, q):
                if before >= 0:
                    self._group_votes[p][before] -= amount * weight
                if cluster >= 0:
                    self._group_votes[p][cluster] += amount * weight


def _total_costs(costs: FloatArray, votes: FloatArray, penalty: float) -> FloatArray:
    # Hard constraints have weight 1, so votes are integers.
    return np.where(votes > 0.5, np.inf, costs) if penalty == INFINITE else costs + penalty * votes


def _rows_of(matrix: sparse.csr_array) -> IntArray:
    """The row of each stored value."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def _as_lists(matrix: sparse.csr_array) -> Entries:
    return matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()


def _entries(entries: Entries, row: int) -> Iterator[tuple[int, float]]:
    starts, columns, values = entries
    start, stop = starts[row], starts[row + 1]
    return zip(columns[start:stop], values[start:stop], strict=True)
