"""One file of rows: its columns, and its rows a block at a time."""

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
"""Rows of a Parquet file that are decoded at once."""

TRANSPOSED = 500
"""Rows that are brought from columns to rows at once. At a power of two columns would share few lines of the cache."""

NUMBERS = ("float", "double", "halffloat", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
"""Types of columns that hold numbers, in the words of Arrow."""

NAME_BYTES = 64
"""What the name of a column takes in memory."""


class Part(ABC):
    """A file of rows.

    Attributes
    ----------
    path : Path
    n : int
    columns : tuple of str
        Those that are used.
    types : dict
        The type of each of them and of the key, in the words of the format.
    unused : tuple of str
        All others.
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
        """Raise an error that names the file where its columns have other types than those of the first."""
        for name, other in first.types.items():
            if self.types[name] != other:
                raise ValueError(
                    f"{self.path}: column {name!r} is {self.types[name]}, but {other} in {first.path}. Write all files "
                    "with the same types."
                )

    def check_all_used(self, first: Part) -> None:
        """Raise an error that names the file where it has columns that the first has not."""
        if self.unused:
            raise ValueError(
                f"{self.path} has a column {self.unused[0]!r}, and {first.path} has none. Name the columns to use "
                "(columns=...)."
            )

    def check_unchanged(self) -> None:
        """Raise an error where the file was changed since it was opened."""
        if _stamp(self.path) != self._stamp:
            raise ValueError(f"{self.path} was changed while it was read. Start again when it is complete.")

    @abstractmethod
    def blocks(self) -> Iterator[Any]:
        """The rows in their order, some at a time."""

    def cells(self, name: str) -> Iterator[Any]:
        """The entries of one column, whatever they are, in their order, some at a time."""
        raise self._nameless(name)

    def _nameless(self, name: str) -> ValueError:
        return ValueError(f"{self.path} has no column {name!r}. Use Parquet or Arrow files, or row numbers in hints.")


class NumPyPart(Part):
    """An array in a .npy file, mapped to memory."""

    def __init__(self, path: Path, columns: Sequence[str] | None, key: str | None) -> None:
        super().__init__(path)
        if key is not None:
            raise self._nameless(key)
        with reading(path, "a complete NumPy file"):
            self._rows = mapped_array(path)
        rows = self._rows
        if rows.ndim != 2 or rows.dtype.kind not in "fiu":
            raise ValueError(f"{path} holds an array of shape {rows.shape} and type {rows.dtype}, not rows of numbers.")
        check_size(path, rows.shape[1] * NAME_BYTES)  # without rows there may be any number of columns
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
    """A Parquet file, decoded a batch at a time."""

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
        """Batches of rows, by columns in memory."""
        self.check_unchanged()
        read = 0
        for batch in self._batches(list(self.columns)):
            yield _by_columns(batch, self.columns, self.dtype)
            read += batch.num_rows
        if read != self.n:
            raise ValueError(f"{self.path} ends early: it has {read:,} of its {self.n:,} rows.")

    def cells(self, name: str) -> Iterator[Any]:
        """Batches of a column."""
        self.check_unchanged()
        _check_column(name, self._file.schema_arrow.names, self.path)
        for batch in self._batches([name]):
            yield _objects(batch.column(0))

    def _batches(self, columns: list[Any]) -> Iterator[Any]:
        with reading(self.path, "a complete Parquet file"):
            for batch in self._file.iter_batches(batch_size=BATCH, columns=columns, use_threads=False):
                batch.validate(full=True)
                yield batch


class ArrowPart(Part):
    """An Arrow file (also known as Feather), mapped to memory."""

    def __init__(self, path: Path, columns: Sequence[str] | None, key: str | None) -> None:
        super().__init__(path)
        arrow, ipc = extra("pyarrow", "Arrow files"), extra("pyarrow.ipc", "Arrow files")
        with reading(path, "a complete Arrow file"):
            self._file = ipc.open_file(arrow.memory_map(str(path)))
            self._batches: list[Any] = []
            size = 0
            for place in range(self._file.num_record_batches):
                batch = self._file.get_batch(place)
                batch.validate(full=True)  # else what lies beyond a column would be read as a part of it
                size += batch.nbytes
                check_size(path, size)
                self._batches.append(batch)
            self.n = sum(batch.num_rows for batch in self._batches)
            schema = self._file.schema
            self.columns, self.types, self.dtype = _columns_of(schema, columns, key, path)
            self.unused = _others(schema.names, self.types)

    def blocks(self) -> Iterator[Any]:
        """Batches of rows, by columns in memory."""
        self.check_unchanged()
        for batch in self._batches:
            for some in slices(batch.num_rows, BATCH):
                yield _by_columns(batch.slice(some.start, some.stop - some.start), self.columns, self.dtype)

    def cells(self, name: str) -> Iterator[Any]:
        """Batches of a column."""
        self.check_unchanged()
        _check_column(name, self._file.schema.names, self.path)
        for batch in self._batches:
            yield _objects(batch.column(name))


KINDS: dict[str, Any] = {".npy": NumPyPart, ".parquet": ParquetPart, ".arrow": ArrowPart, ".feather": ArrowPart}


def opened(path: Path, columns: Sequence[str] | None, key: str | None) -> Part:
    """Open a file of rows by its suffix."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ValueError(f"{path}: rows are read a part at a time from {', '.join(KINDS)} files, not {path.suffix!r}.")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}.")
    part: Part = kind(path, columns, key)
    return part


def _stamp(path: Path) -> tuple[int, int]:
    state = path.stat()
    return state.st_size, state.st_mtime_ns


def _columns_of(schema: Any, columns: Any, key: str | None, path: Path) -> tuple[tuple[str, ...], dict[str, str], Any]:
    """The columns that are used, the types of these and of the key, and the type of their values."""
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
                f"{path}: column {name!r} is {kind}, not a number. Name the columns to use (columns=...), "
                "and the one that names rows (key=...)."
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


def _objects(column: Any) -> Any:
    """The cells of a column as an array; whole numbers stay whole where some cells are empty, and None stands there."""
    return np.array(column.to_pylist(), dtype=object) if column.null_count else column.to_numpy(zero_copy_only=False)


def _by_columns(batch: Any, columns: tuple[str, ...], dtype: Any) -> Any:
    rows = np.empty((batch.num_rows, len(columns)), dtype=dtype, order="F")
    for place, name in enumerate(columns):
        rows[:, place] = batch.column(name).to_numpy(zero_copy_only=False)
    return rows


def by_rows(rows: Any) -> Any:
    """An array row by row in memory; one that lies there by columns is copied in pieces that stay in the cache."""
    if rows.flags.c_contiguous:
        return rows
    copied = np.empty(rows.shape, dtype=rows.dtype)
    for some in slices(len(rows), TRANSPOSED):
        copied[some] = rows[some].copy(order="F")
    return copied


def numbers_by_column(path: Path) -> dict[str, bool]:
    """The columns of a Parquet or Arrow file, and whether they hold numbers; a NumPy file names none."""
    if path.suffix.lower() == ".npy":
        return {}
    if path.suffix.lower() == ".parquet":
        schema = extra("pyarrow.parquet", "Parquet files").read_schema(path)
    else:
        with extra("pyarrow", "Arrow files").memory_map(str(path)) as file:
            schema = extra("pyarrow.ipc", "Arrow files").open_file(file).schema
    return {name: str(schema.field(name).type) in NUMBERS for name in schema.names}
