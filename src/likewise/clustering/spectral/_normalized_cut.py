"""Normalized cut: affinities, leading eigenvectors, and k-means on their rows."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import normalize
from sklearn.utils import Tags, check_random_state

from ..._arrays import FloatArray, IntArray, slices
from ..._method import CUT, Method
from ..._progress import stage
from ..._sklearn import POSITIVE_INT, StrOptions
from ...constraints import Constraints
from ...graphs import RowMatrix, neighbor_graph
from ...graphs._kernel import DELTA, median_distance
from ...linalg._eigen import graph_eigenpairs, normalized, unit_length
from ...linalg._products import without_zeros
from .._base import Clusterer

AFFINITIES = ("nearest_neighbors", "cosine", "rbf", "precomputed")

BLOCK_ENTRIES = 2**22
"""Number of values held at once while affinities are computed."""


class NormalizedCut(Clusterer):
    """Spectral clustering: cut the affinity graph into clusters of comparable weight with few connections between them.

    Prefer it to k-means for clusters that are not convex, or of different density. It does not use constraints
    (:class:`ConstrainedNormalizedCut` does). For text use ``affinity="cosine"``.

    With K the affinities and D their row sums, the cut of the clusters C_1, ..., C_k

    .. math:: \\sum_c \\frac{\\sum_{i \\in C_c, j \\notin C_c} K_{ij}}{\\sum_{i \\in C_c} D_{ii}}

    is relaxed to the k leading eigenvectors of D^-½ K D^-½, whose rows k-means then clusters.

    Parameters
    ----------
    n_clusters : int
    affinity : {"nearest_neighbors", "cosine", "rbf", "precomputed"}
        Weight 1, the cosine, exp(−d²/2δ²), or X itself, (n, n), dense or sparse. The diagonal is ignored, since
        self-loops of weight 1 would dominate the degrees if affinities are small.
    n_neighbors : int or None
        Two rows are connected if one is among this number of nearest neighbors of the other. None connects all pairs
        (only for "cosine" and "rbf"; n × n memory).
    delta : "median" or float
        δ of "rbf": the median distance, or a number. Narrow kernels disconnect the graph.
    normalization : {"ng-jordan-weiss", "shi-malik"}
        Whether to scale the rows of the eigenvectors to unit length, or divide them by √degree.
    n_init : int
        Number of initializations of k-means.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : (n,) int array
    embedding_ : (n, n_clusters) array
        The rows of the eigenvectors, on which k-means is run.
    affinity_matrix_ : (n, n) CSR or dense array
    n_parts_ : int
        Number of connected components of the graph, not counting rows without neighbors.
    n_iter_ : int
        Number of iterations of the best k-means run.

    Notes
    -----
    If the graph is not connected, cuts between components are free. With at most ``n_clusters`` components, each
    contributes its indicator to the embedding, and the remaining vectors cut the components with the lowest cost. With
    more, the components of largest total affinity are the clusters, and all other rows are assigned to the largest one,
    as are rows without neighbors.

    References
    ----------
    J. Shi, J. Malik: Normalized cuts and image segmentation, PAMI 2000. A. Ng, M. Jordan, Y. Weiss: On spectral
    clustering, NIPS 2001.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from likewise.clustering import NormalizedCut
    >>> X, y = make_circles(200, factor=0.3, noise=0.05, random_state=0)
    >>> labels = NormalizedCut(2, n_neighbors=8, random_state=0).fit_predict(X)
    >>> bool(((labels == y).mean() - 0.5) ** 2 == 0.25)
    True
    """

    _method: ClassVar[Method] = Method(
        "nc",
        prefer="a baseline for curved clusters",
        paper="Shi, Malik 2000; Ng, Jordan, Weiss 2001",
        uses_constraints=False,
        cost=CUT,
    )
    _published: ClassVar[dict[str, Any]] = {
        "affinity": "cosine",
        "n_neighbors": None,
        "normalization": "shi-malik",
    }
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [POSITIVE_INT],
        "affinity": [StrOptions(set(AFFINITIES))],
        "n_neighbors": [POSITIVE_INT, None],
        "delta": DELTA,
        "normalization": [StrOptions({"ng-jordan-weiss", "shi-malik"})],
        "n_init": [POSITIVE_INT],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: str = "nearest_neighbors",
        n_neighbors: int | None = 20,
        delta: float | str = "median",
        normalization: str = "ng-jordan-weiss",
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.delta = delta
        self.normalization = normalization
        self.n_init = n_init
        self.random_state = random_state

    def _cluster(self, X: Any, constraints: Constraints) -> IntArray:
        with stage("computing affinities"):
            K = affinity_graph(X, self.affinity, self.n_neighbors, self.delta)
        self.affinity_matrix_ = K
        degrees = np.asarray(K.sum(axis=1)).ravel()
        graph, operator = self._graph(K, degrees, constraints)
        with stage("computing eigenvectors"):
            _, V, self.n_parts_ = graph_eigenpairs(graph, degrees, self.n_clusters, operator)
        self.embedding_ = unit_length(V) if self.normalization == "ng-jordan-weiss" else _per_degree(V, degrees)
        rng = check_random_state(self.random_state)
        with stage("clustering"):
            labels, self.n_iter_ = partition_rows(self.embedding_, self.n_clusters, self.n_init, rng)
        return self._place_rest(labels, constraints)

    def _graph(self, K: Any, degrees: FloatArray, constraints: Constraints) -> tuple[Any, Any]:
        """The graph of connected rows, and a function from some rows to their matrix, with largest eigenvalue 1."""
        return sparse.csr_array(K), partial(normalized, K, degrees)

    def _place_rest(self, labels: IntArray, constraints: Constraints) -> IntArray:
        """Assign rows without a label (zero in all eigenvectors) to the largest cluster."""
        return np.where(labels < 0, np.bincount(labels[labels >= 0]).argmax(), labels)

    def _accepts(self) -> dict[str, Any]:
        return {**super()._accepts(), "ensure_min_samples": 2}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags


def _per_degree(V: FloatArray, degrees: FloatArray) -> FloatArray:
    return np.divide(V, np.sqrt(degrees)[:, None], out=np.zeros_like(V), where=degrees[:, None] > 0)


def affinity_graph(X: Any, affinity: str, n_neighbors: int | None, delta: float | str = "median") -> Any:
    """The symmetric affinities between rows, CSR, or dense if ``n_neighbors`` is None.

    Parameters
    ----------
    X : (n, f) array or CSR matrix; for "precomputed" the affinities themselves, (n, n)
    affinity : {"nearest_neighbors", "cosine", "rbf", "precomputed"}
        Weight 1, the cosine (0 where negative), or exp(−d²/2δ²).
    n_neighbors : int or None
        Two rows are connected if one is among this number of nearest neighbors of the other (all others, if there are
        fewer). None connects all pairs.
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
        return _check_affinities(X)
    if affinity == "nearest_neighbors" and n_neighbors is None:
        raise ValueError(
            'affinity="nearest_neighbors" needs n_neighbors, got None. Pass how many neighbors, or use "cosine" or '
            '"rbf", which can use all pairs.'
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
    return without_zeros(RowMatrix.from_pairs(X.shape[0], pairs, weights).sparse)


def _all_pairs(rows: Any, affinity: str, delta: Any) -> FloatArray:
    if affinity == "cosine":
        K = rows @ rows.T
        K = np.maximum(K.toarray() if sparse.issparse(K) else K, 0.0).astype(np.float64)
    else:
        K = np.exp(euclidean_distances(rows, squared=True).astype(np.float64) * (-0.5 / delta**2))
    np.fill_diagonal(K, 0.0)
    return K


def _of_pairs(rows: Any, pairs: IntArray, affinity: str, delta: Any) -> FloatArray:
    """The affinity of each pair, one block of pairs at a time."""
    weights = np.empty(len(pairs))
    for block in slices(len(pairs), max(1, BLOCK_ENTRIES // rows.shape[1])):
        left, right = (rows[side] for side in pairs[block].T)
        if affinity == "cosine":
            product = left.multiply(right) if sparse.issparse(left) else left * right
            weights[block] = np.maximum(np.asarray(product.sum(axis=1)).ravel(), 0.0)
        else:
            apart = left - right
            apart = apart.power(2) if sparse.issparse(apart) else np.square(apart)
            weights[block] = np.exp(np.asarray(apart.sum(axis=1)).ravel() * (-0.5 / delta**2))
    return weights


def _check_affinities(K: Any) -> Any:
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
        return without_zeros(K - sparse.diags_array(K.diagonal()))
    np.fill_diagonal(K, 0.0)
    return K


def partition_rows(V: FloatArray, n_clusters: int, n_init: int, random_state: Any) -> tuple[IntArray, int]:
    """Labels by k-means on the rows of V, and the number of iterations; −1 for zero rows."""
    reached = np.flatnonzero(V.any(axis=1))
    if len(reached) < n_clusters:
        raise ValueError(
            f"only {len(reached)} of {len(V)} rows have an affinity to any other, too few for n_clusters={n_clusters}. "
            "Use fewer clusters, more neighbors, or a wider kernel."
        )
    means = KMeans(n_clusters, n_init=n_init, random_state=random_state).fit(V[reached])
    labels = np.full(len(V), -1)
    labels[reached] = means.labels_
    return labels, means.n_iter_
