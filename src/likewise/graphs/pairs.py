"""Graphs of what was stated: must-links and cannot-links, as given or closed."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..constraints import Constraints, Partition
from .rows import RowMatrix, indicator

Array = np.ndarray


def must_link_graph(constraints: Constraints, *, closed: bool = False) -> RowMatrix:
    """Weights of belief between rows said to be the same; no row is linked to itself.

    Parameters
    ----------
    constraints : Constraints
        A pair said by a partition and by itself has the larger belief; what several partitions say of one pair
        adds up.
    closed : bool
        Also link what follows by transitivity. An entailed link is believed as much as the least believed
        statement of its group (of a pair said twice, both count); a stated link keeps its own belief.
    """
    if closed:
        graph = _closed_must_links(constraints)
    else:
        graph = RowMatrix.zeros(constraints.n_samples)
        for partition in constraints.partitions:
            if partition.same_within:
                graph = graph + partition.weight * RowMatrix.low_rank(indicator(partition.codes))
    graph = _raised_to(graph, constraints.must_link, constraints.must_weight)
    return graph.without_diagonal()


def cannot_link_graph(constraints: Constraints, *, closed: bool = False) -> RowMatrix:
    """Weights of belief (positive) between rows said to differ; ``closed`` adds what follows by entailment."""
    graph = RowMatrix.zeros(constraints.n_samples)
    if closed:
        closure = constraints.closure()
        members = indicator(closure.groups, closure.n_groups)
        graph = cannot_link_graph(closure.between).lift(members)
    else:
        for partition in constraints.partitions:
            graph = graph + _differences(partition)
    return _raised_to(graph, constraints.cannot_link, constraints.cannot_weight)


def _differences(partition: Partition) -> RowMatrix:
    Z = indicator(partition.codes)
    graph = RowMatrix.zeros(partition.n_samples)
    if partition.different_across:
        # All pairs of known rows, less the pairs inside a block.
        known = (partition.codes >= 0).astype(float)[:, None]
        graph = graph + RowMatrix.low_rank(known) - RowMatrix.low_rank(Z)
    if partition.different_within:
        graph = graph + RowMatrix.low_rank(Z) - RowMatrix.diag((partition.codes >= 0).astype(float))
    return partition.weight * graph


def _raised_to(graph: RowMatrix, pairs: Array, beliefs: Array) -> RowMatrix:
    """``graph`` with the value at each of ``pairs`` raised to what was stated there."""
    missing = beliefs - graph.entries(pairs[:, 0], pairs[:, 1])
    stated = missing > 0
    return graph + RowMatrix.from_pairs(graph.n, pairs[stated], missing[stated])


def _closed_must_links(constraints: Constraints) -> RowMatrix:
    groups = constraints.groups()
    n_groups = int(groups.max(initial=-1)) + 1
    least = np.full(n_groups, np.inf)
    if len(constraints.must_link):
        np.minimum.at(least, groups[constraints.must_link[:, 0]], constraints.must_weight)
    stated = [partition for partition in constraints.partitions if partition.same_within]
    for partition in stated:
        tied = np.flatnonzero(partition.codes >= 0)
        tied = tied[partition.block_sizes[partition.codes[tied]] > 1]
        np.minimum.at(least, groups[tied], partition.weight)
    least[np.isinf(least)] = 0.0  # a group of one: nothing was said
    graph = RowMatrix.low_rank(indicator(groups, n_groups), sparse.diags_array(least))
    for partition in stated:
        # A block lies in one group, where its pairs are believed that much more than what is entailed.
        more = np.zeros(partition.n_blocks)
        known = partition.codes >= 0
        more[partition.codes[known]] = np.maximum(partition.weight - least[groups[known]], 0.0)
        if more.any():
            graph = graph + RowMatrix.low_rank(indicator(partition.codes), sparse.diags_array(more))
    return graph
