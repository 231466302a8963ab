"""DCA: discriminative component analysis."""

from __future__ import annotations

from typing import Any, ClassVar

from .._arrays import FloatArray
from .._method import PRODUCTS, Method, Needs
from ..constraints import Constraints
from ..forms import Form, laplacian, within_scatter
from ..forms._kinds import centroids
from ..graphs import cannot_link_graph
from ..pencil import Pencil
from ._groups import group_codes
from ._within import WithinGroups


def cannot_link_scatter(constraints: Constraints, weight: FloatArray) -> Form:
    """Mean over cannot-linked groups g, h of (c_g − c_h)(c_g − c_h)ᵀ."""
    closure = constraints.closure()
    graph = cannot_link_graph(closure.between)
    pairs = laplacian(graph).rows
    assert pairs is not None
    total = graph.row_sums().sum() / 2
    return Form(pairs.lift(centroids(closure.groups, weight)[0])) * (1.0 / total)


class DCA(WithinGroups):
    """Discriminative component analysis: small scatter within groups, large scatter between cannot-linked groups.

    Prefer it to :class:`RCA` if there are cannot-links as well. It uses constrained rows only, so it overfits with few
    constraints and many features; :class:`Costco` uses all rows instead.

    .. math:: \\max_w \\frac{w^T C_b w}{w^T C_w w}

    where :math:`C_w` is the mean scatter of rows around the centroid of their must-link group, and :math:`C_b` the mean
    over cannot-linked groups of :math:`(c_g - c_h)(c_g - c_h)^T`; a row without must-links is a group of one.

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, all that exist.
    ridge : "auto" or float
        Added to the diagonal of C_w, relative to its mean diagonal entry. "auto": 0.1, or 0.1 × features / must-links
        if there are more must-links than features.
    over : {"sum", "pull"}
        "pull" divides by C_w on its range, as published.
    scaling : {"share", "unit", "form"}

    References
    ----------
    S. Hoi, W. Liu, M. Lyu, W.-Y. Ma: Learning distance metrics with contextual constraints for image retrieval,
    CVPR 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import DCA, Constraints
    >>> X, y = load_iris(return_X_y=True)
    >>> hints = Constraints.sample(y, "random_pairs", 60, random_state=0)
    >>> DCA(n_components=2).fit_transform(X, constraints=hints).shape
    (150, 2)
    """

    _method: ClassVar[Method] = Method(
        "dca",
        prefer="many constraints of both kinds for each column",
        paper="Hoi, Liu, Lyu, Ma 2006",
        needs=Needs.CANNOT_LINK,
        cost=PRODUCTS,
    )

    def _weighted_pencil(self, X: Any, constraints: Constraints, weight: FloatArray) -> Pencil:
        push = cannot_link_scatter(constraints, weight)
        codes = group_codes(constraints, "constrained")
        within = within_scatter(codes, weight) * (1.0 / weight[codes >= 0].sum())
        return self._against(within, push, X, constraints)
