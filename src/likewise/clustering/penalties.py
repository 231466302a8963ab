"""What hints cost a labelling, point by point, without writing out the pairs that groups imply.

With C the beliefs in cannot-links and M those in must-links, a point i in cluster c pays

    Σ_j C_ij [l_j = c] + Σ_j M_ij [l_j ≠ c]  =  degree_i + Σ_j S_ij [l_j = c],        S = C − M,

and S is a few stated pairs plus something of low rank for whole groups (:class:`likewise.graphs.RowMatrix`):
S = P + G Fᵀ. So it is enough to keep the labels, and for every column of F how much of it lies in which cluster.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from ..graphs import RowMatrix
from .points import Array

BATCH = 4096
"""Points whose costs are written out as lists at once."""

FEW_PAIRS = 10
"""Pairs for each point up to which groups are written out: a loop over pairs is quicker than one over groups."""

INFINITE = float("inf")

Entries = list[list[tuple[int, float]]]


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
        gather = clean(signed.factor @ signed.core)
        touched = np.diff(pairs.indptr) + np.diff(gather.indptr) > 0
        self.free, self.rows = ~touched, np.flatnonzero(touched)
        columns = np.flatnonzero(np.bincount(gather.indices, minlength=gather.shape[1]))
        self.pairs = sparse.csr_array(pairs[self.rows][:, self.rows])
        self.gather = sparse.csr_array(gather[self.rows][:, columns])
        self.factor = sparse.csr_array(signed.factor[self.rows][:, columns])
        # What a point says to itself through its group is no statement about two points.
        self.own = np.asarray(self.gather.multiply(self.factor).sum(axis=1)).ravel()
        self._degrees = 0.0 if must is None else float(must.row_sums().sum())
        self._lists: tuple[Entries, ...] | None = None

    def votes(self, told: Array, n_clusters: int) -> Array:
        """Σ_j S_ij [l_j = c] for every told point and cluster, the point itself left out."""
        rows = np.arange(len(told))
        L = np.zeros((len(told), n_clusters))
        L[rows, told] = 1.0
        votes = self.pairs @ L
        if self.gather.nnz:
            votes += self.gather @ (self.factor.T @ L)
            votes[rows, told] -= self.own
        return votes

    def total(self, labels: Array) -> float:
        """The belief in all hints that these labels of all points break."""
        told = labels[self.rows]
        return self._broken(told, self.votes(told, int(told.max(initial=0)) + 1))

    def _broken(self, told: Array, votes: Array) -> float:
        twice = votes[np.arange(len(told)), told].sum() + self._degrees
        return max(float(twice) / 2, 0.0)

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
        n_clusters = costs.shape[1]
        votes = self.votes(told, n_clusters)
        priced = _priced(costs, votes, penalty)
        wanting = np.flatnonzero(priced.min(axis=1, initial=np.inf) < priced[np.arange(len(told)), told])
        if not len(wanting):
            return told, self._broken(told, votes)
        standing = Standing(self, told)
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
        return told, self._broken(told, self.votes(told, n_clusters))

    def lists(self) -> tuple[Entries, ...]:
        """The rows of the three sparse matrices as plain lists: a loop over points reads those fastest."""
        if self._lists is None:
            self._lists = tuple(map(_rows_as_lists, (self.pairs, self.gather, self.factor)))
        return self._lists


class Standing:
    """Labels of the told points that change one at a time, and what the hints say to each as they stand.

    Parameters
    ----------
    penalties : Penalties
    told : (r,) ints
        −1 where a point has no label yet.
    """

    def __init__(self, penalties: Penalties, told: Array) -> None:
        self._pairs, self._gather, self._factor = penalties.lists()
        self._own = penalties.own.tolist()
        self.labels: list[int] = told.tolist()
        self._inside: list[dict[int, float]] = [{} for _ in range(penalties.factor.shape[1])]
        for i in np.flatnonzero(told >= 0).tolist():
            for q, amount in self._factor[i]:
                block = self._inside[q]
                block[self.labels[i]] = block.get(self.labels[i], 0.0) + amount

    def charge(self, i: int, cost: list[float], price: float) -> None:
        """Add price · Σ_j S_ij [l_j = c] to the cost of every cluster c; point i itself is left out."""
        labels = self.labels
        for j, belief in self._pairs[i]:
            if labels[j] >= 0:
                cost[labels[j]] += price * belief
        if self._gather[i]:
            for q, belief in self._gather[i]:
                for cluster, amount in self._inside[q].items():
                    cost[cluster] += price * belief * amount
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
        for q, amount in self._factor[i]:
            block = self._inside[q]
            if before >= 0:
                block[before] -= amount
                if block[before] == 0:
                    del block[before]
            if cluster >= 0:
                block[cluster] = block.get(cluster, 0.0) + amount


def _priced(costs: Array, votes: Array, penalty: float) -> Array:
    # Hard hints are certain, so a vote is a whole number of statements.
    return np.where(votes > 0.5, np.inf, costs) if penalty == INFINITE else costs + penalty * votes


def clean(matrix: Any) -> sparse.csr_array:
    """A sparse matrix without the zeros it stores."""
    matrix = sparse.csr_array(matrix)
    matrix.eliminate_zeros()
    return matrix


def _rows_as_lists(matrix: sparse.csr_array) -> Entries:
    entries = list(zip(matrix.indices.tolist(), matrix.data.tolist(), strict=True))
    bounds = matrix.indptr.tolist()
    return [entries[start:stop] for start, stop in pairwise(bounds)]
