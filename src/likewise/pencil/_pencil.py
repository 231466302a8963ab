"""A pencil of two forms, the directions that solve it, and the rule that chooses how it is solved."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from .._arrays import FloatArray
from ..forms._form import Form

DIRECT = 2500
"""Up to this size an eigendecomposition of a full matrix is the fastest route."""

FULL = 8000
"""Up to this size a full matrix is preferred to a denominator that only conjugate gradients invert."""

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
    """A form to shrink and a form to grow.

    Parameters
    ----------
    pull : Form
        Made small: what must stay together.
    push : Form
        Made large: what must stay apart.
    over : {"sum", "pull", "push"}, optional
        The denominator of the quotient that is solved.

        - ``"sum"``: maximize push / (push + pull), a share in [0, 1]; both forms positive semi-definite. A
          singular form does no harm. The default where it applies.
        - ``"pull"``: maximize push / pull on the range of pull. The default when push is indefinite.
        - ``"push"``: minimize pull / push on the range of push. The default when pull is indefinite.

    null_space : {"keep", "discard"}
        What becomes of the null space of the pull, directions along which it is zero: the best ones, or discarded.
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
        """What is maximized above :attr:`denominator`."""
        return -self.pull if self.over == "push" else self.push

    @property
    def denominator(self) -> Form:
        """What the quotient divides by."""
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
    """What :func:`solve_pencil` found.

    Attributes
    ----------
    components : (r, f) array
        One direction a row, best first.
    share : (r,) array
        push / (push + pull) along each; for a pencil with an indefinite form, the quotient that was solved.
    route : Route
        How it was solved.
    rank : int or None
        How many directions there are in all; None where the route does not find out (matrix-free).
    n_perfect : int
        How many of the directions lie in the null space of the pull. They tie, and are ordered by plain push.
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
    """The route that ``route="auto"`` takes: a pure function of sizes and of what the pencil allows.

    Parameters
    ----------
    n_rows : int
        Rows that the pencil involves (after condensing).
    n_features : int
    n_components : int, optional
        None: all of them.
    ridged : bool
        Whether the denominator has a positive ridge, without which there is no matrix-free route.
    row_space : bool
        Whether the ridges of the two forms are proportional, without which there is no row-space route.
    low_rank : bool
        Whether the denominator, its ridge aside, involves at most 4,000 rows and half of all: then the matrix-free
        route inverts it exactly, else by conjugate gradients, which are slow.

    Returns
    -------
    Route

    Notes
    -----
    The size is n where n < f and ``row_space``, and f otherwise; "direct" is row-space in the first case and dense in
    the second. The first line that applies decides.

    =====================================================================  =====================================
    size                                                                   route
    =====================================================================  =====================================
    ≤ 2,500                                                                direct
    larger, a tenth of the directions or more asked for, ≤ 20,000          direct
    larger, fewer asked for, ridged, and low rank or size > 8,000          matrix-free
    larger, ≤ 20,000                                                       direct
    larger still                                                           an error that says what to do
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
