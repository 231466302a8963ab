"""Which rows must be together: the graph of must-links and blocks, and its components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .pairs import IntArray
from .partition import numbered

if TYPE_CHECKING:
    from .constraints import Constraints


def link_graph(constraints: Constraints) -> coo_array:
    """Return the graph of what belongs together.

    Its vertices are the rows and, after them, the blocks of the `same_within` partitions.
    A must-link is an edge of length 2 and a row hangs on its block by an edge of length 1, so that any two
    rows of a block are one must-link apart. Each edge is written once.
    """
    left, right = [constraints.must_link[:, 0]], [constraints.must_link[:, 1]]
    vertices = constraints.n_samples
    for partition in constraints.partitions:
        if partition.same_within:
            rows = np.flatnonzero(partition.codes >= 0)
            left.append(rows)
            right.append(vertices + partition.codes[rows])
            vertices += partition.n_blocks
    edges = np.concatenate(left), np.concatenate(right)
    length = np.ones(len(edges[0]))
    length[: len(constraints.must_link)] = 2.0
    return coo_array((length, edges), shape=(vertices, vertices))


def closed_groups(constraints: Constraints) -> IntArray:
    """Number the groups that must-links and blocks close into, by first appearance."""
    if constraints.n_samples == 0:
        return np.empty(0, dtype=np.int64)
    _, component = connected_components(link_graph(constraints), directed=False)
    return numbered(component[: constraints.n_samples].astype(np.int64))
