"""Coordinates of rows in their neighbor graph, in which curved clusters are round."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._estimator import check_magnitude, validate_rows
from .._parameters import SuggestsParameters
from .._progress import stage
from .._saved import Saved, check_shape
from .._sklearn import POSITIVE_INT, Interval, StrOptions, _fit_context
from ..chunked._lazy import lazily
from ..graphs._fuzzy import Nearness
from ..graphs._neighbors import SEARCH
from ..linalg._eigen import graph_eigenpairs, unit_length
from ._known_rows import find_rows, hash_rows

NEIGHBORS = {"euclidean": 10, "cosine": 20}
SHARE = 6
"""A row has at most a sixth of all rows as neighbors."""

SMOOTH = 0.05
"""Eigenvectors with a smaller eigenvalue change from each row to the next, and say nothing of clusters."""


def _check_walk(model: Any) -> None:
    n, r = model._near.n, model.n_components_
    check_shape(model._near._rows, (n, model.n_features_in_), "_rows")
    check_shape(model._walk, (n, r), "_walk")
    check_shape(model.embedding_, (n, r), "embedding_")
    check_shape(model.eigenvalues_, (r,), "eigenvalues_")
    check_shape(model._row_hashes, (n,), "_row_hashes", "u")


class GraphFeatures(SuggestsParameters, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Coordinates of rows in their graph of nearest neighbors (a diffusion map).

    Put it in front of any linear projection: hints are then learned linearly, in a space that is not linear. Prefer it
    for curved clusters (images, signals, speech) and for text; where clusters are round and few, the columns themselves
    do as well.

    With W the weights between near rows and D their row sums, λ and v the leading eigenpairs of D^-½ W D^-½, the
    coordinates of a row are

    .. math:: \\frac{v_1}{1 - r \\lambda_1}, \\frac{v_2}{1 - r \\lambda_2}, \\dots
              \\qquad\\text{brought to unit length.}

    A random walk on the graph that goes on with probability r at every step visits rows in proportion to
    Σ (rλ)ᵗ = 1/(1 − rλ): two rows are close if walks from them see the same rows.

    Parameters
    ----------
    n_components : int
        Eigenvectors, at most; those that are not smooth (λ ≤ 0.05) are left out.
    n_neighbors : "auto" or int
        "auto" is 10, or 20 by cosine; never more than a sixth of the rows (but two, where there are three rows).
    metric : {"auto", "euclidean", "cosine"}
        Euclidean neighbors get UMAP's fuzzy weights, neighbors by cosine weigh their cosine. "auto" is cosine for
        sparse X.
    reach : float in [0, 1)
        r: how far walks go.
    search : {"auto", "exact", "approximate"}
        How neighbors are found; "auto" is exact where that is feasible (:func:`~likewise.graphs.choose_search`).

    Attributes
    ----------
    embedding_ : (n, n_components_) array
        The coordinates of the rows of ``fit``.
    eigenvalues_ : (n_components_,) array
    n_components_ : int
    n_parts_ : int
        Connected parts of the graph. Each has its indicator among the coordinates, as far as they go.
    graph_ : (n, n) CSR array
        W.
    recall_ : float
        The share of true neighbors in the graph: 1 where the search was exact, else measured on 400 rows.

    Notes
    -----
    New rows are placed by Nyström's formula: the mean of the rows near them, by the same weights, each coordinate
    divided by its λ. A new row that coincides with one of ``fit`` has the coordinates of that one. A row without any
    neighbor (a text without a known word) has only zeros.

    References
    ----------
    R. Coifman, S. Lafon: Diffusion maps, Applied and Computational Harmonic Analysis 21, 2006. L. McInnes, J. Healy,
    J. Melville: UMAP, arXiv 1802.03426, 2018, for the weights.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.datasets import make_circles
    >>> from likewise import GraphFeatures
    >>> X, y = make_circles(200, factor=0.3, noise=0.05, random_state=0)
    >>> labels = KMeans(2, n_init=10, random_state=0).fit_predict(GraphFeatures(n_components=2).fit_transform(X))
    >>> bool(((labels == y).mean() - 0.5) ** 2 == 0.25)
    True
    """

    _saved: ClassVar[Saved] = Saved(
        ("_walk", "eigenvalues_", "embedding_", "n_components_", "n_parts_", "n_features_in_", "_n_features_out",
         "_row_hashes"),
        parts={"_near": Nearness},
        check=_check_walk,
    )  # fmt: skip
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": [POSITIVE_INT],
        "n_neighbors": [StrOptions({"auto"}), POSITIVE_INT],
        "metric": [StrOptions({"auto", "euclidean", "cosine"})],
        "reach": [Interval(Real, 0, 1, closed="left")],
        "search": SEARCH,
    }

    def __init__(
        self,
        n_components: int = 60,
        *,
        n_neighbors: int | str = "auto",
        metric: str = "auto",
        reach: float = 0.95,
        search: str = "auto",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.reach = reach
        self.search = search

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the neighbors of each row and the leading eigenvectors of their graph.

        Parameters
        ----------
        X : (n, f) array, sparse matrix or data frame
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X: Any, y: Any = None) -> NDArray[Any]:
        """Find the neighbors of each row, and return the coordinates of the rows.

        Parameters
        ----------
        X : (n, f) array, sparse matrix or data frame
        y : ignored

        Returns
        -------
        (n, r) array
        """
        X = validate_rows(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), ensure_min_samples=2)
        check_magnitude(X)
        metric = self.metric if self.metric != "auto" else "cosine" if sparse.issparse(X) else "euclidean"
        self._near = Nearness(X, self._count(X.shape[0], metric), metric, self.search)
        with stage("searching neighbors"):
            self.graph_ = self._near.graph()
        self.recall_ = self._near.recall
        degrees = np.asarray(self.graph_.sum(axis=1)).ravel()
        with stage("eigenvectors of the neighbor graph"):
            values, V, self.n_parts_ = graph_eigenpairs(self.graph_, degrees, min(self.n_components, X.shape[0]))
        smooth = values > SMOOTH
        smooth[0] = True
        self.eigenvalues_ = values[smooth]
        self.n_components_ = self._n_features_out = len(self.eigenvalues_)
        # v / √degree: what a mean of neighbors keeps, up to λ; the length of a row does not matter in the end.
        root = np.sqrt(degrees)[:, None]
        V = np.divide(V[:, smooth], root, out=np.zeros((len(V), self.n_components_)), where=root > 0)
        self._walk = V / (1.0 - self.reach * self.eigenvalues_)
        self.embedding_ = unit_length(self._walk).astype(X.dtype, copy=False)
        self._row_hashes = hash_rows(X, X.dtype)
        return self.embedding_

    @lazily
    def transform(self, X: Any) -> NDArray[Any]:
        """The coordinates of new rows, from the rows of ``fit`` that are near them.

        Parameters
        ----------
        X : (m, f) array, sparse matrix, data frame or Dask collection

        Returns
        -------
        (m, r) array
            Of a row of ``fit``, its own coordinates.
        """
        check_is_fitted(self)
        X = validate_rows(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=False)
        if sparse.issparse(X) is self._near.dense:  # as the rows of fit were
            X = X.toarray() if self._near.dense else sparse.csr_array(X)
        weights = self._near.of(X)
        total = np.asarray(weights.sum(axis=1)).ravel()
        mean = sparse.diags_array(np.divide(1, total, out=np.zeros_like(total), where=total > 0)) @ weights @ self._walk
        found = unit_length(mean / np.maximum(self.eigenvalues_, SMOOTH))
        row = find_rows(hash_rows(X, self.embedding_.dtype), self._row_hashes)
        found[row >= 0] = self.embedding_[row[row >= 0]]
        return found.astype(X.dtype, copy=False)

    def _count(self, n: int, metric: str) -> int:
        if self.n_neighbors != "auto":
            count = int(self.n_neighbors)
            if count >= n:
                raise ValueError(
                    f"n_neighbors={count}, but with n_samples={n} a row has only {n - 1} others. Ask for fewer, or "
                    'pass n_neighbors="auto".'
                )
            return count
        return min(n - 1, max(2, min(NEIGHBORS[metric], n // SHARE)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
