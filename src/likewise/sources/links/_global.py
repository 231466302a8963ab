"""Global link analysis: documents that random walks over the links hold together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils import check_array

from ..._arrays import IntArray
from ...constraints import Constraints
from ...constraints._validate import whole_number
from ._read import link_matrix, undirected, undirected_pairs
from ._walk import RESTART, components, restarted_inverse, shifted_inverse, sketch

FLOOR = 0.01
"""The similarity of linked documents that share no word: the link stays, and counts little."""
SCORES = ("degree-corrected", "commute")
N_DIRECTIONS = 256
CELLS = 4_000_000
"""Entries of one dense block of similarities."""


def global_core_pairs(
    links: Any,
    X: Any,
    *,
    gamma: float | None = None,
    n_pairs: int | None = None,
    n_similar: int = 5,
    score: str = "degree-corrected",
    ids: Any = None,
    exact_up_to: int = 4000,
    random_state: Any = 0,
) -> Constraints:
    """Core pairs from random walks: must-links between documents that many short paths join.

    Links lose their direction and weigh as much as the cosine of the two documents (0.01 if they share no word). A
    document with fewer links than the average gets artificial ones, to the ``n_similar`` most similar. On this graph
    every pair has a score; small is close:

    - "commute", as published: (h_ij + h_ji)/2, with h the expected :func:`hitting_times`;
    - "degree-corrected": 1 − k_ij/√(k_ii k_jj), between 0 and 1, where K = ((1 + ε)D − W)⁻¹ counts the visits of
      a walk that gives up at rate ε = 0.02, after 50 steps on average.

    A round trip between two vertices of a large graph takes about vol·(1/d_i + 1/d_j) steps, whatever lies between
    them (von Luxburg et al.): the shortest ones join hubs with hubs. K is the same inverse of a Laplacian, k_ii is near
    1/d_i, and the cosine divides just that away. It also makes sense of small components, where walks never get lost.

    How many of the closest pairs of Cora (binary words; 7 classes; of the raw links 81 %) join papers of one class:

    ==================================  =====  =====  ======
    closest                               500  5,278  20,000
    ==================================  =====  =====  ======
    commute                              24 %   20 %    19 %
    degree-corrected                     89 %   74 %    68 %
    degree-corrected, ``n_similar=0``    94 %   88 %    82 %
    ==================================  =====  =====  ======

    Parameters
    ----------
    links : (m, 2) array-like, (n, n) sparse matrix, networkx graph, or path of a .csv or .tsv file
        See :func:`~likewise.sources.links.link_matrix`.
    X : (n, f) array or sparse matrix
        The documents, for their cosines.
    gamma : float, optional
        Keep the pairs with a score below this. In the units of ``score``.
    n_pairs : int, optional
        Keep so many of the closest pairs instead. Default, without ``gamma``: as many as there are links.
    n_similar : int
        Artificial links of a document with fewer links than the average. 0 trusts the links alone: more precise, but
        documents without links stay out.
    score : {"degree-corrected", "commute"}
    ids : list-like, optional
        Names of the documents, if the links name them.
    exact_up_to : int
        Largest component whose scores all come from one dense inverse.
    random_state : int, Generator or None
        For the sketch of a larger component.

    Returns
    -------
    Constraints
        Must-links, believed as much as the documents are similar (at least 0.01): a noisy link counts less. Similar is
        the cosine of their words with "commute"; with "degree-corrected" it is 1 − score, which knows words and links.

    Notes
    -----
    In a component of more than ``exact_up_to`` documents only pairs at most two steps apart are scored, from a random
    sketch of 256 directions. Distances are then right up to a factor 1 ± ε for all pairs at once, with the ε of
    :func:`~likewise.sources.links._walk.sketch_error`, and 1 ± 0.09 for a typical one.

    References
    ----------
    S. Yan's thesis, Section 5.4.2, Eqs. 5.6–5.8. U. von Luxburg, A. Radl, M. Hein: Hitting and commute times in large
    random neighborhood graphs, JMLR 15, 2014. F. Fouss et al.: Random-walk computation of similarities between
    nodes of a graph, IEEE TKDE 19, 2007 (the cosine).

    Examples
    --------
    >>> from likewise.sources.links import global_core_pairs
    >>> words = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]]
    >>> links = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)]
    >>> global_core_pairs(links, words, n_pairs=2, n_similar=0).must_link.tolist()
    [[0, 2], [1, 2]]
    """
    if score not in SCORES:
        raise ValueError(f"score must be one of {', '.join(map(repr, SCORES))}, got {score!r}.")
    if gamma is not None and n_pairs is not None:
        raise ValueError(f"gamma = {gamma} and n_pairs = {n_pairs} both say which pairs to keep. Pass one of them.")
    unit = unit_documents(X)
    matrix = link_matrix(links, unit.shape[0], ids=ids)
    if gamma is None:
        n_pairs = len(undirected_pairs(matrix)) if n_pairs is None else whole_number(n_pairs, "n_pairs")
    elif not gamma > 0:
        raise ValueError(f"gamma must be above 0, got {gamma!r}: no pair has a score below 0.")
    W = walk_graph(matrix, unit, whole_number(n_similar, "n_similar"))
    best = _Best(n_pairs, gamma)
    for members in components(W):
        block = W[members][:, members]
        if 2 <= len(members) <= exact_up_to:
            best.add(*_exact(block, score), members)
        elif len(members) > exact_up_to:
            for found in _sketched(block, score, random_state):
                best.add(*found, members)
    similar = cosines(unit, best.pairs) if score == "commute" else 1.0 - best.scores
    return Constraints(unit.shape[0], best.pairs, must_weight=np.clip(similar, FLOOR, 1.0))


def unit_documents(X: Any) -> Any:
    """Rows of unit length; a row of zeros stays one."""
    return normalize(check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32), input_name="X"))


def cosines(unit: Any, pairs: IntArray) -> np.ndarray:
    """The cosine of each pair of rows of unit length, a part of the pairs at a time."""
    found = np.zeros(len(pairs))
    for start in range(0, len(pairs), 100_000):
        left, right = (unit[pairs[start : start + 100_000, side]] for side in (0, 1))
        product = left.multiply(right) if sparse.issparse(unit) else left * right
        found[start : start + 100_000] = np.asarray(product.sum(axis=1)).ravel()
    return found


def walk_graph(matrix: sparse.csr_array, unit: Any, n_similar: int) -> sparse.csr_array:
    """The weighted graph that walks go on: links by similarity, and artificial ones for the less linked."""
    n = matrix.shape[0]
    degree = np.diff(undirected(matrix).indptr)
    pairs = undirected_pairs(matrix)
    poor = np.flatnonzero(degree < degree.mean()) if n else np.array([], dtype=np.int64)
    if n_similar and poor.size:
        pairs = np.vstack([pairs, most_similar(unit, poor, n_similar)])
        key = np.unique(pairs.min(axis=1) * n + pairs.max(axis=1))
        pairs = np.column_stack([key // n, key % n])
    weight = np.maximum(cosines(unit, pairs), FLOOR)
    W = sparse.csr_array((weight, (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return sparse.csr_array(W + W.T)


def most_similar(unit: Any, rows: IntArray, count: int) -> IntArray:
    """Pairs (row, neighbor): the ``count`` other rows of largest cosine above 0; of equals the first."""
    n = unit.shape[0]
    count = min(count, n - 1)
    found = []
    for part in np.array_split(rows, max(1, -(-len(rows) * n // CELLS))):
        cosine = unit[part] @ unit.T
        cosine = cosine.toarray() if sparse.issparse(cosine) else cosine
        cosine[np.arange(len(part)), part] = 0.0
        # Two products of the same rows may differ in the last digits; equals must tie.
        order = np.argsort(-np.round(cosine, 10), axis=1, kind="stable")[:, :count]
        pairs = np.column_stack([np.repeat(part, count), order.ravel()])
        found.append(pairs[np.take_along_axis(cosine, order, axis=1).ravel() > 1e-10])
    return np.concatenate(found)


@dataclass
class _Best:
    """The closest pairs so far: so many, or all below a bound."""

    count: int | None
    below: float | None

    def __post_init__(self) -> None:
        self.pairs = np.empty((0, 2), dtype=np.int64)
        self.scores = np.empty(0)

    def add(self, left: IntArray, right: IntArray, scores: np.ndarray, members: IntArray) -> None:
        """Take in pairs of a component."""
        if self.below is not None:
            keep = np.flatnonzero(scores < self.below)
        elif self.count is not None and self.count < len(scores):
            # All that might be among the closest: those at the last place tie, and the order of rows decides.
            last = np.partition(scores, self.count - 1)[self.count - 1] if self.count else -np.inf
            keep = np.flatnonzero(scores <= last)
        else:
            keep = np.arange(len(scores))
        pairs = np.sort(np.column_stack([members[left[keep]], members[right[keep]]]), axis=1)
        self.pairs = np.vstack([self.pairs, pairs])
        self.scores = np.concatenate([self.scores, scores[keep]])
        if self.count is not None:
            order = np.lexsort((self.pairs[:, 1], self.pairs[:, 0], self.scores))[: self.count]
            self.pairs, self.scores = self.pairs[order], self.scores[order]


def _exact(W: sparse.csr_array, score: str) -> tuple[IntArray, IntArray, np.ndarray]:
    dense = W.toarray()
    left, right = np.triu_indices(len(dense), 1)
    commute = score == "commute"
    K = shifted_inverse(dense) if commute else restarted_inverse(dense)
    own = K.diagonal()
    if commute:
        return left, right, dense.sum() / 2 * (own[left] + own[right] - 2 * K[left, right])
    length = np.sqrt(own)
    return left, right, 1.0 - K[left, right] / (length[left] * length[right])


def _sketched(W: sparse.csr_array, score: str, random_state: Any) -> Iterator[tuple[IntArray, IntArray, np.ndarray]]:
    """Approximate scores of the pairs at most two steps apart, a block of rows at a time."""
    commute = score == "commute"
    Y = sketch(W, 0.0 if commute else RESTART, N_DIRECTIONS, random_state)
    degree = np.asarray(W.sum(axis=1)).ravel()
    Y = Y / np.sqrt(degree)[:, None] if commute else normalize(Y)
    near = sparse.csr_array((np.ones_like(W.data), W.indices, W.indptr), shape=W.shape)
    work = np.cumsum(near @ np.diff(W.indptr))
    for rows in np.split(np.arange(W.shape[0]), np.searchsorted(work, np.arange(CELLS, work[-1], CELLS))):
        if not len(rows):
            continue
        reach = sparse.coo_array(near[rows] @ near + near[rows])
        left, right = rows[reach.row], reach.col.astype(np.int64)
        left, right = left[left < right], right[left < right]
        scores = np.empty(len(left))
        for start in range(0, len(left), 20_000):
            part = slice(start, start + 20_000)
            if commute:
                scores[part] = degree.sum() / 2 * np.square(Y[left[part]] - Y[right[part]]).sum(axis=1)
            else:
                scores[part] = 1.0 - (Y[left[part]] * Y[right[part]]).sum(axis=1)
        yield left, right, scores
