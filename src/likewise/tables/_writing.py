"""Writing tables to files; the extension determines the format."""

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
"""Names of columns, mapped to lists or arrays of equal length."""

BATCH_ROWS = 20_000
"""Number of rows between progress reports."""


def write_columns(path: str | os.PathLike[str], columns: Columns) -> Path:
    """Write a table to a file atomically.

    Parameters
    ----------
    path : path
        With the extension .csv, .tsv, .jsonl, .parquet or .npy. A .npy file contains only the numeric columns.
    columns : mapping of str to list or array
        Columns of equal length.

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
    """The extension of a file; raises an error if its format cannot be written. Call it before long computations."""
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        raise ValueError(f"{path} ends in {suffix!r}, which is not a known format. Use one of {', '.join(WRITERS)}.")
    if suffix == ".parquet":
        extra("pyarrow", "Parquet files")
    return suffix


def write_delimited(file: TextIO, columns: Columns, delimiter: str = ",") -> None:
    """Write a delimited table with a header."""
    rows = list(zip(*map(_plain, columns.values()), strict=True))
    # before Python 3.13, the csv module does not quote carriage returns, which would be read as line ends
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
    buffer = BytesIO()  # when numpy writes to a real file, it does not report a full disk
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
