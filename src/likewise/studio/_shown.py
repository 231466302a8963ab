"""Display of rows (names, texts, values, images) and search."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .._arrays import FloatArray
from ..prepare import Rows
from ..prepare._row_values import MAX_VALUES, RowValues
from ..report._thumbnails import small_jpeg

MAX_TEXT = 1_200
"""Maximum number of characters of a text on a card; the complete text is sent on request."""

MAX_WHOLE = 100_000
"""Maximum number of characters of a complete text."""

MAX_COLUMNS = 400
MAX_BESIDE = 30
"""Maximum number of columns that are shown in addition to texts and images."""

MAX_CELL = 300

CACHE = 64 * 2**20
"""Size of the image cache in bytes."""

SIDES = (96, 192, 512)
"""Available image sizes; a requested size is rounded up."""

MAX_FOUND = 50


class RowView:
    """The rows of a session, as the page shows them.

    Parameters
    ----------
    rows : Rows
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._values = RowValues(rows)
        self._pictures: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()
        self._haystack: list[str] | None = None

    @cached_property
    def has_values(self) -> bool:
        """Whether rows have readable columns; many columns in addition to texts or images are embeddings."""
        table = self.rows.table
        if table is None or not self._values:
            return False
        width = len(table.columns) + (0 if table.matrix is None else table.matrix.shape[1])
        return width <= MAX_BESIDE or (self.rows.texts is None and self.rows.images is None)

    def items(
        self, rows: Sequence[int], *, together: bool = True, full: bool = False
    ) -> tuple[list[dict[str, Any]], list[str]]:
        """Rows for the page, and the columns in which they differ most.

        Parameters
        ----------
        rows : sequence of int
        together : bool
            Show the same columns for all rows, those in which they differ most; otherwise the first of each row.
        full : bool
            Show complete texts and all columns.
        """
        if together or not rows:
            return self._items(rows, full)
        found = [self._items([row], full)[0][0] for row in rows]
        return found, []

    def _items(self, rows: Sequence[int], full: bool) -> tuple[list[dict[str, Any]], list[str]]:
        held = self.rows
        limit = MAX_COLUMNS if full else MAX_VALUES
        values = list(self._values.of(rows, limit)) if rows and (self.has_values or full) else []
        length = MAX_WHOLE if full else MAX_TEXT
        items = []
        for place, row in enumerate(rows):
            text = None if held.texts is None else held.texts[row]
            items.append(
                {
                    "row": int(row),
                    "id": held.ids[row],
                    "text": None if text is None else text[:length],
                    "more": text is not None and len(text) > length,
                    "picture": held.images is not None,
                    "values": [[name, cells[place][:MAX_CELL]] for name, cells, _ in values],
                }
            )
        return items, [name for name, _, differs in values if differs]

    def picture(self, row: int, side: int) -> bytes:
        """The image of a row as JPEG; raises ValueError if it cannot be read."""
        side = next((size for size in SIDES if size >= side), SIDES[-1])
        if self.rows.images is None:
            raise ValueError(f"{self.rows.ids[row]} has no picture.")
        with self._lock:
            if (row, side) in self._pictures:
                self._pictures.move_to_end((row, side))
                return self._pictures[row, side]
        made = small_jpeg(self.rows.images[row], side)
        with self._lock:
            self._pictures[row, side] = made
            self._size += len(made)
            while self._size > CACHE:
                _, oldest = self._pictures.popitem(last=False)
                self._size -= len(oldest)
        return made

    def find(self, words: str) -> tuple[list[int], int]:
        """The first rows that contain all words in their id, text or cells, and the total number of such rows."""
        wanted = words.lower().split()
        if not wanted:
            return [], 0
        with self._lock:
            if self._haystack is None:
                self._haystack = self._searched()
        found = [row for row, text in enumerate(self._haystack) if all(word in text for word in wanted)]
        whole = words.strip().lower()
        found.sort(key=lambda row: self.rows.ids[row].lower() != whole)  # a row with this id comes first
        return found[:MAX_FOUND], len(found)

    def _searched(self) -> list[str]:
        held = self.rows
        columns: list[Any] = [held.ids]
        if held.texts is not None:
            columns.append(held.texts)
        if held.table is not None:
            columns += [
                cells
                for cells in held.table.columns.values()
                if any(isinstance(cell, str) for cell in list(cells[:20]))
            ]
        if held.labels is not None:
            columns.append([label or "" for label in held.labels])
        lines = zip(*columns, strict=True)
        return ["\n".join("" if cell is None else str(cell) for cell in line).lower() for line in lines]


def nearest(features: FloatArray, point: int, n: int) -> list[int]:
    """The nearest neighbors of a point."""
    gaps = np.square(features - features[point]).sum(axis=1)
    gaps[point] = np.inf
    n = min(n, len(gaps) - 1)
    best = np.argpartition(gaps, n - 1)[:n] if n > 0 else np.zeros(0, dtype=np.int64)
    return [int(place) for place in best[np.argsort(gaps[best], kind="stable")]]
