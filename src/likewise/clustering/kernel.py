"""Kernel k-means, and SKK-means: kernel k-means after must-link groups were collapsed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from ..constraints import Constraints
from ..graphs import cannot_link_graph
from ..graphs.kernel import collapse, must_link_differences
from ..projections.bandwidth import DELTA, median_distance, resolve_delta
from .base import Clusterer
from .centres import LOOP
from .lloyd import k_means
from .penalties import Penalties
from .points import Array


class KernelPoints:
    """Points known by their inner products only; a centre is a row of n coefficients on them.

    With c = Σ_t a_t φ(x_t):  ‖φ(x_i) − c‖² = K_ii − 2 (K a)_i + aᵀ K a, which is Eq. 25 of the DSP paper when a is
    1/|π| on a cluster π.
    """

    def __init__(self, K: Array) -> None:
        self.K, self.n, self.dtype = K, len(K), K.dtype
        self.weight, self.constant = np.ones(self.n), 0.0
        self.diagonal = K.diagonal()

    def squared_distances(self, centres: Array, rows: Any = slice(None)) -> Array:
        """From some points to each centre; never below zero."""
        products = self.K @ centres.T
        norms = np.einsum("ck,kc->c", centres, products)
        return np.maximum(self.diagonal[rows, None] - 2 * products[rows] + norms, 0)

    def means(self, labels: Array, n_clusters: int) -> tuple[Array, Array]:
        """The coefficients of each cluster's mean, and which clusters are not empty."""
        sizes = np.bincount(labels, minlength=n_clusters)
        centres = np.zeros((n_clusters, self.n), dtype=self.dtype)
        centres[labels, np.arange(self.n)] = 1.0 / sizes[labels]
        return centres, sizes > 0

    def take(self, rows: Array) -> Array:
        """Some of the points, as centres."""
        centres = np.zeros((len(rows), self.n), dtype=self.dtype)
        centres[np.arange(len(rows)), rows] = 1.0
        return centres


class KernelKMeans(Clusterer):
    """k-means in the feature space of a kernel: clusters may be curved.

    Prefer it over k-means where clusters are not blobs and a kernel of n × n fits in memory. It hears no hints;
    :class:`SKKMeans` does.

    .. math:: \\min_\\pi \\sum_h \\sum_{x \\in \\pi_h} \\|\\varphi(x) - m_h\\|^2, \\qquad
              m_h = \\frac{1}{|\\pi_h|} \\sum_{t \\in \\pi_h} \\varphi(t)

    (DSP paper, Eqs. 22–23.) For a positive semi-definite kernel the objective never rises.

    Parameters
    ----------
    n_clusters : int
    kernel : str or callable
        "rbf" is exp(−d²/2δ²); "precomputed": X is the n × n kernel itself; any other name that
        ``sklearn.metrics.pairwise.pairwise_kernels`` knows, or a function of two rows.
    delta : "median" or float
        The width δ of "rbf"; "median" is the median distance between rows.
    kernel_params : dict, optional
        More arguments for kernels other than "rbf".
    n_init, max_iter, tol, random_state
        As for :class:`~likewise.clustering.SphericalKMeans`.

    Attributes
    ----------
    labels_ : (n,) int array
    coefficients_ : (n_clusters, n) array
        Each centre as a combination of the rows that were clustered.
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

    _uses_hints: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **LOOP,
        "kernel": [StrOptions({*PAIRWISE_KERNEL_FUNCTIONS, "precomputed"}), callable],
        "delta": DELTA,
        "kernel_params": [dict, None],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "rbf",
        delta: float | str = "median",
        kernel_params: dict[str, Any] | None = None,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.delta = delta
        self.kernel_params = kernel_params
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _cluster(self, X: Any, constraints: Constraints) -> np.ndarray:
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(f"kernel='precomputed' needs a square matrix, got shape {X.shape}.")
        if self.kernel == "rbf":
            self.delta_ = self._width(X)
        K = self._kernel(X, X)
        K_hat, correct = self._projected(K, constraints)
        rng = check_random_state(self.random_state)
        points = KernelPoints(K_hat)
        run = k_means(points, self.n_clusters, rng, n_init=self.n_init, max_iter=self.max_iter, tol=self.tol)
        self._X = X
        self.coefficients_ = correct(run.centres)
        self._norms = np.einsum("ck,kc->c", run.centres, K_hat @ run.centres.T)
        self.inertia_ = self.objective_ = run.objective
        self.history_, self.n_iter_ = run.history, run.n_iter
        return run.labels

    def _width(self, X: Any) -> float:
        return median_distance(X) if isinstance(self.delta, str) else float(self.delta)

    def _projected(self, K: Array, constraints: Constraints) -> tuple[Array, Any]:
        """The kernel to cluster in, and what makes coefficients in it into coefficients on the kernel itself."""
        return K, lambda coefficients: coefficients

    def _kernel(self, left: Any, right: Any) -> Array:
        if self.kernel == "precomputed":
            return left.toarray() if hasattr(left, "toarray") else left
        params = {"gamma": 0.5 / self.delta_**2} if self.kernel == "rbf" else self.kernel_params or {}
        return np.asarray(pairwise_kernels(left, right, metric=self.kernel, **params))

    def predict(self, X: Any) -> np.ndarray:
        """The nearest centre of new rows in feature space.

        For "precomputed", X is their kernel with the rows of fit.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=False)
        products = self._kernel(X, self._X) @ self.coefficients_.T
        return (self._norms - 2 * products).argmin(axis=1).astype(np.int32)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


class SKKMeans(KernelKMeans):
    """Subspace kernel k-means: every must-link group is one point in feature space, then kernel k-means.

    The feature space is projected onto the null space of all must-link differences, so must-linked rows coincide and
    everything near them is drawn along. Prefer it for up to some thousand rows of curved data with trusted must-links;
    cannot-links do not enter. With no hints it is :class:`KernelKMeans`.

    .. math:: \\hat K = K - K_M^T W^+ K_M, \\qquad
              \\min_\\pi \\sum_h \\sum_{x \\in \\pi_h} \\|\\hat\\varphi(x) - \\hat m_h\\|^2

    (DSP paper, Eqs. 6–8 and 24–25.) Parameters and attributes are those of :class:`KernelKMeans`; new rows are
    compared after the same projection.

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

    _uses_hints: ClassVar[bool] = True
    _uses_beliefs: ClassVar[bool] = False

    def _width(self, X: Any) -> float:
        return resolve_delta(self.delta, X)

    def _projected(self, K: Array, constraints: Constraints) -> tuple[Array, Any]:
        linked, differences = must_link_differences(constraints)
        if not len(linked):
            return super()._projected(K, constraints)
        # K̂ = K − T Tᵀ with T = K[:, linked] B. The identity below the kernel's own rows brings B out as well.
        both = np.vstack([K[linked][:, linked], np.eye(len(linked))])
        B = collapse(both, np.arange(len(linked)), differences)[len(linked) :]
        T = K[:, linked] @ B

        def correct(coefficients: Array) -> Array:
            # K̂(x, ·) a = K(x, ·) a − K(x, linked) B Tᵀ a
            corrected = coefficients.astype(np.float64)
            corrected[:, linked] -= (coefficients @ T) @ B.T
            return corrected

        return (K - T @ T.T).astype(K.dtype, copy=False), correct


GRID = (0.25, 0.5, 2**-0.5, 1.0, 2**0.5, 2.0, 4.0)
"""The widths that :func:`choose_delta` tries, in units of the median distance between rows."""


def choose_delta(
    X: Any,
    constraints: Constraints,
    n_clusters: int,
    grid: Sequence[float] | None = None,
    *,
    n_init: int = 10,
    random_state: Any = None,
) -> float:
    """The kernel width at which SKK-means keeps most cannot-links apart; of equals the middle one.

    This is how the DSP paper sets δ. Must-links shape the kernel, cannot-links judge it. The median distance between
    rows is the safer choice when cannot-links are few.

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
            f"choose_delta judges by cannot-links, and the hints hold none: {constraints!r}. Use delta='median'."
        )
    apart = Penalties(cannot_link_graph(constraints))
    rng = check_random_state(random_state)
    seed = rng.randint(2**31 - 1)
    broken = []
    for delta in widths:
        K = pairwise_kernels(X, metric="rbf", gamma=0.5 / delta**2)
        model = SKKMeans(n_clusters, kernel="precomputed", n_init=n_init, random_state=seed)
        broken.append(apart.total(model.fit(K, constraints=constraints).labels_))
    best = np.flatnonzero(np.isclose(broken, min(broken), rtol=1e-9, atol=1e-9))
    return float(widths[best[(len(best) - 1) // 2]])
