"""Shortest chains of must-links, the proofs that two rows are together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from .._arrays import FloatArray, IntArray
from ._linkage import link_graph

if TYPE_CHECKING:
    from ._constraints import Constraints


class Chains:
    """Finds shortest chains inside one closed group at a time, at the cost of that group only.

    The vertices are ordered by component, so that the graph of a component is a slice of the whole one.
    """

    def __init__(self, constraints: Constraints) -> None:
        self.n_rows = constraints.n_samples
        graph = link_graph(constraints).tocoo()
        _, self._component = connected_components(graph, directed=False)
        self._vertex = np.argsort(self._component, kind="stable")
        self._place = np.empty_like(self._vertex)
        self._place[self._vertex] = np.arange(len(self._vertex))
        self._bounds = np.concatenate([[0], np.cumsum(np.bincount(self._component))])
        left, right = self._place[graph.row], self._place[graph.col]
        both = np.concatenate([left, right]), np.concatenate([right, left])
        self._graph = coo_array((np.tile(graph.data, 2), both), shape=graph.shape).tocsr()

    def spread(self, rows: IntArray) -> Spread:
        """Measure the distance of every vertex from the nearest of `rows`, which are of one group."""
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
        return Spread(self, int(low), graph, distance, previous.astype(np.int64), source.astype(np.int64))

    def places(self, rows: IntArray) -> IntArray:
        """Return the places of rows in the order of the graph."""
        return self._place[rows]

    def vertex(self, place: int) -> int:
        """Return the vertex at a place: a row, or a block from n_rows on."""
        return int(self._vertex[place])


@dataclass(frozen=True)
class Spread:
    """Distances from a set of rows to all of their group, and the way back."""

    chains: Chains
    low: int
    graph: csr_array
    distance: FloatArray
    previous: IntArray
    source: IntArray

    def nearest(self, rows: IntArray) -> tuple[int, ...]:
        """Return a shortest chain from the set to the nearest of `rows`."""
        places = self.chains.places(rows) - self.low
        return tuple(reversed(self._way_back(int(places[np.argmin(self.distance[places])]))))

    def closest_two(self) -> tuple[int, ...]:
        """Return a shortest chain between two different rows of the set.

        On a shortest one there is an edge whose two ends are nearest to different rows of the set.
        """
        edges = self.graph.tocoo()
        across = self.source[edges.row] != self.source[edges.col]
        left, right = edges.row[across], edges.col[across]
        best = np.argmin(self.distance[left] + edges.data[across] + self.distance[right])
        return (*reversed(self._way_back(int(left[best]))), *self._way_back(int(right[best])))

    def _way_back(self, place: int) -> list[int]:
        rows = []
        while place >= 0:  # a source has a negative predecessor
            vertex = self.chains.vertex(place + self.low)
            if vertex < self.chains.n_rows:
                rows.append(vertex)
            place = int(self.previous[place])
        return rows
