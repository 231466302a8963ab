"""Project, then cluster: a projection learned from constraints, then a constrained k-means."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from .._device_fit import new_rows_on_device
from .._devices import is_foreign, refuse, unit_rows_on_device
from .._estimator import checked_constraints, used_part
from .._method import LLOYD, Method, uses_constraints
from .._progress import stage
from .._saved import Saved
from .._sklearn import POSITIVE_INT, HasMethods, Interval, StrOptions
from ..chunked import Chunked, LinearImage, Mapped
from ..chunked._fold import Look, Picked, look_at_image
from ..chunked._lazy import keep_columns, lazily
from ..constraints import Constraints
from ..linalg._unit_rows import unit_rows
from ..prepare._kinds import kind_of, on_one_scale
from ..prepare._linear import vary
from ..projections import SSDR, Costco, Projection
from ..projections._sigma_points import read_once
from ._base import Clusterer, uncertain_weight
from ._from_files import ReadsFiles
from .kmeans._centers import LOOP, WeightedCenterClusterer
from .kmeans._chunked import SAMPLE
from .kmeans._pck import PCKMeans
from .kmeans._points import Points
from .kmeans._scale import mean_squared_deviation

N_CLUSTERS = 8
N_COMPONENTS = {"cosine": 40, "euclidean": 100}
"""Number of directions of Costco if no projection is given."""


class ProjectThenCluster(ReadsFiles, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """A projection learned from constraints, followed by k-means with the same constraints.

    Prefer it over :class:`~likewise.Likewise` if the result should be a linear map and a k-means, or for a projection
    or clusterer of your own. After a projection alone, the clustering may still violate the constraints. Keeping
    must-link groups together, with a mild penalty on violated cannot-links, is often the largest improvement.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. If None, that of ``clusterer``, or 8.
    projection : transformer, optional
        Any projection of this package, or any scikit-learn transformer. By default :class:`~likewise.Costco` if there
        are must-links (up to 40 directions for text, 100 otherwise; with the same regularization for all features if
        their ranges are similar, as in images, else proportional to their variances), and :class:`~likewise.SSDR`
        otherwise (k directions; it is PCA if there are no constraints at all).
    clusterer : clusterer, optional
        By default :class:`~likewise.clustering.PCKMeans` with ``trust``, ``cannot_penalty`` and ``metric``. A clusterer
        that accepts constraints receives them. Any other clusterer receives the means of must-link groups, weighted by
        their size, if its ``fit`` takes ``sample_weight`` and the constraints are trusted (for k-means this is
        equivalent to hard must-links); otherwise, or if there are fewer groups than clusters, it receives the rows.
    trust : bool
        Whether all constraints are certain. If so, must-link groups always stay together, and implied pairs are used as
        well. Otherwise every given pair may be violated at a penalty, and weights are used.
    cannot_penalty : float
        The penalty of a violated cannot-link (without ``trust``, of any violated constraint), relative to the mean
        squared distance of a projected row to the mean of all. Values between 0.1 and 0.3 worked well.
    metric : {"auto", "cosine", "euclidean"}
        How to compare projected rows. "auto" is cosine for text: sparse X, or rows of unit length without negative
        entries.
    n_init, max_iter, tol, random_state
        Parameters of the default clusterer; ``random_state`` is also set on a given clusterer that has none.

    Attributes
    ----------
    labels_ : (n,) int array
    projection_, clusterer_ : estimators
        The fitted projection and clusterer.
    metric_ : str
    cluster_centers_ : (n_clusters, r) array
        Centers in the projected space, if the clusterer has centers.
    n_iter_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from likewise import Constraints
    >>> from likewise.clustering import ProjectThenCluster
    >>> from likewise.evaluation import rand_index
    >>> X, y = load_wine(return_X_y=True)
    >>> hints = Constraints.sample(y, "random_pairs", 200, random_state=0)
    >>> model = ProjectThenCluster(3, random_state=0).fit(scale(X), constraints=hints)
    >>> rand_index(y, model.labels_) > 0.97
    True
    """

    _method: ClassVar[Method] = Method(
        "project",
        prefer="a linear map learned from constraints, then a k-means that keeps must-links",
        paper="this package",
        cost=LLOYD,
    )
    _saved: ClassVar[Saved] = Saved(
        ("n_iter_", "n_features_in_", "_n_features_out", "metric_"),
        parts={"projection_": BaseEstimator, "clusterer_": BaseEstimator},
        optional=("labels_", "cluster_centers_", "inertia_", "objective_"),
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **LOOP,
        "n_clusters": [POSITIVE_INT, None],
        "projection": [HasMethods(["fit", "transform"]), None],
        "clusterer": [HasMethods(["fit"]), None],
        "trust": ["boolean"],
        "cannot_penalty": [Interval(Real, 0, None, closed="left")],
        "metric": [StrOptions({"auto", "cosine", "euclidean"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        projection: Any = None,
        clusterer: Any = None,
        *,
        trust: bool = True,
        cannot_penalty: float = 0.3,
        metric: str = "auto",
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.projection = projection
        self.clusterer = clusterer
        self.trust = trust
        self.cannot_penalty = cannot_penalty
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _cluster(self, X: Any, constraints: Constraints) -> np.ndarray:
        if self.trust:
            self._refuse_weights(constraints)
        rng = check_random_state(self.random_state)
        self.metric_ = self.metric if self.metric != "auto" else kind_of(X).metric
        with stage("projecting"):
            self.projection_ = _fitted(self._chosen_projection(X, constraints), X, constraints)
            Z = self._image(X)
        self._n_features_out = Z.shape[1]
        self.clusterer_ = self._chosen_clusterer(Z, rng)
        with stage("clustering"):
            labels = self._labels(Z, constraints)
        self._keep_results()
        return labels

    def _learn_from(self, X: Chunked, y: Any, constraints: Constraints | None) -> Look:
        """Choose the projection and metric by a sample, fit the projection, and cluster the projected leaves."""
        if X.like is not None and not self.__sklearn_tags__().array_api_support:
            refuse(self, X.like)
        known = checked_constraints(self, X.shape[0], y, constraints)
        self._check_usable(known)
        self._check_number(X.shape[0])
        if self.trust:
            self._refuse_weights(known)
        keep_columns(self, X)
        rng = check_random_state(self.random_state)
        seed = int(rng.randint(2**31 - 1))
        hinted = np.flatnonzero(known.constrained_rows())
        read = None
        if self.projection is None or getattr(self.projection, "_unconstrained", None) == "moments":
            read = read_once(X, hinted, SAMPLE, seed)
        with stage("reading rows"):
            some = X.take(hinted, SAMPLE, seed) if read is None else read.some
        self.metric_ = self.metric if self.metric != "auto" else kind_of(some.rows).metric
        projection = self._chosen_projection(some.rows, known)
        if not isinstance(projection, Projection):
            raise TypeError(f"{projection!r} cannot learn from rows in files. Use a projection of this package.")
        with stage("projecting"):
            self.projection_ = projection._fit_read(X, used_part(projection, known), read)
        self.projection_.__dict__.pop("feature_names_in_", None)  # it is fitted on arrays, as for data in memory
        Z = X.to_host(self._image(X.to_device(some.rows)))
        self._n_features_out = Z.shape[1]
        self.clusterer_ = self._chosen_clusterer(Z, rng)
        if not isinstance(self.clusterer_, WeightedCenterClusterer):
            raise TypeError(
                f"{self.clusterer_!r} cannot cluster rows in files. Use PCKMeans, MPCKMeans, COPKMeans or "
                "SphericalKMeans."
            )
        if uses_constraints(self.clusterer_):
            used = used_part(self.clusterer_, known)
        else:
            used, hinted = Constraints(X.shape[0]), hinted[:0]
        image = partial(_projected, projection=self.projection_, unit=self._unit)
        rows = self._image_of(X, image, some.rows)
        with stage("clustering"):
            look = self.clusterer_._learn_from_sample(rows, Picked(some.numbers, Z), used, hinted, seed)
        self._keep_results()
        return partial(look_at_image, function=image, look=look)

    def _image_of(self, X: Chunked, image: Callable[[Any], Any], some: Any) -> Mapped:
        directions = self.projection_.components_
        if self._unit or X.like is not None or sparse.issparse(some):
            return Mapped(X, image, directions.shape[0])
        return LinearImage(X, image, directions, some.mean(axis=0))

    def _keep_places(self, found: np.ndarray) -> None:
        self.labels_ = self.clusterer_.labels_ = found

    def _keep_results(self) -> None:
        for name, value in (("n_iter_", 1), ("cluster_centers_", None), ("inertia_", None), ("objective_", None)):
            value = getattr(self.clusterer_, name, value)
            if value is not None:
                setattr(self, name, value)

    def _chosen_projection(self, X: Any, constraints: Constraints) -> Any:
        if self.projection is not None:
            return clone(self.projection)
        if constraints.n_must_link:
            most = N_COMPONENTS[self.metric_]
            regularizer = "identity" if self.metric_ == "euclidean" and on_one_scale(X) else "variance"
            return Costco(most if most < min(X.shape) else None, regularizer=regularizer)
        return SSDR(n_components=min(max(self._k, 2), *X.shape))

    def _chosen_clusterer(self, Z: Any, rng: np.random.RandomState) -> Any:
        if self.clusterer is None:
            return k_means_after_projection(
                Z,
                self._k,
                penalty=self.cannot_penalty,
                trust=self.trust,
                metric=self.metric_,
                n_init=self.n_init,
                max_iter=self.max_iter,
                tol=self.tol,
                random_state=rng,
            )
        clusterer = clone(self.clusterer)
        known = clusterer.get_params()
        if self.n_clusters is not None and "n_clusters" in known:
            clusterer.set_params(n_clusters=self.n_clusters)
        if "random_state" in known and known["random_state"] is None:
            clusterer.set_params(random_state=rng.randint(2**31 - 1))
        return clusterer

    @property
    def _k(self) -> int:
        return N_CLUSTERS if self.n_clusters is None else self.n_clusters

    def _image(self, X: Any) -> Any:
        """Projected rows, scaled to unit length for the cosine metric unless the clusterer does so."""
        return _projected(X, projection=self.projection_, unit=self._unit)

    @property
    def _unit(self) -> bool:
        return self.metric_ == "cosine" and self.clusterer is not None

    def _labels(self, Z: Any, constraints: Constraints) -> np.ndarray:
        clusterer = self.clusterer_
        groups = constraints.groups()
        if uses_constraints(clusterer):
            return clusterer.fit(Z, constraints=used_part(clusterer, constraints)).labels_
        if isinstance(clusterer, Clusterer):
            return clusterer.fit(Z).labels_
        n_groups = int(groups.max()) + 1
        enough = getattr(clusterer, "n_clusters", 1) <= n_groups < len(groups)
        if self.trust and enough and has_fit_parameter(clusterer, "sample_weight"):
            points = Points(Z, groups)
            means = points.take(np.arange(points.n))
            return clusterer.fit(means, sample_weight=points.weight).labels_[groups]
        return clusterer.fit(Z).labels_

    def _refuse_weights(self, constraints: Constraints) -> None:
        weight = uncertain_weight(constraints)
        if weight is not None:
            raise ValueError(
                f"trust=True takes every hint as certain, but one has weight {weight:g}. Pass trust=False to use the "
                "weights, or leave them out."
            )

    @lazily
    def transform(self, X: Any) -> Any:
        """Project the rows of X.

        Parameters
        ----------
        X : (n, f) array, sparse matrix, data frame or Dask collection

        Returns
        -------
        (n, r) array
        """
        rows = self._checked(X, "transform")
        return self.projection_.transform(rows)

    @available_if(lambda self: hasattr(self.clusterer or PCKMeans, "predict"))
    @lazily
    def predict(self, X: Any) -> np.ndarray:
        """The clusters of new rows: project them, and predict with the clusterer.

        Parameters
        ----------
        X : (n, f) array, sparse matrix, data frame or Dask collection

        Returns
        -------
        (n,) int array
        """
        image = self._image(self._checked(X, "predict"))
        labels = self.clusterer_.predict(image)
        return labels if is_foreign(labels) else np.asarray(labels, dtype=np.int32)

    def _checked(self, X: Any, method: str) -> Any:
        """Validate new rows, on their device."""
        check_is_fitted(self)
        rows = new_rows_on_device(self, X, "labels_", method)
        return self._new_rows(X) if rows is None else rows

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        parts = (self.projection or Costco(), self.clusterer or PCKMeans())
        tags.array_api_support = all(
            isinstance(part, kind) and part.__sklearn_tags__().array_api_support
            for part, kind in zip(parts, (Projection, WeightedCenterClusterer), strict=True)
        )
        return tags


def _projected(X: Any, *, projection: Any, unit: bool) -> Any:
    Z = projection.transform(X)
    if not unit:
        return Z
    return unit_rows_on_device(Z) if is_foreign(Z) else unit_rows(Z)


def k_means_after_projection(
    Z: Any, n_clusters: int, *, penalty: float, trust: bool, metric: str, **loop: Any
) -> PCKMeans:
    """Constrained k-means for projected rows Z, with ``penalty`` relative to their mean squared deviation."""
    return PCKMeans(
        n_clusters,
        penalty=penalty * mean_squared_deviation(Z, cosine=metric == "cosine"),
        must_link="hard" if trust else "soft",
        closure=trust,
        metric=metric,
        **loop,
    )


def _fitted(projection: Any, X: Any, constraints: Constraints) -> Any:
    if "constraints" in signature(projection.fit).parameters:
        return projection.fit(X, constraints=used_part(projection, constraints))
    if X.shape[0] > 1 and not vary(X):
        raise ValueError(f"all rows of X are equal, so {type(projection).__name__} cannot project them.")
    return projection.fit(X)
