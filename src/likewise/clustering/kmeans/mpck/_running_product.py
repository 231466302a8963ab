"""What groups hear from each other while rows move, without a look at every group for every row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from .._points import Array


class Heard:
    """B T for a symmetric sparse B of prices between groups and a table T that changes one group at a time.

    A group that few others speak to asks them when it is asked. One that many speak to, more than the root of all
    prices there are, has its sum ready, and who changes tells it. So neither a question nor a change takes more than
    that root, however large the largest group is.

    Parameters
    ----------
    core : (g, g) CSR array
        B.
    parts : (g,) or (g, f) arrays
        T, a cluster after the other. Only groups that B asks for are kept.
    """

    def __init__(self, core: sparse.csr_array, parts: Iterable[Array]) -> None:
        asked = np.unique(core.indices)
        self._place = np.full(core.shape[0], -1)
        self._place[asked] = np.arange(len(asked))
        self._table = np.stack([part[asked] for part in parts], axis=1)
        self._core = sparse.csr_array(core[:, asked])
        many = np.flatnonzero(np.diff(core.indptr) > np.sqrt(core.nnz))
        self._tells = sparse.csr_array(self._core[many].T)
        self._ready = self._sums(self._core[many])
        self._many = {int(group): number for number, group in enumerate(many)}

    def _sums(self, core: sparse.csr_array) -> Array:
        count, *shape = self._table.shape
        return np.asarray(core @ self._table.reshape(count, math.prod(shape))).reshape(core.shape[0], *shape)

    def everywhere(self) -> Array:
        """B T for all groups, (g, k) or (g, k, f)."""
        return self._sums(self._core)

    def at(self, group: int, columns: Any = slice(None)) -> Array:
        """B T for one group, (k,) or (k, f); of the features, only some columns."""
        number = self._many.get(group)
        if number is not None:
            return self._ready[number][..., columns]
        places, prices = _stored(self._core, group)
        if len(places) == 1:
            return prices[0] * self._table[places[0]][..., columns]
        if isinstance(columns, slice):
            return np.tensordot(prices, self._table[places], axes=1)
        # of wide tables no more than these columns is copied
        return np.tensordot(prices, self._table[np.ix_(places, np.arange(self._table.shape[1]), columns)], axes=1)

    def add(self, group: int, cluster: int, amount: Array | float, columns: Any = slice(None)) -> None:
        """T at one group and cluster becomes larger."""
        place = self._place[group]
        if place < 0:
            return
        here = (cluster, columns) if self._table.ndim > 2 else (cluster,)
        self._table[place][here] += amount
        for number, price in entries(self._tells, place) if self._many else ():
            self._ready[number][here] += price * amount


def entries(matrix: sparse.csr_array, row: int) -> Iterator[tuple[int, float]]:
    """The columns and values stored in one row."""
    columns, values = _stored(matrix, row)
    return zip(columns.tolist(), values.tolist(), strict=True)


def _stored(matrix: sparse.csr_array, row: int) -> tuple[Array, Array]:
    stored = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return matrix.indices[stored], matrix.data[stored]
