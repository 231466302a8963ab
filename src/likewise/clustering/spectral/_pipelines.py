"""The pipelines of Yan, Wang, Lee and Giles (2009).

========  ==========================================================================================
NC        :class:`NormalizedCut`
C-NC      :class:`ConstrainedNormalizedCut`
L-NC      metric → NC
RL-NC     structure subspace → metric → NC
RLC-NC    structure subspace → metric → C-NC
Lo-NC     distances → local propagation → NC
Glo-NC    distances → global propagation → NC
========  ==========================================================================================

The structure subspace is :class:`likewise.ASP`, and the metric :class:`likewise.XingMetric`. To change a part, create
the :class:`ChainedClusterer` yourself, as the functions below do in one line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.metrics import pairwise_distances
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if

from ..._arrays import FloatArray, slices
from ..._estimator import used_part
from ..._method import ALL_PAIRS, CUT, Method, Needs, method, uses_constraints
from ..._parameters import SuggestsParameters
from ..._progress import stage, track
from ..._saved import Saved
from ..._sklearn import POSITIVE_INT
from ...constraints import Constraints
from ...graphs import RowMatrix
from ...graphs._distances import Precomputed
from ...graphs._neighbors import neighbors, pairs_of
from ...metric import XingMetric
from ...projections import ASP
from .._base import Clusterer
from ._constrained_cut import ConstrainedNormalizedCut
from ._normalized_cut import NormalizedCut
from ._propagation import propagate_globally, propagate_locally

BLOCK_ROWS = 1000
"""Number of rows whose distances to all rows are computed at once."""


def _predicts(chain: Any) -> bool:
    return hasattr(chain.clusterer, "predict") and all(hasattr(step, "transform") for step in chain.steps)


class ChainedClusterer(Clusterer):
    """A pipeline of transformers and a clusterer that all receive the same constraints.

    scikit-learn's Pipeline passes constraints to its last step only; here every step that can use them receives them.
    Prefer :class:`ProjectThenCluster` for a single projection and k-means.

    Parameters
    ----------
    n_clusters : int
    steps : sequence of transformers
        Unfitted transformers; those whose ``fit`` takes ``constraints`` receive them.
    clusterer : clusterer, optional
        Unfitted clusterer; its ``n_clusters`` is set. Default: :class:`ConstrainedNormalizedCut`.
    random_state : int, RandomState or None
        Passed to the clusterer, if it has one.

    Attributes
    ----------
    labels_ : (n,) int array
    steps_ : list of the fitted transformers
    clusterer_ : the fitted clusterer
    n_iter_ : int
        Of the clusterer.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import StandardScaler
    >>> from likewise import Constraints
    >>> from likewise.clustering import ChainedClusterer, NormalizedCut
    >>> from likewise.metric import XingMetric
    >>> X, y = load_iris(return_X_y=True)
    >>> hints = Constraints.sample(y, "random_pairs", 60, random_state=0)
    >>> chain = ChainedClusterer(3, steps=[StandardScaler(), XingMetric()], clusterer=NormalizedCut(), random_state=0)
    >>> chain.fit_predict(X, constraints=hints).shape
    (150,)
    """

    _saved: ClassVar[Saved] = Saved(
        ("labels_", "n_iter_", "n_features_in_"), {"clusterer_": BaseEstimator}, {"steps_": BaseEstimator}
    )

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [POSITIVE_INT],
        "steps": ["array-like"],
        "clusterer": [BaseEstimator, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        steps: Sequence[Any] = (),
        clusterer: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.steps = steps
        self.clusterer = clusterer
        self.random_state = random_state

    def _cluster(self, X: Any, constraints: Constraints) -> np.ndarray:
        clusterer = ConstrainedNormalizedCut() if self.clusterer is None else clone(self.clusterer)
        clusterer.set_params(n_clusters=self.n_clusters)
        if "random_state" in clusterer.get_params() and self.random_state is not None:
            clusterer.set_params(random_state=self.random_state)
        self.steps_ = [clone(step) for step in self.steps]
        self.clusterer_ = clusterer
        if not constraints.is_empty and not any(map(uses_constraints, [*self.steps_, clusterer])):
            raise ValueError(
                f"no part of the chain uses constraints, but it was given {constraints!r}. Leave them out."
            )

        def given(part: Any) -> dict[str, Any]:
            used = used_part(part, constraints) if uses_constraints(part) else Constraints(constraints.n_samples)
            return {} if used.is_empty else {"constraints": used}

        for step in self.steps_:
            with stage(type(step).__name__):
                X = step.fit_transform(X, **given(step))
        with stage(type(clusterer).__name__):
            clusterer.fit(X, **given(clusterer))
        self.n_iter_ = getattr(clusterer, "n_iter_", 1)
        return clusterer.labels_

    @available_if(_predicts)
    def predict(self, X: Any) -> np.ndarray:
        """The clusters of new rows: apply all steps, and predict with the clusterer.

        Parameters
        ----------
        X : (n, f) array, sparse matrix or data frame

        Returns
        -------
        (n,) int array
        """
        X = self._new_rows(X)
        for step in self.steps_:
            X = step.transform(X)
        return np.asarray(self.clusterer_.predict(X), dtype=np.int32)

    def _accepts(self) -> dict[str, Any]:
        return {**super()._accepts(), "ensure_min_samples": 2}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = any(step.__sklearn_tags__().target_tags.required for step in self.steps)
        return tags


class PropagatedAffinity(SuggestsParameters, TransformerMixin, BaseEstimator):
    """Affinities between rows after propagating constraints through their distances.

    Distances are divided by the largest, propagated, and converted to affinities 1 − d of nearest neighbors.

    Parameters
    ----------
    reach : {"local", "global"}
        :func:`propagate_locally` or :func:`propagate_globally`.
    metric : str
        Any metric of :func:`sklearn.metrics.pairwise_distances`.
    n_neighbors : int or None
        Number of nearest neighbors after propagation, as for :class:`NormalizedCut`. None: all.
    order : {"groups", "pairs"}
        As for :func:`propagate_locally`.
    """

    def __init__(
        self, reach: str = "local", *, metric: str = "cosine", n_neighbors: int | None = 20, order: str = "groups"
    ) -> None:
        self.reach = reach
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.order = order

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> PropagatedAffinity:
        """Propagate the constraints, and set ``affinity_matrix_``.

        Parameters
        ----------
        X : (n, f) array or sparse matrix
        y : ignored
        constraints : Constraints, optional

        Returns
        -------
        self
        """
        n = X.shape[0]
        known = Constraints(n) if constraints is None else constraints
        if self.reach not in ("local", "global"):
            raise ValueError(f'reach must be "local" or "global", got {self.reach!r}.')
        with stage("computing distances"):
            D = _all_distances(X, self.metric)
        np.fill_diagonal(D, 0.0)
        D /= D.max() or 1.0
        with stage("propagating constraints"):
            if self.reach == "global":
                D = propagate_globally(D, known)
            else:
                D = propagate_locally(D, known, order=self.order)  # type: ignore[arg-type]
        if self.n_neighbors is None or self.n_neighbors >= n - 1:
            self.affinity_matrix_: Any = 1.0 - D
        else:
            with stage("searching neighbors"):
                pairs, apart = pairs_of(neighbors(Precomputed(D), self.n_neighbors, resolution=1e-6))
            self.affinity_matrix_ = RowMatrix.from_pairs(n, pairs, 1.0 - apart).sparse
        return self

    def fit_transform(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Any:
        """Propagate the constraints, and return the affinities.

        Parameters
        ----------
        X, y, constraints
            As for :meth:`fit`.

        Returns
        -------
        (n, n) array or sparse array
        """
        return self.fit(X, y, constraints=constraints).affinity_matrix_


def _all_distances(X: Any, metric: str) -> FloatArray:
    if metric not in ("cosine", "euclidean"):  # others may depend on all rows
        return pairwise_distances(X, metric=metric).astype(np.float64)
    D = np.empty((X.shape[0], X.shape[0]))
    for block in track(slices(len(D), BLOCK_ROWS)):
        D[block] = pairwise_distances(X[block], X, metric=metric)
    return D


@method(
    Method(
        "l-nc",
        prefer="a metric over all columns, then a cut",
        paper="Yan, Wang, Lee, Giles 2009",
        needs=Needs.MUST_LINK | Needs.CANNOT_LINK,
        cost=CUT,
    )
)
def l_nc(n_clusters: int = 8, *, published: bool = False, random_state: Any = None) -> ChainedClusterer:
    """L-NC: a metric over all features, then a normalized cut.

    Parameters
    ----------
    n_clusters : int
    published : bool
        Whether to use the published settings: no shrinkage of the metric, all pairs of rows, Shi and Malik's scaling.
    random_state : int, RandomState or None

    Returns
    -------
    ChainedClusterer
    """
    return ChainedClusterer(
        n_clusters, steps=[_metric(published)], clusterer=_cut(NormalizedCut, published), random_state=random_state
    )


@method(
    Method(
        "rl-nc",
        prefer="text: a metric in the structure subspace, then a cut",
        paper="Yan, Wang, Lee, Giles 2009",
        needs=Needs.MUST_LINK | Needs.CANNOT_LINK,
        cost=CUT,
    )
)
def rl_nc(n_clusters: int = 8, *, published: bool = False, random_state: Any = None) -> ChainedClusterer:
    """RL-NC: a metric in the structure subspace, then a normalized cut.

    Parameters
    ----------
    n_clusters, published, random_state
        As for :func:`l_nc`.

    Returns
    -------
    ChainedClusterer

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import Constraints
    >>> from likewise.clustering import rl_nc
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(60) % 3
    >>> X = rng.poisson(rng.gamma(0.3, size=(3, 200))[y])
    >>> hints = Constraints.sample(y, "labeled_items", 20, random_state=0)
    >>> rl_nc(3, random_state=0).fit_predict(X, constraints=hints).shape
    (60,)
    """
    steps = [_subspace(published), _metric(published)]
    return ChainedClusterer(
        n_clusters, steps=steps, clusterer=_cut(NormalizedCut, published), random_state=random_state
    )


@method(
    Method(
        "rlc-nc",
        prefer="text: as rl-nc, with a cut that uses must-links",
        paper="Yan, Wang, Lee, Giles 2009",
        needs=Needs.MUST_LINK | Needs.CANNOT_LINK,
        cost=CUT,
    )
)
def rlc_nc(n_clusters: int = 8, *, published: bool = False, random_state: Any = None) -> ChainedClusterer:
    """RLC-NC: as RL-NC, with a penalty on cut must-links.

    Parameters
    ----------
    n_clusters, published, random_state
        As for :func:`l_nc`.

    Returns
    -------
    ChainedClusterer
    """
    steps = [_subspace(published), _metric(published)]
    cut = _cut(ConstrainedNormalizedCut, published)
    return ChainedClusterer(n_clusters, steps=steps, clusterer=cut, random_state=random_state)


@method(
    Method(
        "lo-nc",
        prefer="text: constraints carried to neighbors, then a cut",
        paper="Klein, Kamvar, Manning 2002; Yan, Wang, Lee, Giles 2009",
        uses_weights=False,
        cost=ALL_PAIRS,
    )
)
def lo_nc(n_clusters: int = 8, *, published: bool = False, random_state: Any = None) -> ChainedClusterer:
    """Lo-NC: cosine distances with the constraints propagated locally, then a normalized cut.

    Parameters
    ----------
    n_clusters : int
    published : bool
        Whether to use the published settings: must-links processed one by one, and all pairs of rows.
    random_state : int, RandomState or None

    Returns
    -------
    ChainedClusterer
    """
    return _propagated(n_clusters, "local", published, random_state)


@method(
    Method(
        "glo-nc",
        prefer="text: constraints carried along shortest paths, then a cut",
        paper="Klein, Kamvar, Manning 2002; Yan, Wang, Lee, Giles 2009",
        uses_weights=False,
        cost=ALL_PAIRS,
    )
)
def glo_nc(n_clusters: int = 8, *, published: bool = False, random_state: Any = None) -> ChainedClusterer:
    """Glo-NC: cosine distances with the constraints propagated along shortest paths, then a normalized cut.

    Parameters
    ----------
    n_clusters : int
    published : bool
        Whether to use the published settings: all pairs of rows.
    random_state : int, RandomState or None

    Returns
    -------
    ChainedClusterer
    """
    return _propagated(n_clusters, "global", published, random_state)


def _subspace(published: bool) -> ASP:
    return ASP(singletons="constrained" if published else "auto")


def _metric(published: bool) -> XingMetric:
    return XingMetric.as_published() if published else XingMetric(toward="equal")


def _cut(kind: type[NormalizedCut], published: bool) -> NormalizedCut:
    return kind.as_published() if published else kind(affinity="cosine")


def _propagated(n_clusters: int, reach: str, published: bool, random_state: Any) -> ChainedClusterer:
    order, n_neighbors = ("pairs", None) if published else ("groups", 20)
    affinity = PropagatedAffinity(reach, order=order, n_neighbors=n_neighbors)
    cut = NormalizedCut(affinity="precomputed", normalization="shi-malik" if published else "ng-jordan-weiss")
    return ChainedClusterer(n_clusters, steps=[affinity], clusterer=cut, random_state=random_state)
