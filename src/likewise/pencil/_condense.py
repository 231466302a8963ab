"""Exact reduction of the number of rows before a pencil is solved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import IntArray
from ..forms._form import Form
from ..linalg._products import crossprod64
from ..linalg._row_matrix import RowMatrix, selector
from ._pencil import Pencil


def condense(X: Any, pencil: Pencil) -> tuple[Any, Pencil]:
    """An equivalent pencil on fewer rows.

    A form depends on the data only through the rows with an edge in its graph, and through the weighted sums of rows in
    its low-rank part (``K = E B Eᵀ``, so ``Xᵀ K X = (EᵀX)ᵀ B (EᵀX)``). If these are fewer than n for both forms
    together, they replace the data; or the rows with a nonzero entry in K do, if they are fewer still. So the cost
    falls as must-links merge rows into groups, and rows that no form involves cost nothing.
    """
    pencil = replace(pencil, pull=_lean(pencil.pull), push=_lean(pencil.push))
    seen_by = [form.rows for form in (pencil.pull, pencil.push) if form.rows is not None]
    if not seen_by:
        raise ValueError("neither form of the pencil depends on the rows of X.")
    touched = np.zeros(X.shape[0], dtype=bool)
    summed = np.zeros(X.shape[0], dtype=bool)
    for matrix in seen_by:
        touched[matrix.support()] = True
        summed[np.flatnonzero(np.diff(matrix.factor.indptr))] = True
    rows = np.flatnonzero(touched)
    members = np.flatnonzero(touched | summed)
    size = len(rows) + sum(matrix.factor.shape[1] for matrix in seen_by)
    if min(size, len(members)) >= 0.9 * X.shape[0]:
        return X, pencil
    if len(members) <= size:
        return X[members], replace(pencil, pull=_on(members, pencil.pull), push=_on(members, pencil.push))
    seen = sparse.hstack([selector(X.shape[0], rows), *(matrix.factor for matrix in seen_by)], format="csr")

    def narrow(form: Form, position: int) -> Form:
        if form.rows is None:
            return form
        # This form does not involve the sums of the other one.
        cores = [each.core if i == position else sparse.csr_array(each.core.shape) for i, each in enumerate(seen_by)]
        K = sparse.block_diag([form.rows.sparse[rows][:, rows], *cores], format="csr")
        return Form(RowMatrix(K), form.ridge, form.psd)

    return crossprod64(seen, X), replace(
        pencil, pull=narrow(pencil.pull, 0), push=narrow(pencil.push, len(seen_by) - 1)
    )


def _on(rows: IntArray, form: Form) -> Form:
    """The form restricted to some rows, which include all that it involves."""
    K = form.rows
    return form if K is None else Form(RowMatrix(K.sparse[rows][:, rows], K.factor[rows], K.core), form.ridge, form.psd)


def _lean(form: Form) -> Form:
    """The same form without empty columns in its low-rank part."""
    K = form.rows
    if K is None:
        return form
    used = np.flatnonzero(np.diff(K.core.indptr))
    return Form(RowMatrix(K.sparse, K.factor[:, used], K.core[used][:, used]), form.ridge, form.psd)
