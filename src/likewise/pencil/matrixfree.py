"""The matrix-free route, which only multiplies by the data.

The columns are scaled by the ridge of the denominator first, which makes that the identity plus what the rows add. Then
directions are looked for among the features, or among the combinations of rows if those are fewer (``spaces.py``), by a
subspace that grows a block at a time (``davidson.py``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..constraints.pairs import FloatArray
from ..forms.form import Form
from .davidson import BLOCK, leading
from .spaces import Features, Rows

ROUGH = 1e-3
"""From this tolerance on, rough inverses are applied in single precision."""


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
    scale = 1.0 / np.sqrt(np.broadcast_to(np.asarray(denominator.ridge, dtype=float), X.shape[1]))
    X = sparse.csr_array(X @ sparse.diags_array(scale)) if sparse.issparse(X) else X * scale
    ridge = numerator.ridge * scale**2
    even = np.ptp(ridge) <= 1e-10 * np.abs(ridge).max()
    space = Rows if X.shape[0] < X.shape[1] and even else Features
    forms = Form(numerator.rows, ridge, numerator.psd), Form(denominator.rows, 1.0)
    place = space(X, *forms, rough=tol >= ROUGH)
    start = np.random.default_rng(random_state).standard_normal((min(X.shape) if space is Rows else X.shape[1], BLOCK))
    return np.asarray(scale[:, None] * place.directions(leading(place, start, n_components, tol)))
