"""A projection learned from comparisons, such as "a is more like b than c"."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from .._arrays import FloatArray
from .._method import PRODUCTS, Method, Needs
from .._progress import stage
from .._sklearn import POSITIVE_INT, Interval, StrOptions
from ..constraints import Constraints
from ..forms import Form, laplacian, ridge, total_scatter
from ..graphs import RowMatrix, cannot_link_graph, must_link_graph
from ..linalg._eigen import with_sign
from ..linalg._products import centered, crossprod64, product
from ..pencil import Pencil, solve_pencil
from ._base import TOL, Projection
from ._comparison_loss import ComparisonLoss, Terms, scaled_axes

PRIOR = 0.3
"""In the pencil, the scatter of all rows counts as much as this number of comparisons per dimension."""

LEAST_NEAR = 0.01
"""The variance of near pairs is assumed to be at least this fraction of the variance of all rows."""


class ComparisonProjection(Projection):
    """PCA, corrected by comparisons: "a is more like b than c", "a and b are more alike than c and d".

    Prefer it if people could say which rows are more alike, but not which belong together. It starts from PCA, and
    departs from it only as far as the comparisons require. Must-links and cannot-links are used as well: their rows
    should be closer, or farther apart, than two rows are on average.

    Let :math:`\\delta_t` and :math:`\\gamma_t` be the differences between the two rows of the near and of the far pair
    of comparison t, :math:`w_t` its weight, T the covariance of the rows, and :math:`W_0` their r principal axes,
    scaled so that two rows have a mean squared distance of 2. The objective is

    .. math:: \\min_W - \\sum_t w_t \\log\\big(\\varepsilon + (1 - 2 \\varepsilon)\\,
              \\sigma(\\|W^T \\gamma_t\\|^2 - \\|W^T \\delta_t\\|^2)\\big)
              + \\frac{\\alpha d}{2} \\mathrm{tr} (W - W_0)^T R (W - W_0),
              \\quad R = T + 0.1\\, \\frac{\\mathrm{tr}\\, T}{f} I,

    where d is the number of features, or of rows if these are fewer. The loss is bounded: a comparison that cannot be
    satisfied has little influence, so that wrong answers do little harm. The objective is minimized by L-BFGS from
    :math:`W_0`, using only products with the data.

    With ``loss="ratio"`` the method is a pencil instead, which makes the scatter of near pairs small and that of far
    pairs large. This is for comparisons that are as informative as pairs, because the people who answered thought of
    clusters and could leave a question open.

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, all that exist.
    loss : {"logistic", "ratio"}
    alpha : float
        The weight of PCA. With "ratio", it counts as 0.3 α comparisons per dimension.
    error_rate : float
        ε, the expected share of wrong answers; not used with "ratio".
    max_iter : int
        Maximum number of L-BFGS iterations.

    Attributes
    ----------
    components_ : (n_components_, n_features_in_) array
        One direction per row, in decreasing order of variance. They are not of unit length, since distances after the
        projection are what is learned.
    share_ : (n_components_,) array
        The share of the far pairs in the sum of squared distances of all compared pairs, along each direction; with
        "ratio" as for all projections.
    n_iter_ : int
        Number of L-BFGS iterations; 1 with "ratio".

    References
    ----------
    The loss is this package's. Comparisons as constraints: E. Y. Liu, Z. Guo, X. Zhang, V. Jojic, W. Wang: Metric
    learning from relative comparisons by minimizing squared residual, ICDM 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import Comparisons, ComparisonProjection
    >>> X, y = load_iris(return_X_y=True)
    >>> hints = Comparisons(150, nearer=[(0, 1, 60), (60, 70, 120), (120, 130, 70), (70, 80, 140)])
    >>> ComparisonProjection(n_components=2).fit_transform(X, constraints=hints).shape
    (150, 2)
    """

    _method: ClassVar[Method] = Method(
        "comparison",
        prefer="people said what is more alike, not what belongs together",
        paper="this package",
        needs=Needs.COMPARISONS,
        uses_comparisons=True,
        cost=PRODUCTS,
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": Projection._parameter_constraints["n_components"],
        "loss": [StrOptions({"logistic", "ratio"})],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "error_rate": [Interval(Real, 0, 0.5, closed="left")],
        "max_iter": [POSITIVE_INT],
    }
    scaling = "share"

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        loss: str = "logistic",
        alpha: float = 1.0,
        error_rate: float = 0.1,
        max_iter: int = 100,
    ) -> None:
        self.n_components = n_components
        self.loss = loss
        self.alpha = alpha
        self.error_rate = error_rate
        self.max_iter = max_iter

    def _components(self, X: Any, constraints: Constraints) -> np.ndarray:
        self.n_iter_ = 1
        if self.loss == "ratio":
            return super()._components(X, constraints)
        n = X.shape[0]
        axes = solve_pencil(X, Pencil(pull=ridge(1.0), push=total_scatter(n)), self.n_components, tol=TOL)
        rows = X.astype(np.float64) if sparse.issparse(X) else centered(X).astype(np.float64, copy=False)
        total = float(total_scatter(n).diagonal(rows).sum()) / n
        rows = rows * (1.0 / np.sqrt(total))  # makes the solver's tolerances independent of the units of the data
        terms = Terms.of(constraints)
        near, far = (rows[pairs[:, 0]] - rows[pairs[:, 1]] for pairs in (terms.near, terms.far))
        covariance = _covariance_of(rows)
        start = scaled_axes(axes.components.T.astype(np.float64), covariance)
        penalty = self.alpha * min(X.shape)
        loss = ComparisonLoss(
            near, far, terms.offset, terms.weight, covariance, 1.0 / X.shape[1], start, penalty, self.error_rate
        )
        with stage("learning from comparisons"):
            W, n_iter = loss.minimized(self.max_iter)
        self.n_iter_ = max(n_iter, 1)
        W = with_sign(W @ _principal(W, covariance))
        squares = [terms.weight @ np.square(pairs @ W) for pairs in (near, far)]
        self.share_ = np.divide(squares[1], sum(squares), out=np.zeros(W.shape[1]), where=sum(squares) > 0)
        self.n_perfect_ = 0
        self.route_ = "L-BFGS"
        return (W.T / np.sqrt(total)).astype(X.dtype)

    def _pencil(self, X: Any, constraints: Constraints) -> Pencil:
        n, f = X.shape
        prior = PRIOR * self.alpha * min(n, f)
        comparisons = constraints.comparisons
        near = RowMatrix.from_pairs(n, comparisons.near, comparisons.weight) + must_link_graph(constraints)
        far = RowMatrix.from_pairs(n, comparisons.far, comparisons.weight) + cannot_link_graph(constraints)
        inside, outside = 0.5 * laplacian(near), 0.5 * laplacian(far)
        total = total_scatter(n) * (1.0 / n)
        n_near, n_far = (float(graph.row_sums().sum()) / 2 for graph in (near, far))
        least = LEAST_NEAR * _mean_diagonal(total, X)
        variance = max(_mean_diagonal(inside, X) / n_near, least) if n_near else _mean_diagonal(total, X)
        return Pencil(
            pull=(inside + ridge(prior * variance)) * (1.0 / (n_near + prior)),
            push=(outside + prior * total) * (1.0 / (n_far + prior)),
        )


def _covariance_of(rows: Any) -> Callable[[FloatArray], FloatArray]:
    """The function V → T V, with T the covariance, without computing T if it would be larger than the rows."""
    n, f = rows.shape
    if not sparse.issparse(rows) and f <= n:
        T = crossprod64(rows, rows) / n
        return lambda V: T @ V
    mean = np.asarray(rows.mean(axis=0)).ravel()
    return lambda V: np.asarray(rows.T @ product(rows, V)) / n - np.outer(mean, mean @ V)


def _principal(W: FloatArray, covariance: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """The rotation after which the columns of W are uncorrelated, those of largest variance first."""
    return np.linalg.eigh(W.T @ covariance(W))[1][:, ::-1]


def _mean_diagonal(form: Form, X: Any) -> float:
    return float(form.diagonal(X).mean())
