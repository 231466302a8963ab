"""Whole groups: what breaking any of their pairs costs, from the counts, sums and squares of rows.

A price of low rank, K = F B Fᵀ with F an indicator of groups, gives row i in cluster c

    Σ_{j in c} K_ij ‖x_i − x_j‖²  =  Σ_q F_iq ( (B N)_qc ‖x_i‖² − 2 x_iᵀ (B S)_qc + (B T)_qc ),

lengths and products under the metric of c, where N_qc is the number of rows of group q in cluster c, S_qc their sum and
T_qc the sum of their squared lengths. So a sweep over all rows takes O(n · f · k), one row little more than O(f · k)
(:mod:`.violations_heard`), and no pair is written out: neither of rows, nor of a row and a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from ....graphs import RowMatrix
from ....linalg._products import crossprod64
from ....linalg._row_matrix import indicator
from .._penalties import clean
from .._points import Array, dense
from ._cluster_metrics import Metrics
from ._running_product import Heard, entries


def shared_columns(*matrices: RowMatrix) -> tuple[RowMatrix, ...]:
    """The same matrices with one factor for all, without a column twice or one that plays no part.

    Labels say "same" and "different" of the same blocks: what they have in common is then counted once, and what
    cancels is gone.
    """
    used = [np.flatnonzero(np.diff(clean(each.core).indptr)) for each in matrices]
    factor = sparse.csc_array(sparse.hstack([each.factor[:, some] for each, some in zip(matrices, used, strict=True)]))
    factor.sort_indices()
    known: dict[bytes, int] = {}
    keys = (factor.indices[start:stop].tobytes() + factor.data[start:stop].tobytes() for start, stop in _bounds(factor))
    place = np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)
    _, first = np.unique(place, return_index=True)
    shared, start = factor[:, first], 0
    found = []
    for each, some in zip(matrices, used, strict=True):
        merge = indicator(place[start : start + len(some)], len(known))
        found.append(RowMatrix(each.sparse, shared, merge.T @ each.core[some][:, some] @ merge))
        start += len(some)
    return tuple(found)


class GroupPrices:
    """Prices of the pairs of groups.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    must, cannot : RowMatrix
        Their low-rank parts count, over one factor.
    """

    def __init__(self, X: Any, must: RowMatrix, cannot: RowMatrix) -> None:
        self.X, self.factor = X, must.factor
        self.n_groups = self.factor.shape[1]
        self.must, self.cannot, self.both = (clean(core) for core in (must.core, cannot.core, must.core + cannot.core))
        # A group that a price has nothing to say to need not be asked.
        self.factor_of_must, self.factor_of_both, self.factor_of_cannot = (
            clean(self.factor * (np.diff(core.indptr) > 0)) for core in (self.must, self.both, self.cannot)
        )
        # What a row says to itself through its group is no statement about two rows. Only columns that a row has
        # together play a part in that.
        together = self.cannot.multiply(self.factor.T @ self.factor != 0)
        self.own = np.asarray((self.factor @ together).multiply(self.factor).sum(axis=1)).ravel()
        self.total = dense(crossprod64(self.factor, X)).astype(np.float64, copy=False)

    def products(self, factor: sparse.csr_array, table: Callable[[int], Array], n_clusters: int) -> Array:
        """Σ_q F_iq · x_iᵀ table(q)_c for each row and cluster, column by column."""
        products = np.zeros((factor.shape[0], n_clusters))
        columns = factor.tocsc()
        for q, (start, stop) in enumerate(_bounds(columns)):
            if stop > start:
                rows = columns.indices[start:stop]
                products[rows] += columns.data[start:stop, None] * np.asarray(self.X[rows] @ table(q).T)
        return products

    def sums(self, labels: Array, n_clusters: int) -> Iterator[Array]:
        """Σ of the rows of each group in one cluster after the other, (g, f)."""
        for cluster in range(n_clusters):
            members = np.flatnonzero(labels == cluster)
            yield dense(self.factor[members].T @ self.X[members]).astype(np.float64, copy=False)

    def row(self, i: int) -> tuple[Any, Array]:
        """The columns where a row has values, and the values."""
        if not sparse.issparse(self.X):
            return slice(None), self.X[i].astype(np.float64, copy=False)
        stored = slice(self.X.indptr[i], self.X.indptr[i + 1])
        return self.X.indices[stored], self.X.data[stored].astype(np.float64, copy=False)

    def standing(self, labels: Array, metrics: Metrics) -> GroupStanding:
        """What the groups say to rows, for a sweep."""
        return GroupStanding(self, labels, metrics)

    def strain(self, labels: Array, metrics: Metrics) -> tuple[Array, Array]:
        """The scatter of broken pairs, and the price of the cannot-links among them.

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
        return spread, 0.5 * np.bincount(labels, close, minlength=k)


class GroupStanding:
    """What groups say to rows, as labels stand; see :class:`.violations.Standing`."""

    def __init__(self, groups: GroupPrices, labels: Array, metrics: Metrics) -> None:
        self._groups, self._labels, self._metrics = groups, labels, metrics
        k, F = metrics.n_clusters, groups.factor
        self._squares = metrics.lengths(groups.X).astype(np.float64, copy=False)
        L = indicator(labels, k)
        counts, lengths = dense(F.T @ L), dense(F.T @ L.multiply(self._squares))
        self._counts, self._lengths = Heard(groups.both, counts.T), Heard(groups.both, lengths.T)
        self._sums = Heard(groups.both, (metrics.dual(c, sums) for c, sums in enumerate(groups.sums(labels, k))))
        self._apart = Heard(groups.cannot, counts.T)
        self.base = 0.5 * self._pull()

    def _pull(self) -> Array:
        """Σ_j M_ij ‖x_i − x_j‖² under each metric."""
        groups, k, F = self._groups, self._metrics.n_clusters, self._groups.factor
        pull = (F @ (groups.must @ F.sum(axis=0)))[:, None] * self._squares
        pull += F @ (groups.must @ (F.T @ self._squares))
        linked = groups.must @ groups.total

        def duals(q: int) -> Array:
            return np.array([self._metrics.dual(cluster, linked[q]) for cluster in range(k)])

        return pull - 2 * groups.products(groups.factor_of_must, duals, k)

    def votes(self) -> Array:
        """What the groups of each row say about each cluster."""
        groups, labels, F = self._groups, self._labels, self._groups.factor
        sums = self._sums.everywhere()
        votes = 2 * groups.products(groups.factor_of_both, sums.__getitem__, self._metrics.n_clusters)
        votes -= (F @ self._counts.everywhere()) * self._squares + F @ self._lengths.everywhere()
        votes += (F @ self._apart.everywhere()) * self._metrics.far
        votes[np.arange(len(labels)), labels] -= groups.own * self._metrics.far[labels]
        return votes

    def charge(self, row: int, paid: Array) -> None:
        """Add what the groups of one row say."""
        groups, label, far = self._groups, self._labels[row], self._metrics.far
        columns, values = groups.row(row)
        for q, amount in entries(groups.factor_of_both, row):
            products = self._sums.at(q, columns) @ values
            paid -= amount * (self._counts.at(q) * self._squares[row] - 2 * products + self._lengths.at(q))
        for q, amount in entries(groups.factor_of_cannot, row):
            paid += amount * self._apart.at(q) * far
        paid[label] -= groups.own[row] * far[label]

    def move(self, row: int, before: int, after: int) -> None:
        """Carry a row from one cluster to another."""
        columns, values = self._groups.row(row)
        for cluster, sign in ((before, -1.0), (after, 1.0)):
            dual = self._metrics.dual(cluster, values, columns)
            for q, amount in entries(self._groups.factor, row):
                amount *= sign
                self._counts.add(q, cluster, amount)
                self._apart.add(q, cluster, amount)
                self._lengths.add(q, cluster, amount * self._squares[row, cluster])
                self._sums.add(q, cluster, amount * dual, columns)


def _bounds(matrix: Any) -> Iterator[tuple[int, int]]:
    """Where each column of a CSC, or row of a CSR matrix starts and stops."""
    return pairwise(matrix.indptr.tolist())
