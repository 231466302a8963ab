"""The best rows of all rows, where each distance is taken once and told to both of its ends."""

from __future__ import annotations

from threading import Lock

import numpy as np

from .._arrays import FloatArray, IntArray
from .._threads import parallel_map
from ._distances import Cosine, Distances, Euclidean
from ._exact import MANY, QUERIES, Found, Seeker, best, merged
from ._split import tiles


def pays(distances: Distances, *, themselves: bool) -> bool:
    """Whether to take each distance once: sparse rows among themselves, whose distances are dear, in several tiles."""
    both_ways = isinstance(distances, Euclidean | Cosine) and themselves
    return both_ways and not distances.dense and len(tiles(distances.n)) > 1


def mutual_search(
    distances: Distances, k: int, *, farthest: bool = False, unit: float = 0.0, n_jobs: int | None = None
) -> Found:
    """The k best rows of each row, by distances that are the same both ways.

    Parameters and answer are those of :func:`~likewise.graphs._exact.exact_search`.

    Notes
    -----
    A block of rows is compared with its own tile and with those after it, and what it finds in a later tile is told to
    the rows there, too. That saves nearly half of the distances and costs more books.
    """
    blocks = [
        np.arange(start, min(start + QUERIES, tile.stop))
        for tile in tiles(distances.n)
        for start in range(tile.start, tile.stop, QUERIES)
    ]
    books = _Books(Seeker(distances, k, -1 if farthest else 1, unit, among=None, themselves=True))
    parallel_map(books.compare, blocks, n_jobs, report=True)
    books.close()
    rows, apart = zip(*parallel_map(books.answer, blocks, n_jobs), strict=True)
    return Found(np.concatenate(rows), np.concatenate(apart))


class _Books:
    """For each row the k smallest values so far, and the candidates that they leave."""

    def __init__(self, seeker: Seeker) -> None:
        n = seeker.distances.n
        self._seeker, self._most = seeker, MANY * seeker.k
        self._smallest = np.full((n, seeker.k), np.inf)
        self._bound, self._count = np.full(n, np.inf), np.zeros(n, dtype=np.int64)
        self._candidates: list[tuple[IntArray, IntArray, FloatArray]] = []
        self._tiles = [(tile, Lock()) for tile in tiles(n)]

    def compare(self, block: IntArray) -> None:
        """A block of rows with all that lie in its tile or after it."""
        first = int(block[0])
        own, *later = (each for each in self._tiles if each[0].stop > first)
        for tile, lock in (own, *later):
            values = self._seeker.values(block, tile)
            others = np.arange(tile.start, tile.stop)
            with own[1]:
                self._tell(block, others, values)
            if tile is not own[0]:
                with lock:
                    self._tell(others, block, values.T)

    def _tell(self, rows: IntArray, others: IntArray, values: FloatArray) -> None:
        """Rows what others are to them."""
        hit = np.flatnonzero((values <= self._bound[rows, None]).any(axis=1))
        rows, values = rows[hit], values[hit]
        smallest = self._smallest[rows] = merged(self._smallest[rows], values, self._seeker.k)
        # Where too many are about equally near, candidates are no longer kept.
        bound = np.where(self._count[rows] > self._most, -np.inf, self._seeker.bound(smallest, rows))
        positions, places = np.nonzero(values <= bound[:, None])
        self._bound[rows] = bound
        self._count[rows] += np.bincount(positions, minlength=len(rows))
        self._candidates.append((rows[positions], others[places], values[positions, places]))

    def close(self) -> None:
        """The candidates by row, without those that have dropped out meanwhile."""
        self._bound[self._count > self._most] = -np.inf
        rows, others, values = (np.concatenate(parts) for parts in zip(*self._candidates, strict=True))
        kept = np.flatnonzero(values <= self._bound[rows])
        kept = kept[np.argsort(rows[kept], kind="stable")]
        self._rows, self._others = rows[kept], others[kept]

    def answer(self, block: IntArray) -> tuple[IntArray, FloatArray]:
        """The best of the candidates, by their exact distances; rows with too many of them are asked for alone."""
        seeker = self._seeker
        found, apart = np.empty((len(block), seeker.k), dtype=np.int64), np.empty((len(block), seeker.k))
        few = self._count[block] <= self._most
        if few.any():
            some = slice(*np.searchsorted(self._rows, [block[0], block[-1] + 1]))
            rows, others = self._rows[some], self._others[some]
            positions = (np.cumsum(few) - 1)[rows - block[0]]
            lengths = seeker.distances.of_pairs(rows, others)
            found[few], apart[few] = best(positions, others, lengths, few.sum(), seeker.k, seeker.sign, seeker.unit)
        if not few.all():
            found[~few], apart[~few] = seeker(block[~few])
        return found, apart
