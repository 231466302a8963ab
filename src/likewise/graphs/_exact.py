"""Exact search for the nearest or farthest rows by any distance, with little memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from .._arrays import FloatArray, IntArray, slices
from .._threads import n_threads, parallel_map
from ._distances import Cosine, Distances, Euclidean, tiles

QUERIES = 256
"""Number of queries that are processed together."""

CHUNKS = 64
"""Number of parts of a tile whose minima bound the k-th smallest value; at least eight times k."""

MANY = 64
"""With more candidates per neighbor than this, a block is recomputed in double precision."""

EQUAL = 1e-12
"""Distances from a tree whose relative difference is less than this are equal."""


@dataclass(frozen=True)
class Neighbors:
    """The rows that a search found for each query.

    Attributes
    ----------
    rows : (q, k) int array
        Best first; ties are ordered by index.
    distances : (q, k) array
    recall : float
        Share of the true neighbors that were found: 1 for an exact search, else measured on a sample.
    """

    rows: IntArray
    distances: FloatArray
    recall: float = 1.0


def exact_search(
    distances: Distances,
    k: int,
    *,
    farthest: bool = False,
    resolution: float = 0.0,
    queries: IntArray | None = None,
    candidates: IntArray | None = None,
    exclude_self: bool = True,
    n_jobs: int | None = None,
) -> Neighbors:
    """The exact k nearest (or farthest) rows of each query, without storing all distances.

    Parameters
    ----------
    distances : Distances
    k : int
        At most the number of candidate rows.
    farthest : bool
    resolution : float
        Distances are rounded to multiples of this before they are ranked. 0 means no rounding.
    queries : int array, optional
        The queries to process. Default: all.
    candidates : int array, optional
        The rows that can be neighbors. Default: all.
    exclude_self : bool
        Whether the queries are the rows themselves, and no row is its own neighbor.
    n_jobs : int, optional
        Number of threads. If None, as many as OpenMP may use.

    Returns
    -------
    Neighbors

    Notes
    -----
    A block of queries is compared with a tile of rows in single precision. The minima over parts of the tile give an
    upper bound on the k-th smallest value, so that only the few values within this bound, plus twice the error, can be
    among the k best. Exact distances are computed for these alone.
    """
    asked = np.arange(distances.n_queries) if queries is None else queries
    blocks = [asked[part] for part in slices(len(asked), QUERIES)]
    among = None if candidates is None else np.unique(candidates)
    search = BlockSearch(distances, k, farthest, resolution, among, exclude_self)
    answers = parallel_map(search, blocks, n_jobs, report=True)
    if not answers:
        return Neighbors(np.zeros((0, k), dtype=np.int64), np.zeros((0, k)))
    rows, lengths = zip(*answers, strict=True)
    return Neighbors(np.concatenate(rows), np.concatenate(lengths))


@dataclass(frozen=True)
class BlockSearch:
    """Search for one block of queries at a time. Parameters as for :func:`exact_search`, with candidates ascending."""

    distances: Distances
    k: int
    farthest: bool
    resolution: float
    candidates: IntArray | None
    exclude_self: bool

    def __call__(self, queries: IntArray, double: bool = False) -> tuple[IntArray, FloatArray]:
        """The neighbors of some queries, and their distances."""
        positions, rows, values = self._close(queries, double)
        if self.distances.is_exact(double):
            lengths = self.distances.to_distance(self.sign * values)
        elif len(rows) > MANY * self.k * len(queries) and not double:
            return self(queries, double=True)
        else:
            lengths = self.distances.exact(queries[positions], rows)
        return self.top_k(queries, positions, rows, lengths)

    @property
    def sign(self) -> int:
        """1 for nearest and −1 for farthest rows, so that smaller values are better."""
        return -1 if self.farthest else 1

    def _close(self, queries: IntArray, double: bool) -> tuple[IntArray, IntArray, FloatArray]:
        """(position of the query, row, value) of all pairs that may be among the k best."""
        smallest = np.full((len(queries), self.k), np.inf)
        found = []
        for columns in self._columns():
            values = self.values(queries, columns, double=double)
            smallest = update_smallest(smallest, values, self.k)
            inside = np.flatnonzero(values <= self.bound(smallest, queries, double)[:, None])
            positions, offsets = np.divmod(inside, values.shape[1])
            rows = columns.start + offsets if isinstance(columns, slice) else columns[offsets]
            found.append((positions, rows, values.ravel()[inside]))
        positions, rows, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
        kept = values <= self.bound(smallest, queries, double)[positions]
        return positions[kept], rows[kept], values[kept]

    def values(self, queries: IntArray, columns: Any, *, double: bool = False) -> FloatArray:
        """Values between queries and rows (a slice, or ascending numbers); smaller is better."""
        values: FloatArray = self.distances.approx(queries, columns, double=double)
        if self.farthest:
            values = -values
        if self.exclude_self:
            _exclude_self(values, queries, columns)
        return values

    def _columns(self) -> Iterable[Any]:
        if self.candidates is None:
            return tiles(self.distances.n)
        return (self.candidates[tile] for tile in tiles(len(self.candidates)))

    def bound(self, smallest: FloatArray, queries: IntArray, double: bool = False) -> FloatArray:
        """The largest value that one of the k best can have."""
        last = smallest[:, self.k - 1]
        if not np.isfinite(last).all():
            return np.full(len(last), np.inf)
        if self.resolution:
            rounded = self.distances.to_distance(self.sign * last) + self.sign * self.resolution
            widened = self.sign * self.distances.to_value(np.maximum(rounded, 0.0))
            last = np.maximum(last, widened)
        error = 0.0 if self.distances.is_exact(double) else 2 * self.distances.error_bound(queries, double=double)
        return np.asarray(last + error)

    def top_k(
        self, queries: IntArray, positions: IntArray, rows: IntArray, lengths: FloatArray
    ) -> tuple[IntArray, FloatArray]:
        """The k best candidates of each query, of which each has at least k. ``positions`` are those of their queries.

        Ties for the last places are broken by the distances before rounding (or before the collapse).
        """
        ranked = self.sign * (np.rint(lengths / self.resolution) if self.resolution else lengths)
        order = np.lexsort((rows, ranked, positions))
        starts = np.searchsorted(positions[order], np.arange(len(queries) + 1))
        last = ranked[order[starts[:-1] + self.k - 1]]
        more = starts[:-1] + self.k < starts[1:]  # queries with more than k candidates, where the k-th may be tied
        more[more] = ranked[order[starts[:-1][more] + self.k]] == last[more]
        if self.resolution and more.any():
            tied = np.flatnonzero(more[positions] & (ranked == last[positions]))
            before = np.zeros(len(rows))
            before[tied] = self.sign * self.distances.breaks_tie(queries[positions[tied]], rows[tied])
            order = np.lexsort((rows, before, ranked, positions))
        first = order[starts[:-1, None] + np.arange(self.k)]
        return rows[first], lengths[first]


def update_smallest(smallest: FloatArray, values: FloatArray, k: int) -> FloatArray:
    """Approximately the k smallest values seen so far, with the largest of them last."""
    parts = max(CHUNKS, 8 * k)
    depth = values.shape[1] // parts
    if depth > 1:
        values = values[:, : parts * depth].reshape(len(values), depth, parts).min(axis=1)
    joined = np.concatenate([smallest, values], axis=1)
    return np.partition(joined, k - 1, axis=1)[:, :k]


def _exclude_self(values: FloatArray, queries: IntArray, columns: Any) -> None:
    """Set the value between a query and itself to infinity."""
    if isinstance(columns, slice):
        here = np.flatnonzero((queries >= columns.start) & (queries < columns.stop))
        values[here, queries[here] - columns.start] = np.inf
    else:
        offsets = np.searchsorted(columns, queries)
        offsets[offsets == len(columns)] = 0
        here = np.flatnonzero(columns[offsets] == queries)
        values[here, offsets[here]] = np.inf


# -- each distance once -------------------------------------------------------------------------------------------


def use_symmetry(distances: Distances, *, exclude_self: bool) -> bool:
    """Whether to compute each distance only once. It is worthwhile for sparse rows, if there are several tiles."""
    symmetric = isinstance(distances, Euclidean | Cosine) and exclude_self
    return symmetric and not distances.dense and len(tiles(distances.n)) > 1


def symmetric_search(
    distances: Distances, k: int, *, farthest: bool = False, resolution: float = 0.0, n_jobs: int | None = None
) -> Neighbors:
    """The k best rows of each row, computing each distance only once for both rows.

    Parameters and result are those of :func:`exact_search`.

    Notes
    -----
    A block of rows is compared with its own tile and with later ones, and the values in a later tile are used for the
    rows there as well. This saves nearly half of the distances, at the cost of bookkeeping.
    """
    blocks = [
        np.arange(start, min(start + QUERIES, tile.stop))
        for tile in tiles(distances.n)
        for start in range(tile.start, tile.stop, QUERIES)
    ]
    search = _SymmetricSearch(BlockSearch(distances, k, farthest, resolution, candidates=None, exclude_self=True))
    parallel_map(search.compare, blocks, n_jobs, report=True)
    search.sort_candidates()
    rows, lengths = zip(*parallel_map(search.answer, blocks, n_jobs), strict=True)
    return Neighbors(np.concatenate(rows), np.concatenate(lengths))


class _SymmetricSearch:
    """The k smallest values of each row so far, and the candidates within the bound that they imply."""

    def __init__(self, search: BlockSearch) -> None:
        n = search.distances.n
        self._search = search
        self._max_candidates = MANY * search.k
        self._smallest = np.full((n, search.k), np.inf)
        self._bound = np.full(n, np.inf)
        self._count = np.zeros(n, dtype=np.int64)
        self._candidates: list[tuple[IntArray, IntArray, FloatArray]] = []
        self._tiles = [(tile, Lock()) for tile in tiles(n)]

    def compare(self, block: IntArray) -> None:
        """Compare a block of rows with all rows of its tile and of later tiles."""
        first = int(block[0])
        own, *later = (each for each in self._tiles if each[0].stop > first)
        for tile, lock in (own, *later):
            values = self._search.values(block, tile)
            others = np.arange(tile.start, tile.stop)
            with own[1]:
                self._update(block, others, values)
            if tile is not own[0]:
                with lock:
                    self._update(others, block, values.T)

    def _update(self, rows: IntArray, others: IntArray, values: FloatArray) -> None:
        """Update the candidates by the values between some rows and others."""
        hit = np.flatnonzero((values <= self._bound[rows, None]).any(axis=1))
        rows, values = rows[hit], values[hit]
        smallest = self._smallest[rows] = update_smallest(self._smallest[rows], values, self._search.k)
        # Rows with too many candidates at about the same distance are searched separately.
        bound = np.where(self._count[rows] > self._max_candidates, -np.inf, self._search.bound(smallest, rows))
        positions, offsets = np.nonzero(values <= bound[:, None])
        self._bound[rows] = bound
        self._count[rows] += np.bincount(positions, minlength=len(rows))
        self._candidates.append((rows[positions], others[offsets], values[positions, offsets]))

    def sort_candidates(self) -> None:
        """Sort the candidates by row, and drop those that no longer satisfy the bound."""
        self._bound[self._count > self._max_candidates] = -np.inf
        rows, others, values = (np.concatenate(parts) for parts in zip(*self._candidates, strict=True))
        kept = np.flatnonzero(values <= self._bound[rows])
        kept = kept[np.argsort(rows[kept], kind="stable")]
        self._rows, self._others = rows[kept], others[kept]

    def answer(self, block: IntArray) -> tuple[IntArray, FloatArray]:
        """The best candidates by exact distances; rows with too many candidates are searched separately."""
        search = self._search
        found, lengths = np.empty((len(block), search.k), dtype=np.int64), np.empty((len(block), search.k))
        few = self._count[block] <= self._max_candidates
        if few.any():
            some = slice(*np.searchsorted(self._rows, [block[0], block[-1] + 1]))
            rows, others = self._rows[some], self._others[some]
            positions = (np.cumsum(few) - 1)[rows - block[0]]
            exact = search.distances.exact(rows, others)
            found[few], lengths[few] = search.top_k(block[few], positions, others, exact)
        if not few.all():
            found[~few], lengths[~few] = search(block[~few])
        return found, lengths


# -- few features -------------------------------------------------------------------------------------------------


def tree_search(distances: Euclidean, k: int, *, exclude_self: bool = True, n_jobs: int | None = None) -> Neighbors:
    """The k nearest rows of each query by a k-d tree, with the same result as :func:`exact_search`.

    A tree breaks ties arbitrarily. If the k-th and the next row are tied, :func:`exact_search` is used for the query.
    """
    asked = np.asarray(distances.queries, dtype=np.float64)
    count = min(k + int(exclude_self) + 1, distances.n)
    tree = KDTree(np.asarray(distances.X, dtype=np.float64))
    lengths, rows = tree.query(asked, np.arange(1, count + 1), workers=n_jobs or n_threads())
    if exclude_self:
        # If many rows coincide, the query itself may not be among the results; the last one is dropped then.
        extra = rows == np.arange(len(asked))[:, None]
        extra[~extra.any(axis=1), -1] = True
        lengths, rows = (table[~extra].reshape(len(asked), count - 1) for table in (lengths, rows))
    tied = np.zeros(len(asked), dtype=np.bool_)
    if lengths.shape[1] > k:
        tied = lengths[:, k] <= lengths[:, k - 1] * (1 + EQUAL)
    near, found = lengths[:, :k], rows[:, :k]
    order = np.lexsort((found, near), axis=1)
    found, near = np.take_along_axis(found, order, axis=1), np.take_along_axis(near, order, axis=1)
    if tied.any():
        exact = exact_search(distances, k, queries=np.flatnonzero(tied), exclude_self=exclude_self, n_jobs=n_jobs)
        found[tied], near[tied] = exact.rows, exact.distances
    return Neighbors(found, near)
