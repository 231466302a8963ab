"""Distances in two steps: an approximate value for every pair, and exact distances for the few that matter.

A neighbor search needs accurate distances only for rows that are about equally close. So every class here provides
*approximate values*, which increase with the distance and come from one matrix product in single precision; a bound on
their error; and exact distances of individual pairs. Approximate values in double precision are available for blocks in
which many rows are about equally close.
"""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from .._arrays import FloatArray, IntArray, slices
from ..linalg._products import canonical, row_blocks

TILE = 4096
"""Number of rows that a block of queries is compared with at once, so that the values fit the processor's cache."""

COMMON = 0.08
"""Columns that are nonzero in a larger share of the rows are multiplied as a dense block, since a dense multiplication
costs a 150th of a sparse one."""


PAIR_ENTRIES = 2**21
"""Number of values held at once where the distances of individual pairs are computed."""


class Distances(Protocol):
    """Distances between queries and rows, as a search uses them; the protocol that a new kind of distance implements.

    Attributes
    ----------
    n, n_queries : int
        Number of rows, and of queries.
    width : int
        Number of coordinates that a distance depends on.
    hubs : (h,) ints
        Rows that are likely to be neighbors of every query.
    dense : bool
        Whether rows are dense, and so have coordinates for an approximate search.
    """

    n: int
    n_queries: int
    width: int
    hubs: IntArray
    dense: bool

    def approx(self, queries: Any, rows: Any, *, double: bool = False) -> FloatArray:
        """Approximate values, which increase with the distance, between some queries and some rows.

        Parameters
        ----------
        queries, rows : slice or ints
        double : bool
            Whether to compute in double precision.

        Returns
        -------
        (q, r) array
            For the q queries and r rows selected.
        """

    def error_bound(self, queries: Any, *, double: bool = False) -> FloatArray:
        """A bound on the error of the approximate values of each query.

        Parameters
        ----------
        queries : slice or ints
        double : bool
            Whether the values are in double precision.

        Returns
        -------
        (q,) array
        """

    def is_exact(self, double: bool) -> bool:
        """Whether approximate values are as accurate as exact distances, so that none has to be computed again.

        Parameters
        ----------
        double : bool
            Whether the values are in double precision.

        Returns
        -------
        bool
        """

    def to_distance(self, values: FloatArray) -> FloatArray:
        """Convert approximate values to distances.

        Parameters
        ----------
        values : array

        Returns
        -------
        array of that shape
        """

    def to_value(self, distances: FloatArray) -> FloatArray:
        """Convert distances to values.

        Parameters
        ----------
        distances : array

        Returns
        -------
        array of that shape
        """

    def exact(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """Exact distances of individual pairs of a query and a row.

        Parameters
        ----------
        queries, rows : (m,) ints

        Returns
        -------
        (m,) array
        """

    def breaks_tie(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """Values that rank rows with equal rounded distances; rows that tie here as well are ranked by position.

        Parameters
        ----------
        queries, rows : (m,) ints

        Returns
        -------
        (m,) array
            By default the distances before rounding.
        """
        return self.exact(queries, rows)

    def coordinates(self) -> tuple[FloatArray, FloatArray]:
        """Rows and queries as points in single precision, such that close points are likely to be close rows.

        Returns
        -------
        rows : (n, d) array
        queries : (n_queries, d) array
        """


class Euclidean(Distances):
    """Euclidean distances. Values are squared distances in units of the longest row.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    queries : (q, f) array or CSR matrix, optional
        Default: the rows.

    Notes
    -----
    Dense rows are centered and divided by the largest length. With a = (−2x, ‖x‖², 1) and b = (y, 1, ‖y‖²), the squared
    distance of x and y is a·b, so that a single matrix product computes it.

    Examples
    --------
    >>> Euclidean(np.array([[0.0], [3.0], [5.0]])).exact(np.array([0, 1]), np.array([2, 2]))
    array([5., 2.])
    """

    hubs: IntArray = np.zeros(0, dtype=np.int64)

    def __init__(self, X: Any, queries: Any = None) -> None:
        self.dense = not sparse.issparse(X)
        self.n, self.width = X.shape
        self.X = X if self.dense else canonical(sparse.csr_array(X))
        self.longest = 1.0
        if self.dense:
            self._center: FloatArray = X.mean(axis=0, dtype=np.float64)
            norms = [row_norms(self._scaled(X[rows]), squared=True).max(initial=0.0) for rows in row_blocks(X)]
            self.longest = float(max(norms, default=0.0)) ** 0.5 or 1.0
            self._right, _ = self._extended(X)
        else:
            scaled = self._scaled(self.X)
            self.longest = float(row_norms(scaled, squared=True).max(initial=0.0)) ** 0.5 or 1.0
            scaled /= self.longest
            self._squares = row_norms(scaled, squared=True)
            self._products = SplitProducts(scaled)
        self._set_queries(self.X if queries is None else queries)

    def _set_queries(self, queries: Any) -> None:
        self.queries = queries if self.dense else canonical(sparse.csr_array(queries))
        self.n_queries = queries.shape[0]
        if queries is self.X and not self.dense:
            self._split = self._products.rows
            self._lengths = np.sqrt(self._squares)
            return
        if self.dense:
            self._left, squares = self._extended(queries)
            self._left[:, : self.width] *= -2
            self._left[:, -2:] = self._left[:, [-1, -2]]
        else:
            scaled = self._scaled(self.queries)
            self._split, squares = self._products.split(scaled), row_norms(scaled, squared=True)
        self._lengths = np.sqrt(squares)

    def _extended(self, rows: FloatArray) -> tuple[NDArray[np.float32], FloatArray]:
        """Scaled rows with 1 and their squared lengths appended, in float32, and the squared lengths in float64."""
        n, f = rows.shape
        table, squares = np.ones((n, f + 2), dtype=np.float32), np.empty(n)
        for some in row_blocks(rows):
            scaled = self._scaled(rows[some])
            squares[some] = row_norms(scaled, squared=True)
            table[some, :f], table[some, f + 1] = scaled, squares[some]
        return table, squares

    def with_queries(self, queries: Any) -> Euclidean:
        """The same rows, with other queries.

        Parameters
        ----------
        queries : (q, f) array or CSR matrix

        Returns
        -------
        Euclidean
        """
        other = copy(self)
        other._set_queries(queries)
        return other

    def _scaled(self, rows: Any) -> Any:
        """Rows minus the mean, in units of the longest row; sparse rows are not centered."""
        scaled = rows - self._center if self.dense else rows.astype(np.float64)
        scaled /= self.longest
        return scaled

    def approx(self, queries: Any, rows: Any, *, double: bool = False) -> FloatArray:
        """Squared distances divided by the squared length of the longest row; rounding may make them negative."""
        if double:
            known, asked = self._scaled(self.X[rows]), self._scaled(self.queries[queries])
            squares: FloatArray = row_norms(asked, squared=True)[:, None] + row_norms(known, squared=True)
            products = asked @ known.T
            return np.asarray(squares - 2 * (products if self.dense else products.toarray()))
        if self.dense:
            return np.asarray(self._left[queries] @ self._right[rows].T)
        found = self._products.products(self._split, queries, rows)
        found *= -2
        found += self._squares[rows]
        found += self._lengths[queries][:, None] ** 2
        return np.asarray(found)

    def error_bound(self, queries: Any, *, double: bool = False) -> FloatArray:
        """(f + 8) ε (‖x‖ + ‖y‖)² for the longest y, where f columns are summed with precision ε."""
        summed = self.width if self.dense or double else self._products.n_common
        roundoff = np.finfo(np.float64 if double else np.float32).eps / 2
        return np.asarray((summed + 8) * roundoff * (1.0 + self._lengths[queries]) ** 2)

    def is_exact(self, double: bool) -> bool:
        """Sparse values in double precision: many pairs may be about equal, and each is slow to compute by itself."""
        return double and not self.dense

    def to_distance(self, values: FloatArray) -> FloatArray:
        """The square root of the value, in the units of X."""
        return np.asarray(np.sqrt(np.maximum(values, 0.0)) * self.longest)

    def to_value(self, distances: FloatArray) -> FloatArray:
        """The squared distance, in units of the longest row."""
        return np.asarray((distances / self.longest) ** 2)

    def exact(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """‖x − y‖, computed from the differences."""
        found = np.empty(len(rows))
        for some in pair_blocks(len(rows), stored(self.X)):
            apart = self.queries[queries[some]] - self.X[rows[some]]
            found[some] = np.sqrt(row_norms(apart.astype(np.float64, copy=False), squared=True))
        return found

    def coordinates(self) -> tuple[FloatArray, FloatArray]:
        """Scaled rows and queries in single precision."""
        f = self.X.shape[1]
        return np.asarray(self._right[:, :f]), np.asarray(self._left[:, :f] * np.float32(-0.5))


class Cosine(Distances):
    """Cosine distances, 1 − cos; a zero row has distance 1 to every row. Values are −cos.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    queries : (q, f) array or CSR matrix, optional
        Default: the rows.

    Examples
    --------
    >>> Cosine(np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])).exact(np.array([0, 1]), np.array([1, 1]))
    array([1., 0.])
    """

    hubs: IntArray = np.zeros(0, dtype=np.int64)

    def __init__(self, X: Any, queries: Any = None) -> None:
        self.dense = not sparse.issparse(X)
        self.n, self.width = X.shape
        self.X = _unit_rows(X)
        if self.dense:
            self._right = self.X.astype(np.float32, copy=False)
        else:
            self._products = SplitProducts(self.X)
        self._set_queries(self.X if queries is None else _unit_rows(queries))

    def _set_queries(self, queries: Any) -> None:
        self.queries = queries
        self.n_queries = queries.shape[0]
        if self.dense:
            self._left = queries.astype(np.float32, copy=False)
        else:
            self._split = self._products.rows if queries is self.X else self._products.split(queries)

    def with_queries(self, queries: Any) -> Cosine:
        """The same rows, with other queries.

        Parameters
        ----------
        queries : (q, f) array or CSR matrix

        Returns
        -------
        Cosine
        """
        other = copy(self)
        other._set_queries(_unit_rows(queries))
        return other

    def approx(self, queries: Any, rows: Any, *, double: bool = False) -> FloatArray:
        """−cos."""
        found: Any
        if double:
            found = self.queries[queries] @ self.X[rows].T
            found = found if self.dense else found.toarray()
        elif self.dense:
            found = self._left[queries] @ self._right[rows].T
        else:
            found = self._products.products(self._split, queries, rows)
        return np.asarray(np.negative(found, out=found))

    def error_bound(self, queries: Any, *, double: bool = False) -> FloatArray:
        """(f + 8) ε for rows of at most unit length, where f columns are summed with precision ε."""
        count = len(np.arange(self.n_queries)[queries])
        summed = self.width if self.dense or double else self._products.n_common
        return np.full(count, (summed + 8) * np.finfo(self.X.dtype if double else np.float32).eps)

    def is_exact(self, double: bool) -> bool:
        """Sparse values in double precision: many pairs may be about equal, and each is slow to compute by itself."""
        return double and not self.dense

    def to_distance(self, values: FloatArray) -> FloatArray:
        """1 − cos, clipped to [0, 2]."""
        return np.clip(1.0 + np.asarray(values, dtype=np.float64), 0.0, 2.0)

    def to_value(self, distances: FloatArray) -> FloatArray:
        """−cos."""
        return np.asarray(distances - 1.0)

    def exact(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """1 − cos, computed pair by pair."""
        found = np.empty(len(rows))
        for some in pair_blocks(len(rows), stored(self.X)):
            left, right = self.queries[queries[some]], self.X[rows[some]]
            if not self.dense:
                found[some] = -np.asarray(left.multiply(right).sum(axis=1)).ravel()
            else:
                found[some] = -np.einsum("ij,ij->i", left, right, dtype=np.float64)
        return self.to_distance(found)

    def coordinates(self) -> tuple[FloatArray, FloatArray]:
        """Rows of unit length, whose Euclidean distances increase with the angle."""
        return self._right, self._left


class Precomputed(Distances):
    """Precomputed distances.

    Parameters
    ----------
    D : (n, n) array
        From queries to rows.

    Examples
    --------
    >>> Precomputed(np.array([[0.0, 2.0], [2.0, 0.0]])).exact(np.array([0]), np.array([1]))
    array([2.])
    """

    dense = False
    width = 1
    hubs: IntArray = np.zeros(0, dtype=np.int64)

    def __init__(self, D: FloatArray) -> None:
        self._D = D
        self.n = self.n_queries = len(D)

    def approx(self, queries: Any, rows: Any, *, double: bool = False) -> FloatArray:
        """The distances themselves."""
        return np.array(self._D[queries][:, rows], dtype=np.float64)

    def error_bound(self, queries: Any, *, double: bool = False) -> FloatArray:
        """Zero."""
        return np.zeros(len(self._D[queries]))

    def is_exact(self, double: bool) -> bool:
        """Exact by construction."""
        return True

    def to_distance(self, values: FloatArray) -> FloatArray:
        """A value is a distance."""
        return values

    def to_value(self, distances: FloatArray) -> FloatArray:
        """A distance is a value."""
        return distances

    def exact(self, queries: IntArray, rows: IntArray) -> FloatArray:
        """Entries of the array."""
        return np.asarray(self._D[queries, rows], dtype=np.float64)

    def coordinates(self) -> tuple[FloatArray, FloatArray]:
        """Not available: raises an error."""
        raise ValueError('precomputed distances have no coordinates. Use search="exact".')


class SplitRows(NamedTuple):
    """Rows, split into frequent columns (dense) and rare columns (sparse)."""

    common: NDArray[np.float32]
    rare: sparse.csr_array


class SplitProducts:
    """Inner products between sparse rows, one tile of rows at a time.

    A word that occurs in a fifth of all texts costs a sparse product n²/25 multiplications, and a few hundred such
    words cost more than all others together. In a dense block in single precision they are cheap. So frequent columns
    are multiplied as a dense block, and rare ones as a sparse matrix.

    Parameters
    ----------
    X : (n, f) CSR matrix

    Attributes
    ----------
    n_common : int
        Number of columns that are multiplied in single precision; the others are multiplied in double precision.

    Examples
    --------
    >>> X = sparse.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> split = SplitProducts(X)
    >>> split.products(split.split(X), slice(0, 2), slice(0, 2))
    array([[5., 6.],
           [6., 9.]], dtype=float32)
    """

    def __init__(self, X: Any) -> None:
        n, f = X.shape
        often = np.bincount(X.indices, minlength=f) > COMMON * n
        self._common = np.flatnonzero(often)
        self._rare = sparse.diags_array((~often).astype(np.float64))
        self.n_common = len(self._common)
        self.rows = self.split(X)
        self._tiles = {tile.start: self._transposed(tile) for tile in tiles(n)}

    def split(self, rows: Any) -> SplitRows:
        """Rows in the format that :meth:`products` takes."""
        rare = sparse.csr_array(rows.astype(np.float64) @ self._rare)
        rare.eliminate_zeros()
        return SplitRows(rows[:, self._common].toarray().astype(np.float32, copy=False), rare)

    def products(self, asked: SplitRows, queries: Any, rows: Any) -> NDArray[np.float32]:
        """Inner products of some queries with some rows (slices or indices)."""
        known = self._tiles.get(rows.start) if isinstance(rows, slice) else None
        common, rare = known if known is not None and known[0].shape[1] == _length(rows) else self._transposed(rows)
        found: NDArray[np.float32] = asked.common[queries] @ common
        found += (asked.rare[queries] @ rare).toarray()
        return found

    def _transposed(self, rows: Any) -> tuple[FloatArray, Any]:
        return self.rows.common[rows].T, sparse.csr_array(self.rows.rare[rows].T)


def tiles(n: int) -> list[slice]:
    """Slices of ``TILE`` rows."""
    return slices(n, TILE)


def _length(rows: slice) -> int:
    return int(rows.stop - rows.start)


def _unit_rows(X: Any) -> Any:
    """Rows divided by their length; zero rows stay zero."""
    return normalize(canonical(sparse.csr_array(X)) if sparse.issparse(X) else X)


def stored(X: Any) -> int:
    """Mean number of stored values per row."""
    return int(X.nnz / max(X.shape[0], 1)) + 1 if sparse.issparse(X) else int(X.shape[1])


def pair_blocks(count: int, width: int) -> list[slice]:
    """Slices over ``count`` pairs such that arrays of the given width stay small."""
    return slices(count, max(1, PAIR_ENTRIES // max(width, 1)))
