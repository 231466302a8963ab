"""Base classes of clusterers with one center per cluster."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from ..._arrays import FloatArray, IntArray
from ..._device_fit import fit_on_device, new_rows_on_device
from ..._devices import dispatches, namespace, to_numpy
from ..._estimator import checked_constraints, counted_rows, no_weights
from ..._progress import stage
from ..._saved import Saved, check_shape
from ..._sklearn import POSITIVE_INT, Interval, _fit_context
from ...chunked import Chunked
from ...chunked._device import DeviceRows
from ...chunked._fold import Look, Picked
from ...chunked._lazy import is_chunked, keep_columns, lazily
from ...constraints import ConstraintConflictError, Constraints
from .._base import Clusterer
from .._from_files import ReadsFiles
from ._chunked import SAMPLE, Hinted, chunked_lloyd, middle, nearest_centers, placing
from ._lloyd import Run
from ._points import Points, nearest

LOOP = {
    "n_clusters": [POSITIVE_INT],
    "n_init": [POSITIVE_INT],
    "max_iter": [POSITIVE_INT],
    "tol": [Interval(Real, 0, None, closed="left")],
    "random_state": ["random_state"],
}
"""Valid values of the parameters of every k-means loop."""


def _check_centers(model: Any) -> None:
    check_shape(model.cluster_centers_, (None, model.n_features_in_), "cluster_centers_")


class CenterClusterer(Clusterer):
    """A clusterer with one center per cluster.

    Attributes
    ----------
    cluster_centers_ : (n_clusters, f) array
    inertia_ : float
        The sum of squared distances of the rows to the centers of their clusters.
    objective_ : float
        The value that was minimized: the inertia plus penalties, if the method has them.
    history_ : tuple of float
        The objective at every iteration of the best run.
    """

    _saved: ClassVar[Saved] = Saved(
        ("cluster_centers_", "n_iter_", "n_features_in_"),
        optional=("labels_", "inertia_", "objective_"),
        check=_check_centers,
    )

    _parameter_constraints: ClassVar[dict[str, Any]] = LOOP
    _cosine: ClassVar[bool] = False

    def _keep(self, run: Run) -> None:
        self.cluster_centers_ = run.centers
        self.objective_ = run.objective
        self.history_ = run.history
        self.n_iter_ = run.n_iter

    @lazily
    def predict(self, X: Any) -> np.ndarray:
        """The cluster with the nearest center for each row; constraints are not used.

        Parameters
        ----------
        X : (n, f) array, sparse matrix, data frame or Dask collection

        Returns
        -------
        (n,) int array
        """
        check_is_fitted(self)
        rows = new_rows_on_device(self, X, "cluster_centers_", "predict")
        if rows is not None:
            centers = to_numpy(self.cluster_centers_)
            origin = middle(centers, self._cosine)
            look = partial(nearest_centers, centers=centers, origin=origin, cosine=self._cosine)
            return namespace(rows).concat(list(DeviceRows(rows).looks(look)))
        return self._nearest(self._new_rows(X))

    def _nearest(self, X: Any) -> np.ndarray:
        """The cluster of each row, without constraints."""
        centers = self.cluster_centers_.astype(X.dtype, copy=False)
        labels, _ = nearest(Points(X, cosine=self._cosine), centers)
        return labels.astype(np.int32)


class WeightedCenterClusterer(ReadsFiles, CenterClusterer):
    """A clusterer with centers that takes ``sample_weight``; a subclass implements :meth:`_cluster`."""

    @abstractmethod
    def _cluster(self, X: Any, constraints: Constraints, weight: FloatArray | None = None) -> np.ndarray:
        """Set the fitted attributes, and return the label of each row."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : (n, f) array, sparse matrix, data frame, RowFiles or Dask collection
        y : (n,) array-like, optional
            Partial labels; −1, None or NaN where unknown. A method that does not use constraints ignores them, as
            scikit-learn's clusterers do. A Constraints object is accepted as well.
        constraints : Constraints, optional
            Must-links, cannot-links and other constraints, used in addition to ``y``.
        sample_weight : (n,) array-like, optional
            The weight of each row. A row of weight 0 is ignored, with all constraints on it, and is assigned to the
            nearest center. The weights of constraints are not affected.

        Returns
        -------
        self
        """
        if dispatches(X):
            return fit_on_device(self, X, y, constraints=constraints, sample_weight=sample_weight)
        if is_chunked(X):
            if sample_weight is not None:
                raise no_weights()
            return self._fit_chunked(X, y, constraints)
        X, known = self._checked_inputs(X, y, constraints)
        weight, counted = counted_rows(sample_weight, X)
        if counted is None:
            self.labels_ = np.asarray(self._cluster(X, known, weight), dtype=np.int32)
            return self
        self._check_number(len(counted), "rows whose weight is not 0")
        labels = self._cluster(X[counted], known.restrict(counted), weight)
        self.labels_ = self._nearest(X)
        self.labels_[counted] = labels
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.array_api_support = True
        return tags

    def _learn_from(self, X: Chunked, y: Any, constraints: Constraints | None) -> Look:
        labels = y if self._method.uses_constraints or isinstance(y, Constraints) else None
        known = checked_constraints(self, X.shape[0], labels, constraints)
        self._check_usable(known)
        self._check_number(X.shape[0])
        hinted = np.flatnonzero(known.constrained_rows())
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        with stage("reading rows"):
            some = X.take(hinted, SAMPLE, seed)
        return self._learn_from_sample(X, some, known, hinted, seed)

    def _learn_from_sample(self, X: Chunked, some: Picked, known: Constraints, hinted: IntArray, seed: int) -> Look:
        """Fit on a sample that includes all constrained rows, then continue with all rows."""
        first = self._first_fit(X, some, known, hinted, seed)
        hinted_rows = None
        if len(hinted):
            rows = some.rows[np.searchsorted(some.numbers, hinted)]
            hinted_rows = self._hinted(hinted, rows, known.restrict(hinted), first, np.random.RandomState(seed))
        run, penalty = chunked_lloyd(
            X, first.cluster_centers_, hinted_rows, cosine=self._cosine, max_iter=self.max_iter, tol=self.tol
        )
        self._keep(run)
        self._keep_inertia(run, penalty)
        return placing(run, hinted_rows, cosine=self._cosine)

    def _first_fit(self, X: Chunked, some: Picked, known: Constraints, hinted: IntArray, seed: int) -> Self:
        """Fit in memory, on a sample that includes all constrained rows."""
        keep_columns(self, X)
        try:
            first = clone(self).set_params(random_state=seed)
            return first.fit(some.rows, constraints=known.restrict(some.numbers) if len(hinted) else None)
        except ConstraintConflictError:
            known.check(self.n_clusters)  # raises the same error, with the row numbers of X
            raise

    def _hinted(
        self, numbers: IntArray, rows: Any, known: Constraints, first: Any, rng: np.random.RandomState
    ) -> Hinted:
        """The constrained rows with their penalties; overridden by methods that use constraints."""
        raise NotImplementedError

    def _keep_inertia(self, run: Run, penalty: float) -> None:
        self.inertia_ = run.objective - penalty

    def fit_predict(
        self, X: Any, y: Any = None, *, constraints: Constraints | None = None, sample_weight: Any = None
    ) -> np.ndarray:
        """Cluster the rows of X and return their labels.

        Parameters
        ----------
        X, y, constraints, sample_weight
            As for :meth:`fit`.

        Returns
        -------
        (n,) int array
        """
        return self.fit(X, y, constraints=constraints, sample_weight=sample_weight).labels_
