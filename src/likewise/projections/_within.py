"""What RCA and DCA share: they shrink the scatter inside must-link groups, which only hints inform."""

from __future__ import annotations

from typing import Any, ClassVar

from .._sklearn import StrOptions
from ..constraints import Constraints
from ..forms import Form
from ..pencil import Pencil
from ._base import RIDGE, Projection, n_independent_links, relative_ridge


class WithinGroups(Projection):
    """A projection whose pull is a scatter within groups and a ridge: the fewer hints for each feature, the larger."""

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
        auto = 0.1 * min(1.0, X.shape[1] / max(n_independent_links(constraints), 1))
        return Pencil(within + relative_ridge(self.ridge, within, X, auto=auto), push, over=self.over)
