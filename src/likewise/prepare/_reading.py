"""A file or a folder of one's own, read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from .._progress_legacy import part
from ..tables._arrays import read_npy, read_npz
from ..tables._cells import as_texts
from ..tables._delimited import read_delimited
from ..tables._folders import read_folder
from ..tables._h5ad import read_h5ad
from ..tables._jsonl import read_jsonl
from ..tables._market import read_market
from ..tables._parquet import read_parquet
from ..tables._raw import Progress, Raw, no_progress
from ._recipe import Recipe
from ._roles import Roles, found_label, id_column, roles_of
from ._rows import Names, Rows

Reader = Callable[[Path, str, Progress], Raw]

SUFFIXES: dict[str, Reader] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".parquet": read_parquet,
    ".npy": read_npy,
    ".npz": read_npz,
    ".mtx": read_market,
    ".h5ad": read_h5ad,
}
"""The reader of each format. CSV, TSV, JSON lines and Matrix Market may be packed: .csv.gz."""

PACKED = {".csv", ".tsv", ".jsonl", ".ndjson", ".mtx"}

SHARES = {".csv": (0.3, 0.8), ".tsv": (0.3, 0.8)}
"""How far one is, about, when a file is read, and when it is known what each column is; others: 0.1 and 0.2."""


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
    progress: Progress = no_progress,
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
    progress : callable
        Told what is being read, how much is done, and of how much.

    Returns
    -------
    Rows
    """
    text = (text,) if isinstance(text, str) else tuple(text)
    read, sorted_out = shares(path)
    with part(0, read):
        raw = read_raw(path, encoding, progress)
    with part(read, sorted_out):
        roles = roles_of(raw, id=id, text=text, label=label, columns=columns)
    with part(sorted_out, 1):
        return rows_of(raw, roles, impute=impute, language=language, progress=progress)


def shares(path: str | os.PathLike[str]) -> tuple[float, float]:
    """What ``SHARES`` says of a file, packed or not."""
    return SHARES.get(Path(str(path).removesuffix(".gz")).suffix.lower(), (0.1, 0.2))


def rows_of(
    raw: Raw,
    roles: Roles,
    *,
    impute: str | None = None,
    language: str = "english",
    progress: Progress = no_progress,
) -> Rows:
    """Make rows of what a reader gave."""
    recipe, X = Recipe.learn(raw, roles, impute=impute, language=language, progress=progress)
    if roles.label is not None and roles.label not in recipe.left_out:
        recipe.left_out[roles.label] = "classes"
    return _rows(raw, recipe, X, roles.label)


def names_of(raw: Raw, *, id: str | None = None, label: str | None = None) -> Names:
    """Ids and classes of what a reader gave; nothing else of it is looked at, so nothing else can be wrong with it."""
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
    progress: Progress = no_progress,
) -> Rows:
    """Read new data as earlier data was read: the same columns, levels, words, means and weights.

    Parameters
    ----------
    path : path
    recipe : Recipe
        Of the earlier data: ``Rows.fitted``.
    id, encoding, progress
        As for :func:`read_table`; ids are first looked for where they were.
    """
    read = shares(path)[1]
    with part(0, read):
        raw = read_raw(path, encoding, progress)
    with part(read, 1):
        X = recipe.apply(raw, progress)
    column = id_column(raw, recipe.id if id is None and recipe.id in raw.columns else id, {})
    return _rows(raw, Recipe(recipe.blocks, recipe.weights, column, recipe.left_out), X, None)


def read_raw(path: str | os.PathLike[str], encoding: str = "utf-8", progress: Progress = no_progress) -> Raw:
    """What a file holds, before anything is made of it."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist. Check the spelling, and the folder you are in.")
    if path.is_dir():
        raw = read_folder(path, encoding, progress)
    else:
        suffix = path.suffix.lower()
        if suffix == ".gz" and path.with_suffix("").suffix.lower() in PACKED:
            suffix = path.with_suffix("").suffix.lower()
        if suffix not in SUFFIXES:
            raise ValueError(
                f"{path} ends in {path.suffix!r}, which names no known format. Use one of {', '.join(SUFFIXES)}, or a "
                "folder of texts or images."
            )
        raw = SUFFIXES[suffix](path, encoding, progress)
    if raw.n == 0:
        raise ValueError(f"{path} has no rows. It needs one for each item.")
    return raw


def _rows(raw: Raw, recipe: Recipe, X: object, label: str | None) -> Rows:
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


def _labels(raw: Raw, column: str | None) -> list[str | None] | None:
    if column is None:
        return None
    return [None if text in (None, "-1") else text for text in as_texts(raw.columns[column])]


def _ids(raw: Raw, column: str | None) -> list[str]:
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
