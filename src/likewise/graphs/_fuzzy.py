"""Weighted neighbor graphs, as in UMAP."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray
from .._saved import Saved
from ._neighbors import distances_by, neighbors

N_HALVINGS = 40
"""Number of bisection steps for the width of each row's neighborhood."""

MIN_WIDTH = 1e-3
"""Smallest width, relative to the mean distance of the row's neighbors, for rows with coinciding neighbors."""


def fuzzy_weights(distances: FloatArray) -> FloatArray:
    """Weights in [0, 1] between each row and its neighbors, as in UMAP: 1 for the nearest, less for the others.

    .. math:: w_{ij} = \\exp(-\\max(0, d_{ij} - \\rho_i) / \\sigma_i)

    where ρ is the smallest positive distance, and σ is such that the weights of a row sum to log₂ of the number of
    neighbors. So the weights of every row have the same sum, in dense and in sparse regions (McInnes, Healy and
    Melville 2018, Section 3.1).

    Parameters
    ----------
    distances : (n, k) array
        From each row to its k nearest others, ascending.

    Examples
    --------
    >>> import numpy as np
    >>> fuzzy_weights(np.array([[1.0, 2.0, 2.0, 3.0]])).round(2)
    array([[1.  , 0.41, 0.41, 0.17]])
    """
    k = distances.shape[1]
    # Distances of zero are duplicates; the nearest other row has the smallest positive distance.
    nearest = np.where(distances > 0, distances, np.inf).min(axis=1, initial=np.inf)
    beyond = np.maximum(distances - np.where(np.isfinite(nearest), nearest, 0.0)[:, None], 0.0)
    scale = distances.mean(axis=1)
    scale[scale == 0] = 1.0  # all neighbors coincide with the row: any width gives weight 1
    low, high = MIN_WIDTH * scale, 64.0 * k * scale
    for _ in range(N_HALVINGS):
        width = np.sqrt(low * high)
        narrow = np.exp(-beyond / width[:, None]).sum(axis=1) < np.log2(k)
        low, high = np.where(narrow, width, low), np.where(narrow, high, width)
    return np.asarray(np.exp(-beyond / low[:, None]))


def cosine_weights(distances: FloatArray) -> FloatArray:
    """Cosine similarities from cosine distances, with negative ones set to 0."""
    return np.maximum(1.0 - distances, 0.0)


def weight_matrix(weights: FloatArray, neighbors: IntArray, n: int) -> sparse.csr_array:
    """The weights as a sparse matrix with n columns and one row per row of ``neighbors``; zeros are not stored."""
    count, k = neighbors.shape
    bounds = np.arange(0, count * k + 1, k)
    matrix = sparse.csr_array((weights.ravel().astype(np.float64), neighbors.ravel(), bounds), shape=(count, n))
    matrix.eliminate_zeros()
    return matrix


def fuzzy_union(directed: sparse.csr_array) -> sparse.csr_array:
    """Make directed weights symmetric by the fuzzy union, a + b − ab."""
    return sparse.csr_array(directed + directed.T - directed.multiply(directed.T))


def larger_weight(directed: sparse.csr_array) -> sparse.csr_array:
    """Make directed weights symmetric by the maximum of both directions."""
    return sparse.csr_array(directed.maximum(directed.T))


def _check_nearness(near: Any) -> None:
    if near.metric not in ("euclidean", "cosine"):
        raise ValueError(f"rows are near by {near.metric!r}, which is neither 'euclidean' nor 'cosine'")
    if type(near.n_neighbors) is not int or not 0 < near.n_neighbors < max(near._rows.shape[0], 2):
        raise ValueError(f"{near._rows.shape[0]} rows cannot have {near.n_neighbors!r} neighbors each")
    near.__init__(near._rows, near.n_neighbors, near.metric)


class Nearness:
    """Weighted neighbor graph for one metric, for the rows themselves and for new rows.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    n_neighbors : int
        At most n − 1.
    metric : {"euclidean", "cosine"}
        Euclidean distances are converted by :func:`fuzzy_weights`; cosine similarities are used as weights.
    search : {"auto", "exact", "approximate"}
        As for :func:`~likewise.graphs.neighbors`; the search for new rows is always exact.

    Attributes
    ----------
    recall : float
        Recall of the neighbor search; 1 before :meth:`graph` is called.
    """

    _saved: ClassVar[Saved] = Saved(("_rows", "n_neighbors", "metric"), check=_check_nearness)

    def __init__(self, X: Any, n_neighbors: int, metric: str, search: str = "auto") -> None:
        self.n = X.shape[0]
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.search = search
        self.recall = 1.0
        self._weigh = fuzzy_weights if metric == "euclidean" else cosine_weights
        self._union = fuzzy_union if metric == "euclidean" else larger_weight
        self._rows = X
        self._distances = distances_by(metric, X)

    @property
    def dense(self) -> bool:
        """Whether the rows are dense."""
        return not sparse.issparse(self._rows)

    def graph(self) -> sparse.csr_array:
        """The symmetric weights between the rows, with a zero diagonal."""
        found = neighbors(self._distances, self.n_neighbors, search=self.search)
        self.recall = found.recall
        return self._union(weight_matrix(self._weigh(found.distances), found.rows, self.n))

    def of(self, X: Any) -> sparse.csr_array:
        """The weights between new rows and their nearest rows."""
        found = neighbors(self._distances.with_queries(X), self.n_neighbors, search="exact", exclude_self=False)
        return weight_matrix(self._weigh(found.distances), found.rows, self.n)
