"""Clusterers that keep one center a cluster: their shared parameters, and the nearest center for new rows."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ..._saved import Saved, check_shape
from ..._sklearn import POSITIVE_INT, Interval
from .._base import Clusterer
from ._lloyd import Run
from ._points import Points, nearest

LOOP = {
    "n_clusters": [POSITIVE_INT],
    "n_init": [POSITIVE_INT],
    "max_iter": [POSITIVE_INT],
    "tol": [Interval(Real, 0, None, closed="left")],
    "random_state": ["random_state"],
}
"""What the parameters of every k-means loop may be."""


def _check_centers(model: Any) -> None:
    check_shape(model.cluster_centers_, (None, model.n_features_in_), "cluster_centers_")


class CenterClusterer(Clusterer):
    """A clusterer whose clusters are centers.

    Attributes
    ----------
    cluster_centers_ : (n_clusters, f) array
    inertia_ : float
        The sum of squared distances of the rows to the centers of their clusters.
    objective_ : float
        What was minimized: the inertia and, where the method has them, penalties.
    history_ : tuple of float
        The objective at every iteration of the best start.
    """

    _saved: ClassVar[Saved] = Saved(
        ("cluster_centers_", "labels_", "n_iter_", "n_features_in_"),
        optional=("inertia_", "objective_"),
        check=_check_centers,
    )

    _parameter_constraints: ClassVar[dict[str, Any]] = LOOP
    _cosine: ClassVar[bool] = False

    def _keep(self, run: Run) -> None:
        self.cluster_centers_ = run.centers
        self.objective_ = run.objective
        self.history_ = run.history
        self.n_iter_ = run.n_iter

    def predict(self, X: Any) -> np.ndarray:
        """The nearest center of each row; constraints on the rows of ``fit`` are not used.

        Parameters
        ----------
        X : (n, f) array, sparse matrix or data frame

        Returns
        -------
        (n,) int array
        """
        X = self._new_rows(X)
        centers = self.cluster_centers_.astype(X.dtype, copy=False)
        labels, _ = nearest(Points(X, cosine=self._cosine), centers)
        return labels.astype(np.int32)
