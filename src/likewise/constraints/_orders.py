"""The partial order that comparisons define on pairs of rows: conflicts with their proofs, repair, and implications.

Must-linked rows are interchangeable, so the order is a directed graph over pairs of must-link groups: a comparison is
an arc from the node of its near pair to the node of its far pair. All pairs within groups are one node, all
cannot-linked pairs are another, and there is an arc from the first to the second. A conflict is a directed cycle. A
comparison between two pairs of the same node carries no information, and has no arc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from .._arrays import BoolArray, IntArray
from ._conflicts import Chains, ConstraintConflictError
from ._format import join_rows

if TYPE_CHECKING:
    from ._constraints import Constraints
    from ._partition import Partition

SAME, DIFFERENT = 0, 1
"""The nodes of all pairs within groups, and of all cannot-linked pairs."""

Pair = tuple[int, int]


@dataclass(frozen=True)
class ComparisonConflict:
    """Comparisons that contradict each other: a shortest cycle.

    Attributes
    ----------
    comparisons : tuple of int
        Indices into `Constraints.comparisons`, in the order of the cycle: the far pair of each comparison is the near
        pair of the next, or equivalent to it by must-links and cannot-links.
    pairs : tuple of (near, far)
        The two pairs of each comparison.
    linked : tuple of tuples of int
        Chains of must-linked rows used in the proof.
    different : tuple of (int, int)
        Cannot-linked rows used in the proof.

    Examples
    --------
    >>> from likewise import Comparisons, Constraints
    >>> hints = Constraints(4, [(2, 3)]) | Comparisons(4, nearer=[(0, 1, 2), (0, 3, 1)])
    >>> print(hints.conflicts()[0])
    rows 0–1 nearer than 0–2 (comparisons[0]), 0–3 nearer than 0–1 (comparisons[1]); 2–3 are the same
    """

    comparisons: tuple[int, ...]
    pairs: tuple[tuple[Pair, Pair], ...]
    linked: tuple[tuple[int, ...], ...] = ()
    different: tuple[Pair, ...] = ()

    def words(self, name: Callable[[int], str] | None = None) -> str:
        """The proof as text.

        Parameters
        ----------
        name : callable, optional
            Maps a row number to the name of the row. The indices of comparisons are then omitted.

        Returns
        -------
        str
        """

        def joined(rows: Sequence[int]) -> str:
            return join_rows([str(row) if name is None else name(row) for row in rows], "–")

        said = [
            f"{joined(near)} nearer than {joined(far)}" + (f" (comparisons[{number}])" if name is None else "")
            for number, (near, far) in zip(self.comparisons, self.pairs, strict=True)
        ]
        because = [f"{joined(chain)} are the same" for chain in self.linked]
        because += [f"{joined(pair)} are different" for pair in self.different]
        return ("rows " if name is None else "") + ", ".join(said) + (f"; {', '.join(because)}" if because else "")

    def __str__(self) -> str:
        return self.words()


class PairOrder:
    """The directed graph of comparisons over pairs of must-link groups, for constraints whose links are consistent."""

    def __init__(self, constraints: Constraints) -> None:
        self.constraints = constraints
        closure = constraints.closure()
        self._groups, self._between = closure.groups, closure.between
        comparisons = constraints.comparisons
        m = len(comparisons)
        keys = self._keys(np.concatenate([comparisons.near, comparisons.far]))
        self._known, nodes = np.unique(np.concatenate([[SAME, DIFFERENT], keys]), return_inverse=True)
        nodes = nodes.ravel()[2:]  # without the two special keys
        self.near: IntArray = nodes[:m]
        self.far: IntArray = nodes[m:]

    def _keys(self, pairs: IntArray) -> IntArray:
        """The key of the node of each pair of rows: SAME, DIFFERENT, or a number for its two groups."""
        held = np.sort(self._groups[pairs], axis=1)
        first, second = held[:, 0], held[:, 1]
        n_groups = self._between.n_samples
        key = 2 + first * n_groups + second
        apart = np.zeros(len(pairs), dtype=np.bool_)
        stated = self._between.cannot_link
        if len(stated):  # sorted, as binary search requires
            codes = 2 + stated[:, 0] * n_groups + stated[:, 1]
            place = np.minimum(np.searchsorted(codes, key), len(codes) - 1)
            apart |= codes[place] == key
        for partition in self._between.partitions:
            left, right = partition.codes[first], partition.codes[second]
            known = (left >= 0) & (right >= 0)
            apart |= known & (left != right) & partition.different_across
            apart |= known & (left == right) & (first != second) & partition.different_within
        key[apart] = DIFFERENT
        key[first == second] = SAME
        return key

    def nodes(self, pairs: IntArray) -> IntArray:
        """The nodes of pairs of rows; −1 if a pair is in no comparison."""
        keys = self._keys(pairs)
        place = np.minimum(np.searchsorted(self._known, keys), len(self._known) - 1)
        return np.where(self._known[place] == keys, place, -1)

    @property
    def n_nodes(self) -> int:
        """Number of nodes, including SAME and DIFFERENT."""
        return len(self._known)

    def graph(self, chosen: BoolArray | None = None) -> csr_array:
        """The arcs of the chosen comparisons, and the arc from SAME to DIFFERENT."""
        arcs = self.near != self.far
        if chosen is not None:
            arcs &= chosen
        row, column = np.append(self.near[arcs], SAME), np.append(self.far[arcs], DIFFERENT)
        shape = (self.n_nodes, self.n_nodes)
        return coo_array((np.ones(len(row)), (row, column)), shape=shape).tocsr()

    def on_cycles(self) -> BoolArray:
        """Mask of the comparisons that are on a cycle, in linear time."""
        _, component = connected_components(self.graph(), directed=True, connection="strong")
        contradicted: BoolArray = (self.near != self.far) & (component[self.near] == component[self.far])
        return contradicted

    def reaches(self, start: int, stop: int) -> bool:
        """Whether there is a directed path from one node to another."""
        return bool((breadth_first_order(self.graph(), start, return_predecessors=False) == stop).any())

    def cycles(self) -> Iterator[ComparisonConflict]:
        """A shortest cycle through each comparison that is on a cycle, without duplicates."""
        contradicted = self.on_cycles()
        if not contradicted.any():
            return
        graph = self.graph(contradicted)
        chosen: IntArray = np.flatnonzero(contradicted)
        arc = {(int(self.near[t]), int(self.far[t])): int(t) for t in chosen[::-1]}
        chains = Chains(self.constraints)
        seen: set[frozenset[int]] = set()
        for t in chosen.tolist():
            start, stop = int(self.far[t]), int(self.near[t])
            _, before = breadth_first_order(graph, start)
            path = [stop]
            while path[-1] != start:
                path.append(int(before[path[-1]]))
            path = [stop, *path[::-1]]  # near, far, … and near again
            steps = [t, *(arc.get(step, -1) for step in pairwise(path[1:]))]
            if SAME in path and DIFFERENT in path:  # the part from DIFFERENT to SAME is a cycle by itself
                nodes = path[:-1]
                turn = nodes.index(DIFFERENT)
                nodes, steps = nodes[turn:] + nodes[:turn], steps[turn:] + steps[:turn]
                steps = steps[: nodes.index(SAME)]
            if (key := frozenset(steps) - {-1}) not in seen:
                seen.add(key)
                yield self._proof([step for step in steps if step >= 0], chains)

    def _proof(self, steps: list[int], chains: Chains) -> ComparisonConflict:
        comparisons = self.constraints.comparisons
        pairs = [(_pair(comparisons.near[t]), _pair(comparisons.far[t])) for t in steps]
        linked: dict[tuple[int, ...], None] = {}
        different: dict[Pair, None] = {}
        for place, t in enumerate(steps):
            following = (place + 1) % len(steps)
            far, near = pairs[place][1], pairs[following][0]
            node, other = int(self.far[t]), int(self.near[steps[following]])
            if far == near:
                continue
            if {node, other} <= {SAME, DIFFERENT}:
                for pair, its in ((far, node), (near, other)):
                    if its == SAME:
                        linked[self._chain(*pair, chains)] = None
                    else:
                        self._apart(pair, chains, linked, different)
            else:
                if self._groups[far[0]] != self._groups[near[0]]:
                    near = near[1], near[0]
                for left, right in zip(far, near, strict=True):
                    if left != right:
                        linked[self._chain(left, right, chains)] = None
        return ComparisonConflict(tuple(steps), tuple(pairs), tuple(linked), tuple(different))

    @staticmethod
    def _chain(left: int, right: int, chains: Chains) -> tuple[int, ...]:
        """A shortest chain between two rows of one group, starting from the smaller row number."""
        return chains.paths_from(np.array([min(left, right)])).nearest(np.array([max(left, right)]))

    def _apart(
        self, pair: Pair, chains: Chains, linked: dict[tuple[int, ...], None], different: dict[Pair, None]
    ) -> None:
        """Add the proof that two rows are different: cannot-linked rows of their groups, and chains to these."""
        left, right = pair
        stated = self.constraints.cannot_link
        ours = (np.sort(self._groups[stated], axis=1) == np.sort(self._groups[list(pair)])).all(axis=1)
        if ours.any():
            exact = (stated == np.sort(pair)).all(axis=1)
            first, second = _pair(stated[int((exact if exact.any() else ours).argmax())])
            if self._groups[first] != self._groups[left]:
                first, second = second, first
        else:
            rows = [np.flatnonzero(self._groups == self._groups[row]) for row in pair]
            found = (_apart_by(partition, *rows) for partition in self.constraints.partitions)
            first, second = next(filter(None, found))
        for row, end in ((left, first), (right, second)):
            if row != end:
                linked[self._chain(row, end, chains)] = None
        different[min(first, second), max(first, second)] = None

    def refused(self) -> BoolArray:
        """Mask of comparisons of small weight to drop, so that a maximal set without cycles remains.

        Comparisons on cycles are added in order of decreasing weight; one that closes a cycle is dropped.
        """
        contradicted = self.on_cycles()
        refused = np.zeros(len(contradicted), dtype=np.bool_)
        if contradicted.any():
            order = _TopologicalOrder(self.n_nodes)
            order.add(SAME, DIFFERENT)
            chosen = np.flatnonzero(contradicted)
            for t in chosen[np.argsort(-self.constraints.comparisons.weight[chosen], kind="stable")].tolist():
                refused[t] = not order.add(int(self.near[t]), int(self.far[t]))
        return refused


class _TopologicalOrder:
    """A topological order that is updated when arcs are added, and refuses arcs that would close a cycle.

    Only the nodes between the two ends of an arc are visited and reordered (D. Pearce and P. Kelly, A dynamic
    topological sort algorithm for directed acyclic graphs, JEA 11, 2006).
    """

    def __init__(self, n_nodes: int) -> None:
        self._place = list(range(n_nodes))
        self._after: dict[int, list[int]] = {}
        self._before: dict[int, list[int]] = {}

    def add(self, first: int, second: int) -> bool:
        """Add an arc unless it closes a cycle; return whether it was added."""
        place = self._place
        low, high = place[second], place[first]
        if low < high:
            ahead = self._reached(second, self._after, lambda node: place[node] <= high)
            if first in ahead:
                return False
            behind = self._reached(first, self._before, lambda node: place[node] >= low)
            moved = sorted(behind, key=place.__getitem__) + sorted(ahead, key=place.__getitem__)
            for node, free in zip(moved, sorted(place[node] for node in moved), strict=True):
                place[node] = free
        self._after.setdefault(first, []).append(second)
        self._before.setdefault(second, []).append(first)
        return True

    @staticmethod
    def _reached(start: int, arcs: dict[int, list[int]], inside: Callable[[int], bool]) -> set[int]:
        found, left = {start}, [start]
        while left:
            for node in arcs.get(left.pop(), ()):
                if node not in found and inside(node):
                    found.add(node)
                    left.append(node)
        return found


def count_cycles(constraints: Constraints) -> int:
    """The number of comparisons that contradict each other."""
    return int(constraints._order.on_cycles().sum()) if len(constraints.comparisons) else 0


def raise_cycles(constraints: Constraints, *, shown: int = 3) -> None:
    """Raise an error that lists the first few conflicts between comparisons, if there are any."""
    count = count_cycles(constraints)
    if count == 0:
        return
    found = list(islice(constraints._order.cycles(), shown))
    raise ConstraintConflictError(
        f"{count:,} comparisons contradict each other: {'. And: '.join(map(str, found))}. No distance satisfies all of "
        "them. Remove one comparison of each, or call drop_conflicts().",
        found,
    )


def _apart_by(partition: Partition, first: IntArray, second: IntArray) -> Pair | None:
    """Two rows, one of each list, that a partition separates; None if it separates none."""
    first, second = (rows[partition.codes[rows] >= 0] for rows in (first, second))
    left, right = partition.codes[first], partition.codes[second]
    if not (len(left) and len(right)):
        return None
    if partition.different_across:
        if (left != right[0]).any():
            return int(first[(left != right[0]).argmax()]), int(second[0])
        if (right != left[0]).any():
            return int(first[0]), int(second[(right != left[0]).argmax()])
    if partition.different_within:
        shared, i, j = np.intersect1d(left, right, return_indices=True)
        if len(shared):
            return int(first[i[0]]), int(second[j[0]])
    return None


def _pair(rows: IntArray) -> Pair:
    first, second = rows.tolist()
    return first, second
