"""Costco: content and structure constrained feature projection."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from .._arrays import FloatArray
from .._method import PRODUCTS, Method, Needs
from .._sklearn import Interval, StrOptions
from ..constraints import Constraints
from ..forms import Form, laplacian, ridge, total_scatter
from ..graphs import must_link_graph
from ..pencil import Pencil
from ._base import Projection
from ._groups import n_independent_links
from ._weighted import WeightedProjection


class Costco(WeightedProjection):
    """Content and structure constrained projection: must-linked rows close together, all rows spread out.

    A good first choice for text and wide data. It uses the must-links as given (without transitive closure, so that a
    wrong one does not merge whole groups), all unconstrained rows, and a regularizer proportional to the variance of
    each feature. Cannot-links are not used. On text, cluster by cosine similarity afterward.

    .. math:: \\max_S \\operatorname{tr}\\frac{S^T U S}{S^T (V + \\beta J) S}

    where :math:`V` is the weighted mean of :math:`(x_i - x_j)(x_i - x_j)^T` over must-links ("core pairs", Eq. 5.10),
    :math:`U` the covariance of all rows (Eq. 5.12), :math:`J = \\operatorname{diag}(U)` (Eq. 5.16), and :math:`\\beta`
    by default :math:`\\max \\operatorname{diag} V / \\max \\operatorname{diag} J` (Eq. 5.17).

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, all that exist.
    beta : "auto", "published" or float
        The weight of the regularizer. "published" is Eq. 5.17. "auto" multiplies it by features / must-links if there
        are more must-links than features; in benchmarks a hundredth to a tenth of Eq. 5.17 was best then. Must-links
        that follow from others do not count: a group of s rows has s − 1. 0 is "nr-Costco".
    regularizer : {"variance", "identity"}
        J. Constant features get weight 0 either way.
    over : {"sum", "pull"}
        "pull" divides by V + βJ on its range, as published. The two differ only if β = 0.
    scaling : {"share", "unit", "form"}
        "share" is the published length, Sᵀ(V + βJ)S = I.

    Attributes
    ----------
    beta_ : float
        The β that was used.

    References
    ----------
    S. Yan, PhD thesis, Pennsylvania State University, 2010, Sections 5.5–5.6: Eqs. 5.10–5.17, Algorithm 3.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from likewise import Constraints, Costco
    >>> X, y = load_digits(return_X_y=True)
    >>> hints = Constraints.sample(y, "links", 200, random_state=0)
    >>> Costco(n_components=9).fit_transform(X, constraints=hints).shape
    (1797, 9)
    """

    _method: ClassVar[Method] = Method(
        "costco",
        prefer="wide data and text; uses all rows, survives wrong links",
        paper="Yan 2010, chapter 5",
        needs=Needs.MUST_LINK,
        keeps_all_components=True,
        cost=PRODUCTS,
    )
    _unconstrained = "moments"
    _published: ClassVar[dict[str, Any]] = {"beta": "published", "over": "pull", "scaling": "form"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Projection._parameter_constraints,
        "beta": [StrOptions({"auto", "published"}), Interval(Real, 0, None, closed="left")],
        "regularizer": [StrOptions({"variance", "identity"})],
        "over": [StrOptions({"sum", "pull"})],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        beta: float | str = "auto",
        regularizer: str = "variance",
        over: str = "sum",
        scaling: str = "share",
    ) -> None:
        super().__init__(n_components, scaling=scaling)
        self.beta = beta
        self.regularizer = regularizer
        self.over = over

    def _weighted_pencil(self, X: Any, constraints: Constraints, weight: FloatArray) -> Pencil:
        links = must_link_graph(constraints)
        V = laplacian(links) * (2.0 / links.row_sums().sum())
        U = total_scatter(X.shape[0], weight) * (1.0 / weight.sum())
        variance = np.maximum(U.diagonal(X), 0.0)
        J = np.ones_like(variance) if self.regularizer == "identity" else variance
        self.beta_ = self._beta(V, J, X, constraints)
        # Both forms are zero on constant features; any positive cost makes the weight of such a feature zero.
        alive = variance > 1e-12 * variance.max()
        return Pencil(pull=V + ridge(self.beta_ * np.where(alive, J, J.max())), push=U, over=self.over)

    def _beta(self, V: Form, J: np.ndarray, X: Any, constraints: Constraints) -> float:
        if not isinstance(self.beta, str):
            return float(self.beta)
        published = float(V.diagonal(X).max() / J.max()) if J.max() > 0 else 0.0
        if self.beta == "published":
            return published
        return published * min(1.0, X.shape[1] / n_independent_links(constraints))
