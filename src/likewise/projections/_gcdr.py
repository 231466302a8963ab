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
from ._base import RIDGE, ROUGH_TOL, Projection, Unconstrained
from ._lpp import locality_ridge
from ._weighted import WeightedForms

LEAST_DEGREE = 1e-3
"""With degree="shrink", the fraction of its positive weight that the row sum of each row keeps."""


class GCDR(WeightedForms):
    """Graph-driven constrained dimension reduction: one weighted graph of constraints and neighbors.

    Must-linked rows and neighbors have positive weights, cannot-linked rows negative ones; constraints are weighted.
    The closure of the constraints is used (transitivity and entailment), so they must not contradict each other.

    Prefer it if there are constraints of both kinds with different weights. Use few components, for example one fewer
    than clusters: all directions have the same weight, and the last ones are mostly noise.

    .. math:: \\min_a \\frac{a^T X^T (D - W) X a}{a^T X^T D X a}, \\quad
              W = I + W_{same} - W_{different} + W_{near}

    where :math:`W_{near}` holds :math:`1/k` for the :math:`k` nearest neighbors, made symmetric by the mean, and
    :math:`D` the row sums of :math:`W` (Eqs. 1–8; the graph: Section 3). :math:`X` is centered.

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, all that exist.
    n_neighbors : int
        Number of nearest neighbors. 0 uses the constraints only, the paper's basic constraint graph.
    degree : {"absolute", "shrink", "strict"}
        Many cannot-links make row sums negative, and the quotient meaningless. "absolute" uses Σ|w| in the denominator.
        "shrink" multiplies all negative weights by one factor, the largest that leaves each row at least a thousandth
        of its positive weight. "strict" raises an error that names the rows.
    ridge : "auto" or float
        Added to the diagonal of both forms, relative to the mean diagonal entry of XᵀDX. "auto": 0.01 if there are at
        least as many features as rows, else 0.
    scaling : {"form", "unit"}
    search : {"auto", "exact", "approximate"}
        How to search for neighbors; see :func:`~likewise.graphs.choose_search` for "auto".
    n_jobs : int, optional
        Number of threads of the neighbor search. If None, as many as OpenMP may use.

    Attributes
    ----------
    recall_ : float
        Recall of the neighbor search: 1 if it was exact, else measured on 400 rows.
    shrinkage_ : float
        The factor applied to negative weights; 1 unless degree="shrink".

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
    def _unconstrained(self) -> Unconstrained:  # type: ignore[override]
        # With degree="strict" an error may name rows, so the rows must be those of X.
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
            # |near − different| is less than near + different for neighbors that are cannot-linked.
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
            f"the weights of rows {named} sum to about {weights[bad[0]]:.3g}, but the sum must be positive for every "
            "row (Definition 1). Use fewer cannot-links, smaller weights for them, or degree='absolute' or 'shrink'."
        )
