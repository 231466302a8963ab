"""Diffusion map of the graph of nearest neighbors."""

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
"""With ``n_neighbors="auto"``, a row has at most a sixth of all rows as neighbors."""

SMOOTH = 0.05
"""Eigenvectors with smaller eigenvalues vary between neighbors, and carry no information about clusters."""


def _check_walk(model: Any) -> None:
    n, r = model._near.n, model.n_components_
    check_shape(model._near._rows, (n, model.n_features_in_), "_rows")
    check_shape(model._walk, (n, r), "_walk")
    check_shape(model.embedding_, (n, r), "embedding_")
    check_shape(model.eigenvalues_, (r,), "eigenvalues_")
    check_shape(model._row_hashes, (n,), "_row_hashes", "u")


class GraphFeatures(SuggestsParameters, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Coordinates of rows in their graph of nearest neighbors (a diffusion map).

    Use it before a linear projection to learn from hints in a nonlinear space. It suits curved clusters (images,
    signals, speech) and text; for few round clusters the columns themselves work as well.

    With W the weights between neighbors, D their row sums, and λ and v the leading eigenpairs of D^-½ W D^-½, the
    coordinates of a row are

    .. math:: \\frac{v_1}{1 - r \\lambda_1}, \\frac{v_2}{1 - r \\lambda_2}, \\dots
              \\qquad\\text{scaled to unit length.}

    A random walk on the graph that continues with probability r at every step visits rows in proportion to
    Σ (rλ)ᵗ = 1/(1 − rλ): two rows are close if random walks from them visit the same rows.

    Parameters
    ----------
    n_components : int
        Maximum number of eigenvectors; those that are not smooth (λ ≤ 0.05) are left out.
    n_neighbors : "auto" or int
        Number of neighbors of each row. "auto" is 10, or 20 for the cosine metric, limited to a sixth of the rows,
        though not below 2.
    metric : {"auto", "euclidean", "cosine"}
        Euclidean neighbors are weighted as by UMAP, and neighbors by cosine with their cosine. "auto" is cosine for
        sparse X.
    reach : float in [0, 1)
        r, the probability that a random walk continues.
    search : {"auto", "exact", "approximate"}
        How to search neighbors; "auto" is exact if that is feasible (:func:`~likewise.graphs.choose_search`).

    Attributes
    ----------
    embedding_ : (n, n_components_) array
        The coordinates of the rows of ``fit``.
    eigenvalues_ : (n_components_,) array
    n_components_ : int
    n_parts_ : int
        Number of connected components of the graph. Each has an indicator vector among the eigenvectors, up to
        ``n_components``.
    graph_ : (n, n) CSR array
        W.
    recall_ : float
        The share of true neighbors in the graph: 1 if the search was exact, otherwise measured on 400 rows.

    Notes
    -----
    New rows are embedded by the Nyström formula: the weighted mean of their neighbors, with each coordinate divided by
    its λ. A new row that coincides with a row of ``fit`` has the same coordinates. The coordinates of a row without any
    neighbor (such as a text without a known word) are zeros.

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
        """Compute the graph of nearest neighbors and its leading eigenvectors.

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
        """Compute the graph of nearest neighbors, and return the coordinates of the rows.

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
        # v / √degree: the weighted mean over neighbors multiplies it by λ. Rows are scaled to unit length afterward.
        root = np.sqrt(degrees)[:, None]
        V = np.divide(V[:, smooth], root, out=np.zeros((len(V), self.n_components_)), where=root > 0)
        self._walk = V / (1.0 - self.reach * self.eigenvalues_)
        self.embedding_ = unit_length(self._walk).astype(X.dtype, copy=False)
        self._row_hashes = hash_rows(X, X.dtype)
        return self.embedding_

    @lazily
    def transform(self, X: Any) -> NDArray[Any]:
        """The coordinates of new rows, from their nearest neighbors among the rows of ``fit``.

        Parameters
        ----------
        X : (m, f) array, sparse matrix, data frame or Dask collection

        Returns
        -------
        (m, r) array
            For a row of ``fit``, its row of ``embedding_``.
        """
        check_is_fitted(self)
        X = validate_rows(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=False)
        if sparse.issparse(X) is self._near.dense:  # use the format of the rows of fit
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
                    f"n_neighbors={count}, but with n_samples={n} a row has only {n - 1} others. Use fewer, or "
                    'pass n_neighbors="auto".'
                )
            return count
        return min(n - 1, max(2, min(NEIGHBORS[metric], n // SHARE)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
