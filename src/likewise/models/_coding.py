"""A tree of plain values and arrays, taken apart into JSON and arrays, and put together again."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

ARRAY, SPARSE, PAIRS = "$array", "$sparse", "$pairs"
FORMATS = {
    "csr_matrix": sparse.csr_matrix,
    "csr_array": sparse.csr_array,
    "csc_matrix": sparse.csc_matrix,
    "csc_array": sparse.csc_array,
}


def taken_apart(value: Any, arrays: dict[str, np.ndarray], name: str) -> Any:
    """A value that JSON can hold; arrays go to ``arrays`` under names that tell where they were.

    >>> import numpy as np
    >>> arrays = {}
    >>> taken_apart({"k": 3, "centers": np.eye(2)}, arrays, "model")
    {'k': 3, 'centers': {'$array': 'model.centers'}}
    >>> list(arrays)
    ['model.centers']
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return taken_apart(value.item(), arrays, name)
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return [taken_apart(entry, arrays, f"{name}.{place}") for place, entry in enumerate(value.tolist())]
        arrays[name] = _in_one_piece(value)
        return {ARRAY: name}
    if sparse.issparse(value):
        kind = type(value).__name__
        if kind not in FORMATS:
            raise TypeError(f"{name} is a {kind}, which model files do not hold.")
        parts = {part: getattr(value, part) for part in ("data", "indices", "indptr")}
        held = {part: taken_apart(array, arrays, f"{name}.{part}") for part, array in parts.items()}
        return {SPARSE: kind, "shape": [int(size) for size in value.shape], **held}
    if isinstance(value, list | tuple):
        return [taken_apart(entry, arrays, f"{name}.{place}") for place, entry in enumerate(value)]
    if isinstance(value, dict):
        held = {str(key): taken_apart(entry, arrays, f"{name}.{key}") for key, entry in value.items()}
        # a person's own name may look like one of ours
        return {PAIRS: [[key, entry] for key, entry in held.items()]} if any(key[:1] == "$" for key in held) else held
    raise TypeError(f"{name} is a {type(value).__name__}, which model files do not hold.")


def put_together(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Undo :func:`taken_apart`; tuples come back as lists."""
    if isinstance(value, list):
        return [put_together(entry, arrays) for entry in value]
    if not isinstance(value, dict):
        return value
    if ARRAY in value:
        return arrays[value[ARRAY]]
    if PAIRS in value:
        return {str(key): put_together(entry, arrays) for key, entry in value[PAIRS]}
    if SPARSE in value:
        parts = [put_together(value[part], arrays) for part in ("data", "indices", "indptr")]
        matrix = FORMATS[value[SPARSE]](tuple(parts), shape=tuple(int(size) for size in value["shape"]))
        matrix.check_format(full_check=True)  # an index beyond the matrix would be read beyond the memory
        return matrix
    return {key: put_together(entry, arrays) for key, entry in value.items()}


def _in_one_piece(array: np.ndarray) -> np.ndarray:
    """The same in one piece of memory, in the order it has: products of the other order differ in the last digit."""
    if array.flags.c_contiguous or array.flags.f_contiguous or array.ndim != 2:
        return array
    return np.asfortranarray(array) if array.strides[0] < array.strides[1] else np.ascontiguousarray(array)
