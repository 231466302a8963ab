"""RCA: relevant component analysis."""

from __future__ import annotations

from typing import Any, ClassVar

from .._arrays import FloatArray
from .._method import PRODUCTS, Method, Needs
from ..constraints import Constraints
from ..forms import between_scatter, within_scatter
from ..pencil import Pencil
from ._groups import group_codes
from ._within import WithinGroups


class RCA(WithinGroups):
    """Relevant component analysis: whitens the scatter within must-link groups, which is irrelevant variation.

    Prefer it if there are many must-links (more than features), no cannot-links, and all groups have the same shape.

    .. math:: \\max_w \\frac{w^T S_t w}{w^T S_w w}, \\qquad w^T S_w w = 1

    where :math:`S_w` is the mean scatter of the rows around the centroid of their group (groups of two rows or more)
    and :math:`S_t` the scatter of the same rows around their mean. With all directions this is the whitening transform
    of the paper up to a rotation, which does not change distances; with fewer, these are the leading Fisher directions.

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, all that exist.
    ridge : "auto" or float
        Added to the diagonal of S_w, relative to its mean diagonal entry. "auto": 0.1, or 0.1 × features / must-links
        if there are more must-links than features, since S_w is a noisy estimate if there are few.
    over : {"sum", "pull"}
        "pull" discards directions without scatter within groups, as in the paper; "sum" keeps them as the best ones.
    scaling : {"share", "unit", "form"}
        "share" is the whitening transform.

    References
    ----------
    N. Shental, T. Hertz, D. Weinshall, M. Pavel: Adjustment learning and relevant component analysis, ECCV 2002;
    A. Bar-Hillel et al., JMLR 6, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from likewise import RCA, Constraints
    >>> X, y = load_wine(return_X_y=True)
    >>> hints = Constraints.sample(y, "labeled_items", 60, random_state=0)
    >>> RCA(n_components=2).fit_transform(X, constraints=hints).shape
    (178, 2)
    """

    _method: ClassVar[Method] = Method(
        "rca",
        prefer="many must-links for each column",
        paper="Shental, Hertz, Weinshall, Pavel 2002",
        needs=Needs.MUST_LINK,
        cost=PRODUCTS,
    )

    def _weighted_pencil(self, X: Any, constraints: Constraints, weight: FloatArray) -> Pencil:
        codes = group_codes(constraints, "none")
        mean = 1.0 / weight[codes >= 0].sum()
        within = mean * within_scatter(codes, weight)
        total = within + mean * between_scatter(codes, weight)
        return self._against(within, total, X, constraints)
