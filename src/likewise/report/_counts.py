"""Counts of constrained pairs by the clusters of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import IntArray
from ..constraints import Constraints
from ..constraints._overlap import KINDS, Kind, implied_weights, links_once, stated_pairs
from ..linalg._row_matrix import indicator


@dataclass(frozen=True)
class PairCounts:
    """The numbers of constrained pairs of rows, by their two clusters.

    Attributes
    ----------
    same, different : (k, k) ints
        The number of must-links (cannot-links) between two clusters. Symmetric; the diagonal counts the pairs within a
        cluster.

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
        """Count each pair once, even if it is stated or implied several times; partitions are not expanded."""
        labels = np.asarray(labels)
        if len(labels) != constraints.n_samples:
            raise ValueError(
                f"constraints were built for {constraints.n_samples} rows, labels has {len(labels)}. "
                "Restrict them to the same rows: constraints.restrict(rows)."
            )
        same, different = (_by_cluster(labels, constraints, kind, n_clusters) for kind in KINDS)
        return cls(same, different)

    @property
    def n_same(self) -> int:
        """Number of must-linked pairs."""
        return _pairs(self.same)

    @property
    def n_different(self) -> int:
        """Number of cannot-linked pairs."""
        return _pairs(self.different)

    @property
    def same_kept(self) -> int:
        """Number of must-linked pairs that are together."""
        return int(np.trace(self.same))

    @property
    def different_kept(self) -> int:
        """Number of cannot-linked pairs that are apart."""
        return self.n_different - int(np.trace(self.different))

    @property
    def broken(self) -> IntArray:
        """(k, k) ints: violated pairs, that is, must-links off the diagonal and cannot-links on it."""
        return np.where(np.eye(len(self.same), dtype=bool), self.different, self.same)

    @property
    def kept(self) -> IntArray:
        """(k, k) ints: satisfied pairs, that is, must-links on the diagonal and cannot-links off it."""
        return np.where(np.eye(len(self.same), dtype=bool), self.same, self.different)


def _pairs(counts: IntArray) -> int:
    return int(counts.sum() + np.trace(counts)) // 2


def _by_cluster(labels: IntArray, constraints: Constraints, kind: Kind, n_clusters: int) -> IntArray:
    """The numbers of pairs of one kind, each counted once even if it is stated or implied several times."""
    pairs, _ = stated_pairs(constraints, kind)
    pairs = pairs[implied_weights(constraints, kind) == 0]
    ends = labels[pairs]
    found = np.zeros((n_clusters, n_clusters), dtype=np.int64)
    np.add.at(found, (ends[:, 0], ends[:, 1]), 1)
    np.add.at(found, (ends[:, 1], ends[:, 0]), ends[:, 0] != ends[:, 1])
    inside = indicator(labels, n_clusters)
    for _, links in links_once(constraints.partitions, kind):
        matrix = links.matrix(np.ones(len(labels))).without_diagonal()
        implied = matrix.lift(inside.T).toarray().round().astype(np.int64)
        np.fill_diagonal(implied, np.diag(implied) // 2)  # these pairs are counted once for each end
        found += implied
    return found
