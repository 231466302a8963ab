"""Detecting the types of columns: numbers, categories, dates or texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from scipy import sparse

from .._frames import repeated_name
from .._progress import track
from ..tables import RawTable, as_numbers, as_texts, is_missing_cell
from ..tables._raw import flat_columns
from ._categories import MAX_LEVELS, frequent_levels
from ._dates import as_dates, find_format, in_words, read_dates
from ._written_numbers import Notation, find_notation, read_written

MIN_WORDS = 3
"""Minimum mean number of words of a text column; shorter strings with many distinct values are names or codes."""

MAX_REPEATED = 0.25
"""Sentences with fewer distinct values than this share of the rows are levels of a category."""

MOSTLY_NUMBERS = 0.9
"""A column with at least this share of numbers is numeric; other cells are errors."""

MIN_COVERED = 0.5
"""The levels of a category occur twice on average, or its most frequent levels cover this share of all rows."""

MIN_RUNNING = 10
"""Minimum number of rows for consecutive integers to be considered row numbers."""

ID_NAMES = ("id", "ids", "_id", "uid", "uuid", "key", "index", "row_id", "__index_level_0__", "unnamed: 0", "")
"""Names of id columns; the last three are the index of a data frame."""

ID_ENDING = re.compile(r"(?:[_\W](?:id|ids|ID|IDs|Id|Ids)|(?<=[a-z])(?:ID|IDs|Id|Ids))$")
"""Suffixes of the names of id columns: wine_id, PassengerId."""


@dataclass
class ColumnKinds:
    """The columns to use as features, by type; none if the table is a matrix or images.

    Attributes
    ----------
    numbers, categories, texts : lists of str
    written : dict of str to Notation
        Columns of numbers with a unit or separators, and how they are written.
    dates : dict of str to str
        Columns of dates, and how they are written.
    left_out : dict of str to str
        Columns that are not used, and why.
    """

    numbers: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    written: dict[str, Notation] = field(default_factory=dict)
    dates: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def used(self) -> list[str]:
        """The columns to compare rows by."""
        return [*self.numbers, *self.categories, *self.dates, *self.texts]


def find_kinds(raw: RawTable, text: Sequence[str], columns: Sequence[str] | None) -> ColumnKinds:
    """Detect the type of each column.

    Parameters
    ----------
    raw : RawTable
    text : sequence of str
        Columns to treat as texts.
    columns : sequence of str or None
        Use only these columns (even if they look like ids), and those in ``text``.
    """
    found = ColumnKinds(left_out=dict(raw.left_out))
    if raw.matrix is not None or raw.images is not None:
        if text or columns:
            what = "a matrix" if raw.images is None else "images"
            options = f"{raw.option('text')} and {raw.option('columns')}"
            raise ValueError(f"{raw.source} is {what}: {options} choose among the columns of a table.")
        return found
    for name in (*text, *(columns or ())):
        raw.column(name)
    only_text = raw.text is not None and columns is None  # a folder of texts has no other features
    texts = {*text, *([raw.text] if only_text and not text else [])}
    for name, cells in track(raw.columns.items(), len(raw.columns)):
        if name in texts:
            found.texts.append(name)
        elif not only_text and name not in found.left_out and (columns is None or name in columns):
            _add_column(found, raw, name, cells, chosen=columns is not None)
    return found


def _add_column(found: ColumnKinds, raw: RawTable, name: str, cells: Any, *, chosen: bool) -> None:
    numbers = as_numbers(cells)
    known = raw.n - numbers.n_missing
    if known == 0:
        found.left_out[name] = "empty"
    elif raw.n > 1 and (value := _only_value(cells)) is not None:
        found.left_out[name] = f"it is {value[:40]!r} in every row"
    elif not numbers.wrong:
        _add_numbers(found, raw, name, numbers.values, chosen=chosen)
    elif (notation := find_notation(cells)) is not None:
        numbers = read_written(cells, notation)
        if numbers.wrong:
            raise _no_number(raw, name, cells, numbers.wrong[0], f" ({notation})")
        found.written[name] = notation
        _add_numbers(found, raw, name, numbers.values, chosen=chosen)
    elif len(numbers.wrong) <= (1 - MOSTLY_NUMBERS) * known:
        raise _no_number(raw, name, cells, numbers.wrong[0])
    elif (form := find_format(cells)) is not None:
        seconds, wrong = read_dates(cells, form)
        if wrong:
            raise ValueError(
                f"{raw.source}, {raw.where(wrong[0])}: column {name!r} holds dates ({in_words(form)}), but here it is "
                f"{cells[wrong[0]]!r}. Correct it, leave the cell empty, or choose other columns with "
                f"{raw.option('columns')}."
            )
        found.dates[name] = form
        raw.columns[name] = as_dates(seconds)  # read once
    else:
        _add_strings(found, raw, name, as_texts(cells), chosen=chosen)


def _no_number(raw: RawTable, name: str, cells: Any, row: int, how: str = "") -> ValueError:
    return ValueError(
        f"{raw.source}, {raw.where(row)}: column {name!r} holds numbers{how}, but here it is {cells[row]!r}. Correct "
        f"it, leave the cell empty, or choose other columns with {raw.option('columns')}."
    )


def _add_numbers(found: ColumnKinds, raw: RawTable, name: str, values: Any, *, chosen: bool) -> None:
    raw.columns[name] = values  # read once
    ids = "" if chosen else ids_in_words(name, values)
    if ids:
        found.left_out[name] = ids
    else:
        found.numbers.append(name)


def _add_strings(found: ColumnKinds, raw: RawTable, name: str, cells: list[str | None], *, chosen: bool) -> None:
    texts = [text for text in cells if text is not None]
    levels = len(set(texts))
    long = mean_words(texts) >= MIN_WORDS
    if long and levels > MAX_REPEATED * len(texts):
        found.texts.append(name)
    elif has_few_levels(cells) or _covered(cells) >= MIN_COVERED:
        found.categories.append(name)
    elif long:
        found.texts.append(name)
    else:
        what = (
            "ids: another short string in every row" if levels == len(cells) else f"{levels:,} different short strings"
        )
        found.left_out[name] = f"{what}; {raw.option('text', name)} would use their words"


def _only_value(cells: Any) -> str | None:
    """The value of all cells that are not empty; None if there are several."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiu":
        known = cells[~np.isnan(cells)] if cells.dtype.kind == "f" else cells
        return f"{known[0]:g}" if len(known) and (known == known[0]).all() else None
    first: Any = None
    for cell in cells:
        if not is_missing_cell(cell):
            if first is None:
                first = cell
            elif cell != first:
                return None
    return None if first is None else str(first).strip()


def ids_in_words(name: str, values: Any) -> str:
    """A description of the ids in a column of numbers: row numbers, or distinct integers; "" if these are not ids."""
    if not (np.isfinite(values).all() and (values == np.floor(values)).all()):
        return ""
    if len(values) >= MIN_RUNNING and values[0] in (0, 1) and (np.diff(values) == 1).all():
        return f"row numbers from {values[0]:.0f} to {values[-1]:.0f}"
    if is_called_id(name) and len(np.unique(values)) == len(values):
        return "ids: another number in every row"
    return ""


def is_called_id(name: str) -> bool:
    """Whether the name of a column is that of an id column.

    >>> [is_called_id(name) for name in ("ID", "wine_id", "PassengerId", "grid", "idea")]
    [True, True, True, False, False]
    """
    return name.strip().lower() in ID_NAMES or ID_ENDING.search(name.strip()) is not None


def missing_rows(cells: Any) -> list[int]:
    """The rows whose cell is empty."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiu":
        return np.flatnonzero(np.isnan(cells)).tolist() if cells.dtype.kind == "f" else []
    return [row for row, cell in enumerate(cells) if is_missing_cell(cell)]


def mean_words(texts: Sequence[str]) -> float:
    """How many words strings have on average."""
    return float(np.mean([len(text.split()) for text in texts]))


def _covered(cells: Sequence[str | None]) -> float:
    """The share of rows with one of the most frequent levels that occur at least twice."""
    return sum(count for _, count in frequent_levels(cells) if count > 1) / len(cells)


def has_few_levels(cells: Sequence[str | None]) -> bool:
    """Whether strings are levels of a category rather than names of rows."""
    return len({text for text in cells if text is not None}) <= max(2, min(MAX_LEVELS, len(cells) // 2))


def as_raw_table(X: Any) -> RawTable | None:
    """Convert a data frame of pandas, polars or Arrow, or a mapping of columns, to a RawTable; None if X is neither.

    >>> as_raw_table({"a": [1, 2], "b": ["x", None]}).columns
    {'a': [1, 2], 'b': ['x', None]}
    """
    if isinstance(X, RawTable):
        return X
    if isinstance(X, Mapping) and not sparse.issparse(X):  # one sparse format is a dictionary
        columns = {str(name): cells if isinstance(cells, np.ndarray) else list(cells) for name, cells in X.items()}
        lengths = {name: len(cells) for name, cells in columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns of X have different lengths: {lengths}. Give each one entry for each row.")
        return _in_memory(columns, next(iter(lengths.values()), 0))
    if (error := repeated_name(X)) is not None:
        raise error
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"X is a {type(X).__name__}, which has no rows yet. Pass X.collect().")
    if not isinstance(frame, nw.DataFrame):
        return None
    columns = {str(series.name): _cells(series) for series in frame.iter_columns()}
    if len(columns) < len(frame.columns):
        raise ValueError("two columns of X have the same name. Give every column a name of its own.")
    return _in_memory(columns, len(frame))


def _in_memory(columns: dict[str, Any], n: int) -> RawTable:
    flat, left_out = flat_columns(columns)
    return RawTable("X", n, flat, left_out=left_out, in_memory=True)


def _cells(series: Any) -> Any:
    if not series.dtype.is_numeric():
        return series.to_list()
    if series.null_count():
        series = series.cast(nw.Float64)
    return np.asarray(series.to_numpy())
