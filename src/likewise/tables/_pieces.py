"""Writing results in pieces, so that they need not be in memory at once."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._atomic import atomic_write, atomic_write_text
from ._extras import extra
from ._writing import checked_suffix

Piece = Mapping[str, Any]
"""Names, and lists or arrays of one length; a masked array has cells without a value."""


def write_pieces(path: str | os.PathLike[str], n_rows: int, pieces: Iterable[Piece]) -> Path:
    """Write columns piece by piece, atomically.

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .jsonl, .parquet or .npy. A .npy file holds the first column after the ids alone.
    n_rows : int
        Of all pieces together.
    pieces : iterable of mappings
        All with the same names; the first column has the ids.

    Returns
    -------
    path : Path
    """
    path = Path(path)
    WRITERS[checked_suffix(path)](path, n_rows, pieces)
    return path


def write_array(path: str | os.PathLike[str], n_rows: int, parts: Iterable[Any]) -> None:
    """Write an array that comes in parts as one .npy file, complete or not at all.

    Parameters
    ----------
    path : path
    n_rows : int
        Of all parts together.
    parts : iterable of arrays
        One below the other, all of one type and width.
    """
    written = 0
    kind: Any = None
    with atomic_write(path) as file:
        for part in parts:
            values = np.ascontiguousarray(part)
            if values.dtype.hasobject:
                raise TypeError(f"{path}: numbers are written into a .npy file, and these are Python objects.")
            if kind is None:
                kind = values.dtype, values.shape[1:]
                header = {"descr": values.dtype.str, "fortran_order": False, "shape": (n_rows, *values.shape[1:])}
                np.lib.format.write_array_header_1_0(file, header)
            if (values.dtype, values.shape[1:]) != kind:
                raise ValueError(
                    f"{path}: rows from {written:,} on are of type {values.dtype} and shape {values.shape}, and the "
                    f"first ones are of type {kind[0]} and shape {(n_rows, *kind[1])}."
                )
            file.write(values.data)
            written += len(values)
        if written != n_rows:
            raise ValueError(f"{path} should have {n_rows:,} rows, and {written:,} came.")


def _delimited(delimiter: str) -> Callable[[Path, int, Iterable[Piece]], None]:
    def write(path: Path, n_rows: int, pieces: Iterable[Piece]) -> None:
        with atomic_write_text(path) as file:
            for number, piece in enumerate(pieces):
                lines = list(zip(*map(_plain, piece.values()), strict=True))
                # before Python 3.13 a lone carriage return was not quoted, and read back as the end of a line
                returns = any("\r" in cell for line in lines for cell in line if isinstance(cell, str))
                writer = csv.writer(
                    file,
                    delimiter=delimiter,
                    lineterminator="\n",
                    quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL,
                )
                if number == 0:
                    writer.writerow(piece)
                writer.writerows(lines)

    return write


def _jsonl(path: Path, n_rows: int, pieces: Iterable[Piece]) -> None:
    with atomic_write_text(path) as file:
        for piece in pieces:
            for values in zip(*map(_plain, piece.values()), strict=True):
                file.write(json.dumps(dict(zip(piece, values, strict=True)), ensure_ascii=False) + "\n")


def _parquet(path: Path, n_rows: int, pieces: Iterable[Piece]) -> None:
    arrow, parquet = extra("pyarrow", "Parquet files"), extra("pyarrow.parquet", "Parquet files")

    def table(piece: Piece, schema: Any = None) -> Any:
        kinds = {name: None if schema is None else schema.field(name).type for name in piece}
        return arrow.table({name: arrow.array(values, type=kinds[name]) for name, values in piece.items()})

    remaining = iter(pieces)
    with atomic_write(path) as file:
        first = table(next(remaining))
        with parquet.ParquetWriter(file, first.schema) as writer:
            writer.write_table(first)
            for piece in remaining:
                writer.write_table(table(piece, first.schema))


def _npy(path: Path, n_rows: int, pieces: Iterable[Piece]) -> None:
    write_array(path, n_rows, (list(piece.values())[1] for piece in pieces))


def _plain(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


WRITERS: dict[str, Callable[[Path, int, Iterable[Piece]], None]] = {
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".jsonl": _jsonl,
    ".parquet": _parquet,
    ".npy": _npy,
}
