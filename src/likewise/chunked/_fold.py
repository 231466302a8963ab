"""Rows that are read in leaves, and reproducible sums over them.

A leaf is a block of 2¹⁶ rows. Floating-point sums depend on their order, so each leaf is processed by one thread, with
BLAS on one thread, and the results of leaves are added pairwise, in a binary tree that depends on the number of rows
alone: ((a + b) + (c + d)) + e. The result has the same bits for any number of threads, and any source of the rows.
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
"""Number of rows in a leaf."""

LEAVES_PER_THREAD = 2
"""Number of leaves per thread that are in memory at the same time."""

Look = Callable[[Any, int], Any]
"""A function of a leaf: (rows, number of the first row) → a small result that can be added to others.

It may run in another process, and should be a ``functools.partial`` of a module-level function without side effects."""


class TreeSum:
    """The pairwise sum of a stream of terms.

    Examples
    --------
    >>> total = TreeSum()
    >>> for letter in "abcde":
    ...     total.add(letter)
    >>> total.value()
    'abcde'
    """

    def __init__(self) -> None:
        self._parts: list[tuple[int, Any]] = []  # (number of terms, sum): decreasing powers of two

    def add(self, part: Any) -> None:
        """Add the next term."""
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
    """Selected rows and their numbers; adding concatenates them."""

    numbers: IntArray
    rows: Any

    def __add__(self, other: Picked) -> Picked:
        return Picked(np.concatenate([self.numbers, other.numbers]), stacked([self.rows, other.rows]))


def stacked(parts: Sequence[Any]) -> Any:
    """Concatenate the rows of several arrays or CSR matrices."""
    if len(parts) == 1:
        return parts[0]
    kinds = {bool(sparse.issparse(part)) for part in parts}
    if len(kinds) == 2:
        raise ValueError(
            "some parts of X are sparse, and others dense. Convert all of them to one format, for example by "
            "X.map_blocks(scipy.sparse.csr_array)."
        )
    return sparse.vstack(parts, format="csr") if kinds == {True} else np.concatenate(parts)


class Chunked(ABC):
    """Base class for rows that are read leaf by leaf.

    Attributes
    ----------
    shape : (n, f)
    dtype : numpy dtype
    passes : int
        Number of passes over all rows so far.
    like : array or None
        An array on the device that processes the leaves, and to which fitted attributes are moved; None for host
        memory.
    """

    shape: tuple[int, int]
    dtype: Any
    passes: int = 0
    like: Any = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shape[0]:,} rows of {self.shape[1]:,} columns, {self.dtype})"

    @abstractmethod
    def leaves(self) -> Iterator[tuple[Any, int]]:
        """The rows of each leaf, and the number of its first row; values may be unchecked.

        Yields
        ------
        rows, first
        """

    def looks(self, look: Look) -> Iterator[Any]:
        """Apply a function to each leaf, several at the same time; results are in the order of the leaves.

        Parameters
        ----------
        look : callable
            (rows of a leaf, number of the first row) → any result.

        Yields
        ------
        what ``look`` returns
        """
        with single_blas_thread():
            yield from parallel_stream(lambda leaf: look(self._ready(*leaf), leaf[1]), self.leaves(), LEAVES_PER_THREAD)
        self.passes += 1

    def _ready(self, rows: Any, first: int) -> Any:
        """Check and convert the rows of a leaf, on the thread that processes it."""
        return rows

    def of_first_leaf(self, function: Callable[[Any], Any]) -> Any:
        """Apply a function to the rows of the first leaf.

        Parameters
        ----------
        function : callable
            Rows → any result.

        Returns
        -------
        what ``function`` returns
        """
        return function(self._ready(*next(self.leaves())))

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return -(-self.shape[0] // LEAF)

    def fold(self, look: Look) -> Any:
        """The sum of the results of a function over all leaves.

        Parameters
        ----------
        look : callable
            (rows of a leaf, number of the first row) → a result that can be added to others.

        Returns
        -------
        sum of what ``look`` returns
        """
        total = TreeSum()
        for part in track(self.looks(look), self.n_leaves):
            total.add(part)
        return self.to_host(total.value())

    def map(self, look: Look) -> Iterator[Any]:
        """Map each leaf to an array, in the order of the leaves.

        Parameters
        ----------
        look : callable
            (rows of a leaf, number of the first row) → an array of the same length.

        Yields
        ------
        arrays
        """
        for part in track(self.looks(look), self.n_leaves):
            yield self.to_host(part)

    def take(self, numbers: IntArray, sample: int = 0, seed: int = 0) -> Picked:
        """Selected rows and a random sample of the others, in one pass.

        A row is sampled if a hash of its number is small, so that the sample does not depend on the source of the rows.

        Parameters
        ----------
        numbers : (t,) ints
            The numbers of the selected rows, in ascending order.
        sample : int
            The expected number of sampled rows.
        seed : int

        Returns
        -------
        Picked
            In ascending order of the numbers.
        """
        chosen = np.asarray(numbers, dtype=np.int64)
        if len(chosen) and (chosen[0] < 0 or chosen[-1] >= self.shape[0] or (np.diff(chosen) <= 0).any()):
            raise ValueError(f"row numbers must be in ascending order, from 0 to {self.shape[0] - 1:,}.")
        found: Picked = self.fold(partial(pick, numbers=chosen, share=sample / self.shape[0], seed=seed))
        return found

    def map_to(self, path: str | PathLike[str], function: Callable[[Any], Any]) -> None:
        """Apply a function to the rows leaf by leaf, and write the result to an .npy file, atomically.

        Parameters
        ----------
        path : path
        function : callable
            Rows → an array of the same length, such as ``model.transform`` or ``model.predict``.
        """
        write_array(path, self.shape[0], self.map(partial(image_of, function=function)))

    def to_device(self, rows: Any) -> Any:
        """Copy rows from host memory to the device that processes the leaves.

        Parameters
        ----------
        rows : (m, f) array

        Returns
        -------
        (m, f) array
        """
        return rows

    def to_host(self, found: Any) -> Any:
        """Copy a result to host memory.

        Parameters
        ----------
        found : any result

        Returns
        -------
        the same, in host memory
        """
        return found


class InMemory(Chunked):
    """Rows of an array, which may be memory-mapped, or of a sparse matrix.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
        Its dtype is float32 or float64.
    check : bool
        Whether the first pass checks that values are finite.

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
        """Apply a function to each leaf; the first pass checks that values are finite."""
        yield from super().looks(look)
        self._finite = True

    def _ready(self, rows: Any, first: int) -> Any:
        if not self._finite and (wrong := first_not_finite(rows)) is not None:
            raise not_finite(wrong, first)
        return rows


def check_table(shape: tuple[int, ...], dtype: Any) -> None:
    """Raise an error for anything but a two-dimensional table of float32 or float64."""
    if len(shape) != 2 or dtype not in (np.float32, np.float64):
        raise TypeError(f"rows are an array of shape {shape} and dtype {dtype}. Pass a table of float32 or float64.")


def first_not_finite(rows: Any) -> tuple[int, int, Any] | None:
    """The row, the column and the value of the first number that is not finite; None if all are finite.

    >>> first_not_finite(np.array([[1.0, 2.0], [3.0, np.inf]]))
    (1, 1, inf)
    """
    values = rows.data if sparse.issparse(rows) else rows
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return None
    wrong = np.argwhere(~np.isfinite(values))
    if not len(wrong):  # only the sum overflowed
        return None
    if sparse.issparse(rows):
        entries = rows.tocoo()
        row, column = int(entries.row[wrong[0, 0]]), int(entries.col[wrong[0, 0]])
        return row, column, float(values[wrong[0, 0]])
    row, column = (int(place) for place in wrong[0])
    return row, column, float(values[row, column])


def not_finite(wrong: tuple[int, int, Any], first: int) -> ValueError:
    """The error for a value that is not finite, in a leaf whose first row is ``first``."""
    row, column, value = wrong
    return ValueError(
        f"X is {value} in row {first + row}, column {column}. Values must be finite: impute missing values first "
        "(likewise.TableFeatures), or remove the row."
    )


class Mapped(Chunked):
    """Rows under a function that is applied in each pass, without storing the result.

    Parameters
    ----------
    rows : Chunked
    function : callable
        Rows → an array of the same length.
    width : int
        Number of columns of that array.
    """

    def __init__(self, rows: Chunked, function: Callable[[Any], Any], width: int) -> None:
        self._rows, self._function = rows, function
        self.shape, self.dtype = (rows.shape[0], width), rows.dtype
        self.like, self.to_device, self.to_host = rows.like, rows.to_device, rows.to_host  # type: ignore[method-assign]

    def leaves(self) -> Iterator[tuple[Any, int]]:
        """The leaves of the original rows."""
        return self._rows.leaves()

    def of_first_leaf(self, function: Callable[[Any], Any]) -> Any:
        """Apply a function to the image of the first leaf."""
        return self._rows.of_first_leaf(partial(_of_image, image=self._function, function=function))

    def looks(self, look: Look) -> Iterator[Any]:
        """Apply a function to the image of each leaf."""
        yield from self._rows.looks(partial(look_at_image, function=self._function, look=look))
        self.passes += 1

    def fold(self, look: Look) -> Any:
        """The sum of the results of a function over the images of all leaves."""
        self.passes += 1
        return self._rows.fold(partial(look_at_image, function=self._function, look=look))


class LinearImage(Mapped):
    """The image of rows under a linear map.

    Computations on the image are often cheaper on the original rows: products of the image with a vector v are products
    of the rows with ``directions.T @ v``, and the sum of the image is the image of the sum.

    Parameters
    ----------
    rows : Chunked
    function : callable
        Rows → ``rows @ directions.T``.
    directions : (r, f) array
    center : (f,) array
        A point near the mean of the rows, subtracted to avoid cancellation.
    """

    def __init__(
        self, rows: Chunked, function: Callable[[Any], Any], directions: FloatArray, center: FloatArray
    ) -> None:
        super().__init__(rows, function, len(directions))
        self.directions, self._center = np.asarray(directions, dtype=np.float64), np.asarray(center, dtype=np.float64)

    def fold_rows(self, look: Look) -> Any:
        """The sum of the results of a function over the leaves of the original rows.

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
        """The preimage of a point that is nearest to the center.

        Parameters
        ----------
        place : (r,) array
            A point of the image.

        Returns
        -------
        (f,) array
        """
        away = place - self.directions @ self._center
        return self._center + np.linalg.lstsq(self.directions, away, rcond=None)[0]


def image_of(rows: Any, first: int, *, function: Callable[[Any], Any]) -> Any:
    """Apply a function that does not need the row numbers."""
    return function(rows)


def _of_image(rows: Any, *, image: Callable[[Any], Any], function: Callable[[Any], Any]) -> Any:
    return function(image(rows))


def look_at_image(rows: Any, first: int, *, function: Callable[[Any], Any], look: Look) -> Any:
    """Apply a function to the image of a leaf."""
    return look(function(rows), first)


def pick(rows: Any, first: int, *, numbers: IntArray, share: float = 0.0, seed: int = 0) -> Picked:
    """The rows of a leaf with the given numbers, and a random share of the others."""
    chosen = among(numbers, rows, first)
    if share:
        chosen = np.union1d(chosen, np.flatnonzero(hashed(first, rows.shape[0], seed) < share))
    return Picked(chosen + first, rows_at(rows, chosen))


def among(numbers: IntArray, rows: Any, first: int) -> IntArray:
    """The positions in a leaf of the rows with the given numbers, which are in ascending order."""
    start, stop = np.searchsorted(numbers, [first, first + rows.shape[0]])
    return numbers[start:stop] - first


def hashed(first: int, count: int, seed: int) -> FloatArray:
    """Hash values in [0, 1) of consecutive row numbers (splitmix64).

    >>> bool((hashed(0, 4, 7)[2:] == hashed(2, 2, 7)).all())
    True
    """
    return hashes(np.arange(first, first + count), seed)


def hashes(numbers: IntArray, seed: int) -> FloatArray:
    """Hash values in [0, 1) of row numbers (splitmix64).

    >>> bool((hashes(np.array([3, 1]), 7) == hashed(0, 4, 7)[[3, 1]]).all())
    True
    """
    with np.errstate(over="ignore"):
        bits = numbers.astype(np.uint64) + np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15)
        bits += np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((bits ^ (bits >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) / 2.0**53
