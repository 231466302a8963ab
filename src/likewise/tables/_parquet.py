"""Parquet files; needs the extra ``io``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ._extras import extra
from ._raw import RawTable, flat_columns


def read_parquet(path: Path, encoding: str | None) -> RawTable:
    """Read a table; a list of numbers becomes one column for each of them, and a date is text."""
    arrow, parquet = extra("pyarrow", "Parquet files"), extra("pyarrow.parquet", "Parquet files")
    with path.open("rb") as file:
        try:
            table = parquet.read_table(file)
        except (arrow.ArrowInvalid, OSError) as error:
            raise ValueError(f"{path} is not a Parquet file: {str(error).rstrip('.')}.") from None
    repeated = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if repeated:
        raise ValueError(f"{path} has several columns called {repeated[0]!r}. Give every column a name of its own.")
    columns, left_out = flat_columns({name: _cells(table.column(name), arrow) for name in table.column_names})
    stored = table.schema.metadata or {}
    metadata = {key.decode(errors="replace"): value.decode(errors="replace") for key, value in stored.items()}
    return RawTable(str(path), table.num_rows, columns, metadata=metadata, left_out=left_out)


def _cells(column: Any, arrow: Any) -> Any:
    types = arrow.types
    if types.is_integer(column.type) and not column.null_count:
        return column.to_numpy()  # ids of 64 bits stay what they are
    if types.is_floating(column.type) or types.is_decimal(column.type):
        return np.asarray(column.cast(arrow.float64()).to_numpy(), dtype=np.float64)
    return column.to_pylist()
