"""Relations between the rows of a pool that follow from the answers: same, different or unknown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import BoolArray, IntArray
from ..constraints import Constraints

MAX_ROWS = 2_000
"""With more constrained rows than this, nothing is inferred from the number of clusters."""


@dataclass
class Known:
    """Groups of rows known to be the same, and groups known to be different. Rows are positions in a pool of rows.

    Attributes
    ----------
    group : (m,) ints
        The group of each row: the position of one of its rows.
    apart : (m, m) bools
        Which groups are known to be different.
    touched : (m,) bools
        Rows in at least one constraint or answer.
    """

    group: IntArray
    apart: BoolArray
    touched: BoolArray

    @classmethod
    def of(cls, constraints: Constraints, rows: IntArray) -> Known:
        """The relations between some rows by constraints on all rows; conflicts are dropped.

        >>> known = Known.of(Constraints(5, [(0, 1), (1, 2)], [(2, 3)]), np.array([0, 2, 3, 4]))
        >>> known.relation(0, 1), known.relation(0, 2), known.relation(0, 3)
        (1, -1, 0)
        """
        if constraints.conflicts(limit=1):
            constraints = constraints.drop_conflicts()[0]
        closure = constraints.closure()
        names, first, code = np.unique(closure.groups[rows], return_index=True, return_inverse=True)
        apart = np.zeros((len(rows), len(rows)), dtype=np.bool_)
        place = np.full(closure.n_groups, -1)
        place[names] = first
        ends = place[closure.between.cannot_link]
        ends = ends[(ends >= 0).all(axis=1)]
        apart[ends[:, 0], ends[:, 1]] = apart[ends[:, 1], ends[:, 0]] = True
        for partition in closure.between.partitions:
            codes = partition.codes[names]
            inside = np.flatnonzero(codes >= 0)
            codes = codes[inside]
            differ = np.zeros((len(codes), len(codes)), dtype=np.bool_)
            if partition.different_across:
                differ |= codes[:, None] != codes
            if partition.different_within:
                differ |= codes[:, None] == codes
            np.fill_diagonal(differ, val=False)
            apart[np.ix_(first[inside], first[inside])] |= differ
        return cls(first[code], apart, constraints.constrained_rows()[rows])

    def copy(self) -> Known:
        """An independent copy."""
        return Known(self.group.copy(), self.apart.copy(), self.touched.copy())

    def relation(self, i: int, j: int) -> int:
        """1 if two rows are known to be the same, −1 if different, 0 if neither."""
        a, b = self.group[i], self.group[j]
        return 1 if a == b else -int(self.apart[a, b])

    def take(self, i: int, j: int, same: bool) -> bool:
        """Add a relation between two rows unless it contradicts the others; return whether it was added."""
        self.touched[[i, j]] = True
        a, b = int(self.group[i]), int(self.group[j])
        if self.apart[a, b] if same else a == b:
            return False
        if not same:
            self.apart[a, b] = self.apart[b, a] = True
        elif a != b:
            self.group[self.group == b] = a
            self.apart[a] |= self.apart[b]
            self.apart[:, a] |= self.apart[:, b]
        return True

    def mates(self, i: int) -> IntArray:
        """The touched rows in the same group as a row, including itself."""
        return np.flatnonzero((self.group == self.group[i]) & self.touched)

    def clique(self) -> list[int]:
        """Groups that are pairwise different, by a greedy search in order of decreasing size."""
        names, sizes = np.unique(self.group[self.touched], return_counts=True)
        clique: list[int] = []
        for name in names[np.argsort(-sizes, kind="stable")].tolist():
            if self.apart[name, clique].all():
                clique.append(name)
        return clique

    def infer(self, n_clusters: int) -> list[tuple[int, int]]:
        """Infer relations from the number of clusters; returns the pairs that were found to be the same.

        If k groups are pairwise different, a row that differs from k − 1 of them is in the remaining one.

        >>> known = Known.of(Constraints(4, [], [(0, 1), (2, 1)]), np.arange(4))
        >>> known.infer(2), known.relation(0, 2)
        ([(0, 2)], 1)
        """
        names, clique = np.unique(self.group[self.touched]), self.clique()
        if len(clique) != n_clusters:
            return []
        found: list[tuple[int, int]] = []
        for name in names.tolist():
            candidates = [core for core in clique if core != name and not self.apart[name, core]]
            if name not in clique and len(candidates) == 1:
                found.append((candidates[0], name))
                self.take(candidates[0], name, same=True)
        return found


def inferred_links(constraints: Constraints, n_clusters: int | None, earlier: Constraints | None = None) -> Constraints:
    """The must-links that follow from constraints and the number of clusters.

    They include those found earlier, unless these conflict with the constraints.

    >>> inferred_links(Constraints(4, [], [(0, 1), (2, 1)]), 2).must_link.tolist()
    [[0, 2]]
    """
    found = Constraints(constraints.n_samples)
    if earlier is not None and not (constraints | earlier).conflicts(limit=1):
        found = earlier
    rows = np.flatnonzero(constraints.constrained_rows())
    if n_clusters is None or len(rows) > MAX_ROWS:
        return found
    known = Known.of(constraints | found, rows)
    while pairs := known.infer(n_clusters):
        found = found | Constraints(constraints.n_samples, rows[np.array(pairs)])
    return found
