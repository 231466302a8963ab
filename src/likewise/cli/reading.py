"""What a person names on the command line as data: a file, a folder, or a data set by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import datasets
from ..constraints import ConstraintConflictError, Constraints
from ..prepare import Rows
from ..prepare._reading import check_rows, names_of, rows_of
from ..prepare._roles import roles_of
from ..prepare._rows import Names
from ..tables import FORMATS, RawTable, read_raw


@dataclass(frozen=True)
class Reading:
    """How data is to be read; see :func:`likewise.prepare.read_table`."""

    id: str | None = None
    text: Sequence[str] = ()
    label: str | None = None
    columns: Sequence[str] | None = None
    impute: str | None = None
    encoding: str = "utf-8"
    language: str = "english"
    folder: Path | None = None
    """where data sets are that have names"""


class Labeled(NamedTuple):
    """Rows ready to be clustered, their classes, and what was done to the rows."""

    X: Any
    y: np.ndarray
    recipe: str


def read_source(source: str, reading: Reading, *, labeled: bool = False) -> Rows:
    """Read a file, a folder, or a data set by name; one that must be ``labeled`` is refused before the work begins."""
    raw = _read_raw(source, reading)
    check_rows(raw)
    if labeled:
        known_labels(source, names_of(raw, id=reading.id, label=reading.label))
    roles = roles_of(raw, id=reading.id, text=reading.text, label=reading.label, columns=reading.columns)
    return rows_of(raw, roles, impute=reading.impute, language=reading.language)


def _read_raw(source: str, reading: Reading) -> RawTable:
    path = Path(source)
    if path.exists() or path.suffix or len(path.parts) > 1:
        return read_raw(path, reading.encoding)
    try:
        data = datasets.load(source, reading.folder)
    except (ValueError, KeyError) as error:
        raise ValueError(f"{error} A file of your own must end in {', '.join(FORMATS)}.") from None
    columns: dict[str, Any] = {"class": [data.target_names[code] if code >= 0 else None for code in data.y]}
    if data.ids is not None:
        columns["id"] = data.ids.tolist()
    ids = "id" if data.ids is not None else None
    if data.text is not None:
        columns["text"] = data.text
        return RawTable(data.name, len(data), columns, id=ids, label="class", text="text")
    names = data.feature_names
    return RawTable(data.name, len(data), columns, matrix=data.X, matrix_names=names, id=ids, label="class")


def read_labeled(source: str, reading: Reading) -> Labeled:
    """Read data with classes; rows whose class is unknown are left out."""
    rows = read_source(source, reading, labeled=True)
    known = np.array([row for row, label in enumerate(known_labels(source, rows)) if label is not None])
    y = np.array([rows.labels[row] for row in known])  # type: ignore[index]
    return Labeled(rows.X[known], y, rows.recipe)


def read_names(source: str, reading: Reading) -> Names:
    """Ids and classes alone: of a file, a folder or a data set by name."""
    return names_of(_read_raw(source, reading), id=reading.id, label=reading.label)


def known_labels(source: str, rows: Rows | Names) -> list[str | None]:
    """The classes of rows, if there are two or more of them."""
    if rows.labels is None:
        columns = rows.columns if isinstance(rows, Names) else rows.feature_names
        raise ValueError(
            f"name the column of {source} that holds the classes: --label NAME. It has: {', '.join(columns[:12])}."
        )
    classes = {label for label in rows.labels if label is not None}
    if len(classes) < 2:
        said = f"only the class {classes.pop()!r}" if classes else "no known class"
        raise ValueError(f"{source}, column {rows.label_column!r} has {said}: there is nothing to tell apart.")
    return rows.labels


def read_constraints(path: Path, rows: Rows | Names) -> Constraints:
    """Hints about rows by their ids."""
    try:
        return Constraints.read(path, ids=rows.ids)
    except ValueError as error:
        if "is not among the" not in str(error):
            raise
        ids = "row numbers, counted from 0" if rows.id_column is None else f"those of column {rows.id_column!r}"
        raise ValueError(f"{error} Ids are {ids}; --id NAME takes another column, --id none row numbers.") from None


def hints_about(rows: Rows, path: Path | None, label: str | None) -> Constraints:
    """What a file of hints and known classes say together.

    A column of classes that was named, or found with some classes unknown, gives hints. One that was found and is
    complete is the answer to the question, and nobody said that it may be looked at.
    """
    told = Constraints(len(rows)) if path is None else read_constraints(path, rows)
    if rows.labels is not None and (label is not None or 0 < rows.n_labeled < len(rows)):
        told = told | Constraints.from_labels(rows.labels)
    return told


def named(error: ConstraintConflictError, ids: Sequence[str]) -> ValueError:
    """The contradiction by the names of rows instead of their numbers."""
    if not error.conflicts:
        rows = ", ".join(repr(ids[row]) for row in error.clique or ())
        return ValueError(f"{rows} are all said to differ from each other, and there are fewer clusters than that.")
    chains = []
    for conflict in error.conflicts:
        first, second = (repr(ids[row]) for row in conflict.cannot_link)
        chains.append(f"{first} and {second} are said to differ, but {proof(conflict.chain, ids)}")
    return ValueError(
        f"the hints contradict each other: {'; '.join(chains)}. likewise hints check shows all such cases; correct "
        "them, or let the method likewise weigh hints (--trust weighted)."
    )


def proof(chain: Sequence[int], ids: Sequence[str], ends: int = 4) -> str:
    """A chain of must-links by names, without the middle of a long one."""
    names = [repr(ids[row]) for row in chain]
    if len(names) > 2 * ends + 1:
        names = [*names[:ends], f"… ({len(names) - 2 * ends} more)", *names[-ends:]]
    return " is the same as ".join(names)
