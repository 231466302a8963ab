"""Assigning groups with cannot-links to clusters: graph coloring with costs.

With two clusters it is exact. With more it is the search of Brélaz (DSATUR), which always continues with the group that
has the fewest feasible clusters, with backtracking inside each connected component. A search that exhausts all
possibilities proves that no labeling exists.
"""

from __future__ import annotations

import heapq

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..._arrays import FloatArray, IntArray
from ...constraints import Closure
from ...constraints._format import join_rows
from ...constraints._partition import pairs_within
from ._penalties import INFINITE, LabelState, Penalties


class PlacementError(ValueError):
    """No labeling satisfies all cannot-links, or none was found.

    Attributes
    ----------
    rows : tuple of int
        The rows that could not be placed.
    proven : bool
        Whether it is proven that no labeling exists; otherwise the search was stopped.
    """

    def __init__(self, message: str, rows: tuple[int, ...] = (), proven: bool = False) -> None:
        super().__init__(message)
        self.rows = rows
        self.proven = proven

    def __reduce__(self) -> tuple[type[PlacementError], tuple[object, ...]]:
        return type(self), (str(self), self.rows, self.proven)


def cannot_link_edges(closure: Closure, apart: Penalties) -> IntArray:
    """O(n · k) cannot-links between constrained groups with the same connected components as all of them.

    These are all given pairs, and all pairs within blocks whose rows all differ (at most one per cluster); for blocks
    that differ from each other, only the pairs with the first group of the first and of the second block.
    """
    edges = [closure.between.cannot_link]
    for partition in closure.between.partitions:
        codes = partition.codes
        if partition.different_within:
            edges.append(pairs_within(codes))
        if partition.different_across and partition.n_blocks > 1:
            # Blocks are numbered by first appearance.
            for block in (0, 1):
                hub = int(np.argmax(codes == block))
                others = np.flatnonzero((codes >= 0) & (codes != block))
                edges.append(np.column_stack([np.full(len(others), hub), others]))
    return np.searchsorted(apart.rows, np.concatenate(edges))


def _neighbors(edges: IntArray, n: int) -> list[list[int]]:
    lists: list[list[int]] = [[] for _ in range(n)]
    for i, j in edges.tolist():
        lists[i].append(j)
        lists[j].append(i)
    return lists


def _components(edges: IntArray, n: int) -> IntArray:
    graph = sparse.coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    return connected_components(graph, directed=False)[1] if n else np.zeros(0, dtype=np.int64)


class TwoSides:
    """Two clusters: every connected component of groups has either two labelings or none.

    Raises PlacementError with an odd cycle as proof if there is none.
    """

    def __init__(self, closure: Closure, apart: Penalties) -> None:
        edges, n = cannot_link_edges(closure, apart), len(apart.rows)
        self._closure, self._apart = closure, apart
        self.component = _components(edges, n)
        self.side = self._colored(_neighbors(edges, n))

    def best(self, costs: FloatArray) -> IntArray:
        """The cheapest labels, from the costs (r, 2) of the constrained groups."""
        rows = np.arange(len(self.side))
        gain = costs[rows, 1 - self.side] - costs[rows, self.side]
        flipped = np.bincount(self.component, gain) < 0
        return np.where(flipped[self.component], 1 - self.side, self.side)

    def _colored(self, neighbors: list[list[int]]) -> IntArray:
        side = [-1] * len(neighbors)
        parent = [-1] * len(neighbors)
        for root in range(len(neighbors)):
            if side[root] >= 0:
                continue
            side[root], queue = 0, [root]
            for i in queue:  # breadth-first search: the queue grows during the loop
                for j in neighbors[i]:
                    if side[j] < 0:
                        side[j], parent[j] = 1 - side[i], i
                        queue.append(j)
                    elif side[j] == side[i]:
                        self._odd_cycle(i, j, parent)
        return np.array(side, dtype=np.int64)

    def _odd_cycle(self, i: int, j: int, parent: list[int]) -> None:
        left, right = [i], [j]
        while left[-1] != right[-1]:  # both have the same depth in the breadth-first tree
            left.append(parent[left[-1]])
            right.append(parent[right[-1]])
        cycle = [*left, *right[-2::-1]]
        _, first = np.unique(self._closure.groups, return_index=True)
        rows = tuple(first[self._apart.rows[cycle]].tolist())
        raise PlacementError(
            f"no labeling with 2 clusters keeps the cannot-links: rows {join_rows((*rows, rows[0]), '–')} form an odd "
            "cycle, in which each row (or one must-linked with it) is cannot-linked with the next. Use 3 clusters, "
            "or remove one of these hints.",
            rows,
            True,
        )


class Placer:
    """Three or more clusters: a search that starts with the most constrained group."""

    def __init__(self, closure: Closure, apart: Penalties, n_clusters: int, max_steps: int) -> None:
        edges, n = cannot_link_edges(closure, apart), len(apart.rows)
        self._closure, self._apart = closure, apart
        self._n_clusters, self._max_steps = n_clusters, max_steps
        self._neighbors = _neighbors(edges, n)
        component = _components(edges, n)
        order = np.argsort(component, kind="stable")
        self._parts = np.split(order, np.flatnonzero(np.diff(component[order])) + 1) if n else []

    def place(self, costs: FloatArray, rng: np.random.RandomState) -> IntArray:
        """Labels of the constrained groups that satisfy all cannot-links, with near clusters preferred.

        Raises PlacementError if none are found.
        """
        state = LabelState(self._apart, np.full(len(costs), -1), self._n_clusters)
        near = costs.tolist()
        for part in self._parts:
            part = rng.permutation(part).tolist()
            # If preferring near clusters fails, prefer clusters that are already in use, so that more stay free.
            for premium in (0.0, 1.0 + 2.0 * float(costs.max())):
                stuck, proven = self._search(state, part, near, self._max_steps, premium)
                if stuck is None or proven:
                    break
            if stuck is not None:
                raise self._error(stuck, proven, len(part))
        return np.array(state.labels, dtype=np.int64)

    def place_greedily(self, costs: FloatArray) -> IntArray | None:
        """The same without backtracking; None if that fails."""
        state = LabelState(self._apart, np.full(len(costs), -1), self._n_clusters)
        near = costs.tolist()
        for part in self._parts:
            if self._search(state, part.tolist(), near, 0, 0.0)[0] is not None:
                return None
        return np.array(state.labels, dtype=np.int64)

    def _search(
        self, state: LabelState, part: list[int], near: list[list[float]], max_steps: int, premium: float
    ) -> tuple[int | None, bool]:
        """Label one connected component, with an extra cost ``premium`` for the first use of a cluster.

        Returns (None, False) on success, else the group that could not be labeled, and whether that is a proof.
        """
        k, neighbors, labels = self._n_clusters, self._neighbors, state.labels
        taken = {i: [0] * k for i in part}  # how many neighbors of i are in each cluster
        heap = [(0, -len(neighbors[i]), i) for i in part]
        heapq.heapify(heap)
        used = [0] * k
        stack: list[tuple[int, list[int]]] = []
        steps, deepest, stuck = 0, -1, part[0]

        def put(i: int, cluster: int, by: int) -> None:
            state.move(i, cluster if by > 0 else -1)
            used[cluster] += by
            for j in neighbors[i]:
                taken[j][cluster] += by
                if labels[j] < 0:
                    heapq.heappush(heap, (taken[j].count(0) - k, -len(neighbors[j]), j))

        def cheapest(i: int, tried: list[int]) -> int | None:
            cost = state.total_costs(i, near[i], INFINITE)
            if tried or premium:
                # Clusters that the component does not use yet are equivalent: trying one of them is enough.
                spent = any(not used[c] for c in tried)
                for c in range(k):
                    if c in tried or (spent and not used[c]):
                        cost[c] = INFINITE
                    elif not used[c]:
                        cost[c] += premium
            best = min(cost)
            return cost.index(best) if best < INFINITE else None

        while len(stack) < len(part):
            i = next_open(heap, taken, labels, k)
            tried: list[int] = []
            while (cluster := cheapest(i, tried)) is None:
                if len(stack) > deepest:
                    deepest, stuck = len(stack), i
                steps += 1
                if not stack or steps > max_steps:
                    for placed, _ in stack:
                        state.move(placed, -1)
                    return stuck, not stack
                heapq.heappush(heap, (taken[i].count(0) - k, -len(neighbors[i]), i))
                i, tried = stack.pop()
                tried.append(labels[i])
                put(i, labels[i], -1)
            put(i, cluster, 1)
            stack.append((i, tried))
        return None, False

    def _error(self, stuck: int, proven: bool, n_connected: int) -> PlacementError:
        rows = tuple(np.flatnonzero(self._closure.groups == self._apart.rows[stuck]).tolist())
        k = self._n_clusters
        where = (
            f"{'row' if len(rows) == 1 else 'rows'} {join_rows(rows, ', ')} could not be placed: each of the {k} "
            f"clusters has a row that must be apart from {'it' if len(rows) == 1 else 'them'}. "
        )
        why = (
            f"All possibilities for the {n_connected:,} groups connected by cannot-links were tried: no labeling with "
            f"{k} clusters keeps these hints. Use more clusters, or remove some hints."
            if proven
            else f"The search backtracked {self._max_steps:,} times without finding a labeling, but one may exist. "
            "Increase max_steps or n_init, use more clusters, or use PCKMeans, which may violate hints."
        )
        return PlacementError(where + why, rows, proven)


def next_open(heap: list[tuple[int, int, int]], taken: dict[int, list[int]], labels: list[int], k: int) -> int:
    """The unlabeled group with the fewest feasible clusters; outdated entries of the heap are dropped."""
    while True:
        fewest, _, i = heapq.heappop(heap)
        if labels[i] < 0 and fewest == taken[i].count(0) - k:
            return i
