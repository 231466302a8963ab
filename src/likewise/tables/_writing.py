"""Results as files: the suffix chooses the format."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from .._atomic import atomic_write
from .._progress_legacy import each
from ._extras import extra

Columns = Mapping[str, Any]
"""Names, and lists or arrays of one length."""

BATCH = 20_000
"""Rows after which progress is told."""


def write_columns(path: str | os.PathLike[str], columns: Columns) -> Path:
    """Write columns of one length to a .csv, .tsv, .jsonl, .parquet or .npy file, whole or not at all.

    A .npy file holds the columns of numbers alone.
    """
    path = Path(path)
    writer = WRITERS[checked_suffix(path)]
    with atomic_write(path) as aside:
        writer(aside, columns)
    return path


def checked_suffix(path: Path) -> str:
    """The suffix, if results can be written so; asked before the work begins."""
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        raise ValueError(f"{path} ends in {suffix!r}, which names no known format. Use one of {', '.join(WRITERS)}.")
    if suffix == ".parquet":
        extra("pyarrow", "Parquet files")
    return suffix


def write_delimited(file: TextIO, columns: Columns, delimiter: str = ",") -> None:
    """Write a table with a line of names."""
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    rows = list(zip(*map(_plain, columns.values()), strict=True))
    for start in each(range(0, len(rows), BATCH)):
        writer.writerows(rows[start : start + BATCH])


def _delimited(delimiter: str) -> Callable[[Path, Columns], None]:
    def write(path: Path, columns: Columns) -> None:
        with path.open("x", encoding="utf-8", newline="") as file:
            write_delimited(file, columns, delimiter)

    return write


def _jsonl(path: Path, columns: Columns) -> None:
    with path.open("x", encoding="utf-8") as file:
        for values in zip(*map(_plain, columns.values()), strict=True):
            file.write(json.dumps(dict(zip(columns, values, strict=True)), ensure_ascii=False) + "\n")


def _parquet(path: Path, columns: Columns) -> None:
    arrow, parquet = extra("pyarrow", "Parquet files"), extra("pyarrow.parquet", "Parquet files")
    parquet.write_table(arrow.table({name: _plain(values) for name, values in columns.items()}), path)


def _npy(path: Path, columns: Columns) -> None:
    numbers = [values for values in map(np.asarray, columns.values()) if values.dtype.kind in "fiu"]
    np.save(path, np.column_stack(numbers) if len(numbers) > 1 else numbers[0], allow_pickle=False)


def _plain(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


WRITERS: dict[str, Callable[[Path, Columns], None]] = {
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".jsonl": _jsonl,
    ".parquet": _parquet,
    ".npy": _npy,
}
