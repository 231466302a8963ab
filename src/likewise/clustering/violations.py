"""What broken pairs cost when that depends on the two rows and on the metric of their clusters (MPCK-means)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..constraints import Constraints
from .points import Array


class PairCosts:
    """The pairs of written-out hints.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    constraints : Constraints
        Without partitions.
    penalty : float

    Attributes
    ----------
    differences : (m, f) array or CSR matrix
        x_i − x_j, must-links first.
    free : (n,) mask
        Rows in no pair.
    """

    def __init__(self, X: Any, constraints: Constraints, penalty: float) -> None:
        pairs = np.concatenate([constraints.must_link, constraints.cannot_link])
        self._left, self._right = pairs[:, 0], pairs[:, 1]
        self._n_must = len(constraints.must_link)
        self._weight = penalty * np.concatenate([constraints.must_weight, constraints.cannot_weight])
        self.differences = X[self._left] - X[self._right]
        if sparse.issparse(self.differences):
            self.differences = sparse.csr_array(self.differences)
        self.free = ~constraints.touched()
        rows, places = np.concatenate([self._left, self._right]), np.tile(np.arange(len(pairs)), 2)
        order = np.argsort(rows, kind="stable")
        self._bounds = np.searchsorted(rows[order], np.arange(X.shape[0] + 1))
        self._place = places[order]
        self._other = np.concatenate([self._right, self._left])[order]
        must = places < self._n_must
        self._must_of = sparse.csr_array(
            (np.ones(must.sum()), (rows[must], places[must])), shape=(X.shape[0], len(pairs))
        )

    def sweep(
        self, labels: Array, own: Array, within: Array, far: Array, rng: np.random.RandomState
    ) -> tuple[Array, float]:
        """Rows that would rather be elsewhere, in random order, to the cluster cheapest for them by then.

        A must-link to a row in cluster b costs ½ (q_c + q_b) in every cluster c but b. Up to what is the same for all
        c this is ½ q_c everywhere and −q_b in b. A cannot-link costs far_b − q_b in b.

        Parameters
        ----------
        labels : (n,) ints
        own : (n, k) array
            What each cluster costs each row by itself.
        within : (m, k) array
            q: the squared length of each difference under each metric.
        far : (k,) array
        rng : RandomState

        Returns
        -------
        labels : (n,) ints
        broken : float
            The cost of all broken pairs.
        """
        cannot = self._n_must
        said = -self._weight[:, None] * within
        # Where the farthest pair is not quite the farthest, a cannot-link still never pays for being broken.
        said[cannot:] = np.maximum(said[cannot:] + self._weight[cannot:, None] * far, 0.0)
        base = own + self._must_of @ (0.5 * self._weight[:, None] * within)
        cost = base.copy()
        for here, there in ((self._left, self._right), (self._right, self._left)):
            np.add.at(cost, (here, labels[there]), said[np.arange(len(said)), labels[there]])
        wanting = np.flatnonzero(cost.min(axis=1) < cost[np.arange(len(labels)), labels])
        standing = labels.tolist()
        for i in rng.permutation(wanting[~self.free[wanting]]).tolist():
            paid = base[i].tolist()
            start, stop = self._bounds[i], self._bounds[i + 1]
            pairs, others = self._place[start:stop].tolist(), self._other[start:stop].tolist()
            for pair, other in zip(pairs, others, strict=True):
                paid[standing[other]] += said[pair, standing[other]]
            best = min(paid)
            if best < paid[standing[i]]:
                standing[i] = paid.index(best)
        labels = np.array(standing)
        return labels, self._cost(labels, within, said)

    def _cost(self, labels: Array, within: Array, said: Array) -> float:
        left, right, m = labels[self._left], labels[self._right], self._n_must
        apart = np.flatnonzero(left[:m] != right[:m])
        together = m + np.flatnonzero(left[m:] == right[m:])
        halves = within[apart, left[apart]] + within[apart, right[apart]]
        return float(0.5 * self._weight[apart] @ halves + said[together, left[together]].sum())

    def broken(self, labels: Array, n_clusters: int) -> tuple[Any, sparse.csr_array, sparse.csr_array]:
        """``(differences, must, cannot)``: with what weight each broken pair counts in each cluster, (k, m) twice."""
        left, right, m = labels[self._left], labels[self._right], self._n_must
        apart = np.flatnonzero(left[:m] != right[:m])
        together = m + np.flatnonzero(left[m:] == right[m:])
        half = np.tile(0.5 * self._weight[apart], 2)
        shape = (n_clusters, len(left))
        must = sparse.csr_array((half, (np.concatenate([left[apart], right[apart]]), np.tile(apart, 2))), shape=shape)
        cannot = sparse.csr_array((self._weight[together], (left[together], together)), shape=shape)
        return self.differences, must, cannot
