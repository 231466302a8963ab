"""Nearest and farthest rows, and the graphs that join them."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Literal

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray
from .._sklearn import Interval, StrOptions
from ..linalg._row_matrix import RowMatrix
from ._approximate import approximate_nearest
from ._distances import Cosine, Distances, Euclidean
from ._exact import Found, exact_search
from ._farthest import approximate_farthest
from ._inverted import faiss_nearest
from ._method import Way, choose_search
from ._symmetric import mutual_search, pays
from ._tree import tree_search

SEARCH = [StrOptions({"auto", "exact", "approximate", "faiss"})]
"""What the parameter ``search`` may be."""

N_JOBS = [Interval(Integral, 1, None, closed="left"), None]
"""What the parameter ``n_jobs`` of a search may be."""


def check_n_neighbors(n_neighbors: int, n: int) -> int:
    """``n_neighbors`` if that many other rows exist."""
    if n_neighbors >= n:
        raise ValueError(
            f"n_neighbors={n_neighbors}, but with n_samples={n} a row has only {n - 1} others. "
            f"Ask for n_neighbors={max(n - 1, 1)} or fewer."
        )
    return n_neighbors


def neighbors(
    distances: Distances,
    n_neighbors: int,
    *,
    farthest: bool = False,
    unit: float = 0.0,
    search: str = "auto",
    themselves: bool = True,
    n_jobs: int | None = None,
) -> Found:
    """The nearest (or farthest) rows of each query, by any distance of ``graphs.distances`` and ``graphs.collapsed``.

    No n × n matrix is ever held.

    Parameters
    ----------
    distances : Distances
        :class:`~likewise.graphs._distances.Euclidean`, :class:`~likewise.graphs._distances.Cosine`,
        :class:`~likewise.graphs._collapsed.Collapsed` or :class:`~likewise.graphs._distances.Given`.
    n_neighbors : int
    farthest : bool
    unit : float
        Distances are rounded to multiples of it before they are ranked; ties go to the lower index.
    search : {"auto", "exact", "approximate", "faiss"}
        "auto" is exact up to some 10¹² multiplications, and approximate beyond where rows are dense:
        :func:`choose_search` is the rule. "faiss" is approximate, too, by the package of that name
        (``pip install "likewise[ann]"``), for nearest rows by Euclidean or cosine distances.
    themselves : bool
        Queries are the rows: none is its own neighbor.
    n_jobs : int, optional
        Threads. None: as many as OpenMP may use.

    Returns
    -------
    Found
        ``rows``, ``distances`` and ``recall``, which is 1 for an exact search and else measured on 400 queries.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.graphs import neighbors
    >>> from likewise.graphs._distances import Euclidean
    >>> neighbors(Euclidean(np.array([[0.0], [1.0], [5.0]])), 1).rows.ravel()
    array([1, 0, 1])
    """
    boxes = isinstance(distances, Euclidean) and not (farthest or unit)
    sizes = distances.n_queries, distances.n, distances.width
    plain = isinstance(distances, Euclidean | Cosine) and not farthest
    way = choose_search(search, *sizes, boxes=boxes, dense=distances.dense, plain=plain)
    if way is Way.TREE and isinstance(distances, Euclidean):
        return tree_search(distances, n_neighbors, themselves=themselves, n_jobs=n_jobs)
    if way is Way.FAISS and isinstance(distances, Euclidean | Cosine):
        return faiss_nearest(distances, n_neighbors, unit=unit, themselves=themselves, n_jobs=n_jobs)
    if way is Way.APPROXIMATE:
        chosen = approximate_farthest if farthest else approximate_nearest
        return chosen(distances, n_neighbors, unit=unit, themselves=themselves, n_jobs=n_jobs)
    if pays(distances, themselves=themselves):
        return mutual_search(distances, n_neighbors, farthest=farthest, unit=unit, n_jobs=n_jobs)
    return exact_search(distances, n_neighbors, farthest=farthest, unit=unit, themselves=themselves, n_jobs=n_jobs)


def distances_by(metric: str, X: Any, queries: Any = None) -> Euclidean | Cosine:
    """Distances between rows, or from ``queries`` to rows, by the name of a metric: "euclidean" or "cosine"."""
    kinds: dict[str, type[Euclidean] | type[Cosine]] = {"euclidean": Euclidean, "cosine": Cosine}
    if metric not in kinds:
        raise ValueError(f'metric must be "euclidean" or "cosine", got {metric!r}.')
    return kinds[metric](X, queries)


def neighbor_graph(
    X: Any,
    n_neighbors: int = 5,
    *,
    symmetry: Literal["union", "mean"] = "union",
    metric: str = "euclidean",
    search: str = "auto",
    n_jobs: int | None = None,
) -> RowMatrix:
    """Graph of the ``n_neighbors`` nearest rows.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
    n_neighbors : int
    symmetry : {"union", "mean"}
        ``"union"``: weight 1 if either row counts the other among its nearest. ``"mean"``: the mean of the two
        directions, each edge weighing ``1/n_neighbors``.
    metric : {"euclidean", "cosine"}
    search, n_jobs
        As for :func:`neighbors`; a warning says where "auto" had to approximate.

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
    found = neighbors(distances_by(metric, X), n_neighbors, search=search, n_jobs=n_jobs)
    if found.recall < 1 and search == "auto":
        warnings.warn(
            f"{X.shape[0]} × {X.shape[1]} are too many for an exact search, so neighbors are approximate: "
            f'{found.recall:.0%} of those of a sample were found. search="exact" finds all.',
            stacklevel=2,
        )
    return graph_of(found, symmetry)


def graph_of(found: Found, symmetry: Literal["union", "mean"] = "union") -> RowMatrix:
    """The graph of each row and those found for it; ``symmetry`` as for :func:`neighbor_graph`."""
    n, n_neighbors = found.rows.shape
    ends = np.arange(0, found.rows.size + 1, n_neighbors)
    directed = sparse.csr_array((np.ones(found.rows.size), found.rows.ravel(), ends), shape=(n, n))
    if symmetry == "union":
        return RowMatrix(directed.maximum(directed.T))
    return RowMatrix((directed + directed.T) * (0.5 / n_neighbors))


def pairs_of(found: Found) -> tuple[IntArray, FloatArray]:
    """Every row with each of those found for it, as unique pairs i < j, and their distances."""
    n, k = found.rows.shape
    head, tail = np.repeat(np.arange(n), k), found.rows.ravel()
    low, high = np.minimum(head, tail), np.maximum(head, tail)
    _, first = np.unique(low * n + high, return_index=True)
    return np.column_stack([low[first], high[first]]), found.distances.ravel()[first]
