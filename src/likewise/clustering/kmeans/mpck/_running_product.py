"""The product of a sparse matrix and a table that changes one row at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from ...._arrays import FloatArray, IntArray


class RunningProduct:
    """B T for a symmetric sparse matrix B between groups and a table T of which one row changes at a time.

    For a group with few entries in B the product is computed when requested. For a group with more than √nnz(B) entries
    it is stored and updated at every change. So neither a request nor a change takes more than O(√nnz(B)).

    Parameters
    ----------
    core : (g, g) CSR array
        B.
    parts : (g,) or (g, f) arrays
        T, a cluster after the other. Only groups that B uses are kept.
    """

    def __init__(self, core: sparse.csr_array, parts: Iterable[FloatArray]) -> None:
        used = np.unique(core.indices)
        self._place = np.full(core.shape[0], -1)
        self._place[used] = np.arange(len(used))
        self._table = np.stack([part[used] for part in parts], axis=1)
        self._core = sparse.csr_array(core[:, used])
        many = np.flatnonzero(np.diff(core.indptr) > np.sqrt(core.nnz))
        self._updates = sparse.csr_array(self._core[many].T)
        self._kept_sums = self._sums(self._core[many])
        self._kept = {int(group): number for number, group in enumerate(many)}

    def _sums(self, core: sparse.csr_array) -> FloatArray:
        count, *shape = self._table.shape
        return np.asarray(core @ self._table.reshape(count, math.prod(shape))).reshape(core.shape[0], *shape)

    def everywhere(self) -> FloatArray:
        """B T for all groups, (g, k) or (g, k, f)."""
        return self._sums(self._core)

    def at(self, group: int, columns: Any = slice(None)) -> FloatArray:
        """B T for one group, (k,) or (k, f); of the features, only some columns."""
        number = self._kept.get(group)
        if number is not None:
            return self._kept_sums[number][..., columns]
        places, values = _stored(self._core, group)
        if len(places) == 1:
            return values[0] * self._table[places[0]][..., columns]
        if isinstance(columns, slice):
            return np.tensordot(values, self._table[places], axes=1)
        # only these columns of a wide table are copied
        return np.tensordot(values, self._table[np.ix_(places, np.arange(self._table.shape[1]), columns)], axes=1)

    def add(self, group: int, cluster: int, amount: FloatArray | float, columns: Any = slice(None)) -> None:
        """Add to T at one group and cluster."""
        place = self._place[group]
        if place < 0:
            return
        here = (cluster, columns) if self._table.ndim > 2 else (cluster,)
        self._table[place][here] += amount
        for number, value in stored_entries(self._updates, place) if self._kept else ():
            self._kept_sums[number][here] += value * amount


def stored_entries(matrix: sparse.csr_array, row: int) -> Iterator[tuple[int, float]]:
    """The columns and values stored in one row."""
    columns, values = _stored(matrix, row)
    return zip(columns.tolist(), values.tolist(), strict=True)


def _stored(matrix: sparse.csr_array, row: int) -> tuple[IntArray, FloatArray]:
    stored = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return matrix.indices[stored], matrix.data[stored]
