"""What passes over rows found, in a folder: a run that was killed goes on after its last complete pass."""

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
    """A folder with a file for each pass, named after what was looked for, and one about the rows.

    Parameters
    ----------
    folder : path
        It is made where it is not there.

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
        """A name that depends on what is looked for, and on nothing else."""
        try:
            content = joblib.hash((shape, str(dtype), np.__version__, look), hash_name="sha1")
        except Exception:  # a function that no module has: by its code
            from cloudpickle import dumps

            content = sha256(dumps((shape, str(dtype), np.__version__, look))).hexdigest()[:40]
        return f"pass-{content}"

    def load(self, key: str) -> tuple[Any] | None:
        """What a pass found, or None where it is not there."""
        path = self._path(key)
        if not path.exists():
            return None
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            return (_decoded(json.loads(str(arrays.pop("structure"))), arrays),)
        except (BadZipFile, ValueError, KeyError, EOFError, OSError) as error:
            raise ValueError(f"{path} is damaged: {error}. Remove it, and its pass is done again.") from error

    def store(self, key: str, value: Any) -> None:
        """Keep what a pass found."""
        arrays: dict[str, Any] = {}
        structure = json.dumps(_encoded(value, arrays))
        with atomic_write(self._path(key)) as file:
            np.savez(file, structure=np.array(structure), **arrays)

    def rows(self) -> dict[str, Any] | None:
        """What is known of the rows, or None where nothing was kept."""
        path = self.folder / ROWS
        if not path.exists():
            return None
        try:
            known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is damaged: {error}. Remove the folder.") from error
        return known

    def store_rows(self, known: dict[str, Any]) -> None:
        """Keep what is known of the rows, once."""
        if not (self.folder / ROWS).exists():
            with atomic_write_text(self.folder / ROWS) as file:
                file.write(json.dumps(known))

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.npz"


def _encoded(value: Any, arrays: dict[str, Any]) -> Any:
    """JSON of a value; its arrays are put aside."""
    if isinstance(value, np.generic):  # some of these are floats, too
        return {"scalar": _kept(np.asarray(value), arrays)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.dtype != object:
        return {"array": _kept(value, arrays)}
    if sparse.issparse(value) and value.format == "csr":
        parts = [_kept(part, arrays) for part in (value.data, value.indices, value.indptr)]
        return {"csr": parts, "shape": list(value.shape), "kind": type(value).__name__}
    if isinstance(value, tuple | list):
        return {type(value).__name__: [_encoded(each, arrays) for each in value]}
    if is_dataclass(value) and type(value).__module__.startswith("likewise."):
        content = {field.name: _encoded(getattr(value, field.name), arrays) for field in fields(value)}
        return {"class": [type(value).__module__, type(value).__qualname__], "fields": content}
    raise TypeError(f"a checkpoint cannot keep {type(value).__qualname__}.")


def _kept(array: Any, arrays: dict[str, Any]) -> str:
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
        raise ValueError(f"{module}.{name} is not something that a pass finds")
    return found(**{field: _decoded(each, arrays) for field, each in value["fields"].items()})
