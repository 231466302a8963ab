"""Reading a file or a folder as rows to cluster: features, ids and classes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..tables import RawTable, as_numbers, as_texts, read_raw
from ._columns import ID_NAMES, MIN_WORDS, has_few_levels, is_called_id, mean_words
from ._dates import find_format
from ._kinds import DataKind
from ._table_features import TableFeatures
from ._text_column import Text
from ._written_numbers import find_notation

NEARLY_ALL = 0.9
"""So many of all strings differ in a column of ids in which some repeat by mistake."""

LABEL_NAMES = ("label", "labels", "class", "target")
"""Names of columns that hold classes, where there are few of them."""


class Names(NamedTuple):
    """The ids and classes of the rows of a file, without their features."""

    ids: list[str]
    id_column: str | None
    labels: list[str | None] | None
    label_column: str | None
    columns: tuple[str, ...]
    """all that the file has"""


@dataclass(frozen=True, eq=False)
class Rows:
    """The preprocessed rows of a file.

    Attributes
    ----------
    X : (n, f) array or CSR matrix
        The features.
    kind : DataKind
        The kind of data in X.
    ids : list of str
        The id of each row; its number, counted from 0, if the file has no ids.
    labels : list of str or None, or None
        The class of each row, None where unknown; None if the file has no classes.
    texts : list of str or None
        The text of each row, if there are texts.
    images : list of Path or None
        The image of each row, if rows are images.
    feature_names : tuple of str
        The names of the columns of X.
    features : TableFeatures
        The fitted preprocessing, for new data.
    id_column, label_column : str or None
        The columns of ids and labels.
    table : RawTable or None
        The original columns, without ids, classes and columns that are left out; None for images.
    """

    X: Any
    kind: DataKind
    ids: list[str]
    labels: list[str | None] | None
    texts: list[str] | None
    images: list[Path] | None
    feature_names: tuple[str, ...]
    features: TableFeatures
    id_column: str | None = None
    label_column: str | None = None
    table: RawTable | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def description(self) -> str:
        """A description of the preprocessing."""
        return self.features.description_

    @property
    def n_labeled(self) -> int:
        """Number of rows with a known class."""
        return 0 if self.labels is None else sum(label is not None for label in self.labels)


def read_table(
    path: str | os.PathLike[str],
    *,
    id: str | None = None,
    text: str | Sequence[str] = (),
    label: str | None = None,
    columns: Sequence[str] | None = None,
    missing: str = "median",
    encoding: str = "utf-8",
    language: str = "english",
) -> Rows:
    """Read and preprocess a file, or a folder of texts or images.

    Parameters
    ----------
    path : path
        A CSV, TSV, Excel, JSON lines, Parquet, NPY, NPZ, Matrix Market or H5AD file, recognized by its suffix; text
        files may be compressed (.gz). Or a folder of texts or images.
    id : str, optional
        The column of ids, or "none" to use row numbers, counted from 0. By default a column named "id" or similar; else
        the first column, if it has distinct short strings; else row numbers.
    text : str or sequence of str
        Columns of texts. By default those with at least three words on average that are not categories.
    label : str, optional
        The column of classes; empty or −1 where unknown. By default a column named "label", "class" or "target" with
        few distinct values. It is not used as a feature.
    columns : sequence of str, optional
        Use only these columns as features.
    missing : {"median", "mean", "zero", "refuse"}
        How to impute missing numbers. Missing categories are encoded as zeros, missing dates by the mean, and missing
        texts as empty. With "refuse" missing values are an error.
    encoding : str
        Encoding of text files.
    language : str
        Language of texts, for stemming.

    Returns
    -------
    Rows

    See Also
    --------
    TableFeatures : The same for a data frame in memory.
    read_like : Read new data with the same preprocessing.
    """
    raw = read_raw(path, encoding)
    return rows_of(raw, id=id, text=text, label=label, columns=columns, missing=missing, language=language)


def rows_of(
    raw: RawTable,
    *,
    id: str | None = None,
    text: str | Sequence[str] = (),
    label: str | None = None,
    columns: Sequence[str] | None = None,
    missing: str = "median",
    language: str = "english",
) -> Rows:
    """Preprocess a table that was read; parameters as for :func:`read_table`."""
    texts = (text,) if isinstance(text, str) else tuple(text)
    left_out = dict(raw.left_out)
    names = names_of(raw, id=id, label=label, left_out=left_out)
    not_compared = {names.id_column, names.label_column} - set(texts)
    chosen = None if columns is None else [name for name in columns if name not in not_compared]
    features = TableFeatures(text=texts, columns=chosen, missing=missing, language=language)
    X = features._fit_table(replace(raw.without(not_compared), left_out=left_out))
    features.id_column_ = names.id_column
    if names.label_column is not None:
        features.left_out_.setdefault(names.label_column, "classes")
    return _rows(raw, features, X, names)


def read_like(
    path: str | os.PathLike[str], features: TableFeatures, *, id: str | None = None, encoding: str = "utf-8"
) -> Rows:
    """Read new data with the preprocessing of earlier data: the same columns, levels, words, means and weights.

    Parameters
    ----------
    path : path
    features : TableFeatures
        ``Rows.features`` of the earlier data.
    id : str, optional
        The column of ids; by default that of the earlier data, else as in :func:`read_table`.
    encoding : str
        Encoding of text files.

    Returns
    -------
    Rows
    """
    rows = rows_like(read_raw(path, encoding), features, id=id)
    return replace(rows, labels=None, label_column=None)


def rows_like(raw: RawTable, features: TableFeatures, *, id: str | None = None, label: str | None = None) -> Rows:
    """Apply earlier preprocessing to a table that was read; parameters as for :func:`read_like`."""
    id = features.id_column_ if id is None and features.id_column_ in raw.columns else id
    names = names_of(raw, id=id, label=label)
    return _rows(raw, features, features._transform_table(raw), names)


def names_of(
    raw: RawTable, *, id: str | None = None, label: str | None = None, left_out: dict[str, str] | None = None
) -> Names:
    """The ids and classes of a table that was read, without checking other columns."""
    if raw.n == 0:
        raise ValueError(f"{raw.source} has no rows. It needs one for each item.")
    if label is not None:
        raw.column(label)
    id = find_id_column(raw, id, {} if left_out is None else left_out)
    label = find_label_column(raw) if label is None else label
    return Names(_ids(raw, id), id, _labels(raw, label), label, tuple(raw.columns))


def find_id_column(raw: RawTable, named: str | None, left_out: dict[str, str]) -> str | None:
    """The column of ids; None for row numbers. Other columns with the name of an id column are left out."""
    if named is not None and not (named == "none" and "none" not in raw.columns):
        raw.column(named)
        return named
    called = [name for name in raw.columns if name.strip().lower() in ID_NAMES or name == raw.id]
    if named == "none":
        left_out.update({name: "ids that are not used" for name in called if name not in left_out})
        return None
    if raw.id is not None:
        return raw.id
    unique = [name for name in called if _are_unique(as_texts(raw.columns[name]))]
    if called:
        chosen = unique[0] if unique else called[0]  # ids that repeat are an error, reported with their rows
        before = called[: called.index(chosen)]
        left_out.update(dict.fromkeys(before, "it is called like a column of ids, but its values repeat"))
        return chosen
    first = next(iter(raw.columns), None)
    if first is None or raw.matrix is not None:
        return None
    if _are_names(raw.columns[first]):
        left_out[first] = "taken as ids, since it has another short string in every row"
        return first
    return _nearly_ids(raw, first, left_out)


def _nearly_ids(raw: RawTable, first: str, left_out: dict[str, str]) -> str | None:
    """The first column, if it is called like one of ids and few of its values repeat, which is an error then.

    Where only its values look like ids, it is left out, with the value that repeats.
    """
    numbers = as_numbers(raw.columns[first])
    if not numbers.wrong and (numbers.n_missing or (numbers.values % 1 != 0).any()):
        return None
    texts = as_texts(raw.columns[first])
    distinct = len(set(texts))
    if is_called_id(first):
        return first if distinct > raw.n / 2 else None
    short = bool(numbers.wrong) and mean_words([text or "" for text in texts]) < MIN_WORDS
    written = find_format(texts) is not None or find_notation(texts) is not None  # dates or numbers
    if short and None not in texts and NEARLY_ALL * raw.n <= distinct < raw.n and not written:
        seen: dict[str | None, int] = {}
        for row, text in enumerate(texts):
            if seen.setdefault(text, row) != row:
                twice = f"{text!r} is in {raw.where(seen[text])} and {raw.where(row)}"
                left_out[first] = f"not taken as ids, since {twice}"
                break
    return None


def find_label_column(raw: RawTable) -> str | None:
    """The column with a name of a class column and few distinct values."""
    if raw.label is not None:
        return raw.label
    names = (name for name in raw.columns if name.strip().lower() in LABEL_NAMES)
    return next((name for name in names if has_few_levels(as_texts(raw.columns[name]))), None)


def _are_names(cells: Any) -> bool:
    """Whether these are distinct short strings, and not numbers."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub":
        return False
    texts = as_texts(cells)
    if not _are_unique(texts) or len(as_numbers(cells).wrong) < len(texts):
        return False
    if mean_words([str(text) for text in texts]) >= MIN_WORDS:
        return False
    return find_format(cells) is None and find_notation(cells) is None


def _are_unique(texts: list[str | None]) -> bool:
    return None not in texts and len(set(texts)) == len(texts)


def _rows(raw: RawTable, features: TableFeatures, X: Any, names: Names) -> Rows:
    text = next((block.column for block in features.blocks_ if isinstance(block, Text)), None)
    texts = None if text is None else ["" if cell is None else str(cell) for cell in raw.columns[text]]
    if text is not None and texts is not None:
        _check_encodable(raw, text, texts)
    not_shown = {names.id_column, names.label_column, *features.left_out_}
    return Rows(
        X=X,
        kind=features.kind_,
        ids=names.ids,
        labels=names.labels,
        texts=texts,
        images=raw.images,
        feature_names=tuple(features.get_feature_names_out().tolist()),
        features=features,
        id_column=names.id_column,
        label_column=names.label_column,
        table=None if raw.images is not None else raw.without(not_shown),
    )


def _labels(raw: RawTable, column: str | None) -> list[str | None] | None:
    if column is None:
        return None
    return [None if text in (None, "-1") else text for text in as_texts(raw.columns[column])]


def _ids(raw: RawTable, column: str | None) -> list[str]:
    if column is None:
        return [str(row) for row in range(raw.n)]
    found: dict[str, int] = {}
    for row, text in enumerate(as_texts(raw.columns[column])):
        if text is None:
            raise ValueError(
                f"{raw.source}, {raw.where(row)}: column {column!r} holds ids, but here there is none. Fill it in, or "
                "pass --id none to call rows by their numbers."
            )
        if found.setdefault(text, row) != row:
            raise ValueError(
                f"{raw.source}, column {column!r}: {raw.where(found[text])} and {raw.where(row)} are both {text!r}. "
                "Every row needs an id of its own; pass --id none to call rows by their numbers."
            )
    _check_encodable(raw, column, list(found))
    return list(found)


def _check_encodable(raw: RawTable, column: str, texts: list[str]) -> None:
    """Refuse now what no file of results could hold: half a character, as names of files and JSON may have."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as error:
        row = int(np.searchsorted(np.cumsum([len(text) for text in texts]), error.start, side="right"))
        place = f"{raw.source}, {raw.where(row)}: column {column!r}"
        raise ValueError(f"{place} holds {texts[row]!r}, which is no valid text. Correct it.") from None
