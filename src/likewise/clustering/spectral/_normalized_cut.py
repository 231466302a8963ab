"""Normalized cut: the unsupervised spectral clustering that the constrained ones start from."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils import Tags, check_random_state

from ..._method import CUT, Method
from ..._progress_legacy import part
from ..._sklearn import Interval, StrOptions
from ...constraints import Constraints
from ...graphs._kernel import DELTA
from ...linalg._eigen import connected_parts, largest_eigenpairs, leading_pairs, normalized, unit_length
from .._base import Clusterer
from ._affinity import AFFINITIES, affinity_graph
from ._embedding import partition_rows

Array = np.ndarray


class NormalizedCut(Clusterer):
    """Cut a graph of likeness where it is thinnest, into parts of comparable weight.

    Prefer it to k-means for clusters that are curved or of uneven spread, and as the base of everything spectral here;
    it hears no hints (:class:`ConstrainedNormalizedCut` does). For text use ``affinity="cosine"``.

    With K the affinities and D their row sums, the cut of the clusters C_1, ..., C_k

    .. math:: \\sum_c \\frac{\\sum_{i \\in C_c, j \\notin C_c} K_{ij}}{\\sum_{i \\in C_c} D_{ii}}

    is relaxed to the k leading eigenvectors of D^-½ K D^-½, whose rows k-means then clusters.

    Parameters
    ----------
    n_clusters : int
    affinity : {"nearest_neighbors", "cosine", "rbf", "precomputed"}
        Weight 1, the cosine, exp(−d²/2δ²), or X itself, (n, n), dense or sparse. A row is never like itself: whatever
        the diagonal holds is left out, for among small affinities a self-loop of 1 swamps the degrees.
    n_neighbors : int or None
        Rows are connected if one is among the so many nearest of the other. None connects all pairs ("cosine" and
        "rbf" only; n × n memory).
    delta : "median" or float
        δ of "rbf": the median distance, or a number. Narrow kernels shatter the graph.
    normalization : {"ng-jordan-weiss", "shi-malik"}
        Rows of the eigenvectors brought to unit length, or divided by √degree.
    n_init : int
        Starts of the k-means.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : (n,) int array
    embedding_ : (n, n_clusters) array
        What k-means saw.
    affinity_matrix_ : (n, n) CSR or dense array
    n_parts_ : int
        Connected parts of the graph, rows without a neighbor not counted.
    n_iter_ : int
        Iterations of the best k-means.

    Notes
    -----
    Where the graph falls into parts, cutting between them is free. Up to ``n_clusters`` parts, each is in the embedding
    with its own indicator and the remaining vectors go to whichever part is cut most cheaply. Beyond, the parts of
    largest total affinity become the clusters and all other rows join the largest of these, as do rows without any
    neighbor at all.

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
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "affinity": [StrOptions(set(AFFINITIES))],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "delta": DELTA,
        "normalization": [StrOptions({"ng-jordan-weiss", "shi-malik"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
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

    def _cluster(self, X: Any, constraints: Constraints) -> Array:
        with part(0, 0.75):
            K = affinity_graph(X, self.affinity, self.n_neighbors, self.delta)
        self.affinity_matrix_ = K
        degrees = np.asarray(K.sum(axis=1)).ravel()
        graph, operator = self._graph(K, degrees, constraints)
        parts = connected_parts(graph, degrees)
        self.n_parts_ = len(parts)

        def further(rows: Array, count: int) -> tuple[Array, Array]:
            first = np.sqrt(degrees[rows] / degrees[rows].sum())
            return largest_eigenpairs(operator(rows), first, count)

        with part(0.75, 0.95):
            _, V = leading_pairs(parts, degrees, self.n_clusters, further)
        self.embedding_ = unit_length(V) if self.normalization == "ng-jordan-weiss" else _per_degree(V, degrees)
        rng = check_random_state(self.random_state)
        with part(0.95, 1):
            labels, self.n_iter_ = partition_rows(self.embedding_, self.n_clusters, self.n_init, rng)
        return self._place_rest(labels, constraints)

    def _graph(self, K: Any, degrees: Array, constraints: Constraints) -> tuple[Any, Any]:
        """What connects rows, and a function from some rows to their matrix, whose largest eigenvalue is 1."""

        def operator(rows: Array) -> Any:
            inside = K if len(rows) == len(degrees) else K[rows][:, rows]
            return normalized(inside, degrees[rows])

        return sparse.csr_array(K), operator

    def _place_rest(self, labels: Array, constraints: Constraints) -> Array:
        """Rows that no vector reaches join the largest cluster."""
        return np.where(labels < 0, np.bincount(labels[labels >= 0]).argmax(), labels)

    def _accepts(self) -> dict[str, Any]:
        return {**super()._accepts(), "ensure_min_samples": 2}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags


def _per_degree(V: Array, degrees: Array) -> Array:
    return np.divide(V, np.sqrt(degrees)[:, None], out=np.zeros_like(V), where=degrees[:, None] > 0)
