"""LPP and its kin: projections that keep neighbors together."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from .._method import NEIGHBORS, PRODUCTS, Method, Needs
from .._saved import Saved
from .._sklearn import StrOptions
from ..constraints import Constraints
from ..forms import Form, degree, laplacian
from ..graphs import RowMatrix, cannot_link_graph, must_link_graph, neighbor_graph, neighbors
from ..graphs._bandwidth import DELTA, resolve_delta
from ..graphs._distances import Euclidean
from ..graphs._neighbors import N_JOBS, SEARCH, check_n_neighbors, graph_of
from ..pencil import Pencil
from ._base import POSITIVE_INT, RIDGE, ROUGH_TOL, Projection, relative_ridge


class LPP(Projection):
    """Locality preserving projection: neighbors stay neighbors. Takes no hints.

    The linear cousin of Laplacian eigenmaps, and the unsupervised base line of the graph methods here.

    .. math:: \\min_w \\frac{w^T X^T L X w}{w^T X^T D X w}

    where L = D − W is the Laplacian of the 0/1 graph that joins rows if either is among the other's nearest.

    Parameters
    ----------
    n_components : int, optional
        None: all there are.
    n_neighbors : int
    ridge : "auto" or float
        A cost on every feature, added to both forms, relative to the mean diagonal of XᵀDX. "auto": 0.01 when
        features are at least as many as rows, else 0.
    over : {"sum", "push"}
        "push" divides by XᵀDX on its range, as published.
    scaling : {"form", "unit", "share"}
    search : {"auto", "exact", "approximate", "faiss"}
        How neighbors are found; "auto" is exact where that is feasible (:func:`~likewise.graphs.choose_search`).
        "faiss" is approximate by the package of that name: ``pip install "likewise[ann]"``.
    n_jobs : int, optional
        Threads that look for neighbors. None: as many as OpenMP may use.

    Attributes
    ----------
    recall_ : float
        The share of true neighbors in the graph: 1 where the search was exact, else measured on 400 rows.

    References
    ----------
    X. He, P. Niyogi: Locality preserving projections, NIPS 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import LPP
    >>> LPP(n_components=2).fit_transform(load_iris().data).shape
    (150, 2)
    """

    _method: ClassVar[Method] = Method(
        "lpp",
        prefer="a baseline: neighbors stay neighbors",
        paper="He, Niyogi 2003",
        uses_constraints=False,
        cost=NEIGHBORS,
    )
    _tol = ROUGH_TOL
    _published: ClassVar[dict[str, Any]] = {"ridge": 0.0, "over": "push", "scaling": "form"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Projection._parameter_constraints,
        "n_neighbors": [POSITIVE_INT],
        "ridge": RIDGE,
        "over": [StrOptions({"sum", "push"})],
        "search": SEARCH,
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        n_neighbors: int = 5,
        ridge: float | str = "auto",
        over: str = "sum",
        scaling: str = "form",
        search: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_components, scaling=scaling)
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.over = over
        self.search = search
        self.n_jobs = n_jobs

    def _pencil(self, X: Any, constraints: Constraints) -> Pencil:
        check_n_neighbors(self.n_neighbors, X.shape[0])
        found = neighbors(Euclidean(X), self.n_neighbors, search=self.search, n_jobs=self.n_jobs)
        self.recall_ = found.recall
        return self._locality(X, graph_of(found))

    def _locality(self, X: Any, graph: RowMatrix) -> Pencil:
        push = degree(graph)
        cost = relative_ridge(self.ridge, push, X)
        return Pencil(pull=laplacian(graph) + cost, push=push + cost, over=self.over)


class SLPP(LPP):
    """Supervised LPP: the graph of closed must-links in the place of the neighbor graph.

    Rows of one group stay together; rows that nobody spoke of do not count at all. That is its weakness: with few
    must-links it collapses. Prefer :class:`LPPSI` or :class:`DSP`, which keep the neighbors.

    .. math:: \\min_w \\frac{w^T X^T L_M X w}{w^T X^T D_M X w}

    where L_M and D_M belong to the graph of must-links after transitive closure, weighted by belief.

    Parameters
    ----------
    n_components : int, optional
        None: all there are.
    ridge : "auto" or float
    over : {"sum", "push"}
    scaling : {"form", "unit", "share"}
        See :class:`LPP`.

    References
    ----------
    D. Cai, X. He: Orthogonal locality preserving indexing, SIGIR 2005; compared in the DSP paper, Section 5.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import SLPP, Constraints
    >>> X, y = load_iris(return_X_y=True)
    >>> hints = Constraints.sample(y, "per_class", 20, random_state=0)
    >>> SLPP(n_components=2).fit_transform(X, constraints=hints).shape
    (150, 2)
    """

    _method: ClassVar[Method] = Method(
        "slpp", prefer="a baseline: the must-link graph", paper="Cai, He 2005", needs=Needs.MUST_LINK, cost=PRODUCTS
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        name: rule
        for name, rule in LPP._parameter_constraints.items()
        if name not in ("n_neighbors", "search", "n_jobs")
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        ridge: float | str = "auto",
        over: str = "sum",
        scaling: str = "form",
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.over = over
        self.scaling = scaling

    def _pencil(self, X: Any, constraints: Constraints) -> Pencil:
        return self._locality(X, must_link_graph(constraints, closed=True))


class LPPSI(Projection):
    """LPP with side information: the neighbor graph, corrected by must-links (+1) and cannot-links (−1).

    .. math:: \\min_w \\frac{w^T X^T (D - W) X w}{w^T X^T X w}, \\quad
              W_{ij} = b_{ij} \\text{ must-linked},\\; -b_{ij} \\text{ cannot-linked},\\; 1 \\text{ neighbors},\\; 0

    where b is the belief in a hint, which counts as given. With a kernel the same is done on the rows of the kernel
    matrix, and a new row is placed by its kernel values with the rows seen in ``fit``.

    Parameters
    ----------
    n_components : int, optional
        None: all there are.
    n_neighbors : int
    kernel : {"linear", "rbf"}
        "linear" is the plain method; "rbf" works on K = exp(−d²/2δ²).
    delta : "median" or float
        The width of the kernel; "median" is the median distance between rows.
    ridge : "auto" or float
        A cost on every feature, added to both forms, relative to the mean diagonal of XᵀX. "auto": 0.01 when
        features are at least as many as rows (so always with a kernel), else 0.
    scaling : {"form", "unit"}

    Attributes
    ----------
    delta_ : float
        The width used; only with kernel="rbf".

    References
    ----------
    S. An, W. Liu, S. Venkatesh: Exploiting side information in locality preserving projection, CVPR 2008. The papers
    that compare with it give no formula; this is our reading.

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
    _saved: ClassVar[Saved] = Projection._saved.extended(optional=("X_fit_", "delta_"))
    _published: ClassVar[dict[str, Any]] = {"ridge": 0.0, "scaling": "form"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": Projection._parameter_constraints["n_components"],
        "scaling": [StrOptions({"unit", "form"})],
        "n_neighbors": [POSITIVE_INT],
        "kernel": [StrOptions({"linear", "rbf"})],
        "delta": DELTA,
        "ridge": RIDGE,
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
    ) -> None:
        super().__init__(n_components, scaling=scaling)
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.delta = delta
        self.ridge = ridge

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
        graph = side_information_graph(X, constraints, self.n_neighbors)
        push = Form(RowMatrix.diag(np.ones(X.shape[0])))
        cost = relative_ridge(self.ridge, push, self._features(X))
        return Pencil(pull=laplacian(graph, signed=True) + cost, push=push + cost)


def side_information_graph(X: Any, constraints: Constraints, n_neighbors: int) -> RowMatrix:
    """The 0/1 neighbor graph; where a hint was given, the hint instead."""
    near = neighbor_graph(X, n_neighbors)
    hints = must_link_graph(constraints) - cannot_link_graph(constraints)
    left, right = near.sparse.nonzero()
    unsaid = hints.entries(left, right) == 0
    edges = near.sparse.tocoo()
    kept = type(edges)((edges.data[unsaid], (left[unsaid], right[unsaid])), shape=edges.shape)
    return RowMatrix(kept) + hints
