"""Rows and classes from what a person names on the command line: a data set, or a file of their own."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler

from .. import datasets
from ..metric.ranges import ranges_alike

DELIMITERS = {".csv": ",", ".tsv": "\t"}


class Labelled(NamedTuple):
    """Rows ready to be clustered, their classes, and what was done to the rows."""

    X: Any
    y: np.ndarray
    recipe: str


def read_labelled(source: str, *, label: str | None, text: str | None, folder: Path | None) -> Labelled:
    """Read a data set by name, or a CSV, TSV or NPZ file with classes.

    Texts become unit rows of tf-idf weights. Columns of numbers stay as they are if their ranges are alike, and are
    standardised otherwise.
    """
    path = Path(source)
    if path.suffix.lower() in DELIMITERS or path.suffix.lower() == ".npz":
        if not path.exists():
            raise FileNotFoundError(f"{path} does not exist. Check the spelling, and the folder you are in.")
        return _from_npz(path) if path.suffix.lower() == ".npz" else _from_columns(path, label, text)
    try:
        data = datasets.load(source, folder)
    except (ValueError, KeyError) as error:
        raise ValueError(f"{error} A file of your own must end in {', '.join([*DELIMITERS, '.npz'])}.") from None
    known = data.y >= 0
    if data.text is not None:
        return _of_text([words for words, keep in zip(data.text, known, strict=True) if keep], data.y[known])
    return _of_numbers(np.asarray(data.X, dtype=float)[known], data.y[known])


def _from_npz(path: Path) -> Labelled:
    with np.load(path, allow_pickle=False) as arrays:
        missing = [key for key in ("X", "y") if key not in arrays]
        if missing:
            raise ValueError(
                f"{path} has no array {missing[0]!r}, only {', '.join(arrays)}. Save it with X=..., y=...."
            )
        return _of_numbers(np.asarray(arrays["X"], dtype=float), arrays["y"])


def _from_columns(path: Path, label: str | None, text: str | None) -> Labelled:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=DELIMITERS[path.suffix.lower()]))
    if len(rows) < 2:
        raise ValueError(f"{path} has no rows. It needs a line with the names of the columns and one for each item.")
    header, body = rows[0], [row for row in rows[1:] if row]
    short = next((number for number, row in enumerate(body, 2) if len(row) != len(header)), None)
    if short is not None:
        raise ValueError(f"{path}, line {short} has {len(body[short - 2])} columns, the header {len(header)}.")
    for name in filter(None, (label, text)):
        if name not in header:
            raise ValueError(f"{path} has no column {name!r}. It has: {', '.join(header)}.")
    if label is None:
        raise ValueError(
            f"name the column of {path} that holds the classes: --label NAME. It has: {', '.join(header)}."
        )
    columns = dict(zip(header, zip(*body, strict=True), strict=True))
    y = np.array(columns.pop(label))
    if text is not None:
        return _of_text(columns[text], y)
    numbers = {name: found for name, values in columns.items() if (found := _numbers(values)) is not None}
    if not numbers:
        raise ValueError(f"{path} has no column of numbers beside {label!r}. Name a column of texts with --text.")
    return _of_numbers(np.column_stack(list(numbers.values())), y, used=f"{len(numbers)} of {len(columns)} columns")


def _numbers(values: Iterable[str]) -> np.ndarray | None:
    try:
        return np.array([float(value) for value in values])
    except ValueError:
        return None


def _of_numbers(X: np.ndarray, y: Any, used: str = "") -> Labelled:
    if not np.isfinite(X).all():
        row, column = np.argwhere(~np.isfinite(X))[0]
        raise ValueError(f"row {row}, column {column} is {X[row, column]}. Fill it in, or leave the row out.")
    alike = ranges_alike(X)
    recipe = "numbers as they are, since their ranges are alike" if alike else "numbers, standardised"
    X = X if alike else StandardScaler().fit_transform(X)
    return Labelled(X, np.asarray(y), ", ".join(filter(None, [recipe, used])))


def _of_text(texts: Iterable[str], y: Any) -> Labelled:
    from ..text import TextFeatures

    return Labelled(TextFeatures().fit_transform(list(texts)), np.asarray(y), "texts as unit rows of tf-idf weights")
