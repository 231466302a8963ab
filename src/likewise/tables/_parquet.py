"""Parquet files; needs the extra ``io``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ._damage import reading
from ._extras import extra
from ._limits import check_size
from ._raw import RawTable, flat_columns


def read_parquet(path: Path, encoding: str | None) -> RawTable:
    """Read a table; lists of numbers are expanded to columns, and dates are converted to text."""
    arrow, parquet = extra("pyarrow", "Parquet files"), extra("pyarrow.parquet", "Parquet files")
    extra("pyarrow.compute", "Parquet files")
    with path.open("rb") as file, reading(path, "a Parquet file"):
        source = parquet.ParquetFile(file)
        check_parquet_size(path, source.metadata)
        texts = [field.name for field in source.schema_arrow if _is_text(field.type, arrow.types)]
        # Dictionary-encoded, since a small file may contain a long text a million times.
        source = parquet.ParquetFile(file, read_dictionary=texts)
        parts, size = [], 0
        for place in range(source.num_row_groups):
            parts.append(source.read_row_group(place))
            size += parts[-1].nbytes
            check_size(path, size)
        table = arrow.concat_tables(parts) if parts else source.read()
        table.validate(full=True)
        names = table.column_names
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(f"{path} has several columns called {repeated[0]!r}. Give every column a name of its own.")
        check_size(path, sum(_length(table.column(name), arrow) for name in names))
        columns, left_out = flat_columns({name: _cells(table.column(name), arrow) for name in names})
        stored = table.schema.metadata or {}
    metadata = {key.decode(errors="replace"): value.decode(errors="replace") for key, value in stored.items()}
    return RawTable(str(path), table.num_rows, columns, metadata=metadata, left_out=left_out)


def check_parquet_size(path: Path, metadata: Any) -> None:
    """Raise an error if the declared size is implausible for the size of the file."""
    groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
    stated = sum(max(0, group.total_byte_size) for group in groups)
    # Do not use the metadata of columns: pyarrow aborts the interpreter if they are damaged.
    n_rows = max(metadata.num_rows, sum(max(0, group.num_rows) for group in groups))
    check_size(path, max(stated, 8 * n_rows * metadata.num_columns), cost=2.0)


def _cells(column: Any, arrow: Any) -> Any:
    types = arrow.types
    if types.is_integer(column.type) and not column.null_count:
        return column.to_numpy()  # keeps 64-bit ids exact
    if types.is_floating(column.type) or types.is_decimal(column.type):
        return np.asarray(column.cast(arrow.float64()).to_numpy(), dtype=np.float64)
    if not types.is_dictionary(column.type):
        return column.to_pylist()
    found: list[Any] = []
    for chunk in column.chunks:
        levels = chunk.dictionary.to_pylist()
        found += [None if code is None else levels[code] for code in chunk.indices.to_pylist()]
    return found


def _length(column: Any, arrow: Any) -> int:
    """Bytes of the texts of a column, those that come again counted again."""
    if not arrow.types.is_dictionary(column.type) or not _is_text(column.type.value_type, arrow.types):
        return 0
    total = 0
    for chunk in column.chunks:
        times = np.bincount(chunk.indices.drop_null().to_numpy(), minlength=len(chunk.dictionary))
        lengths = arrow.compute.binary_length(chunk.dictionary).fill_null(0).to_numpy()
        total += int(times @ lengths.astype(np.int64))
    return total


def _is_text(kind: Any, types: Any) -> bool:
    return types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind)
