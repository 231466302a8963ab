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


def read_text(path: Path, encoding: str | None = None) -> str:
    """All of a file as text, or an error that says where it stops being text; None: it can only be UTF-8."""
    data = read_bytes(path)
    name = "utf-8" if encoding is None else encoding
    try:
        return data.decode("utf-8-sig" if name.lower().replace("_", "-") in ("utf-8", "utf8") else name)
    except LookupError:
        raise ValueError(f"there is no encoding {name!r}. Use utf-8, latin-1, cp1252 or utf-16.") from None
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        line = data.count(b"\n", 0, start) + 1
        guess = BYTE_ORDER_MARKS.get(data[:2], "latin-1")
        choice = "" if encoding is None else f", or name its encoding: --encoding {guess}"
        raise ValueError(
            f"{path}, line {line}: byte 0x{data[start]:02x} is not {name}. Save the file as UTF-8{choice}."
        ) from None
