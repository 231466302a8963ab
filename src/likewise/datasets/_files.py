"""Data sets as files: arrays in ``NAME.npz``, texts in ``NAME.jsonl.gz``. Neither can carry code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..tables._bytes import read_text
from ..tables._json import parse_json
from ..tables._numpy import read_arrays
from ._dataset import Dataset

Parts = dict[str, Any]
"""The fields of a data set, by name."""


class DatasetError(ValueError):
    """A data set does not match the catalog: its file is damaged, or has other contents."""


def read(path: Path, name: str) -> Dataset:
    """Read a data set from its file."""
    try:
        if path.suffix == ".npz":
            return Dataset(name=name, **ARRANGED.get(name, arranged)(_arrays(path)))
        return from_records(name, _records(path))
    except DatasetError:
        raise
    except KeyError as error:
        raise DatasetError(f"{path} has no array {error}; see likewise.datasets for what it must hold") from error
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        why = str(error).removeprefix(f"{path} ").rstrip(".")
        raise DatasetError(f"{path} cannot be used: {why}. If it is damaged, get or make it anew") from error


def from_records(name: str, records: Iterable[Mapping[str, Any]]) -> Dataset:
    """Create a data set of texts from records with an id, a text, a label and optional other values.

    Classes are the labels in alphabetical order. If only some records have a key, the others get an empty string.
    """
    records = list(records)
    labels = [record["label"] for record in records]
    names = sorted({label for label in labels if label is not None})
    code: dict[str | None, int] = {None: -1, **{label: position for position, label in enumerate(names)}}
    keys = dict.fromkeys(key for record in records for key in record)
    return Dataset(
        name=name,
        text=[record["text"] for record in records],
        y=[code[label] for label in labels],
        target_names=names,
        ids=[record["id"] for record in records],
        extra={key: [record.get(key, "") for record in records] for key in keys if key not in ("id", "text", "label")},
    )


def _arrays(path: Path) -> Parts:
    return read_arrays(path)


def _records(path: Path) -> Iterable[Mapping[str, Any]]:
    lines = read_text(path).removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        try:
            record = parse_json(line, path, number)
        except ValueError as error:
            raise DatasetError(str(error)) from None
        if not isinstance(record, dict):
            raise DatasetError(f"{path}, line {number} must be an object with id, text and label; it is {record!r}")
        for key in ("id", "text", "label"):
            value = record.get(key)
            if not (isinstance(value, str) or (key == "label" and key in record and value is None)):
                raise DatasetError(f"{path}, line {number} needs a string for {key!r}; it has {value!r}")
        yield record


def arranged(arrays: Parts) -> Parts:
    """Assign each array to its field; arrays without a field are additional information about rows."""
    fields = {"X": "X", "y": "y", "target_names": "target_names"}
    optional = {"ids": "ids", "links": "links", "feature_names": "feature_names", "image_shape": "images"}
    fields |= {key: field for key, field in optional.items() if key in arrays}
    parts = {field: arrays[key] for key, field in fields.items()}
    return {**parts, "extra": {key: value for key, value in arrays.items() if key not in fields}}


def _multiple_features(arrays: Parts) -> Parts:
    """Tell views apart: they are groups of columns."""
    view = arrays.pop("view")
    return {**arranged(arrays), "feature_extra": {"view": view}}


def _faces(arrays: Parts) -> Parts:
    """Take the pictures of a quarter of the size for features, and the pose for the class."""
    pictures = arrays.pop("images_4")
    names, y = np.unique(arrays["pose"], return_inverse=True)
    features = {"X": pictures.reshape(len(pictures), -1), "image_shape": pictures.shape[1:]}
    return arranged({**arrays, **features, "y": y, "target_names": names})


def _eight_tumours(arrays: Parts) -> Parts:
    """Take the cell lines of the eight tumours with more than two lines; repeats count with their tumour."""
    kept = arrays["y8"] >= 0
    fields = {"X": arrays["X"][kept], "y": arrays["y8"][kept], "target_names": arrays["y8_names"]}
    return arranged({**fields, "line": arrays["target_names"][arrays["y"]][kept]})


def _lymphoma(arrays: Parts) -> Parts:
    """Drop the classes with fewer than five samples."""
    y = arrays.pop("y")
    kept = np.bincount(y)[y] >= 5
    codes, y = np.unique(y[kept], return_inverse=True)
    names = arrays.pop("target_names")[codes]
    return arranged({**{key: value[kept] for key, value in arrays.items()}, "y": y, "target_names": names})


def _connections(arrays: Parts) -> Parts:
    """Keep the words of the three coded columns as additional information."""
    words = arrays.pop("X_raw")
    of_rows = ("X", "y", "target_names", "feature_names", "row_index")
    columns = {str(arrays["feature_names"][column]): words[:, k] for k, column in enumerate(arrays["X_raw_columns"])}
    return arranged({**{key: arrays[key] for key in of_rows}, **columns})


ARRANGED: Mapping[str, Callable[[Parts], Parts]] = {
    "mfeat": _multiple_features,
    "cmu_faces": _faces,
    "nci60": _eight_tumours,
    "lymphoma": _lymphoma,
    "kddcup99_sample": _connections,
}
"""Data sets whose files need more than a field for each array."""
