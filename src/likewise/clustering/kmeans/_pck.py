"""PCK-means: k-means with a penalty on every violated constraint."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from ..._arrays import FloatArray, IntArray
from ..._method import LLOYD, Method
from ..._progress import track
from ..._sklearn import Interval, StrOptions
from ...constraints import Constraints
from ...constraints._closure import n_expanded
from ...graphs import RowMatrix, cannot_link_graph, must_link_graph
from .._base import uncertain_weight
from ._centers import LOOP, WeightedCenterClusterer
from ._chunked import Hinted
from ._lloyd import Assign, best_of, lloyd
from ._penalties import FEW_PAIRS, Penalties
from ._points import Points, PointSet, combined, nearest_and
from ._scale import mean_distance, mean_squared_deviation
from ._seeding import farthest_first, kmeans_plus_plus


class PCKMeans(WeightedCenterClusterer):
    """Pairwise-constrained k-means: constraints may be violated at a penalty.

    It is robust to wrong constraints, since each costs at most its penalty. Prefer
    :class:`~likewise.clustering.COPKMeans` only if constraints are certain and must hold, and
    :class:`~likewise.clustering.ProjectThenCluster` if features should be learned as well.

    .. math:: J = \\sum_i \\|x_i - \\mu_{l_i}\\|^2 + w \\sum_{ij \\in M} b_{ij} [l_i \\ne l_j]
              + w \\sum_{ij \\in C} b_{ij} [l_i = l_j]

    where :math:`M` and :math:`C` are the must-links and cannot-links, :math:`b_{ij}` their weights and :math:`w` the
    ``penalty``. Unconstrained rows are assigned to the nearest center; the others, in random order, to the cluster of
    lowest cost given the labels of all others (iterated conditional modes). :math:`J` never increases.

    Parameters
    ----------
    n_clusters : int
    penalty : "auto", "variance" or float
        w. "auto" is the published choice, the mean distance between two rows (on 1,000 evenly spaced rows if there are
        more). It is a distance, while J has squared distances, so it depends on the unit of X. "variance", the mean
        squared distance of a row to the mean of all rows, does not.
    closure : bool
        Whether to include implied pairs: every pair within a must-link group, and every pair between two groups with a
        cannot-link between them. An implied pair has the smallest weight of the constraints that imply it. Use False
        for constraints that may be wrong, since one wrong must-link merges two whole groups. It must be False if
        constraints contradict each other.
    must_link : {"soft", "hard"}
        "hard" keeps must-link groups together, which is weighted k-means on their means. Only cannot-links are
        penalized then: for every pair of rows of two groups with ``closure``, else once for two groups. Must-links with
        weights other than 1 are an error.
    metric : {"euclidean", "cosine"}
        "cosine" compares directions, as :class:`~likewise.clustering.SphericalKMeans` does.
    n_init : int
        Number of initializations, of which the one with the smallest J is kept. The first is based on the constraints:
        means of large must-link groups that are far apart (weighted farthest-first traversal), completed by k-means++.
        The others are k-means++ on all rows.
    max_iter, tol, random_state
        As for :class:`~likewise.clustering.SphericalKMeans`.

    Attributes
    ----------
    labels_ : (n,) int array
    cluster_centers_ : (n_clusters, f) array
    objective_, inertia_ : float
        J, and its first sum.
    penalty_ : float
        The w that was used.
    n_iter_ : int

    Notes
    -----
    Whole groups (labels, closed must-links) are never expanded to pairs; they cost O(n · k).

    References
    ----------
    S. Basu, A. Banerjee, R. Mooney: Active semi-supervision for pairwise constrained clustering, SDM 2004.
    The ensemble paper's Section 3 sets w.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import Constraints
    >>> from likewise.clustering import PCKMeans
    >>> X, y = load_iris(return_X_y=True)
    >>> hints = Constraints.sample(y, "random_pairs", 100, random_state=0)
    >>> model = PCKMeans(3, random_state=0).fit(X, constraints=hints)
    >>> model.cluster_centers_.shape
    (3, 4)
    """

    _method: ClassVar[Method] = Method(
        "pck",
        prefer="constraints that may be wrong: violating one has a penalty",
        paper="Basu, Banerjee, Mooney 2004",
        cost=LLOYD,
    )
    _published: ClassVar[dict[str, Any]] = {"n_init": 1}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **LOOP,
        "penalty": [StrOptions({"auto", "variance"}), Interval(Real, 0, None, closed="left")],
        "closure": ["boolean"],
        "must_link": [StrOptions({"soft", "hard"})],
        "metric": [StrOptions({"euclidean", "cosine"})],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        penalty: float | str = "auto",
        closure: bool = True,
        must_link: str = "soft",
        metric: str = "euclidean",
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.penalty = penalty
        self.closure = closure
        self.must_link = must_link
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @property
    def _cosine(self) -> bool:  # type: ignore[override]
        return self.metric == "cosine"

    def _cluster(self, X: Any, constraints: Constraints, weight: FloatArray | None = None) -> np.ndarray:
        rng = check_random_state(self.random_state)
        hard = self.must_link == "hard"
        if hard:
            self._refuse_must_weights(constraints)
        groups = constraints.groups()
        points = Points(X, groups if hard else None, cosine=self._cosine, sample_weight=weight)
        penalties = self._penalties(constraints, weight)
        self.penalty_ = self._penalty(X, weight)
        assign = penalized(points, penalties, self.penalty_, rng)
        neighborhoods = np.arange(points.n) if hard else groups

        def start(number: int) -> FloatArray:
            if number == 0 and (self.closure or hard):
                return farthest_first(points, neighborhoods, self.n_clusters, rng)
            return kmeans_plus_plus(points, self.n_clusters, rng)

        run = best_of(
            lloyd(points, start(number), assign, max_iter=self.max_iter, tol=self.tol, free=penalties.free)
            for number in track(range(self.n_init))
        )
        self._keep(run)
        self._keep_inertia(run, self.penalty_ * penalties.total(run.labels))
        return run.labels[groups] if hard else run.labels

    def _penalties(self, constraints: Constraints, weight: FloatArray | None = None) -> Penalties:
        if self.must_link == "hard":
            return groups_apart(constraints, closed=self.closure, weight=weight)
        return rows_apart(constraints, closed=self.closure)

    def _hinted(
        self, numbers: IntArray, rows: Any, known: Constraints, first: Any, rng: np.random.RandomState
    ) -> Hinted:
        hard = self.must_link == "hard"
        groups = known.groups() if hard else np.arange(len(numbers))
        points = Points(rows, groups if hard else None, cosine=self._cosine)
        penalties = self._penalties(known)
        self.penalty_ = first.penalty_
        assign = penalized(points, penalties, self.penalty_, rng)
        return Hinted(numbers, points, assign, groups, lambda labels: self.penalty_ * penalties.total(labels))

    def _penalty(self, X: Any, weight: FloatArray | None) -> float:
        if not isinstance(self.penalty, str):
            return float(self.penalty)
        rule = mean_distance if self.penalty == "auto" else mean_squared_deviation
        return rule(X, cosine=self._cosine, sample_weight=weight)

    def _refuse_must_weights(self, constraints: Constraints) -> None:
        weight = uncertain_weight(constraints, ("must",))
        if weight is not None:
            raise ValueError(
                f"must_link='hard' takes every must-link as certain, but one has weight {weight:g}. "
                "Leave the weights of must-links out, or use must_link='soft'."
            )


def rows_apart(constraints: Constraints, *, closed: bool) -> Penalties:
    """Penalties between rows, for must-links and cannot-links."""
    n = constraints.n_samples
    if not constraints.partitions and n_expanded(constraints, closed=closed) <= FEW_PAIRS * n // 2:
        pairs = constraints.expand(FEW_PAIRS * n, closed=closed)
        return Penalties.of_pairs(n, pairs.cannot_link, pairs.cannot_weight, pairs.must_link, pairs.must_weight)
    return Penalties(
        cannot_link_graph(constraints, closed=closed),
        must_link_graph(constraints, closed=closed),
    )


def groups_apart(constraints: Constraints, *, closed: bool, weight: FloatArray | None = None) -> Penalties:
    """Penalties between must-link groups, for cannot-links; if closed, for each of the |g| · |h| pairs of rows."""
    closure = constraints.closure()
    sizes = np.bincount(closure.groups, weight, minlength=closure.n_groups)
    if not closure.between.partitions:
        pairs, costs = closure.between.cannot_link, closure.between.cannot_weight
        costs = costs * sizes[pairs].prod(axis=1) if closed else costs
        return Penalties.of_pairs(closure.n_groups, pairs, costs, pairs[:0], costs[:0])
    graph = cannot_link_graph(closure.between)
    if not closed:
        return Penalties(graph)
    scale = sparse.diags_array(sizes.astype(np.float64))
    return Penalties(RowMatrix(scale @ graph.sparse @ scale, scale @ graph.factor, graph.core))


def penalized(points: PointSet, penalties: Penalties, penalty: float, rng: np.random.RandomState) -> Assign:
    """Assign free points to the nearest center, and the others, in random order, to the cluster of lowest cost."""

    rows = penalties.rows

    def assign(centers: FloatArray, labels: IntArray | None) -> tuple[IntArray, float]:
        near, distance, distances = nearest_and(points, centers, rows)
        before = near[rows] if labels is None else labels[rows]
        costs = np.multiply(distances, points.weight[rows, None], out=distances)
        constrained, violated = penalties.sweep(before, costs, penalty, rng)
        labels, objective = combined(points, rows, near, distance, costs, constrained)
        return labels, objective + penalty * violated

    return assign
