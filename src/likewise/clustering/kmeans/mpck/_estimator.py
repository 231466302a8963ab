"""MPCK-means: pairwise-constrained k-means that learns a metric for each cluster."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils import Tags, check_random_state

from ...._arrays import FloatArray, IntArray
from ...._devices import refuse
from ...._estimator import checked_constraints
from ...._method import LLOYD, Method
from ...._progress import report, stage, track
from ...._saved import Saved, check_shape
from ...._sklearn import Interval, StrOptions
from ....chunked import Chunked, Mapped
from ....chunked._fold import Look, Picked, look_at_image
from ....chunked._lazy import lazily
from ....constraints import Constraints
from .._centers import LOOP, CenterClusterer, WeightedCenterClusterer
from .._chunked import SAMPLE
from .._lloyd import Run, best_centers, best_of
from .._points import Points, dense, origin
from .._seeding import farthest_first, kmeans_plus_plus
from ._chunked import HintedRows, chunked_mpck, moved_by, nearest_by, read_first
from ._cluster_metrics import DiagonalMetrics, FullMetrics, Metrics, Spread
from ._violations import Violations


def _check_metrics(model: Any) -> None:
    check_shape(model.cluster_centers_, (None, model.n_features_in_), "cluster_centers_")
    check_shape(model._origin, (model.n_features_in_,), "_origin")
    if model._metrics_.values.shape[:2] != model.cluster_centers_.shape:
        raise ValueError(f"metrics of {model._metrics_.values.shape} do not fit {len(model.cluster_centers_)} centers")


class MPCKMeans(WeightedCenterClusterer):
    """Metric pairwise-constrained k-means: constraints influence the clusters and the metric of each cluster.

    Prefer it over :class:`~likewise.clustering.PCKMeans` if features differ in importance, or do so between clusters.
    Without constraints the metric of a cluster follows the variance of its rows, as in a Gaussian mixture.

    .. math:: J = \\sum_i \\big(\\|x_i - \\mu_{l_i}\\|^2_{A_{l_i}} - \\log\\det A_{l_i}\\big)
              + w \\sum_{M, l_i \\ne l_j} b_{ij} f_M + w \\sum_{C, l_i = l_j} b_{ij} f_C

    .. math:: f_M = \\tfrac12 \\|x_i - x_j\\|^2_{A_{l_i}} + \\tfrac12 \\|x_i - x_j\\|^2_{A_{l_j}}, \\qquad
              f_C = \\|x' - x''\\|^2_{A_{l_i}} - \\|x_i - x_j\\|^2_{A_{l_i}}

    where b are the weights of the constraints and (x', x'') are the two rows that are farthest apart. Violating a
    must-link costs more for rows that are far apart, and violating a cannot-link costs more for rows that are close.

    Parameters
    ----------
    n_clusters : int
    metric : {"diagonal", "full"}
        A weight for each feature, or a matrix (for dense data with up to some hundred features).
    shared : bool
        Whether all clusters share one metric.
    shrink : float in [0, 1)
        Shrinkage of the variances of each cluster toward those of all rows: one variance for all features if X is
        sparse or its features have similar ranges (pixels, standardized columns), else the variance of each feature. 0
        is the published method, whose metrics overfit if a cluster has few rows or features hardly vary in it. With
        shrinkage s, the term −log det A of each row is replaced by s/(1−s) tr(A V) − 1/(1−s) log det A, with V the
        variances of all rows.
    penalty : float
        w.
    closure : bool
        Whether to include implied pairs; see :class:`~likewise.clustering.PCKMeans`.
    farthest : {"auto", "box", "pair"}
        How to determine ‖x' − x''‖². "pair" uses two rows of X, for each metric: the row farthest from the mean, and
        the row farthest from that one. If other rows are even farther apart, f_C is slightly negative for them. "box"
        uses the largest difference of each feature, so that f_C is never negative, and J never increases since it does
        not depend on the metric; it is not defined for a full metric. "auto" is "box" for a diagonal metric, and "pair"
        for a full one.
    n_init, max_iter, tol, random_state
        As for :class:`~likewise.clustering.PCKMeans`; initializations are the same.

    Attributes
    ----------
    labels_ : (n,) int array
    cluster_centers_ : (n_clusters, f) array
    metrics_ : (n_clusters, f) or (n_clusters, f, f) array
        The diagonals of A_h, or A_h.
    objective_ : float
        J.
    inertia_ : float
        Σ ‖x − μ‖²_A.
    n_iter_ : int

    Notes
    -----
    The optimal A_h is the inverse of a variance: that of the cluster, increased along violated must-links and decreased
    along violated cannot-links (Eq. 7 of the paper), shrunk as above. No variance may be less than 1/1000 of the pooled
    one, since it would be zero or negative for a cluster of one row, or with many violated cannot-links. The metric is
    optimal subject to this bound, so J never increases with ``farthest="box"``; with "pair" it may, if the farthest
    pair changes.

    Whole groups (labels, closed must-links) are never expanded to pairs, although penalties depend on both rows: sums
    over the pairs of a group are computed from the counts, sums and sums of squares of its rows in each cluster. An
    iteration over fully labeled rows takes O(n · f · k). A pair that is given several times counts once, with the
    largest weight; only partitions that overlap in more than a hundred ways are expanded for that, up to a million
    pairs.

    ``shrink``, ``penalty`` and ``n_init`` were chosen among about forty settings, mainly on digits, ionosphere,
    vehicle, breast_w, glass and wine. The table shows mean adjusted Rand indices over five new samples of 200 random
    pairs (digits: 500); only isolet and lymphoma had not been used before. Standard errors of the defaults are .003 to
    .04, so small differences are not significant; PCKMeans (``penalty="variance"``) is as good on many data sets.

    =============  =======  ========  ===================  ========
    data           k-means  PCKMeans  shrink=0, penalty=1  defaults
    =============  =======  ========  ===================  ========
    digits         .66      .64       .42                  .67
    mfeat          .78      .77       .62                  .81
    pendigits      .53      .57       .53                  .59
    yeast          .14      .14       .10                  .15
    pima           .11      .21       .16                  .18
    sonar          .00      .67       .54                  .64
    balance        .14      .33       .22                  .32
    iris           .73      .95       .98                  .95
    isolet         .46      .47       .40                  .45
    lymphoma       .52      .94       .91                  .94
    soybean_small  1.00     1.00      1.00                 1.00
    =============  =======  ========  ===================  ========

    References
    ----------
    M. Bilenko, S. Basu, R. Mooney: Integrating constraints and metric learning in semi-supervised clustering,
    ICML 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from likewise import Constraints
    >>> from likewise.clustering import MPCKMeans
    >>> X, y = load_wine(return_X_y=True)
    >>> hints = Constraints.sample(y, "random_pairs", 100, random_state=0)
    >>> MPCKMeans(3, random_state=0).fit(X, constraints=hints).metrics_.shape
    (3, 13)
    """

    _method: ClassVar[Method] = Method(
        "mpck",
        prefer="clusters of different shapes: a metric for each, learned from hundreds of constraints",
        paper="Bilenko, Basu, Mooney 2004",
        cost=LLOYD,
    )
    _saved: ClassVar[Saved] = CenterClusterer._saved.extended(
        values=("_origin",), parts={"_metrics_": (DiagonalMetrics, FullMetrics)}, check=_check_metrics
    )
    _published: ClassVar[dict[str, Any]] = {"shrink": 0.0, "penalty": 1.0, "n_init": 1, "farthest": "pair"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **LOOP,
        "metric": [StrOptions({"diagonal", "full"})],
        "shared": ["boolean"],
        "shrink": [Interval(Real, 0, 1, closed="left")],
        "penalty": [Interval(Real, 0, None, closed="left")],
        "closure": ["boolean"],
        "farthest": [StrOptions({"auto", "box", "pair"})],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "diagonal",
        shared: bool = False,
        shrink: float = 0.7,
        penalty: float = 0.2,
        closure: bool = True,
        farthest: str = "auto",
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.shared = shared
        self.shrink = shrink
        self.penalty = penalty
        self.closure = closure
        self.farthest = farthest
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _cluster(self, X: Any, constraints: Constraints, weight: FloatArray | None = None) -> np.ndarray:
        rng = check_random_state(self.random_state)
        self._origin = np.zeros(X.shape[1], dtype=X.dtype) if sparse.issparse(X) else origin(X)
        X = X if sparse.issparse(X) else X - self._origin
        points = Points(X, sample_weight=weight)
        violations = Violations(X, constraints, self.penalty, closed=self.closure)
        groups = constraints.groups()
        initial = self._metrics(X, Spread.of(X, weight, full=self.metric == "full"))

        def start(number: int) -> tuple[Run, Metrics]:
            if number == 0 and self.closure:
                centers = farthest_first(points, groups, self.n_clusters, rng)
            else:
                centers = kmeans_plus_plus(points, self.n_clusters, rng)
            return self._run(X, points, violations, centers, initial, rng)

        with stage("clustering"):
            runs = [start(number) for number in track(range(self.n_init))]
        best = best_of(run for run, _ in runs)
        self._keep_metrics(best, next(metrics for run, metrics in runs if run is best), X.dtype)
        lengths = self._metrics_.lengths(X, best.centers)[np.arange(points.n), best.labels]
        self.inertia_ = float(points.weight @ lengths)
        return best.labels

    def _keep_metrics(self, run: Run, metrics: Metrics, dtype: Any) -> None:
        self._metrics_ = metrics.lean()
        self._keep(run)
        self.metrics_ = metrics.values
        self.cluster_centers_ = (run.centers + self._origin).astype(dtype)

    def _metrics(self, X: Any, spread: Spread) -> Metrics:
        diagonal = self.metric == "diagonal"
        self._check_farthest()
        box = self.farthest == "box" or (self.farthest == "auto" and diagonal)
        kind = DiagonalMetrics if diagonal else FullMetrics
        return kind(
            X, spread, self.n_clusters, shared=self.shared, farthest="box" if box else "pair", shrink=float(self.shrink)
        )

    def _check_farthest(self) -> None:
        if self.farthest == "box" and self.metric == "full":
            raise ValueError("farthest='box' bounds differences only under a diagonal metric. Use farthest='pair'.")

    def _run(
        self,
        X: Any,
        points: Points,
        violations: Violations,
        centers: FloatArray,
        metrics: Metrics,
        rng: np.random.RandomState,
    ) -> tuple[Run, Metrics]:
        every = np.arange(points.n)
        labels: IntArray | None = None
        history: list[float] = []
        while True:
            report(len(history))
            own = points.weight[:, None] * (metrics.lengths(X, centers) + metrics.row_cost)
            near = own.argmin(axis=1)
            before = near if labels is None else np.where(violations.free, near, labels)
            relabeled = violations.sweep(before, own, metrics, rng)
            violated = violations.violation_scatter(relabeled, metrics)
            history.append(float(own[every, relabeled].sum()) + metrics.cost(*violated))
            unchanged = labels is not None and np.array_equal(relabeled, labels)
            slow = len(history) > 1 and history[-2] - history[-1] <= self.tol * abs(history[-2])
            labels = relabeled
            if unchanged or slow or len(history) == self.max_iter:
                return Run(labels, centers, history[-1], len(history), tuple(history)), metrics
            centers = best_centers(points, labels, centers, violations.free)
            metrics = metrics.learned(X, centers, labels, *violated, weight=points.weight)

    def _learn_from(self, X: Chunked, y: Any, constraints: Constraints | None) -> Look:
        if X.like is not None:
            refuse(self, X.like)
        known = checked_constraints(self, X.shape[0], y, constraints)
        self._check_farthest()
        self._check_usable(known)
        self._check_number(X.shape[0])
        hinted = np.flatnonzero(known.constrained_rows())
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        with stage("reading rows"):
            some, every = read_first(X, hinted, SAMPLE, seed, full=self.metric == "full")
        return self._learn_from_sample(X, some, known, hinted, seed, every)

    def _learn_from_sample(
        self,
        X: Chunked,
        some: Picked,
        known: Constraints,
        hinted: IntArray,
        seed: int,
        every: tuple[FloatArray, Spread] | None = None,
    ) -> Look:
        """Fit on a sample with all constrained rows, then continue with all rows, whose statistics are ``every``."""
        if every is None:
            with stage("reading rows"):
                every = read_first(X, hinted[:0], 0, seed, full=self.metric == "full")[1]
        self._origin, spread = every[0].astype(X.dtype), every[1]
        first = self._first_fit(X, some, known, hinted, seed)
        rows: Chunked = Mapped(X, partial(moved_by, origin=self._origin), X.shape[1])
        metrics = self._metrics(rows, spread).moved_to(first.metrics_)
        hinted_rows = dense(some.rows[np.searchsorted(some.numbers, hinted)]) - self._origin
        violations = Violations(hinted_rows, known.restrict(hinted), self.penalty, closed=self.closure)
        run, metrics, inertia = chunked_mpck(
            rows,
            first.cluster_centers_ - self._origin,
            metrics,
            HintedRows(hinted, hinted_rows, violations, np.random.RandomState(seed)),
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self._keep_metrics(run, metrics, X.dtype)
        self.inertia_ = inertia
        look = partial(nearest_by, metrics=metrics.lean(), centers=run.centers, hinted=hinted, labels=run.labels)
        return partial(look_at_image, function=partial(moved_by, origin=self._origin), look=look)

    def _accepts(self) -> dict[str, Any]:
        accepts = super()._accepts()
        return accepts if self.metric == "diagonal" else {**accepts, "accept_sparse": False}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.array_api_support = False
        return tags

    @lazily
    def predict(self, X: Any) -> np.ndarray:
        """The cluster with the smallest ‖x − μ‖²_A − log det A; constraints are not used."""
        return self._nearest(self._new_rows(X))

    def _nearest(self, X: Any) -> np.ndarray:
        if sparse.issparse(X) and self._origin.any():  # the rows of fit were dense, and centered
            X = X.toarray()
        X = X if sparse.issparse(X) else X - self._origin
        own = self._metrics_.lengths(X, self.cluster_centers_ - self._origin) + self._metrics_.row_cost
        return own.argmin(axis=1).astype(np.int32)
