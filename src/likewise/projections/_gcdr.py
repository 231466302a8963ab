"""GCDR-LP: graph-driven constrained dimension reduction by linear projection."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from .._arrays import FloatArray
from .._method import NEIGHBORS, Method, Needs
from .._sklearn import Interval, StrOptions
from ..constraints import Constraints
from ..forms import Form, laplacian
from ..graphs import RowMatrix, cannot_link_graph, must_link_graph, neighbors
from ..graphs._distances import Euclidean
from ..graphs._neighbors import N_JOBS, SEARCH, check_n_neighbors, graph_of
from ..pencil import Pencil
from ._base import RIDGE, ROUGH_TOL, Projection, Unhinted
from ._lpp import locality_ridge
from ._weighted import WeightedForms

LEAST_DEGREE = 1e-3
"""With degree="shrink", what must be left of a row's positive weight."""


class GCDR(WeightedForms):
    """Graph-driven constrained dimension reduction: one weighted graph of constraints and neighbors.

    Positive weights between rows that are the same or near, negative ones between rows that differ; constraints have
    their own weights. They are closed first (transitivity and entailment), so they must not contradict.

    Prefer it when constraints are of both kinds and of different weight. Ask for few directions: one fewer than
    clusters is a good number, since all directions get the same weight and late ones bring the noise back.

    .. math:: \\min_a \\frac{a^T X^T (D - W) X a}{a^T X^T D X a}, \\quad
              W = I + W_{same} - W_{different} + W_{near}

    where :math:`W_{near}` holds :math:`1/k` for the :math:`k` nearest neighbors, made symmetric by the mean, and
    :math:`D` the row sums of :math:`W` (Eqs. 1–8; the graph: Section 3). :math:`X` is centered.

    Parameters
    ----------
    n_components : int, optional
        None: all there are.
    n_neighbors : int
        0: the graph of the constraints alone, the paper's basic constraint graph.
    degree : {"absolute", "shrink", "strict"}
        Many cannot-links make row sums negative, and the quotient meaningless. "absolute" puts Σ|w| into the
        denominator. "shrink" multiplies all negative weights by one factor, the largest that leaves each row at least
        a thousandth of its positive weight. "strict" raises an error that names the rows.
    ridge : "auto" or float
        A cost on every feature, added to both forms, relative to the mean diagonal of XᵀDX. "auto": 0.01 when
        features are at least as many as rows, else 0.
    scaling : {"form", "unit"}
    search : {"auto", "exact", "approximate"}
        How neighbors are found; "auto" is exact where that is feasible (:func:`~likewise.graphs.choose_search`).
    n_jobs : int, optional
        Threads of the search for neighbors. None: as many as OpenMP may use.

    Attributes
    ----------
    recall_ : float
        The share of true neighbors in the graph: 1 where the search was exact, else measured on 400 rows.
    shrinkage_ : float
        What negative weights were multiplied by; 1 unless degree="shrink".

    References
    ----------
    I. Davidson: Knowledge driven dimension reduction for clustering, IJCAI 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import GCDR, Constraints
    >>> X, y = load_iris(return_X_y=True)
    >>> hints = Constraints.sample(y, "labeled_items", 20, random_state=0)
    >>> GCDR(n_components=2).fit_transform(X, constraints=hints).shape
    (150, 2)
    """

    _method: ClassVar[Method] = Method(
        "gcdr",
        prefer="constraints of both kinds and of different strength, in one graph",
        paper="Davidson 2009",
        needs=Needs.ANY_CONSTRAINT,
        cost=NEIGHBORS,
    )
    _tol = ROUGH_TOL
    _published: ClassVar[dict[str, Any]] = {"degree": "shrink", "ridge": 0.0, "scaling": "form"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": Projection._parameter_constraints["n_components"],
        "scaling": [StrOptions({"unit", "form"})],
        "n_neighbors": [Interval(Integral, 0, None, closed="left")],
        "degree": [StrOptions({"absolute", "shrink", "strict"})],
        "ridge": RIDGE,
        "search": SEARCH,
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        n_neighbors: int = 5,
        degree: str = "absolute",
        ridge: float | str = "auto",
        scaling: str = "form",
        search: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_components, scaling=scaling)
        self.n_neighbors = n_neighbors
        self.degree = degree
        self.ridge = ridge
        self.search = search
        self.n_jobs = n_jobs

    @property
    def _unhinted(self) -> Unhinted:  # type: ignore[override]
        # With degree="strict" an error names rows, which must be those of X.
        return "each" if self.n_neighbors or self.degree == "strict" else "moments"

    def _weighted_pencil(self, X: Any, constraints: Constraints, weight: FloatArray) -> Pencil:
        near = RowMatrix.zeros(X.shape[0])
        self.recall_ = 1.0
        if self.n_neighbors:
            check_n_neighbors(self.n_neighbors, X.shape[0])
            found = neighbors(Euclidean(X), self.n_neighbors, search=self.search, n_jobs=self.n_jobs)
            self.recall_ = found.recall
            near = graph_of(found, "mean")
        same = must_link_graph(constraints, closed=True)
        different = cannot_link_graph(constraints, closed=True)
        positive = weight + (near + same).row_sums()
        negative = different.row_sums()
        self.shrinkage_ = 1.0
        if self.degree == "absolute":
            # |near − different| falls short of near + different where a neighbor is cannot-linked.
            weights = positive + negative - 2 * _overlap(near, different)
        else:
            if self.degree == "shrink":
                limit = (1 - LEAST_DEGREE) * positive[negative > 0] / negative[negative > 0]
                self.shrinkage_ = float(min(1.0, limit.min(initial=1.0)))
            weights = positive - self.shrinkage_ * negative
            if self.degree == "strict":
                _check_degrees(weights)
        push = Form(RowMatrix.diag(weights).centered(weight))
        cost = locality_ridge(self.ridge, push, X)
        pull = laplacian(near + same - self.shrinkage_ * different, signed=True)
        return Pencil(pull=pull + cost, push=push + cost, over="push")


def _overlap(near: RowMatrix, different: RowMatrix) -> np.ndarray:
    left, right = near.sparse.nonzero()
    shared = np.minimum(near.entries(left, right), different.entries(left, right))
    return np.bincount(left, weights=shared, minlength=near.n)


def _check_degrees(weights: np.ndarray) -> None:
    bad = np.flatnonzero(weights <= 0)
    if len(bad):
        named = ", ".join(str(row) for row in bad[:5]) + (f" and {len(bad) - 5} more" if len(bad) > 5 else "")
        raise ValueError(
            f"the weights of rows {named} sum to {weights[bad[0]]:.3g} or so, but each row's must be positive "
            "(Definition 1). Give fewer cannot-links, smaller weights for them, or use degree='absolute' or 'shrink'."
        )
