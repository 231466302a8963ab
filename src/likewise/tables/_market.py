"""Matrix Market files (.mtx): sparse matrices as text."""

from __future__ import annotations

from pathlib import Path

from scipy import io, sparse

from ._arrays import checked_matrix
from ._raw import Progress, Raw


def read_market(path: Path, encoding: str, progress: Progress) -> Raw:
    """Read a matrix, one line an entry."""
    progress(f"reading {path.name}", 0, None)
    try:
        found = io.mmread(path)
    except (ValueError, EOFError, OverflowError) as error:
        raise ValueError(f"{path} is not a Matrix Market file: {str(error).rstrip('.')}.") from None
    if sparse.issparse(found):
        found = found.tocsr()
    matrix = checked_matrix(found, str(path))
    return Raw(str(path), matrix.shape[0], {}, matrix=matrix)
