"""DATA on the command line: a file, a folder, or a data set by name; and hints about its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import datasets
from ..constraints import ConstraintConflictError, Constraints, UnknownIdError
from ..prepare import DataKind, Rows
from ..prepare._reading import Names, names_of, rows_of
from ..sources.links import link_matrix
from ..tables import FORMATS, RawTable, read_raw


class Labeled(NamedTuple):
    """Rows ready to be clustered, their classes, and how they were prepared."""

    X: Any
    y: np.ndarray
    kind: DataKind
    description: str


def read_rows(
    source: str,
    *,
    id: str | None = None,
    text: Sequence[str] = (),
    label: str | None = None,
    columns: Sequence[str] | None = None,
    impute: str | None = None,
    encoding: str = "utf-8",
    language: str = "english",
    folder: Path | None = None,
    labeled: bool = False,
) -> Rows:
    """Read and prepare DATA; where it must be ``labeled``, classes are checked before the work begins."""
    raw = _read_raw(source, encoding, folder)
    if labeled:
        known_labels(source, names_of(raw, id=id, label=label))
    return rows_of(raw, id=id, text=text, label=label, columns=columns, impute=impute, language=language)


def read_labeled(source: str, **reading: Any) -> Labeled:
    """Read and prepare DATA with classes; rows of unknown class are left out."""
    rows = read_rows(source, labeled=True, **reading)
    labels = known_labels(source, rows)
    known = [row for row, label in enumerate(labels) if label is not None]
    return Labeled(rows.X[known], np.array([labels[row] for row in known]), rows.kind, rows.description)


def read_names(
    source: str,
    *,
    id: str | None = None,
    label: str | None = None,
    encoding: str = "utf-8",
    folder: Path | None = None,
) -> Names:
    """Read ids and classes of DATA, and nothing else of it."""
    return names_of(_read_raw(source, encoding, folder), id=id, label=label)


def _read_raw(source: str, encoding: str, folder: Path | None) -> RawTable:
    path = Path(source)
    if path.exists() or path.suffix or len(path.parts) > 1:
        return read_raw(path, encoding)
    try:
        data = datasets.load(source, folder)
    except (ValueError, KeyError) as error:
        raise ValueError(f"{error} A file of your own must end in {', '.join(FORMATS)}.") from None
    columns: dict[str, Any] = {"class": [data.target_names[code] if code >= 0 else None for code in data.y]}
    if data.ids is not None:
        columns["id"] = data.ids.tolist()
    ids = "id" if data.ids is not None else None
    if data.text is not None:
        columns["text"] = data.text
        return RawTable(data.name, len(data), columns, id=ids, label="class", text="text")
    return RawTable(
        data.name, len(data), columns, matrix=data.X, matrix_names=data.feature_names, id=ids, label="class"
    )


def known_labels(source: str, rows: Rows | Names) -> list[str | None]:
    """The classes of rows, if there are two or more of them."""
    if rows.labels is None:
        columns = rows.columns if isinstance(rows, Names) else rows.feature_names
        raise ValueError(
            f"name the column of {source} that holds the classes: --label NAME. It has: {', '.join(columns[:12])}."
        )
    classes = {label for label in rows.labels if label is not None}
    if len(classes) < 2:
        found = f"only the class {classes.pop()!r}" if classes else "no known class"
        raise ValueError(f"{source}, column {rows.label_column!r} has {found}. Two classes or more are needed.")
    return rows.labels


def read_constraints(path: Path, rows: Rows | Names) -> Constraints:
    """Read a file of hints about rows by their ids."""
    with _ids_explained(rows):
        return Constraints.read(path, ids=rows.ids)


def read_links(path: Path, rows: Rows) -> Any:
    """Read a file of links between rows by their ids."""
    with _ids_explained(rows):
        return link_matrix(path, len(rows), ids=rows.ids)


@contextmanager
def _ids_explained(rows: Rows | Names) -> Iterator[None]:
    """Say of an unknown id where ids come from, and how to choose others."""
    try:
        yield
    except UnknownIdError as error:
        ids = "row numbers, counted from 0" if rows.id_column is None else f"those of column {rows.id_column!r}"
        raise ValueError(f"{error} Ids are {ids}; --id NAME uses another column, --id none row numbers.") from None


def hints_about(rows: Rows, path: Path | None, label: str | None) -> Constraints:
    """Hints from a file together with those from known classes.

    Classes of some rows are hints. Those of all rows would leave nothing to find, so they are used only if their column
    was named.
    """
    constraints = Constraints(len(rows)) if path is None else read_constraints(path, rows)
    if rows.labels is not None and (label is not None or 0 < rows.n_labeled < len(rows)):
        constraints = constraints | Constraints.from_labels(rows.labels)
    return constraints


def conflict_by_ids(error: ConstraintConflictError, ids: Sequence[str]) -> ValueError:
    """The contradiction in terms of ids instead of row numbers."""
    if not error.conflicts:
        rows = ", ".join(repr(ids[row]) for row in error.clique or ())
        return ValueError(f"{rows} are all different from each other, and there are fewer clusters than that.")
    chains = []
    for conflict in error.conflicts:
        first, second = (repr(ids[row]) for row in conflict.cannot_link)
        chains.append(f"{first} and {second} are different, but {chain_by_ids(conflict.chain, ids)}")
    return ValueError(
        f"the hints contradict each other: {'; '.join(chains)}. `likewise hints check` shows all contradictions; "
        "correct them, or let the method likewise weight hints (--trust weighted)."
    )


def chain_by_ids(chain: Sequence[int], ids: Sequence[str], ends: int = 4) -> str:
    """A chain of must-links by ids, without the middle of a long one."""
    names = [repr(ids[row]) for row in chain]
    if len(names) > 2 * ends + 1:
        names = [*names[:ends], f"… ({len(names) - 2 * ends} more)", *names[-ends:]]
    return " is the same as ".join(names)
