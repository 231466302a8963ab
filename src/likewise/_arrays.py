"""Types of arrays, blocks and samples of rows, missing values, and numbering of labels, for all packages."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def slices(n: int, step: int) -> list[slice]:
    """Slices of ``step`` rows each, the last one shorter, over n rows.

    >>> slices(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def evenly_spaced(n: int, count: int) -> IntArray:
    """At most ``count`` of the numbers below n, evenly spaced, the first and the last among them.

    >>> evenly_spaced(10, 4).tolist(), evenly_spaced(2, 4).tolist()
    ([0, 3, 6, 9], [0, 1])
    """
    return np.linspace(0, n - 1, min(n, count)).astype(np.int64)


def check_compressed(matrix: Any) -> None:
    """Refuse a sparse matrix in parts that do not fit each other, which would be read beyond the memory.

    >>> from scipy import sparse
    >>> check_compressed(sparse.csr_array(([], [], [0, 9, 0]), shape=(2, 3)))
    Traceback (most recent call last):
    ValueError: indptr must be a row of numbers that never fall
    """
    matrix.check_format(full_check=True)
    # which looks at nothing where the last number of indptr says that there are no entries
    if matrix.indptr.min() < 0 or (np.diff(matrix.indptr) < 0).any():
        raise ValueError("indptr must be a row of numbers that never fall")


def is_missing(value: Any) -> bool:
    """Whether a value is missing: None, NaN, NaT, pandas' NA, or blank text.

    >>> [is_missing(value) for value in (None, float("nan"), "  ", 0, "x", [1, 2])]
    [True, True, True, False, False, False]
    """
    if isinstance(value, str):
        return not value.strip()
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # pandas' NA has no truth value; other objects without one, such as arrays, are not missing.
        return type(value).__name__ == "NAType"


def relabel(labels: IntArray) -> IntArray:
    """Renumber labels 0, 1, ... by first appearance; negative ones become −1.

    >>> relabel(np.array([7, -3, 2, 7])).tolist()
    [0, -1, 1, 0]
    """
    labels = np.maximum(labels, -1).astype(np.int64, copy=False)
    if (labels <= _largest_before(labels) + 1).all():  # already in this form
        return labels
    known = np.flatnonzero(labels >= 0)
    values = labels[known]
    if values.max() > 4 * len(labels):  # too large for a lookup table
        values = np.unique(values, return_inverse=True)[1].ravel()
    place = np.arange(len(values))
    first = np.empty(int(values.max()) + 1, dtype=np.int64)
    first[values[::-1]] = place[::-1]  # the last write wins, which is the first appearance
    appeared = first[values]
    labels[known] = (np.cumsum(appeared == place) - 1)[appeared]
    return labels


def _largest_before(labels: IntArray) -> IntArray:
    """The largest of the labels before each; −1 before the first."""
    return np.maximum.accumulate(np.concatenate([[-1], labels[:-1]])) if len(labels) else labels
