"""DATA on the command line: a file, a folder, or a data set by name; and hints about its rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import datasets
from ..constraints import ComparisonConflict, Conflict, ConstraintConflictError, Constraints, UnknownIdError
from ..prepare import DataKind, Rows, TableFeatures
from ..prepare._reading import Names, names_of, rows_like, rows_of
from ..sources.links import link_matrix
from ..tables import FORMATS, RawTable, read_raw
from ..tables._transposed import transposed
from ._beside import Beside
from ._genes import columns_look_like_samples
from ._selection import select_columns
from ._truth import Truth, note_answer_columns

if TYPE_CHECKING:
    from ..questions import Answers


class Data(NamedTuple):
    """Preprocessed DATA, and known classes for evaluation."""

    rows: Rows
    truth: Truth | None = None


class Labeled(NamedTuple):
    """Preprocessed rows, their classes, and a description of the preprocessing."""

    X: Any
    y: np.ndarray
    kind: DataKind
    description: str


def read_data(source: str, *, encoding: str = "utf-8", folder: Path | None = None, **reading: Any) -> Data:
    """Read and prepare DATA; parameters as for :func:`read_raw_data` and :func:`prepare_data`."""
    return prepare_data(read_raw_data(source, encoding, folder), encoding=encoding, **reading)


def read_rows(source: str, **reading: Any) -> Rows:
    """The rows alone of :func:`read_data`."""
    return read_data(source, **reading).rows


def prepare_data(
    raw: RawTable,
    *,
    id: str | None = None,
    text: Sequence[str] = (),
    label: str | None = None,
    truth: str | None = None,
    columns: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    beside: Path | None = None,
    transpose: bool | None = None,
    encoding: str = "utf-8",
    labeled: bool = False,
    features: TableFeatures | None = None,
    **preparing: Any,
) -> Data:
    """Preprocess DATA that was read.

    Parameters
    ----------
    raw : RawTable
    id, text, label, columns
        As for :func:`likewise.prepare.read_table`; columns may be patterns.
    truth : str, optional
        The column of known classes for evaluation, which are not used otherwise.
    ignore : sequence of str
        Columns that are not used, or patterns of their names.
    beside : Path, optional
        A table with ids, texts and classes of the rows.
    transpose : bool, optional
        Whether to cluster columns. By default rows are clustered, with a warning if the columns look like samples.
    encoding : str
        Of the table beside it.
    labeled : bool
        Whether classes are required.
    features : TableFeatures, optional
        Fitted preprocessing of earlier data, to be applied to these.
    **preparing
        Further parameters of :func:`likewise.prepare._reading.rows_of`.
    """
    source = raw.source
    if transpose:
        raw, id = transposed(raw, id), None
    elif transpose is None and columns_look_like_samples(raw):
        warnings.warn(
            f"the columns of {source} look like samples, but its {raw.n:,} rows are clustered. Pass --transpose to "
            "cluster the columns, or --no-transpose if rows are right.",
            stacklevel=2,
        )
    about = None if beside is None else Beside.read(beside, raw, encoding, id=id)
    if ignore:
        ignored = select_columns(ignore, raw.columns, source, "--ignore")
        raw = replace(raw.without(ignored), left_out={**raw.left_out, **dict.fromkeys(ignored, "ignored")})
    aside = None
    if truth is not None:
        if truth == label:
            raise ValueError(
                f"--truth and --label are both {truth!r}: a column holds either hints or the answer to compare with. "
                "Leave one of them out."
            )
        column = None if about is None else about.table.columns.get(truth)
        aside = Truth.of(truth, raw.column(truth) if column is None else column)
        if features is not None and truth in _columns_of(features):
            raise ValueError(
                f"--truth {truth}: the model of --from uses this column as a feature. Leave --from out to make a model "
                "without it."
            )
        if features is None:
            left_out = {**raw.left_out, truth: "kept aside to compare clusters with"}
            raw = replace(raw.without([truth]), left_out=left_out)
    chosen = None if columns is None else select_columns(columns, raw.columns, source, "--columns")
    names: dict[str, Any] = {"id": id, "label": label, "text": text}
    own = names if about is None else about.names_in(raw, **names)
    if labeled and about is None:
        known_labels(source, names_of(raw, id=id, label=label))
    if features is None:
        rows = rows_of(raw, columns=chosen, **own, **preparing)
    else:
        rows = rows_like(raw, features, id=own["id"], label=own["label"])
    if about is not None:
        rows = about.join(rows, **names)
    if aside is None and label is None and rows.labels is not None and None not in rows.labels:
        # A column with classes of all rows is not used as hints unless it is named.
        aside = Truth(str(rows.label_column), rows.labels) if len(set(rows.labels)) > 1 else None
    if aside is None and label is None and features is None:
        note_answer_columns(raw, rows, chosen)
    return Data(rows, aside)


def _columns_of(features: TableFeatures) -> set[str]:
    """The columns of a table that features are made of."""
    found: set[str] = set()
    for block in features.blocks_:
        found.update(getattr(block, "columns", None) or [str(getattr(block, "column", ""))])
    return found


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
    """Read only the ids and classes of DATA."""
    return names_of(read_raw_data(source, encoding, folder), id=id, label=label)


def read_raw_data(source: str, encoding: str = "utf-8", folder: Path | None = None) -> RawTable:
    """Read DATA as it is: a file, a folder, or a data set by its name."""
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


def read_constraints(paths: Sequence[Path], rows: Rows | Names) -> Constraints:
    """Read files of hints about rows by their ids, and join them."""
    constraints = Constraints(len(rows.ids))
    for path in paths:
        with _ids_explained(rows):
            found = Constraints.read(path, ids=rows.ids)
        if found.is_empty:
            warnings.warn(
                f"{path} contains no hints: no line says that two rows are the same or different.", stacklevel=2
            )
        constraints = constraints | found
    return constraints


def read_answers(paths: Sequence[Path], rows: Rows) -> dict[Path, Answers]:
    """The answers in those files of hints that have a column of probabilities."""
    from ..questions._files import read_asked

    return {path: answers for path in paths if (answers := read_asked(path, len(rows), rows.ids))}


def read_links(path: Path, rows: Rows) -> Any:
    """Read a file of links between rows by their ids."""
    with _ids_explained(rows):
        return link_matrix(path, len(rows), ids=rows.ids)


@contextmanager
def _ids_explained(rows: Rows | Names) -> Iterator[None]:
    """Add to errors about unknown ids where ids come from, and how to choose others."""
    try:
        yield
    except UnknownIdError as error:
        ids = "row numbers, counted from 0" if rows.id_column is None else f"those of column {rows.id_column!r}"
        others = f"--id NAME uses another column, --id none row numbers.{_why(rows)}"
        raise ValueError(f"{error} Ids are {ids}; {others}") from None


def _why(rows: Rows | Names) -> str:
    """Why a column that looks like ids is not used as ids."""
    left_out = rows.features.left_out_ if isinstance(rows, Rows) else {}
    found = [f" Column {name!r} was {why}." for name, why in left_out.items() if why.startswith("not taken as ids")]
    return found[0] if rows.id_column is None and found else ""


def hints_about(rows: Rows, paths: Sequence[Path], label: str | None) -> Constraints:
    """Hints from files and from known classes.

    If the classes of all rows are known, they are used only if their column was named.
    """
    constraints = read_constraints(paths, rows)
    if uses_labels(rows, label):
        constraints = constraints | Constraints.from_labels(rows.labels)
    return constraints


def uses_labels(rows: Rows, label: str | None) -> bool:
    """Whether known classes are used as hints: if only some rows have one, or if the column was named."""
    return rows.labels is not None and (label is not None or 0 < rows.n_labeled < len(rows))


def conflict_by_ids(error: ConstraintConflictError, ids: Sequence[str]) -> ValueError:
    """The error about a contradiction, with ids instead of row numbers."""
    if not error.conflicts:
        rows = ", ".join(repr(ids[row]) for row in error.clique or ())
        return ValueError(f"{rows} are all different from each other, and there are fewer clusters than that.")
    proofs = [proof_by_ids(conflict, ids) for conflict in error.conflicts]
    return ValueError(
        f"the hints contradict each other: {'; '.join(proofs)}. `likewise hints check` shows all contradictions; "
        "correct them, or let the method likewise weight hints (--trust weighted)."
    )


def proof_by_ids(conflict: Conflict | ComparisonConflict, ids: Sequence[str]) -> str:
    """One contradiction in terms of ids."""
    if isinstance(conflict, ComparisonConflict):
        return conflict.words(lambda row: repr(ids[row]))
    first, second = (repr(ids[row]) for row in conflict.cannot_link)
    return f"{first} and {second} are different, but {chain_by_ids(conflict.chain, ids)}"


def chain_by_ids(chain: Sequence[int], ids: Sequence[str], ends: int = 4) -> str:
    """A chain of must-links by ids, without the middle of a long one."""
    names = [repr(ids[row]) for row in chain]
    if len(names) > 2 * ends + 1:
        names = [*names[:ends], f"… ({len(names) - 2 * ends} more)", *names[-ends:]]
    return " = ".join(names)
