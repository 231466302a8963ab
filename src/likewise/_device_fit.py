"""Fitting an estimator on a torch or CuPy array, on its device."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import validate_data

from ._devices import (
    check_same_place,
    dispatches,
    double_of,
    move_fitted,
    namespace,
    place,
    refuse,
    sparse_elsewhere,
    to_numpy,
)
from .chunked._device import DeviceRows

LEAST_ROWS = 2**14
"""Fewer rows are fitted in host memory, which is faster."""


def fit_on_device(estimator: Any, X: Any, y: Any, *, wide: int | None = None, **given: Any) -> Any:
    """Fit on an array on its device, to which fitted attributes are moved.

    Few rows, very many columns, and weighted rows are fitted in host memory.

    Parameters
    ----------
    estimator : estimator
        An estimator that can read rows leaf by leaf.
    X : (n, f) array of torch, CuPy or another library
    y : array-like or None
    wide : int, optional
        With more columns than this, fit in host memory.
    **given
        Other arguments of ``fit``; those that are None are left out.
    """
    if not estimator.__sklearn_tags__().array_api_support:
        refuse(estimator, X)
    rows = checked_on_device(estimator, X, ensure_min_samples=2, reset=True)
    given = {name: to_numpy(value) for name, value in given.items() if value is not None}
    small = rows.shape[0] < LEAST_ROWS or (wide is not None and rows.shape[1] > wide) or "sample_weight" in given
    estimator.fit(to_numpy(rows) if small else DeviceRows(rows), to_numpy(y), **given)
    move_fitted(estimator, rows)
    return estimator


def checked_on_device(estimator: Any, X: Any, **options: Any) -> Any:
    """``validate_data`` of scikit-learn for such an array, without checking values."""
    if (error := sparse_elsewhere(X)) is not None:
        raise error
    xp = namespace(X)
    if xp.isdtype(X.dtype, "complex floating"):
        raise ValueError(f"Complex data not supported: X is {place(X)}, of type {X.dtype}. Pass its real part.")
    floats = (xp.float64, xp.float32) if double_of(X) == xp.float64 else (xp.float32,)
    return validate_data(estimator, X, dtype=floats, ensure_all_finite=False, **options)


def new_rows_on_device(estimator: Any, X: Any, attribute: str, method: str) -> Any:
    """Validated new rows for a fitted estimator, on their device; None if X is not such an array."""
    check_same_place(estimator, X, attribute, method)
    return checked_on_device(estimator, X, reset=False) if dispatches(X) else None
