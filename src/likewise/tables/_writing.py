"""Results as files: the suffix chooses the format."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from .._arrays import slices
from .._atomic import atomic_write, atomic_write_text
from .._progress import track
from ._extras import extra

Columns = Mapping[str, Any]
"""Names, and lists or arrays of one length."""

BATCH_ROWS = 20_000
"""Rows that are written before progress is reported."""


def write_columns(path: str | os.PathLike[str], columns: Columns) -> Path:
    """Write columns of one length to a file, complete or not at all.

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .jsonl, .parquet or .npy. A .npy file holds the columns of numbers alone.
    columns : mapping of str to list or array

    Returns
    -------
    path : Path

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from likewise.prepare import write_columns
    >>> with TemporaryDirectory() as folder:
    ...     print(write_columns(f"{folder}/c.csv", {"id": ["a", "b"], "cluster": [0, 1]}).read_text(), end="")
    id,cluster
    a,0
    b,1
    """
    path = Path(path)
    WRITERS[checked_suffix(path)](path, columns)
    return path


def checked_suffix(path: Path) -> str:
    """The suffix, if results can be written so; to be called before the work begins."""
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        raise ValueError(f"{path} ends in {suffix!r}, which is not a known format. Use one of {', '.join(WRITERS)}.")
    if suffix == ".parquet":
        extra("pyarrow", "Parquet files")
    return suffix


def write_delimited(file: TextIO, columns: Columns, delimiter: str = ",") -> None:
    """Write a table with a line of names."""
    rows = list(zip(*map(_plain, columns.values()), strict=True))
    # before Python 3.13 a lone carriage return was not quoted, and read back as the end of a line
    returns = any("\r" in cell for row in rows for cell in row if isinstance(cell, str))
    writer = csv.writer(
        file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    )
    writer.writerow(columns)
    for batch in track(slices(len(rows), BATCH_ROWS)):
        writer.writerows(rows[batch])


def _csv(path: Path, columns: Columns) -> None:
    with atomic_write_text(path) as file:
        write_delimited(file, columns)


def _tsv(path: Path, columns: Columns) -> None:
    with atomic_write_text(path) as file:
        write_delimited(file, columns, "\t")


def _jsonl(path: Path, columns: Columns) -> None:
    with atomic_write_text(path) as file:
        for values in zip(*map(_plain, columns.values()), strict=True):
            file.write(json.dumps(dict(zip(columns, values, strict=True)), ensure_ascii=False) + "\n")


def _parquet(path: Path, columns: Columns) -> None:
    arrow, parquet = extra("pyarrow", "Parquet files"), extra("pyarrow.parquet", "Parquet files")
    table = arrow.table({name: _plain(values) for name, values in columns.items()})
    with atomic_write(path) as file:
        parquet.write_table(table, file)


def _npy(path: Path, columns: Columns) -> None:
    numbers = [values for values in map(np.asarray, columns.values()) if values.dtype.kind in "fiu"]
    array = np.column_stack(numbers) if len(numbers) > 1 else numbers[0]
    buffer = BytesIO()  # numpy writes to real files in C, and does not notice a disk that is full
    np.save(buffer, array, allow_pickle=False)
    with atomic_write(path) as file:
        file.write(buffer.getbuffer())


def _plain(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


WRITERS: dict[str, Callable[[Path, Columns], None]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
    ".npy": _npy,
}
