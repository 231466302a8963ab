"""SSDR: semi-supervised dimensionality reduction."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from .._arrays import FloatArray
from .._method import PRODUCTS, Method
from .._sklearn import Interval
from ..constraints import Constraints
from ..forms import laplacian, ridge
from ..graphs import RowMatrix, cannot_link_graph, must_link_graph
from ..pencil import Pencil
from ._base import Projection
from ._weighted import WeightedProjection


class SSDR(WeightedProjection):
    """Semi-supervised dimensionality reduction: PCA that also separates cannot-links and contracts must-links.

    A robust default if there are few constraints: without any it is PCA, so it stays close to the unsupervised result.

    .. math:: \\max_{W^T W = I} \\tfrac12 \\sum_{ij} (w^T x_i - w^T x_j)^2 S_{ij}, \\quad
              S_{ij} = \\frac{1}{n^2} + \\frac{\\alpha}{n_C}[ij \\in C] - \\frac{\\beta}{n_M}[ij \\in M]

    where :math:`C` and :math:`M` are the cannot-links and must-links as given (without closure) and :math:`n_C`,
    :math:`n_M` their numbers. Constraints are weighted.

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, all that exist.
    alpha, beta : float
        The total weight of the cannot-links and of the must-links; 1 and 20 as published.

    References
    ----------
    D. Zhang, Z.-H. Zhou, S. Chen: Semi-supervised dimensionality reduction, SDM 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import SSDR, Constraints
    >>> X, y = load_iris(return_X_y=True)
    >>> hints = Constraints.sample(y, "random_pairs", 60, random_state=0)
    >>> SSDR(n_components=2).fit_transform(X, constraints=hints).shape
    (150, 2)
    """

    _method: ClassVar[Method] = Method(
        "ssdr", prefer="few constraints: PCA, gently corrected", paper="Zhang, Zhou, Chen 2007", cost=PRODUCTS
    )
    _unconstrained = "moments"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": Projection._parameter_constraints["n_components"],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
    }
    scaling = "unit"

    def __init__(self, n_components: int | None = 2, *, alpha: float = 1.0, beta: float = 20.0) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta

    def _weighted_pencil(self, X: Any, constraints: Constraints, weight: FloatArray) -> Pencil:
        weights = RowMatrix.low_rank(weight[:, None]) * (1.0 / weight.sum() ** 2)
        for graph, amount in (
            (cannot_link_graph(constraints), self.alpha),
            (must_link_graph(constraints), -self.beta),
        ):
            total = graph.row_sums().sum() / 2
            if total > 0:
                weights = weights + graph * (amount / total)
        return Pencil(pull=ridge(1.0), push=laplacian(weights, signed=True))
