"""Random walks on a graph: how long they take, and how alike two starting points are."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components

from ..._progress_legacy import Fall

RESTART = 0.02
"""How readily the walk behind the degree-corrected score gives up: after 50 steps on average."""


def hitting_times(W: Any) -> np.ndarray:
    """Expected hitting times: entry (i, j) is how many steps a random walk from i takes until it first meets j.

    From a vertex the walk goes to each neighbor with a probability proportional to the weight of the edge:

    .. math:: h_{ii} = 0, \\qquad h_{ij} = 1 + \\sum_k p_{ik} h_{kj}, \\qquad p_{ik} = w_{ik} / d_i

    All of them come from one symmetric inverse per component, h_ij = (L⁺d)_i − (L⁺d)_j + vol·(L⁺_jj − L⁺_ij), where
    L = diag(d) − W, d the degrees and vol their sum. The round trip h_ij + h_ji = vol·R_ij, with R the resistance
    between i and j if every edge were a wire of conductance w.

    Parameters
    ----------
    W : (n, n) array or sparse matrix
        Weights: symmetric, finite, none negative. The diagonal is the chance to stay.

    Returns
    -------
    (n, n) array
        Infinite between vertices that no path joins.

    References
    ----------
    S. Yan's thesis, Eq. 5.7. D. Aldous, J. Fill: Reversible Markov Chains and Random Walks on Graphs.

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


def components(W: sparse.csr_array) -> list[np.ndarray]:
    """The vertices of each connected component, by their first one."""
    n_parts, part = connected_components(W, directed=False)
    order = np.argsort(part, kind="stable")
    return np.split(order, np.cumsum(np.bincount(part, minlength=n_parts))[:-1]) if n_parts else []


def shifted_inverse(W: np.ndarray) -> np.ndarray:
    """The pseudo-inverse of the Laplacian of a connected graph, up to a constant in all entries.

    (L + t·11ᵀ)⁻¹ = L⁺ + 11ᵀ/(t n²): positive definite, so Cholesky's factor inverts it.
    """
    degree = W.sum(axis=1)
    return _inverse(np.diag(degree) - W + degree.mean() / len(W))


def restarted_inverse(W: np.ndarray) -> np.ndarray:
    """((1 + ε)I − D^-½WD^-½)⁻¹: expected visits of a walk that gives up at rate ε, balanced for degrees."""
    root = np.sqrt(W.sum(axis=1))
    return _inverse((1.0 + RESTART) * np.eye(len(W)) - W / np.outer(root, root))


def _inverse(A: np.ndarray) -> np.ndarray:
    """The inverse of a symmetric, positive definite matrix."""
    factor, failed = linalg.lapack.dpotrf(A, lower=1)
    if failed:
        raise ValueError(
            "the weights of one component differ too much to be told from 0 in floating point. "
            "Leave out the edges that weigh next to nothing."
        )
    lower = np.tril(linalg.lapack.dpotri(factor, lower=1)[0])
    return np.asarray(lower + np.tril(lower, -1).T)


def sketch(W: sparse.csr_array, restart: float, n_directions: int, random_state: Any) -> np.ndarray:
    """Rows whose inner products approximate ((1 + restart)I − D^-½WD^-½)⁻¹ (its pseudo-inverse if restart = 0).

    The matrix M is CᵀC, with C the weighted incidence matrix above √restart·I; so M⁻¹ = (CM⁻¹)ᵀ(CM⁻¹), and random
    signs Q keep the lengths and angles of the columns of CM⁻¹ (Johnson, Lindenstrauss): M⁻¹CᵀQ/√q, a linear system
    for each of the q directions and none for a vertex. See :func:`sketch_error`.

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
    for start in range(0, n_directions, 16):  # a few directions at a time: signs of all edges are many
        count = min(16, n_directions - start)
        B[:, start : start + count] = incidence @ rng.choice([-1.0, 1.0], size=(m, count))
    if restart:
        B += np.sqrt(restart) * rng.choice([-1.0, 1.0], size=B.shape)
    scale = sparse.diags_array(1.0 / root)
    N = sparse.csr_array(scale @ W @ scale)
    null = None if restart else root / np.linalg.norm(root)
    return _conjugate_gradients(N, restart, B / np.sqrt(n_directions), null)


def sketch_error(n_directions: int, n_pairs: int, failure: float = 1e-3) -> float:
    """Relative error of squared distances that a sketch exceeds for none of ``n_pairs``, but for a small chance.

    The least ε with 2 · n_pairs · exp(−q(ε²/4 − ε³/6)) ≤ failure, for q directions of random signs (Achlioptas 2003).
    Counted for 4 · n_pairs lengths, cosines are off by at most 2ε/(1 − ε).

    >>> round(sketch_error(1000, 10_000), 2)
    0.29
    """
    grid = np.linspace(0.0, 1.0, 10_001)
    enough = n_directions * (grid**2 / 4 - grid**3 / 6) >= np.log(2 * max(n_pairs, 1) / failure)
    return float(grid[enough.argmax()]) if enough.any() else np.inf


def _conjugate_gradients(
    N: sparse.csr_array, restart: float, B: np.ndarray, null: np.ndarray | None, tol: float = 1e-7, max_iter: int = 2000
) -> np.ndarray:
    """Solve ((1 + restart)I − N)X = B for all columns at once; ``null`` is the direction that M sends to 0."""
    if null is not None:
        B = B - np.outer(null, null @ B)
    X, R = np.zeros_like(B), B.copy()
    P = R.copy()
    rho = (R * R).sum(axis=0)
    goal, falling = tol**2 * rho, Fall(to=tol)
    for _ in range(max_iter):
        falling.tell(tol * float(np.sqrt((rho / np.maximum(goal, np.finfo(float).tiny)).max(initial=0.0))))
        if (rho <= goal).all():
            break
        MP = (1.0 + restart) * P - N @ P
        step = rho / np.maximum((P * MP).sum(axis=0), np.finfo(float).tiny)
        X += step * P
        R -= step * MP
        rho, before = (R * R).sum(axis=0), rho
        P = R + (rho / np.maximum(before, np.finfo(float).tiny)) * P
    if null is not None:
        X -= np.outer(null, null @ X)
    return X
