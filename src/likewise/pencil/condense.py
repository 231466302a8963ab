"""Exact reductions of the data that a pencil allows before it is solved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from ..forms.form import Form
from ..graphs.rows import RowMatrix, selector
from .pencil import Pencil

Array = np.ndarray


def condense(X: Any, pencil: Pencil) -> tuple[Any, Pencil]:
    """The same pencil on fewer rows.

    A form sees the data through the rows its graph touches and through the few sums its low-rank part takes
    (``K = E B Eᵀ``, so ``Xᵀ K X = (EᵀX)ᵀ B (EᵀX)``). If both forms together see fewer than n such rows, those are
    the data. Thus the cost falls as must-links merge rows into groups.
    """
    forms = [form for form in (pencil.pull, pencil.push) if form.rows is not None]
    if not forms:
        raise ValueError("neither form of the pencil looks at the rows of X.")
    touched = np.zeros(X.shape[0], dtype=bool)
    for form in forms:
        touched[form.rows.support()] = True  # type: ignore[union-attr]
    rows = np.flatnonzero(touched)
    widths = [form.rows.factor.shape[1] for form in forms]  # type: ignore[union-attr]
    size = len(rows) + sum(widths)
    if size >= 0.9 * X.shape[0]:
        return X, pencil
    seen = sparse.hstack([selector(X.shape[0], rows), *(form.rows.factor for form in forms)], format="csr")  # type: ignore[union-attr]
    starts = np.cumsum([len(rows), *widths])

    def narrow(form: Form) -> Form:
        if form.rows is None:
            return form
        blocks = [form.rows.sparse[rows][:, rows]]
        start = starts[forms.index(form)]
        width = form.rows.factor.shape[1]
        K = sparse.block_diag(
            [
                *blocks,
                sparse.csr_array((start - len(rows),) * 2),
                form.rows.core,
                sparse.csr_array((size - start - width,) * 2),
            ],
            format="csr",
        )
        return Form(RowMatrix(K), form.ridge, form.psd)

    return seen.T @ X, replace(pencil, pull=narrow(pencil.pull), push=narrow(pencil.push))
