"""LPP with side information, plain and with a kernel."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.validation import check_is_fitted

from .._method import NEIGHBORS, Method, Needs
from .._saved import Saved, check_shape, check_width
from .._sklearn import POSITIVE_INT, StrOptions
from ..constraints import Constraints
from ..forms import Form, laplacian
from ..graphs import RowMatrix, cannot_link_graph, must_link_graph, neighbors
from ..graphs._distances import Euclidean
from ..graphs._kernel import DELTA, resolve_delta
from ..graphs._neighbors import N_JOBS, SEARCH, check_n_neighbors, graph_of
from ..linalg._products import product
from ..pencil import Pencil
from ._base import RIDGE, Projection
from ._lpp import locality_ridge


def _check_components(model: Any) -> None:
    n_features = model.n_features_in_
    if model.kernel != "linear":
        n_features, n_columns = model.X_fit_.shape
        check_width(model.delta_, "delta_")
        if n_columns != model.n_features_in_:
            raise ValueError(f"the rows of fit have {n_columns} columns, the model {model.n_features_in_}")
    check_shape(model.components_, (model.n_components_, n_features), "components_")


class LPPSI(Projection):
    """LPP with side information: the neighbor graph, corrected by must-links (+1) and cannot-links (−1).

    .. math:: \\min_w \\frac{w^T X^T (D - W) X w}{w^T X^T X w}, \\quad
              W_{ij} = b_{ij} \\text{ must-linked},\\; -b_{ij} \\text{ cannot-linked},\\; 1 \\text{ neighbors},\\; 0

    where :math:`b_{ij}` is the weight of a constraint. With a kernel, the rows of the kernel matrix take the place of
    the data, and new rows are projected through their kernel values with the rows seen in ``fit``.

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, all that exist.
    n_neighbors : int
    kernel : {"linear", "rbf"}
        "linear" uses the data as they are; "rbf" uses K = exp(−d²/2δ²).
    delta : "median" or float
        The width of the kernel; "median" is the median distance between rows.
    ridge : "auto" or float
        Added to the diagonal of both forms, relative to the mean diagonal entry of XᵀX. "auto": 0.01 if there are at
        least as many features as rows (so always with a kernel), else 0.
    scaling : {"form", "unit"}
    search : {"auto", "exact", "approximate"}
        How to search for neighbors; see :func:`~likewise.graphs.choose_search` for "auto".
    n_jobs : int, optional
        Number of threads of the neighbor search. If None, as many as OpenMP may use.

    Attributes
    ----------
    delta_ : float
        The width that was used; only with kernel="rbf".
    recall_ : float
        Recall of the neighbor search: 1 if it was exact, else measured on 400 rows.

    References
    ----------
    S. An, W. Liu, S. Venkatesh: Exploiting side information in locality preserving projection, CVPR 2008. The papers
    that compare with it give no formula; this is our interpretation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import LPPSI, Constraints
    >>> X, y = load_iris(return_X_y=True)
    >>> hints = Constraints.sample(y, "per_class", 10, random_state=0)
    >>> LPPSI(n_components=2, kernel="rbf").fit_transform(X, constraints=hints).shape
    (150, 2)
    """

    _method: ClassVar[Method] = Method(
        "lppsi",
        prefer="a baseline: neighbors, corrected by constraints",
        paper="An, Liu, Venkatesh 2008",
        needs=Needs.ANY_CONSTRAINT,
        cost=NEIGHBORS,
    )
    _saved: ClassVar[Saved] = Projection._saved.extended(optional=("X_fit_", "delta_"), check=_check_components)
    _published: ClassVar[dict[str, Any]] = {"ridge": 0.0, "scaling": "form"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": Projection._parameter_constraints["n_components"],
        "scaling": [StrOptions({"unit", "form"})],
        "n_neighbors": [POSITIVE_INT],
        "kernel": [StrOptions({"linear", "rbf"})],
        "delta": DELTA,
        "ridge": RIDGE,
        "search": SEARCH,
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        n_neighbors: int = 5,
        kernel: str = "linear",
        delta: float | str = "median",
        ridge: float | str = "auto",
        scaling: str = "form",
        search: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_components, scaling=scaling)
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.delta = delta
        self.ridge = ridge
        self.search = search
        self.n_jobs = n_jobs

    def _components(self, X: Any, constraints: Constraints) -> np.ndarray:
        if self.kernel == "rbf":
            self.X_fit_ = X
            self.delta_ = resolve_delta(self.delta, X)
        return super()._components(X, constraints)

    def _features(self, X: Any) -> Any:
        if self.kernel == "linear":
            return X
        return np.exp(euclidean_distances(X, self.X_fit_, squared=True) * (-0.5 / self.delta_**2))

    def _pencil(self, X: Any, constraints: Constraints) -> Pencil:
        check_n_neighbors(self.n_neighbors, X.shape[0])
        found = neighbors(Euclidean(X), self.n_neighbors, search=self.search, n_jobs=self.n_jobs)
        self.recall_ = found.recall
        graph = side_information_graph(graph_of(found), constraints)
        push = Form(RowMatrix.diag(np.ones(X.shape[0])))
        cost = locality_ridge(self.ridge, push, self._features(X))
        return Pencil(pull=laplacian(graph, signed=True) + cost, push=push + cost)

    def _transform(self, X: Any) -> np.ndarray:
        if self.kernel == "linear":
            return super()._transform(X)
        rows = self._new_rows(X, ensure_all_finite=True)  # exp(−inf) = 0 would hide infinite values
        return np.asarray(product(self._features(rows), self.components_.T), dtype=rows.dtype)

    def top_features(self, component: int, n: int = 10, feature_names: Any = None) -> list[tuple[str, float]]:
        """As for other projections with kernel="linear"; an error with another kernel, which has no weights."""
        check_is_fitted(self)
        if self.kernel != "linear":
            raise ValueError(
                f"{type(self).__name__} with kernel={self.kernel!r} has no weights on features, only on the rows seen "
                "in fit. Use kernel='linear'."
            )
        return super().top_features(component, n, feature_names)


def side_information_graph(near: RowMatrix, constraints: Constraints) -> RowMatrix:
    """The 0/1 neighbor graph, with the entries of constrained pairs replaced by their constraints."""
    links = must_link_graph(constraints) - cannot_link_graph(constraints)
    left, right = near.sparse.nonzero()
    is_free = links.entries(left, right) == 0
    edges = near.sparse.tocoo()
    kept = type(edges)((edges.data[is_free], (left[is_free], right[is_free])), shape=edges.shape)
    return RowMatrix(kept) + links
