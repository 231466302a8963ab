"""Cells of a table: which are missing, and which are numbers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np

from .._arrays import FloatArray, is_missing

MISSING = frozenset({"na", "n/a", "#n/a", "<na>", "nan", "null", "?", "-", "--", "–", "—"})
"""Notations for a missing value, in lower case."""


MAX_DIGITS = 18
"""Integers with at most this number of digits fit into 64 bits."""


class NumberColumn(NamedTuple):
    """A column read as numbers."""

    values: FloatArray
    """NaN where a cell is missing or no number"""
    wrong: list[int]
    """rows whose cell is there and no number"""
    n_missing: int


def is_missing_cell(cell: Any) -> bool:
    """Whether a cell of a file is missing: a missing value, or a word for one.

    >>> [is_missing_cell(cell) for cell in (None, " ", "NA", "      NA", float("nan"), 0, "no")]
    [True, True, True, True, True, False, False]
    """
    return is_missing(cell) or (isinstance(cell, str) and cell.strip().lower() in MISSING)


def whole_number_of(text: str) -> int | None:
    """The whole number that a text says; None if it says none, or one of more digits than any count, key or port has.

    >>> whole_number_of("12"), whole_number_of("-3"), whole_number_of("9" * 5000)
    (12, None, None)
    """
    return int(text) if len(text) <= MAX_DIGITS and text.isascii() and text.isdecimal() else None


def as_numbers(cells: Any) -> NumberColumn:
    """Read a column as numbers.

    >>> as_numbers(["1", "?", "2.5", "many"])
    NumberColumn(values=array([1. , nan, 2.5, nan]), wrong=[3], n_missing=1)
    """
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiu":
        values = cells.astype(np.float64)
        return NumberColumn(values, [], int(np.isnan(values).sum()))
    kinds = set(map(type, cells))
    if kinds <= {str, int, float} and (
        str not in kinds or _is_plain("".join(cell for cell in cells if isinstance(cell, str)))
    ):
        try:  # most columns are all numbers, and this is ten times as fast
            values = np.array(cells, dtype=np.float64)
            return NumberColumn(values, [], int(np.isnan(values).sum()))
        except (ValueError, OverflowError):
            pass
    return read_cells(cells, _number)


def read_cells(cells: Any, number: Callable[[Any], float]) -> NumberColumn:
    """Read a column cell by cell; ``number`` raises TypeError, ValueError or OverflowError for invalid cells."""
    values = np.full(len(cells), np.nan)
    wrong, n_missing = [], 0
    for row, cell in enumerate(cells):
        if is_missing_cell(cell):
            n_missing += 1
            continue
        try:
            values[row] = number(cell)
        except (TypeError, ValueError, OverflowError):
            wrong.append(row)
    return NumberColumn(values, wrong, n_missing)


def _is_plain(text: str) -> bool:
    """Whether a text has no syntax for numbers that is specific to Python: 1_000, and digits of other scripts."""
    return text.isascii() and "_" not in text


def _number(cell: Any) -> float:
    if isinstance(cell, str) and not _is_plain(cell):
        raise ValueError
    if isinstance(cell, bool | np.bool_ | np.complexfloating):
        raise TypeError
    return cell.total_seconds() if isinstance(cell, timedelta) else float(cell)


def as_texts(cells: Any) -> list[str | None]:
    """A column as text, None where a cell is missing.

    >>> as_texts([1, 2.0, "x", None, True])
    ['1', '2', 'x', None, 'True']
    """
    return [None if is_missing_cell(cell) else _text(cell) for cell in cells]


def _text(cell: Any) -> str:
    # a column of whole numbers with a gap in it is kept as floats by many programs
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    return str(cell).strip()
