"""Distances that can be looked at from afar: a quick value for every pair, an exact one for the few that count.

A search wants the nearest of all rows, but the digits of a distance only where two rows are about equally near. So
every kind of distance here gives *values*, which rise with the distance and come from one matrix product in single
precision, a bound on their error (``slack``), and exact distances of pairs that are named one by one. Values can be
had in double precision, too, for blocks where many rows are about equally near.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from .._arrays import FloatArray, IntArray
from ..linalg._products import row_blocks
from ._split import Across

PAIR_ENTRIES = 2**21
"""Numbers that are held at once where pairs are taken one by one."""


class Distances(Protocol):
    """What a search asks of distances between queries and rows."""

    n: int
    n_queries: int
    width: int
    """Numbers behind each distance."""
    always: IntArray
    """Rows that are likely neighbors of every query."""
    dense: bool
    """Whether there are coordinates for an index."""

    def values(self, queries: Any, rows: Any, *, double: bool = False) -> FloatArray:
        """Of some queries (a slice or indices) to some rows."""

    def slack(self, queries: Any, *, double: bool = False) -> FloatArray:
        """How much the values of each query may be off."""

    def settled(self, double: bool) -> bool:
        """Whether values are as good as distances get, so that no pair has to be looked at again."""

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
        self.dense = not sparse.issparse(X)
        self.n, self.width = X.shape
        self.X, self.longest = X if self.dense else sparse.csr_array(X), 1.0
        if self.dense:
            self._center: FloatArray = X.mean(axis=0, dtype=np.float64)
            norms = [row_norms(self._moved(X[rows]), squared=True).max(initial=0.0) for rows in row_blocks(X)]
            self.longest = float(max(norms, default=0.0)) ** 0.5 or 1.0
            self._right, _ = self._written(X)
        else:
            moved = self._moved(self.X)
            self.longest = float(row_norms(moved, squared=True).max(initial=0.0)) ** 0.5 or 1.0
            moved /= self.longest
            self._squares, self._across = row_norms(moved, squared=True), Across(moved)
        self._ask(self.X if queries is None else queries)

    def _ask(self, queries: Any) -> None:
        self.queries, self.n_queries = queries if self.dense else sparse.csr_array(queries), queries.shape[0]
        if queries is self.X and not self.dense:
            self._split, self._lengths = self._across.rows, np.sqrt(self._squares)
            return
        if self.dense:
            self._left, squares = self._written(queries)
            self._left[:, : self.width] *= -2
            self._left[:, -2:] = self._left[:, [-1, -2]]
        else:
            moved = self._moved(self.queries)
            self._split, squares = self._across.split(moved), row_norms(moved, squared=True)
        self._lengths = np.sqrt(squares)

    def _written(self, rows: FloatArray) -> tuple[NDArray[np.float32], FloatArray]:
        """Moved rows with 1 and their squares beside them in single precision, and the squares in double."""
        n, f = rows.shape
        table, squares = np.ones((n, f + 2), dtype=np.float32), np.empty(n)
        for some in row_blocks(rows):
            moved = self._moved(rows[some])
            squares[some] = row_norms(moved, squared=True)
            table[some, :f], table[some, f + 1] = moved, squares[some]
        return table, squares

    def asked(self, queries: Any) -> Euclidean:
        """The same rows, other queries."""
        other = copy(self)
        other._ask(queries)
        return other

    def _moved(self, rows: Any) -> Any:
        """Rows around the mean, in units of the longest; sparse ones stay where they are."""
        moved = rows - self._center if self.dense else rows.astype(np.float64)
        moved /= self.longest
        return moved

    def values(self, queries: Any, rows: Any, *, double: bool = False) -> FloatArray:
        """Squared distances ÷ the longest row's square; a little below zero where rounding makes them so."""
        if double:
            known, asked = self._moved(self.X[rows]), self._moved(self.queries[queries])
            squares: FloatArray = row_norms(asked, squared=True)[:, None] + row_norms(known, squared=True)
            products = asked @ known.T
            return np.asarray(squares - 2 * (products if self.dense else products.toarray()))
        if self.dense:
            return np.asarray(self._left[queries] @ self._right[rows].T)
        found = self._across.products(self._split, queries, rows)
        found *= -2
        found += self._squares[rows]
        found += self._lengths[queries][:, None] ** 2
        return np.asarray(found)

    def slack(self, queries: Any, *, double: bool = False) -> FloatArray:
        """(f + 8) rounding errors of (‖x‖ + ‖y‖)², for the longest y; f columns are summed with that precision."""
        summed = self.width if self.dense or double else self._across.n_common
        roundoff = np.finfo(np.float64 if double else np.float32).eps / 2
        return np.asarray((summed + 8) * roundoff * (1.0 + self._lengths[queries]) ** 2)

    def settled(self, double: bool) -> bool:
        """Sparse values in double precision: pairs that are about equal may be many, and each takes its time."""
        return double and not self.dense

    def distance(self, values: FloatArray) -> FloatArray:
        """√value, in the units of X."""
        return np.asarray(np.sqrt(np.maximum(values, 0.0)) * self.longest)

    def value(self, distances: FloatArray) -> FloatArray:
        """Distance², in units of the longest row."""
        return np.asarray((distances / self.longest) ** 2)

    def of_pairs(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """‖x − y‖, difference by difference."""
        found = np.empty(len(rows))
        for some in pair_blocks(len(rows), stored(self.X)):
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
        self.dense = not sparse.issparse(X)
        self.n, self.width = X.shape
        self.X = _unit_rows(X)
        if self.dense:
            self._right = self.X.astype(np.float32, copy=False)
        else:
            self._across = Across(self.X)
        self._ask(self.X if queries is None else _unit_rows(queries))

    def _ask(self, queries: Any) -> None:
        self.queries, self.n_queries = queries, queries.shape[0]
        if self.dense:
            self._left = queries.astype(np.float32, copy=False)
        else:
            self._split = self._across.rows if queries is self.X else self._across.split(queries)

    def asked(self, queries: Any) -> Cosine:
        """The same rows, other queries."""
        other = copy(self)
        other._ask(_unit_rows(queries))
        return other

    def values(self, queries: Any, rows: Any, *, double: bool = False) -> FloatArray:
        """−cos."""
        found: Any
        if double:
            found = self.queries[queries] @ self.X[rows].T
            found = found if self.dense else found.toarray()
        elif self.dense:
            found = self._left[queries] @ self._right[rows].T
        else:
            found = self._across.products(self._split, queries, rows)
        return np.asarray(np.negative(found, out=found))

    def slack(self, queries: Any, *, double: bool = False) -> FloatArray:
        """(f + 8) rounding errors: no row is longer than 1; f columns are summed with that precision."""
        count = len(np.arange(self.n_queries)[queries])
        summed = self.width if self.dense or double else self._across.n_common
        return np.full(count, (summed + 8) * np.finfo(self.X.dtype if double else np.float32).eps)

    def settled(self, double: bool) -> bool:
        """Sparse values in double precision: pairs that are about equal may be many, and each takes its time."""
        return double and not self.dense

    def distance(self, values: FloatArray) -> FloatArray:
        """1 − cos, never outside [0, 2]."""
        return np.clip(1.0 + np.asarray(values, dtype=np.float64), 0.0, 2.0)

    def value(self, distances: FloatArray) -> FloatArray:
        """−cos."""
        return np.asarray(distances - 1.0)

    def of_pairs(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """1 − cos, product by product."""
        found = np.empty(len(rows))
        for some in pair_blocks(len(rows), stored(self.X)):
            left, right = self.queries[queries[some]], self.X[rows[some]]
            if not self.dense:
                found[some] = -np.asarray(left.multiply(right).sum(axis=1)).ravel()
            else:
                found[some] = -np.einsum("ij,ij->i", left, right, dtype=np.float64)
        return self.distance(found)

    def coordinates(self) -> tuple[FloatArray, FloatArray]:
        """Unit rows: the nearer by angle, the nearer."""
        return self._right, self._left


class Given:
    """Distances that somebody wrote down: an (n, n) array."""

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

    def settled(self, double: bool) -> bool:
        """They are what they are."""
        return True

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


def _unit_rows(X: Any) -> Any:
    """Rows divided by their length; rows of zeros stay zero."""
    return normalize(sparse.csr_array(X) if sparse.issparse(X) else X)


def stored(X: Any) -> int:
    """Numbers that are kept of a row."""
    return int(X.nnz / max(X.shape[0], 1)) + 1 if sparse.issparse(X) else int(X.shape[1])


def pair_blocks(count: int, width: int) -> list[slice]:
    """Slices over so many pairs, such that a table of that width is small."""
    step = max(1, PAIR_ENTRIES // max(width, 1))
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]
