"""Nearest and farthest rows, the rule that selects the search method, and neighbor graphs."""

from __future__ import annotations

import warnings
from enum import StrEnum
from typing import Any, Literal

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray
from .._progress import stage
from .._sklearn import POSITIVE_INT, StrOptions
from ..linalg._row_matrix import RowMatrix
from ._approximate import approximate_farthest, approximate_nearest, largest_distance
from ._distances import Cosine, Distances, Euclidean
from ._exact import Neighbors, exact_search, symmetric_search, tree_search, use_symmetry

SEARCH = [StrOptions({"auto", "exact", "approximate"})]
"""Valid values of the parameter ``search``."""

N_JOBS = [POSITIVE_INT, None]
"""Valid values of the parameter ``n_jobs`` of a search."""

TREE = 12
"""Up to this number of features a k-d tree is the fastest."""

WORK = 10**12
"""Largest number of multiplications of an exact search by default: half a minute on two cores."""

SELECTION = 64
"""Cost of ranking one distance, in multiplications."""

RESOLUTION = 1e-6
"""Resolution of :func:`ranked_neighbors`, relative to the largest distance."""


class SearchMethod(StrEnum):
    """How to search for neighbors."""

    TREE = "tree"
    """A k-d tree. Exact."""
    BLOCKS = "blocks"
    """All pairs of rows, one block at a time. Exact."""
    APPROXIMATE = "approximate"
    """Only among likely candidates, with a measured recall."""


def choose_search(
    search: str,
    n_queries: int,
    n_rows: int,
    width: int,
    *,
    allow_tree: bool = True,
    dense: bool = True,
) -> SearchMethod:
    """The search method, from the sizes and the properties of the distances.

    Parameters
    ----------
    search : {"auto", "exact", "approximate"}
    n_queries, n_rows : int
    width : int
        Number of features, plus the coordinates of a kernel correction if there is one.
    allow_tree : bool
        Whether a k-d tree is applicable: nearest rows by Euclidean distances without rounding.
    dense : bool
        Whether rows are dense, which the approximate search requires.

    Returns
    -------
    SearchMethod

    Notes
    -----
    The first line that applies decides.

    =================================================  =======================================
    search="approximate"                               approximate; an error for sparse rows
    dense rows, allow_tree, width ≤ 12                 tree
    search="exact", or sparse rows                     blocks
    n_queries · n_rows · (width + 64) ≤ 10¹²           blocks
    more                                               approximate
    =================================================  =======================================

    Examples
    --------
    >>> from likewise.graphs import choose_search
    >>> print(choose_search("auto", 10_000, 10_000, 16))
    blocks
    >>> print(choose_search("auto", 200_000, 200_000, 64))
    approximate
    """
    if search == SearchMethod.APPROXIMATE:
        if not dense:
            raise ValueError(
                'search="approximate" requires dense rows, but these are sparse. Reduce them first, for example with '
                'TruncatedSVD, or use search="exact".'
            )
        return SearchMethod.APPROXIMATE
    if allow_tree and dense and width <= TREE:
        return SearchMethod.TREE
    if search == "auto" and dense and n_queries * n_rows * (width + SELECTION) > WORK:
        return SearchMethod.APPROXIMATE
    return SearchMethod.BLOCKS


def check_n_neighbors(n_neighbors: int, n: int) -> int:
    """``n_neighbors`` if that many other rows exist."""
    if n_neighbors >= n:
        raise ValueError(
            f"n_neighbors={n_neighbors}, but with n_samples={n} a row has only {n - 1} others. "
            f"Use n_neighbors={max(n - 1, 1)} or fewer."
        )
    return n_neighbors


def neighbors(
    distances: Distances,
    n_neighbors: int,
    *,
    farthest: bool = False,
    resolution: float = 0.0,
    search: str = "auto",
    exclude_self: bool = True,
    n_jobs: int | None = None,
) -> Neighbors:
    """The nearest (or farthest) rows of each query, by any of the distances of this package.

    The n × n distance matrix is never stored.

    Parameters
    ----------
    distances : Distances
        :class:`Euclidean`, :class:`Cosine`, :class:`CollapsedKernel` or :class:`Precomputed`.
    n_neighbors : int
    farthest : bool
    resolution : float
        Distances are rounded to multiples of this before they are ranked. 0 means no rounding.
    search : {"auto", "exact", "approximate"}
        "auto" is exact up to about 10¹² multiplications, and approximate beyond if rows are dense; see
        :func:`choose_search`.
    exclude_self : bool
        Whether the queries are the rows themselves, and no row is its own neighbor.
    n_jobs : int, optional
        Number of threads. If None, as many as OpenMP may use.

    Returns
    -------
    Neighbors
        ``rows``, ``distances`` and ``recall``, which is 1 for an exact search, and else measured on 400 queries.

    See Also
    --------
    neighbor_graph : The graph of nearest neighbors.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.graphs import Euclidean, neighbors
    >>> neighbors(Euclidean(np.array([[0.0], [1.0], [5.0]])), 1).rows.ravel()
    array([1, 0, 1])
    """
    method = choose_search(
        search,
        distances.n_queries,
        distances.n,
        distances.width,
        allow_tree=isinstance(distances, Euclidean) and not (farthest or resolution),
        dense=distances.dense,
    )
    with stage("searching for neighbors"):
        if method is SearchMethod.TREE and isinstance(distances, Euclidean):
            return tree_search(distances, n_neighbors, exclude_self=exclude_self, n_jobs=n_jobs)
        if method is SearchMethod.APPROXIMATE:
            approximate = approximate_farthest if farthest else approximate_nearest
            return approximate(distances, n_neighbors, resolution=resolution, exclude_self=exclude_self, n_jobs=n_jobs)
        if use_symmetry(distances, exclude_self=exclude_self):
            return symmetric_search(distances, n_neighbors, farthest=farthest, resolution=resolution, n_jobs=n_jobs)
        return exact_search(
            distances,
            n_neighbors,
            farthest=farthest,
            resolution=resolution,
            exclude_self=exclude_self,
            n_jobs=n_jobs,
        )


def ranked_neighbors(
    distances: Distances, n_neighbors: int, *, farthest: bool = False, search: str = "auto", n_jobs: int | None = None
) -> tuple[Neighbors, float]:
    """Neighbors by distances rounded to a millionth of the largest, and the largest distance (1 if all are 0).

    Rounding prevents rows that coincide from being ranked by rounding errors: rows of a collapsed group are ranked by
    their distances before the collapse. The result does not depend on the order of the rows. If the search is
    approximate, the largest distance is that among the rows farthest from the mean.
    """
    sizes = distances.n_queries, distances.n, distances.width
    method = choose_search(search, *sizes, allow_tree=False, dense=distances.dense)
    approximate = method is SearchMethod.APPROXIMATE
    with stage("searching for the largest distance"):
        largest = largest_distance(distances, approximate=approximate, n_jobs=n_jobs) or 1.0
    found = neighbors(
        distances, n_neighbors, farthest=farthest, resolution=RESOLUTION * largest, search=search, n_jobs=n_jobs
    )
    return found, largest


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
    """The graph that joins each row with its ``n_neighbors`` nearest rows.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
    n_neighbors : int
    symmetry : {"union", "mean"}
        ``"union"``: weight 1 if either row is among the nearest neighbors of the other. ``"mean"``: the mean of both
        directions, each of weight ``1/n_neighbors``.
    metric : {"euclidean", "cosine"}
    search, n_jobs
        As for :func:`neighbors`; warns if "auto" selects the approximate search.

    Returns
    -------
    RowMatrix

    See Also
    --------
    neighbors : The neighbors themselves, with distances and recall.

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
            f"{X.shape[0]} × {X.shape[1]} values are too many for an exact search by default, so neighbors are "
            f"approximate, with a recall of {found.recall:.0%} on a sample. "
            'Use likewise.graphs.neighbor_graph(X, n_neighbors, search="exact") to find all.',
            stacklevel=2,
        )
    return graph_of(found, symmetry)


def graph_of(found: Neighbors, symmetry: Literal["union", "mean"] = "union") -> RowMatrix:
    """The graph that joins each row with its neighbors; ``symmetry`` as for :func:`neighbor_graph`."""
    n, n_neighbors = found.rows.shape
    ends = np.arange(0, found.rows.size + 1, n_neighbors)
    directed = sparse.csr_array((np.ones(found.rows.size), found.rows.ravel(), ends), shape=(n, n))
    if symmetry == "union":
        return RowMatrix(directed.maximum(directed.T))
    return RowMatrix((directed + directed.T) * (0.5 / n_neighbors))


def pairs_of(found: Neighbors) -> tuple[IntArray, FloatArray]:
    """The unique pairs i < j of a row and one of its neighbors, and their distances."""
    n, k = found.rows.shape
    head, tail = np.repeat(np.arange(n), k), found.rows.ravel()
    low, high = np.minimum(head, tail), np.maximum(head, tail)
    _, first = np.unique(low * n + high, return_index=True)
    return np.column_stack([low[first], high[first]]), found.distances.ravel()[first]
