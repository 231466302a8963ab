"""The dense and the row-space route: one eigenproblem with full matrices, f×f or n×n."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import aslinearoperator

from .._arrays import FloatArray, slices
from ..forms._form import Form
from ..linalg._eigen import generalized_eigh, well_conditioned_cholesky
from ..linalg._products import product
from ._pencil import Pencil

TIE = 1e-8
"""Quotients that differ by less than this are tied; their directions are ordered by the value of the push."""

NO_SHARE = 1e-10
"""Directions with a share, push / (push + pull), below this are discarded."""

NO_EXTENT = 1e-9
"""Directions along which the rows spread less than this fraction of the largest spread are discarded as rounding
errors."""

BLOCK_ENTRIES = 2**19
"""Projections of the rows are computed in blocks of about this number of values ..."""

BLOCK_COLUMNS = 16
"""... and at least this number of directions, since each block reads all of the data once."""

Origin = tuple[FloatArray, FloatArray] | None
"""``(A, B)`` such that row i of the origin is projected to ``(A B w)_i``; None if the origin is zero."""


def ridge_scale(pencil: Pencil, n_features: int) -> FloatArray | None:
    """The column scales that turn both ridges into multiples of the identity; None if no such scales exist.

    A direction has a component in the row space of the scaled data and one orthogonal to it. The orthogonal component
    moves no row and only adds to the ridge, so the best directions have none, provided both ridges are proportional.
    """
    ridges = [np.broadcast_to(np.asarray(form.ridge, dtype=float), n_features) for form in (pencil.pull, pencil.push)]
    present = [ridge for ridge in ridges if np.any(ridge != 0)]
    if not present:
        return np.ones(n_features)
    first = present[0]
    if np.any(first <= 0):
        return None
    if len(present) == 2 and not np.allclose(present[1] / first, present[1][0] / first[0], rtol=1e-10, atol=0):
        return None
    return np.asarray(1.0 / np.sqrt(first / first[0]))


def to_row_space(X: Any, pencil: Pencil, scale: FloatArray) -> tuple[FloatArray, Any, Pencil]:
    """``(small, basis, pencil)`` such that the direction ``basis @ c`` costs the same as c does on ``small``."""
    pull, push = (
        Form(form.rows, float(np.asarray(form.ridge).flat[0]), form.psd) for form in (pencil.pull, pencil.push)
    )
    if sparse.issparse(X):
        scaled = sparse.csr_array(X @ sparse.diags_array(scale))
        gram = (scaled @ scaled.T).toarray()
        small, inverse = _root_and_inverse(gram)
        # Kept as a product; multiplied out it would be as large as the data in dense format.
        back = sparse.diags_array(scale) @ scaled.T
        basis = aslinearoperator(back) @ aslinearoperator(inverse)
    else:
        basis, R = linalg.qr((X * scale).T, mode="economic", check_finite=False)
        basis = basis * scale[:, None]
        small = R.T
    return small, basis, replace(pencil, pull=pull, push=push)


def _root_and_inverse(gram: FloatArray) -> tuple[FloatArray, FloatArray]:
    """``(R, S)`` for a Gram matrix Y Yᵀ, such that R Rᵀ = Y Yᵀ and the columns of Yᵀ S are orthonormal."""
    root = well_conditioned_cholesky(gram)
    if root is not None:
        return root, linalg.solve_triangular(root, np.eye(len(root)), lower=True, trans="T")
    values, vectors = np.linalg.eigh(gram)
    kept = values > len(values) * np.finfo(float).eps * values.max(initial=0.0)
    sizes = np.sqrt(values[kept])
    return vectors[:, kept] * sizes, vectors[:, kept] / sizes


def solve_direct(
    X: Any, pencil: Pencil, n_components: int | None, origin: Origin
) -> tuple[FloatArray, int | None, int]:
    """``(W, rank, n_perfect)`` from full matrices.

    At first only the leading directions are computed; all of them if too few are left after the others are discarded.
    """
    numerator = pencil.numerator.matrix(X)
    denominator = pencil.denominator.matrix(X)
    for count in (n_components, None):
        values, W, is_complete = generalized_eigh(numerator, denominator, count)
        W, n_perfect = _order_ties(X, pencil, values, W, is_complete)
        if pencil.null_space == "discard":
            W = W[:, n_perfect:]
        W = with_extent(X, pencil, W, origin)
        if is_complete or W.shape[1] >= (n_components or 0):
            break
    return W[:, :n_components], W.shape[1] if is_complete else None, n_perfect


def _order_ties(X: Any, pencil: Pencil, values: FloatArray, W: FloatArray, is_complete: bool) -> tuple[FloatArray, int]:
    """Order directions with equal quotients by the push, in an orthonormal basis; also returns how many are perfect.

    If not all directions were computed, the last group of ties is left out, since it may be incomplete.
    """
    if not len(values):
        return W, 0
    gaps = TIE * (np.abs(values) if pencil.over == "pull" else np.maximum(np.abs(values), 1.0))
    starts = np.flatnonzero(np.diff(values, prepend=np.inf) < -gaps)
    stops = np.append(starts[1:], len(values))
    if not is_complete:
        values, W = values[: starts[-1]], W[:, : starts[-1]]
        starts, stops = starts[:-1], stops[:-1]
    W = W.copy()
    for start, stop in zip(starts, stops, strict=True):
        if stop - start > 1:
            basis, _ = linalg.qr(W[:, start:stop], mode="economic")
            push = basis.T @ pencil.push.apply(X, basis)
            _, rotation = np.linalg.eigh((push + push.T) / 2)
            W[:, start:stop] = basis @ rotation[:, ::-1]
    n_perfect = 0
    if pencil.psd and pencil.over != "pull":
        best = 1.0 if pencil.over == "sum" else 0.0
        n_perfect = int(np.sum(values >= best - TIE))
    return W, n_perfect


def with_extent(X: Any, pencil: Pencil, W: FloatArray, origin: Origin) -> FloatArray:
    """W without the directions that separate nothing: those without push, or along which all rows coincide."""
    if not W.size:
        return W
    # Projections onto all directions at once would be as large as the data in dense format.
    step = max(BLOCK_COLUMNS, BLOCK_ENTRIES // X.shape[0])
    parts = []
    for some in (W[:, part] for part in slices(W.shape[1], step)):
        image = product(X, some)
        forms = (form.value(X, some, image) for form in (pencil.pull, pencil.push))
        spread = image if origin is None else image - origin[0] @ (origin[1] @ some)
        parts.append((np.linalg.norm(spread, axis=0) / np.linalg.norm(some, axis=0), *forms))
    extent, pull, push = (np.concatenate(part) for part in zip(*parts, strict=True))
    kept = extent > NO_EXTENT * extent.max()
    if pencil.psd and pencil.over != "push":
        kept &= push > NO_SHARE * (pull + push)
    return W[:, kept]
