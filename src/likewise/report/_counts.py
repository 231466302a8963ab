"""Constrained pairs, counted by the clusters that their rows are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import IntArray
from ..constraints import Constraints, Partition


@dataclass(frozen=True)
class PairCounts:
    """Constrained pairs of rows, by the two clusters they are in.

    Attributes
    ----------
    same, different : (k, k) ints
        Must-links (cannot-links) with one row in the cluster of the line and the other in that of the column.
        Symmetric. On the diagonal are pairs that are together.

    Examples
    --------
    >>> counts = PairCounts.of([0, 0, 1, 1], Constraints(4, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 3)]), 2)
    >>> counts.same.tolist(), counts.same_kept, counts.n_same
    ([[1, 1], [1, 0]], 1, 2)
    """

    same: IntArray
    different: IntArray

    @classmethod
    def of(cls, labels: Any, constraints: Constraints, n_clusters: int) -> PairCounts:
        """Count; pairs that partitions imply are never written out."""
        labels = np.asarray(labels)
        if len(labels) != constraints.n_samples:
            raise ValueError(
                f"constraints were built for {constraints.n_samples} rows, labels has {len(labels)}. "
                "Split them too: constraints.restrict(rows)."
            )
        same = _stated(labels, constraints.must_link, n_clusters)
        different = _stated(labels, constraints.cannot_link, n_clusters)
        for partition in constraints.partitions:
            within, across = _implied(labels, partition, n_clusters)
            same += within * partition.same_within
            different += within * partition.different_within + across * partition.different_across
        return cls(same, different)

    @property
    def n_same(self) -> int:
        """Must-linked pairs."""
        return _pairs(self.same)

    @property
    def n_different(self) -> int:
        """Cannot-linked pairs."""
        return _pairs(self.different)

    @property
    def same_kept(self) -> int:
        """Must-linked pairs that are together."""
        return int(np.trace(self.same))

    @property
    def different_kept(self) -> int:
        """Cannot-linked pairs that are apart."""
        return self.n_different - int(np.trace(self.different))

    @property
    def broken(self) -> IntArray:
        """(k, k) ints: pairs in the wrong place, must-links off the diagonal and cannot-links on it."""
        return np.where(np.eye(len(self.same), dtype=bool), self.different, self.same)

    @property
    def kept(self) -> IntArray:
        """(k, k) ints: pairs in the right place."""
        return np.where(np.eye(len(self.same), dtype=bool), self.same, self.different)


def _pairs(counts: IntArray) -> int:
    return int(counts.sum() + np.trace(counts)) // 2


def _stated(labels: IntArray, pairs: IntArray, n_clusters: int) -> IntArray:
    found = np.zeros((n_clusters, n_clusters), dtype=np.int64)
    left, right = labels[pairs[:, 0]], labels[pairs[:, 1]]
    np.add.at(found, (left, right), 1)
    apart = left != right
    np.add.at(found, (right[apart], left[apart]), 1)
    return found


def _implied(labels: IntArray, partition: Partition, n_clusters: int) -> tuple[IntArray, IntArray]:
    """Pairs within a block, and pairs across two, by cluster: from how many rows of each block a cluster has."""
    known = np.flatnonzero(partition.codes >= 0)
    entries = np.ones(len(known), dtype=np.int64), (partition.codes[known], labels[known])
    rows = sparse.csr_array(sparse.coo_array(entries, shape=(partition.n_blocks, n_clusters)))
    sizes = np.asarray(rows.sum(axis=0)).ravel().astype(np.int64)
    within = (rows.T @ rows).toarray().astype(np.int64)
    across = np.outer(sizes, sizes) - within
    diagonal = np.diag_indices(n_clusters)
    within[diagonal] = (within[diagonal] - sizes) // 2
    across[diagonal] //= 2
    return within, across
