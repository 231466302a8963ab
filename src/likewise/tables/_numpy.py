"""NumPy files: NPY with one array, NPZ with several. Pickled objects are never read."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from scipy import sparse

from .._arrays import check_compressed
from ._damage import reading
from ._limits import check_size
from ._raw import RawTable

SPARSE = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "bsr": sparse.bsr_matrix, "coo": sparse.coo_matrix}

LINE_COST = 64
"""Bytes that a row or a column of a sparse matrix takes although nothing is in it: its name, and where it begins."""

AGAIN = "Save it again with numpy, without pickled objects."

HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
    (3, 0): np.lib.format.read_array_header_2_0,  # the same in UTF-8, for names of fields, which are not read here
}


def read_npy(path: Path, encoding: str | None) -> RawTable:
    """Read one array of rows and columns."""
    with path.open("rb") as file:
        if file.read(4) == b"PK\x03\x04":
            raise ValueError(f"{path} holds several arrays. Call it {path.stem}.npz.")
        file.seek(0)
        with reading(path, "an NPY file of plain values (numbers or strings)", AGAIN):
            found = read_array(file, path.stat().st_size)
    matrix = checked_matrix(found, str(path))
    return RawTable(str(path), matrix.shape[0], {}, matrix=matrix)


def read_npz(path: Path, encoding: str | None) -> RawTable:
    """Read the array X, and y, ids, text, feature_names where they are; or what ``scipy.sparse.save_npz`` wrote."""
    arrays = read_arrays(path)
    if {"format", "shape", "data"} <= set(arrays):
        matrix = checked_matrix(_sparse(path, arrays), str(path))
        return RawTable(str(path), matrix.shape[0], {}, matrix=matrix)
    tables = [name for name, array in arrays.items() if array.ndim == 2]
    chosen = "X" if "X" in arrays else tables[0] if len(tables) == 1 else None
    if chosen is None and ("text" not in arrays or arrays["text"].ndim != 1):
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
    """Check that a matrix has rows and columns of real numbers, and convert it to floats, dense or CSR."""
    kind = matrix.dtype.kind
    if kind not in "fiub":
        raise ValueError(f"{what} has the type {matrix.dtype}. Only real numbers can be compared.")
    if matrix.ndim != 2:
        raise ValueError(f"{what} has the shape {matrix.shape}. It needs two dimensions: rows and columns.")
    if matrix.shape[0] == 0:
        raise ValueError(f"{what} has no rows. It needs one for each item.")
    if matrix.shape[1] == 0:
        raise ValueError(f"{what} has no columns. Rows are compared by what is in them.")
    if sparse.issparse(matrix) and matrix.format in ("csr", "csc", "bsr"):
        try:
            check_compressed(matrix)
        except ValueError as error:
            raise ValueError(f"{what} is not a sparse matrix: {error}. Save it again.") from None
    if kind != "f" or matrix.dtype.itemsize not in (4, 8):
        with np.errstate(over="ignore"):  # a number that is too large becomes infinite, and is refused as that
            matrix = matrix.astype(np.float64)
    if not matrix.dtype.isnative:
        matrix = matrix.astype(matrix.dtype.newbyteorder("="))
    if not sparse.issparse(matrix):
        return matrix
    matrix = sparse.csr_matrix(matrix)
    matrix.sum_duplicates()
    return matrix


def check_sparse_shape(path: Path, shape: tuple[int, int], n_entries: int) -> None:
    """Raise an error for a sparse matrix whose empty rows and columns alone would exhaust the memory."""
    check_size(path, LINE_COST * sum(shape) + 16 * n_entries)


def read_array(file: BinaryIO, size: int) -> Any:
    """Read an array of plain values, after comparing its header with the actual size.

    Parameters
    ----------
    file : binary file
    size : int
        Size of the file in bytes.
    """
    shape, is_fortran, dtype = _checked_header(file, size)
    found = np.frombuffer(bytearray(file.read(math.prod(shape) * dtype.itemsize)), dtype)
    if dtype.kind == "U" and found.size and found.view(dtype.byteorder + "u4").max() > 0x10FFFF:
        raise ValueError("its strings are not made of characters")
    found = found.reshape(shape, order="F" if is_fortran else "C")
    return np.char.decode(found, "utf-8") if dtype.kind == "S" else found


def _checked_header(file: BinaryIO, size: int) -> tuple[tuple[int, ...], bool, Any]:
    """Shape, memory order and dtype of an array, after checking that it is complete."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # headers that Python 2 wrote
            version = np.lib.format.read_magic(file)
            shape, is_fortran, dtype = HEADERS[version](file)
    except Exception as error:  # headers are read by Python's parser, which has many ways to fail
        raise ValueError(f"its header cannot be read ({type(error).__name__})") from None
    if dtype.hasobject:
        raise ValueError("it holds pickled objects, which are never read")
    if dtype.kind not in "biufcSUMm" or dtype.itemsize == 0:
        raise ValueError(f"it holds {dtype}, neither numbers nor strings")
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize > size - file.tell():
        raise ValueError(f"it says that it has the shape {shape}, and ends before that")
    return shape, is_fortran, dtype


def mapped_array(path: Path) -> Any:
    """The array of an NPY file, mapped to memory, after the checks of :func:`read_array`."""
    with path.open("rb") as file:
        shape, is_fortran, dtype = _checked_header(file, path.stat().st_size)
        return (
            np.memmap(file, dtype, "r", file.tell(), shape, "F" if is_fortran else "C")
            if math.prod(shape)
            else (np.empty(shape, dtype))
        )


def read_arrays(path: Path) -> dict[str, Any]:
    """The arrays of an NPZ file by their names."""
    with path.open("rb") as file:
        if file.read(6) == b"\x93NUMPY":
            raise ValueError(f"{path} holds one array only. Call it {path.stem}.npy.")
    found = {}
    with reading(path, "an NPZ file of plain arrays (numbers or strings)", AGAIN), zipfile.ZipFile(path) as packed:
        members = [entry for entry in packed.infolist() if entry.filename.endswith(".npy")]
        if len({entry.filename for entry in members}) < len(members):
            raise ValueError("an array is there twice")
        check_size(path, sum(entry.file_size for entry in members), cost=2.0)
        for entry in members:
            data = packed.read(entry)
            found[entry.filename.removesuffix(".npy")] = read_array(io.BytesIO(data), len(data))
    return found


def _sparse(path: Path, arrays: dict[str, Any]) -> Any:
    """A matrix of the parts that scipy writes."""
    form = str(arrays["format"].item()) if arrays["format"].size == 1 else "?"
    if form not in SPARSE:
        raise ValueError(f"{path} is a sparse matrix of the format {form!r}. Save it as one of {', '.join(SPARSE)}.")
    places = ("row", "col") if form == "coo" else ("indices", "indptr")
    shape = arrays["shape"].tolist()
    try:
        if missing := [name for name in places if name not in arrays]:
            raise ValueError(f"it has no {missing[0]!r}")
        if not (isinstance(shape, list) and len(shape) == 2 and all(type(n) is int and n >= 0 for n in shape)):
            raise ValueError(f"its shape is {shape}")
        for name in places:
            if arrays[name].dtype.kind not in "iu" or arrays[name].ndim != 1:
                raise ValueError(f"its {name} are no row of whole numbers")
        if arrays["data"].ndim != (3 if form == "bsr" else 1) or 0 in arrays["data"].shape[1:]:
            raise ValueError(f"its data has the shape {arrays['data'].shape}")
        if arrays["data"].dtype.kind not in "fiub":
            raise ValueError(f"it holds {arrays['data'].dtype}, not numbers")
        check_sparse_shape(path, tuple(shape), arrays["data"].size)
        first, second = (arrays[name].astype(np.int64) for name in places)
        if form == "coo":
            return sparse.coo_matrix((arrays["data"], (first, second)), shape=shape)
        return SPARSE[form]((arrays["data"], first, second), shape=shape)
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        if str(path) in str(error):
            raise
        raise ValueError(f"{path} is not a sparse matrix: {error}. Save it with scipy.sparse.save_npz.") from None
