"""Groups that must be apart, placed into clusters: graph coloring with costs.

With two clusters it is exact; with more it is the search of Brélaz (DSATUR: always the group with fewest clusters
left), with backtracking inside each connected set of groups. A search that runs out of possibilities is a proof.
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
    """No labeling keeps all cannot-links, or none was found.

    Attributes
    ----------
    rows : tuple of int
        The rows that could not be placed.
    proven : bool
        Whether no labeling exists; otherwise the search gave up.
    """

    def __init__(self, message: str, rows: tuple[int, ...] = (), proven: bool = False) -> None:
        super().__init__(message)
        self.rows = rows
        self.proven = proven

    def __reduce__(self) -> tuple[type[PlacementError], tuple[object, ...]]:
        return type(self), (str(self), self.rows, self.proven)


def cannot_link_edges(closure: Closure, apart: Penalties) -> IntArray:
    """Enough of the cannot-links between constrained groups to know what is connected, O(n · k) of them.

    All stated pairs and all pairs inside blocks that are all different (never more than a cluster each); of blocks
    that differ from each other only the pairs with the first group of the first and of the second block.
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
    """Two clusters: every connected set of groups has two labelings, or none.

    Raises PlacementError, with the odd cycle that proves it, when there is none.
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
            for i in queue:  # grows as it is read: breadth first
                for j in neighbors[i]:
                    if side[j] < 0:
                        side[j], parent[j] = 1 - side[i], i
                        queue.append(j)
                    elif side[j] == side[i]:
                        self._odd_cycle(i, j, parent)
        return np.array(side, dtype=np.int64)

    def _odd_cycle(self, i: int, j: int, parent: list[int]) -> None:
        left, right = [i], [j]
        while left[-1] != right[-1]:  # breadth first: both are equally deep
            left.append(parent[left[-1]])
            right.append(parent[right[-1]])
        cycle = [*left, *right[-2::-1]]
        _, first = np.unique(self._closure.groups, return_index=True)
        rows = tuple(first[self._apart.rows[cycle]].tolist())
        raise PlacementError(
            f"no labeling with 2 clusters keeps the cannot-links: rows {join_rows((*rows, rows[0]), '–')} form an odd "
            "cycle, in which each row (or one that must be with it) must be apart from the next. Ask for 3 clusters, "
            "or remove one of these hints.",
            rows,
            True,
        )


class Placer:
    """Three clusters or more: a search, most constrained group first."""

    def __init__(self, closure: Closure, apart: Penalties, n_clusters: int, max_steps: int) -> None:
        edges, n = cannot_link_edges(closure, apart), len(apart.rows)
        self._closure, self._apart = closure, apart
        self._n_clusters, self._max_steps = n_clusters, max_steps
        self._neighbors = _neighbors(edges, n)
        component = _components(edges, n)
        order = np.argsort(component, kind="stable")
        self._parts = np.split(order, np.flatnonzero(np.diff(component[order])) + 1) if n else []

    def place(self, costs: FloatArray, rng: np.random.RandomState) -> IntArray:
        """Labels of the constrained groups that keep all cannot-links, near ones preferred; else PlacementError."""
        state = LabelState(self._apart, np.full(len(costs), -1), self._n_clusters)
        near = costs.tolist()
        for part in self._parts:
            part = rng.permutation(part).tolist()
            # If near clusters fail, clusters that are in use already are preferred, so that more stay free.
            for premium in (0.0, 1.0 + 2.0 * float(costs.max())):
                stuck, proven = self._search(state, part, near, self._max_steps, premium)
                if stuck is None or proven:
                    break
            if stuck is not None:
                raise self._error(stuck, proven, len(part))
        return np.array(state.labels, dtype=np.int64)

    def place_greedily(self, costs: FloatArray) -> IntArray | None:
        """The same without backtracking; None where that fails."""
        state = LabelState(self._apart, np.full(len(costs), -1), self._n_clusters)
        near = costs.tolist()
        for part in self._parts:
            if self._search(state, part.tolist(), near, 0, 0.0)[0] is not None:
                return None
        return np.array(state.labels, dtype=np.int64)

    def _search(
        self, state: LabelState, part: list[int], near: list[list[float]], max_steps: int, premium: float
    ) -> tuple[int | None, bool]:
        """Place one connected set, whose clusters cost ``premium`` more when first used.

        (None, False) if that succeeded, else the group that was stuck, and whether that proves there is no labeling.
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
                # Clusters that this set does not use yet are all the same to it: one of them is tried for all.
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
            f"clusters holds a row that must be apart from {'it' if len(rows) == 1 else 'them'}. "
        )
        why = (
            f"All possibilities for the {n_connected:,} groups connected by cannot-links were tried: no labeling with "
            f"{k} clusters keeps these hints. Ask for more clusters, or remove some hints."
            if proven
            else f"The search stepped back {self._max_steps:,} times and found no labeling; there may be one. Raise "
            "max_steps or n_init, ask for more clusters, or use PCKMeans, which may break a hint."
        )
        return PlacementError(where + why, rows, proven)


def next_open(heap: list[tuple[int, int, int]], taken: dict[int, list[int]], labels: list[int], k: int) -> int:
    """The group without a label that has fewest clusters left; entries that are out of date are dropped."""
    while True:
        fewest, _, i = heapq.heappop(heap)
        if labels[i] < 0 and fewest == taken[i].count(0) - k:
            return i
