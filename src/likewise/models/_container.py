"""The file itself: a zip of one JSON document and the arrays it speaks of.

Nothing in it is packed, so a file never unpacks to more than it is, and no array is made before its size was compared
with what is there.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from .._atomic import atomic_write

FORMAT = 1
"""The version of the layout; a reader knows its own and all before it."""

DOCUMENT, ARRAYS = "model.json", "arrays.npz"
OLDEST = (1980, 1, 1, 0, 0, 0)
"""The same model is the same file, whenever it is written."""


class ModelFileError(ValueError):
    """A file that is no model, is damaged, or is of a later version."""


def write_container(path: str | os.PathLike[str], document: dict[str, Any], arrays: dict[str, np.ndarray]) -> Path:
    """Write a document and its arrays, whole or not at all."""
    path = Path(path)
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    head = {"format": FORMAT, "likewise": __version__}
    document = {**head, **document}
    document["checksums"] = {DOCUMENT: _digest(_spelled(document)), ARRAYS: _digest(packed.getvalue())}
    with atomic_write(path) as target, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as file:
        for name, data in ((DOCUMENT, _spelled(document)), (ARRAYS, packed.getvalue())):
            file.writestr(zipfile.ZipInfo(name, OLDEST), data)
    return path


def read_container(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read a document and its arrays, if the file is whole and of a version that is known."""
    path = Path(path)
    members = _members(path, path.read_bytes(), (DOCUMENT, ARRAYS))
    try:
        document = json.loads(members[DOCUMENT])
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"{DOCUMENT} is not JSON ({error})") from None
    if not isinstance(document, dict) or not isinstance(document.get("format"), int):
        raise damaged(path, f"{DOCUMENT} names no format")
    if document["format"] > FORMAT:
        raise ModelFileError(
            f"{path} is of format {document['format']}, written by likewise {document.get('likewise', '?')}. This is "
            f"likewise {__version__}, which reads formats up to {FORMAT}. Install a newer one."
        )
    sums = document.pop("checksums", None)
    found = {DOCUMENT: _digest(_spelled(document)), ARRAYS: _digest(members[ARRAYS])}
    for name, value in found.items():
        if not isinstance(sums, dict) or sums.get(name) != value:
            raise damaged(path, f"the checksum of {name} is not the one it was written with")
    return document, _arrays(path, members[ARRAYS])


def damaged(path: str | os.PathLike[str], why: str) -> ModelFileError:
    """The error for a file that is not what it was."""
    return ModelFileError(f"{path} is damaged: {why}. Get it again, or make it anew.")


def _members(path: Path, data: bytes, names: tuple[str, ...] | None) -> dict[str, bytes]:
    """What a zip holds, if nothing in it is packed and it holds what it should."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            entries = file.infolist()
            if names is not None and sorted(entry.filename for entry in entries) != sorted(names):
                held = ", ".join(entry.filename for entry in entries[:5]) or "nothing"
                raise ModelFileError(f"{path} is no model file: it holds {held}, not {' and '.join(names)}.")
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
                raise damaged(path, "a part of it is packed, which no part of a model file is")
            if sum(entry.file_size for entry in entries) > len(data):
                raise damaged(path, "its parts are larger than the whole")
            return {entry.filename: file.read(entry) for entry in entries}
    except zipfile.BadZipFile as error:
        if not data.startswith(b"PK"):
            raise ModelFileError(f"{path} is no model file. Those are made by likewise cluster --model.") from None
        raise damaged(path, str(error)) from None
    except (EOFError, NotImplementedError, RuntimeError, UnicodeDecodeError, OverflowError) as error:
        raise damaged(path, str(error)) from None


def _arrays(path: Path, data: bytes) -> dict[str, np.ndarray]:
    return {
        name.removesuffix(".npy"): _array(path, name, member) for name, member in _members(path, data, None).items()
    }


def _array(path: Path, name: str, data: bytes) -> np.ndarray:
    """An array whose header was compared with the bytes behind it before anything was made of either."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, _, dtype = read_header[version](stream)
        if dtype.hasobject or dtype.itemsize * int(np.prod(shape, dtype=object)) != len(data) - stream.tell():
            raise damaged(path, f"array {name} is not as large as it says")
        stream.seek(0)
        return np.lib.format.read_array(stream, allow_pickle=False)
    except ModelFileError:
        raise
    except (ValueError, KeyError, TypeError, SyntaxError, OverflowError) as error:
        raise damaged(path, f"array {name} cannot be read ({error})") from None


def _spelled(document: dict[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True).encode()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
