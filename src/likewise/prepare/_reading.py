"""A file or a folder of one's own, read."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..tables import RawTable, as_texts, read_raw
from ._recipe import Recipe
from ._roles import Roles, found_label, id_column, roles_of
from ._rows import Names, Rows


def read_table(
    path: str | os.PathLike[str],
    *,
    id: str | None = None,
    text: str | Sequence[str] = (),
    label: str | None = None,
    columns: Sequence[str] | None = None,
    impute: str | None = None,
    encoding: str = "utf-8",
    language: str = "english",
) -> Rows:
    """Read a CSV, TSV, JSON lines, Parquet, NPY, NPZ, Matrix Market or H5AD file, or a folder of texts or images.

    Parameters
    ----------
    path : path
        The suffix tells the format.
    id : str, optional
        The column of ids. By default one called "id" or the like, if every row has its own; else the first, if it
        holds another short string in every row; else rows are called by their numbers, counted from 0, as they are
        with "none".
    text : str or sequence of str
        Columns of texts. By default those with three words or more on average that are no categories.
    label : str, optional
        The column of classes; empty or −1 where they are unknown. By default one called "label", "class" or "target"
        that holds few different values. Classes are never compared.
    columns : sequence of str, optional
        Compare rows by these alone.
    impute : {"mean", "median", "zero"}, optional
        What a missing number becomes; then a missing category belongs to no level, and a missing text has no words.
        By default anything missing is an error.
    encoding : str
        Of text files.
    language : str
        Of texts, for their stems.

    Returns
    -------
    Rows
    """
    text = (text,) if isinstance(text, str) else tuple(text)
    raw = read_raw(path, encoding)
    check_rows(raw)
    roles = roles_of(raw, id=id, text=text, label=label, columns=columns)
    return rows_of(raw, roles, impute=impute, language=language)


def rows_of(
    raw: RawTable,
    roles: Roles,
    *,
    impute: str | None = None,
    language: str = "english",
) -> Rows:
    """Make rows of what a reader gave."""
    recipe, X = Recipe.learn(raw, roles, impute=impute, language=language)
    if roles.label is not None and roles.label not in recipe.left_out:
        recipe.left_out[roles.label] = "classes"
    return _rows(raw, recipe, X, roles.label)


def names_of(raw: RawTable, *, id: str | None = None, label: str | None = None) -> Names:
    """Ids and classes of what a reader gave; nothing else of it is looked at, so nothing else can be wrong with it."""
    check_rows(raw)
    if label is not None:
        raw.column(label)
    column, label = id_column(raw, id, {}), label if label is not None else found_label(raw)
    return Names(_ids(raw, column), column, _labels(raw, label), label, tuple(raw.columns))


def read_like(
    path: str | os.PathLike[str],
    recipe: Recipe,
    *,
    id: str | None = None,
    encoding: str = "utf-8",
) -> Rows:
    """Read new data as earlier data was read: the same columns, levels, words, means and weights.

    Parameters
    ----------
    path : path
    recipe : Recipe
        Of the earlier data: ``Rows.fitted``.
    id, encoding
        As for :func:`read_table`; ids are first looked for where they were.
    """
    raw = read_raw(path, encoding)
    check_rows(raw)
    X = recipe.apply(raw)
    column = id_column(raw, recipe.id if id is None and recipe.id in raw.columns else id, {})
    return _rows(raw, Recipe(recipe.blocks, recipe.weights, column, recipe.left_out), X, None)


def check_rows(raw: RawTable) -> None:
    """Refuse a file without rows."""
    if raw.n == 0:
        raise ValueError(f"{raw.source} has no rows. It needs one for each item.")


def _rows(raw: RawTable, recipe: Recipe, X: object, label: str | None) -> Rows:
    texts = None if recipe.text is None else ["" if cell is None else str(cell) for cell in raw.columns[recipe.text]]
    return Rows(
        X=X,
        ids=_ids(raw, recipe.id),
        labels=_labels(raw, label),
        texts=texts,
        images=raw.images,
        feature_names=recipe.feature_names,
        recipe=str(recipe),
        fitted=recipe,
        id_column=recipe.id,
        label_column=label,
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
    return list(found)
