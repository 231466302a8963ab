"""Matrix Market files (.mtx): sparse matrices as text."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import io, sparse

from .._arrays import IntArray
from ._bytes import read_bytes
from ._limits import check_size
from ._numpy import check_sparse_shape, checked_matrix
from ._raw import RawTable

NUMERIC = b"0123456789+-.eE \t\r\ninftyaINFTYA"
"""What numbers are written with, infinite and missing ones among them."""

VALUES = {"pattern": 0, "real": 1, "double": 1, "integer": 1, "unsigned-integer": 1, "complex": 2}
"""How many numbers an entry has, by the type of the matrix."""

CUT = re.compile(rb"[-+eE]\s")
"""The end of a number that was cut."""

PIECE = 2**20
"""Bytes that are checked at once."""

SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


class Header(NamedTuple):
    """The header of a file."""

    is_sparse: bool
    n_values: int
    is_general: bool
    shape: tuple[int, int]
    n_entries: int
    end: int
    """where the entries begin"""


def read_market(path: Path, encoding: str | None) -> RawTable:
    """Read a matrix with one entry per line.

    The format of every line is checked first, since SciPy may read beyond the buffer if a number is truncated.
    """
    data = read_bytes(path)
    try:
        header = _header(data)
        if header.n_values == 2:
            raise ValueError("its numbers are complex, and only real numbers can be compared")
        if header.is_sparse:
            check_sparse_shape(path, header.shape, header.n_entries)
        else:
            check_size(path, 8 * header.shape[0] * header.shape[1])
        _check_entries(data, header)
        found = io.mmread(BytesIO(data + b"\n"), spmatrix=True)
    except (ValueError, EOFError, OverflowError) as error:
        if str(path) in str(error):
            raise
        raise ValueError(f"{path} is not a Matrix Market file: {str(error).rstrip('.')}.") from None
    if sparse.issparse(found):
        found = found.tocsr()
    matrix = checked_matrix(found, str(path))
    return RawTable(str(path), matrix.shape[0], {}, matrix=matrix)


def _header(data: bytes) -> Header:
    """Parse the first line, and the first line that is not a comment."""
    end = data.find(b"\n") + 1
    words = data[: end or len(data)].decode("ascii", "replace").lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"] or words[2] not in ("coordinate", "array"):
        raise ValueError("it does not begin with '%%MatrixMarket matrix coordinate real general'")
    if words[3] not in VALUES or words[4] not in SYMMETRIES or (words[2] == "array" and words[3] == "pattern"):
        raise ValueError(f"it is {' '.join(words[2:])!r}, which is not a known kind")
    start = end
    while True:
        end = data.find(b"\n", start) + 1
        line = data[start : end or len(data)].strip()
        if line and not line.startswith(b"%"):
            break
        if not end:
            raise ValueError("it does not say how many rows and columns it has")
        start = end
    is_sparse = words[2] == "coordinate"
    sizes = line.split()
    if len(sizes) != 2 + is_sparse or not all(re.fullmatch(rb"[0-9]{1,18}", size) for size in sizes):
        asked = "three numbers: rows, columns, entries" if is_sparse else "two numbers: rows, columns"
        raise ValueError(f"{line[:60].decode('ascii', 'replace')!r} should be {asked}")
    rows, columns = int(sizes[0]), int(sizes[1])
    if rows == 0 or columns == 0:
        raise ValueError(f"it has {rows} rows and {columns} columns")
    is_general = words[4] == "general"
    if not is_general and rows != columns:
        raise ValueError(f"it is {words[4]}, and has {rows} rows and {columns} columns")
    n_entries = int(sizes[2]) if is_sparse else rows * columns
    if not is_sparse and not is_general:
        n_entries = rows * (rows + 1) // 2 - (rows if words[4] == "skew-symmetric" else 0)
    return Header(is_sparse, VALUES[words[3]], is_general, (rows, columns), n_entries, end or len(data))


def _check_entries(data: bytes, header: Header) -> None:
    """Raise an error if the number of entries differs from the declared one, or a line is malformed."""
    n_words = header.n_values + (2 if header.is_sparse else 0)
    n_entries = 0
    start = header.end
    while start < len(data):
        end = data.find(b"\n", start + PIECE) + 1 or len(data)
        piece = data[start:end] if data[end - 1 : end] == b"\n" else data[start:end] + b"\n"
        counts = _words_by_line(piece)
        wrong = np.flatnonzero((counts != 0) & (counts != n_words)).tolist()
        if piece.translate(None, NUMERIC):
            lines = enumerate(piece.split(b"\n"))
            wrong = [next(place for place, line in lines if line.translate(None, NUMERIC))]
        elif cut := CUT.search(piece):
            wrong = [piece.count(b"\n", 0, cut.start())]
        if wrong:
            number = data.count(b"\n", 0, start) + wrong[0] + 1
            shown = piece.split(b"\n")[wrong[0]][:60].decode("ascii", "replace")
            raise ValueError(f"line {number} is {shown!r}, which is no entry of {n_words} numbers")
        n_entries += int(np.count_nonzero(counts))
        start = end
    if n_entries != header.n_entries:
        raise ValueError(f"it says that it has {header.n_entries:,} entries, and has {n_entries:,}")


def _words_by_line(piece: bytes) -> IntArray:
    """The number of words in each line; the last line must end with a newline."""
    signs = np.frombuffer(piece, np.uint8)
    is_space = (signs == 32) | (signs == 9) | (signs == 10) | (signs == 13)
    begins = ~is_space
    begins[1:] &= is_space[:-1]
    so_far = np.cumsum(begins)[signs == 10]
    return np.diff(so_far, prepend=0)
