"""Metric learning after Xing et al.: must-linked rows close, cannot-linked rows far apart."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg, sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._arrays import FloatArray
from .._estimator import fit_inputs, require_given, validate_rows
from .._method import Method, Needs
from .._parameters import SuggestsParameters
from .._progress import stage
from .._saved import Saved, check_shape
from .._shortcuts import SavesModels
from .._sklearn import POSITIVE_INT, Interval, StrOptions, _check_feature_names_in, _fit_context
from ..chunked._lazy import lazily
from ..constraints import Constraints
from ..forms import total_scatter
from ..prepare._kinds import on_one_scale
from ._path import MetricPath, MetricProblem, choose_shrink
from ._terms import (
    MIN_RIDGE,
    around_mean,
    cannot_link_pairs,
    check_cannot_links,
    column_variance,
    differences,
    entries,
    max_pairs,
    must_link_form,
    must_link_sums,
    resolve_ridge,
)

FEW = 5
"""Warn if the optimum has fewer features than this."""

FULL_SHRINK = 0.5
"""Default shrinkage of full metrics. Choosing it by cross-validation was no better on 13 tables."""

LARGE = 1000
"""With more dimensions than this a full metric takes minutes."""


def _check_metric(model: Any) -> None:
    f = model.n_features_in_
    if hasattr(model, "_root"):
        check_shape(model._root, (f, f), "_root")
    else:
        check_shape(model.weights_, (f,), "weights_")
        if model.weights_.min() < 0:
            raise ValueError(f"weights_ has {model.weights_.min()}, and a weight is at least 0")


class XingMetric(SavesModels, SuggestsParameters, TransformerMixin, BaseEstimator):
    """A metric in which must-linked rows are close and cannot-linked rows far apart.

    ``transform`` returns √A x, so that Euclidean distances after it are the learned distances: use it before any
    clusterer or neighbor search. Prefer ``kind="diagonal"`` (a weight for each feature) for tables with meaningful
    columns, and with few pairs. ``kind="full"`` rotates the axes as well, and needs more pairs than features.
    Cannot-links are required. On sparse text project first (:class:`likewise.ASP`), since the optimum keeps only a few
    words.

    Diagonal, with A = diag(a) (Yan and Domeniconi 2006, Section 2.1; Xing et al. 2002, Section 2.1):

    .. math:: \\min_{a \\ge 0} \\sum_{ML} \\|x_i - x_j\\|_A^2 - \\log \\sum_{CL} \\|x_i - x_j\\|_A

    Full (Xing et al. 2002, Eqs. 6–8):

    .. math:: \\max_{A \\succeq 0} \\sum_{CL} \\|x_i - x_j\\|_A
       \\quad \\text{s.t.} \\quad \\sum_{ML} \\|x_i - x_j\\|_A^2 \\le 1

    Both problems are convex and solved to optimality. The first is solved by Newton's method on an active set of
    features, without a features × features matrix. The second is solved by projected gradient ascent in coordinates
    where the must-link sum is the identity; there the published alternation between two projections becomes a single
    projection in closed form. It stops when the value is proven to be within ``tol`` of the maximum, usually after a
    few dozen steps.

    Parameters
    ----------
    kind : {"diagonal", "full"}
    shrink : "auto" or float in [0, 1]
        How far to move from the optimum (0) toward a metric without constraints (1), both scaled to the same
        Σ_j a_j·variance_j. The optimum of the diagonal problem keeps few features, often 1 to 4 of thousands. "auto",
        for diagonal metrics, chooses by cross-validation over the constrained rows: the largest shrinkage whose area
        under the ROC curve on held-out pairs is within one standard error of the best; 0.9 if there are too few pairs
        of either kind. For full metrics "auto" is 0.5. On 17 tables with 50 to 500 pairs, k-means reached a mean Rand
        index of .812 with "auto", .806 with 0.5 and .804 with 0.9.
    ridge : "auto" or float
        Number of pseudo-links, must-links between random rows, per must-link. A few must-links agree on some features
        by chance, and the optimum would use only those. "auto": 1, or 1e-6 with ``shrink=0``, just enough for an
        optimum to exist. On seven tables with 100 to 500 pairs, k-means reached a mean Rand index of .79 with 1, and
        .75 without.
    toward : {"auto", "variance", "equal"}
        The metric without constraints: 1/variance (standardization), for tables; or equal weights, for text, pixels
        and projected data, where standardizing amplifies rare words and noise. "auto": equal weights for sparse data
        and for features with similar ranges, else 1/variance.
    max_iter : int
    tol : float
        Diagonal: largest violation of the optimality conditions, in units where the must-link sum of each feature is
        1. Full: relative distance to the maximum.

    Attributes
    ----------
    weights_ : (n_features_in_,) array
        a, for ``kind="diagonal"``. With ``shrink=0`` the must-link sum at a is ½, as it is at the optimum.
    metric_ : (n_features_in_, n_features_in_) array
        A, for ``kind="full"``.
    shrink_ : float
        The shrinkage that was used.
    n_kept_ : int
        Number of features (directions for ``kind="full"``) with a nonzero weight at the optimum, before shrinkage.
    n_iter_ : int

    Notes
    -----
    Pairs are used as given, with their weights and without closure. The must-links of a partition cost O(n). Its
    cannot-links are expanded up to 200,000 pairs (fewer with many features); beyond, evenly spaced pairs represent
    them. The first objective is unbounded on a feature where all must-linked rows agree, so every feature costs at
    least a millionth of what random must-links would. Cannot-linked pairs of equal rows have no effect.

    References
    ----------
    E. Xing, A. Ng, M. Jordan, S. Russell: Distance metric learning, with application to clustering with
    side-information, NIPS 2002. B. Yan, C. Domeniconi: Subspace metric ensembles for semi-supervised clustering of
    high dimensional data, ECML 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from likewise import Constraints
    >>> from likewise.metric import XingMetric
    >>> X, y = load_wine(return_X_y=True)
    >>> hints = Constraints.sample(y, "random_pairs", 100, random_state=0)
    >>> metric = XingMetric().fit(X, constraints=hints)
    >>> metric.transform(X).shape, metric.n_kept_
    ((178, 13), 5)
    """

    _method: ClassVar[Method] = Method(
        "xing",
        prefer="weights of columns, learned from pairs",
        paper="Xing, Ng, Jordan, Russell 2002",
        needs=Needs.MUST_LINK | Needs.CANNOT_LINK,
    )
    _saved: ClassVar[Saved] = Saved(
        ("n_features_in_",), optional=("weights_", "metric_", "_root", "shrink_"), check=_check_metric
    )
    _published: ClassVar[dict[str, Any]] = {"shrink": 0.0, "ridge": MIN_RIDGE}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "kind": [StrOptions({"diagonal", "full"})],
        "shrink": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both")],
        "ridge": [StrOptions({"auto"}), Interval(Real, MIN_RIDGE, None, closed="left")],
        "toward": [StrOptions({"auto", "variance", "equal"})],
        "max_iter": [POSITIVE_INT],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        kind: str = "diagonal",
        *,
        shrink: float | str = "auto",
        ridge: float | str = "auto",
        toward: str = "auto",
        max_iter: int = 1000,
        tol: float = 1e-6,
    ) -> None:
        self.kind = kind
        self.shrink = shrink
        self.ridge = ridge
        self.toward = toward
        self.max_iter = max_iter
        self.tol = tol

    @classmethod
    def as_published(cls, kind: str = "diagonal", **params: Any) -> Self:
        """The published method, without shrinkage. The default of the constructor is to choose the shrinkage.

        Parameters
        ----------
        kind : {"diagonal", "full"}
        **params
            Other parameters of the constructor.

        Returns
        -------
        estimator
        """
        return cls(kind, **{**cls._published, **params})

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : (n, f) array, sparse matrix or data frame
        y : (n,) array-like, optional
            Partial labels; −1, None or NaN where unknown.
        constraints : Constraints, optional
            Must-links, cannot-links and partitions, used in addition to ``y``.

        Returns
        -------
        self
        """
        require_given(self, self._method.needs, y, constraints)
        X, known = fit_inputs(
            self, X, y, constraints, accept_sparse="csr", dtype=(np.float64, np.float32), ensure_min_samples=2
        )
        check_cannot_links("XingMetric", known, "learn from must-links alone with RCA or Costco")
        self._warn_of_size(X.shape[1], known.n_cannot_link)
        Z = around_mean(X)
        problem = self._problem(Z)
        ridge = resolve_ridge(self.ridge, self.shrink)
        pairs, pair_weights = cannot_link_pairs(known, max_pairs(entries(Z)))
        full = self.kind == "full"
        if full:
            must = must_link_form(Z, known, ridge, problem.variance).matrix(Z)
        else:
            must = must_link_sums(Z, known, ridge, problem.variance)
        with stage("learning a metric"):
            path = problem.solve(must, differences(Z, pairs, dense=full), pair_weights, self.tol)
        self._warn(path, X.shape[1])
        self.n_iter_ = max(path.n_iter, 1)
        self.n_kept_ = path.n_kept
        self.shrink_ = self._shrink(Z, known, problem, ridge)
        metric = path.shrunk(self.shrink_)
        for stale in ("weights_", "metric_", "_root"):
            self.__dict__.pop(stale, None)
        if self.kind == "diagonal":
            self.weights_ = metric.astype(X.dtype, copy=False)
        else:
            self.metric_ = metric.astype(X.dtype, copy=False)
            self._root = _root(metric).astype(X.dtype, copy=False)
        return self

    def _problem(self, X: Any) -> MetricProblem:
        toward = self.toward
        if toward == "auto":
            toward = "equal" if sparse.issparse(X) or on_one_scale(X) else "variance"
        spread = column_variance(X)
        if self.kind == "full":
            variance, spread = spread, total_scatter(X.shape[0]).matrix(X) / X.shape[0]
            np.fill_diagonal(spread, variance)
        return MetricProblem(spread, toward, self.max_iter)

    def _shrink(self, X: Any, constraints: Constraints, problem: MetricProblem, ridge: float) -> float:
        if not isinstance(self.shrink, str):
            return float(self.shrink)
        if self.kind == "full":
            return FULL_SHRINK
        with stage("choosing the shrinkage"):
            return choose_shrink(X, constraints, problem, ridge)

    @lazily
    def transform(self, X: Any) -> Any:
        """Compute √A x for each row.

        Parameters
        ----------
        X : (n, f) array, sparse matrix, data frame or Dask collection

        Returns
        -------
        (n, f) array, or sparse matrix for a sparse X and a diagonal metric
        """
        check_is_fitted(self)
        X = validate_rows(self, X, accept_sparse=("csr", "csc"), dtype=(np.float64, np.float32), reset=False)
        if hasattr(self, "_root"):
            return np.asarray(X @ self._root, dtype=X.dtype)
        root = np.sqrt(self.weights_).astype(X.dtype, copy=False)
        return X @ sparse.diags_array(root) if sparse.issparse(X) else X * root

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the features for a diagonal metric, else xingmetric0, xingmetric1, ...

        Parameters
        ----------
        input_features : (f,) array-like of str, optional
            Names of the features; by default those seen in ``fit``.

        Returns
        -------
        (f,) array of str
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        if not hasattr(self, "_root"):
            return names
        return np.array([f"xingmetric{j}" for j in range(len(names))], dtype=object)

    def _warn_of_size(self, n_features: int, n_cannot_link: int) -> None:
        if self.kind == "full" and (min(n_cannot_link, n_features) > LARGE or n_features > 4 * LARGE):
            warnings.warn(
                f"learning a full metric of {n_features:,} features from {n_cannot_link:,} cannot-links takes minutes. "
                'Project first (likewise.ASP, likewise.Costco), or use kind="diagonal".',
                stacklevel=5,
            )

    @property
    def _literal(self) -> bool:
        """Whether the user requested the optimum with little or no shrinkage."""
        return not isinstance(self.shrink, str) and self.shrink < 0.5

    def _warn(self, path: MetricPath, n_features: int) -> None:
        if not path.informed:
            warnings.warn(
                "every cannot-linked pair has equal rows, so nothing can be learned from them, and the metric is the "
                "one without constraints. Check the pairs, or add features in which the rows differ.",
                stacklevel=5,
            )
        elif path.residual > self.tol:
            warnings.warn(
                f"the optimization did not converge: the residual is {path.residual:.1e} after {path.n_iter} steps, "
                f"with tol={self.tol:.1e}. Increase max_iter={self.max_iter}, or use a larger tol.",
                ConvergenceWarning,
                stacklevel=5,
            )
        elif self.kind == "diagonal" and self._literal and path.n_kept < min(FEW, n_features / 2):
            warnings.warn(
                f"the optimum keeps only {path.n_kept} of {n_features} features, so the distance ignores most of the "
                'data. Increase shrink or use "auto", project first (ASP), or add cannot-links.',
                stacklevel=5,
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _root(A: FloatArray) -> FloatArray:
    values, vectors = linalg.eigh(A)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
