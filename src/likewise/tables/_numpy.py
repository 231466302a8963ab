"""numpy's own files: NPY with one array, NPZ with several. Neither may carry pickled objects."""

from __future__ import annotations

import zlib
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile

import numpy as np
from scipy import sparse

from ._raw import RawTable

SPARSE_PARTS = {"format", "shape", "data", "indices", "indptr"}

DAMAGED = (ValueError, EOFError, KeyError, RuntimeError, SyntaxError, TokenError, BadZipFile, zlib.error)
"""What numpy and zipfile raise for bytes that are not what they should be."""


def read_npy(path: Path, encoding: str | None) -> RawTable:
    """Read one array of rows and columns."""
    found = _loaded(path)
    if not isinstance(found, np.ndarray):
        raise ValueError(f"{path} holds several arrays. Call it {path.stem}.npz.")
    matrix = checked_matrix(found, str(path))
    return RawTable(str(path), matrix.shape[0], {}, matrix=matrix)


def read_npz(path: Path, encoding: str | None) -> RawTable:
    """Read the array X, and y, ids, text, feature_names where they are; or what ``scipy.sparse.save_npz`` wrote."""
    arrays = _loaded(path)
    if isinstance(arrays, np.ndarray):
        raise ValueError(f"{path} holds one array only. Call it {path.stem}.npy.")
    if set(arrays) >= SPARSE_PARTS:
        matrix = checked_matrix(_sparse(path), str(path))
        return RawTable(str(path), matrix.shape[0], {}, matrix=matrix)
    tables = [name for name, array in arrays.items() if array.ndim == 2]
    chosen = "X" if "X" in arrays else tables[0] if len(tables) == 1 else None
    if chosen is None and "text" not in arrays:
        raise ValueError(f"{path} has no array 'X', only {', '.join(arrays) or 'nothing'}. Save it with X=..., y=....")
    matrix = None if chosen is None else checked_matrix(arrays[chosen], f"{path}, array {chosen!r}")
    n = len(arrays["text"]) if matrix is None else matrix.shape[0]
    columns = {name: array for name, array in arrays.items() if array.ndim == 1 and len(array) == n}
    names = None
    if matrix is not None and (named := arrays.get("feature_names")) is not None and named.shape == matrix.shape[1:]:
        names = tuple(map(str, named.tolist()))
        columns.pop("feature_names", None)
    ids, label, text = (name if name in columns else None for name in ("ids", "y", "text"))
    text = text if matrix is None else None
    return RawTable(str(path), n, columns, matrix=matrix, matrix_names=names, id=ids, label=label, text=text)


def checked_matrix(matrix: Any, what: str) -> Any:
    """Rows and columns of real numbers, dense or CSR, as floats; or an error that says what it is instead."""
    kind = matrix.dtype.kind
    if kind not in "fiub":
        raise ValueError(f"{what} has the type {matrix.dtype}. Only real numbers can be compared.")
    if matrix.ndim != 2:
        raise ValueError(f"{what} has the shape {matrix.shape}. It needs two dimensions: rows and columns.")
    if kind != "f" or matrix.dtype.itemsize not in (4, 8):
        matrix = matrix.astype(np.float64)
    if not sparse.issparse(matrix):
        return matrix
    matrix = sparse.csr_matrix(matrix)
    matrix.check_format(full_check=True)
    matrix.sum_duplicates()
    return matrix


def _loaded(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            found = np.load(file, allow_pickle=False)
            return found if isinstance(found, np.ndarray) else {name: found[name] for name in found.files}
    except DAMAGED:
        raise ValueError(
            f"{path} is no {path.suffix[1:].upper()} file of plain arrays (numbers or strings), or is damaged. Save it "
            "again with numpy, without pickled objects."
        ) from None


def _sparse(path: Path) -> Any:
    try:
        return sparse.load_npz(path)
    except (ValueError, IndexError, TypeError, NotImplementedError) as error:
        raise ValueError(f"{path} is no sparse matrix: {error}. Save it with scipy.sparse.save_npz.") from None
