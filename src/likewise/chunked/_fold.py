"""Leaves of rows, and a tree of sums over them whose shape depends on the number of rows alone.

Floating-point sums depend on their order. Here a leaf of 2¹⁶ rows is looked at by one thread, with BLAS on one thread,
and what is found in leaves is added two neighbors at a time: ((a + b) + (c + d)) + e. So the result has the same bits
for any number of threads, and wherever the rows lie.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray, slices
from .._atomic import atomic_write
from .._devices import rows_at
from .._progress import track
from .._threads import parallel_stream, single_blas_thread

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
        stack = sparse.vstack if sparse.issparse(self.rows) else np.concatenate
        return Picked(np.concatenate([self.numbers, other.numbers]), stack([self.rows, other.rows]))


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
        written = 0
        with atomic_write(path) as file:
            for found in self.map(partial(image_of, function=function)):
                image = np.ascontiguousarray(found)
                if not written:
                    header = {"descr": image.dtype.str, "fortran_order": False}
                    np.lib.format.write_array_header_1_0(file, {**header, "shape": (self.shape[0], *image.shape[1:])})
                file.write(image.data)
                written += len(image)

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

    Examples
    --------
    >>> import numpy as np
    >>> float(InMemory(np.ones((70_000, 1))).fold(lambda rows, first: rows.sum()))
    70000.0
    """

    def __init__(self, X: Any) -> None:
        self._X = X
        self.shape = X.shape
        self.dtype = X.dtype

    def leaves(self) -> Iterator[tuple[Any, int]]:
        """Slices of the array."""
        return ((self._X[leaf], leaf.start) for leaf in slices(self.shape[0], LEAF))


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
