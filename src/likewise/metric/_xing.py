"""Xing's metric: must-linked rows close, cannot-linked rows far apart."""

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
"""Fewer features than this in the optimum are worth a warning."""

FULL_SHRINK = 0.5
"""Default shrinkage of full metrics: choosing one by pairs left out was no better on 13 tables."""

LARGE = 1000
"""Dimensions beyond which a full metric takes minutes."""


def _check_metric(model: Any) -> None:
    f = model.n_features_in_
    if hasattr(model, "_root"):
        check_shape(model._root, (f, f), "_root")
    else:
        check_shape(model.weights_, (f,), "weights_")
        if model.weights_.min() < 0:
            raise ValueError(f"weights_ has {model.weights_.min()}, and a weight is at least 0")


class XingMetric(SavesModels, SuggestsParameters, TransformerMixin, BaseEstimator):
    """A distance in which must-linked rows are close and cannot-linked rows far apart.

    ``transform`` gives √A x, so that plain Euclidean distance there is the learned distance here: put it before any
    clusterer or neighbor search. Prefer ``kind="diagonal"`` (a weight for each feature) on tables whose columns have a
    meaning, and with few pairs; ``kind="full"`` rotates the axes too, and needs more pairs than features. It needs
    cannot-links. On sparse text project first (:class:`likewise.ASP`): the optimum there keeps a handful of words.

    Diagonal, with A = diag(a) (Yan and Domeniconi 2006, Section 2.1; Xing et al. 2002, Section 2.1):

    .. math:: \\min_{a \\ge 0} \\sum_{ML} \\|x_i - x_j\\|_A^2 - \\log \\sum_{CL} \\|x_i - x_j\\|_A

    Full (Xing et al. 2002, Eqs. 6–8):

    .. math:: \\max_{A \\succeq 0} \\sum_{CL} \\|x_i - x_j\\|_A
       \\quad \\text{s.t.} \\quad \\sum_{ML} \\|x_i - x_j\\|_A^2 \\le 1

    Both are convex and solved to their optimum. The first by Newton's method among the features that have a weight,
    others being added by their gradient, so that no features × features matrix is formed. The second by projected
    gradient ascent in coordinates where the must-link sum is the identity, which replaces the published
    alternation between two projections by one in closed form; it stops when the value is proven to be within ``tol``
    of the best, usually after some dozens of steps.

    Parameters
    ----------
    kind : {"diagonal", "full"}
    shrink : "auto" or float in [0, 1]
        How far to move from the optimum toward a metric without constraints, both brought to the same
        Σ_j a_j·variance_j first. The optimum of the diagonal problem keeps few features, often 1 to 4 of thousands; 0
        takes it as it is, 1 takes none of it. "auto", for diagonal metrics: a fifth of the rows is left out in turn,
        and of the metrics learned from the pairs without them that shrinkage is taken which orders the other pairs
        best (cannot-linked ones farther apart), or the largest that is no worse by more than a standard error; 0.9 with
        too few pairs of either kind to leave some out. Over 17 tables with 50 to 500 pairs k-means reached a mean Rand
        index of .812 with it, .806 with 0.5 and .804 with 0.9. For full metrics it is 0.5.
    ridge : "auto" or float
        Pseudo-links, must-links between random rows, for each must-link. Few must-links agree by chance on some
        features, and the optimum then uses those alone. "auto": 1 (over seven tables with 100 to 500 pairs k-means
        reached a mean Rand index of .79 with it, .75 without), but 1e-6, just enough for an optimum to exist, with
        ``shrink=0``.
    toward : {"auto", "variance", "equal"}
        The metric without constraints: 1/variance, which standardizes, for tables; or equal weights, for text, pixels
        and data that was projected before, where standardizing blows up rare words and noise. "auto": equal weights
        for sparse data and where the ranges of the features are alike, else 1/variance.
    max_iter : int
    tol : float
        Diagonal: largest violation of the optimality conditions, in units where the must-link sum of each feature is
        1. Full: proven relative distance to the best value.

    Attributes
    ----------
    weights_ : (n_features_in_,) array
        a, for ``kind="diagonal"``. With ``shrink=0`` the must-link sum at a is ½, as it is at the optimum.
    metric_ : (n_features_in_, n_features_in_) array
        A, for ``kind="full"``.
    shrink_ : float
        The shrinkage used.
    n_kept_ : int
        Features (for ``kind="full"``: directions) with a weight at the optimum, before shrinking.
    n_iter_ : int

    Notes
    -----
    Pairs count as given, each with its weight, without entailed pairs. The must-links of a partition cost O(n). Its
    cannot-links are expanded up to 200,000 pairs (fewer with many features); beyond, evenly spaced ones stand for
    all. On a feature where all must-linked rows agree the first objective would fall without end, so every feature
    costs at least a millionth of what random must-links would. A cannot-linked pair with equal rows has no effect.

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
        """The optimum as it is; the plain constructor moves from it toward a metric without constraints.

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
        """Learn the distance.

        Parameters
        ----------
        X : (n, f) array, sparse matrix or data frame
        y : (n,) array-like, optional
            Partial labels; −1, None or NaN where unknown.
        constraints : Constraints, optional
            Pairs, and anything else that is known. With ``y``, both count.

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
        """√A x for each row.

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
            Names of the features; by default those of ``fit``.

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
                f"a full metric of {n_features:,} features from {n_cannot_link:,} cannot-links takes minutes. Project "
                'first (likewise.ASP, likewise.Costco), or use kind="diagonal".',
                stacklevel=5,
            )

    @property
    def _literal(self) -> bool:
        """Whether the user asked for the optimum, or most of it."""
        return not isinstance(self.shrink, str) and self.shrink < 0.5

    def _warn(self, path: MetricPath, n_features: int) -> None:
        if not path.informed:
            warnings.warn(
                "every cannot-linked pair has equal rows, so nothing can be learned from them, and features keep the "
                "weights they have without constraints. Check the pairs, or add features in which the rows differ.",
                stacklevel=5,
            )
        elif path.residual > self.tol:
            warnings.warn(
                f"the optimum was not reached: {path.residual:.1e} is left after {path.n_iter} steps, tol is "
                f"{self.tol:.1e}. Raise max_iter={self.max_iter}, or accept a larger tol.",
                ConvergenceWarning,
                stacklevel=5,
            )
        elif self.kind == "diagonal" and self._literal and path.n_kept < min(FEW, n_features / 2):
            warnings.warn(
                f"the optimum keeps {path.n_kept} of {n_features} features: with so few the distance sees little of "
                'the data. Raise shrink or leave it at "auto", project first (ASP), or add cannot-links.',
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
