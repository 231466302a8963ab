"""The bytes of a file, and the text they encode."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def read_bytes(path: Path) -> bytes:
    """All of a file; what ends in .gz is decompressed."""
    data = path.read_bytes()
    if path.suffix.lower() != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is damaged: {error}. Get it again.") from None


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """All of a file as text, or an error that says where it stops being text."""
    data = read_bytes(path)
    try:
        return data.decode("utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding)
    except LookupError:
        raise ValueError(f"there is no encoding {encoding!r}. Use utf-8, latin-1, cp1252 or utf-16.") from None
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        line = data.count(b"\n", 0, start) + 1
        guess = BYTE_ORDER_MARKS.get(data[:2], "latin-1")
        raise ValueError(
            f"{path}, line {line}: byte 0x{data[start]:02x} is not {encoding}. Save the file as UTF-8, or name its "
            f"encoding: --encoding {guess}."
        ) from None
