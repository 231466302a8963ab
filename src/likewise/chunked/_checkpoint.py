"""Checkpoints: the results of passes over the rows are stored in a folder, so that a killed run can be resumed."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from hashlib import sha256
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import joblib
import numpy as np
from scipy import sparse

from .._atomic import atomic_write, atomic_write_text

ROWS = "rows.json"


class Checkpoint:
    """A folder with a file for the result of each pass, and a file that identifies the rows.

    Parameters
    ----------
    folder : path
        Created if it does not exist.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     checkpoint = Checkpoint(folder)
    ...     checkpoint.store("some-pass", (np.arange(3), 0.5))
    ...     checkpoint.load("some-pass"), checkpoint.load("another")
    (((array([0, 1, 2]), 0.5),), None)
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def __str__(self) -> str:
        return f"the checkpoint {self.folder}"

    def key(self, shape: tuple[int, int], dtype: Any, look: Any) -> str:
        """The name of a pass: a hash of the function of a leaf and its arguments, the shape and the dtype."""
        try:
            content = joblib.hash((shape, str(dtype), np.__version__, look), hash_name="sha1")
        except Exception:  # a function that cannot be imported, such as a lambda: hash its code
            from cloudpickle import dumps

            content = sha256(dumps((shape, str(dtype), np.__version__, look))).hexdigest()[:40]
        return f"pass-{content}"

    def load(self, key: str) -> tuple[Any] | None:
        """The result of a pass, in a tuple; None if it is not stored."""
        path = self._path(key)
        if not path.exists():
            return None
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            return (_decoded(json.loads(str(arrays.pop("structure"))), arrays),)
        except (BadZipFile, ValueError, KeyError, EOFError, OSError) as error:
            raise ValueError(f"{path} is damaged: {error}. Remove it to repeat its pass.") from error

    def store(self, key: str, value: Any) -> None:
        """Store the result of a pass."""
        arrays: dict[str, Any] = {}
        structure = json.dumps(_encoded(value, arrays))
        with atomic_write(self._path(key)) as file:
            np.savez(file, structure=np.array(structure), **arrays)

    def rows(self) -> dict[str, Any] | None:
        """The stored description of the rows; None if there is none."""
        path = self.folder / ROWS
        if not path.exists():
            return None
        try:
            known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is damaged: {error}. Remove the folder.") from error
        return known

    def store_rows(self, known: dict[str, Any]) -> None:
        """Store a description of the rows, unless there is one."""
        if not (self.folder / ROWS).exists():
            with atomic_write_text(self.folder / ROWS) as file:
                file.write(json.dumps(known))

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.npz"


def _encoded(value: Any, arrays: dict[str, Any]) -> Any:
    """Convert a value to JSON; its arrays are added to ``arrays``, and replaced by their names."""
    if isinstance(value, np.generic):  # before Python numbers, since np.float64 is a float
        return {"scalar": _add_array(np.asarray(value), arrays)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.dtype != object:
        return {"array": _add_array(value, arrays)}
    if sparse.issparse(value) and value.format == "csr":
        parts = [_add_array(part, arrays) for part in (value.data, value.indices, value.indptr)]
        return {"csr": parts, "shape": list(value.shape), "kind": type(value).__name__}
    if isinstance(value, tuple | list):
        return {type(value).__name__: [_encoded(each, arrays) for each in value]}
    if is_dataclass(value) and type(value).__module__.startswith("likewise."):
        content = {field.name: _encoded(getattr(value, field.name), arrays) for field in fields(value)}
        return {"class": [type(value).__module__, type(value).__qualname__], "fields": content}
    raise TypeError(f"a checkpoint cannot store a value of type {type(value).__qualname__}.")


def _add_array(array: Any, arrays: dict[str, Any]) -> str:
    name = f"array{len(arrays)}"
    arrays[name] = array
    return name


def _decoded(value: Any, arrays: dict[str, Any]) -> Any:
    if not isinstance(value, dict):
        return value
    if "scalar" in value:
        return arrays[value["scalar"]][()]
    if "array" in value:
        return arrays[value["array"]]
    if "csr" in value:
        kind = sparse.csr_array if value["kind"] == "csr_array" else sparse.csr_matrix
        return kind(tuple(arrays[name] for name in value["csr"]), shape=value["shape"])
    for name, kind in (("tuple", tuple), ("list", list)):
        if name in value:
            return kind(_decoded(each, arrays) for each in value[name])
    module, name = value["class"]
    found = getattr(import_module(module), name, None) if module.startswith("likewise.") else None
    if not (isinstance(found, type) and is_dataclass(found)):
        raise ValueError(f"{module}.{name} is not the type of a result")
    return found(**{field: _decoded(each, arrays) for field, each in value["fields"].items()})
