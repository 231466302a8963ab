"""Graphs of nearness: nearest neighbours, and the extremes of a blocked distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from ..constraints.pairs import FloatArray, IntArray
from .rows import RowMatrix

DistanceBlock = Callable[[slice], FloatArray]
"""Distances from a slice of the rows to all rows."""

BLOCK_ENTRIES = 2**23


def check_n_neighbors(n_neighbors: int, n: int) -> int:
    """``n_neighbors`` if that many other rows exist."""
    if n_neighbors >= n:
        raise ValueError(
            f"n_neighbors={n_neighbors}, but with n_samples={n} a row has only {n - 1} others. "
            f"Ask for n_neighbors={max(n - 1, 1)} or fewer."
        )
    return n_neighbors


def neighbor_graph(
    X: Any, n_neighbors: int = 5, *, symmetry: Literal["union", "mean"] = "union", metric: str = "euclidean"
) -> RowMatrix:
    """Graph of the ``n_neighbors`` nearest rows, exact.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
    n_neighbors : int
    symmetry : {"union", "mean"}
        ``"union"``: weight 1 if either row counts the other among its nearest. ``"mean"``: the mean of the two
        directions, each edge weighing ``1/n_neighbors``.
    metric : str
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.graphs import neighbor_graph
    >>> neighbor_graph(np.array([[0.0], [1.0], [5.0]]), n_neighbors=1).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    check_n_neighbors(n_neighbors, X.shape[0])
    search = NearestNeighbors(n_neighbors=n_neighbors, metric=metric).fit(X)
    directed = sparse.csr_array(search.kneighbors_graph(mode="connectivity"))
    if symmetry == "union":
        return RowMatrix(directed.maximum(directed.T))
    return RowMatrix((directed + directed.T) * (0.5 / n_neighbors))


def blocks(n: int) -> list[slice]:
    """Slices of the rows, such that a slice × all rows fits comfortably in memory."""
    step = max(1, BLOCK_ENTRIES // max(n, 1))
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def largest_distance(distances: DistanceBlock, n: int) -> float:
    """The largest of all pairwise distances."""
    return max(float(distances(rows).max()) for rows in blocks(n))


def extreme_pairs(
    distances: DistanceBlock, n: int, k: int, scale: float, *, farthest: bool = False
) -> tuple[IntArray, FloatArray]:
    """Each row's k nearest (or farthest) others, as unique pairs i < j, with their distance ÷ ``scale``.

    Distances are rounded to a millionth of ``scale`` before they are ranked and ties go to the lower index, so
    rows that coincide are ranked by position, not by rounding noise.
    """
    check_n_neighbors(k, n)
    sign = -1 if farthest else 1
    nobody = np.iinfo(np.int64).max
    heads, tails, values = [], [], []
    for rows in blocks(n):
        block = distances(rows) / scale
        # One integer orders by rounded distance first and by index second.
        keys = sign * np.rint(block * 1e6).astype(np.int64) * n + np.arange(n)
        own = np.arange(rows.start, rows.stop)
        keys[own - rows.start, own] = nobody
        chosen = np.argpartition(keys, k - 1, axis=1)[:, :k]
        heads.append(np.repeat(own, k))
        tails.append(chosen.ravel())
        values.append(np.take_along_axis(block, chosen, axis=1).ravel())
    head, tail, value = (np.concatenate(parts) for parts in (heads, tails, values))
    low, high = np.minimum(head, tail), np.maximum(head, tail)
    _, first = np.unique(low * n + high, return_index=True)
    return np.column_stack([low[first], high[first]]), value[first]
