"""Which hints a clustering keeps, counted by the clusters their rows are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ..constraints import Constraints, Partition

Array = np.ndarray


@dataclass(frozen=True)
class Tally:
    """Pairs of rows that hints speak of, by the two clusters they are in.

    Attributes
    ----------
    same, different : (k, k) ints
        How many pairs were said to be the same (different) that have one row in the cluster of the line and the other
        in that of the column. Symmetric. On the diagonal are pairs that are together.

    Examples
    --------
    >>> tally = Tally.of([0, 0, 1, 1], Constraints(4, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 3)]), 2)
    >>> tally.same.tolist(), tally.same_kept, tally.n_same
    ([[1, 1], [1, 0]], 1, 2)
    """

    same: Array
    different: Array

    @classmethod
    def of(cls, labels: Any, hints: Constraints, n_clusters: int) -> Tally:
        """Count; pairs that whole groups imply are never written out."""
        labels = np.asarray(labels)
        if len(labels) != hints.n_samples:
            raise ValueError(
                f"hints were built for {hints.n_samples} rows, labels has {len(labels)}. "
                "Split them too: constraints.restrict(rows)."
            )
        same = _stated(labels, hints.must_link, n_clusters)
        different = _stated(labels, hints.cannot_link, n_clusters)
        for partition in hints.partitions:
            within, across = _implied(labels, partition, n_clusters)
            same += within * partition.same_within
            different += within * partition.different_within + across * partition.different_across
        return cls(same, different)

    @property
    def n_same(self) -> int:
        """Pairs that were said to be the same."""
        return _pairs(self.same)

    @property
    def n_different(self) -> int:
        """Pairs that were said to be different."""
        return _pairs(self.different)

    @property
    def same_kept(self) -> int:
        """Of the first, those that are together."""
        return int(np.trace(self.same))

    @property
    def different_kept(self) -> int:
        """Of the second, those that are apart."""
        return self.n_different - int(np.trace(self.different))

    @property
    def broken(self) -> Array:
        """(k, k) ints: pairs in the wrong place, "same" off the diagonal and "different" on it."""
        return np.where(np.eye(len(self.same), dtype=bool), self.different, self.same)

    @property
    def kept(self) -> Array:
        """(k, k) ints: pairs in the right place."""
        return np.where(np.eye(len(self.same), dtype=bool), self.same, self.different)


def _pairs(counts: Array) -> int:
    return int(counts.sum() + np.trace(counts)) // 2


def _stated(labels: Array, pairs: Array, n_clusters: int) -> Array:
    found = np.zeros((n_clusters, n_clusters), dtype=np.int64)
    left, right = labels[pairs[:, 0]], labels[pairs[:, 1]]
    np.add.at(found, (left, right), 1)
    apart = left != right
    np.add.at(found, (right[apart], left[apart]), 1)
    return found


def _implied(labels: Array, partition: Partition, n_clusters: int) -> tuple[Array, Array]:
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
