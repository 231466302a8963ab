"""LPP: locality preserving projection."""

from __future__ import annotations

from typing import Any, ClassVar

from .._method import NEIGHBORS, Method
from .._sklearn import POSITIVE_INT, StrOptions
from ..constraints import Constraints
from ..forms import Form, degree, laplacian, relative_ridge
from ..graphs import RowMatrix, neighbors
from ..graphs._distances import Euclidean
from ..graphs._neighbors import N_JOBS, SEARCH, check_n_neighbors, graph_of
from ..pencil import Pencil
from ._base import RIDGE, ROUGH_TOL, Projection


class LPP(Projection):
    """Locality preserving projection: keeps neighbors close. Does not use constraints.

    The linear version of Laplacian eigenmaps, and the unsupervised baseline for the graph methods.

    .. math:: \\min_w \\frac{w^T X^T L X w}{w^T X^T D X w}

    where :math:`L = D - W` is the Laplacian of the 0/1 graph that joins two rows if either is among the nearest
    neighbors of the other.

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, all that exist.
    n_neighbors : int
    ridge : "auto" or float
        Added to the diagonal of both forms, relative to the mean diagonal entry of XᵀDX. "auto": 0.01 if there are at
        least as many features as rows, else 0.
    over : {"sum", "push"}
        "push" divides by XᵀDX on its range, as published.
    scaling : {"form", "unit", "share"}
    search : {"auto", "exact", "approximate"}
        How to search for neighbors; see :func:`~likewise.graphs.choose_search` for "auto".
    n_jobs : int, optional
        Number of threads of the neighbor search. If None, as many as OpenMP may use.

    Attributes
    ----------
    recall_ : float
        Recall of the neighbor search: 1 if it was exact, else measured on 400 rows.

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
        return locality_pencil(graph_of(found), X, self.ridge, self.over)


def locality_pencil(graph: RowMatrix, X: Any, amount: float | str, over: str) -> Pencil:
    """The Laplacian of a graph as pull and its degrees as push, with a ridge on both."""
    push = degree(graph)
    cost = locality_ridge(amount, push, X)
    return Pencil(pull=laplacian(graph) + cost, push=push + cost, over=over)


def locality_ridge(amount: float | str, push: Form, X: Any) -> Form:
    """A ridge relative to the push. "auto" is 0.01 when there are at least as many features as rows, else 0."""
    if isinstance(amount, str):
        amount = 0.01 if X.shape[1] >= X.shape[0] else 0.0
    return relative_ridge(amount, push, X)
