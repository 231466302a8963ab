"""The one entry: a pencil in, directions out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import linalg, sparse

from .._arrays import FloatArray
from .._foresight import foreseen
from .._progress_legacy import part
from ..forms._form import Form
from ..linalg._basis import with_sign
from ..linalg._precise import centered
from ..linalg._products import product
from ._condense import condense
from ._dense import matrix_of, solve_dense
from ._matrix_free import solve_matrix_free
from ._pencil import Directions, Pencil, small_quotient
from ._routes import Route, choose_route
from ._row_space import ridge_scale, to_row_space
from ._spaces import easily_inverted

TIE = 1e-8
"""Quotients closer than this tie: their directions are then ordered by plain push."""

FULL = 8000
"""Up to this size a full matrix is preferred to a denominator that is slow to invert."""

NO_SHARE = 1e-10
"""Directions whose share of the push is below this are no answer."""

NO_EXTENT = 1e-9
"""Directions along which the rows spread less than this part of the widest are no answer: there is only rounding."""

ROUNDING = 1e-13
"""A pull along a unit direction below this part of its trace is the rounding of none."""

BLOCK_ENTRIES, BLOCK_COLUMNS = 2**19, 16
"""Images of directions are held in blocks of about so many numbers, but never of fewer columns: each block reads all of
the data once."""

SUFFICES = 0.95
"""The share of the time for the best directions alone, which nearly always suffice; the rest is for all of them."""

TIES = 0.1
"""The share of the time for an eigenproblem that goes into ordering directions that tie, about."""

SPARSE_FIRST = 0.25
"""The share of the time before the eigenproblem, for sparse data."""

FLOOR = 1e-2
"""With scaling="share", the pull along a direction counts as at least this part of the largest."""


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
        How many directions; None: all there are.
    route : {"auto", "dense", "row-space", "matrix-free"}
        All routes give the same directions; :func:`choose_route` is the rule of "auto".
    scaling : {"unit", "form", "share"}
        The length of each direction, which decides what a distance-based clusterer sees. ``"unit"``: ‖w‖ = 1.
        ``"form"``: the denominator is 1 along w, as most papers have it. ``"share"``: the pull is 1 along w (but
        counts as at least a hundredth of the largest), so directions count by how well they do.
    tol : float
        Of the matrix-free route: residual relative to the largest quotient.
    random_state : int, Generator or None
        Of the matrix-free route: its start.

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
    >>> found.share.round(3)[0]
    np.float64(1.0)
    """
    if scaling not in ("unit", "form", "share"):
        raise ValueError(f"scaling={scaling!r} is not one of 'unit', 'form', 'share'.")
    if scaling == "share" and not pencil.psd:
        raise ValueError("scaling='share' needs two positive semi-definite forms; use 'unit' or 'form'.")
    if n_components is not None and n_components < 1:
        raise ValueError(f"n_components={n_components}: ask for at least one direction, or None for all.")
    precision: Any = np.float32 if X.dtype == np.float32 else np.float64
    data = sparse.csr_array(X, dtype=precision) if sparse.issparse(X) else np.asarray(X, dtype=precision)
    origin = None
    if pencil.is_translation_invariant():
        if sparse.issparse(data):
            mean = np.asarray(data.mean(axis=0, dtype=np.float64)).ravel()
            origin = condense(np.ones((data.shape[0], 1)), pencil)[0], mean[None]
        else:
            data = centered(data)  # far from the origin, sums of squares lose the digits that matter
    data, pencil = condense(data, pencil)

    n, f = data.shape
    scale = ridge_scale(pencil, f)
    sizes = _sizes(data, pencil)
    solvable = _balanced(pencil, sizes)
    divisor = _matrix_free_denominator(pencil)
    if route == "auto":
        # A denominator that touches most rows is slow to invert: better a full matrix while one can be had.
        ridged = divisor is not None and (easily_inverted(divisor) or min(n, f) > FULL)
        chosen = choose_route(n, f, n_components=n_components, ridged=ridged, row_space=scale is not None)
    else:
        chosen = _demanded(route, ridged=divisor is not None, row_space=scale is not None)

    rank: int | None
    if chosen is Route.MATRIX_FREE:
        assert divisor is not None
        wanted = f if n_components is None else min(n_components, f)
        W = solve_matrix_free(data, pencil.numerator, divisor, wanted, tol=tol, random_state=random_state)
        rank, n_perfect = None, 0
        W = _with_extent(data, solvable, W, origin)
    else:
        small, basis, inner, start = data, None, solvable, 0.0
        if chosen is Route.ROW_SPACE:
            assert scale is not None
            start = _made_first(data, f, n)
            with part(0, start):
                small, basis, inner = to_row_space(data, solvable, scale)
            origin = origin and (origin[0], origin[1] @ basis)
        with part(start, 1):
            W, rank, n_perfect = _directly(small, inner, n_components, origin)
        W = W if basis is None else basis @ W
    tell_shortfall(n_components, W.shape[1], (n, f))
    W, share = _finish(data, pencil, sizes, W, scaling)
    return Directions(W.T.astype(precision, copy=False), share, chosen, rank, n_perfect)


def _sizes(X: Any, pencil: Pencil) -> tuple[float, float]:
    """The traces of pull and push; where a pencil may be indefinite nobody asks for them."""
    if not pencil.psd:
        return 0.0, 0.0
    return float(pencil.pull.diagonal(X).sum()), float(pencil.push.diagonal(X).sum())


def _balanced(pencil: Pencil, sizes: tuple[float, float]) -> Pencil:
    """The pencil with its forms brought to the same size, so that tolerances mean the same for all."""
    if not pencil.psd:
        return pencil
    pull, push = sizes
    return replace(pencil, push=(pull / push if pull > 0 and push > 0 else 1.0) * pencil.push)


def _matrix_free_denominator(pencil: Pencil) -> Form | None:
    """A ridged form to divide by, if the pencil has one: push/pull orders directions as push/(push + pull) does."""
    form = pencil.pull if pencil.over == "sum" else pencil.denominator
    return form if form.has_ridge else None


def _demanded(route: Route | str, *, ridged: bool, row_space: bool) -> Route:
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


def _directly(
    X: FloatArray, pencil: Pencil, n_components: int | None, origin: tuple[FloatArray, FloatArray] | None
) -> tuple[FloatArray, int | None, int]:
    """``(W, rank, n_perfect)`` of full matrices; only the best directions are sought, as long as they suffice."""
    made = _made_first(X, *X.shape)
    with part(0, made / 2):
        numerator = matrix_of(pencil.numerator, X)
    with part(made / 2, made):
        denominator = matrix_of(pencil.denominator, X)
    last = made + SUFFICES * (1 - made)
    for count, start, stop in ((n_components, made, last), (None, last, 1.0)):
        ordered = stop - TIES * (stop - start)
        with part(start, ordered):
            values, W, all_found = solve_dense(numerator, denominator, count)
        with part(ordered, stop):
            W, n_perfect = _order_ties(X, pencil, values, W, all_found)
        if pencil.perfect == "discard":
            W = W[:, n_perfect:]
        W = _with_extent(X, pencil, W, origin)
        if all_found or W.shape[1] >= (n_components or 0):
            break
    return W[:, :n_components], W.shape[1] if all_found else None, n_perfect


def _made_first(X: Any, longer: int, shorter: int) -> float:
    """The share of the time that goes by before the eigenproblem, in which products with X are taken."""
    return SPARSE_FIRST if sparse.issparse(X) else longer / (longer + 2 * shorter)


def _order_ties(
    X: FloatArray, pencil: Pencil, values: FloatArray, W: FloatArray, all_found: bool
) -> tuple[FloatArray, int]:
    """Directions with equal quotients, ordered by plain push in an orthonormal basis of them.

    The last ones go where not all were found, since others may tie with them.
    """
    if not len(values):
        return W, 0
    gaps = TIE * (np.abs(values) if pencil.over == "pull" else np.maximum(np.abs(values), 1.0))
    starts = np.flatnonzero(np.diff(values, prepend=np.inf) < -gaps)
    stops = np.append(starts[1:], len(values))
    if not all_found:
        values, W, starts, stops = values[: starts[-1]], W[:, : starts[-1]], starts[:-1], stops[:-1]
    W = W.copy()
    for start, stop in zip(starts, stops, strict=True):
        if stop - start > 1:
            with part(start / len(values), stop / len(values)):
                with part(0, 0.5):
                    basis, _ = foreseen(lambda some: linalg.qr(some, mode="economic"), W[:, start:stop])
                    inner = basis.T @ pencil.push.apply(X, basis)
                with part(0.5, 1):
                    _, turn = foreseen(np.linalg.eigh, (inner + inner.T) / 2)
            W[:, start:stop] = basis @ turn[:, ::-1]
    perfect = 0
    if pencil.psd and pencil.over != "pull":
        best = 1.0 if pencil.over == "sum" else 0.0
        perfect = int(np.sum(values >= best - TIE))
    return W, perfect


def _with_extent(X: Any, pencil: Pencil, W: FloatArray, origin: tuple[FloatArray, FloatArray] | None) -> FloatArray:
    """Without the directions that are no answer: no push along them, or all rows at the origin along them.

    The origin is zero, unless its images ``origin[0] @ origin[1]``, row by row, are given.
    """
    if not W.size:
        return W
    # The images of all directions at once would be as large as the data made dense.
    step = max(BLOCK_COLUMNS, BLOCK_ENTRIES // X.shape[0])
    parts = []
    for some in (W[:, start : start + step] for start in range(0, W.shape[1], step)):
        image = product(X, some)
        forms = (form.value(X, some, image) for form in (pencil.pull, pencil.push))
        spread = image if origin is None else image - origin[0] @ (origin[1] @ some)
        parts.append((np.linalg.norm(spread, axis=0) / np.linalg.norm(some, axis=0), *forms))
    extent, pull, push = (np.concatenate(part) for part in zip(*parts, strict=True))
    kept = extent > NO_EXTENT * extent.max()
    if pencil.psd and pencil.over != "push":
        kept &= push > NO_SHARE * (pull + push)
    return W[:, kept]


def tell_shortfall(asked: int | None, found: int, shape: tuple[int, int]) -> None:
    """Warn if fewer directions exist than were asked for; raise if there are none."""
    if found == 0:
        raise ValueError(
            "no direction separates anything: along every direction the form to grow is zero. "
            "Check that the rows differ and that the constraints speak of rows that differ."
        )
    if asked is not None and found < asked:
        warnings.warn(
            f"n_components={asked}, but only {found} directions exist: along the other {asked - found} the data "
            f"({shape[0]} rows seen, {shape[1]} features) shows nothing to separate. {found} are returned.",
            stacklevel=4,
        )


def _finish(
    X: Any, pencil: Pencil, sizes: tuple[float, float], W: FloatArray, scaling: str
) -> tuple[FloatArray, FloatArray]:
    W = with_sign(W / np.linalg.norm(W, axis=0))
    image = product(X, W)
    pull, push = (form.value(X, W, image) for form in (pencil.pull, pencil.push))
    if pencil.psd:
        felt = ROUNDING * sizes[0]
        pull, push = np.where(pull > felt, pull, 0.0), np.maximum(push, 0.0)
        share = small_quotient(push, pull + push)
    else:
        share = small_quotient(push, pull) if pencil.over == "pull" else small_quotient(-pull, push)
    if scaling != "unit":
        denominator = {"sum": pull + push, "pull": pull, "push": push}[pencil.over or "sum"]
        W = W / np.sqrt(denominator)
        if scaling == "share":
            relative = pull / denominator
            W = W / np.sqrt(np.maximum(relative, FLOOR * relative.max()) if relative.max() > 0 else 1.0)
    return W, share
