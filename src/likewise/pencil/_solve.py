"""Solving a pencil: the function that all linear methods call."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import FloatArray
from .._progress import stage
from ..forms._form import Form
from ..linalg._eigen import with_sign
from ..linalg._products import canonical, centered, product
from ._condense import condense
from ._direct import ridge_scale, solve_direct, to_row_space, with_extent
from ._matrix_free import is_low_rank, solve_matrix_free
from ._pencil import Directions, Pencil, Route, choose_route

ROUNDING = 1e-13
"""A pull along a unit direction below this fraction of its trace counts as zero."""

FLOOR = 1e-2
"""With scaling="share", the pull along a direction counts as at least this fraction of the largest pull."""


def solve_pencil(
    X: Any,
    pencil: Pencil,
    n_components: int | None = None,
    route: Route | str = "auto",
    *,
    scaling: str = "unit",
    tol: float = 1e-8,
    random_state: int | np.random.Generator | None = 0,
) -> Directions:
    """The directions along which ``pencil.push`` is large and ``pencil.pull`` small.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
    pencil : Pencil
    n_components : int, optional
        Number of directions. If None, all that exist.
    route : {"auto", "dense", "row-space", "matrix-free"}
        How to solve the pencil. All routes give the same directions; "auto" selects one by :func:`choose_route`.
    scaling : {"unit", "form", "share"}
        The length of each direction, and so its influence on distances after the projection. ``"unit"``: ‖w‖ = 1.
        ``"form"``: the denominator is 1 along w, as in most papers. ``"share"``: the pull is 1 along w (at least a
        hundredth of the largest pull is assumed), so that better directions have more influence.
    tol : float
        Tolerance of the matrix-free route: residual relative to the largest quotient.
    random_state : int, Generator or None
        Initial directions of the matrix-free route.

    Returns
    -------
    Directions

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.forms import between_scatter, within_scatter
    >>> from likewise.pencil import Pencil, solve_pencil
    >>> X = np.array([[0.0, 9.0], [0.1, -9.0], [1.0, 9.5], [1.1, -9.5]])
    >>> codes = np.array([0, 0, 1, 1])
    >>> found = solve_pencil(X, Pencil(pull=within_scatter(codes), push=between_scatter(codes)))
    >>> found.components.round(2)[0]
    array([1.  , 0.01])
    >>> float(found.share.round(3)[0])
    1.0
    """
    if scaling not in ("unit", "form", "share"):
        raise ValueError(f"scaling={scaling!r} is not one of 'unit', 'form', 'share'.")
    if scaling == "share" and not pencil.psd:
        raise ValueError("scaling='share' needs two positive semi-definite forms; use 'unit' or 'form'.")
    if n_components is not None and n_components < 1:
        raise ValueError(f"n_components={n_components}: ask for at least one direction, or None for all.")
    precision: Any = np.float32 if X.dtype == np.float32 else np.float64
    data = canonical(sparse.csr_array(X, dtype=precision)) if sparse.issparse(X) else np.asarray(X, dtype=precision)
    origin = None
    if pencil.is_translation_invariant():
        if sparse.issparse(data):
            mean = np.asarray(data.mean(axis=0, dtype=np.float64)).ravel()
            origin = condense(np.ones((data.shape[0], 1)), pencil)[0], mean[None]
        else:
            data = centered(data)  # sums of squares lose precision if the data are far from the origin
    data, pencil = condense(data, pencil)

    n, f = data.shape
    scale = ridge_scale(pencil, f)
    divisor = _matrix_free_denominator(pencil)
    allows = {"ridged": divisor is not None, "row_space": scale is not None}
    if route == "auto":
        low_rank = divisor is not None and is_low_rank(divisor.rows)
        chosen = choose_route(n, f, n_components=n_components, low_rank=low_rank, **allows)
    else:
        chosen = _checked_route(route, **allows)

    sizes = _sizes(data, pencil)
    if pencil.psd and sizes[1] == 0.0:
        warn_if_fewer(n_components, 0, (n, f))  # raises: any direction found now would be a rounding error
    balanced = _balanced(pencil, sizes)
    rank: int | None = None
    n_perfect = 0
    with stage("solving for directions"):
        if chosen is Route.MATRIX_FREE:
            assert divisor is not None
            wanted = f if n_components is None else min(n_components, f)
            W = solve_matrix_free(data, pencil.numerator, divisor, wanted, tol=tol, random_state=random_state)
            W = with_extent(data, balanced, W, origin)
        elif chosen is Route.ROW_SPACE:
            assert scale is not None
            small, basis, inner = to_row_space(data, balanced, scale)
            origin = origin and (origin[0], origin[1] @ basis)
            W, rank, n_perfect = solve_direct(small, inner, n_components, origin)
            W = basis @ W
        else:
            W, rank, n_perfect = solve_direct(data, balanced, n_components, origin)
    warn_if_fewer(n_components, W.shape[1], (n, f))
    W, share = _finish(data, pencil, sizes, W, scaling)
    return Directions(W.T.astype(precision, copy=False), share, chosen, rank, n_perfect)


def _sizes(X: Any, pencil: Pencil) -> tuple[float, float]:
    """The traces of pull and push; zeros for a pencil with an indefinite form, where they are not used."""
    if not pencil.psd:
        return 0.0, 0.0
    return float(pencil.pull.diagonal(X).sum()), float(pencil.push.diagonal(X).sum())


def _balanced(pencil: Pencil, sizes: tuple[float, float]) -> Pencil:
    """The pencil with both forms scaled to the same trace, so that tolerances are comparable."""
    if not pencil.psd:
        return pencil
    pull, push = sizes
    if min(sizes) <= 0:
        return pencil
    # The larger one is reduced: what the other would be multiplied by may overflow
    return (
        replace(pencil, pull=push / pull * pencil.pull)
        if pull > push
        else replace(pencil, push=pull / push * pencil.push)
    )


def _matrix_free_denominator(pencil: Pencil) -> Form | None:
    """The form that the matrix-free route divides by; None if it has no ridge.

    For ``over="sum"`` this is the pull: push/pull orders directions as push/(push + pull) does.
    """
    form = pencil.pull if pencil.over == "sum" else pencil.denominator
    return form if form.has_ridge else None


def _checked_route(route: Route | str, *, ridged: bool, row_space: bool) -> Route:
    try:
        chosen = Route(route)
    except ValueError:
        names = ", ".join(repr(str(name)) for name in Route)
        raise ValueError(f"route={route!r} is not one of 'auto', {names}.") from None
    if chosen is Route.MATRIX_FREE and not ridged:
        raise ValueError("the matrix-free route needs a positive ridge in the form it divides by; add one.")
    if chosen is Route.ROW_SPACE and not row_space:
        raise ValueError("the row-space route needs ridges that are proportional and positive; use route='dense'.")
    return chosen


def warn_if_fewer(asked: int | None, found: int, shape: tuple[int, int]) -> None:
    """Warn if fewer directions exist than were asked for; raise if there are none."""
    if found == 0:
        raise ValueError(
            "no direction separates anything: the form to maximize is zero along every direction. "
            "Check that the rows differ and that the constraints involve rows that differ."
        )
    if asked is not None and found < asked:
        warnings.warn(
            f"n_components={asked}, but only {found} directions separate anything in these data ({shape[0]} rows "
            f"involved, {shape[1]} features). {found} are returned.",
            stacklevel=4,
        )


def _finish(
    X: Any, pencil: Pencil, sizes: tuple[float, float], W: FloatArray, scaling: str
) -> tuple[FloatArray, FloatArray]:
    W = with_sign(W / np.linalg.norm(W, axis=0))
    image = product(X, W)
    pull, push = (form.value(X, W, image) for form in (pencil.pull, pencil.push))
    if pencil.psd:
        pull = np.where(pull > ROUNDING * sizes[0], pull, 0.0)
        push = np.maximum(push, 0.0)
        share = _quotient(push, pull + push)
    else:
        share = _quotient(push, pull) if pencil.over == "pull" else _quotient(-pull, push)
    if scaling != "unit":
        denominator = {"sum": pull + push, "pull": pull, "push": push}[pencil.over or "sum"]
        real = denominator > 0  # the other directions are rounding errors: both forms are zero along them
        warn_if_fewer(None, int(real.sum()), X.shape)
        W, share, pull, denominator = W[:, real], share[real], pull[real], denominator[real]
        W = W / np.sqrt(denominator)
        if scaling == "share":
            relative = pull / denominator
            W = W / np.sqrt(np.maximum(relative, FLOOR * relative.max()) if relative.max() > 0 else 1.0)
    return W, share


def _quotient(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """``numerator / denominator`` with 0/0 = 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)
