"""Matrix Market files (.mtx): sparse matrices as text."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from scipy import io, sparse

from ._bytes import read_bytes
from ._numpy import checked_matrix
from ._raw import RawTable


def read_market(path: Path, encoding: str | None) -> RawTable:
    """Read a matrix, one line for each entry."""
    data = read_bytes(path)
    try:
        if b"\0" in data:
            raise ValueError("it holds a NUL byte")
        found = io.mmread(BytesIO(data + b"\n"))  # scipy reads beyond the end of a file without a last line end
    except (ValueError, EOFError, OverflowError) as error:
        raise ValueError(f"{path} is not a Matrix Market file: {str(error).rstrip('.')}.") from None
    if sparse.issparse(found):
        found = found.tocsr()
    matrix = checked_matrix(found, str(path))
    return RawTable(str(path), matrix.shape[0], {}, matrix=matrix)
