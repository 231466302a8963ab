"""Validation of pairs, weights, rows and labels: the input as sorted, unique, read-only arrays, or an error."""

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
    """Return a view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def whole_number(value: object, name: str, *, least: int = 0, remedy: str = "") -> int:
    """Check a count: a Python or numpy integer that is at least `least`."""
    hint = f" {remedy}" if remedy else ""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {described(value)}.{hint}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value!r}.{hint}")
    return int(value)


def number_of_rows(value: object) -> int:
    """Check `n_samples`."""
    return whole_number(value, "n_samples", remedy="Pass the number of rows, len(X).")


ROWS_BY_NUMBER = "Rows are numbers, counted from 0; where they have names, use Constraints.from_frame(frame, ids=ids)."


def whole_numbers(
    values: Any, name: str, *, remedy: str = ROWS_BY_NUMBER, example: str = "pairs of rows as [(0, 3), (2, 5)]"
) -> IntArray:
    """Check an array of integers; floats pass when every one of them is a whole number."""
    # numpy turns a set or a generator into one object; a list is what was meant.
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
        array = np.asarray(values, dtype=object)  # of numbers beside text numpy makes text, of bools 0 and 1
        for place, value in np.ndenumerate(array):
            whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
            if isinstance(value, bool | np.bool_) or not whole:
                where = "".join(f"[{i}]" for i in place)
                raise TypeError(f"{name}{where} = {value!r} is not a whole number. {remedy}")
        array = array.astype(np.float64)  # integers beyond 64 bits: out of range whatever they are
    if array.dtype.kind == "f":
        wrong = np.argwhere(~np.isfinite(array) | (array != np.floor(array)))
        if wrong.size:
            place, value = tuple(wrong[0]), array[tuple(wrong[0])]
            where = "".join(f"[{i}]" for i in place)
            raise ValueError(f"{name}{where} = {value} is not a whole number. {remedy}")
        # clipped, because a float beyond 2**63 has no integer to become; it stays out of every range
        return np.asarray(np.clip(array, -(2.0**62), 2.0**62), dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}{'[0]' * array.ndim} = {array.flat[0].item()!r} is not a whole number. {remedy}")
    if array.dtype == np.uint64:
        array = np.minimum(array, 2**62)
    return array.astype(np.int64)


def _holds_bools(values: Any) -> bool:
    """Whether there is a bool in a list of numbers, or of lists of them."""
    if not isinstance(values, list | tuple):
        return False
    nested = set(map(type, values)) <= {list, tuple}
    return not {bool, np.bool_}.isdisjoint(map(type, chain.from_iterable(values) if nested else values))


def as_list(values: Any, name: str, example: str) -> list[Any]:
    """A list of what was given; text and what cannot be listed is refused."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{name} is {described(values)}. {example}")
    return list(values)


def checked_weight(value: Any, name: str) -> float:
    """Check one weight: a finite number above 0."""
    one_number = np.isscalar(value) and not (isinstance(value, bool | str) or np.iscomplexobj(value))
    if not one_number:
        raise TypeError(f"{name} must be one number above 0, got {value!r}.")
    number = float(value)
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be finite and above 0, got {value!r}. Leave out what should not count.")
    return number


def checked_weights(weight: Any, count: int, name: str, noun: str = "pair") -> FloatArray:
    """Check the weights of `count` pairs or other statements; None is 1 for all, one number serves all."""
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
            f"Leave out a {noun} that should not count."
        )
    return array


def canonical_pairs(pairs: Any, weight: Any, n_samples: int, kind: str) -> tuple[IntArray, FloatArray]:
    """Check the pairs of one kind ("must" or "cannot") and write them i < j, unique and sorted.

    A pair given twice, in either direction, is kept once with the larger of its weights.
    """
    array = checked_pairs(pairs, n_samples, f"{kind}_link")
    weights = checked_weights(weight, len(array), f"{kind}_weight")
    low, high = np.minimum(array[:, 0], array[:, 1]), np.maximum(array[:, 0], array[:, 1])
    key = low * n_samples + high
    if (key[1:] > key[:-1]).all():  # already canonical, as after a copy or a restriction
        return read_only(np.column_stack([low, high])), read_only(weights.copy())
    if weight is None or np.ndim(weight) == 0:  # weights need not follow: a plain sort is several times quicker
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
    """Check pairs of rows: (m, 2)."""
    if hasattr(pairs, "columns") and np.shape(pairs)[1:] != (2,):
        raise ValueError(
            f"{name} must be pairs of rows, got {described(pairs)}. A frame with columns left, right and kind comes by "
            "Constraints.from_frame(frame, n_samples=len(X))."
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
        raise ValueError(f"{name}[{wrong[0]}] = {pair} joins a row to itself. Remove it, or correct one of its ends.")
    return array


def _starts(key: IntArray) -> IntArray:
    """Where a new value begins in a sorted array."""
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
    """Check the rows of a restriction: distinct row numbers, or a boolean mask over all rows."""
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
        raise ValueError(f"rows names row {twice[0]} more than once. Give every row at most once.")
    return array


def places_among(rows: IntArray, numbers: IntArray, n_samples: int) -> IntArray:
    """The place of each of some row numbers in a list of rows; −1 where it is not there.

    >>> places_among(np.array([4, 2, 0]), np.array([[0, 4], [1, 4]]), 5).tolist()
    [[2, 0], [-1, 0]]
    """
    if n_samples <= 16 * (len(rows) + numbers.size) or not len(rows):
        table = np.full(n_samples, -1, dtype=np.int64)
        table[rows] = np.arange(len(rows))
        return table[numbers]
    order = np.argsort(rows)  # among millions of rows the few are faster found than a table is made
    place = order[np.minimum(np.searchsorted(rows, numbers, sorter=order), len(rows) - 1)]
    return np.where(rows[place] == numbers, place, -1)


def moved_pairs(pairs: IntArray, weight: FloatArray, rows: IntArray, n_samples: int) -> tuple[IntArray, FloatArray]:
    """Pairs among some rows, by their places there; a pair with another row is left out."""
    moved = places_among(rows, pairs, n_samples)
    keep = (moved >= 0).all(axis=1)
    return moved[keep], weight[keep]


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
    values = array.tolist()
    return encode_values(
        [None if is_missing(value) or _equal(value, unknown) else value for value in values],
        lambda row: f"label {row} is {values[row]!r}, a {type(values[row]).__name__}. Labels are numbers or strings.",
    )


def label_names(labels: list[Any]) -> list[str]:
    """What labels are called: whole numbers without a decimal point, however they were stored.

    >>> label_names(["CLL", 3, 4.0, 0.5])
    ['CLL', '3', '4', '0.5']
    """
    names: dict[str, Any] = {}
    for label in labels:
        whole = isinstance(label, float) and label.is_integer()
        name = label.decode(errors="replace") if isinstance(label, bytes) else str(int(label) if whole else label)
        if name in names:
            raise ValueError(f"the labels {names[name]!r} and {label!r} would both be called {name!r}. Use one type.")
        names[name] = label
    return list(names)


def encode_values(values: list[Any], refusal: Callable[[int], str]) -> tuple[IntArray, list[Any]]:
    """Number hashable values by first appearance, −1 where they are missing; `refusal` says what a row has instead.

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
    """The number of each value, given when it is first looked up; a missing value has −1 and is not kept."""

    def __missing__(self, value: Any) -> int:
        if is_missing(value):
            return -1
        self[value] = number = len(self)
        return number


def _equal(label: Any, unknown: Any) -> bool:
    return isinstance(label, str) == isinstance(unknown, str) and bool(label == unknown)
