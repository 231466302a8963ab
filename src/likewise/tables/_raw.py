"""What a reader gives: the columns of a file as they stand, or its matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Progress = Callable[[str, int, int | None], None]
"""What is being read, how much of it is done, and of how much; None where nobody knows."""


def no_progress(what: str, done: int, total: int | None) -> None:
    """Nobody watches."""


@dataclass(frozen=True, eq=False)
class Raw:
    """A file before anything is made of it.

    Attributes
    ----------
    source : str
        The file, for messages.
    n : int
        Number of rows.
    columns : dict of lists or arrays
        One entry a row. Cells are text, numbers or None. Where there is a matrix, they only name and label its rows.
    matrix : (n, f) array or CSR matrix, optional
    matrix_names : tuple of str, optional
        Of the columns of the matrix.
    images : list of Path, optional
    lines : sequence of int, optional
        The line of each row, where the file has lines.
    id, text, label : str, optional
        The columns that are meant for this by the format itself.
    left_out : dict of str to str
        What the reader passed over, and why.
    """

    source: str
    n: int
    columns: dict[str, Any]
    matrix: Any = None
    matrix_names: tuple[str, ...] | None = None
    images: list[Path] | None = None
    lines: Sequence[int] | None = None
    id: str | None = None
    text: str | None = None
    label: str | None = None
    left_out: dict[str, str] = field(default_factory=dict)

    def where(self, row: int) -> str:
        """Name a row for a message."""
        return f"row {row}" if self.lines is None else f"line {self.lines[row]}"

    def column(self, name: str) -> Any:
        """The cells of a column, or an error that names those there are."""
        if name not in self.columns:
            raise ValueError(f"{self.source} has no column {name!r}. It has: {self.listed_columns()}.")
        return self.columns[name]

    def listed_columns(self, most: int = 12) -> str:
        """The names of the columns, for a message."""
        names = list(self.columns)
        more = f", … ({len(names) - most} more)" if len(names) > most else ""
        return ", ".join(names[:most]) + more if names else "none"


def unfolded(columns: dict[str, Any]) -> dict[str, Any]:
    """Columns of lists of numbers, as embeddings are kept, as one column for each place in the lists.

    >>> unfolded({"id": ["a", "b"], "v": [[1, 2], [3, 4]]})
    {'id': ['a', 'b'], 'v[0]': array([1., 3.]), 'v[1]': array([2., 4.])}
    """
    found: dict[str, Any] = {}
    for name, cells in columns.items():
        lists = isinstance(cells, list) and bool(cells) and all(isinstance(cell, list | tuple) for cell in cells)
        width = len(cells[0]) if lists else 0
        if not width or any(len(cell) != width for cell in cells):
            found[name] = cells
            continue
        try:
            numbers = np.array(cells, dtype=np.float64)
        except (TypeError, ValueError):
            found[name] = cells
            continue
        found.update({f"{name}[{place}]": numbers[:, place] for place in range(width)})
    return found
