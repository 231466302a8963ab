"""Graphs of what was stated: must-links and cannot-links, as given or closed."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray
from ..constraints import Constraints
from ..linalg._row_matrix import RowMatrix, indicator
from ._blocks import Statements, statements, statements_once


def must_link_graph(constraints: Constraints, *, closed: bool = False, once: bool = False) -> RowMatrix:
    """Weights of belief between rows said to be the same; no row is linked to itself.

    Parameters
    ----------
    constraints : Constraints
        A pair said by a partition and by itself has the larger belief.
    closed : bool
        Also link what follows by transitivity. An entailed link is believed as much as the least believed
        statement of its group; a stated link keeps its own belief.
    once : bool
        A pair that several partitions speak of has the largest of their beliefs, and that is all that counts for
        what is least believed in its group: the pairs are exactly those that :meth:`Constraints.expand` writes out.
        Without it what partitions say of one pair adds up, and of a pair said twice both count.
    """
    said = (statements_once if once else statements)(constraints.partitions, "must")
    if said is None:
        pairs = constraints.expand(closed=closed)
        return RowMatrix.from_pairs(pairs.n_samples, pairs.must_link, pairs.must_weight)
    entailed, graph = np.zeros(constraints.n_samples), RowMatrix.zeros(constraints.n_samples)
    if closed:
        groups = constraints.groups()
        least = _least(constraints, groups, said, once)
        entailed, graph = least[groups], RowMatrix.low_rank(indicator(groups, len(least)), sparse.diags_array(least))
    for weight, blocks in said:
        # A block lies in one group, where its pairs are believed that much more than what is entailed.
        more = np.maximum(weight - entailed, 0.0)
        if more.any():
            graph = graph + blocks.matrix(more)
    return _raised_to(graph, constraints.must_link, constraints.must_weight).without_diagonal()


def cannot_link_graph(constraints: Constraints, *, closed: bool = False, once: bool = False) -> RowMatrix:
    """Weights of belief (positive) between rows said to differ.

    ``closed`` adds what follows by entailment; ``once`` is as for :func:`must_link_graph`.
    """
    if closed:
        closure = constraints.closure()
        # What parts two groups is believed as much as the strongest of it: no stated pair is left to raise.
        return cannot_link_graph(closure.between, once=once).lift(indicator(closure.groups, closure.n_groups))
    graph = RowMatrix.zeros(constraints.n_samples)
    said = (statements_once if once else statements)(constraints.partitions, "cannot")
    if said is None:
        constraints, said = constraints.expand(), []
    for weight, blocks in said:
        graph = graph + blocks.matrix(np.full(constraints.n_samples, weight))
    graph = graph.without_diagonal()
    return _raised_to(graph, constraints.cannot_link, constraints.cannot_weight)


def _raised_to(graph: RowMatrix, pairs: IntArray, beliefs: FloatArray) -> RowMatrix:
    """``graph`` with the value at each of ``pairs`` raised to what was stated there."""
    missing = beliefs - graph.entries(pairs[:, 0], pairs[:, 1])
    stated = missing > 0
    return graph + RowMatrix.from_pairs(graph.n, pairs[stated], missing[stated])


def _least(constraints: Constraints, groups: IntArray, said: Statements, once: bool) -> FloatArray:
    """The least belief that holds each group together; 0 for a group of one, of which nothing was said."""
    least = np.full(int(groups.max(initial=-1)) + 1, np.inf)
    pairs, beliefs = constraints.must_link, constraints.must_weight
    for weight, blocks in said:
        links = blocks.matrix(np.ones(len(groups))).without_diagonal()
        partners = links.row_sums()
        if once:
            # A pair that is also stated by itself has one belief, the larger.
            both = links.entries(pairs[:, 0], pairs[:, 1]) > 0.5
            np.subtract.at(partners, pairs[both & (beliefs > weight)], 1.0)
            beliefs = np.where(both, np.maximum(beliefs, weight), beliefs)
        np.minimum.at(least, groups[partners > 0.5], weight)
    np.minimum.at(least, groups[pairs[:, 0]], beliefs)
    least[np.isinf(least)] = 0.0
    return least
