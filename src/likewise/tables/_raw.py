"""The result of a reader: the unprocessed columns of a file, or its matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from .._suggest import suggest

NESTED = (dict, list, tuple, bytes, np.ndarray)
"""Types of cells that are not scalars."""


@dataclass(frozen=True, eq=False)
class RawTable:
    """The unprocessed contents of a file or a data frame.

    Attributes
    ----------
    source : str
        The file, for messages.
    n : int
        Number of rows.
    columns : dict of lists or arrays
        One entry for each row. Cells are text, numbers, dates or None. Where there is a matrix, they only name and
        label its rows.
    matrix : (n, f) array or CSR matrix, optional
    matrix_names : tuple of str, optional
        Names of the columns of the matrix.
    images : list of Path, optional
    lines : sequence of int, optional
        The line of each row, where the file has lines.
    metadata : dict of str to str
        What the file says of itself: lines ``# name=value`` at the top of a CSV file, metadata of a Parquet schema.
    id, text, label : str, optional
        The columns that the format itself has for this.
    left_out : dict of str to str
        What the reader left out, and why.
    in_memory : bool
        Whether it was never a file, so that advice speaks of parameters instead of options of the command line.
    """

    source: str
    n: int
    columns: dict[str, Any]
    matrix: Any = None
    matrix_names: tuple[str, ...] | None = None
    images: list[Path] | None = None
    lines: Sequence[int] | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    id: str | None = None
    text: str | None = None
    label: str | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    in_memory: bool = False

    def where(self, row: int) -> str:
        """Name a row for a message."""
        return f"row {row}" if self.lines is None else f"line {self.lines[row]}"

    def column(self, name: str) -> Any:
        """The cells of a column, or an error that names those there are."""
        if name not in self.columns:
            offer = suggest(name, self.columns)
            raise ValueError(f"{self.source} has no column {name!r}.{offer} It has: {self.listed_columns()}.")
        return self.columns[name]

    def listed_columns(self, most: int = 12) -> str:
        """The names of the columns, for a message."""
        names = list(self.columns)
        more = f", … ({len(names) - most} more)" if len(names) > most else ""
        return ", ".join(names[:most]) + more if names else "none"

    def option(self, name: str, value: str = "") -> str:
        """A parameter as the reader of a message would write it.

        >>> RawTable("t.csv", 0, {}).option("missing", "mean"), RawTable("X", 0, {}, in_memory=True).option("text")
        ('--missing mean', 'text')
        """
        if self.in_memory:
            return f"{name}={value!r}" if value else name
        return f"--{name} {value}".rstrip()

    def without(self, names: Iterable[str | None]) -> Self:
        """The same without some columns."""
        names = set(names)
        return replace(self, columns={name: cells for name, cells in self.columns.items() if name not in names})


def flat_columns(columns: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Columns whose cells are single values, and why others are left out.

    Lists of numbers, as embeddings are kept, become one column for each place in the lists.

    >>> flat_columns({"id": ["a", "b"], "v": [[1, 2], [3, 4]], "w": [[1], [2, 3]]})
    ({'id': ['a', 'b'], 'v[0]': array([1., 3.]), 'v[1]': array([2., 4.])}, {'w': 'lists or objects of different kinds'})
    """
    found: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    for name, cells in columns.items():
        if not isinstance(cells, list) or not any(isinstance(cell, NESTED) for cell in cells):
            found[name] = cells
            continue
        numbers = _embedding(cells)
        if numbers is None:
            left_out[name] = "lists or objects of different kinds"
        else:
            found.update({f"{name}[{place}]": numbers[:, place] for place in range(numbers.shape[1])})
    return found, left_out


def _embedding(cells: list[Any]) -> Any:
    if not all(isinstance(cell, list | tuple | np.ndarray) for cell in cells):
        return None
    try:
        numbers = np.array(cells, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return numbers if numbers.ndim == 2 and numbers.shape[1] else None
