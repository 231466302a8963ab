"""How alike two rows are, as a graph without self-loops: sparse wherever only near rows count."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import normalize

from ...graphs import RowMatrix, neighbor_graph
from ...graphs._kernel import median_distance

Array = np.ndarray

AFFINITIES = ("nearest_neighbors", "cosine", "rbf", "precomputed")

BLOCK_ENTRIES = 2**22


def affinity_graph(X: Any, affinity: str, n_neighbors: int | None, delta: float | str = "median") -> Any:
    """The symmetric affinities between rows, CSR, or dense where ``n_neighbors`` is None.

    Parameters
    ----------
    X : (n, f) array or CSR matrix; for "precomputed" the affinities themselves, (n, n)
    affinity : {"nearest_neighbors", "cosine", "rbf", "precomputed"}
        Weight 1, the cosine (0 where negative), or exp(−d²/2δ²).
    n_neighbors : int or None
        Rows count as near if one is among the so many nearest of the other (all others, where there are fewer). None:
        all pairs.
    delta : "median" or float
        δ; "median" is the median distance between rows.

    Examples
    --------
    >>> import numpy as np
    >>> affinity_graph(np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 3.0]]), "cosine", 1).toarray().round(2)
    array([[0.  , 1.  , 0.71],
           [1.  , 0.  , 0.  ],
           [0.71, 0.  , 0.  ]])
    """
    if affinity == "precomputed":
        return _checked(X)
    if affinity == "nearest_neighbors" and n_neighbors is None:
        raise ValueError(
            'affinity="nearest_neighbors" needs n_neighbors, got None. Say how many neighbors, or use "cosine" or '
            '"rbf", which weigh all pairs.'
        )
    rows = normalize(X) if affinity == "cosine" else X
    if affinity == "rbf":
        delta = median_distance(X) if isinstance(delta, str) else delta
    if n_neighbors is None:
        return _all_pairs(rows, affinity, delta)
    nearest = min(n_neighbors, X.shape[0] - 1)
    if nearest == 0:
        return sparse.csr_array((X.shape[0], X.shape[0]), dtype=np.float64)
    metric = "cosine" if affinity == "cosine" else "euclidean"
    graph = neighbor_graph(X, nearest, metric=metric).sparse
    if affinity == "nearest_neighbors":
        return graph
    half = sparse.coo_array(sparse.triu(graph, k=1))
    pairs = np.column_stack(half.coords)
    weights = _of_pairs(rows, pairs, affinity, delta)
    return _without_zeros(RowMatrix.from_pairs(X.shape[0], pairs, weights).sparse)


def _all_pairs(rows: Any, affinity: str, delta: Any) -> Array:
    if affinity == "cosine":
        K = rows @ rows.T
        K = np.maximum(K.toarray() if sparse.issparse(K) else K, 0.0).astype(np.float64)
    else:
        K = np.exp(euclidean_distances(rows, squared=True).astype(np.float64) * (-0.5 / delta**2))
    np.fill_diagonal(K, 0.0)
    return K


def _of_pairs(rows: Any, pairs: Array, affinity: str, delta: Any) -> Array:
    """The affinity of each pair, a block of pairs at a time."""
    weights = np.empty(len(pairs))
    step = max(1, BLOCK_ENTRIES // rows.shape[1])
    for start in range(0, len(pairs), step):
        left, right = (rows[side] for side in pairs[start : start + step].T)
        if affinity == "cosine":
            product = left.multiply(right) if sparse.issparse(left) else left * right
            block = np.maximum(np.asarray(product.sum(axis=1)).ravel(), 0.0)
        else:
            apart = left - right
            apart = apart.power(2) if sparse.issparse(apart) else np.square(apart)
            block = np.exp(np.asarray(apart.sum(axis=1)).ravel() * (-0.5 / delta**2))
        weights[start : start + step] = block
    return weights


def _checked(K: Any) -> Any:
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f'affinity="precomputed" takes a square matrix of affinities between rows, got shape {K.shape}. For '
            'features choose "nearest_neighbors", "cosine" or "rbf".'
        )
    K = sparse.csr_array(K, dtype=np.float64) if sparse.issparse(K) else np.array(K, dtype=np.float64)
    if K.min() < 0:
        raise ValueError(f"affinities must not be negative, the smallest is {K.min():g}. Clip them at 0.")
    if abs(K - K.T).max() > 1e-8 * K.max():
        raise ValueError("affinities must be symmetric. Use (K + K.T) / 2 if they only differ by rounding.")
    if sparse.issparse(K):
        return _without_zeros(K - sparse.diags_array(K.diagonal()))
    np.fill_diagonal(K, 0.0)
    return K


def _without_zeros(K: Any) -> sparse.csr_array:
    K = sparse.csr_array(K)
    K.eliminate_zeros()
    return K
