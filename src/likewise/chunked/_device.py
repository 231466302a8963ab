"""Rows on a GPU: an array in its memory, or rows that are copied to it leaf by leaf.

A GPU parallelizes the work within a leaf, so leaves are large and are processed sequentially. Their results stay on the
device until they are summed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from .._arrays import slices
from .._devices import (
    blocks_on_device,
    explained_memory,
    follow,
    is_foreign,
    kernels_for,
    numpy_dtype,
    sparse_elsewhere,
    sum_is_finite,
    to_numpy,
)
from ._fold import Chunked, InMemory, Look, check_table, first_not_finite, not_finite

LONG_LEAF = 2**23
"""Number of rows in a leaf for Triton kernels, large enough that launching them takes little of the time."""


class DeviceRows(Chunked):
    """The rows of a torch or CuPy array, processed on its device.

    Parameters
    ----------
    X : (n, f) array
    """

    def __init__(self, X: Any) -> None:
        if (error := sparse_elsewhere(X)) is not None:
            raise error
        self.like = X
        self.shape = (int(X.shape[0]), int(X.shape[1]))
        self.dtype = numpy_dtype(X)
        self._finite = False
        kernels = kernels_for(X)
        self._leaf = blocks_on_device(self.shape[1])
        if kernels is not None and self.shape[1] <= kernels.MOST_COLUMNS:  # kernels allocate no array of this length
            self._leaf = LONG_LEAF

    def leaves(self) -> Iterator[tuple[Any, int]]:
        """Slices of the array; the first pass checks that values are finite."""
        for leaf in slices(self.shape[0], self._leaf):
            rows = self.like[leaf.start : leaf.stop, :]
            if not self._finite:
                check_finite_on_device(rows, leaf.start)
            yield rows, leaf.start
        self._finite = True

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return -(-self.shape[0] // self._leaf)

    def looks(self, look: Look) -> Iterator[Any]:
        """Apply a function to each leaf, sequentially."""
        with explained_memory(self.like):
            for rows, first in self.leaves():
                yield look(rows, first)
        self.passes += 1

    def to_device(self, rows: Any) -> Any:
        """Copy rows from host memory to the device."""
        return follow(rows, self.like)

    def to_host(self, found: Any) -> Any:
        """Copy a result to host memory."""
        return in_host_memory(found)


class OnDevice(DeviceRows):
    """Rows that are processed on a GPU. Rows in host memory or in files are copied to it leaf by leaf.

    Fitted attributes are on the device, except those of :class:`likewise.Likewise`, which uses the device only to
    assign rows. ``rows.map_to(path, model.transform)`` writes transformed rows to a file.

    Parameters
    ----------
    rows : (n, f) array of NumPy, torch or CuPy, or RowFiles
    like : array, optional
        Any array on the device, such as ``torch.empty(0, device="cuda")`` or ``cupy.empty(0)``. Not needed if ``rows``
        is an array on it.

    Examples
    --------
    >>> import numpy as np
    >>> import array_api_strict
    >>> from likewise.chunked import OnDevice
    >>> rows = OnDevice(np.ones((70_000, 2)), like=array_api_strict.zeros(0))
    >>> rows.shape, rows.n_leaves
    ((70000, 2), 2)
    """

    def __init__(self, rows: Any, like: Any = None) -> None:
        self._rows: Chunked
        if like is None and is_foreign(rows):
            self._rows, like = DeviceRows(rows), rows
        else:
            self._rows = rows if isinstance(rows, Chunked) else InMemory(np.asarray(rows), check=False)
        if not is_foreign(like):
            raise TypeError(
                f"like is {like!r}, but must be an array on the device that processes the rows, such as "
                "torch.empty(0, device='cuda') or cupy.empty(0)."
            )
        check_table(self._rows.shape, self._rows.dtype)
        self.like, self.shape, self.dtype = like, self._rows.shape, self._rows.dtype
        self._finite = False

    def leaves(self) -> Iterator[tuple[Any, int]]:
        """The leaves of the rows, each copied to the device."""
        for rows, first in self._rows.leaves():
            moved = rows if is_foreign(rows) else follow(self._rows._ready(rows, first), self.like)
            if not self._finite:
                check_finite_on_device(moved, first)
            yield moved, first
        self._finite = True

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self._rows.n_leaves


def in_host_memory(found: Any) -> Any:
    """Convert a result, or the fields of a dataclass, to NumPy arrays and Python numbers."""
    if is_foreign(found):
        value = to_numpy(found)
        return value if value.ndim else value.item()
    if is_dataclass(found) and not isinstance(found, type):
        return type(found)(*(in_host_memory(getattr(found, each.name)) for each in fields(found)))
    return found


def check_finite_on_device(rows: Any, first: int) -> None:
    """Raise an error if values are not finite; they are only searched if their sum is not finite."""
    if sum_is_finite(rows):
        return
    if (wrong := first_not_finite(to_numpy(rows))) is not None:
        raise not_finite(wrong, first)
