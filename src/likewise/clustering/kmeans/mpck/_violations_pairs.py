"""Stated pairs, and small groups written out as pairs: what breaking each costs under the metrics of the clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .._points import Array, blocks
from ._cluster_metrics import Metrics


class PairPrices:
    """Prices of pairs.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    must, cannot : (n, n) symmetric sparse arrays
        The price of each pair.
    """

    def __init__(self, X: Any, must: sparse.csr_array, cannot: sparse.csr_array) -> None:
        upper = [sparse.triu(each, 1, format="coo") for each in (must, cannot)]
        self.X, self.n_must = X, upper[0].nnz
        self.left, self.right = (np.concatenate([each.coords[end] for each in upper]) for end in (0, 1))
        self.weight = np.concatenate([each.data for each in upper])
        self.n_pairs = len(self.weight)
        rows, places = np.concatenate([self.left, self.right]), np.tile(np.arange(self.n_pairs), 2)
        order = np.argsort(rows, kind="stable")
        self.bounds = np.searchsorted(rows[order], np.arange(X.shape[0] + 1))
        self.place = places[order]
        self.other = np.concatenate([self.right, self.left])[order]
        linked = places < self.n_must
        shape = (X.shape[0], self.n_pairs)
        self.must_of = sparse.csr_array((np.ones(linked.sum()), (rows[linked], places[linked])), shape=shape)

    def differences(self, places: Array) -> Any:
        """x_i − x_j for some of the pairs."""
        found = self.X[self.left[places]] - self.X[self.right[places]]
        return sparse.csr_array(found) if sparse.issparse(found) else found

    def standing(self, labels: Array, metrics: Metrics) -> PairStanding:
        """What the pairs say to rows, for a sweep."""
        return PairStanding(self, labels, metrics)

    def strain(self, labels: Array, metrics: Metrics) -> tuple[Array, Array]:
        """The scatter of broken pairs, and the price of the cannot-links among them."""
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
        return spread, np.bincount(left[close], self.weight[close], minlength=metrics.n_clusters)


class PairStanding:
    """What pairs say to rows, as labels stand; see :class:`.violations.Standing`."""

    def __init__(self, pairs: PairPrices, labels: Array, metrics: Metrics) -> None:
        self._pairs, self._labels = pairs, labels
        m = pairs.n_must
        # said: what a pair adds, for one of its rows, to the cluster where the other row is.
        self._said = np.empty((pairs.n_pairs, metrics.n_clusters))
        for some in blocks(pairs.n_pairs, pairs.X.shape[1]):
            self._said[some] = metrics.lengths(pairs.differences(np.arange(some.start, some.stop)))
        self._said *= -pairs.weight[:, None]
        self.base = -0.5 * (pairs.must_of @ self._said)
        self._said[m:] += pairs.weight[m:, None] * metrics.far

    def votes(self) -> Array:
        """What the pairs of each row say about each cluster."""
        pairs, labels = self._pairs, self._labels
        votes = np.zeros_like(self.base)
        for here, there in ((pairs.left, labels[pairs.right]), (pairs.right, labels[pairs.left])):
            np.add.at(votes, (here, there), self._said[np.arange(len(here)), there])
        return votes

    def charge(self, row: int, paid: Array) -> None:
        """Add what the pairs of one row say."""
        mine = slice(self._pairs.bounds[row], self._pairs.bounds[row + 1])
        if mine.stop > mine.start:
            there = self._labels[self._pairs.other[mine]]
            np.add.at(paid, there, self._said[self._pairs.place[mine], there])

    def move(self, row: int, before: int, after: int) -> None:
        """Nothing to do: labels are read where they are."""
