"""A metric for each cluster, as MPCK-means learns them: a weight for each feature, or a whole matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg, sparse
from sklearn.utils.extmath import row_norms

from ...._arrays import FloatArray, IntArray
from ...._saved import Saved, check_shape
from ....linalg._products import crossprod64, matmul64
from ....linalg._row_matrix import indicator
from ....prepare._kinds import on_one_scale
from .._points import dense

MIN_VARIANCE = 1e-3
"""No variance of a cluster counts as less than this share of the pooled variance."""


class Metrics(ABC):
    """Metrics A_h of all clusters, the same for all at first: the inverse of the prior variance.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    n_clusters : int
    shared : bool
        Learn one for all clusters.
    farthest : {"box", "pair"}
    shrink : float in [0, 1)
        Variances of clusters are moved this far toward the prior variance, which is the same for every feature, or,
        with ``shrink`` and features on different scales, the variance of each.

    Attributes
    ----------
    values : (k, f) or (k, f, f) array
    log_det : (k,) array
    row_cost : (k,) array
        What each cluster costs a row wherever it lies: s/(1−s) ⟨A_h, prior⟩ − 1/(1−s) log det A_h, with s the
        shrinkage. So A_h is the best metric for its rows if each row comes with s/(1−s) imaginary rows that vary around
        the center as the prior does.
    far : (k,) array
        ‖x' − x''‖² under each metric.
    """

    values: FloatArray
    log_det: FloatArray
    row_cost: FloatArray
    _pooled: FloatArray
    _prior: FloatArray

    def __init__(self, X: Any, n_clusters: int, *, shared: bool, farthest: str, shrink: float = 0.0) -> None:
        self.n_clusters = n_clusters
        self._shared = shared
        self._shrink = shrink
        self._equal_prior = shrink == 0 or sparse.issparse(X) or on_one_scale(X)
        self._X = X if farthest == "pair" else None
        self._mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
        low, high = dense(X.min(axis=0)), dense(X.max(axis=0))
        self._range = (high - low).ravel().astype(np.float64)

    @abstractmethod
    def lengths(self, rows: Any, centers: FloatArray | None = None) -> FloatArray:
        """‖row − center_h‖² under A_h for each row and cluster; from zero where there are no centers."""

    @abstractmethod
    def dual(self, cluster: int, vector: FloatArray, columns: Any = slice(None)) -> FloatArray:
        """A_h v for a vector (or each row of a table) that has values in some columns only.

        For a diagonal metric the answer has these columns, too.
        """

    @abstractmethod
    def scatter(self, rows: Any, weight: sparse.csr_array) -> FloatArray:
        """Σ_i weight_hi · x_i x_iᵀ (or its diagonal) for each h."""

    @abstractmethod
    def cross(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Σ_i ½ (u_i v_iᵀ + v_i u_iᵀ) (or its diagonal) over the rows of two tables."""

    @abstractmethod
    def _outer(self, vectors: FloatArray) -> FloatArray:
        """v vᵀ (or its diagonal) for each vector v."""

    @abstractmethod
    def _best(self, variance: FloatArray) -> Self:
        """The metrics with these inverses, no variance below the bound."""

    def cost(self, spread: FloatArray, together: FloatArray) -> float:
        """What violated constraints cost: Σ_h ⟨A_h, spread_h⟩ + together_h · ‖x' − x''‖²; see :class:`.Violations`."""
        return float((self.values * spread).sum() + self.far @ together)

    def learned(self, X: Any, centers: FloatArray, labels: IntArray, spread: FloatArray, together: FloatArray) -> Self:
        """The best metrics for these labels: Eq. 7 of the paper, A_h = |X_h| (…)⁻¹.

        ``spread`` and ``together`` are what violated constraints add to the spread of the clusters, as in :meth:`cost`.
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
        variance = _times(1 / sizes, total)
        if self._shrink:
            variance = (1 - self._shrink) * variance + self._shrink * self._prior
        return self._best(variance)

    def _set_row_cost(self) -> None:
        self.row_cost = -self.log_det
        if self._shrink:
            inner_products = (self.values * self._prior).reshape(self.n_clusters, -1).sum(axis=1)
            self.row_cost = (self._shrink * inner_products - self.log_det) / (1 - self._shrink)

    @cached_property
    def far(self) -> FloatArray:
        """‖x' − x''‖² under each metric."""
        return np.array([self.lengths(v[None])[0, h] for h, v in enumerate(self._apart)])

    @cached_property
    def _apart(self) -> FloatArray:
        """x' − x'' for each cluster."""
        if self._X is None:
            return np.tile(self._range, (self.n_clusters, 1))
        start = np.tile(self._mean, (self.n_clusters, 1))
        one = dense(self._X[self.lengths(self._X, start).argmax(axis=0)])
        other = dense(self._X[self.lengths(self._X, one).argmax(axis=0)])
        return (one - other).astype(np.float64)

    def _again(self) -> Self:
        """A copy to be given other values."""
        again = copy(self)
        for cached in ("far", "_apart"):  # computed from the values of before
            again.__dict__.pop(cached, None)
        return again


def _check_values(metrics: Any) -> None:
    f = metrics.values.shape[1]
    check_shape(metrics.values, (metrics.n_clusters, f), "values")
    check_shape(metrics.row_cost, (metrics.n_clusters,), "row_cost")


def _check_factors(metrics: Any) -> None:
    f = metrics._factors.shape[1]
    check_shape(metrics._factors, (metrics.n_clusters, f, f), "_factors")
    check_shape(metrics.row_cost, (metrics.n_clusters,), "row_cost")


class DiagonalMetrics(Metrics):
    """A weight for each feature."""

    _saved: ClassVar[Saved] = Saved(("n_clusters", "values", "row_cost"), check=_check_values)

    def __init__(self, X: Any, n_clusters: int, *, shared: bool, farthest: str, shrink: float = 0.0) -> None:
        super().__init__(X, n_clusters, shared=shared, farthest=farthest, shrink=shrink)
        square = np.asarray(_square(X).mean(axis=0, dtype=np.float64)).ravel()
        pooled = np.maximum(square - self._mean**2, 0.0)
        mean = pooled.mean() or 1.0
        # A constant feature does not matter, whatever its weight.
        self._pooled = np.where(pooled > 1e-12 * mean, pooled, mean)
        self._prior = np.full_like(self._pooled, mean) if self._equal_prior else self._pooled
        self._set(np.tile(self._prior, (n_clusters, 1)))

    def _set(self, variance: FloatArray) -> None:
        self.values = 1 / np.maximum(variance, MIN_VARIANCE * self._pooled)
        self.log_det = np.log(self.values).sum(axis=1)
        self._set_row_cost()

    def lengths(self, rows: Any, centers: FloatArray | None = None) -> FloatArray:
        """‖row − center_h‖² under A_h."""
        lengths = matmul64(_square(rows), self.values.T)
        if centers is not None:
            weighted = self.values * centers
            lengths -= 2 * matmul64(rows, weighted.T)
            lengths += np.einsum("hj,hj->h", weighted, centers)
        return np.maximum(lengths, 0.0)

    def dual(self, cluster: int, vector: FloatArray, columns: Any = slice(None)) -> FloatArray:
        """A_h v."""
        return self.values[cluster, columns] * vector

    def scatter(self, rows: Any, weight: sparse.csr_array) -> FloatArray:
        """The diagonal of Σ_i weight_hi · x_i x_iᵀ."""
        return dense(crossprod64(weight.T.tocsr(), _square(rows)))

    def cross(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """The diagonal of Σ_i u_i v_iᵀ."""
        return np.einsum("ij,ij->j", left, right)

    def _outer(self, vectors: FloatArray) -> FloatArray:
        return vectors**2

    def _best(self, variance: FloatArray) -> Self:
        best = self._again()
        best._set(variance)
        return best


class FullMetrics(Metrics):
    """A matrix for each cluster."""

    _saved: ClassVar[Saved] = Saved(("n_clusters", "values", "row_cost", "_factors"), check=_check_factors)

    def __init__(self, X: Any, n_clusters: int, *, shared: bool, farthest: str, shrink: float = 0.0) -> None:
        super().__init__(X, n_clusters, shared=shared, farthest=farthest, shrink=shrink)
        centered = X - self._mean
        f = X.shape[1]
        pooled = centered.T @ centered / len(X)
        mean = np.trace(pooled) / f or 1.0
        self._pooled = pooled + 1e-6 * mean * np.eye(f)
        spread, axes = linalg.eigh(self._pooled)
        self._root = axes * np.sqrt(spread)  # pooled = root rootᵀ
        self._whiten = axes / np.sqrt(spread)  # whitenᵀ · pooled · whiten = I
        if self._equal_prior:
            self._prior = mean * np.eye(f)
            # The largest scalar metric that respects the bound on variances.
            self._set(np.tile(np.eye(f) / np.sqrt(max(mean, MIN_VARIANCE * spread[-1])), (n_clusters, 1, 1)))
        else:
            self._prior = np.diag(self._pooled.diagonal())
            self._set(self._best_factors(np.tile(self._prior, (n_clusters, 1, 1))))

    def _set(self, factors: FloatArray) -> None:
        """A_h = factor factorᵀ."""
        self._factors = factors
        self.values = factors @ factors.transpose(0, 2, 1)
        self.log_det = np.linalg.slogdet(self.values)[1]
        self._set_row_cost()

    def lengths(self, rows: Any, centers: FloatArray | None = None) -> FloatArray:
        """‖row − center_h‖² under A_h."""
        columns = []
        for h, factor in enumerate(self._factors):
            moved = (rows if centers is None else rows - centers[h]) @ factor
            columns.append(row_norms(moved, squared=True))
        return np.column_stack(columns)

    def dual(self, cluster: int, vector: FloatArray, columns: Any = slice(None)) -> FloatArray:
        """A_h v."""
        return vector @ self.values[cluster][columns]

    def cross(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Σ_i ½ (u_i v_iᵀ + v_i u_iᵀ)."""
        product = left.T @ right
        return (product + product.T) / 2

    def scatter(self, rows: Any, weight: sparse.csr_array) -> FloatArray:
        """Σ_i weight_hi · x_i x_iᵀ."""
        # Each h touches only the rows it weighs.
        found = []
        for h in range(self.n_clusters):
            start, stop = weight.indptr[h], weight.indptr[h + 1]
            chosen = rows[weight.indices[start:stop]]
            found.append((chosen * weight.data[start:stop, None]).T @ chosen)
        return np.array(found, dtype=np.float64)

    def _outer(self, vectors: FloatArray) -> FloatArray:
        return vectors[:, :, None] * vectors[:, None, :]

    def _best(self, variance: FloatArray) -> Self:
        best = self._again()
        best._set(self._best_factors(variance))
        return best

    def _best_factors(self, variance: FloatArray) -> FloatArray:
        # min tr(A V) − log det A with A ⪯ pooled⁻¹ / MIN_VARIANCE: in the whitened space, clip the eigenvalues of V.
        whitened = self._whiten.T @ variance @ self._whiten
        spread, axes = np.linalg.eigh((whitened + whitened.transpose(0, 2, 1)) / 2)
        return self._whiten @ (axes / np.sqrt(np.maximum(spread, MIN_VARIANCE))[:, None, :])


def _times(scalars: FloatArray, arrays: FloatArray) -> FloatArray:
    return arrays * scalars.reshape(-1, *[1] * (arrays.ndim - 1))


def _square(rows: Any) -> Any:
    return rows.multiply(rows).tocsr() if sparse.issparse(rows) else rows * rows
