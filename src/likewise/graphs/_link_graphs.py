"""Graphs of must-links and cannot-links, as given or after closure."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray
from ..constraints import Constraints
from ..constraints._overlap import WeightedLinks, links_once
from ..linalg._row_matrix import RowMatrix, indicator


def must_link_graph(constraints: Constraints, *, closed: bool = False) -> RowMatrix:
    """Weights between must-linked rows, with a zero diagonal.

    A pair that is given or implied several times counts once, with its largest weight, as in
    :meth:`Constraints.expand`. A partition costs O(n), independent of the number of pairs that it implies.

    Parameters
    ----------
    constraints : Constraints
    closed : bool, default=False
        Whether to include links that follow by transitivity. An implied link has the smallest weight of the links that
        join its group; a given link keeps its own weight.

    Returns
    -------
    RowMatrix

    See Also
    --------
    cannot_link_graph

    Examples
    --------
    >>> from likewise import Constraints
    >>> from likewise.graphs import must_link_graph
    >>> must_link_graph(Constraints(3, must_link=[(0, 1), (1, 2)], must_weight=[1.0, 0.5]), closed=True).toarray()
    array([[0. , 1. , 0.5],
           [1. , 0. , 0.5],
           [0.5, 0.5, 0. ]])
    """
    implied = links_once(constraints.partitions, "must")
    entailed, graph = np.zeros(constraints.n_samples), RowMatrix.zeros(constraints.n_samples)
    if closed:
        groups = constraints.groups()
        least = _smallest_weights(constraints, groups, implied)
        entailed, graph = least[groups], RowMatrix.low_rank(indicator(groups, len(least)), sparse.diags_array(least))
    for weight, links in implied:
        # Linked rows are in the same group; add the excess of their weight over that of implied links.
        excess = np.maximum(weight - entailed, 0.0)
        if excess.any():
            graph = graph + links.matrix(excess)
    return _raised(graph, constraints.must_link, constraints.must_weight).without_diagonal()


def cannot_link_graph(constraints: Constraints, *, closed: bool = False) -> RowMatrix:
    """Positive weights between cannot-linked rows.

    As for :func:`must_link_graph`, a pair that is given or implied several times counts once, with its largest weight,
    and a partition costs O(n).

    Parameters
    ----------
    constraints : Constraints
    closed : bool, default=False
        Whether to include implied links: between all rows of two must-link groups with a cannot-link between them, with
        the largest weight of those. Contradictions raise :class:`~likewise.constraints.ConstraintConflictError`.

    Returns
    -------
    RowMatrix

    See Also
    --------
    must_link_graph

    Examples
    --------
    >>> from likewise import Constraints
    >>> from likewise.graphs import cannot_link_graph
    >>> cannot_link_graph(Constraints(3, must_link=[(0, 1)], cannot_link=[(1, 2)]), closed=True).toarray()
    array([[0., 0., 1.],
           [0., 0., 1.],
           [1., 1., 0.]])
    """
    if closed:
        closure = constraints.closure()
        # All pairs between two groups have the largest weight, so that no given pair exceeds it.
        return cannot_link_graph(closure.between).lift(indicator(closure.groups, closure.n_groups))
    graph = RowMatrix.zeros(constraints.n_samples)
    for weight, links in links_once(constraints.partitions, "cannot"):
        graph = graph + links.matrix(np.full(constraints.n_samples, weight))
    return _raised(graph.without_diagonal(), constraints.cannot_link, constraints.cannot_weight)


def _raised(graph: RowMatrix, pairs: IntArray, weights: FloatArray) -> RowMatrix:
    """``graph`` with the weight of each of ``pairs`` raised to the given one."""
    missing = weights - graph.entries(pairs[:, 0], pairs[:, 1])
    lower = missing > 0
    return graph + RowMatrix.from_pairs(graph.n, pairs[lower], missing[lower])


def _smallest_weights(constraints: Constraints, groups: IntArray, implied: WeightedLinks) -> FloatArray:
    """The smallest weight of the links that join each group; 0 for a group of one row, which has none."""
    least = np.full(int(groups.max(initial=-1)) + 1, np.inf)
    pairs, weights = constraints.must_link, constraints.must_weight
    for weight, links in implied:
        graph = links.matrix(np.ones(len(groups))).without_diagonal()
        partners = graph.row_sums()
        # A pair that is both given and implied has the larger weight.
        both = graph.entries(pairs[:, 0], pairs[:, 1]) > 0.5
        np.subtract.at(partners, pairs[both & (weights > weight)], 1.0)
        weights = np.where(both, np.maximum(weights, weight), weights)
        np.minimum.at(least, groups[partners > 0.5], weight)
    np.minimum.at(least, groups[pairs[:, 0]], weights)
    least[np.isinf(least)] = 0.0
    return least
