"""The one search for nearest and farthest rows: by whichever distance, exact or approximate, in little memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import FloatArray, IntArray
from .._threads import parallel_map
from ._distances import Distances
from ._split import tiles

QUERIES = 256
"""Queries that are answered together."""

CHUNKS = 64
"""Parts of a tile whose smallest values bound the k-th smallest; at least eight times k."""

MANY = 64
"""So many candidates for each neighbor are too many for single precision: the block is looked at in double."""


@dataclass(frozen=True)
class Found:
    """The rows that a search found for each query.

    Attributes
    ----------
    rows : (q, k) ints
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
    unit: float = 0.0,
    queries: IntArray | None = None,
    among: IntArray | None = None,
    themselves: bool = True,
    n_jobs: int | None = None,
) -> Found:
    """The k nearest (or farthest) rows of each query, exact, without ever holding all distances.

    Parameters
    ----------
    distances : Distances
    k : int
        At most the number of rows there are to choose from.
    farthest : bool
    unit : float
        Distances are rounded to multiples of it before they are ranked; ties go to the lower index. 0: as they are.
    queries : ints, optional
        Only these.
    among : ints, optional
        Only these rows are looked at.
    themselves : bool
        Queries are the rows: none is its own neighbor.
    n_jobs : int, optional
        Threads. None: as many as OpenMP may use.

    Notes
    -----
    A block of queries is compared with a tile of rows in single precision. The smallest values of parts of the tile
    bound the k-th smallest of all, so few entries can be among the k best: those within the bound and twice the error
    of the values. Their exact distances are then taken, pair by pair.
    """
    asked = np.arange(distances.n_queries) if queries is None else queries
    blocks = [asked[start : start + QUERIES] for start in range(0, len(asked), QUERIES)]
    among = None if among is None else np.unique(among)

    def answer(some: IntArray) -> tuple[IntArray, FloatArray]:
        return block_search(distances, some, k, farthest=farthest, unit=unit, among=among, themselves=themselves)

    answers = parallel_map(answer, blocks, n_jobs, report=True)
    if not answers:
        return Found(np.zeros((0, k), dtype=np.int64), np.zeros((0, k)))
    rows, apart = zip(*answers, strict=True)
    return Found(np.concatenate(rows), np.concatenate(apart))


def block_search(
    distances: Distances,
    queries: IntArray,
    k: int,
    *,
    farthest: bool = False,
    unit: float = 0.0,
    among: IntArray | None = None,
    themselves: bool = True,
) -> tuple[IntArray, FloatArray]:
    """Rows and distances of one block of queries, as :func:`exact_search` finds them; ``among`` ascends."""
    return Seeker(distances, k, -1 if farthest else 1, unit, among, themselves)(queries)


@dataclass(frozen=True)
class Seeker:
    """Answers one block of queries at a time."""

    distances: Distances
    k: int
    sign: int
    unit: float
    among: IntArray | None
    themselves: bool

    def __call__(self, queries: IntArray, double: bool = False) -> tuple[IntArray, FloatArray]:
        """Rows and distances of some queries."""
        positions, rows, values = self._candidates(queries, double)
        if self.distances.settled(double):
            apart = self.distances.distance(self.sign * values)
        elif len(rows) > MANY * self.k * len(queries) and not double:
            return self(queries, double=True)
        else:
            apart = self.distances.of_pairs(queries[positions], rows)
        return best(positions, rows, apart, len(queries), self.k, self.sign, self.unit)

    def _candidates(self, queries: IntArray, double: bool) -> tuple[IntArray, IntArray, FloatArray]:
        """(position of the query, row, value) of all that may be among the k best."""
        smallest = np.full((len(queries), self.k), np.inf)
        seen = []
        for columns in self._columns():
            values = self.values(queries, columns, double=double)
            smallest = merged(smallest, values, self.k)
            inside = np.flatnonzero(values <= self.bound(smallest, queries, double)[:, None])
            positions, places = np.divmod(inside, values.shape[1])
            rows = columns.start + places if isinstance(columns, slice) else columns[places]
            seen.append((positions, rows, values.ravel()[inside]))
        positions, rows, close = (np.concatenate(parts) for parts in zip(*seen, strict=True))
        kept = close <= self.bound(smallest, queries, double)[positions]
        return positions[kept], rows[kept], close[kept]

    def values(self, queries: IntArray, columns: Any, *, double: bool = False) -> FloatArray:
        """Of queries to rows (a slice, or ascending): the smaller, the better."""
        values: FloatArray = self.distances.values(queries, columns, double=double)
        if self.sign < 0:
            values = -values
        if self.themselves:
            _leave_out(values, queries, columns)
        return values

    def _columns(self) -> Iterable[Any]:
        return tiles(self.distances.n) if self.among is None else (self.among[t] for t in tiles(len(self.among)))

    def bound(self, smallest: FloatArray, queries: IntArray, double: bool = False) -> FloatArray:
        """The largest value that one of the k best can show."""
        last = smallest[:, self.k - 1]
        if not np.isfinite(last).all():
            return np.full(len(last), np.inf)
        if self.unit:
            rounded = self.distances.distance(self.sign * last) + self.sign * self.unit
            widened = self.sign * self.distances.value(np.maximum(rounded, 0.0))
            last = np.maximum(last, widened)
        slack = 0.0 if self.distances.settled(double) else 2 * self.distances.slack(queries, double=double)
        return np.asarray(last + slack)


def best(
    positions: IntArray, rows: IntArray, apart: FloatArray, count: int, k: int, sign: int, unit: float
) -> tuple[IntArray, FloatArray]:
    """Of candidates, the k first of each query by (rounded) distance and index; each query has k or more."""
    ranked = sign * (np.rint(apart / unit) if unit else apart)
    order = np.lexsort((rows, ranked, positions))
    starts = np.searchsorted(positions[order], np.arange(count))
    first = order[starts[:, None] + np.arange(k)]
    return rows[first], apart[first]


def merged(smallest: FloatArray, values: FloatArray, k: int) -> FloatArray:
    """k values that are there, about the smallest so far; the k-th last."""
    parts = max(CHUNKS, 8 * k)
    depth = values.shape[1] // parts
    if depth > 1:
        values = values[:, : parts * depth].reshape(len(values), depth, parts).min(axis=1)
    joined = np.concatenate([smallest, values], axis=1)
    return np.partition(joined, k - 1, axis=1)[:, :k]


def _leave_out(values: FloatArray, queries: IntArray, columns: Any) -> None:
    """No query is its own neighbor."""
    if isinstance(columns, slice):
        here = np.flatnonzero((queries >= columns.start) & (queries < columns.stop))
        values[here, queries[here] - columns.start] = np.inf
    else:
        places = np.searchsorted(columns, queries)
        places[places == len(columns)] = 0
        here = np.flatnonzero(columns[places] == queries)
        values[here, places[here]] = np.inf
