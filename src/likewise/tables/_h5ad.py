"""H5AD files, as single-cell tools write them; read through h5py, of the extra ``io``.

Only what is needed is read: the matrix ``X`` (dense, CSR or CSC), the table ``obs`` of the rows, and the names of the
columns from ``var``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ._extras import extra
from ._numpy import checked_matrix
from ._raw import RawTable


def read_h5ad(path: Path, encoding: str | None) -> RawTable:
    """Read the matrix, the columns of ``obs`` and the names of ``var``."""
    h5py = extra("h5py", "H5AD files")
    try:
        with h5py.File(path, "r") as file:
            missing = [part for part in ("X", "obs") if part not in file]
            if missing:
                raise ValueError(f"{path} has no {missing[0]!r}: it is not an H5AD file. It has: {', '.join(file)}.")
            matrix = checked_matrix(_matrix(file["X"], path), f"{path}, X")
            index, columns = _table(file["obs"], matrix.shape[0])
            name, variables = _table(file["var"], matrix.shape[1]) if "var" in file else (None, {})
    except OSError as error:
        if error.errno is not None:
            raise
        raise ValueError(f"{path} is not an H5AD file, or is damaged: {error}.") from None
    except (KeyError, IndexError, TypeError, RuntimeError) as error:
        raise ValueError(f"{path} is damaged, or laid out in an unknown way: {error}.") from None
    names = None if name is None else tuple(map(str, variables[name]))
    return RawTable(str(path), matrix.shape[0], columns, matrix=matrix, matrix_names=names, id=index)


def _matrix(part: Any, path: Path) -> Any:
    if hasattr(part, "dtype"):
        return part[()]
    kind = _word(part.attrs.get("encoding-type", part.attrs.get("h5sparse_format", "")))
    shape = part.attrs.get("shape", part.attrs.get("h5sparse_shape"))
    kinds = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix}
    if kind[:3] not in kinds or shape is None:
        raise ValueError(f"{path}, X is written as {kind or 'an unknown kind'!r}. Dense, CSR and CSC can be read.")
    parts = (part["data"][()], part["indices"][()], part["indptr"][()])
    matrix = kinds[kind[:3]](parts, shape=tuple(int(size) for size in shape))
    matrix.check_format(full_check=True)
    return matrix


def _table(part: Any, length: int) -> tuple[str | None, dict[str, Any]]:
    """The name of the index, and the columns with one entry for each row."""
    if hasattr(part, "dtype"):  # before 2020 a table was one array of records
        columns = {name: _plain(part[name]) for name in part.dtype.names or ()}
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
        if len(values) == length:
            columns[name] = values
    index = _word(part.attrs.get("_index", ""))
    return (index if index in columns else None), columns


def _plain(values: Any) -> Any:
    if values.dtype.kind in "fiu":
        return values
    return [value.decode() if isinstance(value, bytes) else value for value in np.asarray(values).tolist()]


def _word(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
