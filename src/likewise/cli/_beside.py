"""A table that accompanies DATA, with ids, texts and classes of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from .._suggest import missing_file, suggest
from ..constraints._format import pluralize
from ..prepare import Rows
from ..prepare._columns import MIN_WORDS, mean_words
from ..prepare._reading import find_id_column, names_of
from ..tables import RawTable, as_numbers, as_texts, read_raw
from ..tables._bytes import read_text

TEXT = "text"


class Beside(NamedTuple):
    """A table about the rows of DATA, in their order."""

    table: RawTable

    @classmethod
    def read(cls, path: Path, raw: RawTable, encoding: str, *, id: str | None = None) -> Beside:
        """Read a table, and sort its rows as in DATA: by ids if both have them, else in the same order.

        Parameters
        ----------
        path : Path
            A table, or a .txt file with a text in each line.
        raw : RawTable
            DATA.
        encoding : str
        id : str, optional
            The column of ids, in DATA or in the table.
        """
        table = _lines(path, encoding) if path.suffix.lower() == ".txt" else read_raw(path, encoding)
        if table.matrix is not None or table.images is not None:
            raise ValueError(f"--beside {path} must be a table with ids, texts or classes of rows, but has none.")
        ours = find_id_column(raw, id if id in raw.columns else None, {})
        theirs = find_id_column(table, id if id in table.columns else None, {})
        if ours is None or theirs is None:
            if table.n != raw.n:
                raise ValueError(
                    f"--beside {path} has {pluralize(table.n, 'row')}, {raw.source} {pluralize(raw.n, 'row')}. Without "
                    "a column of ids in both, it needs one line for each row, in the same order."
                )
            return cls(table)
        place = {name: row for row, name in enumerate(names_of(table, id=theirs).ids)}
        order = []
        for row, name in enumerate(names_of(raw, id=ours).ids):
            if name not in place:
                raise ValueError(
                    f"{raw.source}, {raw.where(row)}: {name!r} is not among the ids of {path}, column {theirs!r}."
                    f"{suggest(name, place)} It needs a line for every row."
                )
            order.append(place[name])
        columns = {name: [cells[row] for row in order] for name, cells in table.columns.items()}
        lines = None if table.lines is None else [table.lines[row] for row in order]
        return cls(replace(table, n=len(order), columns=columns, lines=lines))

    def names_in(self, raw: RawTable, *, id: str | None, label: str | None, text: Sequence[str]) -> dict[str, Any]:
        """The columns to read from DATA itself: those that are not in this table."""
        return {
            "id": None if id in self.table.columns and id not in raw.columns else id,
            "label": None if label in self.table.columns and label not in raw.columns else label,
            "text": [name for name in text if name in raw.columns or name not in self.table.columns],
        }

    def join(self, rows: Rows, *, id: str | None, label: str | None, text: Sequence[str]) -> Rows:
        """The rows with the ids, classes and texts of this table, unless they have their own."""
        table = self.table
        names = names_of(table, id=id if id in table.columns else None, label=label if label in table.columns else None)
        changes: dict[str, Any] = {}
        if rows.id_column is None and names.id_column is not None:
            changes |= {"ids": names.ids, "id_column": names.id_column}
        if rows.labels is None or label in table.columns:
            changes |= {"labels": names.labels, "label_column": names.label_column}
        if rows.texts is None:
            column = next((name for name in text if name in table.columns), None)
            column = self._text_column({names.id_column, names.label_column}) if column is None else column
            if column is not None:
                changes["texts"] = ["" if cell is None else cell for cell in as_texts(table.columns[column])]
        return replace(rows, **changes)

    def _text_column(self, others: set[str | None]) -> str | None:
        """The column with the longest texts, or a single column of short strings."""
        strings = {}
        for name, cells in self.table.columns.items():
            if name not in others and as_numbers(cells).wrong:
                strings[name] = mean_words([text for text in as_texts(cells) if text is not None])
        long = {name: words for name, words in strings.items() if words >= MIN_WORDS}
        return max(long or strings, key=strings.__getitem__) if long or len(strings) == 1 else None


def _lines(path: Path, encoding: str) -> RawTable:
    """A text in each line."""
    if not path.exists():
        raise missing_file(path)
    texts = read_text(path, encoding).splitlines()
    return RawTable(str(path), len(texts), {TEXT: texts}, lines=range(1, len(texts) + 1), text=TEXT)
