"""Random walks on links: hitting times, and pairs of documents that are close in random walks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from sklearn.utils import check_array

from ..._arrays import FloatArray, IntArray, slices
from ..._progress import stage
from ...constraints import Constraints
from ...constraints._validate import whole_number
from ...graphs._distances import Cosine
from ...graphs._exact import exact_search
from ...linalg._cg import conjugate_gradients
from ...linalg._unit_rows import unit_rows
from ._read import link_matrix, undirected, undirected_pairs

RESTART = 0.02
"""Termination rate of the walk for the degree-corrected score: it ends after 50 steps on average."""

MIN_SIMILARITY = 0.01
"""The similarity of linked documents without common words."""

SCORES = ("degree-corrected", "commute")

N_DIRECTIONS = 256
"""Number of directions of the sketch of a large component."""

CELLS = 4_000_000
"""Number of pairs scored at once."""

ROUNDING = 1e-10
"""Cosines that differ by less than this are equal, since products of the same rows may differ in the last digits."""


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
    """Must-links between documents that are connected by many short paths of links, from random walks.

    Links are undirected and weighted by the cosine of the two documents (0.01 if they share no word). A document with
    fewer links than the average gets artificial links to the ``n_similar`` most similar documents. Every pair of
    documents then has a score, which is small for close documents:

    - "commute", as published: (h_ij + h_ji)/2, with h the expected :func:`hitting_times`;
    - "degree-corrected": 1 − k_ij/√(k_ii k_jj), between 0 and 1, where K = ((1 + ε)D − W)⁻¹ counts the visits of
      a walk that ends at rate ε = 0.02, after 50 steps on average.

    In a large graph the commute time of two vertices is about vol·(1/d_i + 1/d_j), independent of the structure between
    them (von Luxburg et al.), so that the smallest ones join hubs. The degree-corrected score removes this effect,
    since k_ii is approximately 1/d_i. It is also meaningful in small components.

    Share of the closest pairs of Cora (binary words, 7 classes) that join papers of the same class (links: 81 %):

    ==================================  =====  =====  ======
    closest                               500  5,278  20,000
    ==================================  =====  =====  ======
    commute                              24 %   20 %    19 %
    degree-corrected                     89 %   74 %    68 %
    degree-corrected, ``n_similar=0``    94 %   88 %    82 %
    ==================================  =====  =====  ======

    Parameters
    ----------
    links : (m, 2) array-like, (n, n) sparse matrix, networkx graph, or path of a table
        See :func:`~likewise.sources.links.link_matrix`.
    X : (n, f) array or sparse matrix
        The documents, for their cosines.
    gamma : float, optional
        Keep the pairs with a score below this. In the units of ``score``.
    n_pairs : int, optional
        Number of closest pairs to keep instead. Default, without ``gamma``: the number of links.
    n_similar : int
        Number of artificial links of a document with fewer links than the average. With 0 only the given links are
        used, which is more precise, but leaves documents without links out.
    score : {"degree-corrected", "commute"}
    ids : list-like, optional
        Ids of the documents, if the links name them.
    exact_up_to : int
        Largest component whose scores are computed exactly, by a dense inverse.
    random_state : int, Generator or None
        For the random sketch of larger components.

    Returns
    -------
    Constraints
        Must-links, weighted by the similarity of the documents (at least 0.01). With "commute" it is the cosine of
        their words, with "degree-corrected" 1 − score, which depends on words and links.

    Notes
    -----
    In a component of more than ``exact_up_to`` documents only pairs at most two steps apart are scored, from a random
    sketch of 256 directions. Distances are then accurate up to a factor 1 ± ε for all pairs, except with a probability
    of 2 · pairs · exp(−256(ε²/4 − ε³/6)) (Achlioptas 2003), and up to 1 ± 0.09 for a typical pair.

    References
    ----------
    S. Yan, PhD thesis, Pennsylvania State University, 2010, Section 5.4.2, Eqs. 5.6–5.8. U. von Luxburg, A. Radl,
    M. Hein: Hitting and commute times in large random neighborhood graphs, JMLR 15, 2014. F. Fouss et al.: Random-walk
    computation of similarities between nodes of a graph, IEEE TKDE 19, 2007 (the cosine).

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
        raise ValueError(f"gamma = {gamma} and n_pairs = {n_pairs} both choose the pairs to keep. Pass one of them.")
    unit = unit_documents(X)
    matrix = link_matrix(links, unit.shape[0], ids=ids)
    if gamma is None:
        n_pairs = len(undirected_pairs(matrix)) if n_pairs is None else whole_number(n_pairs, "n_pairs")
    elif not gamma > 0:
        raise ValueError(f"gamma must be above 0, got {gamma!r}: no pair has a score below 0.")
    W = walk_graph(matrix, unit, whole_number(n_similar, "n_similar"))
    best = _Best(n_pairs, gamma)
    with stage("scoring pairs by random walks"):
        for members in components(W):
            block = W[members][:, members]
            if 2 <= len(members) <= exact_up_to:
                best.add(*_exact(block, score), members)
            elif len(members) > exact_up_to:
                for found in _sketched(block, score, random_state):
                    best.add(*found, members)
    similar = cosines(unit, best.pairs) if score == "commute" else 1.0 - best.scores
    return Constraints(unit.shape[0], best.pairs, must_weight=np.clip(similar, MIN_SIMILARITY, 1.0))


def unit_documents(X: Any) -> Any:
    """Rows of unit length; zero rows stay zero."""
    return unit_rows(check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32), input_name="X"))


def cosines(unit: Any, pairs: IntArray) -> FloatArray:
    """The cosine of each pair of rows of unit length, computed in blocks."""
    found = np.zeros(len(pairs))
    for part in slices(len(pairs), 100_000):
        left, right = (unit[pairs[part, side]] for side in (0, 1))
        product = left.multiply(right) if sparse.issparse(unit) else left * right
        found[part] = np.asarray(product.sum(axis=1)).ravel()
    return found


def walk_graph(matrix: sparse.csr_array, unit: Any, n_similar: int) -> sparse.csr_array:
    """The weighted graph of the walks: links weighted by similarity, and artificial links for documents with few."""
    n = matrix.shape[0]
    degree = np.diff(undirected(matrix).indptr)
    pairs = undirected_pairs(matrix)
    few = np.flatnonzero(degree < degree.mean()) if n else np.array([], dtype=np.int64)
    if n_similar and few.size:
        pairs = np.vstack([pairs, most_similar(unit, few, n_similar)])
        key = np.unique(pairs.min(axis=1) * n + pairs.max(axis=1))
        pairs = np.column_stack([key // n, key % n])
    weight = np.maximum(cosines(unit, pairs), MIN_SIMILARITY)
    W = sparse.csr_array((weight, (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return sparse.csr_array(W + W.T)


def most_similar(unit: Any, rows: IntArray, count: int) -> IntArray:
    """Pairs (row, neighbor) of each row and the ``count`` others of largest positive cosine; the first, if tied."""
    count = min(count, unit.shape[0] - 1)
    if count < 1:
        return np.empty((0, 2), dtype=np.int64)
    found = exact_search(Cosine(unit), count, resolution=ROUNDING, queries=rows)
    pairs = np.column_stack([np.repeat(rows, count), found.rows.ravel()])
    return pairs[found.distances.ravel() < 1 - ROUNDING]


class _Best:
    """The closest pairs so far: ``count`` of them, or all with a score below a bound."""

    def __init__(self, count: int | None, below: float | None) -> None:
        self.count = count
        self.below = below
        self.pairs = np.empty((0, 2), dtype=np.int64)
        self.scores = np.empty(0)

    def add(self, left: IntArray, right: IntArray, scores: FloatArray, members: IntArray) -> None:
        """Add the pairs of a component."""
        if self.below is not None:
            keep = np.flatnonzero(scores < self.below)
        elif self.count is not None and self.count < len(scores):
            # Keep all pairs that tie for the last place; the order of rows decides later.
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


def _exact(W: sparse.csr_array, score: str) -> tuple[IntArray, IntArray, FloatArray]:
    dense = W.toarray()
    left, right = np.triu_indices(len(dense), 1)
    commute = score == "commute"
    K = shifted_inverse(dense) if commute else restarted_inverse(dense)
    own = K.diagonal()
    if commute:
        return left, right, dense.sum() / 2 * (own[left] + own[right] - 2 * K[left, right])
    length = np.sqrt(own)
    return left, right, 1.0 - K[left, right] / (length[left] * length[right])


def _sketched(W: sparse.csr_array, score: str, random_state: Any) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Approximate scores of the pairs at most two steps apart, one block of rows at a time."""
    commute = score == "commute"
    Y = sketch(W, 0.0 if commute else RESTART, N_DIRECTIONS, random_state)
    degree = np.asarray(W.sum(axis=1)).ravel()
    Y = Y / np.sqrt(degree)[:, None] if commute else unit_rows(Y)
    near = sparse.csr_array((np.ones_like(W.data), W.indices, W.indptr), shape=W.shape)
    work = np.cumsum(near @ np.diff(W.indptr))
    for rows in np.split(np.arange(W.shape[0]), np.searchsorted(work, np.arange(CELLS, work[-1], CELLS))):
        if not len(rows):
            continue
        reach = sparse.coo_array(near[rows] @ near + near[rows])
        left, right = rows[reach.row], reach.col.astype(np.int64)
        left, right = left[left < right], right[left < right]
        scores = np.empty(len(left))
        for part in slices(len(left), 20_000):
            if commute:
                scores[part] = degree.sum() / 2 * np.square(Y[left[part]] - Y[right[part]]).sum(axis=1)
            else:
                scores[part] = 1.0 - (Y[left[part]] * Y[right[part]]).sum(axis=1)
        yield left, right, scores


def hitting_times(W: Any) -> FloatArray:
    """Expected hitting times: entry (i, j) is the expected number of steps of a random walk from i until it reaches j.

    From a vertex the walk moves to each neighbor with a probability proportional to the weight of the edge:

    .. math:: h_{ii} = 0, \\qquad h_{ij} = 1 + \\sum_k p_{ik} h_{kj}, \\qquad p_{ik} = w_{ik} / d_i

    All of them come from one symmetric inverse per component, h_ij = (L⁺d)_i − (L⁺d)_j + vol·(L⁺_jj − L⁺_ij), where
    L = diag(d) − W, d the degrees and vol their sum. The round trip h_ij + h_ji = vol·R_ij, with R the resistance
    between i and j if every edge were a wire of conductance w.

    Parameters
    ----------
    W : (n, n) array or sparse matrix
        Symmetric, finite, nonnegative weights. The diagonal is the weight of staying at a vertex.

    Returns
    -------
    (n, n) array
        Infinite between vertices that are not connected.

    References
    ----------
    S. Yan, PhD thesis, Pennsylvania State University, 2010, Eq. 5.7. D. Aldous, J. Fill: Reversible
    Markov Chains and Random Walks on Graphs.

    Examples
    --------
    A path 0 – 1 – 2, and a vertex alone:

    >>> from likewise.sources.links import hitting_times
    >>> hitting_times([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]).round(9)
    array([[ 0.,  1.,  4., inf],
           [ 3.,  0.,  3., inf],
           [ 4.,  1.,  0., inf],
           [inf, inf, inf,  0.]])
    """
    W = checked_weights(W)
    times = np.full(W.shape, np.inf)
    for members in components(W):
        block = W[members][:, members].toarray()
        degree = block.sum(axis=1)
        if len(members) == 1:
            times[members, members] = 0.0
            continue
        G = shifted_inverse(block)
        reach = G @ degree
        h = (reach[:, None] - reach) + degree.sum() * (G.diagonal() - G)
        np.fill_diagonal(h, 0.0)
        times[np.ix_(members, members)] = h
    return times


def checked_weights(W: Any) -> sparse.csr_array:
    """The weights of an undirected graph, or an error that says what is wrong with them."""
    W = sparse.csr_array(W, dtype=np.float64) if sparse.issparse(W) else sparse.csr_array(np.asarray(W, np.float64))
    if W.ndim != 2 or W.shape[0] != W.shape[1]:
        raise ValueError(f"W must be square, one row and column a vertex; got shape {W.shape}.")
    wrong = np.flatnonzero(~np.isfinite(W.data) | (W.data < 0))
    if wrong.size:
        entries = W.tocoo()
        i, j, value = (part[wrong[0]] for part in (entries.row, entries.col, entries.data))
        raise ValueError(f"W[{i}, {j}] = {value}: weights must be finite and not negative. Leave the edge out.")
    gap = abs(W - W.T)
    if gap.nnz and gap.max() > 1e-10 * W.max():
        gap = gap.tocoo()
        i, j = gap.row[gap.data.argmax()], gap.col[gap.data.argmax()]
        raise ValueError(
            f"W[{i}, {j}] = {W[i, j]:g}, W[{j}, {i}] = {W[j, i]:g}: W must be symmetric, as (W + W.T) / 2."
        )
    W.eliminate_zeros()
    return W


def components(W: sparse.csr_array) -> list[IntArray]:
    """The vertices of each connected component, by their first one."""
    n_parts, part = connected_components(W, directed=False)
    order = np.argsort(part, kind="stable")
    return np.split(order, np.cumsum(np.bincount(part, minlength=n_parts))[:-1]) if n_parts else []


def shifted_inverse(W: FloatArray) -> FloatArray:
    """The pseudo-inverse of the Laplacian of a connected graph, up to a constant in all entries.

    (L + t·11ᵀ)⁻¹ = L⁺ + 11ᵀ/(t n²): positive definite, so Cholesky's factor inverts it.
    """
    degree = W.sum(axis=1)
    return _inverse(np.diag(degree) - W + degree.mean() / len(W))


def restarted_inverse(W: FloatArray) -> FloatArray:
    """((1 + ε)I − D^-½WD^-½)⁻¹: expected visits of a walk that ends at rate ε, normalized by degrees."""
    root = np.sqrt(W.sum(axis=1))
    return _inverse((1.0 + RESTART) * np.eye(len(W)) - W / np.outer(root, root))


def _inverse(A: FloatArray) -> FloatArray:
    """The inverse of a symmetric, positive definite matrix."""
    factor, failed = linalg.lapack.dpotrf(A, lower=1)
    if failed:
        raise ValueError(
            "the smallest weights of one component vanish beside the others in floating point. "
            "Leave out the edges that weigh next to nothing."
        )
    lower = np.tril(linalg.lapack.dpotri(factor, lower=1)[0])
    return np.asarray(lower + np.tril(lower, -1).T)


def sketch(W: sparse.csr_array, restart: float, n_directions: int, random_state: Any) -> FloatArray:
    """Rows whose inner products approximate ((1 + restart)I − D^-½WD^-½)⁻¹ (its pseudo-inverse if restart = 0).

    The matrix M is CᵀC, with C the weighted incidence matrix stacked on √restart·I, so M⁻¹ = (CM⁻¹)ᵀ(CM⁻¹). Random
    signs Q approximately preserve the lengths and angles of the columns of CM⁻¹ (Johnson–Lindenstrauss). So M⁻¹CᵀQ/√q
    is computed, with one linear system for each of the q directions instead of one for each vertex.

    References
    ----------
    D. Spielman, N. Srivastava: Graph sparsification by effective resistances, SIAM J. Computing 40, 2011.
    """
    rng = np.random.default_rng(random_state)
    upper = sparse.triu(W, k=1).tocoo()
    root = np.sqrt(np.asarray(W.sum(axis=1)).ravel())
    n, m = W.shape[0], upper.nnz
    edges, weight = np.arange(m), np.sqrt(upper.data)
    incidence = sparse.csr_array(
        (
            np.concatenate([weight / root[upper.row], -weight / root[upper.col]]),
            (np.concatenate([upper.row, upper.col]), np.concatenate([edges, edges])),
        ),
        shape=(n, m),
    )
    B = np.empty((n, n_directions))
    for some in slices(n_directions, 16):  # a few directions at a time, since each needs a sign for every edge
        B[:, some] = incidence @ rng.choice([-1.0, 1.0], size=(m, some.stop - some.start))
    if restart:
        B += np.sqrt(restart) * rng.choice([-1.0, 1.0], size=B.shape)
    scale = sparse.diags_array(1.0 / root)
    N = sparse.csr_array(scale @ W @ scale)
    null = None if restart else root / np.linalg.norm(root)
    B /= np.sqrt(n_directions)
    if null is not None:
        B -= np.outer(null, null @ B)
    with stage("sketching random walks"):
        X, _ = conjugate_gradients(_Walk(N, restart), B, tol=1e-7, max_steps=2000)
    return X if null is None else X - np.outer(null, null @ X)


class _Walk:
    """(1 + restart)I − N, without a preconditioner."""

    def __init__(self, N: sparse.csr_array, restart: float) -> None:
        self._N = N
        self._restart = restart

    def multiply(self, V: FloatArray, Y: FloatArray) -> FloatArray:
        """The product with columns."""
        return (1.0 + self._restart) * V - self._N @ V

    def precondition(self, residual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The residual itself."""
        return residual, residual
