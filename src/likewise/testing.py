"""Checks for forms of your own, to be used in tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import FloatArray
from .forms import Form

RELATIVE = 1e-8
"""Relative tolerance of two computations of the same value."""


def check_form(form: Form, X: Any, *, random_state: int | np.random.Generator | None = 0) -> None:
    """Check the consistency of a form on the rows of X.

    A :class:`~likewise.forms.Form` computes the same values in several ways, and the solver uses the cheapest one. Call
    this in the tests of a form that you wrote. It checks that

    - ``apply(X, V)`` is ``matrix(X) @ V``, for one vector and for several;
    - ``diagonal(X)`` is the diagonal of ``matrix(X)``;
    - ``value(X, W)`` is wᵀ matrix(X) w for each column w;
    - ``matrix(X)`` is symmetric and finite;
    - ``psd=True`` is correct: no eigenvalue is below −1e-8 times the largest;
    - sums, differences and multiples of forms are those of their matrices, with correct ``psd``.

    Parameters
    ----------
    form : Form
    X : (n, f) array or sparse matrix
        Rows to test with. Use few features, since the f×f matrix is computed.
    random_state : int, Generator or None
        For the random directions of the test.

    Raises
    ------
    AssertionError
        With the property that is violated, and by how much.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.forms import Form, total_scatter
    >>> from likewise.graphs import RowMatrix
    >>> from likewise.testing import check_form
    >>> X = np.arange(12.0).reshape(4, 3) ** 2
    >>> check_form(total_scatter(4), X)
    >>> one_edge = RowMatrix.from_pairs(4, np.array([[0, 1]]), np.array([1.0]))
    >>> check_form(Form(one_edge), X)
    Traceback (most recent call last):
    AssertionError: psd=True, but the matrix has the eigenvalue ... Pass psd=False.
    """
    rng = np.random.default_rng(random_state)
    f = X.shape[1]
    M = form.matrix(X)
    if M.shape != (f, f):
        raise AssertionError(f"matrix(X) has shape {M.shape}, X has {f} features.")
    if not np.all(np.isfinite(M)):
        raise AssertionError("matrix(X) is not finite.")
    size = max(float(np.abs(M).max(initial=0.0)), _rounding(form, X))
    _same(M, M.T, size, "matrix(X) is not symmetric")
    V = rng.standard_normal((f, 3))
    quadratic = np.einsum("ij,ij->j", V, M @ V)
    _same(form.apply(X, V), M @ V, size * f, "apply(X, V) is not matrix(X) @ V")
    _same(form.apply(X, V[:, 0]), M @ V[:, 0], size * f, "apply(X, v) of one vector is not matrix(X) @ v")
    _same(form.diagonal(X), np.diag(M), size, "diagonal(X) is not the diagonal of matrix(X)")
    _same(form.value(X, V), quadratic, size * f**2, "value(X, W) is not the quadratic form of matrix(X)")
    _check_psd(form, M, size)

    other = Form(None, 0.5 + rng.random(f)) * size
    N = other.matrix(X)
    laws = {
        "form + other": (form + other, M + N),
        "other + form": (other + form, M + N),
        "form - other": (form - other, M - N),
        "form + form": (form + form, 2 * M),
        "2.5 * form": (2.5 * form, 2.5 * M),
        "form * 2.5": (form * 2.5, 2.5 * M),
        "0.0 * form": (0.0 * form, 0 * M),
        "-form": (-form, -M),
    }
    for name, (combined, expected) in laws.items():
        _same(combined.matrix(X), expected, size, f"the matrix of {name} is not that of its parts")
        _check_psd(combined, expected, size, f"{name}: ")


def _same(found: FloatArray, expected: FloatArray, size: float, law: str) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        raise AssertionError(f"{law}: shapes {found.shape} and {expected.shape}.")
    gap = float(np.abs(found - expected).max(initial=0.0))
    if not gap <= RELATIVE * size:
        raise AssertionError(f"{law}: off by {gap:.3g}, where entries are up to {size:.3g}.")


def _check_psd(form: Form, M: FloatArray, size: float, name: str = "") -> None:
    if not form.psd or not len(M):
        return
    values = np.linalg.eigvalsh((M + M.T) / 2)
    if values[0] < -RELATIVE * max(values[-1], size):
        raise AssertionError(f"{name}psd=True, but the matrix has the eigenvalue {values[0]:.3g}. Pass psd=False.")


def _rounding(form: Form, X: Any) -> float:
    """The size of rounding errors in XᵀKX due to cancellation of larger terms, divided by RELATIVE."""
    terms = np.finfo(float).tiny
    if form.rows is not None:
        K = form.rows
        ones = np.ones(K.n)
        degrees = abs(K.sparse) @ ones + abs(K.factor) @ (abs(K.core) @ (abs(K.factor).T @ ones))
        terms += float(degrees.max(initial=0.0)) * float(abs(X).max()) ** 2 * K.n
    return terms * np.finfo(float).eps / RELATIVE
