"""Inner products of sparse rows with each other, a tile of rows at a time.

A word that a fifth of all texts have costs a sparse product n²/25 steps, and a few hundred such words cost more than
all others together. As columns of a dense block in single precision they cost next to nothing. So the columns are
split: common ones are multiplied densely, rare ones as they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._arrays import FloatArray

TILE = 4096
"""Rows that a block of queries is compared with at once: their values stay in the processor's cache."""

COMMON = 0.08
"""Columns that a larger share of the rows have are multiplied densely: a dense step costs a 150th of a sparse one."""


def tiles(n: int) -> list[slice]:
    """Slices over n rows, as wide as what a query is compared with at once."""
    return [slice(start, min(start + TILE, n)) for start in range(0, n, TILE)]


class Split(NamedTuple):
    """Rows, with their common columns apart."""

    common: NDArray[np.float32]
    rare: sparse.csr_array


class Across:
    """Sparse rows, made ready for inner products with them.

    Parameters
    ----------
    X : (n, f) CSR matrix

    Attributes
    ----------
    n_common : int
        Columns that are multiplied in single precision; the others are in double.

    Examples
    --------
    >>> X = sparse.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> across = Across(X)
    >>> across.products(across.split(X), slice(0, 2), slice(0, 2))
    array([[5., 6.],
           [6., 9.]], dtype=float32)
    """

    def __init__(self, X: Any) -> None:
        n, f = X.shape
        often = np.bincount(X.indices, minlength=f) > COMMON * n
        self._common, self._rare = np.flatnonzero(often), sparse.diags_array((~often).astype(np.float64))
        self.n_common = len(self._common)
        self.rows = self.split(X)
        self._tiles = {tile.start: self._turned(tile) for tile in tiles(n)}

    def split(self, rows: Any) -> Split:
        """Rows, as :meth:`products` takes them."""
        rare = sparse.csr_array(rows.astype(np.float64) @ self._rare)
        rare.eliminate_zeros()
        return Split(rows[:, self._common].toarray().astype(np.float32, copy=False), rare)

    def products(self, asked: Split, queries: Any, rows: Any) -> NDArray[np.float32]:
        """Inner products of some queries with some rows (slices or indices)."""
        turned = self._tiles.get(rows.start) if isinstance(rows, slice) else None
        common, rare = turned if turned is not None and turned[0].shape[1] == _length(rows) else self._turned(rows)
        found: NDArray[np.float32] = asked.common[queries] @ common
        found += (asked.rare[queries] @ rare).toarray()
        return found

    def _turned(self, rows: Any) -> tuple[FloatArray, Any]:
        return self.rows.common[rows].T, sparse.csr_array(self.rows.rare[rows].T)


def _length(rows: slice) -> int:
    return int(rows.stop - rows.start)
