"""Conflicts with their proofs: cannot-linked rows that are connected by must-links, and too many pairwise
cannot-linked rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from .._arrays import BoolArray, FloatArray, IntArray
from ._closure import link_graph
from ._format import join_rows, pluralize
from ._partition import Partition
from ._validate import whole_number

if TYPE_CHECKING:
    from ._constraints import Constraints
    from ._orders import ComparisonConflict

CLIQUE_STARTS = 64
"""Number of greedy searches for a clique, starting from the groups with most cannot-links."""


@dataclass(frozen=True)
class Conflict:
    """Two cannot-linked rows, and a shortest chain of must-links between them.

    Attributes
    ----------
    cannot_link : (int, int)
        The two rows, in ascending order.
    chain : tuple of int
        Rows from the first to the second; consecutive rows are must-linked by a pair or a block.
    source : str
        Where the cannot-link comes from: "cannot_link[2]", or "partitions[0]".

    Examples
    --------
    >>> from likewise.constraints import Constraints
    >>> hints = Constraints(20, must_link=[(3, 8), (8, 17)], cannot_link=[(3, 17)])
    >>> print(hints.conflicts()[0])
    rows 3 and 17 are linked by 3–8–17, but cannot_link[0] = (3, 17)
    """

    cannot_link: tuple[int, int]
    chain: tuple[int, ...]
    source: str

    def __str__(self) -> str:
        first, second = self.cannot_link
        chain = join_rows(self.chain, "–")
        stated = f" = ({first}, {second})" if self.source.startswith("cannot_link") else " separates them"
        return f"rows {first} and {second} are linked by {chain}, but {self.source}{stated}"


class ConstraintConflictError(ValueError):
    """Constraints that no clustering can satisfy.

    Attributes
    ----------
    conflicts : tuple of Conflict or ComparisonConflict
        The first few conflicts; empty if a clique is the reason.
    clique : tuple of int or None
        Pairwise cannot-linked rows, more than there are clusters.
    """

    def __init__(
        self,
        message: str,
        conflicts: Sequence[Conflict | ComparisonConflict] = (),
        clique: tuple[int, ...] | None = None,
    ) -> None:
        super().__init__(message)
        self.conflicts = tuple(conflicts)
        self.clique = clique

    def __reduce__(self) -> tuple[type[ConstraintConflictError], tuple[object, ...]]:
        return ConstraintConflictError, (str(self), self.conflicts, self.clique)


@dataclass(frozen=True)
class _Cells:
    """The rows of a partition grouped by (closed group, block), with one cell for each combination that occurs."""

    rows: IntArray  # ordered by cell
    bounds: IntArray  # the rows of cell c are rows[bounds[c] : bounds[c + 1]]
    group: IntArray
    code: IntArray

    def __getitem__(self, cell: int) -> IntArray:
        return self.rows[self.bounds[cell] : self.bounds[cell + 1]]

    @property
    def sizes(self) -> IntArray:
        return np.diff(self.bounds)


def _cells(partition: Partition, groups: IntArray) -> _Cells:
    known = np.flatnonzero(partition.codes >= 0)
    key = groups[known] * partition.n_blocks + partition.codes[known]
    order = np.argsort(key, kind="stable")
    values, start = np.unique(key[order], return_index=True)
    group, code = np.divmod(values, max(partition.n_blocks, 1))
    return _Cells(known[order], np.append(start, len(known)), group, code)


def count_conflicts(constraints: Constraints, groups: IntArray) -> tuple[int, BoolArray]:
    """The number of conflicts, without proofs, and a mask of the closed groups with conflicts."""
    held = groups[constraints.cannot_link]
    inside = held[held[:, 0] == held[:, 1], 0]
    wrong = np.zeros(groups.max(initial=-1) + 1, dtype=np.bool_)
    wrong[inside] = True
    count = len(inside)
    for partition in constraints.partitions:
        if partition.n_cannot_link == 0:
            continue
        cells = _cells(partition, groups)
        if partition.different_across:
            blocks = np.bincount(cells.group, minlength=len(wrong))
            wrong |= blocks > 1
            count += int((blocks * (blocks - 1) // 2).sum())
        if partition.different_within:
            wrong[cells.group[cells.sizes > 1]] = True
            count += int(np.count_nonzero(cells.sizes > 1))
    return count, wrong


def find_conflicts(constraints: Constraints) -> Iterator[Conflict]:
    """Yield every conflict with its proof, those of the stated cannot-links first, then those of the partitions.

    A partition has one conflict for each closed group and two of its blocks (`different_across`), or each closed group
    and one of its blocks (`different_within`): the one with the shortest chain.
    """
    groups = constraints.groups()
    count, _ = count_conflicts(constraints, groups)
    if count == 0:
        return
    chains = Chains(constraints)
    held = groups[constraints.cannot_link]
    start, paths = -1, None
    for index in np.flatnonzero(held[:, 0] == held[:, 1]).tolist():
        first, second = constraints.cannot_link[index].tolist()
        if paths is None or first != start:  # since cannot-links are sorted, one search suffices for each first row
            start, paths = first, chains.paths_from(np.array([first]))
        yield Conflict((first, second), paths.nearest(np.array([second])), f"cannot_link[{index}]")
    for number, partition in enumerate(constraints.partitions):
        for chain in _partition_conflicts(partition, groups, chains):
            forward = chain if chain[0] < chain[-1] else chain[::-1]
            yield Conflict((forward[0], forward[-1]), forward, f"partitions[{number}]")


def _partition_conflicts(partition: Partition, groups: IntArray, chains: Chains) -> Iterator[tuple[int, ...]]:
    cells = _cells(partition, groups)
    if partition.different_across:
        stop = np.searchsorted(cells.group, cells.group, side="right")
        for cell in np.flatnonzero(stop - np.arange(len(stop)) > 1).tolist():
            paths: ShortestPaths = chains.paths_from(cells[cell])
            for other in range(cell + 1, stop[cell]):
                yield paths.nearest(cells[other])
    if partition.different_within:
        for cell in np.flatnonzero(cells.sizes > 1).tolist():
            yield chains.paths_from(cells[cell]).closest_two()


def raise_conflicts(constraints: Constraints, groups: IntArray, *, shown: int = 3) -> None:
    """Raise an error that lists the first few conflicts, if there are any."""
    count, _ = count_conflicts(constraints, groups)
    if count == 0:
        return
    first = list(islice(find_conflicts(constraints), shown))
    stated = first[0].source.startswith("cannot_link")
    more = f"; and {count - len(first):,} more" if count > len(first) else ""
    raise ConstraintConflictError(
        f"{'must_link and cannot_link contradict' if stated else 'the constraints contradict each other'}: "
        f"{'; '.join(map(str, first))}{more}. Remove one of these pairs, or call drop_conflicts().",
        first,
    )


class Chains:
    """Shortest chains within a closed group, at a cost that depends only on the size of the group.

    The vertices are ordered by component, so that the graph of a component is a slice of the whole graph.
    """

    def __init__(self, constraints: Constraints) -> None:
        self.n_rows = constraints.n_samples
        graph = link_graph(constraints.n_samples, constraints.must_link, constraints.partitions).tocoo()
        _, self._component = connected_components(graph, directed=False)
        self._vertex = np.argsort(self._component, kind="stable")
        self._place = np.empty_like(self._vertex)
        self._place[self._vertex] = np.arange(len(self._vertex))
        self._bounds = np.concatenate([[0], np.cumsum(np.bincount(self._component))])
        left, right = self._place[graph.row], self._place[graph.col]
        both = np.concatenate([left, right]), np.concatenate([right, left])
        self._graph = coo_array((np.tile(graph.data, 2), both), shape=graph.shape).tocsr()

    def paths_from(self, rows: IntArray) -> ShortestPaths:
        """Compute the distance of every vertex from the nearest of `rows`, which must be in one group."""
        component = self._component[rows[0]]
        low, high = self._bounds[component], self._bounds[component + 1]
        pointer = self._graph.indptr[low : high + 1]
        part = slice(pointer[0], pointer[-1])
        graph = csr_array(
            (self._graph.data[part], self._graph.indices[part] - low, pointer - pointer[0]),
            shape=(high - low, high - low),
        )
        distance, previous, source = dijkstra(
            graph, indices=self._place[rows] - low, min_only=True, return_predecessors=True
        )
        return ShortestPaths(self, int(low), graph, distance, previous.astype(np.int64), source.astype(np.int64))

    def places(self, rows: IntArray) -> IntArray:
        """Return the positions of rows in the order of the graph."""
        return self._place[rows]

    def vertex(self, place: int) -> int:
        """Return the vertex at a position: a row, or a block if it is n_rows or more."""
        return int(self._vertex[place])


@dataclass(frozen=True)
class ShortestPaths:
    """Distances from a set of rows to all vertices of their group, and the shortest paths back."""

    chains: Chains
    low: int
    graph: csr_array
    distance: FloatArray
    previous: IntArray
    source: IntArray

    def nearest(self, rows: IntArray) -> tuple[int, ...]:
        """Return a shortest chain from the set to the nearest of `rows`."""
        places = self.chains.places(rows) - self.low
        return tuple(reversed(self._path_back(int(places[np.argmin(self.distance[places])]))))

    def closest_two(self) -> tuple[int, ...]:
        """Return a shortest chain between two different rows of the set.

        A shortest chain has an edge whose two ends are nearest to different rows of the set.
        """
        edges = self.graph.tocoo()
        across = self.source[edges.row] != self.source[edges.col]
        left, right = edges.row[across], edges.col[across]
        best = np.argmin(self.distance[left] + edges.data[across] + self.distance[right])
        return (*reversed(self._path_back(int(left[best]))), *self._path_back(int(right[best])))

    def _path_back(self, place: int) -> list[int]:
        rows = []
        while place >= 0:  # a source has a negative predecessor
            vertex = self.chains.vertex(place + self.low)
            if vertex < self.chains.n_rows:
                rows.append(vertex)
            place = int(self.previous[place])
        return rows


def find_clique(constraints: Constraints, n_clusters: int) -> tuple[int, ...] | None:
    """Search for more than `n_clusters` rows that are pairwise cannot-linked."""
    n_clusters = whole_number(n_clusters, "n_clusters", least=1)
    closure = constraints.closure()
    clique = _from_partitions(closure.between, n_clusters)
    if clique is None:
        clique = _greedy(closure.between, n_clusters)
    if clique is None:
        return None
    _, first_row = np.unique(closure.groups, return_index=True)
    return tuple(sorted(first_row[clique].tolist()))


def raise_clique(constraints: Constraints, n_clusters: int) -> None:
    """Raise an error that lists pairwise cannot-linked rows, if more than `n_clusters` are found."""
    clique = find_clique(constraints, n_clusters)
    if clique is not None:
        raise ConstraintConflictError(
            f"rows {join_rows(clique, ', ')} are all different from each other, so that "
            f"{pluralize(n_clusters, 'cluster')} cannot satisfy the constraints; use at least {len(clique):,}.",
            clique=clique,
        )


def _from_partitions(between: Constraints, n_clusters: int) -> IntArray | None:
    """A clique that a single partition implies: one group of each block, or all groups of one block."""
    for partition in between.partitions:
        known = np.flatnonzero(partition.codes >= 0)
        if partition.different_across:
            _, one_each = np.unique(partition.codes[known], return_index=True)
            clique = known if partition.different_within else known[one_each]
        else:
            clique = np.flatnonzero(partition.codes == partition.block_sizes.argmax())
        if len(clique) > n_clusters:
            return clique
    return None


def _greedy(between: Constraints, n_clusters: int) -> IntArray | None:
    """Extend cliques greedily, always by the candidate with most cannot-links."""
    n_groups = between.n_samples
    degree = np.bincount(between.cannot_link.ravel(), minlength=n_groups)
    for partition in between.partitions:
        sizes = np.append(partition.block_sizes, 0)[partition.codes]
        implied = (partition.n_known - sizes) * partition.different_across + (sizes - 1) * partition.different_within
        degree += np.where(partition.codes >= 0, implied, 0)
    # a member of such a clique is cannot-linked to at least n_clusters other groups
    candidates = np.flatnonzero(degree >= n_clusters)
    candidates = candidates[np.argsort(-degree[candidates], kind="stable")]
    both = np.concatenate([between.cannot_link, between.cannot_link[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    bounds = np.searchsorted(both[:, 0], np.arange(n_groups + 1))

    def differ(group: int, others: IntArray) -> BoolArray:
        stated = both[bounds[group] : bounds[group + 1], 1]
        mask = np.isin(others, stated)
        for partition in between.partitions:
            code, theirs = partition.codes[group], partition.codes[others]
            if code >= 0 and partition.different_across:
                mask |= (theirs >= 0) & (theirs != code)
            if code >= 0 and partition.different_within:
                mask |= (theirs == code) & (others != group)
        return mask

    for start in candidates[:CLIQUE_STARTS]:
        clique, left = [start], candidates[differ(start, candidates)]
        while left.size:
            clique.append(left[0])
            left = left[differ(left[0], left)]
        if len(clique) > n_clusters:
            return np.array(clique)
    return None
