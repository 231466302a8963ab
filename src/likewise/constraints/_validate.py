"""Validation of pairs, weights, rows and labels, which are returned as read-only arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import FloatArray, IntArray, is_missing, relabel
from .._parameters import described


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


def whole_number(value: object, name: str, *, least: int = 0, remedy: str = "") -> int:
    """Check a Python or numpy integer that is at least `least`."""
    advice = f" {remedy}" if remedy else ""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {described(value)}.{advice}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value!r}.{advice}")
    return int(value)


def number_of_rows(value: object) -> int:
    """Check `n_samples`."""
    return whole_number(value, "n_samples", remedy="Pass the number of rows, len(X).")


ROWS_BY_NUMBER = "Rows are numbers, counted from 0; if they have names, use Constraints.from_frame(frame, ids=ids)."


def whole_numbers(
    values: Any, name: str, *, remedy: str = ROWS_BY_NUMBER, example: str = "pairs of rows as [(0, 3), (2, 5)]"
) -> IntArray:
    """Check an array of integers; floats are accepted if all are whole numbers."""
    # numpy would convert a set or generator to an array with a single object
    if isinstance(values, Iterable) and not isinstance(values, Sequence) and not hasattr(values, "__array__"):
        values = list(values)
    try:
        array = np.asarray(values)
    except ValueError:
        sizes = [np.size(np.asarray(item, dtype=object)) for item in values]
        other = next(place for place, size in enumerate(sizes) if size != sizes[0])
        raise ValueError(
            f"{name}[{other}] = {values[other]!r} has {sizes[other]} entries, {name}[0] has {sizes[0]}. Write "
            f"{example}."
        ) from None
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind in "OU" or _holds_bools(values):
        array = np.asarray(values, dtype=object)  # numpy would convert mixed values to text, and bools to 0 and 1
        for place, value in np.ndenumerate(array):
            whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
            if isinstance(value, bool | np.bool_) or not whole:
                where = "".join(f"[{i}]" for i in place)
                raise TypeError(f"{name}{where} = {value!r} is not a whole number. {remedy}")
        array = array.astype(np.float64)  # integers of more than 64 bits are always out of range
    if array.dtype.kind == "f":
        wrong = np.argwhere(~np.isfinite(array) | (array != np.floor(array)))
        if wrong.size:
            place, value = tuple(wrong[0]), array[tuple(wrong[0])]
            where = "".join(f"[{i}]" for i in place)
            raise ValueError(f"{name}{where} = {value} is not a whole number. {remedy}")
        # clip, since floats beyond 2**63 cannot be converted to integers; they remain out of range
        return np.asarray(np.clip(array, -(2.0**62), 2.0**62), dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}{'[0]' * array.ndim} = {array.flat[0].item()!r} is not a whole number. {remedy}")
    if array.dtype == np.uint64:
        array = np.minimum(array, 2**62)
    return array.astype(np.int64)


def _holds_bools(values: Any) -> bool:
    """Whether a list, or a list of lists, contains a bool."""
    if not isinstance(values, list | tuple):
        return False
    nested = set(map(type, values)) <= {list, tuple}
    return not {bool, np.bool_}.isdisjoint(map(type, chain.from_iterable(values) if nested else values))


def as_list(values: Any, name: str, example: str) -> list[Any]:
    """Convert an iterable to a list; strings and objects that are not iterable raise an error."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{name} is {described(values)}. {example}")
    return list(values)


def checked_weight(value: Any, name: str) -> float:
    """Check a single weight, which must be positive and finite."""
    one_number = np.isscalar(value) and not (isinstance(value, bool | str) or np.iscomplexobj(value))
    if not one_number:
        raise TypeError(f"{name} must be one number above 0, got {value!r}.")
    number = float(value)
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be finite and above 0, got {value!r}. Remove what should not count.")
    return number


def checked_weights(weight: Any, count: int, name: str, noun: str = "pair") -> FloatArray:
    """Check `count` weights; None means 1, and a single number is repeated."""
    if weight is None:
        return np.ones(count)
    try:
        array = np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be numbers above 0, one for each {noun}, got {described(weight)}.") from None
    if array.ndim == 0:
        array = np.full(count, array)
    if array.shape != (count,):
        raise ValueError(f"{name} has shape {array.shape} for {count} {noun}s. Give one weight for each {noun}.")
    wrong = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if wrong.size:
        raise ValueError(
            f"{name}[{wrong[0]}] = {array[wrong[0]]} is not a weight: it must be finite and above 0. "
            f"Remove a {noun} that should not count."
        )
    return array


def canonical_pairs(pairs: Any, weight: Any, n_samples: int, kind: str) -> tuple[IntArray, FloatArray]:
    """Check the pairs of one kind ("must" or "cannot"), and return them with i < j, unique and sorted.

    Duplicates, in either direction, are merged with their largest weight.
    """
    array = checked_pairs(pairs, n_samples, f"{kind}_link")
    weights = checked_weights(weight, len(array), f"{kind}_weight")
    low, high = np.minimum(array[:, 0], array[:, 1]), np.maximum(array[:, 0], array[:, 1])
    key = low * n_samples + high
    if (key[1:] > key[:-1]).all():  # already canonical, as in copies
        return read_only(np.column_stack([low, high])), read_only(weights.copy())
    if weight is None or np.ndim(weight) == 0:  # equal weights need no argsort, which is several times slower
        key = np.sort(key)
        key = key[_starts(key)]
        weights = weights[: len(key)].copy()
    else:
        order = np.argsort(key)
        starts = _starts(key[order])
        key, weights = key[order[starts]], np.maximum.reduceat(weights[order], starts)
    low = key // n_samples
    return read_only(np.column_stack([low, key - low * n_samples])), read_only(weights)


def checked_pairs(pairs: Any, n_samples: int, name: str) -> IntArray:
    """Check an (m, 2) array of pairs of rows."""
    if hasattr(pairs, "columns") and np.shape(pairs)[1:] != (2,):
        raise ValueError(
            f"{name} must be pairs of rows, got {described(pairs)}. For a frame with the columns left, right and kind "
            "use Constraints.from_frame(frame, n_samples=len(X))."
        )
    array = whole_numbers(pairs, name)
    if array.size == 0:
        array = array.reshape(0, 2)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{name} must be pairs of rows, got shape {array.shape}. Write it as [(0, 3), (2, 5)].")
    if array.size and (array.min() < 0 or array.max() >= n_samples):
        wrong = np.flatnonzero(((array < 0) | (array >= n_samples)).any(axis=1))
        raise ValueError(
            f"{name}[{wrong[0]}] = {tuple(array[wrong[0]].tolist())} is outside the {n_samples:,} rows. Rows are "
            f"counted from 0 to {n_samples - 1}; is n_samples={n_samples} right?"
        )
    wrong = np.flatnonzero(array[:, 0] == array[:, 1])
    if wrong.size:
        pair = tuple(array[wrong[0]].tolist())
        raise ValueError(f"{name}[{wrong[0]}] = {pair} links a row to itself. Remove it, or correct one of its rows.")
    return array


def _starts(key: IntArray) -> IntArray:
    """The first position of each value in a sorted array."""
    return np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))


def listed_rows(rows: Any, name: str, n_samples: int) -> IntArray:
    """Check a list of row numbers."""
    array = whole_numbers(rows, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be a list of rows, got shape {array.shape}.")
    wrong = np.flatnonzero((array < 0) | (array >= n_samples))
    if wrong.size:
        raise ValueError(
            f"{name}[{wrong[0]}] = {array[wrong[0]]} is outside the {n_samples:,} rows. Rows are counted from 0 to "
            f"{n_samples - 1}."
        )
    return array


def chosen_rows(rows: Any, n_samples: int) -> IntArray:
    """Check a selection of rows: distinct row numbers, or a boolean mask over all rows."""
    array = np.asarray(rows)
    if array.dtype == np.bool_:
        if array.shape != (n_samples,):
            raise ValueError(
                f"a mask of rows must have shape ({n_samples},), got {array.shape}. Give one bool for each row, or the "
                "numbers of the rows to keep."
            )
        return np.flatnonzero(array)
    array = whole_numbers(rows, "rows")
    if array.ndim != 1:
        raise ValueError(f"rows must be one list of row numbers, got shape {array.shape}.")
    wrong = np.flatnonzero((array < 0) | (array >= n_samples))
    if wrong.size:
        raise ValueError(f"rows[{wrong[0]}] = {array[wrong[0]]} is outside the {n_samples} rows, counted from 0.")
    ordered = np.sort(array)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if twice.size:
        raise ValueError(f"rows contains row {twice[0]} more than once. Remove duplicates.")
    return array


def places_among(rows: IntArray, numbers: IntArray, n_samples: int) -> IntArray:
    """The position of each row number in a list of rows; −1 if it is not in the list.

    >>> places_among(np.array([4, 2, 0]), np.array([[0, 4], [1, 4]]), 5).tolist()
    [[2, 0], [-1, 0]]
    """
    if n_samples <= 16 * (len(rows) + numbers.size) or not len(rows):
        table = np.full(n_samples, -1, dtype=np.int64)
        table[rows] = np.arange(len(rows))
        return table[numbers]
    order = np.argsort(rows)  # for few of many rows, binary search is faster than a lookup table
    place = order[np.minimum(np.searchsorted(rows, numbers, sorter=order), len(rows) - 1)]
    return np.where(rows[place] == numbers, place, -1)


def renumbered_pairs(
    pairs: IntArray, weight: FloatArray, rows: IntArray, n_samples: int
) -> tuple[IntArray, FloatArray]:
    """Select the pairs between some rows, renumbered by their positions."""
    moved = places_among(rows, pairs, n_samples)
    keep = (moved >= 0).all(axis=1)
    return moved[keep], weight[keep]


def encode_labels(y: Any, unknown: Any = -1) -> tuple[IntArray, list[Any]]:
    """Return the code of each row, numbered by first appearance, and the label of each code.

    A label is unknown if it equals `unknown` or is missing: None, NaN, NaT, pandas' NA or blank text.

    >>> encode_labels(["b", None, "a", "b", -1])
    (array([ 0, -1,  1,  0, -1]), ['b', 'a'])
    """
    # lists become object arrays, since they may mix -1 with strings
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
    values = array.tolist()
    return encode_values(
        [None if is_missing(value) or _equal(value, unknown) else value for value in values],
        lambda row: f"label {row} is {values[row]!r}, a {type(values[row]).__name__}. Use numbers or strings.",
    )


def label_names(labels: list[Any]) -> list[str]:
    """The names of labels; floats that are whole numbers are written without a decimal point.

    >>> label_names(["CLL", 3, 4.0, 0.5])
    ['CLL', '3', '4', '0.5']
    """
    names: dict[str, Any] = {}
    for label in labels:
        whole = isinstance(label, float) and label.is_integer()
        name = label.decode(errors="replace") if isinstance(label, bytes) else str(int(label) if whole else label)
        if name in names:
            raise ValueError(
                f"the labels {names[name]!r} and {label!r} would have the same name, {name!r}. Use one type."
            )
        names[name] = label
    return list(names)


def encode_values(values: list[Any], refusal: Callable[[int], str]) -> tuple[IntArray, list[Any]]:
    """Number hashable values by first appearance, −1 if they are missing.

    `refusal` returns the error message for a row whose value is not hashable.

    >>> encode_values(["b", None, "a", "b"], "value {} cannot be compared".format)
    (array([ 0, -1,  1,  0]), ['b', 'a'])
    """
    numbers = _Numbers()
    try:
        return np.fromiter(map(numbers.__getitem__, values), np.int64, len(values)), list(numbers)
    except TypeError:
        for row, value in enumerate(values):
            if not isinstance(value, Hashable):
                raise TypeError(refusal(row)) from None
        raise


class _Numbers(dict[Any, int]):
    """A mapping from values to numbers, assigned at the first lookup; missing values are −1 and not stored."""

    def __missing__(self, value: Any) -> int:
        if is_missing(value):
            return -1
        self[value] = number = len(self)
        return number


def _equal(label: Any, unknown: Any) -> bool:
    return isinstance(label, str) == isinstance(unknown, str) and bool(label == unknown)
