"""The bytes of a file, and the text they encode."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

from ._limits import check_size

BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}

NO_ENCODINGS = frozenset({"unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined"})
"""What Python has beside encodings of files, by its own names."""

PIECE = 2**20
"""Bytes that are unpacked at once."""

TEXT_COST = 8.0
"""Bytes of memory for each byte of text, as long as it is split into cells."""


def check_regular(path: Path) -> None:
    """Raise an error for a device or a pipe, which may be endless."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is not a file. Give it a file on a disk.")


def read_bytes(path: Path) -> bytes:
    """Read a file; .gz files are decompressed, after checking the uncompressed size."""
    check_regular(path)
    if path.suffix.lower() != ".gz":
        check_size(path, path.stat().st_size, cost=TEXT_COST)
        return path.read_bytes()
    try:
        with gzip.open(path) as file:
            unpacked = 0
            while piece := file.read(PIECE):
                unpacked += len(piece)
                check_size(path, unpacked, cost=TEXT_COST)
            file.seek(0)
            return file.read()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is damaged: {error}. Get it again.") from None


def read_text(path: Path, encoding: str | None = None) -> str:
    """Read a file as text; raises an error with the position of the first invalid byte.

    If ``encoding`` is None, the file must be UTF-8, or UTF-16 with a byte order mark, as written by spreadsheet
    programs.
    """
    data = read_bytes(path)
    name = BYTE_ORDER_MARKS.get(data[:2], "utf-8") if encoding is None else encoding
    try:
        if codecs.lookup(name).name.replace("_", "-") in NO_ENCODINGS:
            raise LookupError
        return data.decode("utf-8-sig" if name.lower().replace("_", "-") in ("utf-8", "utf8") else name)
    except LookupError:
        raise ValueError(f"there is no encoding {name!r}. Use utf-8, latin-1, cp1252 or utf-16.") from None
    except UnicodeError as error:
        start = min(getattr(error, "start", 0), len(data) - 1)
        line = data.count(b"\n", 0, start) + 1
        guess = BYTE_ORDER_MARKS.get(data[:2]) or ("cp1252" if _decodes(data, "cp1252") else "latin-1")
        choice = "" if encoding is None else f", or name its encoding: --encoding {guess}"
        raise ValueError(
            f"{path}, line {line}: byte 0x{data[start]:02x} is not {name}. Save the file as UTF-8{choice}."
        ) from None


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeError:
        return False
    return True
