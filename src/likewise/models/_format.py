"""The file format: a zip archive of a JSON document and the arrays that it refers to.

Nothing is compressed, so that the contents are never larger than the file, and the declared size of an array is
compared with the actual size before it is created.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import zipfile
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from scipy import sparse

from .. import __version__
from .._arrays import check_compressed
from .._atomic import atomic_write
from .._suggest import missing_file

FORMAT = 2
"""The version of the layout."""

DOCUMENT = "model.json"
ARRAYS = "arrays.npz"
NO_DATE = (1980, 1, 1, 0, 0, 0)
"""A fixed date, so that the same model always gives the same file."""

KINDS = "biufU"
"""Kinds of NumPy dtypes that models may have: booleans, numbers, strings."""

ARRAY = "$array"
SPARSE = "$sparse"
PAIRS = "$pairs"
SPARSE_CLASSES = {
    "csr_matrix": sparse.csr_matrix,
    "csr_array": sparse.csr_array,
    "csc_matrix": sparse.csc_matrix,
    "csc_array": sparse.csc_array,
}


class ModelFileError(ValueError):
    """A file that is not a model file, is damaged, or has another version of the format."""


def write_container(path: str | os.PathLike[str], document: dict[str, Any], arrays: dict[str, np.ndarray]) -> Path:
    """Write a document and its arrays atomically."""
    path = Path(path)
    stored = io.BytesIO()
    named: dict[str, Any] = dict(arrays)  # of numbers and texts alone, so that nothing is pickled
    np.savez(stored, **named)
    document = {"format": FORMAT, "likewise": __version__, **document}
    document["checksums"] = {DOCUMENT: _digest(canonical_json(document)), ARRAYS: _digest(stored.getvalue())}
    with atomic_write(path) as target, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as file:
        for name, data in ((DOCUMENT, canonical_json(document)), (ARRAYS, stored.getvalue())):
            file.writestr(zipfile.ZipInfo(name, NO_DATE), data)
    return path


def read_container(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read a document and its arrays; raises an error if the file is incomplete or has another version."""
    path = Path(path)
    if not path.exists():
        raise missing_file(path)
    return parse_container(path, path.read_bytes())


def parse_container(path: Path, data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The same from the bytes of the file; ``path`` is for messages."""
    members = _members(path, data, (DOCUMENT, ARRAYS))
    try:
        document = json.loads(members[DOCUMENT])
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"{DOCUMENT} is not JSON ({error})") from None
    if not isinstance(document, dict) or type(document.get("format")) is not int:
        raise damaged(path, f"{DOCUMENT} does not say its format")
    if document["format"] != FORMAT:
        remedy = "Install a newer one." if document["format"] > FORMAT else "Fit the model again and save it."
        raise ModelFileError(
            f"{path} is of format {document['format']}, written by likewise {document.get('likewise', '?')}. This is "
            f"likewise {__version__}, which reads format {FORMAT}. {remedy}"
        )
    checksums = document.pop("checksums", None)
    try:
        found = {DOCUMENT: _digest(canonical_json(document)), ARRAYS: _digest(members[ARRAYS])}
    except (ValueError, RecursionError) as error:  # text that is no Unicode, whole numbers of too many digits
        raise damaged(path, f"{DOCUMENT} cannot be written as it was ({error})") from None
    for name, value in found.items():
        if not isinstance(checksums, dict) or checksums.get(name) != value:
            raise damaged(path, f"the checksum of {name} is not the one it was written with")
    stored = _members(path, members[ARRAYS], None)
    return document, {name.removesuffix(".npy"): _array(path, name, member) for name, member in stored.items()}


def damaged(path: str | os.PathLike[str], why: str) -> ModelFileError:
    """The error for a damaged file."""
    return ModelFileError(f"{path} is damaged: {why}. Get another copy, or fit the model again and save it.")


def canonical_json(document: dict[str, Any]) -> bytes:
    """The canonical form of a document, from which its checksum is computed."""
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True).encode()


def encode(value: Any, arrays: dict[str, np.ndarray], name: str) -> Any:
    """Convert a value to JSON; arrays are added to ``arrays``, with names that describe their position.

    >>> import numpy as np
    >>> arrays = {}
    >>> encode({"k": 3, "centers": np.eye(2)}, arrays, "model")
    {'k': 3, 'centers': {'$array': 'model.centers'}}
    >>> list(arrays)
    ['model.centers']
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return encode(value.item(), arrays, name)
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return encode(value.tolist(), arrays, name)
        arrays[name] = _contiguous(value)
        return {ARRAY: name}
    if sparse.issparse(value):
        kind = type(value).__name__
        if kind not in SPARSE_CLASSES:
            raise TypeError(f"{name} is a {kind}, which model files do not hold.")
        parts = {part: encode(getattr(value, part), arrays, f"{name}.{part}") for part in ("data", "indices", "indptr")}
        return {SPARSE: kind, "shape": [int(size) for size in value.shape], **parts}
    if isinstance(value, set | frozenset):
        return encode(sorted(value), arrays, name)
    if isinstance(value, list | tuple):
        return [encode(entry, arrays, f"{name}.{place}") for place, entry in enumerate(value)]
    if isinstance(value, dict):
        held = {str(key): encode(entry, arrays, f"{name}.{key}") for key, entry in value.items()}
        # a name from the data may look like one of ours
        return {PAIRS: [[key, entry] for key, entry in held.items()]} if any(key[:1] == "$" for key in held) else held
    raise TypeError(f"{name} is a {type(value).__name__}, which model files do not hold.")


def decode(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The inverse of :func:`encode`; tuples and sets are restored as lists."""
    if isinstance(value, list):
        return [decode(entry, arrays) for entry in value]
    if not isinstance(value, dict):
        return value
    if ARRAY in value:
        return arrays[value[ARRAY]]
    if PAIRS in value:
        return {str(key): decode(entry, arrays) for key, entry in value[PAIRS]}
    if SPARSE in value:
        parts = [decode(value[part], arrays) for part in ("data", "indices", "indptr")]
        matrix = SPARSE_CLASSES[value[SPARSE]](tuple(parts), shape=tuple(int(size) for size in value["shape"]))
        check_compressed(matrix)
        return matrix
    return {key: decode(entry, arrays) for key, entry in value.items()}


def _members(path: Path, data: bytes, names: tuple[str, ...] | None) -> dict[str, bytes]:
    """The members of a zip archive; raises an error if one is compressed, or if they are not exactly ``names``."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            entries = file.infolist()
            found = [entry.filename for entry in entries]
            if names is not None and sorted(found) != sorted(names):
                held = ", ".join(found[:5]) or "nothing"
                raise ModelFileError(f"{path} is not a model file: it holds {held}, not {' and '.join(names)}.")
            if len(set(found)) < len(found):
                raise damaged(path, "a member is there twice")
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
                raise damaged(path, "a member is compressed, which none of a model file is")
            if sum(entry.file_size for entry in entries) > len(data):
                raise damaged(path, "its members are larger than the file")
            return {entry.filename: file.read(entry) for entry in entries}
    except zipfile.BadZipFile as error:
        if not data.startswith(b"PK"):
            raise ModelFileError(
                f"{path} is not a model file. Those are made by model.save(path), or by likewise cluster --model."
            ) from None
        raise damaged(path, str(error)) from None
    except ModelFileError:
        raise
    except (EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError, struct.error) as error:
        raise damaged(path, str(error)) from None


def _array(path: Path, name: str, data: bytes) -> np.ndarray:
    """Read an array, after comparing its header with the actual size."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, _, dtype = read_header[version](stream)
        if dtype.hasobject:
            raise damaged(path, f"array {name} holds objects")
        if dtype.itemsize * int(np.prod(shape, dtype=object)) != len(data) - stream.tell():
            raise damaged(path, f"array {name} is not as large as it says")
        if dtype.kind not in KINDS or (dtype.kind == "f" and dtype.itemsize not in (4, 8)):
            raise damaged(path, f"array {name} is of type {dtype}, which no model has")
        stream.seek(0)
        array = np.lib.format.read_array(stream, allow_pickle=False)
        array = array.astype(dtype.newbyteorder("="), copy=False)  # other machines write bytes in the other order
        if array.dtype.kind == "f" and array.size:
            most = np.sqrt(float(np.finfo(array.dtype).max) / array.size)  # as for rows: squares can be summed
            if not np.abs(array).max() <= most:
                raise damaged(path, f"array {name} has a value that is not finite, or too large to be squared")
        return array
    except ModelFileError:
        raise
    except (ValueError, KeyError, TypeError, SyntaxError, OverflowError, TokenError) as error:
        raise damaged(path, f"array {name} cannot be read ({error})") from None


def _contiguous(array: np.ndarray) -> np.ndarray:
    """A contiguous copy in the same memory order, since products in the other order differ in the last digit."""
    if array.ndim != 2:
        return array
    return np.asfortranarray(array) if array.strides[0] < array.strides[1] else np.ascontiguousarray(array)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
