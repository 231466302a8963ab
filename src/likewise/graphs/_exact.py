"""Exact search for the nearest or farthest rows, by any distance and in little memory."""

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
"""Queries that are answered together."""

CHUNKS = 64
"""Parts of a tile whose smallest values bound the k-th smallest; at least eight times k."""

MANY = 64
"""So many candidates for each neighbor are too many for single precision: the block is computed again in double."""

EQUAL = 1e-12
"""Distances by a tree that differ by less than this share of them are equal."""


@dataclass(frozen=True)
class Neighbors:
    """The rows that a search found for each query.

    Attributes
    ----------
    rows : (q, k) int array
        Best first; of equals the lower index first.
    distances : (q, k) array
    recall : float
        The share of the true neighbors that were found: 1 for an exact search, else measured on a sample.
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
    """The k nearest (or farthest) rows of each query, exact, without ever holding all distances.

    Parameters
    ----------
    distances : Distances
    k : int
        At most the number of rows there are to choose from.
    farthest : bool
    resolution : float
        Distances are rounded to multiples of it before they are ranked. 0: as they are.
    queries : int array, optional
        Only these queries.
    candidates : int array, optional
        Only these rows can be neighbors.
    exclude_self : bool
        Queries are the rows: none is its own neighbor.
    n_jobs : int, optional
        Threads. None: as many as OpenMP may use.

    Returns
    -------
    Neighbors

    Notes
    -----
    A block of queries is compared with a tile of rows in single precision. The smallest values of parts of the tile
    bound the k-th smallest of all, so few entries can be among the k best: those within the bound and twice the error
    of the values. The exact distances of these are then computed, pair by pair.
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
    """The search for one block of queries at a time; parameters as for :func:`exact_search`, candidates ascending."""

    distances: Distances
    k: int
    farthest: bool
    resolution: float
    candidates: IntArray | None
    exclude_self: bool

    def __call__(self, queries: IntArray, double: bool = False) -> tuple[IntArray, FloatArray]:
        """Rows and distances of some queries."""
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
        """What makes the smaller the better."""
        return -1 if self.farthest else 1

    def _close(self, queries: IntArray, double: bool) -> tuple[IntArray, IntArray, FloatArray]:
        """(position of the query, row, value) of all that may be among the k best."""
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
        """From queries to rows (a slice, or ascending): the smaller, the better."""
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
        """Of candidates, the k first of each query; each has k or more. ``positions`` are those of their queries.

        Where several tie for the last places, those that were nearer before rounding (or collapse) come first.
        """
        ranked = self.sign * (np.rint(lengths / self.resolution) if self.resolution else lengths)
        order = np.lexsort((rows, ranked, positions))
        starts = np.searchsorted(positions[order], np.arange(len(queries) + 1))
        last = ranked[order[starts[:-1] + self.k - 1]]
        more = starts[:-1] + self.k < starts[1:]  # is there one after the k-th, and does it tie?
        more[more] = ranked[order[starts[:-1][more] + self.k]] == last[more]
        if self.resolution and more.any():
            tied = np.flatnonzero(more[positions] & (ranked == last[positions]))
            before = np.zeros(len(rows))
            before[tied] = self.sign * self.distances.breaks_tie(queries[positions[tied]], rows[tied])
            order = np.lexsort((rows, before, ranked, positions))
        first = order[starts[:-1, None] + np.arange(self.k)]
        return rows[first], lengths[first]


def update_smallest(smallest: FloatArray, values: FloatArray, k: int) -> FloatArray:
    """k of the values seen so far, about the smallest; the largest of them last."""
    parts = max(CHUNKS, 8 * k)
    depth = values.shape[1] // parts
    if depth > 1:
        values = values[:, : parts * depth].reshape(len(values), depth, parts).min(axis=1)
    joined = np.concatenate([smallest, values], axis=1)
    return np.partition(joined, k - 1, axis=1)[:, :k]


def _exclude_self(values: FloatArray, queries: IntArray, columns: Any) -> None:
    """No query is its own neighbor."""
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
    """Whether to compute each distance once: between sparse rows, which are slow to compare, of several tiles."""
    symmetric = isinstance(distances, Euclidean | Cosine) and exclude_self
    return symmetric and not distances.dense and len(tiles(distances.n)) > 1


def symmetric_search(
    distances: Distances, k: int, *, farthest: bool = False, resolution: float = 0.0, n_jobs: int | None = None
) -> Neighbors:
    """The k best rows of each row, each distance computed once for both of its ends.

    Parameters and result are those of :func:`exact_search`.

    Notes
    -----
    A block of rows is compared with its own tile and with those after it, and the values in a later tile also count for
    the rows there. That saves nearly half of the distances, at the cost of bookkeeping.
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
    """For each row the k smallest values so far, and the candidates that they leave."""

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
        """A block of rows with all that lie in its tile or after it."""
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
        """Take in the values from some rows to others."""
        hit = np.flatnonzero((values <= self._bound[rows, None]).any(axis=1))
        rows, values = rows[hit], values[hit]
        smallest = self._smallest[rows] = update_smallest(self._smallest[rows], values, self._search.k)
        # Where too many are about equally near, candidates are no longer kept.
        bound = np.where(self._count[rows] > self._max_candidates, -np.inf, self._search.bound(smallest, rows))
        positions, offsets = np.nonzero(values <= bound[:, None])
        self._bound[rows] = bound
        self._count[rows] += np.bincount(positions, minlength=len(rows))
        self._candidates.append((rows[positions], others[offsets], values[positions, offsets]))

    def sort_candidates(self) -> None:
        """The candidates by row, without those that have dropped out meanwhile."""
        self._bound[self._count > self._max_candidates] = -np.inf
        rows, others, values = (np.concatenate(parts) for parts in zip(*self._candidates, strict=True))
        kept = np.flatnonzero(values <= self._bound[rows])
        kept = kept[np.argsort(rows[kept], kind="stable")]
        self._rows, self._others = rows[kept], others[kept]

    def answer(self, block: IntArray) -> tuple[IntArray, FloatArray]:
        """The best of the candidates, by their exact distances; rows with too many of them are searched alone."""
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
    """The k nearest rows of each query by a k-d tree; as :func:`exact_search`, also where rows tie.

    A tree gives any of the rows that are equally far. Where the k-th and the next are, :func:`exact_search` decides.
    """
    asked = np.asarray(distances.queries, dtype=np.float64)
    count = min(k + int(exclude_self) + 1, distances.n)
    tree = KDTree(np.asarray(distances.X, dtype=np.float64))
    lengths, rows = tree.query(asked, np.arange(1, count + 1), workers=n_jobs or n_threads())
    if exclude_self:
        # Of many rows in one place the query itself may be missing: then the last one goes.
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
