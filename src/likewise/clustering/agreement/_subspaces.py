"""Ensemble of clusterings with learned metrics in random subspaces, and their consensus."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d
from threadpoolctl import threadpool_limits

from ..._arrays import FloatArray, IntArray
from ..._method import LLOYD, Method
from ..._progress import stage, track
from ..._sklearn import POSITIVE_INT, Interval, StrOptions
from ...constraints import Constraints
from ...metric._path import MetricProblem
from ...metric._terms import (
    around_mean,
    cannot_link_pairs,
    check_cannot_links,
    column_variance,
    differences,
    entries,
    max_pairs,
    must_link_sums,
    resolve_ridge,
)
from .._base import Clusterer
from ..kmeans._lloyd import k_means
from ..kmeans._pck import PCKMeans
from ..kmeans._points import Points
from ..kmeans._seeding import kmeans_plus_plus, random_rows
from ._hbgf import hbgf, item_cluster_graph


@dataclass(frozen=True)
class FeatureTerms:
    """The sums from which diagonal metrics are learned, for any subset of the features.

    Attributes
    ----------
    must : (f,) array
        Must-link sum of each feature, including the ridge; 0 for constant features.
    variance : (f,) array
    pairs, pair_weights : (m, 2) and (m,) arrays
        Cannot-links.
    """

    must: FloatArray
    variance: FloatArray
    pairs: IntArray
    pair_weights: FloatArray

    @classmethod
    def of(cls, X: Any, constraints: Constraints, *, ridge: float, width: int) -> FeatureTerms:
        """Compute the sums from centered data, for subsets of ``width`` features."""
        variance = column_variance(X)
        pairs, pair_weights = cannot_link_pairs(constraints, max_pairs(entries(X) * width / X.shape[1]))
        return cls(must_link_sums(X, constraints, ridge, variance), variance, pairs, pair_weights)

    def of_features(self, features: IntArray) -> FeatureTerms:
        """The sums of some of the features."""
        return replace(self, must=self.must[features], variance=self.variance[features])


Member = tuple[Any, FeatureTerms | None, int]
"""A subset of the columns, the sums to learn a metric from, and a seed."""


class SubspaceMetricEnsemble(Clusterer):
    """Learn a metric and a clustering in each of many random subsets of features, and join the clusterings.

    With few constraints and many features, a metric over all features cannot be learned, but one over a small random
    subset can. The resulting clusterings differ, and their consensus is better than most of them. Prefer it for tables
    with few rows and hundreds of features or more, such as microarrays.

    For each of S random subsets of F features (Yan and Domeniconi 2006, Figure 1):

    1. learn a diagonal metric A from all constraints (:class:`likewise.XingMetric`), and transform rows to √A x;
    2. cluster by k-means (KMeans-Metric-S), or with ``constrained=True`` by PCK-means, which penalizes violated
       constraints (KMeans-Metric-S-cst).

    The S clusterings are then joined by :func:`hbgf`. A single subspace of all features (``n_subspaces=1,
    subspace_features=None``) is the paper's KMeans-Metric-F, or KMeans-Metric-F-cst; with ``metric=None`` and
    ``constrained=True`` it is KMeans-cst.

    Parameters
    ----------
    n_clusters : int
    n_subspaces : int or "auto"
        S. "auto", as in the paper: 120 if there are at least 1,000 features, else 30.
    subspace_features : int, "auto" or None
        F. None uses all features. "auto" is ⌈2·√features⌉, at most 60; the paper uses 8 of 13, 10 of 30, and 60 of
        1,155 and of 4,026.
    constrained : bool
        Whether to use the constraints in the clustering as well.
    metric : {"xing", None}
        None uses the features as they are. Without constraints no metric is learned either.
    shrink : float in [0, 1]
        As for :class:`likewise.XingMetric`, but a number: cross-validation in every subspace would need five times as
        many metrics, and an ensemble benefits from diverse members.
    penalty : "variance", "auto" or float
        Penalty of a violated constraint, as for :class:`PCKMeans`; "auto" is the published one.
    init : {"k-means++", "random"}
        Initialization of the plain k-means.
    n_init : int
        Number of initializations in each subspace; 1 keeps the members diverse.
    n_jobs : int, optional
        Number of members fitted in parallel by joblib, with any backend of ``joblib.parallel_config``. The result does
        not depend on it.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : (n,) int array
    labelings_ : (n_subspaces, n) int array
        The clusterings of the members.
    subspaces_ : (n_subspaces, features) int array
        The features of each member.
    weights_ : (n_subspaces, features) array
        The metric of each member; ones if none was learned.
    n_iter_ : int
        Maximum number of iterations over the members.

    References
    ----------
    B. Yan, C. Domeniconi: Subspace metric ensembles for semi-supervised clustering of high dimensional data, ECML 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from likewise import Constraints
    >>> from likewise.clustering import SubspaceMetricEnsemble
    >>> X, y = load_wine(return_X_y=True)
    >>> hints = Constraints.sample(y, "random_pairs", 100, random_state=0)
    >>> ensemble = SubspaceMetricEnsemble(3, n_subspaces=10, random_state=0).fit(scale(X), constraints=hints)
    >>> ensemble.labelings_.shape, ensemble.subspaces_.shape
    ((10, 178), (10, 8))
    """

    _method: ClassVar[Method] = Method(
        "ensemble", prefer="few rows, thousands of columns (genes)", paper="Yan, Domeniconi 2006", cost=LLOYD
    )
    _published: ClassVar[dict[str, Any]] = {"shrink": 0.0, "penalty": "auto", "init": "random"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [POSITIVE_INT],
        "n_subspaces": [POSITIVE_INT, StrOptions({"auto"})],
        "subspace_features": [POSITIVE_INT, StrOptions({"auto"}), None],
        "constrained": ["boolean"],
        "metric": [StrOptions({"xing"}), None],
        "shrink": [Interval(Real, 0, 1, closed="both")],
        "penalty": [StrOptions({"auto", "variance"}), Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({"k-means++", "random"})],
        "n_init": [POSITIVE_INT],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_subspaces: int | str = "auto",
        subspace_features: int | str | None = "auto",
        constrained: bool = False,
        metric: str | None = "xing",
        shrink: float = 0.5,
        penalty: float | str = "variance",
        init: str = "k-means++",
        n_init: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_subspaces = n_subspaces
        self.subspace_features = subspace_features
        self.constrained = constrained
        self.metric = metric
        self.shrink = shrink
        self.penalty = penalty
        self.init = init
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _cluster(self, X: Any, constraints: Constraints) -> IntArray:
        rng = check_random_state(self.random_state)
        count, width = self._sizes(X.shape[1])
        self.subspaces_ = np.array([_draw(X.shape[1], width, rng) for _ in range(count)])
        seeds = rng.randint(np.iinfo(np.int32).max, size=count + 1)
        terms = None
        if self.metric == "xing" and not constraints.is_empty:
            check_cannot_links(type(self).__name__, constraints, "cluster without one: metric=None, constrained=True")
            ridge = resolve_ridge("auto", self.shrink)
            terms = FeatureTerms.of(around_mean(X), constraints, ridge=ridge, width=width)
        plan = clone(self)  # sent to other processes without attributes of an earlier fit

        def members(chosen: IntArray) -> list[Member]:
            return [
                (X[:, self.subspaces_[i]], terms and terms.of_features(self.subspaces_[i]), seeds[i + 1])
                for i in chosen
            ]

        # Members are small, so threads inside each would be slower, and they are sent in batches.
        messages = min(count, 4 * effective_n_jobs(self.n_jobs))
        with threadpool_limits(1 if count > 1 else None):
            found = Parallel(n_jobs=self.n_jobs, return_as="generator")(
                delayed(plan._fit_members)(members(chosen), constraints)
                for chosen in np.array_split(np.arange(count), messages)
            )
            with stage("clustering in subspaces"):
                done = list(track(found, messages))
            labelings, weights, n_iters = zip(*chain.from_iterable(done), strict=True)
            self.labelings_ = np.array(labelings)
            self.weights_ = np.array(weights)
            self.n_iter_ = max(n_iters)
            if count == 1:
                return self.labelings_[0]
            with stage("joining the clusterings"):
                return hbgf(self.labelings_, self.n_clusters, random_state=seeds[0])

    def _fit_members(self, members: list[Member], constraints: Constraints) -> list[tuple[IntArray, FloatArray, int]]:
        rng = np.random.RandomState()
        found = []
        for X, terms, seed in members:
            rng.seed(seed)  # equivalent to a new RandomState(seed), and ten times faster
            found.append(self._fit_member(X, terms, rng, constraints))
        return found

    def _fit_member(
        self, X: Any, terms: FeatureTerms | None, rng: np.random.RandomState, constraints: Constraints
    ) -> tuple[IntArray, FloatArray, int]:
        """Labels, weights and iterations in one subspace; without ``terms`` no metric is learned."""
        weights = np.ones(X.shape[1])
        if terms is not None:
            D = differences(around_mean(X), terms.pairs)
            weights = MetricProblem(terms.variance).solve(terms.must, D, terms.pair_weights).shrunk(self.shrink)
            root = np.sqrt(weights).astype(X.dtype)
            X = sparse.csr_array(X @ sparse.diags_array(root)) if sparse.issparse(X) else X * root
        labels, n_iter = self._labels(X, rng, constraints)
        return labels, weights, n_iter

    def _labels(self, X: Any, rng: np.random.RandomState, constraints: Constraints) -> tuple[np.ndarray, int]:
        if self.constrained:
            model = PCKMeans(self.n_clusters, penalty=self.penalty, n_init=self.n_init, random_state=rng)
            model.fit(X, constraints=constraints)
            return model.labels_, model.n_iter_
        start = kmeans_plus_plus if self.init == "k-means++" else random_rows
        run = k_means(Points(X), self.n_clusters, rng, n_init=self.n_init, max_iter=300, tol=1e-6, start=start)
        return run.labels, run.n_iter

    def _sizes(self, n_features: int) -> tuple[int, int]:
        count = (120 if n_features >= 1000 else 30) if self.n_subspaces == "auto" else int(self.n_subspaces)
        if self.subspace_features is None:
            return count, n_features
        if self.subspace_features == "auto":
            return count, min(60, n_features, int(np.ceil(2 * np.sqrt(n_features))))
        width = int(self.subspace_features)
        if width > n_features:
            raise ValueError(
                f"subspace_features={width} is more than the {n_features} features of X. Pass None for all of them."
            )
        return count, width

    def diversity_quality(self, y: Any) -> FloatArray:
        """Diversity and quality of every pair of members, as in Figure 4 (left) of the paper.

        Parameters
        ----------
        y : (n,) array-like
            The true classes.

        Returns
        -------
        (S·(S−1)/2, 2) array
            For each pair of members the diversity, 1 − the NMI between them, and the quality, the mean of their NMIs
            with y. (The figure shows the quality on the x axis and the NMI itself on the y axis.) NMI is normalized by
            the mean of both entropies, as in :mod:`likewise.evaluation`.
        """
        check_is_fitted(self)
        y = column_or_1d(y)
        check_consistent_length(y, self.labels_)
        classes = np.unique(y, return_inverse=True)[1]
        shared = _mutual_information(np.vstack([self.labelings_, classes]))
        left, right = np.triu_indices(len(self.labelings_), 1)
        quality = shared[:-1, -1]
        return np.column_stack([1 - shared[left, right], (quality[left] + quality[right]) / 2])


def _draw(n_features: int, width: int, rng: np.random.RandomState) -> IntArray:
    return np.sort(rng.choice(n_features, width, replace=False)) if width < n_features else np.arange(n_features)


def _mutual_information(labelings: IntArray) -> FloatArray:
    """The NMI of all pairs of labelings, from one product of their cluster indicators."""
    E = item_cluster_graph(list(labelings))
    n = E.shape[0]
    sizes = [len(np.unique(labels)) for labels in labelings]
    starts = np.cumsum([0, *sizes[:-1]])
    share = (E.T @ E).toarray() / n
    terms = share * np.log(share, out=np.zeros_like(share), where=share > 0)
    joint = -np.add.reduceat(np.add.reduceat(terms, starts, axis=0), starts, axis=1)
    entropy = joint.diagonal()
    both = entropy + entropy[:, None]
    # Two labelings with one cluster each agree.
    return np.divide(2 * (both - joint), both, out=np.ones_like(both), where=both > 0)
