"""The table of file formats and their readers."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .._progress import stage
from .._suggest import missing_file
from ._bytes import check_regular
from ._delimited import IsHeader, read_delimited
from ._folders import read_folder
from ._h5ad import read_h5ad
from ._jsonl import read_jsonl
from ._market import read_market
from ._numpy import read_npy, read_npz
from ._parquet import read_parquet
from ._raw import RawTable
from ._xlsx import read_xlsx


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes
    ----------
    name : str
    read : callable
        From a path and an encoding to a :class:`RawTable`.
    gzip : bool
        Whether .gz may follow its suffix.
    """

    name: str
    read: Callable[[Path, str | None], RawTable]
    gzip: bool = False


FORMATS: dict[str, Format] = {
    ".csv": Format("CSV", read_delimited, gzip=True),
    ".tsv": Format("TSV", read_delimited, gzip=True),
    ".jsonl": Format("JSON lines", read_jsonl, gzip=True),
    ".ndjson": Format("JSON lines", read_jsonl, gzip=True),
    ".xlsx": Format("Excel", read_xlsx),
    ".parquet": Format("Parquet", read_parquet),
    ".npy": Format("NPY", read_npy),
    ".npz": Format("NPZ", read_npz),
    ".mtx": Format("Matrix Market", read_market, gzip=True),
    ".h5ad": Format("H5AD", read_h5ad),
}
"""The format of each suffix."""


def read_raw(
    path: str | os.PathLike[str], encoding: str | None = None, *, is_header: IsHeader | None = None
) -> RawTable:
    """Read a file or a folder without preprocessing.

    Parameters
    ----------
    path : path
        A file with one of the suffixes in ``FORMATS``, or a folder of texts or images.
    encoding : str, optional
        Encoding of text files, where the user can choose it; by default UTF-8.
    is_header : callable, optional
        Whether the first line of a CSV, TSV or TXT file holds names, given that line and all others; where it does not,
        columns are called "1", "2", ... By default it always does, and TXT files are not tables.

    Returns
    -------
    RawTable
    """
    path = Path(path)
    if not path.exists():
        raise missing_file(path)
    with stage(f"reading {path.name}"):
        if path.is_dir():
            return read_folder(path, encoding)
        check_regular(path)
        if is_header is not None and (path.suffix.lower() == ".txt" or format_of(path).read is read_delimited):
            return read_delimited(path, encoding, is_header)
        return format_of(path).read(path, encoding)


def format_of(path: Path) -> Format:
    """The format of a file by its suffix."""
    packed = path.suffix.lower() == ".gz"
    found = FORMATS.get((path.with_suffix("") if packed else path).suffix.lower())
    if found is None or (packed and not found.gzip):
        raise ValueError(
            f"{path} ends in {path.suffix!r}, which is not a known format. Use one of {', '.join(FORMATS)}, or a "
            "folder of texts or images."
        )
    return found
