"""A file of rows, read in blocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import slices
from .._suggest import suggest
from ..tables._damage import reading
from ..tables._extras import extra
from ..tables._limits import check_size
from ..tables._numpy import mapped_array

BATCH = 2**16
"""Number of rows that are decoded at once."""

TRANSPOSED_ROWS = 500
"""Number of rows that are transposed at once; a power of two would map columns to the same cache lines."""

NUMBERS = ("float", "double", "halffloat", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
"""Arrow types of numeric columns."""

NAME_BYTES = 64
"""Approximate size of a column name in memory."""


class Part(ABC):
    """A file of rows.

    Attributes
    ----------
    path : Path
    n : int
    columns : tuple of str
        The columns that are used.
    types : dict
        The types of these columns and of the key, as the file format calls them.
    unused : tuple of str
        The other columns.
    dtype : float32 or float64
    """

    n: int
    columns: tuple[str, ...]
    types: dict[str, str]
    unused: tuple[str, ...]
    dtype: Any

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp = _stamp(path)

    def check_like(self, first: Part) -> None:
        """Raise an error if columns have other types than in the first file."""
        for name, other in first.types.items():
            if self.types[name] != other:
                raise ValueError(
                    f"{self.path}: column {name!r} is {self.types[name]}, but {other} in {first.path}. Write all files "
                    "with the same types."
                )

    def check_all_used(self, first: Part) -> None:
        """Raise an error if the file has columns that the first file does not have."""
        if self.unused:
            raise ValueError(
                f"{self.path} has a column {self.unused[0]!r}, and {first.path} has none. Choose the columns to use "
                "(columns=...)."
            )

    def check_unchanged(self) -> None:
        """Raise an error if the file was changed since it was opened."""
        if _stamp(self.path) != self._stamp:
            raise ValueError(f"{self.path} was changed while it was read. Run again when it is complete.")

    @abstractmethod
    def blocks(self) -> Iterator[Any]:
        """The rows, in blocks."""

    def cells(self, name: str) -> Iterator[Any]:
        """The values of a column of any type, in blocks."""
        raise self._no_names(name)

    def _no_names(self, name: str) -> ValueError:
        return ValueError(f"{self.path} has no column {name!r}. Use Parquet or Arrow files, or row numbers in hints.")


class NumPyPart(Part):
    """A memory-mapped .npy file."""

    def __init__(self, path: Path, columns: Sequence[str] | None, key: str | None) -> None:
        super().__init__(path)
        if key is not None:
            raise self._no_names(key)
        with reading(path, "a complete NumPy file"):
            self._rows = mapped_array(path)
        rows = self._rows
        if rows.ndim != 2 or rows.dtype.kind not in "fiu":
            raise ValueError(f"{path} holds an array of shape {rows.shape} and type {rows.dtype}, not rows of numbers.")
        check_size(path, rows.shape[1] * NAME_BYTES)  # a file without rows can declare any number of columns
        self.n = len(rows)
        names = tuple(str(column) for column in range(rows.shape[1]))
        self.columns = _chosen(names, columns, path)
        self._places = None if self.columns == names else [int(name) for name in self.columns]
        self.types = dict.fromkeys(self.columns, str(rows.dtype))
        self.unused = _others(names, self.columns)
        self.dtype = np.float32 if rows.dtype == np.float32 else np.float64

    def blocks(self) -> Iterator[Any]:
        """Slices of the mapped array."""
        self.check_unchanged()
        rows: Any = np.asarray(self._rows)
        if self._places is None and rows.dtype == self.dtype:
            yield rows
            return
        for some in slices(self.n, BATCH):
            chosen = rows[some] if self._places is None else rows[some][:, self._places]
            yield np.asarray(chosen, dtype=self.dtype)


class ParquetPart(Part):
    """A Parquet file, decoded in batches."""

    def __init__(self, path: Path, columns: Sequence[str] | None, key: str | None) -> None:
        super().__init__(path)
        self._arrow, parquet = extra("pyarrow", "Parquet files"), extra("pyarrow.parquet", "Parquet files")
        with reading(path, "a complete Parquet file"):
            self._file = parquet.ParquetFile(path, memory_map=True)
            self.n = self._file.metadata.num_rows
            schema = self._file.schema_arrow
            self.columns, self.types, self.dtype = _columns_of(schema, columns, key, path)
            self.unused = _others(schema.names, self.types)

    def blocks(self) -> Iterator[Any]:
        """Batches of rows, in Fortran order."""
        self.check_unchanged()
        read = 0
        for batch in self._batches(list(self.columns)):
            yield _in_fortran_order(batch, self.columns, self.dtype)
            read += batch.num_rows
        if read != self.n:
            raise ValueError(f"{self.path} ends early: it has {read:,} of its {self.n:,} rows.")

    def cells(self, name: str) -> Iterator[Any]:
        """The values of a column, in batches."""
        self.check_unchanged()
        _check_column(name, self._file.schema_arrow.names, self.path)
        for batch in self._batches([name]):
            yield _column_values(batch.column(0))

    def _batches(self, columns: list[Any]) -> Iterator[Any]:
        with reading(self.path, "a complete Parquet file"):
            for batch in self._file.iter_batches(batch_size=BATCH, columns=columns, use_threads=False):
                batch.validate(full=True)
                yield batch


class ArrowPart(Part):
    """A memory-mapped Arrow file (also known as Feather)."""

    def __init__(self, path: Path, columns: Sequence[str] | None, key: str | None) -> None:
        super().__init__(path)
        arrow, ipc = extra("pyarrow", "Arrow files"), extra("pyarrow.ipc", "Arrow files")
        with reading(path, "a complete Arrow file"):
            self._file = ipc.open_file(arrow.memory_map(str(path)))
            self._batches: list[Any] = []
            size = 0
            for place in range(self._file.num_record_batches):
                batch = self._file.get_batch(place)
                batch.validate(full=True)  # otherwise memory outside a column might be read
                size += batch.nbytes
                check_size(path, size)
                self._batches.append(batch)
            self.n = sum(batch.num_rows for batch in self._batches)
            schema = self._file.schema
            self.columns, self.types, self.dtype = _columns_of(schema, columns, key, path)
            self.unused = _others(schema.names, self.types)

    def blocks(self) -> Iterator[Any]:
        """Batches of rows, in Fortran order."""
        self.check_unchanged()
        for batch in self._batches:
            for some in slices(batch.num_rows, BATCH):
                yield _in_fortran_order(batch.slice(some.start, some.stop - some.start), self.columns, self.dtype)

    def cells(self, name: str) -> Iterator[Any]:
        """The values of a column, in batches."""
        self.check_unchanged()
        _check_column(name, self._file.schema.names, self.path)
        for batch in self._batches:
            yield _column_values(batch.column(name))


KINDS: dict[str, Any] = {".npy": NumPyPart, ".parquet": ParquetPart, ".arrow": ArrowPart, ".feather": ArrowPart}


def opened(path: Path, columns: Sequence[str] | None, key: str | None) -> Part:
    """Open a file of rows, by the suffix of its name."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ValueError(f"{path}: rows are read in parts from {', '.join(KINDS)} files, not {path.suffix!r}.")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}.")
    part: Part = kind(path, columns, key)
    return part


def _stamp(path: Path) -> tuple[int, int]:
    state = path.stat()
    return state.st_size, state.st_mtime_ns


def _columns_of(schema: Any, columns: Any, key: str | None, path: Path) -> tuple[tuple[str, ...], dict[str, str], Any]:
    """The columns that are used, the types of these and of the key, and the dtype of the rows."""
    names = tuple(schema.names)
    name, count = Counter(names).most_common(1)[0] if names else ("", 0)
    if count > 1:
        raise ValueError(f"{path} has {count} columns called {name!r}. Give each column a name of its own.")
    if key is not None:
        _check_column(key, names, path)
    chosen = _chosen(tuple(name for name in names if name != key), columns, path)
    types = {name: str(schema.field(name).type) for name in chosen}
    for name, kind in types.items():
        if kind not in NUMBERS:
            raise ValueError(
                f"{path}: column {name!r} is {kind}, not a number. Choose the columns to use (columns=...), "
                "and the column of ids (key=...)."
            )
    dtype = np.float32 if set(types.values()) == {"float"} else np.float64
    return chosen, types if key is None else {**types, key: str(schema.field(key).type)}, dtype


def _chosen(names: tuple[str, ...], columns: Sequence[str] | None, path: Path) -> tuple[str, ...]:
    if columns is None:
        return names
    for column in columns:
        _check_column(column, names, path)
    return tuple(columns)


def _others(names: Sequence[str], used: Container[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in used)


def _check_column(column: str, names: Sequence[str], path: Path) -> None:
    if column not in names:
        raise ValueError(f"{path} has no column {column!r}.{suggest(column, names)}")


def _column_values(column: Any) -> Any:
    """The values of a column; with missing values an object array with None, so that integers are not converted."""
    return np.array(column.to_pylist(), dtype=object) if column.null_count else column.to_numpy(zero_copy_only=False)


def _in_fortran_order(batch: Any, columns: tuple[str, ...], dtype: Any) -> Any:
    rows = np.empty((batch.num_rows, len(columns)), dtype=dtype, order="F")
    for place, name in enumerate(columns):
        rows[:, place] = batch.column(name).to_numpy(zero_copy_only=False)
    return rows


def in_c_order(rows: Any) -> Any:
    """The array in C order; an array in Fortran order is copied in blocks that fit into the cache."""
    if rows.flags.c_contiguous:
        return rows
    copied = np.empty(rows.shape, dtype=rows.dtype)
    for some in slices(len(rows), TRANSPOSED_ROWS):
        copied[some] = rows[some].copy(order="F")
    return copied


def numbers_by_column(path: Path) -> dict[str, bool]:
    """Whether each column of a Parquet or Arrow file is numeric; empty for a NumPy file, which has no column names."""
    if path.suffix.lower() == ".npy":
        return {}
    if path.suffix.lower() == ".parquet":
        schema = extra("pyarrow.parquet", "Parquet files").read_schema(path)
    else:
        with extra("pyarrow", "Arrow files").memory_map(str(path)) as file:
            schema = extra("pyarrow.ipc", "Arrow files").open_file(file).schema
    return {name: str(schema.field(name).type) in NUMBERS for name in schema.names}
