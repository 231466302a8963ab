"""A pencil of two forms, its solution, and the rule that selects how it is solved."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from .._arrays import FloatArray
from ..forms._form import Form

DIRECT = 2500
"""Up to this size the eigendecomposition of a full matrix is the fastest route."""

FULL = 8000
"""Up to this size a full matrix is preferred to inverting the denominator by conjugate gradients."""

LIMIT = 20_000
"""Beyond this size a full matrix is not built."""


class Route(StrEnum):
    """How a pencil is solved."""

    DENSE = "dense"
    """f×f matrices of the two forms."""
    ROW_SPACE = "row-space"
    """n×n matrices: directions are combinations of the rows. Exact."""
    MATRIX_FREE = "matrix-free"
    """Products with the data only."""


@dataclass(frozen=True, eq=False)
class Pencil:
    """Two forms: one to make small and one to make large.

    Parameters
    ----------
    pull : Form
        The form to make small, such as the scatter of must-linked rows.
    push : Form
        The form to make large, such as the scatter of cannot-linked rows.
    over : {"sum", "pull", "push"}, optional
        The denominator of the quotient that is solved.

        - ``"sum"``: maximize push / (push + pull), a share in [0, 1]. Both forms must be positive semi-definite, and
          may be singular. The default for such forms.
        - ``"pull"``: maximize push / pull on the range of pull. The default when push is indefinite.
        - ``"push"``: minimize pull / push on the range of push. The default when pull is indefinite.

    null_space : {"keep", "discard"}
        How to treat directions along which the pull is zero: keep them as the best ones, or discard them.
    """

    pull: Form
    push: Form
    over: str | None = None
    null_space: str = "keep"

    def __post_init__(self) -> None:
        psd = {"pull": self.pull.psd, "push": self.push.psd, "sum": self.pull.psd and self.push.psd}
        over = self.over or next((name for name in ("sum", "pull", "push") if psd[name]), None)
        if over is None:
            raise ValueError("both forms of the pencil are indefinite: no quotient of them has a maximum.")
        if over not in psd:
            raise ValueError(f"over={over!r} is not one of 'sum', 'pull', 'push'.")
        if not psd[over]:
            raise ValueError(f"over={over!r} divides by a form that is indefinite; divide by the other one.")
        if self.null_space not in ("keep", "discard"):
            raise ValueError(f"null_space={self.null_space!r} is neither 'keep' nor 'discard'.")
        object.__setattr__(self, "over", over)

    @property
    def psd(self) -> bool:
        """Whether both forms are positive semi-definite."""
        return self.pull.psd and self.push.psd

    @property
    def numerator(self) -> Form:
        """The numerator of the quotient that is maximized."""
        return -self.pull if self.over == "push" else self.push

    @property
    def denominator(self) -> Form:
        """The denominator of the quotient that is maximized."""
        if self.over == "sum":
            return self.pull + self.push
        return self.push if self.over == "push" else self.pull

    def is_translation_invariant(self) -> bool:
        """Whether adding a constant to a column of the data changes nothing.

        Returns
        -------
        bool
        """
        return all(form.rows is None or form.rows.ignores_shifts() for form in (self.pull, self.push))


@dataclass(frozen=True, eq=False)
class Directions:
    """The solution of a pencil, as returned by :func:`solve_pencil`.

    Attributes
    ----------
    components : (r, f) array
        One direction per row, best first.
    share : (r,) array
        push / (push + pull) along each direction; for a pencil with an indefinite form, the quotient that was
        maximized.
    route : Route
        How it was solved.
    rank : int or None
        The number of directions that exist; None if unknown (matrix-free route).
    n_perfect : int
        The number of directions in the null space of the pull. They are tied, and ordered by the value of the push.
    """

    components: NDArray[np.float32] | FloatArray
    share: FloatArray
    route: Route
    rank: int | None
    n_perfect: int

    def __repr__(self) -> str:
        r, f = self.components.shape
        return f"Directions({r} of {self.rank or 'unknown rank'} in {f} features, route={self.route!s})"


def choose_route(
    n_rows: int,
    n_features: int,
    *,
    n_components: int | None = None,
    ridged: bool = False,
    row_space: bool = True,
    low_rank: bool = True,
) -> Route:
    """The route that ``route="auto"`` selects, from the sizes and the properties of the pencil.

    Parameters
    ----------
    n_rows : int
        Number of rows that the pencil involves.
    n_features : int
    n_components : int, optional
        Number of directions to compute. If None, all.
    ridged : bool
        Whether the denominator has a positive ridge, which the matrix-free route requires.
    row_space : bool
        Whether the ridges of the two forms are proportional, which the row-space route requires.
    low_rank : bool
        Whether the denominator, apart from its ridge, involves at most 4,000 rows and at most half of all. The
        matrix-free route then inverts it exactly, and otherwise by conjugate gradients, which are slower.

    Returns
    -------
    Route

    Notes
    -----
    The size is ``n_rows`` if that is less than ``n_features`` and ``row_space`` is true, and ``n_features`` otherwise.
    "Direct" means row-space in the first case and dense in the second. The first line that applies decides.

    =====================================================================  =====================================
    size                                                                   route
    =====================================================================  =====================================
    ≤ 2,500                                                                direct
    ≤ 20,000, and at least a tenth of the directions requested             direct
    any, fewer directions requested, ridged, and low rank or size > 8,000  matrix-free
    ≤ 20,000                                                               direct
    larger                                                                 an error that says what to do
    =====================================================================  =====================================

    Examples
    --------
    >>> from likewise.pencil import choose_route
    >>> print(choose_route(60, 6_000))
    row-space
    >>> print(choose_route(18_828, 60_000, n_components=40, ridged=True))
    matrix-free
    """
    by_rows = row_space and n_rows < n_features
    size = n_rows if by_rows else n_features
    direct = Route.ROW_SPACE if by_rows else Route.DENSE
    many = n_components is None or 10 * n_components >= size
    if size <= DIRECT or (many and size <= LIMIT):
        return direct
    if ridged and not many and (low_rank or size > FULL):
        return Route.MATRIX_FREE
    if size <= LIMIT:
        return direct
    cause = "and so many directions" if ridged else "without a ridge"
    raise ValueError(
        f"{n_rows} rows × {n_features} features {cause} would need a {size}×{size} matrix. "
        "Set a ridge (and n_components well below the number of features), or reduce the features first, "
        "for example with TruncatedSVD."
    )
