"""Consensus of many clusterings by cutting the bipartite graph of items and clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import svds
from sklearn.utils import check_random_state

from ..._arrays import FloatArray, IntArray, relabel
from ...linalg._eigen import connected_parts, leading_pairs, unit_length
from ..spectral._normalized_cut import partition_rows

SMALL = 300
"""Up to this total number of clusters (or items), a full decomposition of their Gram matrix is fastest."""


def hbgf(
    labelings: Any, n_clusters: int, *, weights: Any = None, n_init: int = 10, random_state: Any = None
) -> IntArray:
    """Consensus of several clusterings, by cutting the bipartite graph of items and clusters.

    Unlike voting, it needs no correspondence between the clusters of different labelings, whose numbers may differ; and
    unlike co-association matrices it needs no n × n matrix. The graph has a vertex for every item and for every cluster
    of every labeling, and an edge between an item and each cluster that contains it. The relaxation of its normalized
    cut is given by the leading singular vectors of

    .. math:: D_1^{-1/2} E\\, D_2^{-1/2}

    with E the item × cluster weights and D₁, D₂ its row and column sums; k-means over the item and cluster vertices
    together (rows to unit length) gives the labels (Fern and Brodley 2004, Section 4).

    Parameters
    ----------
    labelings : list of (n,) integer arrays
        The clusterings; −1 for items that a labeling leaves out. The values of the labels do not matter.
    n_clusters : int
    weights : (number of labelings,) array of positive numbers, optional
        The weight of each labeling; equal by default.
    n_init : int
        Number of initializations of k-means.
    random_state : int, RandomState or None

    Returns
    -------
    (n,) int array

    References
    ----------
    X. Fern, C. Brodley: Solving cluster ensemble problems by bipartite graph partitioning, ICML 2004.

    Examples
    --------
    >>> from likewise.clustering import hbgf
    >>> labels = hbgf([[0, 0, 0, 1, 1, 1], [5, 5, 5, 2, 2, 2], [0, 0, 1, 1, 2, 2]], 2, random_state=0)
    >>> bool((labels[:3] == labels[0]).all() and (labels[3:] != labels[0]).all())
    True
    """
    items, clusters = consensus_embedding(labelings, n_clusters, weights=weights)
    n = len(items)
    if n_clusters > n:
        raise ValueError(f"n_clusters={n_clusters} is more than the {n} items there are.")
    rng = check_random_state(random_state)
    labels, _ = partition_rows(np.vstack([items, clusters]), n_clusters, n_init, rng)
    labels = labels[:n]
    return np.where(labels < 0, np.bincount(labels[labels >= 0]).argmax(), labels).astype(np.int32)


def consensus_embedding(labelings: Any, n_components: int, *, weights: Any = None) -> tuple[FloatArray, FloatArray]:
    """The embedding that :func:`hbgf` clusters, with rows of unit length for items and clusters.

    Parameters
    ----------
    labelings, weights
        As for :func:`hbgf`.
    n_components : int

    Returns
    -------
    items : (n, n_components) array
    clusters : (clusters of all labelings, n_components) array
        In the order of the labelings, and within each in order of first appearance.
    """
    E = item_cluster_graph(labelings, weights)
    n, clusters = E.shape
    degrees = np.concatenate([E.sum(axis=1), E.sum(axis=0)])
    if not degrees[:n].all():
        raise ValueError(
            f"item {int(np.argmin(degrees[:n]))} is in none of the labelings (−1 in each). Leave it out, or add a "
            "labeling that places it."
        )
    ends = np.concatenate([E.indptr, np.full(clusters, E.nnz)])
    graph = sparse.csr_array((E.data, E.indices + n, ends), shape=(n + clusters, n + clusters))  # each edge once

    def further(vertices: IntArray, count: int) -> tuple[FloatArray, FloatArray]:
        rows, columns = vertices[vertices < n], vertices[vertices >= n]
        part = E if len(vertices) == len(degrees) else E[rows][:, columns - n]
        scale = 1 / np.sqrt(degrees)
        edges = np.repeat(scale[rows], np.diff(part.indptr)) * part.data * scale[columns][part.indices]
        A = sparse.csr_array((edges, part.indices, part.indptr), shape=part.shape)
        first = np.sqrt(degrees / degrees[rows].sum())
        values, left, right = _singular(A, first[rows], first[columns], count)
        vectors = np.empty((len(vertices), len(values)))
        vectors[vertices < n], vectors[vertices >= n] = left / np.sqrt(2), right / np.sqrt(2)
        return values, vectors

    _, V = leading_pairs(connected_parts(graph, degrees), degrees, n_components, further)
    V = unit_length(V)
    return V[:n], V[n:]


def item_cluster_graph(labelings: Any, weights: Any = None) -> sparse.csr_array:
    """E, the weights between items and clusters, with one column per cluster of each labeling."""
    labelings = [np.asarray(labels) for labels in labelings]
    if not labelings:
        raise ValueError("labelings is empty. Pass at least one array with a label for each item.")
    weights = np.ones(len(labelings)) if weights is None else np.asarray(weights, dtype=float)
    if weights.shape != (len(labelings),) or not (np.isfinite(weights).all() and (weights > 0).all()):
        raise ValueError(
            f"weights must be one positive number for each of the {len(labelings)} labelings, got {weights}."
        )
    for number, labels in enumerate(labelings):
        if labels.shape != labelings[0].shape or labels.ndim != 1:
            raise ValueError(
                f"labelings[{number}] has shape {labels.shape}, labelings[0] {labelings[0].shape}: each needs one "
                "label for each item. Write −1 where a labeling leaves an item out."
            )
        if not np.issubdtype(labels.dtype, np.integer):
            raise ValueError(
                f"labelings[{number}] holds {labels.dtype}, not integers. Number its clusters first, with −1 for none: "
                "np.unique(labels, return_inverse=True)[1]."
            )
    # Numbered by first appearance, so that the result does not depend on the values of the labels.
    stacked = np.array(labelings, dtype=np.int64)
    apart = stacked + (stacked.max(initial=0) + 1) * np.arange(len(stacked))[:, None]
    codes = relabel(np.where(stacked < 0, -1, apart).ravel()).reshape(stacked.shape)
    known = codes.T >= 0
    starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    shape = stacked.shape[1], codes.max(initial=-1) + 1
    return sparse.csr_array((np.broadcast_to(weights, known.shape)[known], codes.T[known], starts), shape=shape)


def _singular(
    A: sparse.csr_array, u: FloatArray, v: FloatArray, count: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The ``count`` largest singular triples of A after the first, (1, u, v); fewer if the others are zero."""
    n, m = A.shape
    count = min(count, min(n, m) - 1)
    if count <= 0:
        return np.zeros(0), np.zeros((n, 0)), np.zeros((m, 0))
    if min(n, m) > max(SMALL, 4 * count):
        start = np.random.default_rng(0).normal(size=min(n, m))
        left, values, right = svds(A, count + 1, v0=start)
        # (1, u, v) is simple in a connected component; its remainder after removal is dropped.
        order = np.argsort(-values)[1:]
        left, values, right = left[:, order], values[order], right[order].T
    else:
        tall = n >= m
        gram = (A.T @ A if tall else A @ A.T).toarray()
        known = v if tall else u
        squares, small = linalg.eigh(gram - np.outer(known, known), subset_by_index=[len(gram) - count, len(gram) - 1])
        squares, small = squares[::-1], small[:, ::-1]
        values = np.sqrt(np.maximum(squares, 0))
        kept = values > 1e-6
        values, small = values[kept], small[:, kept]
        large = (A @ small if tall else A.T @ small) / values
        left, right = (large, small) if tall else (small, large)
    if not len(values):
        return values, np.zeros((n, 0)), np.zeros((m, 0))
    sign = np.sign(left[np.abs(left).argmax(axis=0), np.arange(len(values))])
    return values, left * sign, right * sign
