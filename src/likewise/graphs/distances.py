"""Distances that can be looked at from afar: a quick value for every pair, an exact one for the few that count.

A search wants the nearest of all rows, but the digits of a distance only where two rows are about equally near. So
every kind of distance here gives *values*, which rise with the distance and come from one matrix product in single
precision, a bound on their error (``slack``), and exact distances of pairs that are named one by one.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from ..constraints.pairs import FloatArray, IntArray

TILE = 4096
"""Rows that a block of queries is compared with at once: their values stay in the processor's cache."""

PAIR_ENTRIES = 2**21
"""Numbers that are held at once where pairs are taken one by one."""


class Distances(Protocol):
    """What a search asks of distances between queries and rows."""

    n: int
    n_queries: int
    width: int
    """Numbers behind each distance."""
    always: IntArray
    """Rows that are likely neighbours of every query."""
    dense: bool
    """Whether there are coordinates for an index."""
    exact_values: bool
    """Whether values are as good as distances get (sparse rows), so that no pair has to be looked at again."""

    def values(self, queries: Any, rows: Any, *, double: bool = False) -> FloatArray:
        """Of some queries (a slice or indices) to some rows."""

    def slack(self, queries: Any, *, double: bool = False) -> FloatArray:
        """How much the values of each query may be off."""

    def distance(self, values: FloatArray) -> FloatArray:
        """The distances that values stand for."""

    def value(self, distances: FloatArray) -> FloatArray:
        """The values of distances."""

    def of_pairs(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """Exact distances, a query and a row at a time."""

    def coordinates(self) -> tuple[FloatArray, FloatArray]:
        """Rows and queries as points of single precision, for an index: who is near there is likely to be near."""


class Euclidean:
    """Euclidean distances; a value is the squared distance in units of the longest row.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    queries : (q, f) array or CSR matrix, optional
        Default: the rows themselves.

    Notes
    -----
    Dense rows are moved to their mean and divided by the largest length there. With a = (−2x, ‖x‖², 1) and
    b = (y, 1, ‖y‖²) the squared distance of x and y is a·b, so that one product gives it.

    Examples
    --------
    >>> Euclidean(np.array([[0.0], [3.0], [5.0]])).of_pairs(np.array([0, 1]), np.array([2, 2]))
    array([5., 2.])
    """

    always: IntArray = np.zeros(0, dtype=np.int64)

    def __init__(self, X: Any, queries: Any = None) -> None:
        self.exact_values = bool(sparse.issparse(X))
        self.dense = not self.exact_values
        self.n, self.width = X.shape
        self.X, self.longest = X, 1.0
        if self.dense:
            self._centre: FloatArray = X.mean(axis=0, dtype=np.float64)
            moved = self._moved(X)
            self.longest = float(row_norms(moved, squared=True).max(initial=0.0)) ** 0.5 or 1.0
            moved /= self.longest
            self._right = _beside(moved, 1.0, row_norms(moved, squared=True))
        else:
            self.X = sparse.csr_array(X)
            self._across, self._squares = _Across(self.X), row_norms(self.X, squared=True)
        self._ask(self.X if queries is None else queries)

    def _ask(self, queries: Any) -> None:
        self.queries, self.n_queries = queries, queries.shape[0]
        if self.dense:
            moved = self._moved(queries)
            squares = row_norms(moved, squared=True)
            self._left = _beside(moved, squares, 1.0)
            self._left[:, : self.width] *= -2
        else:
            self.queries = sparse.csr_array(queries)
            squares = row_norms(self.queries, squared=True)
        self._lengths = np.sqrt(squares)

    def asked(self, queries: Any) -> Euclidean:
        """The same rows, other queries."""
        other = copy(self)
        other._ask(queries)
        return other

    def _moved(self, rows: Any) -> FloatArray:
        moved: FloatArray = rows - self._centre
        moved /= self.longest
        return moved

    def values(self, queries: Any, rows: Any, *, double: bool = False) -> FloatArray:
        """Squared distances ÷ the longest row's square; a little below zero where rounding makes them so."""
        if self.exact_values:
            found = self._across.products(self.queries[queries], rows)
            found *= -2
            found += self._squares[rows]
            found += self._lengths[queries][:, None] ** 2
            return found
        if double:
            known, asked = self._moved(self.X[rows]), self._moved(self.queries[queries])
            squares: FloatArray = row_norms(asked, squared=True)[:, None] + row_norms(known, squared=True)
            return np.asarray(squares - 2 * (asked @ known.T))
        return np.asarray(self._left[queries] @ self._right[rows].T)

    def slack(self, queries: Any, *, double: bool = False) -> FloatArray:
        """(f + 8) rounding errors of (‖x‖ + ‖y‖)², for the longest y."""
        farthest = float(np.sqrt(self._squares.max(initial=0.0))) if self.exact_values else 1.0
        exactness = self.X.dtype if self.exact_values else np.float64 if double else np.float32
        roundoff = np.finfo(exactness).eps / 2
        return np.asarray((self.X.shape[1] + 8) * roundoff * (farthest + self._lengths[queries]) ** 2)

    def distance(self, values: FloatArray) -> FloatArray:
        """√value, in the units of X."""
        return np.asarray(np.sqrt(np.maximum(values, 0.0)) * self.longest)

    def value(self, distances: FloatArray) -> FloatArray:
        """Distance², in units of the longest row."""
        return np.asarray((distances / self.longest) ** 2)

    def of_pairs(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """‖x − y‖, difference by difference."""
        found = np.empty(len(rows))
        for some in pair_blocks(len(rows), self.X.shape[1]):
            apart = self.queries[queries[some]] - self.X[rows[some]]
            found[some] = np.sqrt(row_norms(apart.astype(np.float64, copy=False), squared=True))
        return found

    def coordinates(self) -> tuple[FloatArray, FloatArray]:
        """Rows and queries as points of single precision with these distances, for an index."""
        f = self.X.shape[1]
        return np.asarray(self._right[:, :f]), np.asarray(self._left[:, :f] * np.float32(-0.5))


class Cosine:
    """1 − cos; a row of zeros is at distance 1 from every row. A value is −cos.

    Parameters are those of :class:`Euclidean`.

    Examples
    --------
    >>> Cosine(np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])).of_pairs(np.array([0, 1]), np.array([1, 1]))
    array([1., 0.])
    """

    always: IntArray = np.zeros(0, dtype=np.int64)

    def __init__(self, X: Any, queries: Any = None) -> None:
        self.exact_values = bool(sparse.issparse(X))
        self.dense = not self.exact_values
        self.n, self.width = X.shape
        self.X = _unit_rows(X)
        if self.dense:
            self._right = self.X.astype(np.float32, copy=False)
        else:
            self._across = _Across(self.X)
        self._ask(self.X if queries is None else _unit_rows(queries))

    def _ask(self, queries: Any) -> None:
        self.queries, self.n_queries = queries, queries.shape[0]
        if self.dense:
            self._left = queries.astype(np.float32, copy=False)

    def asked(self, queries: Any) -> Cosine:
        """The same rows, other queries."""
        other = copy(self)
        other._ask(_unit_rows(queries))
        return other

    def values(self, queries: Any, rows: Any, *, double: bool = False) -> FloatArray:
        """−cos."""
        if self.exact_values:
            found = self._across.products(self.queries[queries], rows)
        else:
            left, right = (self.queries, self.X) if double else (self._left, self._right)
            found = np.asarray(left[queries] @ right[rows].T)
        return np.negative(found, out=found)

    def slack(self, queries: Any, *, double: bool = False) -> FloatArray:
        """(f + 8) rounding errors: no row is longer than 1."""
        count = len(np.arange(self.n_queries)[queries])
        roundoff = 0.0 if self.exact_values else np.finfo(self.X.dtype if double else np.float32).eps
        return np.full(count, (self.X.shape[1] + 8) * roundoff)

    def distance(self, values: FloatArray) -> FloatArray:
        """1 − cos, never outside [0, 2]."""
        return np.clip(1.0 + np.asarray(values, dtype=np.float64), 0.0, 2.0)

    def value(self, distances: FloatArray) -> FloatArray:
        """−cos."""
        return np.asarray(distances - 1.0)

    def of_pairs(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """1 − cos, product by product."""
        found = np.empty(len(rows))
        for some in pair_blocks(len(rows), self.X.shape[1]):
            left, right = self.queries[queries[some]], self.X[rows[some]]
            if self.exact_values:
                found[some] = -np.asarray(left.multiply(right).sum(axis=1)).ravel()
            else:
                found[some] = -np.einsum("ij,ij->i", left, right, dtype=np.float64)
        return self.distance(found)

    def coordinates(self) -> tuple[FloatArray, FloatArray]:
        """Unit rows: the nearer by angle, the nearer."""
        return self._right, self._left


class Given:
    """Distances that somebody wrote down: an (n, n) array."""

    exact_values = True
    dense = False
    width = 1
    always: IntArray = np.zeros(0, dtype=np.int64)

    def __init__(self, D: FloatArray) -> None:
        self._D = D
        self.n = self.n_queries = len(D)

    def values(self, queries: Any, rows: Any, *, double: bool = False) -> FloatArray:
        """The distances themselves."""
        return np.array(self._D[queries][:, rows], dtype=np.float64)

    def slack(self, queries: Any, *, double: bool = False) -> FloatArray:
        """None."""
        return np.zeros(len(self._D[queries]))

    def distance(self, values: FloatArray) -> FloatArray:
        """A value is a distance."""
        return values

    def value(self, distances: FloatArray) -> FloatArray:
        """A distance is a value."""
        return distances

    def of_pairs(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """Some of them."""
        return np.asarray(self._D[queries, rows], dtype=np.float64)

    def coordinates(self) -> tuple[FloatArray, FloatArray]:
        """There are none."""
        raise ValueError("distances that are given have no coordinates to look among. Search exactly.")


def _beside(rows: FloatArray, first: FloatArray | float, second: FloatArray | float) -> NDArray[np.float32]:
    """Rows with two more columns, in single precision."""
    n, f = rows.shape
    joined = np.empty((n, f + 2), dtype=np.float32)
    joined[:, :f], joined[:, f], joined[:, f + 1] = rows, first, second
    return joined


class _Across:
    """Sparse rows, transposed a tile at a time: what a product with them needs, made once."""

    def __init__(self, X: Any) -> None:
        self._X = X
        self._tiles = {tile.start: sparse.csr_array(X[tile].T) for tile in tiles(X.shape[0])}

    def products(self, queries: Any, rows: Any) -> FloatArray:
        """Inner products with some rows, as an array."""
        ready = isinstance(rows, slice) and rows in tiles(self._X.shape[0])
        right = self._tiles[rows.start] if ready else sparse.csr_array(self._X[rows].T)
        return np.asarray((queries @ right).toarray())


def _unit_rows(X: Any) -> Any:
    """Rows divided by their length; rows of zeros stay zero."""
    return normalize(sparse.csr_array(X) if sparse.issparse(X) else X)


def tiles(n: int) -> list[slice]:
    """Slices over n rows, as wide as what a query is compared with at once."""
    return [slice(start, min(start + TILE, n)) for start in range(0, n, TILE)]


def pair_blocks(count: int, width: int) -> list[slice]:
    """Slices over so many pairs, such that a table of that width is small."""
    step = max(1, PAIR_ENTRIES // max(width, 1))
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]
