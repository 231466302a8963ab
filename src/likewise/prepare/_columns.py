"""What the columns of a table hold: numbers, categories or texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from scipy import sparse

from .._progress import track
from ..tables import RawTable, as_numbers, as_texts
from ..tables._raw import flat_columns

MAX_LEVELS = 50
"""A category has no more levels than this, and each of them two rows on average."""

MIN_WORDS = 3
"""Text has so many words on average; shorter strings of many kinds are names or codes."""

MAX_REPEATED = 0.25
"""Sentences of which there are fewer different ones than this share of the rows are levels of a category."""

MOSTLY_NUMBERS = 0.9
"""A column with so many numbers among its cells is meant to be numbers: the others are mistakes."""


@dataclass
class ColumnKinds:
    """The columns to compare rows by; none where the table is a matrix or images.

    Attributes
    ----------
    numbers, categories, texts : lists of str
    left_out : dict of str to str
        Columns that are not used, and why.
    """

    numbers: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def find_kinds(raw: RawTable, text: Sequence[str], columns: Sequence[str] | None) -> ColumnKinds:
    """What each column holds.

    Parameters
    ----------
    raw : RawTable
    text : sequence of str
        Columns that are texts, whatever they look like.
    columns : sequence of str or None
        Use these alone, and those in ``text``.
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
            _add_column(found, raw, name, cells)
    return found


def _add_column(found: ColumnKinds, raw: RawTable, name: str, cells: Any) -> None:
    numbers = as_numbers(cells)
    known = raw.n - numbers.n_missing
    if known == 0:
        found.left_out[name] = "empty"
    elif not numbers.wrong:
        found.numbers.append(name)
        raw.columns[name] = numbers.values  # read once
    elif len(numbers.wrong) <= (1 - MOSTLY_NUMBERS) * known:
        row = numbers.wrong[0]
        raise ValueError(
            f"{raw.source}, {raw.where(row)}: column {name!r} holds numbers, but here it is {cells[row]!r}. Correct "
            f"it, leave the cell empty (and pass {raw.option('impute')}), or choose other columns with "
            f"{raw.option('columns')}."
        )
    else:
        _add_strings(found, raw, name, as_texts(cells))


def _add_strings(found: ColumnKinds, raw: RawTable, name: str, cells: list[str | None]) -> None:
    texts = [text for text in cells if text is not None]
    levels = len(set(texts))
    if levels == 1:
        found.left_out[name] = f"it is {texts[0][:40]!r} in every row"
        return
    long = mean_words(texts) >= MIN_WORDS
    if long and levels > MAX_REPEATED * len(texts):
        found.texts.append(name)
    elif has_few_levels(cells):
        found.categories.append(name)
    elif long:
        found.texts.append(name)
    else:
        found.left_out[name] = f"{levels:,} different short strings; {raw.option('text', name)} would use their words"


def mean_words(texts: Sequence[str]) -> float:
    """How many words strings have on average."""
    return float(np.mean([len(text.split()) for text in texts]))


def has_few_levels(cells: Sequence[str | None]) -> bool:
    """Whether strings are the levels of a category rather than names of rows."""
    return len({text for text in cells if text is not None}) <= max(2, min(MAX_LEVELS, len(cells) // 2))


def as_raw_table(X: Any) -> RawTable | None:
    """A data frame of pandas, polars or Arrow, or a mapping of columns, as a table that was read; None if X is neither.

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
