"""The original cells of rows, for display; if there are many columns, those in which the rows differ most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, is_missing
from ._dates import find_format, read_dates
from ._reading import Rows
from ._written_numbers import read_numbers

MAX_VALUES = 14
"""Maximum number of columns to show."""

SMALL = 1.0
"""Differences of numbers above this, in standard deviations, are marked."""


class RowValues:
    """The cells of the rows of a file, without texts that are shown as such.

    Parameters
    ----------
    rows : Rows
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._numbers: dict[str, tuple[FloatArray, float]] = {}
        table = rows.table
        self._columns: dict[str, Any] = {} if table is None else dict(table.columns)
        self._matrix = None if table is None else table.matrix
        self._names = None if table is None else table.matrix_names
        # a column of texts is shown as a text, whatever its cells are
        text = next((name for name, cells in self._columns.items() if _is_texts(cells, rows.texts)), None)
        if text is not None:
            del self._columns[text]

    def __bool__(self) -> bool:
        return bool(self._columns) or (self._matrix is not None and self._rows.texts is None)

    def of(self, rows: Sequence[int], limit: int = MAX_VALUES) -> Iterator[tuple[str, list[str], bool]]:
        """Columns, the cells of some rows, and whether these differ much: those that differ most, in their order."""
        found = [
            (name, [cells[row] for row in rows], self._difference(name, cells, rows))
            for name, cells in self._columns.items()
        ]
        found += self._matrix_values(rows, limit)
        shown = [one for one in found if not all(is_missing(cell) for cell in one[1])]
        if len(shown) > limit:
            least = sorted((-difference for *_, difference in shown))[limit - 1]
            shown = [one for one in shown if -one[2] <= least][:limit]
        for name, cells, difference in shown:
            yield name, [cell_text(cell) for cell in cells], difference >= SMALL

    def _matrix_values(self, rows: Sequence[int], limit: int) -> list[tuple[str, list[Any], float]]:
        matrix = self._matrix
        if matrix is None or self._rows.texts is not None:
            return []
        block = matrix[list(rows)]
        block = block.toarray() if sparse.issparse(block) else np.asarray(block)
        spread = self._matrix_spread()
        differences = np.ptp(block, axis=0) / np.maximum(spread, np.finfo(float).tiny)
        differences[spread <= 0] = 0.0
        columns = np.sort(np.argsort(-differences, kind="stable")[:limit])
        names = self._names or tuple(f"x{column}" for column in range(block.shape[1]))
        return [(str(names[column]), block[:, column].tolist(), float(differences[column])) for column in columns]

    def _matrix_spread(self) -> Any:
        if not hasattr(self, "_of_matrix"):
            matrix: Any = self._matrix
            if sparse.issparse(matrix):
                mean = np.asarray(matrix.mean(axis=0)).ravel()
                squares = np.asarray(matrix.multiply(matrix).mean(axis=0)).ravel()
                self._of_matrix = np.sqrt(np.maximum(squares - mean**2, 0.0))
            else:
                self._of_matrix = np.nanstd(np.asarray(matrix, dtype=np.float64), axis=0)
        return self._of_matrix

    def _difference(self, name: str, cells: Any, rows: Sequence[int]) -> float:
        """The difference in standard deviations; for cells that are no numbers or dates, 1 if they differ, else 0."""
        if name not in self._numbers:
            column = read_numbers(cells)
            values, wrong = column.values, column.wrong
            if wrong and (form := find_format(cells)) is not None:
                values, wrong = read_dates(cells, form)
            known = values[np.isfinite(values)]
            self._numbers[name] = values, 0.0 if wrong or not len(known) else float(known.std())
        values, spread = self._numbers[name]
        if spread > 0:
            some = values[list(rows)]
            return float(np.ptp(some)) / spread if np.isfinite(some).all() else SMALL
        return SMALL if len({str(cells[row]) for row in rows}) > 1 else 0.0


def cell_text(cell: Any) -> str:
    """A cell in one line; a dash for an empty one.

    >>> cell_text(2 / 3), cell_text(None), cell_text(" a  b ")
    ('0.66667', '–', 'a b')
    """
    if is_missing(cell):
        return "–"
    if isinstance(cell, float | np.floating):
        return f"{cell:.5g}"
    return " ".join(str(cell).split())


def _is_texts(cells: Any, texts: list[str] | None) -> bool:
    return texts is not None and all(
        ("" if cell is None else str(cell)) == text for cell, text in zip(list(cells[:5]), texts[:5], strict=True)
    )
