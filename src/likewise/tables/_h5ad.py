"""H5AD files, as single-cell tools write them; read through h5py, of the extra ``io``.

Only the matrix ``X`` (dense, CSR or CSC), the table ``obs`` of the rows, and the names of the columns from ``var`` are
read. This is done in a separate process, since HDF5 may crash or hang on a damaged file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ._apart import limit_memory, read_apart
from ._damage import reading
from ._extras import extra
from ._limits import check_size
from ._numpy import check_sparse_shape, checked_matrix
from ._raw import RawTable

CELL_COST = 64
"""Minimum size of a string in bytes."""

OVERHEAD = 2**28
"""Memory in bytes that HDF5 may use in addition to the data."""


def read_h5ad(path: Path, encoding: str | None) -> RawTable:
    """Read the matrix, the columns of ``obs`` and the names of ``var``."""
    extra("h5py", "H5AD files")
    path.open("rb").close()  # raises an error if the file cannot be opened
    found: RawTable = read_apart(f"{__name__}:read_here", path, "HDF5")
    return found


def read_here(path: Path) -> RawTable:
    """The same in this process."""
    h5py = extra("h5py", "H5AD files")
    with reading(path, "an H5AD file"), h5py.File(path, "r") as file:
        missing = [part for part in ("X", "obs") if part not in file]
        if missing:
            raise ValueError(f"{path} has no {missing[0]!r}: it is not an H5AD file. It has: {', '.join(file)}.")
        needed = sum(_size(file[part]) for part in ("X", "obs", "var") if part in file)
        check_size(path, needed, cost=3.0)
        limit_memory(OVERHEAD + 4 * needed)
        matrix = checked_matrix(_matrix(file["X"], path), f"{path}, X")
        index, columns = _table(file["obs"], matrix.shape[0])
        name, variables = _table(file["var"], matrix.shape[1]) if "var" in file else (None, {})
    names = None if name is None else tuple(map(str, variables[name]))
    return RawTable(str(path), matrix.shape[0], columns, matrix=matrix, matrix_names=names, id=index)


def _size(part: Any) -> int:
    """The declared size of a part in bytes."""
    if not hasattr(part, "dtype"):
        return sum(_size(part[name]) for name in part)
    return int(part.size) * (int(part.dtype.itemsize) if part.dtype.kind in "fiub" else CELL_COST)


def _matrix(part: Any, path: Path) -> Any:
    if hasattr(part, "dtype"):
        return part[()]
    kind = _word(part.attrs.get("encoding-type", part.attrs.get("h5sparse_format", "")))
    shape = part.attrs.get("shape", part.attrs.get("h5sparse_shape"))
    kinds = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix}
    if kind[:3] not in kinds or shape is None or len(shape) != 2:
        raise ValueError(f"{path}, X is written as {kind or 'an unknown kind'!r}. Dense, CSR and CSC can be read.")
    n, f = (int(size) for size in shape)
    data, indices, indptr = (part[name][()] for name in ("data", "indices", "indptr"))
    check_sparse_shape(path, (n, f), data.size)
    return kinds[kind[:3]]((data, indices, indptr), shape=(n, f))


def _table(part: Any, length: int) -> tuple[str | None, dict[str, Any]]:
    """The name of the index, and the columns with one entry for each row."""
    if hasattr(part, "dtype"):  # before 2020 a table was one array of records
        found = {name: _plain(part[name]) for name in part.dtype.names or ()}
        columns = {name: values for name, values in found.items() if len(values) == length}
        return (next((name for name in ("index", "_index") if name in columns), None), columns)
    columns = {}
    for name, column in part.items():
        if hasattr(column, "dtype"):
            values = _plain(column[()])
        elif {"categories", "codes"} <= set(column):
            levels, codes = _plain(column["categories"][()]), column["codes"][()]
            values = [None if code < 0 else levels[code] for code in codes.tolist()]
        else:
            continue
        if np.ndim(values) == 1 and len(values) == length:
            columns[name] = values
    index = _word(part.attrs.get("_index", ""))
    return (index if index in columns else None), columns


def _plain(values: Any) -> Any:
    values = np.asarray(values)
    if values.ndim != 1:
        return ()
    if values.dtype.kind in "fiu":
        return values
    return [value.decode() if isinstance(value, bytes) else value for value in values.tolist()]


def _word(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
