"""Leaves of rows, and a tree of sums over them whose shape depends on the number of rows alone.

Floating-point sums depend on their order. Here a leaf of 2¹⁶ rows is looked at by one thread, with BLAS on one thread,
and what is found in leaves is added two neighbors at a time: ((a + b) + (c + d)) + e. So the result has the same bits
for any number of threads, and wherever the rows lie.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray, slices
from .._devices import rows_at
from .._progress import track
from .._threads import parallel_stream, single_blas_thread
from ..tables._pieces import write_array

LEAF = 2**16
"""Rows that are looked at together."""

AT_ONCE = 2
"""Leaves for each thread that are held at the same time."""

Look = Callable[[Any, int], Any]
"""(rows of a leaf, number of the first) → something small that can be added.

It may run in another process: a ``functools.partial`` of a function of a module, which changes nothing elsewhere."""


class TreeSum:
    """A sum of parts that come one after the other, added two neighbors at a time.

    Examples
    --------
    >>> total = TreeSum()
    >>> for letter in "abcde":
    ...     total.add(letter)
    >>> total.value()
    'abcde'
    """

    def __init__(self) -> None:
        self._parts: list[tuple[int, Any]] = []  # (how many leaves, their sum): sizes are falling powers of two

    def add(self, part: Any) -> None:
        """Add what was found in the next leaf."""
        size = 1
        while self._parts and self._parts[-1][0] == size:
            part = self._parts.pop()[1] + part
            size *= 2
        self._parts.append((size, part))

    def value(self) -> Any:
        """The sum so far."""
        parts = [part for _, part in self._parts]
        total = parts.pop()
        while parts:
            total = parts.pop() + total
        return total


@dataclass(frozen=True, eq=False)
class Picked:
    """Some rows and their numbers; those of later leaves are added at the end."""

    numbers: IntArray
    rows: Any

    def __add__(self, other: Picked) -> Picked:
        return Picked(np.concatenate([self.numbers, other.numbers]), stacked([self.rows, other.rows]))


def stacked(parts: Sequence[Any]) -> Any:
    """Rows of several parts below each other: arrays, or CSR matrices."""
    if len(parts) == 1:
        return parts[0]
    kinds = {bool(sparse.issparse(part)) for part in parts}
    if len(kinds) == 2:
        raise ValueError(
            "some parts of X are sparse, and others dense. Make all of them alike, as by "
            "X.map_blocks(scipy.sparse.csr_array)."
        )
    return sparse.vstack(parts, format="csr") if kinds == {True} else np.concatenate(parts)


class Chunked(ABC):
    """Rows that come leaf by leaf.

    Attributes
    ----------
    shape : (n, f)
    dtype : numpy dtype
    passes : int
        How often all rows were read.
    like : array or None
        An array on the device where leaves are looked at, which all that is fitted follows; None: in host memory.
    """

    shape: tuple[int, int]
    dtype: Any
    passes: int = 0
    like: Any = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shape[0]:,} rows of {self.shape[1]:,} columns, {self.dtype})"

    @abstractmethod
    def leaves(self) -> Iterator[tuple[Any, int]]:
        """Each leaf of rows, and the number of its first; values may be unchecked yet.

        Yields
        ------
        rows, first
        """

    def looks(self, look: Look) -> Iterator[Any]:
        """What is found in each leaf, in their order; some leaves are looked at at the same time.

        Parameters
        ----------
        look : callable
            (rows of a leaf, number of the first) → anything.

        Yields
        ------
        what ``look`` returns
        """
        with single_blas_thread():
            yield from parallel_stream(lambda leaf: look(self._ready(*leaf), leaf[1]), self.leaves(), AT_ONCE)
        self.passes += 1

    def _ready(self, rows: Any, first: int) -> Any:
        """The rows of a leaf as they are looked at; done on the thread that looks."""
        return rows

    def of_first_leaf(self, function: Callable[[Any], Any]) -> Any:
        """What a function finds in the rows of the first leaf.

        Parameters
        ----------
        function : callable
            Some rows → anything.

        Returns
        -------
        what ``function`` returns
        """
        return function(self._ready(*next(self.leaves())))

    @property
    def n_leaves(self) -> int:
        """How many leaves there are."""
        return -(-self.shape[0] // LEAF)

    def fold(self, look: Look) -> Any:
        """The sum of what is found in all leaves.

        Parameters
        ----------
        look : callable
            (rows of a leaf, number of the first) → something that can be added.

        Returns
        -------
        what ``look`` returns
        """
        total = TreeSum()
        for part in track(self.looks(look), self.n_leaves):
            total.add(part)
        return self.to_host(total.value())

    def map(self, look: Look) -> Iterator[Any]:
        """What becomes of the rows of each leaf, in their order.

        Parameters
        ----------
        look : callable
            (rows of a leaf, number of the first) → an array with as many rows.

        Yields
        ------
        arrays
        """
        for part in track(self.looks(look), self.n_leaves):
            yield self.to_host(part)

    def take(self, numbers: IntArray, sample: int = 0, seed: int = 0) -> Picked:
        """Some rows, in one pass, and a sample of all others drawn by a hash of their numbers.

        Parameters
        ----------
        numbers : (t,) ints
            Ascending.
        sample : int
            How many others, about.
        seed : int

        Returns
        -------
        Picked
            Ascending by number.
        """
        chosen = np.asarray(numbers, dtype=np.int64)
        if len(chosen) and (chosen[0] < 0 or chosen[-1] >= self.shape[0] or (np.diff(chosen) <= 0).any()):
            raise ValueError(f"numbers of rows must ascend from 0 to {self.shape[0] - 1:,} at most.")
        found: Picked = self.fold(partial(pick, numbers=chosen, share=sample / self.shape[0], seed=seed))
        return found

    def map_to(self, path: str | PathLike[str], function: Callable[[Any], Any]) -> None:
        """Write what a function makes of the rows, leaf by leaf, as one .npy file: all of it, or nothing.

        Parameters
        ----------
        path : path
        function : callable
            Some rows → an array with as many rows, such as ``model.transform`` or ``model.predict``.
        """
        write_array(path, self.shape[0], self.map(partial(image_of, function=function)))

    def to_device(self, rows: Any) -> Any:
        """Some rows in host memory, brought to where leaves are looked at.

        Parameters
        ----------
        rows : (m, f) array

        Returns
        -------
        (m, f) array
        """
        return rows

    def to_host(self, found: Any) -> Any:
        """What was found in leaves, brought to host memory.

        Parameters
        ----------
        found : anything

        Returns
        -------
        the same
        """
        return found


class InMemory(Chunked):
    """Rows of an array or of a sparse matrix; an array that is mapped to a file is one, too.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
        Of float32 or float64.
    check : bool
        Whether the first pass looks for values that are not finite.

    Examples
    --------
    >>> import numpy as np
    >>> float(InMemory(np.ones((70_000, 1))).fold(lambda rows, first: rows.sum()))
    70000.0
    """

    def __init__(self, X: Any, *, check: bool = True) -> None:
        check_table(X.shape, X.dtype)
        self._X = X
        self.shape = X.shape
        self.dtype = X.dtype
        self._finite = not check

    def leaves(self) -> Iterator[tuple[Any, int]]:
        """Slices of the array."""
        return ((self._X[leaf], leaf.start) for leaf in slices(self.shape[0], LEAF))

    def looks(self, look: Look) -> Iterator[Any]:
        """What is found in each leaf; the first time, its values are checked."""
        yield from super().looks(look)
        self._finite = True

    def _ready(self, rows: Any, first: int) -> Any:
        if not self._finite and (wrong := first_not_finite(rows)) is not None:
            raise not_finite(wrong, first)
        return rows


def check_table(shape: tuple[int, ...], dtype: Any) -> None:
    """Refuse what is no table of floating-point numbers."""
    if len(shape) != 2 or dtype not in (np.float32, np.float64):
        raise TypeError(f"rows are an array of shape {shape} and dtype {dtype}. Pass a table of float32 or float64.")


def first_not_finite(rows: Any) -> tuple[int, int, Any] | None:
    """The row, the column and the value of the first number that is not finite; None where all are.

    >>> first_not_finite(np.array([[1.0, 2.0], [3.0, np.inf]]))
    (1, 1, inf)
    """
    values = rows.data if sparse.issparse(rows) else rows
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return None
    wrong = np.argwhere(~np.isfinite(values))
    if not len(wrong):  # their sum alone is too large
        return None
    if sparse.issparse(rows):
        entries = rows.tocoo()
        row, column = int(entries.row[wrong[0, 0]]), int(entries.col[wrong[0, 0]])
        return row, column, float(values[wrong[0, 0]])
    row, column = (int(place) for place in wrong[0])
    return row, column, float(values[row, column])


def not_finite(wrong: tuple[int, int, Any], first: int) -> ValueError:
    """The error about a value in a leaf that begins with the row ``first``."""
    row, column, value = wrong
    return ValueError(
        f"X is {value} in row {first + row}, column {column}. Values must be finite: fill in what is missing first "
        "(likewise.TableFeatures), or leave the row out."
    )


class Mapped(Chunked):
    """An image of rows that is made anew in each pass, on the way.

    Parameters
    ----------
    rows : Chunked
    function : callable
        Some rows → an array with as many rows.
    width : int
        Columns of that array.
    """

    def __init__(self, rows: Chunked, function: Callable[[Any], Any], width: int) -> None:
        self._rows, self._function = rows, function
        self.shape, self.dtype = (rows.shape[0], width), rows.dtype
        self.like, self.to_device, self.to_host = rows.like, rows.to_device, rows.to_host  # type: ignore[method-assign]

    def leaves(self) -> Iterator[tuple[Any, int]]:
        """Leaves of the rows as they are."""
        return self._rows.leaves()

    def of_first_leaf(self, function: Callable[[Any], Any]) -> Any:
        """What a function finds in the image of the first leaf."""
        return self._rows.of_first_leaf(partial(_of_image, image=self._function, function=function))

    def looks(self, look: Look) -> Iterator[Any]:
        """What is found in the image of each leaf."""
        yield from self._rows.looks(partial(look_at_image, function=self._function, look=look))
        self.passes += 1

    def fold(self, look: Look) -> Any:
        """The sum of what is found in the images of all leaves."""
        self.passes += 1
        return self._rows.fold(partial(look_at_image, function=self._function, look=look))


class LinearImage(Mapped):
    """The image of rows under a linear map.

    What is asked of the image is often cheaper to ask of the rows: products with a vector v are products with
    ``directions.T @ v``, and the sum of images is the image of the sum.

    Parameters
    ----------
    rows : Chunked
    function : callable
        Some rows → ``rows @ directions.T``.
    directions : (r, f) array
    center : (f,) array
        A row amid the others, from which they are measured so that no digits are lost.
    """

    def __init__(
        self, rows: Chunked, function: Callable[[Any], Any], directions: FloatArray, center: FloatArray
    ) -> None:
        super().__init__(rows, function, len(directions))
        self.directions, self._center = np.asarray(directions, dtype=np.float64), np.asarray(center, dtype=np.float64)

    def fold_rows(self, look: Look) -> Any:
        """The sum of what is found in the rows themselves.

        Parameters
        ----------
        look : callable
            As for :meth:`fold`.

        Returns
        -------
        what ``look`` returns
        """
        self.passes += 1
        return self._rows.fold(look)

    def origin_of(self, place: FloatArray) -> FloatArray:
        """The point nearest to the center whose image is a place.

        Parameters
        ----------
        place : (r,) array

        Returns
        -------
        (f,) array
        """
        away = place - self.directions @ self._center
        return self._center + np.linalg.lstsq(self.directions, away, rcond=None)[0]


def image_of(rows: Any, first: int, *, function: Callable[[Any], Any]) -> Any:
    """What a function makes of some rows."""
    return function(rows)


def _of_image(rows: Any, *, image: Callable[[Any], Any], function: Callable[[Any], Any]) -> Any:
    return function(image(rows))


def look_at_image(rows: Any, first: int, *, function: Callable[[Any], Any], look: Look) -> Any:
    """What is found in the image of some rows."""
    return look(function(rows), first)


def pick(rows: Any, first: int, *, numbers: IntArray, share: float = 0.0, seed: int = 0) -> Picked:
    """The rows of a leaf that have one of these numbers, and a share of all others."""
    chosen = among(numbers, rows, first)
    if share:
        chosen = np.union1d(chosen, np.flatnonzero(hashed(first, rows.shape[0], seed) < share))
    return Picked(chosen + first, rows_at(rows, chosen))


def among(numbers: IntArray, rows: Any, first: int) -> IntArray:
    """Which of the rows of a leaf have one of these numbers, in ascending order."""
    start, stop = np.searchsorted(numbers, [first, first + rows.shape[0]])
    return numbers[start:stop] - first


def hashed(first: int, count: int, seed: int) -> FloatArray:
    """A number in [0, 1) for each row that depends on its number and the seed alone (splitmix64).

    >>> bool((hashed(0, 4, 7)[2:] == hashed(2, 2, 7)).all())
    True
    """
    return hashes(np.arange(first, first + count), seed)


def hashes(numbers: IntArray, seed: int) -> FloatArray:
    """The same for some rows.

    >>> bool((hashes(np.array([3, 1]), 7) == hashed(0, 4, 7)[[3, 1]]).all())
    True
    """
    with np.errstate(over="ignore"):
        bits = numbers.astype(np.uint64) + np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15)
        bits += np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((bits ^ (bits >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) / 2.0**53
