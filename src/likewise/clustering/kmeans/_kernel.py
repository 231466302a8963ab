"""Kernel k-means, SKK-means (kernel k-means with collapsed must-link groups), and the choice of the kernel width."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils import Tags, check_random_state

from ..._arrays import BoolArray, FloatArray, IntArray
from ..._method import ALL_PAIRS, Method
from ..._progress import stage, track
from ..._saved import Saved, check_shape, check_width
from ..._sklearn import POSITIVE_INT, StrOptions
from ..._warnings import NarrowKernelWarning
from ...chunked._lazy import lazily
from ...constraints import Constraints
from ...graphs import cannot_link_graph
from ...graphs._kernel import DELTA, correction, median_distance, must_link_differences, resolve_delta
from .._base import Clusterer
from ._centers import LOOP
from ._lloyd import Run, k_means
from ._nystrom import Nystrom, random_landmarks
from ._penalties import Penalties
from ._points import Points, PointSet

FULL = 10_000
"""Up to this number of rows the full kernel matrix is used."""

LANDMARKS = 1_000
"""Number of landmarks for more rows."""

GRID = (0.25, 0.5, 2**-0.5, 1.0, 2**0.5, 2.0, 4.0)
"""The widths that :func:`choose_delta` tries, in units of the median distance between rows."""


class KernelPoints:
    """Points given by their inner products; a center is a vector of n coefficients.

    For c = Σ_t a_t φ(x_t), ‖φ(x_i) − c‖² = K_ii − 2 (K a)_i + aᵀ K a, which is Eq. 25 of the DSP paper if a is 1/|π| on
    a cluster π.
    """

    def __init__(self, K: FloatArray) -> None:
        self.K, self.n, self.dtype = K, len(K), K.dtype
        self.weight, self.constant = np.ones(self.n), 0.0
        self.diagonal = K.diagonal()

    def blocks(self, n_centers: int) -> list[slice]:
        """A single block, since the length of a center depends on the full kernel."""
        return [slice(0, self.n)]

    def squared_distances(self, centers: FloatArray, rows: Any = slice(None)) -> FloatArray:
        """Squared distances from some points to each center, clipped at zero."""
        used = np.flatnonzero(centers.any(axis=0))  # initial centers are points, which need few columns of the kernel
        K = self.K if 2 * len(used) > self.n else self.K[:, used]
        products = K @ (centers.T if K is self.K else centers[:, used].T)
        norms = np.einsum("ck,kc->c", centers, products)
        return np.maximum(self.diagonal[rows, None] - 2 * products[rows] + norms, 0)

    def means(self, labels: IntArray, n_clusters: int) -> tuple[FloatArray, BoolArray]:
        """The coefficients of each cluster's mean, and which clusters are not empty."""
        sizes = np.bincount(labels, minlength=n_clusters)
        centers = np.zeros((n_clusters, self.n), dtype=self.dtype)
        centers[labels, np.arange(self.n)] = 1.0 / sizes[labels]
        return centers, sizes > 0

    def take(self, rows: IntArray) -> FloatArray:
        """Some of the points, as centers."""
        centers = np.zeros((len(rows), self.n), dtype=self.dtype)
        centers[np.arange(len(rows)), rows] = 1.0
        return centers


def _check_coefficients(model: Any) -> None:
    k = len(model.coefficients_)
    n = model.coefficients_.shape[1] if model._X is None else model._X.shape[0]
    check_shape(model.coefficients_, (k, n), "coefficients_")
    check_shape(model._norms, (k,), "_norms")
    if model._X is not None:
        check_shape(model._X, (n, model.n_features_in_), "_X")
    if model.kernel == "rbf":
        check_width(model.delta_, "delta_")


class KernelKMeans(Clusterer):
    """k-means in the feature space of a kernel, for clusters that are not convex.

    It does not use constraints; :class:`SKKMeans` does.

    .. math:: \\min_\\pi \\sum_h \\sum_{x \\in \\pi_h} \\|\\varphi(x) - m_h\\|^2, \\qquad
              m_h = \\frac{1}{|\\pi_h|} \\sum_{t \\in \\pi_h} \\varphi(t)

    (DSP paper, Eqs. 22–23.) For a positive semi-definite kernel the objective never increases.

    Parameters
    ----------
    n_clusters : int
    kernel : str or callable
        "rbf" is exp(−d²/2δ²). "precomputed" means that X is the n × n kernel matrix. Otherwise a name that
        ``sklearn.metrics.pairwise.pairwise_kernels`` accepts, or a function of two rows.
    delta : "median" or float
        The width δ of "rbf"; "median" is the median distance between rows.
    kernel_params : dict, optional
        Additional arguments for kernels other than "rbf".
    n_landmarks : "auto", int or None
        Number of landmarks of the Nyström approximation, which needs n × n_landmarks kernel values. "auto": 1,000 if
        there are more than 10,000 rows. None: always use the full kernel. A precomputed kernel is used as it is.
    n_init, max_iter, tol, random_state
        As for :class:`~likewise.clustering.SphericalKMeans`.

    Attributes
    ----------
    labels_ : (n,) int array
    coefficients_ : (n_clusters, n) array
        Each center as a linear combination of the fitted rows, or of the landmarks.
    landmarks_ : (n_landmarks,) ints or None
        None if the full kernel was used.
    kernel_error_ : float
        ‖K − K'‖ / ‖K̂'‖ with K' the approximation of K, and K̂' the same after the collapse, measured on 1,000 rows; 0
        for the full kernel.
    inertia_, objective_ : float
    delta_ : float
        The width that was used, for "rbf".
    n_iter_ : int

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from likewise.clustering import KernelKMeans
    >>> X, y = make_circles(80, factor=0.2, noise=0.02, random_state=0)
    >>> model = KernelKMeans(2, delta=0.35, n_init=10, random_state=0).fit(X)
    >>> len(set(model.labels_[y == 1]))
    1
    """

    _method: ClassVar[Method] = Method(
        "kernel",
        prefer="a baseline for curved clusters, with a kernel of your choice",
        paper="Schölkopf, Smola, Müller 1998",
        uses_constraints=False,
        cost=ALL_PAIRS,
    )
    _saved: ClassVar[Saved] = Saved(
        ("coefficients_", "labels_", "n_iter_", "n_features_in_", "_X", "_norms"),
        optional=("delta_",),
        check=_check_coefficients,
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **LOOP,
        "kernel": [StrOptions({*PAIRWISE_KERNEL_FUNCTIONS, "precomputed"}), callable],
        "delta": DELTA,
        "kernel_params": [dict, None],
        "n_landmarks": [StrOptions({"auto"}), POSITIVE_INT, None],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "rbf",
        delta: float | str = "median",
        kernel_params: dict[str, Any] | None = None,
        n_landmarks: int | str | None = "auto",
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.delta = delta
        self.kernel_params = kernel_params
        self.n_landmarks = n_landmarks
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _cluster(self, X: Any, constraints: Constraints) -> np.ndarray:
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(f"kernel='precomputed' needs a square matrix, got shape {X.shape}.")
        if self.kernel == "rbf":
            self.delta_ = self._width(X)
        rng = check_random_state(self.random_state)
        count = self._landmark_count(X.shape[0])
        self.landmarks_ = None
        self.kernel_error_ = 0.0
        if count is None:
            with stage("computing the kernel"):
                K = self._kernel(X, X)
                K_hat, correct = self._projected(K, constraints)
            run = self._run(KernelPoints(K_hat), rng)
            self._X = X
            self.coefficients_ = correct(run.centers)
            self._norms = np.einsum("ck,kc->c", run.centers, K_hat @ run.centers.T)
        else:
            with stage("computing the kernel"):
                space = Nystrom.of(self._kernel, X, random_landmarks(count, constraints, rng))
                space.collapse(constraints)
            run = self._run(Points(space.F), rng)
            # Centers are orthogonal to the directions that were projected out, so f̂(x)·c = K(x, L) M c.
            self._X = X[space.landmarks]
            self.coefficients_ = run.centers @ space.M.T
            self._norms = np.einsum("ck,ck->c", run.centers, run.centers)
            self.landmarks_ = space.landmarks
            self.kernel_error_ = space.error
        self.inertia_ = self.objective_ = run.objective
        self.history_ = run.history
        self.n_iter_ = run.n_iter
        return run.labels

    def _run(self, points: PointSet, rng: np.random.RandomState) -> Run:
        with stage("clustering"):
            return k_means(points, self.n_clusters, rng, n_init=self.n_init, max_iter=self.max_iter, tol=self.tol)

    def _landmark_count(self, n: int) -> int | None:
        """The number of landmarks; None for the full kernel."""
        if self.n_landmarks is None or self.kernel == "precomputed" or (self.n_landmarks == "auto" and n <= FULL):
            return None
        return min(LANDMARKS if self.n_landmarks == "auto" else int(self.n_landmarks), n)

    def _width(self, X: Any) -> float:
        return median_distance(X) if isinstance(self.delta, str) else float(self.delta)

    def _projected(self, K: FloatArray, constraints: Constraints) -> tuple[FloatArray, Any]:
        """The kernel to cluster with, and a function that converts its coefficients to those of the original kernel."""
        return K, lambda coefficients: coefficients

    def _kernel(self, left: Any, right: Any) -> FloatArray:
        if self.kernel == "precomputed":
            return left.toarray() if hasattr(left, "toarray") else left
        params = {"gamma": 0.5 / self.delta_**2} if self.kernel == "rbf" else self.kernel_params or {}
        return np.asarray(pairwise_kernels(left, right, metric=self.kernel, **params))

    @lazily
    def predict(self, X: Any) -> np.ndarray:
        """The clusters of new rows, by the nearest center in feature space.

        Parameters
        ----------
        X : (n, f) array, sparse matrix, data frame or Dask collection
            For "precomputed", the kernel between the new rows and the rows of ``fit``.

        Returns
        -------
        (n,) int array
        """
        X = self._new_rows(X)
        products = self._kernel(X, self._X) @ self.coefficients_.T
        return (self._norms - 2 * products).argmin(axis=1).astype(np.int32)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


class SKKMeans(KernelKMeans):
    """Subspace kernel k-means: kernel k-means after every must-link group is collapsed to one point.

    The feature space is projected onto the null space of all must-link differences, so that must-linked rows coincide
    and rows near them move along. Prefer it for clusters that are not convex, with certain must-links. Cannot-links are
    not used. Without constraints it is :class:`KernelKMeans`.

    .. math:: \\hat K = K - K_M^T W^+ K_M, \\qquad
              \\min_\\pi \\sum_h \\sum_{x \\in \\pi_h} \\|\\hat\\varphi(x) - \\hat m_h\\|^2

    (DSP paper, Eqs. 6–8 and 24–25.) Attributes are those of :class:`KernelKMeans`; new rows undergo the same
    projection.

    Parameters
    ----------
    n_clusters, kernel, delta, kernel_params, n_landmarks, n_init, max_iter, tol, random_state
        As for :class:`KernelKMeans`.

    References
    ----------
    S. Yan, S. Bouaziz, D. Lee, J. Barlow: Semi-supervised dimensionality reduction for analyzing high-dimensional
    data with constraints, Neurocomputing 76, 2012, Section 4.5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import minmax_scale
    >>> from likewise import Constraints
    >>> from likewise.clustering import SKKMeans
    >>> X, y = load_iris(return_X_y=True)
    >>> hints = Constraints.sample(y, "links", 30, random_state=0)
    >>> labels = SKKMeans(3, random_state=0).fit_predict(minmax_scale(X), constraints=hints)
    >>> bool((labels[hints.must_link[:, 0]] == labels[hints.must_link[:, 1]]).all())
    True
    """

    _method: ClassVar[Method] = Method(
        "skk",
        prefer="curved clusters, trusted must-links",
        paper="Yan, Bouaziz, Lee, Barlow 2012",
        uses_weights=False,
        cost=replace(ALL_PAIRS, constraints=3.0),
    )

    def _width(self, X: Any) -> float:
        return resolve_delta(self.delta, X)

    def _projected(self, K: FloatArray, constraints: Constraints) -> tuple[FloatArray, Any]:
        linked, differences = must_link_differences(constraints)
        if not len(linked):
            return super()._projected(K, constraints)
        B = correction(K[np.ix_(linked, linked)], differences)
        T = K[:, linked] @ B

        def correct(coefficients: FloatArray) -> FloatArray:
            # K̂(x, ·) a = K(x, ·) a − K(x, linked) B Tᵀ a
            corrected = coefficients.astype(np.float64)
            corrected[:, linked] -= (coefficients @ T) @ B.T
            return corrected

        return (K - T @ T.T).astype(K.dtype, copy=False), correct


def choose_delta(
    X: Any,
    constraints: Constraints,
    n_clusters: int,
    grid: Sequence[float] | None = None,
    *,
    n_init: int = 10,
    random_state: Any = None,
) -> float:
    """The kernel width with which SKK-means violates the fewest cannot-links; the middle one, if tied.

    This is how the DSP paper chooses δ: must-links determine the kernel, and cannot-links its width. With few
    cannot-links, the median distance between rows is the safer choice.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
    constraints : Constraints
    n_clusters : int
    grid : floats, optional
        Widths to try. Default: ¼, ½, 1/√2, 1, √2, 2 and 4 times the median distance between rows.
    n_init, random_state
        For each SKK-means.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import Constraints
    >>> from likewise.clustering import choose_delta
    >>> X = np.array([[0.0], [0.2], [5.0], [5.3], [5.1]])
    >>> hints = Constraints(5, must_link=[(0, 1)], cannot_link=[(0, 2), (1, 3)])
    >>> choose_delta(X, hints, 2, grid=[1.0, 2.0, 4.0], random_state=0)
    2.0
    """
    widths = np.sort(np.asarray([m * median_distance(X) for m in GRID] if grid is None else grid, dtype=float))
    if not len(widths) or widths[0] <= 0:
        raise ValueError(f"grid must hold widths above 0, got {widths.tolist()}.")
    if constraints.n_cannot_link == 0:
        raise ValueError(
            f"choose_delta compares widths by cannot-links, but the constraints contain none: {constraints!r}. Use "
            "delta='median'."
        )
    apart = Penalties(cannot_link_graph(constraints))
    rng = check_random_state(random_state)
    seed = rng.randint(2**31 - 1)
    violated = []
    for delta in track(widths):
        model = SKKMeans(n_clusters, delta=float(delta), n_init=n_init, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NarrowKernelWarning)  # the cannot-links decide
            violated.append(apart.total(model.fit(X, constraints=constraints).labels_))
    best = np.flatnonzero(np.isclose(violated, min(violated), rtol=1e-9, atol=1e-9))
    return float(widths[best[(len(best) - 1) // 2]])
