"""The matrix-free route, which only multiplies by the data.

The columns are scaled by the ridge of the denominator first, which makes that the identity plus what the rows add. Then
directions are looked for among the features, or among the combinations of rows if those are fewer (``spaces.py``), by a
subspace that grows a block at a time (``davidson.py``).
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray
from .._threads import single_blas_thread
from ..forms._form import Form
from ..linalg._davidson import BLOCK, leading
from ._spaces import Features, Rows

SINGLE_TOL = 1e-4
"""The least residual to ask of single precision: quotients are then right to about as many digits as it has."""

HUGE = 1e30
"""A scale of the columns beyond which single precision has no room."""


def solve_matrix_free(
    X: Any,
    numerator: Form,
    denominator: Form,
    n_components: int,
    *,
    tol: float,
    random_state: int | np.random.Generator | None,
) -> FloatArray:
    """The ``n_components`` directions with the largest ``numerator / denominator``, as columns."""
    f = X.shape[1]
    order = _common_first(X) if sparse.issparse(X) else np.arange(f)
    scale = 1.0 / np.sqrt(np.broadcast_to(np.asarray(denominator.ridge, dtype=float), f))[order]
    precision: Any = X.dtype if max(scale.max(), 1 / scale.min()) < HUGE else np.float64
    tol = max(tol, SINGLE_TOL) if precision == np.float32 else tol
    fitting = scale.astype(precision)
    X = sparse.csr_array(X[:, order] @ sparse.diags_array(fitting)) if sparse.issparse(X) else X * fitting
    ridge = np.broadcast_to(numerator.ridge, f)[order] * scale**2
    even = np.ptp(ridge) <= 1e-10 * np.abs(ridge).max()
    space = Rows if X.shape[0] < f and even else Features
    forms = Form(numerator.rows, ridge, numerator.psd), Form(denominator.rows, 1.0)
    random = np.random.default_rng(random_state).standard_normal((X.shape[0] if space is Rows else f, BLOCK))
    start = random.astype(precision)
    with single_blas_thread() if sparse.issparse(X) else nullcontext():
        place = space(X, *forms, tol=tol)
        W = place.directions(leading(place, start, n_components, tol))
    return np.asarray((scale[:, None] * W)[np.argsort(order)])


def _common_first(X: sparse.csr_array) -> IntArray:
    """Features by the number of rows that have them: what the common ones are multiplied with stays at hand."""
    return np.argsort(-np.bincount(X.indices, minlength=X.shape[1]), kind="stable")
