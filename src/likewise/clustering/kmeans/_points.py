"""Weighted points and their centers, shared by all k-means methods.

A point is a row or a whole must-link group. With m_g the mean of the rows of group g,

    Σ_{i ∈ g} ‖x_i − c‖²  =  |g| ‖m_g − c‖²  +  Σ_{i ∈ g} ‖x_i − m_g‖²      for every c,

where the last sum is constant. So k-means with hard must-links is weighted k-means on group means. The same holds for
cosine k-means, with rows and centers of unit length and ‖x − c‖² = 2 − 2 cos.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy import sparse

from ..._arrays import BoolArray, FloatArray, IntArray, slices
from ..._threads import parallel_map
from ...linalg._row_matrix import indicator
from ...linalg._unit_rows import squared_lengths, unit_rows

BLOCK = 2**22
"""Number of values held at once."""

IN_CACHE = 2**18
"""Number of values that fit into the cache of a core: a block of rows and its distances."""

SPARSE_BLOCK = 2**20
"""Number of distances of sparse rows computed at once; larger, since each block copies its rows and the centers."""

FEW = 2**14
"""Up to this number of points × clusters a dense indicator matrix is faster than a sparse one."""


class PointSet(Protocol):
    """The protocol of points for the k-means loop: rows of a table, or of a kernel matrix."""

    n: int
    weight: FloatArray
    constant: float
    dtype: Any

    def blocks(self, n_centers: int) -> list[slice]:
        """Blocks of points whose distances to the centers are computed at once."""

    def squared_distances(self, centers: FloatArray, rows: Any = ...) -> FloatArray:
        """‖x − c‖² for all or some of the points."""

    def means(self, labels: IntArray, n_clusters: int) -> tuple[FloatArray, BoolArray]:
        """The optimal center of each cluster, and which clusters have one."""

    def take(self, rows: IntArray) -> FloatArray:
        """Some of the points, as centers."""


class Points:
    """Rows of a table, or means of their groups, with Euclidean or cosine centers.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    groups : (n,) ints, optional
        The group of each row, 0 to g − 1; the points are then the g group means.
    cosine : bool
        Whether to scale rows (except zero rows) and centers to unit length. The objective is then 2 Σ (1 − cos), with
        cos = 0 for zero rows.
    sample_weight : (n,) array, optional
        Positive weights of the rows.

    Attributes
    ----------
    rows : (n_points, f) array or CSR matrix
        Dense rows are centered, since distances by inner products lose precision far from the origin. Centers are not.
    weight : (n_points,) array
        The number of rows that each point represents, or their total weight.
    constant : float
        The objective on rows minus the objective on points.
    """

    def __init__(
        self,
        X: Any,
        groups: IntArray | None = None,
        *,
        cosine: bool = False,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.cosine, self.dtype = cosine, X.dtype
        rows = unit_rows(X) if cosine else X
        self._origin = origin(X) if not cosine else 0
        if not (cosine or sparse.issparse(X)):
            rows = X - self._origin
        self.weight = np.ones(rows.shape[0]) if sample_weight is None else sample_weight
        without_direction = float(self.weight[squared_lengths(rows) == 0].sum()) if cosine else 0.0
        self.constant = 0.0
        if groups is not None:
            squares = self._weighted_squares(rows, sample_weight)
            members = indicator(groups)
            if sample_weight is not None:
                members = sparse.csr_array(sparse.diags_array(sample_weight) @ members)
            self.weight = np.bincount(groups, sample_weight).astype(np.float64)
            rows = _as(members.T @ rows / self.weight[:, None], self.dtype)
            inside = squares - self.weight @ squared_lengths(rows).astype(np.float64)
            self.constant = max(float(inside), 0.0)
        self.rows = sparse.csr_array(rows) if sparse.issparse(rows) else rows
        self._dense = isinstance(self.rows, np.ndarray)
        self.n = self.rows.shape[0]
        self.norms = squared_lengths(self.rows)
        if cosine:
            self._drop_zero_rows(without_direction)
        self._even = bool((self.weight == 1).all())

    def blocks(self, n_centers: int) -> list[slice]:
        """Blocks of points whose distances to that many centers are best computed at once."""
        if self._dense:
            return blocks(self.n, n_centers + self.rows.shape[1], IN_CACHE)
        return blocks(self.n, n_centers, SPARSE_BLOCK)

    def squared_distances(self, centers: FloatArray, rows: Any = slice(None)) -> FloatArray:
        """‖x − c‖² from some points (by default all) to each center, clipped at zero."""
        centers = _as(centers - self._origin, self.dtype)
        twice = (-2 * centers).T
        distances = np.asarray(self._some(rows) @ (twice if self._dense else np.ascontiguousarray(twice)))
        distances += self.norms[rows][:, None]
        distances += 1 if self.cosine else squared_lengths(centers)
        return np.maximum(distances, 0, out=distances)

    def means(self, labels: IntArray, n_clusters: int) -> tuple[FloatArray, BoolArray]:
        """The optimal center of each cluster, and which clusters have one (not empty, and with nonzero direction)."""
        total = self._sums(labels, n_clusters)
        weight = np.bincount(labels, self.weight, minlength=n_clusters)
        length = np.sqrt(squared_lengths(total)) if self.cosine else weight
        alive = length > (1e-12 * weight if self.cosine else 0)
        np.divide(total, length[:, None], out=total, where=alive[:, None])
        total += self._origin
        return total.astype(self.dtype, copy=False), alive & (weight > 0)

    @staticmethod
    def _weighted_squares(rows: Any, weight: FloatArray | None) -> float:
        squares = squared_lengths(rows)
        return float(squares.sum(dtype=np.float64) if weight is None else weight @ squares)

    def _drop_zero_rows(self, n_rows: float) -> None:
        """Give zero rows weight 0, and add their cost (1 − cos = 1) to the constant."""
        zero = self.norms == 0
        self.constant += float(self.weight[zero].sum()) + n_rows
        self.weight = np.where(zero, 0.0, self.weight)

    def _sums(self, labels: IntArray, n_clusters: int) -> FloatArray:
        """Σ weight · row in each cluster, in double precision."""
        f = self.rows.shape[1]
        if not self._dense:
            # Add every stored value to the bin of its cluster and column: twice as fast as a sparse product.
            counts = np.diff(self.rows.indptr)
            bins = np.repeat(labels * f, counts) + self.rows.indices
            values = self.rows.data if self._even else self.rows.data * np.repeat(self.weight, counts)
            sums = np.bincount(bins, values, minlength=n_clusters * f).astype(np.float64, copy=False)
            return sums.reshape(n_clusters, f)
        total = np.zeros((n_clusters, f))
        for block in blocks(self.n, f, IN_CACHE):
            total += _weighted_indicator(labels[block], self.weight[block], n_clusters) @ self.rows[block]
        return total

    def take(self, rows: IntArray) -> FloatArray:
        """Some of the points, as centers."""
        chosen = dense(self.rows[rows])
        return unit_rows(chosen) if self.cosine else _as(chosen + self._origin, self.dtype)

    def _some(self, rows: Any) -> Any:
        # Slicing a sparse matrix copies it, so avoid that if all rows are needed.
        everything = not self._dense and isinstance(rows, slice) and rows.indices(self.n) == (0, self.n, 1)
        return self.rows if everything else self.rows[rows]


def origin(X: Any) -> Any:
    """The mean of dense rows; 0 for sparse rows, which are not centered."""
    return 0 if sparse.issparse(X) else X.mean(axis=0, dtype=np.float64).astype(X.dtype)


def blocks(n: int, width: int, size: int = BLOCK) -> list[slice]:
    """Slices over n rows such that a block of the given width has about ``size`` values."""
    return slices(n, max(size // max(width, 1), 256))


def nearest(points: PointSet, centers: FloatArray) -> tuple[IntArray, FloatArray]:
    """The nearest center of each point (the first, if tied), and the squared distance to it."""
    labels, distance, _ = nearest_and(points, centers, np.empty(0, dtype=np.int64))
    return labels, distance


def nearest_and(points: PointSet, centers: FloatArray, rows: IntArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """The nearest centers, and the squared distances of some points (ascending) to all centers."""
    labels, distance = np.empty(points.n, dtype=np.int64), np.empty(points.n)
    all_distances = np.empty((len(rows), len(centers)))

    def place(block: slice) -> None:
        distances = points.squared_distances(centers, block)
        labels[block] = found = distances.argmin(axis=1)
        distance[block] = distances[np.arange(len(distances)), found]
        if len(rows):
            start, stop = np.searchsorted(rows, [block.start, block.stop])
            all_distances[start:stop] = distances[rows[start:stop] - block.start]

    parallel_map(place, points.blocks(len(centers)))
    return labels, distance, all_distances


def _weighted_indicator(labels: IntArray, weight: FloatArray, n_clusters: int) -> Any:
    n = len(labels)
    if n * n_clusters <= FEW:
        return np.where(labels == np.arange(n_clusters)[:, None], weight, 0.0)
    return sparse.csc_array((weight, labels, np.arange(n + 1)), shape=(n_clusters, n))


def dense(rows: Any) -> FloatArray:
    """Rows as a dense array."""
    return rows.toarray() if sparse.issparse(rows) else np.asarray(rows)


def _as(rows: Any, dtype: Any) -> Any:
    return rows.astype(dtype, copy=False)


def combined(
    points: PointSet, rows: IntArray, labels: IntArray, distance: FloatArray, costs: FloatArray, constrained: IntArray
) -> tuple[IntArray, float]:
    """The labels of all points, those of ``rows`` replaced, and the objective."""
    labels[rows] = constrained
    total = points.weight * distance
    total[rows] = costs[np.arange(len(rows)), constrained]
    return labels, float(total.sum()) + points.constant
