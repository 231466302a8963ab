"""Which column is what: ids, classes, numbers, categories, texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._progress import track
from ..tables import RawTable, as_numbers, as_texts

IDS = ("id", "ids", "_id", "uid", "uuid", "key", "index", "row_id", "__index_level_0__", "unnamed: 0", "")
"""Names of columns that hold ids, where every row has its own; the last three are a data frame's index."""

CLASSES = ("label", "labels", "class", "target")
"""Names of columns that hold classes, where there are few of them."""

MOST_LEVELS = 50
"""A category has no more levels than this, and each of them two rows on average."""

WORDS = 3
"""Text has so many words on average; shorter strings of many kinds are names or codes."""

REPEATED = 0.25
"""Sentences of which there are fewer kinds than this part of the rows are levels of a category."""

MOSTLY = 0.9
"""A column with so many numbers among its cells is meant to be numbers: the others are mistakes."""


@dataclass
class Roles:
    """What each column is for.

    Attributes
    ----------
    id, label : str or None
    numbers, categories, texts : lists of str
        Columns to compare rows by. With a matrix there are none: it is what is compared.
    left_out : dict of str to str
        Columns that are not used, and why.
    """

    id: str | None = None
    label: str | None = None
    numbers: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def roles_of(
    raw: RawTable,
    *,
    id: str | None = None,
    text: Sequence[str] = (),
    label: str | None = None,
    columns: Sequence[str] | None = None,
) -> Roles:
    """Find out what each column is for; what is named is taken at its word.

    Parameters
    ----------
    raw : RawTable
    id : str, optional
        The column of ids; "none" for row numbers.
    text : sequence of str
        Columns of texts.
    label : str, optional
        The column of classes.
    columns : sequence of str, optional
        Compare rows by these alone, and by those in ``text``.
    """
    for name in (*text, *(columns or ()), *([label] if label is not None else [])):
        raw.column(name)
    roles = Roles(left_out=dict(raw.left_out))
    roles.id = id_column(raw, id, roles.left_out)
    roles.label = label if label is not None else found_label(raw)
    if raw.matrix is not None or raw.images is not None:
        if text or columns:
            what = "a matrix" if raw.images is None else "images"
            raise ValueError(f"{raw.source} is {what}: --text and --columns choose among the columns of a table.")
        return roles
    taken = {roles.id, roles.label, *roles.left_out}
    named = [*text, *([raw.text] if raw.text is not None and not text and columns is None else [])]
    for name, cells in track(raw.columns.items(), len(raw.columns)):
        if name in named:
            roles.texts.append(name)
        elif raw.text is not None and columns is None:
            continue  # a folder of texts has no other features
        elif name not in taken and (columns is None or name in columns):
            _sort(raw, name, cells, roles)
    return roles


def id_column(raw: RawTable, named: str | None, left_out: dict[str, str]) -> str | None:
    """The column of ids, named or found; columns that only look like one are left out."""
    if named is not None and not (named == "none" and "none" not in raw.columns):
        raw.column(named)
        return named
    if named == "none":
        for name in raw.columns:
            if name.strip().lower() in IDS or name == raw.id:
                left_out.setdefault(name, "ids that are not used")
        return None
    if raw.id is not None:
        return raw.id
    for name, cells in raw.columns.items():
        if name.strip().lower() in IDS:
            texts = as_texts(cells)
            if None not in texts and len(set(texts)) == raw.n:
                return name
            left_out[name] = "it is called like a column of ids, but its values repeat or are missing"
    first = next(iter(raw.columns), None)
    return first if first is not None and raw.matrix is None and _are_names(raw.columns[first], raw.n) else None


def _are_names(cells: Any, n: int) -> bool:
    """Whether these are short strings, no two of them alike, and no numbers."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub":
        return False
    texts = as_texts(cells)
    if None in texts or len(set(texts)) < n or len(as_numbers(cells).wrong) < n:
        return False
    return bool(np.mean([len(str(text).split()) for text in texts]) < WORDS)


def found_label(raw: RawTable) -> str | None:
    """The column that is called like one of classes and holds few of them."""
    if raw.label is not None:
        return raw.label
    for name, cells in raw.columns.items():
        if name.strip().lower() in CLASSES and _few(as_texts(cells), raw.n):
            return name
    return None


def _few(texts: list[str | None], n: int) -> bool:
    """Whether these are the levels of a category rather than names of rows."""
    return len({text for text in texts if text is not None}) <= max(2, min(MOST_LEVELS, n // 2))


def _sort(raw: RawTable, name: str, cells: Any, roles: Roles) -> None:
    numbers = as_numbers(cells)
    known = raw.n - numbers.n_missing
    if known == 0:
        roles.left_out[name] = "empty"
    elif not numbers.wrong:
        roles.numbers.append(name)
        raw.columns[name] = numbers.values  # read once
    elif len(numbers.wrong) <= (1 - MOSTLY) * known:
        row = numbers.wrong[0]
        raise ValueError(
            f"{raw.source}, {raw.where(row)}: column {name!r} holds numbers, but here it is {cells[row]!r}. Correct "
            "it, leave the cell empty (and pass --impute), or choose other columns with --columns."
        )
    else:
        _sort_strings(name, as_texts(cells), roles)


def _sort_strings(name: str, texts: list[str | None], roles: Roles) -> None:
    said = [text for text in texts if text is not None]
    levels = len(set(said))
    if levels == 1:
        roles.left_out[name] = f"it is {said[0][:40]!r} in every row"
        return
    long = np.mean([len(text.split()) for text in said]) >= WORDS
    if long and levels > REPEATED * len(said):
        roles.texts.append(name)
    elif _few(texts, len(texts)):
        roles.categories.append(name)
    elif long:
        roles.texts.append(name)
    else:
        roles.left_out[name] = f"{levels:,} different short strings; --text {name} would use their words"
