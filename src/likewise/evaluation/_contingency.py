"""Contingency tables of classes and clusters, from which all scores are computed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import IntArray, is_missing

_NUMBERS_AND_DATES = "biufcmM"  # numpy's dtype kinds that sort and that np.isnan understands


class PairCounts(NamedTuple):
    """Unordered pairs of different items, counted exactly in Python integers."""

    both: int
    """together in the rows' grouping and in the columns'"""
    by_row: int
    """together in the rows' grouping"""
    by_column: int
    """together in the columns' grouping"""
    total: int
    """all n(n−1)/2 pairs"""

    @property
    def neither(self) -> int:
        """Pairs apart in both groupings."""
        return self.total - self.by_row - self.by_column + self.both


class Contingency(NamedTuple):
    """A sparse contingency table, which stores only its nonzero cells.

    Cell ``s``: ``cells[s]`` items are in row group ``row[s]`` and column group ``column[s]``. There are at most as many
    cells as items. Totals may be zero.
    """

    cells: IntArray
    row: IntArray
    column: IntArray
    row_total: IntArray
    column_total: IntArray

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.row_total.sum())

    def pairs(self) -> PairCounts:
        """Count the pairs that are together in the rows, the columns, and both."""
        n = self.n
        return PairCounts(
            both=_pairs_within(self.cells),
            by_row=_pairs_within(self.row_total),
            by_column=_pairs_within(self.column_total),
            total=n * (n - 1) // 2,
        )


def contingency(row_codes: IntArray, column_codes: IntArray) -> Contingency:
    """Cross two groupings given as codes ≥ 0 of equal length.

    Examples
    --------
    >>> import numpy as np
    >>> table = contingency(np.array([0, 0, 1]), np.array([0, 1, 1]))
    >>> table.cells.tolist(), table.row.tolist(), table.column.tolist()
    ([1, 1, 1], [0, 0, 1], [0, 1, 1])
    """
    row_total = np.bincount(row_codes)
    column_total = np.bincount(column_codes)
    position, cells = np.unique(row_codes * column_total.size + column_codes, return_counts=True)
    row, column = np.divmod(position, column_total.size)
    return Contingency(cells, row, column, row_total, column_total)


def contingency_of_labels(y_true: ArrayLike, y_pred: ArrayLike) -> Contingency:
    """Cross two labelings of the same items; rows are true classes, columns predicted clusters."""
    return contingency(*encode_both(y_true, y_pred))


def encode_both(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[IntArray, IntArray]:
    """Both labelings of the same items as codes."""
    true_codes, pred_codes = encode(y_true, "y_true"), encode(y_pred, "y_pred")
    if true_codes.size != pred_codes.size:
        raise ValueError(
            f"y_true has {true_codes.size} labels, y_pred has {pred_codes.size}. "
            "Give both one label per item, in the same order."
        )
    return true_codes, pred_codes


def encode(labels: ArrayLike, name: str) -> IntArray:
    """Turn labels of any kind into codes 0, 1, …, equal where the labels are equal.

    Raises ``ValueError`` if the labels are not one-dimensional, are empty, or hold a missing value.

    Examples
    --------
    >>> encode(["cat", "dog", "cat"], "labels").tolist()
    [0, 1, 0]
    """
    values = np.asarray(labels)
    if values.dtype.kind not in _NUMBERS_AND_DATES:
        values = np.asarray(labels, dtype=object)  # read again: numpy spells a nan among strings "nan"
    if values.ndim != 1:
        raise ValueError(
            f"{name} must hold one label per item, shape (n,), but has shape {values.shape}. "
            f"Pass a single column, or {name}.argmax(axis=1) if its columns are memberships."
        )
    if values.size == 0:
        raise ValueError(f"{name} is empty. Give at least one label.")
    if values.dtype.kind in _NUMBERS_AND_DATES:
        missing = np.isnan(values)
        if missing.any():
            raise _missing_label(name, int(missing.argmax()), values[missing][0])
        return np.unique(values, return_inverse=True)[1].astype(np.int64, copy=False)
    codes = np.empty(values.size, dtype=np.int64)
    code_of: dict[Any, int] = {}
    for item, value in enumerate(values.tolist()):
        if is_missing(value) and not isinstance(value, str):
            raise _missing_label(name, item, value)
        codes[item] = code_of.setdefault(value, len(code_of))
    return codes


def _pairs_within(sizes: IntArray) -> int:
    # Σ s(s−1) ≤ n², which int64 holds for every n < 3·10⁹.
    return int(np.dot(sizes, sizes - 1)) // 2


def _missing_label(name: str, item: int, value: Any) -> ValueError:
    return ValueError(
        f"{name}[{item}] is {value}: a missing label is in no group. "
        "Leave such rows out of all labels, or give them a label of their own."
    )
