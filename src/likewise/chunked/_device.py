"""Rows on a GPU: an array that lies there, or rows that are brought there leaf by leaf.

A device works on one leaf with all that it has, so leaves are large and come one after the other. What is found in
them stays there until it is added up.
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
"""Rows that kernels look at together: a leaf must take longer than to start it."""


class DeviceRows(Chunked):
    """The rows of an array of torch or CuPy, where they lie.

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
        if kernels is not None and self.shape[1] <= kernels.MOST_COLUMNS:  # nothing is made that is as long as a leaf
            self._leaf = LONG_LEAF

    def leaves(self) -> Iterator[tuple[Any, int]]:
        """Slices of the array; the first pass looks for values that are not finite."""
        for leaf in slices(self.shape[0], self._leaf):
            rows = self.like[leaf.start : leaf.stop, :]
            if not self._finite:
                check_finite_on_device(rows, leaf.start)
            yield rows, leaf.start
        self._finite = True

    @property
    def n_leaves(self) -> int:
        """How many leaves there are."""
        return -(-self.shape[0] // self._leaf)

    def looks(self, look: Look) -> Iterator[Any]:
        """What is found in each leaf, one after the other."""
        with explained_memory(self.like):
            for rows, first in self.leaves():
                yield look(rows, first)
        self.passes += 1

    def to_device(self, rows: Any) -> Any:
        """Rows in host memory, brought to the device."""
        return follow(rows, self.like)

    def to_host(self, found: Any) -> Any:
        """What was found, brought to host memory."""
        return in_host_memory(found)


class OnDevice(DeviceRows):
    """Rows that are looked at on a GPU, whether they lie there, in host memory or in files; these come leaf by leaf.

    What is fitted lies on the device, but for :class:`likewise.Likewise`, which only places rows there.
    ``rows.map_to(path, model.transform)`` writes what a model makes of them.

    Parameters
    ----------
    rows : (n, f) NumPy array, RowFiles, or array of torch or CuPy
    like : array, optional
        Any array on the device, such as ``torch.empty(0, device="cuda")`` or ``cupy.empty(0)``. Not needed for rows
        that lie there.

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
                f"like is {like!r}, and says where rows are looked at. Pass an array that lies there, such as "
                "torch.empty(0, device='cuda') or cupy.empty(0)."
            )
        check_table(self._rows.shape, self._rows.dtype)
        self.like, self.shape, self.dtype = like, self._rows.shape, self._rows.dtype
        self._finite = False

    def leaves(self) -> Iterator[tuple[Any, int]]:
        """The leaves of the rows, each brought to the device."""
        for rows, first in self._rows.leaves():
            moved = rows if is_foreign(rows) else follow(self._rows._ready(rows, first), self.like)
            if not self._finite:
                check_finite_on_device(moved, first)
            yield moved, first
        self._finite = True

    @property
    def n_leaves(self) -> int:
        """How many leaves there are."""
        return self._rows.n_leaves


def in_host_memory(found: Any) -> Any:
    """The same with NumPy arrays in the place of those of other libraries; single numbers become plain ones."""
    if is_foreign(found):
        value = to_numpy(found)
        return value if value.ndim else value.item()
    if is_dataclass(found) and not isinstance(found, type):
        return type(found)(*(in_host_memory(getattr(found, each.name)) for each in fields(found)))
    return found


def check_finite_on_device(rows: Any, first: int) -> None:
    """Refuse rows with values that are not finite, by their sum; where it tells of one, it is looked for."""
    if sum_is_finite(rows):
        return
    if (wrong := first_not_finite(to_numpy(rows))) is not None:
        raise not_finite(wrong, first)
