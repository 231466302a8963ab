"""Penalties of violated constraints that depend on both rows and on the metrics of their clusters.

With M and C the weights of must-links and cannot-links, and q_h(i, j) = ‖x_i − x_j‖² under the metric of cluster h, the
penalty of row i in cluster c is, up to a constant for all c,

    ½ Σ_j M_ij q_c(i, j)  +  Σ_{j in c} ( C_ij · far_c − (M_ij + C_ij) q_c(i, j) ).

The first sum does not depend on labels, the second only on the rows in c. Both are linear in M and C, which consist of
given pairs (:class:`PairPenalties`) and a low-rank part for whole groups (:class:`GroupPenalties`), K = F B Fᵀ with F
the indicator of groups. For the latter

    Σ_{j in c} K_ij ‖x_i − x_j‖²  =  Σ_q F_iq ( (B N)_qc ‖x_i‖² − 2 x_iᵀ (B S)_qc + (B T)_qc ),

with lengths and products under the metric of c, N_qc the number of rows of group q in cluster c, S_qc their sum and
T_qc the sum of their squared lengths. So a sweep over all rows takes O(n · f · k), a single row little more than O(f ·
k) (:mod:`._running_product`), and groups are never expanded to pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from ...._arrays import BoolArray, FloatArray, IntArray
from ....constraints import Constraints
from ....graphs import RowMatrix, cannot_link_graph, must_link_graph
from ....linalg._products import crossprod64, without_zeros
from ....linalg._row_matrix import indicator
from .._penalties import FEW_PAIRS
from .._points import blocks, dense
from ._cluster_metrics import Metrics
from ._running_product import RunningProduct, stored_entries

FEW_ENTRIES = 50_000
"""Up to this number of entries constraints are expanded to pairs, since groups are not faster."""


class SweepState(Protocol):
    """Penalties while labels change one at a time."""

    base: FloatArray
    """(n, k): the first sum above, for every row and cluster."""

    def votes(self) -> FloatArray:
        """(n, k): the second sum, for the current labels."""

    def add_votes(self, row: int, costs: FloatArray) -> None:
        """Add the second sum of one row to its cost in each cluster."""

    def move(self, row: int, before: int, after: int) -> None:
        """Update the state after a row moved from one cluster to another."""


class Penalties(Protocol):
    """Penalties of one part of the constraints: the pairs, or the groups."""

    def start_sweep(self, labels: IntArray, metrics: Metrics) -> SweepState:
        """The state of a sweep; ``labels`` may be changed while it lasts, with a ``move`` for each change."""

    def violation_scatter(self, labels: IntArray, metrics: Metrics) -> tuple[FloatArray, FloatArray]:
        """As :meth:`Violations.violation_scatter`."""


class Violations:
    """Penalties of labels under constraints.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    constraints : Constraints
    penalty : float
    closed : bool
        Whether to include implied pairs.

    Attributes
    ----------
    free : (n,) mask
        Rows in no pair.
    """

    free: BoolArray

    def __init__(self, X: Any, constraints: Constraints, penalty: float, *, closed: bool) -> None:
        self.free = ~constraints.constrained_rows()
        cannot = penalty * cannot_link_graph(constraints, closed=closed)
        must = penalty * must_link_graph(constraints, closed=closed)
        limit = max(FEW_PAIRS * constraints.n_samples, FEW_ENTRIES)
        must, cannot = shared_columns(*(graph.written_out(limit) for graph in (must, cannot)))
        pairs = PairPenalties(X, must.sparse, cannot.sparse)
        groups = GroupPenalties(X, must, cannot)
        self._parts: list[Penalties] = []
        if pairs.n_pairs:
            self._parts.append(pairs)
        if groups.n_groups:
            self._parts.append(groups)

    def sweep(self, labels: IntArray, own: FloatArray, metrics: Metrics, rng: np.random.RandomState) -> IntArray:
        """Move rows, in random order, to the cluster of lowest cost given the labels of all others.

        ``own`` is (n, k), the cost of each row in each cluster without constraints.
        """
        labels = labels.copy()
        states = [part.start_sweep(labels, metrics) for part in self._parts]
        base = sum((state.base for state in states), own)
        costs = sum((state.votes() for state in states), base)
        misplaced = np.flatnonzero(costs.min(axis=1) < costs[np.arange(len(labels)), labels])
        for i in rng.permutation(misplaced[~self.free[misplaced]]).tolist():
            costs_of_row = base[i].copy()
            for state in states:
                state.add_votes(i, costs_of_row)
            before, best = labels[i], int(costs_of_row.argmin())
            if costs_of_row[best] < costs_of_row[before]:
                labels[i] = best
                for state in states:
                    state.move(i, before, best)
        return labels

    def violation_scatter(self, labels: IntArray, metrics: Metrics) -> tuple[FloatArray, FloatArray]:
        """``(spread, together)`` such that the total penalty is Σ_h ⟨A_h, spread_h⟩ + far_h · together_h.

        spread_h is the scatter of the differences of violated pairs in cluster h, (k, f) or (k, f, f): half of each
        must-link with one row in h, minus each cannot-link with both rows in h. together_h is the weight of the latter.
        """
        spread, together = np.zeros_like(metrics.values), np.zeros(metrics.n_clusters)
        for part in self._parts:
            more_spread, more_together = part.violation_scatter(labels, metrics)
            spread += more_spread
            together += more_together
        return spread, together


class PairPenalties:
    """Penalties of given pairs, and of small groups expanded to pairs.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    must, cannot : (n, n) symmetric sparse arrays
        The weight of each pair.
    """

    def __init__(self, X: Any, must: sparse.csr_array, cannot: sparse.csr_array) -> None:
        upper = [sparse.triu(weights, 1, format="coo") for weights in (must, cannot)]
        self.X = X
        self.n_must = upper[0].nnz
        self.left, self.right = (np.concatenate([weights.coords[end] for weights in upper]) for end in (0, 1))
        self.weight = np.concatenate([weights.data for weights in upper])
        self.n_pairs = len(self.weight)
        # for each row, bounds of its slice in ``place`` (the numbers of its pairs) and ``other`` (the other ends)
        rows, places = np.concatenate([self.left, self.right]), np.tile(np.arange(self.n_pairs), 2)
        order = np.argsort(rows, kind="stable")
        self.bounds = np.searchsorted(rows[order], np.arange(X.shape[0] + 1))
        self.place = places[order]
        self.other = np.concatenate([self.right, self.left])[order]
        linked = places < self.n_must
        shape = (X.shape[0], self.n_pairs)
        self.must_of = sparse.csr_array((np.ones(linked.sum()), (rows[linked], places[linked])), shape=shape)

    def differences(self, places: IntArray) -> Any:
        """x_i − x_j for some of the pairs."""
        found = self.X[self.left[places]] - self.X[self.right[places]]
        return sparse.csr_array(found) if sparse.issparse(found) else found

    def start_sweep(self, labels: IntArray, metrics: Metrics) -> PairState:
        """The state of a sweep."""
        return PairState(self, labels, metrics)

    def violation_scatter(self, labels: IntArray, metrics: Metrics) -> tuple[FloatArray, FloatArray]:
        """The scatter of violated pairs, and the weight of the violated cannot-links in each cluster."""
        left, right, m = labels[self.left], labels[self.right], self.n_must
        apart = np.flatnonzero(left[:m] != right[:m])
        close = m + np.flatnonzero(left[m:] == right[m:])
        pairs = np.concatenate([apart, apart, close])
        clusters = np.concatenate([left[apart], right[apart], left[close]])
        weight = np.concatenate([0.5 * self.weight[apart], 0.5 * self.weight[apart], -self.weight[close]])
        spread = np.zeros_like(metrics.values)
        for some in blocks(len(pairs), self.X.shape[1]):
            entries = (weight[some], (clusters[some], np.arange(some.stop - some.start)))
            shape = (metrics.n_clusters, some.stop - some.start)
            spread += metrics.scatter(self.differences(pairs[some]), sparse.csr_array(entries, shape=shape))
        together = np.bincount(left[close], self.weight[close], minlength=metrics.n_clusters)
        return spread, together.astype(np.float64, copy=False)


class PairState:
    """The costs of pairs during a sweep; see :class:`SweepState`."""

    def __init__(self, pairs: PairPenalties, labels: IntArray, metrics: Metrics) -> None:
        self._pairs = pairs
        self._labels = labels
        m = pairs.n_must
        # what a pair adds, for one of its rows, to the cost of the cluster of the other row
        self._effect = np.empty((pairs.n_pairs, metrics.n_clusters))
        for some in blocks(pairs.n_pairs, pairs.X.shape[1]):
            self._effect[some] = metrics.lengths(pairs.differences(np.arange(some.start, some.stop)))
        self._effect *= -pairs.weight[:, None]
        self.base = -0.5 * (pairs.must_of @ self._effect)
        self._effect[m:] += pairs.weight[m:, None] * metrics.far

    def votes(self) -> FloatArray:
        """The votes of the pairs of each row about each cluster."""
        pairs, labels = self._pairs, self._labels
        votes = np.zeros_like(self.base)
        for here, there in ((pairs.left, labels[pairs.right]), (pairs.right, labels[pairs.left])):
            np.add.at(votes, (here, there), self._effect[np.arange(len(here)), there])
        return votes

    def add_votes(self, row: int, costs: FloatArray) -> None:
        """Add the votes of the pairs of one row."""
        mine = slice(self._pairs.bounds[row], self._pairs.bounds[row + 1])
        if mine.stop > mine.start:
            there = self._labels[self._pairs.other[mine]]
            np.add.at(costs, there, self._effect[self._pairs.place[mine], there])

    def move(self, row: int, before: int, after: int) -> None:
        """Do nothing, since votes are computed from the labels."""


def shared_columns(*matrices: RowMatrix) -> tuple[RowMatrix, ...]:
    """The same matrices with a common factor, without duplicate or unused columns.

    Labels imply must-links and cannot-links for the same blocks, so that common columns are stored once.
    """
    used = [np.flatnonzero(np.diff(without_zeros(matrix.core).indptr)) for matrix in matrices]
    kept = [matrix.factor[:, some] for matrix, some in zip(matrices, used, strict=True)]
    factor = sparse.csc_array(sparse.hstack(kept))
    factor.sort_indices()
    known: dict[bytes, int] = {}
    keys = (factor.indices[start:stop].tobytes() + factor.data[start:stop].tobytes() for start, stop in _bounds(factor))
    place = np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)
    _, first = np.unique(place, return_index=True)
    shared, start = factor[:, first], 0
    found = []
    for matrix, some in zip(matrices, used, strict=True):
        merge = indicator(place[start : start + len(some)], len(known))
        found.append(RowMatrix(matrix.sparse, shared, merge.T @ matrix.core[some][:, some] @ merge))
        start += len(some)
    return tuple(found)


class GroupPenalties:
    """Penalties of the pairs of groups, from the counts, sums and sums of squares of their rows.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    must, cannot : RowMatrix
        Only their low-rank parts are used, with a common factor.
    """

    def __init__(self, X: Any, must: RowMatrix, cannot: RowMatrix) -> None:
        self.X = X
        self.factor = must.factor
        self.n_groups = self.factor.shape[1]
        self.must, self.cannot, self.both = (
            without_zeros(core) for core in (must.core, cannot.core, must.core + cannot.core)
        )
        # only the groups with nonzero weights
        self.factor_of_must, self.factor_of_both, self.factor_of_cannot = (
            without_zeros(self.factor * (np.diff(core.indptr) > 0)) for core in (self.must, self.both, self.cannot)
        )
        # The low-rank part includes pairs of a row with itself, which are subtracted.
        together = self.cannot.multiply(self.factor.T @ self.factor != 0)
        self.own = np.asarray((self.factor @ together).multiply(self.factor).sum(axis=1)).ravel()
        self.total = dense(crossprod64(self.factor, X)).astype(np.float64, copy=False)

    def products(self, factor: sparse.csr_array, table: Callable[[int], FloatArray], n_clusters: int) -> FloatArray:
        """Σ_q F_iq · x_iᵀ table(q)_c for each row and cluster, column by column."""
        products = np.zeros((factor.shape[0], n_clusters))
        columns = factor.tocsc()
        for q, (start, stop) in enumerate(_bounds(columns)):
            if stop > start:
                rows = columns.indices[start:stop]
                products[rows] += columns.data[start:stop, None] * np.asarray(self.X[rows] @ table(q).T)
        return products

    def sums(self, labels: IntArray, n_clusters: int) -> Iterator[FloatArray]:
        """Σ of the rows of each group in one cluster after the other, (g, f)."""
        for cluster in range(n_clusters):
            members = np.flatnonzero(labels == cluster)
            yield dense(self.factor[members].T @ self.X[members]).astype(np.float64, copy=False)

    def row(self, i: int) -> tuple[Any, FloatArray]:
        """The columns where a row has values, and the values."""
        if not sparse.issparse(self.X):
            return slice(None), self.X[i].astype(np.float64, copy=False)
        stored = slice(self.X.indptr[i], self.X.indptr[i + 1])
        return self.X.indices[stored], self.X.data[stored].astype(np.float64, copy=False)

    def start_sweep(self, labels: IntArray, metrics: Metrics) -> GroupState:
        """The state of a sweep."""
        return GroupState(self, labels, metrics)

    def violation_scatter(self, labels: IntArray, metrics: Metrics) -> tuple[FloatArray, FloatArray]:
        """The scatter of violated pairs, and the weight of the violated cannot-links in each cluster.

        Σ_j K_ij (x_i − x_j)(x_i − x_j)ᵀ is made of squares, which take a weight for each row and cluster, and of
        products of sums.
        """
        n, k = len(labels), metrics.n_clusters
        every, L = np.arange(n), indicator(labels, k)
        counts = dense(self.factor.T @ L)
        must, both, cannot = (core @ counts for core in (self.must, self.both, self.cannot))
        weight = 0.5 * (self.factor @ must)
        weight[every, labels] += (self.factor @ (0.5 * must.sum(axis=1, keepdims=True) - both))[every, labels]
        spread = metrics.scatter(self.X, sparse.csr_array(weight.T))
        linked = self.must @ self.total
        for cluster, inside in enumerate(self.sums(labels, k)):
            spread[cluster] += metrics.cross(inside, self.both @ inside - linked)
        close = (self.factor @ cannot)[every, labels] - self.own
        return spread, 0.5 * np.bincount(labels, close, minlength=k).astype(np.float64, copy=False)


class GroupState:
    """The costs of groups during a sweep; see :class:`SweepState`."""

    def __init__(self, groups: GroupPenalties, labels: IntArray, metrics: Metrics) -> None:
        self._groups = groups
        self._labels = labels
        self._metrics = metrics
        k, F = metrics.n_clusters, groups.factor
        self._squares = metrics.lengths(groups.X).astype(np.float64, copy=False)
        L = indicator(labels, k)
        counts, lengths = dense(F.T @ L), dense(F.T @ L.multiply(self._squares))
        sums = (metrics.dual(cluster, inside) for cluster, inside in enumerate(groups.sums(labels, k)))
        self._counts = RunningProduct(groups.both, counts.T)
        self._lengths = RunningProduct(groups.both, lengths.T)
        self._sums = RunningProduct(groups.both, sums)
        self._apart = RunningProduct(groups.cannot, counts.T)
        self.base = 0.5 * self._must_sums()

    def _must_sums(self) -> FloatArray:
        """Σ_j M_ij ‖x_i − x_j‖² under each metric."""
        groups, k, F = self._groups, self._metrics.n_clusters, self._groups.factor
        total = (F @ (groups.must @ F.sum(axis=0)))[:, None] * self._squares
        total += F @ (groups.must @ (F.T @ self._squares))
        linked = groups.must @ groups.total

        def duals(q: int) -> FloatArray:
            return np.array([self._metrics.dual(cluster, linked[q]) for cluster in range(k)])

        return total - 2 * groups.products(groups.factor_of_must, duals, k)

    def votes(self) -> FloatArray:
        """The votes of the groups of each row about each cluster."""
        groups, labels, F = self._groups, self._labels, self._groups.factor
        sums = self._sums.everywhere()
        votes = 2 * groups.products(groups.factor_of_both, sums.__getitem__, self._metrics.n_clusters)
        votes -= (F @ self._counts.everywhere()) * self._squares + F @ self._lengths.everywhere()
        votes += (F @ self._apart.everywhere()) * self._metrics.far
        votes[np.arange(len(labels)), labels] -= groups.own * self._metrics.far[labels]
        return votes

    def add_votes(self, row: int, costs: FloatArray) -> None:
        """Add the votes of the groups of one row."""
        groups, label, far = self._groups, self._labels[row], self._metrics.far
        columns, values = groups.row(row)
        for q, amount in stored_entries(groups.factor_of_both, row):
            products = self._sums.at(q, columns) @ values
            costs -= amount * (self._counts.at(q) * self._squares[row] - 2 * products + self._lengths.at(q))
        for q, amount in stored_entries(groups.factor_of_cannot, row):
            costs += amount * self._apart.at(q) * far
        costs[label] -= groups.own[row] * far[label]

    def move(self, row: int, before: int, after: int) -> None:
        """Move a row from one cluster to another."""
        columns, values = self._groups.row(row)
        for cluster, sign in ((before, -1.0), (after, 1.0)):
            dual = self._metrics.dual(cluster, values, columns)
            for q, amount in stored_entries(self._groups.factor, row):
                amount *= sign
                self._counts.add(q, cluster, amount)
                self._apart.add(q, cluster, amount)
                self._lengths.add(q, cluster, amount * self._squares[row, cluster])
                self._sums.add(q, cluster, amount * dual, columns)


def _bounds(matrix: Any) -> Iterator[tuple[int, int]]:
    """Where each column of a CSC, or row of a CSR matrix starts and stops."""
    return pairwise(matrix.indptr.tolist())
