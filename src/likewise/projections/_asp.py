"""ASP: approximate-structure-preserving projection."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._arrays import FloatArray
from .._method import PRODUCTS, Method, Needs
from .._sklearn import StrOptions
from ..constraints import Constraints
from ..forms import centroid_scatter, ridge
from ..forms._kinds import centroids
from ..pencil import Pencil, orthonormal_rows
from ..pencil._solve import warn_if_fewer
from ._base import Projection, Unconstrained
from ._groups import SINGLETONS, group_codes
from ._weighted import WeightedProjection


class ASP(WeightedProjection):
    """Approximate-structure-preserving projection: projects onto the span of the group centroids.

    The transitive closure of the must-links divides the rows into groups, and the projection is an orthonormal basis of
    the span of the group centroids. Distances between centroids are preserved exactly and all groups shrink, so the
    structure that the must-links describe stands out. The number of dimensions is the rank of the centroids.

    Prefer it for text and other data with many more features than rows, and many must-links. It is the cheapest method
    here, and gets cheaper with every must-link. Cannot-links are not used. Cluster by cosine similarity afterward.

    The objective, with :math:`C` the matrix of centroids :math:`c_g` (thesis, Definition 1 and Algorithm 2):

    .. math:: \\max_{U^T U = I} \\operatorname{tr}(U^T C C^T U)

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, the rank of the centroids.
    basis : {"svd", "qr"}
        "svd" orders the directions by importance; "qr" (pivoted) spans the same space at lower cost.
    singletons : {"auto", "all", "none", "constrained"}
        How to treat rows without must-links. "all": each is a group of its own, as in the thesis. "none": they are left
        out, which gives a smaller and sharper space. "constrained": only those with a cannot-link are kept (Yan et al.
        2009, Section 2.1). "auto": "none" if at least a tenth of the rows have must-links, else "all".

    References
    ----------
    S. Yan, PhD thesis, Pennsylvania State University, 2010, Chapter 4: Eqs. 4.1–4.5, Algorithm 2; bases: Section 4.5.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import ASP, Constraints
    >>> X = np.random.default_rng(0).normal(size=(30, 200))
    >>> hints = Constraints(30, must_link=[(i, i + 1) for i in range(0, 20, 2)])
    >>> ASP(singletons="none").fit_transform(X, constraints=hints).shape
    (30, 10)
    """

    _method: ClassVar[Method] = Method(
        "asp",
        prefer="text, many must-links; the cheapest",
        paper="Yan 2010, chapter 4",
        needs=Needs.MUST_LINK,
        keeps_all_components=True,
        cost=PRODUCTS,
    )
    _published: ClassVar[dict[str, Any]] = {"singletons": "all"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": Projection._parameter_constraints["n_components"],
        "basis": [StrOptions({"svd", "qr"})],
        "singletons": [StrOptions(set(SINGLETONS))],
    }
    scaling = "unit"

    def __init__(self, n_components: int | None = None, *, basis: str = "svd", singletons: str = "auto") -> None:
        self.n_components = n_components
        self.basis = basis
        self.singletons = singletons

    @property
    def _unconstrained(self) -> Unconstrained:  # type: ignore[override]
        if self.basis == "qr":  # pivoting selects individual rows
            return "each"
        return "moments" if self.singletons in ("all", "auto") else "ignored"

    def _weighted_pencil(self, X: Any, constraints: Constraints, weight: FloatArray) -> Pencil:
        codes = group_codes(constraints, self.singletons, weight)
        return Pencil(pull=ridge(1.0), push=centroid_scatter(codes, weight))

    def _components(self, X: Any, constraints: Constraints, weight: FloatArray | None = None) -> np.ndarray:
        if self.basis == "svd":
            return super()._components(X, constraints, weight)
        weight = np.ones(X.shape[0]) if weight is None else weight
        C, counts = centroids(group_codes(constraints, self.singletons, weight), weight)
        C = C.T @ X
        basis = orthonormal_rows(C)[: self.n_components]
        warn_if_fewer(self.n_components, len(basis), C.shape)
        push = counts @ np.square(C @ basis.T)
        self.share_, self.n_perfect_, self.route_ = push / (1 + push), 0, "qr"
        return basis.astype(X.dtype, copy=False)
