"""COP-k-means: k-means with hard constraints."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from ..._arrays import FloatArray, IntArray
from ..._estimator import as_constraints
from ..._method import LLOYD, Method
from ..._progress import track
from ...constraints import Constraints
from ...constraints._format import pluralize
from ...graphs import cannot_link_graph
from ._centers import CenterClusterer, WeightedCenterClusterer
from ._chunked import Hinted
from ._coloring import PlacementError, Placer, TwoSides
from ._lloyd import Assign, Run, best_of, lloyd
from ._penalties import Penalties
from ._points import Points, combined, nearest_and
from ._seeding import kmeans_plus_plus


class COPKMeans(WeightedCenterClusterer):
    """Constrained k-means whose labels satisfy every must-link and every cannot-link.

    Prefer it if constraints are certain (two rows of one invoice, two faces in one frame). Otherwise use
    :class:`~likewise.clustering.PCKMeans`: with hard constraints a single wrong one can move whole groups to the wrong
    cluster.

    .. math:: \\min_{l, \\mu} \\sum_i \\|x_i - \\mu_{l_i}\\|^2 \\quad \\text{subject to all constraints}

    Each must-link group is replaced by its mean, weighted by its size. Satisfying the cannot-links between groups is a
    graph coloring problem. Contradictions, and cliques of cannot-links with more than ``n_clusters`` groups, are
    reported before the start. With two clusters, both the existence of a labeling and the best labeling for given
    centers are decided exactly. With more, the first labeling is found by a backtracking search, most constrained group
    and nearest cluster first. After that, groups move only if this is feasible and decreases the objective.

    Parameters
    ----------
    n_clusters : int
    n_init : int
        Number of initializations (k-means++), of which the best is kept. Those without a feasible labeling are skipped.
    max_iter, tol, random_state
        As for :class:`~likewise.clustering.SphericalKMeans`.
    max_steps : int
        Maximum number of backtracking steps of the search for a first labeling, for each initialization and each
        connected component of cannot-linked groups.

    Attributes
    ----------
    labels_ : (n,) int array
    cluster_centers_ : (n_clusters, f) array
    inertia_, objective_ : float
        The sum of squared distances to the centers.
    n_iter_ : int

    Notes
    -----
    If ``y`` has more classes than ``n_clusters``, these cannot all be separated. A warning is issued, and only the
    must-links of the labels are used. The same labels passed as ``constraints`` are an error.

    Raises
    ------
    ConstraintConflictError
        If constraints contradict each other, or more than ``n_clusters`` rows are all cannot-linked with each other.
    PlacementError
        If no labeling exists, or none was found; it says which, and names the rows that could not be labeled.

    References
    ----------
    K. Wagstaff, C. Cardie, S. Rogers, S. Schroedl: Constrained k-means clustering with background knowledge, ICML 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import Constraints
    >>> from likewise.clustering import COPKMeans
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1]])
    >>> hints = Constraints(4, must_link=[(0, 3)], cannot_link=[(0, 1)])
    >>> labels = COPKMeans(2, random_state=0).fit_predict(X, constraints=hints)
    >>> bool(labels[0] == labels[3] != labels[1])
    True
    """

    _method: ClassVar[Method] = Method(
        "cop",
        prefer="constraints that must hold",
        paper="Wagstaff, Cardie, Rogers, Schroedl 2001",
        uses_weights=False,
        cost=LLOYD,
    )
    _published: ClassVar[dict[str, Any]] = {"n_init": 1}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CenterClusterer._parameter_constraints,
        "max_steps": CenterClusterer._parameter_constraints["max_iter"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        max_steps: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.max_steps = max_steps
        self.random_state = random_state

    def _fit_inputs(self, X: Any, y: Any, constraints: Constraints | None) -> tuple[Any, Constraints]:
        if isinstance(y, Constraints):
            return super()._fit_inputs(X, y, constraints)
        X, known = super()._fit_inputs(X, None, constraints)
        labels = as_constraints(X.shape[0], y, None)
        n_classes = max((part.n_blocks for part in labels.partitions), default=0)
        if n_classes > self.n_clusters:
            warnings.warn(
                f"y has {n_classes} classes, more than n_clusters={self.n_clusters}, which cannot be kept apart: only "
                "that rows of one class belong together is used. Use as many clusters as classes.",
                stacklevel=5,
            )
            together = [replace(part, different_across=False) for part in labels.partitions]
            labels = Constraints(X.shape[0], partitions=together)
        return X, labels | known

    def _cluster(self, X: Any, constraints: Constraints, weight: FloatArray | None = None) -> np.ndarray:
        rng = check_random_state(self.random_state)
        points, apart, assign = self._placing(X, constraints, weight, rng)
        run = best_of(self._runs(points, apart, assign, rng))
        self._keep(run)
        self.inertia_ = run.objective
        return run.labels[constraints.groups()]

    def _placing(
        self, X: Any, constraints: Constraints, weight: FloatArray | None, rng: np.random.RandomState
    ) -> tuple[Points, Penalties, Assign]:
        """The groups of rows, their cannot-links, and the function that assigns them to clusters."""
        closure = constraints.check(self.n_clusters).closure()
        points = Points(X, closure.groups, sample_weight=weight)
        apart = Penalties(cannot_link_graph(closure.between))
        if self.n_clusters == 2:
            return points, apart, _two_sides(points, apart, TwoSides(closure, apart))
        placer = Placer(closure, apart, self.n_clusters, self.max_steps)
        return points, apart, _allowed(points, apart, placer, rng)

    def _hinted(
        self, numbers: IntArray, rows: Any, known: Constraints, first: Any, rng: np.random.RandomState
    ) -> Hinted:
        points, _, assign = self._placing(rows, known, None, rng)
        return Hinted(numbers, points, assign, known.groups())

    def _runs(self, points: Points, apart: Penalties, assign: Assign, rng: np.random.RandomState) -> list[Run]:
        runs, failure = [], None
        for _ in track(range(self.n_init)):
            start = kmeans_plus_plus(points, self.n_clusters, rng)
            try:
                runs.append(lloyd(points, start, assign, max_iter=self.max_iter, tol=self.tol, free=apart.free))
            except PlacementError as error:
                if error.proven:
                    raise
                failure = error
        if failure is not None and not runs:
            message = f"{failure} This holds for all of {pluralize(self.n_init, 'initialization')}."
            raise PlacementError(message, failure.rows, failure.proven)
        return runs


def _allowed(points: Points, apart: Penalties, placer: Placer, rng: np.random.RandomState) -> Assign:
    """Assign each group in turn to the nearest feasible cluster."""
    rows = apart.rows
    try_again = True

    def assign(centers: FloatArray, labels: IntArray | None) -> tuple[IntArray, float]:
        nonlocal try_again
        near, distance, distances = nearest_and(points, centers, rows)
        costs = points.weight[rows, None] * distances

        def cost(some: IntArray) -> float:
            return float(costs[np.arange(len(rows)), some].sum())

        before = placer.place(costs, rng) if labels is None else labels[rows]
        constrained, _ = apart.sweep(before, costs, np.inf, rng)
        if labels is None:
            try_again = True
        elif try_again:
            # Groups that block each other can only move if all are assigned anew. If that brings no improvement once,
            # it is not tried again in this run.
            anew = placer.place_greedily(costs)
            try_again = False
            if anew is not None and cost(anew) < cost(constrained):
                try_again = True
                constrained, _ = apart.sweep(anew, costs, np.inf, rng)
        return combined(points, rows, near, distance, costs, constrained)

    return assign


def _two_sides(points: Points, apart: Penalties, sides: TwoSides) -> Assign:
    """Assign each connected component of groups to the better one of its two labelings."""
    rows = apart.rows

    def assign(centers: FloatArray, labels: IntArray | None) -> tuple[IntArray, float]:
        near, distance, distances = nearest_and(points, centers, rows)
        costs = points.weight[rows, None] * distances
        return combined(points, rows, near, distance, costs, sides.best(costs))

    return assign
