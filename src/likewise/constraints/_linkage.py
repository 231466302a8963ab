"""Which rows must be together: the graph of must-links and blocks, and its components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from .._arrays import IntArray, relabel
from ._partition import by_block

if TYPE_CHECKING:
    from ._constraints import Constraints


def link_graph(constraints: Constraints) -> csr_array:
    """Return the graph of what belongs together.

    Its vertices are the rows and, after them, the blocks of the `same_within` partitions.
    A must-link is an edge of length 2 and a row hangs on its block by an edge of length 1, so that any two
    rows of a block are one must-link apart. Each edge is written once: must-links, which are sorted, with
    their first row, the others with their block.
    """
    ends = [constraints.must_link[:, 1]]
    degrees = [np.bincount(constraints.must_link[:, 0], minlength=constraints.n_samples)]
    for partition in constraints.partitions:
        if partition.same_within:
            ends.append(by_block(partition.codes))
            degrees.append(partition.block_sizes)
    bounds = np.concatenate([[0], *degrees]).cumsum()
    vertices = len(bounds) - 1
    length = np.ones(bounds[-1])
    length[: len(constraints.must_link)] = 2.0
    return csr_array((length, np.concatenate(ends), bounds), shape=(vertices, vertices))


def closed_groups(constraints: Constraints) -> IntArray:
    """Number the groups that must-links and blocks close into, by first appearance."""
    if constraints.n_samples == 0:
        return np.empty(0, dtype=np.int64)
    _, component = connected_components(link_graph(constraints), directed=False)
    return relabel(component[: constraints.n_samples].astype(np.int64))
