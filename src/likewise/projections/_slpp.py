"""SLPP: supervised locality preserving projection."""

from __future__ import annotations

from typing import Any, ClassVar

from .._method import PRODUCTS, Method, Needs
from .._sklearn import StrOptions
from ..constraints import Constraints
from ..graphs import must_link_graph
from ..pencil import Pencil
from ._base import RIDGE, ROUGH_TOL, Projection
from ._lpp import locality_pencil


class SLPP(Projection):
    """Supervised LPP: the transitive closure of the must-links replaces the neighbor graph.

    Rows of the same group stay together, and rows without must-links are ignored. With few must-links the method
    therefore collapses. Prefer :class:`LPPSI` or :class:`DSP`, which use neighbors as well.

    .. math:: \\min_w \\frac{w^T X^T L_M X w}{w^T X^T D_M X w}

    where :math:`L_M` and :math:`D_M` belong to the graph of must-links after transitive closure, weighted.

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, all that exist.
    ridge : "auto" or float
    over : {"sum", "push"}
    scaling : {"form", "unit", "share"}
        See :class:`LPP`.

    References
    ----------
    D. Cai, X. He: Orthogonal locality preserving indexing, SIGIR 2005; compared in the DSP paper, Section 5.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import SLPP, Constraints
    >>> X, y = load_iris(return_X_y=True)
    >>> hints = Constraints.sample(y, "per_class", 20, random_state=0)
    >>> SLPP(n_components=2).fit_transform(X, constraints=hints).shape
    (150, 2)
    """

    _method: ClassVar[Method] = Method(
        "slpp", prefer="a baseline: the must-link graph", paper="Cai, He 2005", needs=Needs.MUST_LINK, cost=PRODUCTS
    )
    _unconstrained = "ignored"
    _tol = ROUGH_TOL
    _published: ClassVar[dict[str, Any]] = {"ridge": 0.0, "over": "push", "scaling": "form"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Projection._parameter_constraints,
        "ridge": RIDGE,
        "over": [StrOptions({"sum", "push"})],
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        ridge: float | str = "auto",
        over: str = "sum",
        scaling: str = "form",
    ) -> None:
        super().__init__(n_components, scaling=scaling)
        self.ridge = ridge
        self.over = over

    def _pencil(self, X: Any, constraints: Constraints) -> Pencil:
        return locality_pencil(must_link_graph(constraints, closed=True), X, self.ridge, self.over)
