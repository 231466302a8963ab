"""The row-space route: directions as combinations of rows, exact when n < f."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import aslinearoperator

from .._arrays import FloatArray
from .._foresight import foreseen
from .._lapack import solved
from ..forms._form import Form
from ._dense import sound_root
from ._pencil import Pencil


def ridge_scale(pencil: Pencil, n_features: int) -> FloatArray | None:
    """The column scales that turn both ridges into multiples of the identity; None if there are none.

    A direction has a part in the row space of the scaled data and a part orthogonal to it. The second part changes no
    row and only pays ridge, so the best directions have none of it: but only if both ridges measure length alike.
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
    """``(small, basis, pencil)`` such that directions ``basis @ c`` cost what c costs on ``small``."""
    narrow = [Form(form.rows, float(np.asarray(form.ridge).flat[0]), form.psd) for form in (pencil.pull, pencil.push)]
    if sparse.issparse(X):
        scaled = sparse.csr_array(X @ sparse.diags_array(scale))
        gram = (scaled @ scaled.T).toarray()
        small, inverse = _root_and_inverse(gram)
        # Left as a product: written out it would be as large as the data made dense.
        back = sparse.diags_array(scale) @ scaled.T
        basis = aslinearoperator(back) @ aslinearoperator(inverse)
    else:
        turned = (X * scale).T
        basis, R = foreseen(lambda some: linalg.qr(some, mode="economic", check_finite=False), turned)
        basis, small = basis * scale[:, None], R.T
    return small, basis, replace(pencil, pull=narrow[0], push=narrow[1])


def _root_and_inverse(gram: FloatArray) -> tuple[FloatArray, FloatArray]:
    """``(R, S)`` such that R Rᵀ = Y Yᵀ, the matrix, and the columns of Yᵀ S are orthonormal."""
    root = sound_root(gram)
    if root is not None:
        return root, foreseen(lambda some: solved(some, np.eye(len(some))), root)
    values, vectors = foreseen(np.linalg.eigh, gram)
    kept = values > len(values) * np.finfo(float).eps * values.max(initial=0.0)
    sizes = np.sqrt(values[kept])
    return vectors[:, kept] * sizes, vectors[:, kept] / sizes
