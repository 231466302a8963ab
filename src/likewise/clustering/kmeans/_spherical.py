"""Spherical k-means: k-means with cosine similarity."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from ..._arrays import FloatArray
from ..._method import LLOYD, Method
from ...constraints import Constraints
from ._centers import WeightedCenterClusterer
from ._lloyd import Run, k_means
from ._points import Points


class SphericalKMeans(WeightedCenterClusterer):
    """k-means with cosine similarity, which ignores the lengths of rows.

    The baseline for text (tf-idf), also after a projection. It does not use constraints; with constraints use
    :class:`~likewise.clustering.PCKMeans` (``metric="cosine"``) or :class:`~likewise.clustering.ProjectThenCluster`.

    .. math:: \\min_{l, c} \\sum_i \\Big(1 - \\frac{x_i^T c_{l_i}}{\\|x_i\\|}\\Big), \\qquad \\|c_h\\| = 1

    The optimal center of a cluster is the direction of the sum of its unit rows. Sparse rows stay sparse; centers are
    dense.

    Parameters
    ----------
    n_clusters : int
    n_init : int
        Number of initializations (greedy k-means++ on the sphere), of which the best is kept. Default: 1, as in
        scikit-learn.
    max_iter : int
        Maximum number of iterations of one run.
    tol : float
        Stop when the relative decrease of the objective is below this. With 0, stop when no label changes.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : (n,) int array
    cluster_centers_ : (n_clusters, f) array
        Centers of unit length.
    inertia_ : float
        The sum of 1 − cosine.
    n_iter_ : int

    Notes
    -----
    A zero row has no direction: its cosine with every center is 0. It is assigned to cluster 0, and does not affect the
    centers.

    References
    ----------
    I. Dhillon, D. Modha: Concept decompositions for large sparse text data using clustering, Machine Learning 42, 2001.

    Examples
    --------
    >>> from likewise.clustering import SphericalKMeans
    >>> X = [[1.0, 0.1], [9.0, 1.0], [0.1, 1.0], [0.0, 5.0]]
    >>> labels = SphericalKMeans(2, random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    _method: ClassVar[Method] = Method(
        "spherical",
        prefer="a baseline for text, and what to run after projecting text",
        paper="Dhillon, Modha 2001",
        uses_constraints=False,
        cost=LLOYD,
    )
    _cosine: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _cluster(self, X: Any, constraints: Constraints, weight: FloatArray | None = None) -> np.ndarray:
        rng = check_random_state(self.random_state)
        run = k_means(
            Points(X, cosine=True, sample_weight=weight),
            self.n_clusters,
            rng,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self._keep(run)
        self._keep_inertia(run, 0.0)
        return run.labels

    def _keep_inertia(self, run: Run, penalty: float) -> None:
        self.inertia_ = self.objective_ = run.objective / 2  # ‖x − c‖² = 2 − 2 cos
