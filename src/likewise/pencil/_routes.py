"""The rule that chooses how a pencil is solved."""

from __future__ import annotations

from enum import StrEnum

DIRECT = 2500
"""Up to this size an eigendecomposition of a full matrix is the quickest way."""

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


def choose_route(
    n_rows: int,
    n_features: int,
    *,
    n_components: int | None = None,
    ridged: bool = False,
    row_space: bool = True,
) -> Route:
    """The route that ``route="auto"`` takes: a pure function of sizes and of what the pencil allows.

    Parameters
    ----------
    n_rows : int
        Rows that the pencil speaks of (after condensing).
    n_features : int
    n_components : int, optional
        None: all of them.
    ridged : bool
        Whether the denominator has a positive ridge, without which there is no matrix-free route.
    row_space : bool
        Whether the ridges of the two forms are proportional, without which there is no row-space route.

    Notes
    -----
    ==============================================  ===========
    the smaller of n and f (n only if row_space)    route
    ==============================================  ===========
    ≤ 2,500, or a tenth of it is asked for          f ≤ n: dense, n < f: row-space
    larger, ridged, fewer than a tenth asked for    matrix-free
    larger, ≤ 20,000                                f ≤ n: dense, n < f: row-space
    larger still                                    an error that says what to do
    ==============================================  ===========

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
    if ridged and not many:
        return Route.MATRIX_FREE
    if size <= LIMIT:
        return direct
    cause = "and so many directions" if ridged else "without a ridge"
    raise ValueError(
        f"{n_rows} rows × {n_features} features {cause} would need a {size}×{size} matrix. "
        "Set a ridge (and n_components well below the number of features), or reduce the features first, "
        "for example with TruncatedSVD."
    )
