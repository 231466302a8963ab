"""A metric for each cluster, as MPCK-means learns them: a weight a feature, or a whole matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg, sparse
from sklearn.utils.extmath import row_norms

from ...._saved import Saved, check_shape
from ....linalg._products import crossprod64, matmul64
from ....linalg._row_matrix import indicator
from .._points import Array, dense

LEAST = 1e-3
"""No variance of a cluster counts as less than this share of the pooled variance."""


class Metrics(ABC):
    """Metrics A_h of all clusters, the same for all at first: 1 / mean variance.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    n_clusters : int
    shared : bool
        Learn one for all clusters.
    farthest : {"box", "pair"}

    Attributes
    ----------
    values : (k, f) or (k, f, f) array
    log_det : (k,) array
    far : (k,) array
        ‖x' − x''‖² under each metric.
    """

    values: Array
    log_det: Array
    _pooled: Array

    def __init__(self, X: Any, n_clusters: int, *, shared: bool, farthest: str) -> None:
        self.n_clusters, self._shared = n_clusters, shared
        self._X = X if farthest == "pair" else None
        self._mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
        low, high = dense(X.min(axis=0)), dense(X.max(axis=0))
        self._range = (high - low).ravel().astype(np.float64)

    @abstractmethod
    def lengths(self, rows: Any, centers: Array | None = None) -> Array:
        """‖row − center_h‖² under A_h for each row and cluster; from zero where there are no centers."""

    @abstractmethod
    def dual(self, cluster: int, vector: Array, columns: Any = slice(None)) -> Array:
        """A_h v for a vector (or each row of a table) that has values in some columns only.

        For a diagonal metric the answer has these columns, too.
        """

    @abstractmethod
    def scatter(self, rows: Any, weight: sparse.csr_array) -> Array:
        """Σ_i weight_hi · x_i x_iᵀ (or its diagonal) for each h."""

    @abstractmethod
    def cross(self, left: Array, right: Array) -> Array:
        """Σ_i ½ (u_i v_iᵀ + v_i u_iᵀ) (or its diagonal) over the rows of two tables."""

    @abstractmethod
    def _outer(self, vectors: Array) -> Array:
        """v vᵀ (or its diagonal) for each vector v."""

    @abstractmethod
    def _best(self, variance: Array) -> Self:
        """The metrics with these inverses, no variance less than allowed."""

    def cost(self, spread: Array, together: Array) -> float:
        """What broken hints cost: Σ_h ⟨A_h, spread_h⟩ + together_h · ‖x' − x''‖²; see :class:`.Violations`."""
        return float((self.values * spread).sum() + self.far @ together)

    def learned(self, X: Any, centers: Array, labels: Array, spread: Array, together: Array) -> Self:
        """The best metrics for these labels: Eq. 7 of the paper, A_h = |X_h| (…)⁻¹.

        ``spread`` and ``together`` are what the broken hints add to the spread of the clusters, as in :meth:`cost`.
        """
        k = self.n_clusters
        sizes = np.bincount(labels, minlength=k).astype(np.float64)
        total = self.scatter(X, sparse.csr_array(indicator(labels, k).T))
        total -= _times(sizes, self._outer(centers.astype(float)))
        total += spread + _times(together, self._outer(self._apart))
        if self._shared:
            total[:], sizes[:] = total.sum(axis=0), sizes.sum()
        empty = sizes == 0
        total[empty], sizes[empty] = self._pooled, 1.0
        return self._best(_times(1 / sizes, total))

    @cached_property
    def far(self) -> Array:
        """‖x' − x''‖² under each metric."""
        return np.array([self.lengths(v[None])[0, h] for h, v in enumerate(self._apart)])

    @cached_property
    def _apart(self) -> Array:
        """x' − x'' for each cluster."""
        if self._X is None:
            return np.tile(self._range, (self.n_clusters, 1))
        start = np.tile(self._mean, (self.n_clusters, 1))
        ends = [dense(self._X[self.lengths(self._X, start).argmax(axis=0)])]
        ends.append(dense(self._X[self.lengths(self._X, ends[0]).argmax(axis=0)]))
        return (ends[0] - ends[1]).astype(np.float64)

    def _again(self) -> Self:
        """A copy to be given other values."""
        again = copy(self)
        for found in ("far", "_apart"):  # they belong to the values of before
            again.__dict__.pop(found, None)
        return again


def _check_values(metrics: Any) -> None:
    f = metrics.values.shape[1]
    check_shape(metrics.values, (metrics.n_clusters, f), "values")
    check_shape(metrics.log_det, (metrics.n_clusters,), "log_det")


def _check_factors(metrics: Any) -> None:
    f = metrics._factors.shape[1]
    check_shape(metrics._factors, (metrics.n_clusters, f, f), "_factors")
    check_shape(metrics.log_det, (metrics.n_clusters,), "log_det")


class DiagonalMetrics(Metrics):
    """A weight for each feature."""

    _saved: ClassVar[Saved] = Saved(("n_clusters", "values", "log_det"), check=_check_values)

    def __init__(self, X: Any, n_clusters: int, *, shared: bool, farthest: str) -> None:
        super().__init__(X, n_clusters, shared=shared, farthest=farthest)
        square = np.asarray(_square(X).mean(axis=0, dtype=np.float64)).ravel()
        pooled = np.maximum(square - self._mean**2, 0.0)
        mean = pooled.mean() or 1.0
        # A feature that never varies says nothing, whatever its weight.
        self._pooled = np.where(pooled > 1e-12 * mean, pooled, mean)
        self.values = np.tile(1 / np.maximum(mean, LEAST * self._pooled), (n_clusters, 1))
        self.log_det = np.log(self.values).sum(axis=1)

    def lengths(self, rows: Any, centers: Array | None = None) -> Array:
        """‖row − center_h‖² under A_h."""
        lengths = matmul64(_square(rows), self.values.T)
        if centers is not None:
            weighted = self.values * centers
            lengths -= 2 * matmul64(rows, weighted.T)
            lengths += np.einsum("hj,hj->h", weighted, centers)
        return np.maximum(lengths, 0.0)

    def dual(self, cluster: int, vector: Array, columns: Any = slice(None)) -> Array:
        """A_h v."""
        return self.values[cluster, columns] * vector

    def scatter(self, rows: Any, weight: sparse.csr_array) -> Array:
        """The diagonal of Σ_i weight_hi · x_i x_iᵀ."""
        return dense(crossprod64(weight.T.tocsr(), _square(rows)))

    def cross(self, left: Array, right: Array) -> Array:
        """The diagonal of Σ_i u_i v_iᵀ."""
        return np.einsum("ij,ij->j", left, right)

    def _outer(self, vectors: Array) -> Array:
        return vectors**2

    def _best(self, variance: Array) -> Self:
        best = self._again()
        best.values = 1 / np.maximum(variance, LEAST * self._pooled)
        best.log_det = np.log(best.values).sum(axis=1)
        return best


class FullMetrics(Metrics):
    """A matrix for each cluster."""

    _saved: ClassVar[Saved] = Saved(("n_clusters", "values", "log_det", "_factors"), check=_check_factors)

    def __init__(self, X: Any, n_clusters: int, *, shared: bool, farthest: str) -> None:
        super().__init__(X, n_clusters, shared=shared, farthest=farthest)
        centered = X - self._mean
        f = X.shape[1]
        pooled = centered.T @ centered / len(X)
        mean = np.trace(pooled) / f or 1.0
        self._pooled = pooled + 1e-6 * mean * np.eye(f)
        spread, axes = linalg.eigh(self._pooled)
        self._root = axes * np.sqrt(spread)  # pooled = root rootᵀ
        self._whiten = axes / np.sqrt(spread)  # whitenᵀ · pooled · whiten = I
        # The largest scalar metric that respects the bound on variances.
        self._set(np.tile(np.eye(f) / np.sqrt(max(mean, LEAST * spread[-1])), (n_clusters, 1, 1)))

    def _set(self, factors: Array) -> None:
        """A_h = factor factorᵀ."""
        self._factors = factors
        self.values = factors @ factors.transpose(0, 2, 1)
        self.log_det = np.linalg.slogdet(self.values)[1]

    def lengths(self, rows: Any, centers: Array | None = None) -> Array:
        """‖row − center_h‖² under A_h."""
        columns = []
        for h, factor in enumerate(self._factors):
            moved = (rows if centers is None else rows - centers[h]) @ factor
            columns.append(row_norms(moved, squared=True))
        return np.column_stack(columns)

    def dual(self, cluster: int, vector: Array, columns: Any = slice(None)) -> Array:
        """A_h v."""
        return vector @ self.values[cluster][columns]

    def cross(self, left: Array, right: Array) -> Array:
        """Σ_i ½ (u_i v_iᵀ + v_i u_iᵀ)."""
        product = left.T @ right
        return (product + product.T) / 2

    def scatter(self, rows: Any, weight: sparse.csr_array) -> Array:
        """Σ_i weight_hi · x_i x_iᵀ."""
        # Each h touches only the rows it weighs.
        found = []
        for h in range(self.n_clusters):
            start, stop = weight.indptr[h], weight.indptr[h + 1]
            chosen = rows[weight.indices[start:stop]]
            found.append((chosen * weight.data[start:stop, None]).T @ chosen)
        return np.array(found, dtype=np.float64)

    def _outer(self, vectors: Array) -> Array:
        return vectors[:, :, None] * vectors[:, None, :]

    def _best(self, variance: Array) -> Self:
        # min tr(A V) − log det A with A ⪯ pooled⁻¹ / LEAST: in the whitened space, clip the eigenvalues of V.
        whitened = self._whiten.T @ variance @ self._whiten
        spread, axes = np.linalg.eigh((whitened + whitened.transpose(0, 2, 1)) / 2)
        best = self._again()
        best._set(self._whiten @ (axes / np.sqrt(np.maximum(spread, LEAST))[:, None, :]))
        return best


def _times(scalars: Array, arrays: Array) -> Array:
    return arrays * scalars.reshape(-1, *[1] * (arrays.ndim - 1))


def _square(rows: Any) -> Any:
    return rows.multiply(rows).tocsr() if sparse.issparse(rows) else rows * rows
