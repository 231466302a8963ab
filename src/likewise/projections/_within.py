"""Base class of RCA and DCA, which minimize the scatter within must-link groups."""

from __future__ import annotations

from typing import Any, ClassVar

from .._sklearn import StrOptions
from ..constraints import Constraints
from ..forms import Form, relative_ridge
from ..pencil import Pencil
from ._base import RIDGE, Projection
from ._groups import n_independent_links
from ._weighted import WeightedProjection


class WithinGroups(WeightedProjection):
    """A projection whose pull is the scatter within groups plus a ridge, smaller if there are many must-links."""

    _unconstrained = "ignored"
    _published: ClassVar[dict[str, Any]] = {"ridge": 0.0, "over": "pull", "scaling": "form"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Projection._parameter_constraints,
        "ridge": RIDGE,
        "over": [StrOptions({"sum", "pull"})],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        ridge: float | str = "auto",
        over: str = "sum",
        scaling: str = "share",
    ) -> None:
        super().__init__(n_components, scaling=scaling)
        self.ridge = ridge
        self.over = over

    def _against(self, within: Form, push: Form, X: Any, constraints: Constraints) -> Pencil:
        amount = self.ridge
        if isinstance(amount, str):
            amount = 0.1 * min(1.0, X.shape[1] / max(n_independent_links(constraints), 1))
        return Pencil(within + relative_ridge(amount, within, X), push, over=self.over)
