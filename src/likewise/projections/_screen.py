"""SCREEN: orthonormal directions that separate must-link groups."""

from __future__ import annotations

from typing import Any, ClassVar

from .._arrays import FloatArray
from .._method import PRODUCTS, Method, Needs
from .._sklearn import StrOptions
from ..constraints import Constraints
from ..forms import between_scatter, ridge
from ..pencil import Pencil
from ._base import Projection, Unconstrained
from ._dca import cannot_link_scatter
from ._groups import SINGLETONS, group_codes
from ._weighted import WeightedProjection


class SCREEN(WeightedProjection):
    """SCREEN: the orthonormal directions along which the centroids of the must-link groups have the largest scatter.

    A fast baseline for text: it is PCA of the group centroids, weighted by group size. Unlike :class:`ASP` it is
    centered, and unlike :class:`DCA` it ignores the scatter within groups.

    .. math:: \\max_{P^T P = I} \\operatorname{tr}(P^T \\tilde S P), \\quad
              \\tilde S = \\sum_g |g|\\,(c_g - c)(c_g - c)^T

    where :math:`c_g` is the centroid of group :math:`g` and :math:`c` the mean.

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, all that exist.
    scatter : {"groups", "cannot"}
        "groups": S̃ as above (thesis, Section 4.6). "cannot": the sum over cannot-linked groups of
        (c_g − c_h)(c_g − c_h)ᵀ, as in Tang et al.
    singletons : {"all", "none", "constrained", "auto"}
        How to treat groups of one row with scatter="groups"; see :class:`ASP`.

    References
    ----------
    W. Tang, H. Xiong, S. Zhong, J. Wu: Enhancing semi-supervised clustering: a feature projection perspective,
    KDD 2007. S. Yan, PhD thesis, Pennsylvania State University, 2010, Section 4.6.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import SCREEN, Constraints
    >>> X, y = load_iris(return_X_y=True)
    >>> hints = Constraints.sample(y, "random_pairs", 60, random_state=0)
    >>> SCREEN(n_components=2).fit_transform(X, constraints=hints).shape
    (150, 2)
    """

    _method: ClassVar[Method] = Method(
        "screen",
        prefer="a baseline: directions between groups",
        paper="Tang, Xiong, Zhong, Wu 2007",
        needs=Needs.ANY_CONSTRAINT,
        cost=PRODUCTS,
    )
    _published: ClassVar[dict[str, Any]] = {}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": Projection._parameter_constraints["n_components"],
        "scatter": [StrOptions({"groups", "cannot"})],
        "singletons": [StrOptions(set(SINGLETONS))],
    }
    scaling = "unit"

    def __init__(self, n_components: int | None = None, *, scatter: str = "groups", singletons: str = "all") -> None:
        self.n_components = n_components
        self.scatter = scatter
        self.singletons = singletons

    @property
    def _needs(self) -> Needs:
        return Needs.CANNOT_LINK if self.scatter == "cannot" else super()._needs

    @property
    def _unconstrained(self) -> Unconstrained:  # type: ignore[override]
        return "moments" if self.scatter == "groups" and self.singletons in ("all", "auto") else "ignored"

    def _weighted_pencil(self, X: Any, constraints: Constraints, weight: FloatArray) -> Pencil:
        if self.scatter == "cannot":
            return Pencil(pull=ridge(1.0), push=cannot_link_scatter(constraints, weight))
        codes = group_codes(constraints, self.singletons, weight)
        return Pencil(pull=ridge(1.0), push=between_scatter(codes, weight))
