"""Cells of a table: which are missing, and which are numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

MISSING = frozenset({"", "na", "n/a", "nan", "null", "?"})
"""What people write where they know nothing; case does not matter."""


class Numbers(NamedTuple):
    """A column read as numbers."""

    values: np.ndarray
    """NaN where a cell is missing or no number"""
    wrong: list[int]
    """rows whose cell is there and no number"""
    n_missing: int


def is_missing(cell: Any) -> bool:
    """Whether a cell says nothing.

    >>> [is_missing(cell) for cell in (None, " ", "NA", float("nan"), 0, "no")]
    [True, True, True, True, False, False]
    """
    if isinstance(cell, str):
        return len(cell) < 8 and cell.strip().lower() in MISSING
    return cell is None or (isinstance(cell, float) and cell != cell)


def as_numbers(cells: Any) -> Numbers:
    """Read a column as numbers.

    >>> as_numbers(["1", "?", "2.5", "many"])
    Numbers(values=array([1. , nan, 2.5, nan]), wrong=[3], n_missing=1)
    """
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiu":
        values = cells.astype(np.float64)
        return Numbers(values, [], int(np.isnan(values).sum()))
    if set(map(type, cells)) <= {str, int, float}:
        try:  # most columns are all numbers, and this is ten times as fast
            values = np.array(cells, dtype=np.float64)
            return Numbers(values, [], int(np.isnan(values).sum()))
        except (ValueError, OverflowError):
            pass
    values = np.full(len(cells), np.nan)
    wrong, n_missing = [], 0
    for row, cell in enumerate(cells):
        if is_missing(cell):
            n_missing += 1
            continue
        try:
            values[row] = _number(cell)
        except (TypeError, ValueError, OverflowError):
            wrong.append(row)
    return Numbers(values, wrong, n_missing)


def _number(cell: Any) -> float:
    if isinstance(cell, bool | np.bool_):
        raise TypeError
    return float(cell)


def as_texts(cells: Any) -> list[str | None]:
    """A column as text, None where a cell is missing.

    >>> as_texts([1, 2.0, "x", None, True])
    ['1', '2', 'x', None, 'True']
    """
    return [None if is_missing(cell) else _text(cell) for cell in cells]


def _text(cell: Any) -> str:
    # a column of whole numbers with a gap in it is kept as floats by many programs
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    return str(cell).strip()
