"""Labels of any kind turned into codes, with −1 where nobody knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays import IntArray, is_missing, relabel


def encode_labels(y: Any, unknown: Any = -1) -> tuple[IntArray, list[Any]]:
    """Return the code of each row and the label of each code, by first appearance.

    A label is unknown where it equals `unknown`, or is missing: None, NaN, NaT, pandas' NA or blank text.

    >>> encode_labels(["b", None, "a", "b", -1])
    (array([ 0, -1,  1,  0, -1]), ['b', 'a'])
    """
    # A list may mix -1 with strings; as an object array it keeps them apart.
    array = np.asarray(y) if hasattr(y, "__array__") else np.asarray(y, dtype=object)
    if array.ndim != 1:
        raise ValueError(f"labels must be one for each row, got shape {array.shape}. Pass a flat list or y.ravel().")
    if array.dtype.kind in "iub" and isinstance(unknown, int | np.integer):
        labels = np.unique(array[array != unknown])
        codes = (
            np.where(array == unknown, -1, np.searchsorted(labels, array)) if labels.size else np.full(len(array), -1)
        )
        codes = relabel(codes.astype(np.int64))
        _, first = np.unique(codes, return_index=True)
        return codes, array[first[codes[first] >= 0]].tolist()
    seen: dict[Any, int] = {}
    codes = np.full(len(array), -1, dtype=np.int64)
    for row, label in enumerate(array.tolist()):
        if not (is_missing(label) or _equal(label, unknown)):
            try:
                codes[row] = seen.setdefault(label, len(seen))
            except TypeError:
                raise TypeError(
                    f"label {row} is {label!r}, a {type(label).__name__}. Labels are numbers or strings."
                ) from None
    return codes, list(seen)


def _equal(label: Any, unknown: Any) -> bool:
    return isinstance(label, str) == isinstance(unknown, str) and bool(label == unknown)
