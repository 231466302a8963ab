"""The metrics of MPCK-means, one for each cluster: a weight for each feature, or a matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg, sparse
from sklearn.utils.extmath import row_norms

from ...._arrays import FloatArray, IntArray
from ...._saved import Saved, check_shape
from ....chunked import Chunked
from ....linalg._products import crossprod64, matmul64
from ....linalg._row_matrix import indicator
from ....prepare._kinds import on_one_scale
from .._points import blocks, dense

MIN_VARIANCE = 1e-3
"""Lower bound on the variance of a cluster, relative to the pooled variance."""


@dataclass(frozen=True)
class Spread:
    """Means, ranges and variances of all rows.

    Attributes
    ----------
    mean, low, high : (f,) arrays
    pooled : (f,) or (f, f) array
        The variances of the features, or their covariance.
    sparse : bool
        Whether rows are sparse.
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray
    pooled: FloatArray
    sparse: bool = False

    @classmethod
    def of(cls, X: Any, weight: FloatArray | None = None, *, full: bool) -> Spread:
        """Compute from (weighted) rows in memory."""
        mean = _mean(X, weight)
        low, high = (dense(extreme).ravel().astype(np.float64) for extreme in (X.min(axis=0), X.max(axis=0)))
        if not full:
            return cls(mean, low, high, np.maximum(_mean(_square(X), weight) - mean**2, 0.0), sparse.issparse(X))
        centered = X - mean
        scaled, count = (centered, len(X)) if weight is None else (centered * weight[:, None], weight.sum())
        return cls(mean, low, high, scaled.T @ centered / count)


class Metrics(ABC):
    """Metrics A_h of all clusters, initialized to the inverse of the prior variance.

    Parameters
    ----------
    X : (n, f) array, CSR matrix or Chunked
    spread : Spread
        Statistics of these rows.
    n_clusters : int
    shared : bool
        Whether all clusters share one metric.
    farthest : {"box", "pair"}
    shrink : float in [0, 1)
        Shrinkage of the variances of clusters toward the prior variance, which is the same for every feature, or the
        variance of each feature if ``shrink`` is positive and features are on different scales.

    Attributes
    ----------
    values : (k, f) or (k, f, f) array
    log_det : (k,) array
    row_cost : (k,) array
        The cost of a row in each cluster that does not depend on the row: s/(1−s) ⟨A_h, prior⟩ − 1/(1−s) log det A_h,
        with s the shrinkage. It corresponds to s/(1−s) pseudo-rows per row, with the prior variance around the center.
    far : (k,) array
        ‖x' − x''‖² under each metric.
    """

    values: FloatArray
    log_det: FloatArray
    row_cost: FloatArray
    _pooled: FloatArray
    _prior: FloatArray

    def __init__(
        self, X: Any, spread: Spread, n_clusters: int, *, shared: bool, farthest: str, shrink: float = 0.0
    ) -> None:
        self.n_clusters = n_clusters
        self._shared = shared
        self._shrink = shrink
        ranges = np.stack([spread.low, spread.high])
        self._equal_prior = shrink == 0 or spread.sparse or on_one_scale(ranges)
        self._X = X if farthest == "pair" else None
        self._mean = spread.mean
        self._range = spread.high - spread.low

    @abstractmethod
    def lengths(self, rows: Any, centers: FloatArray | None = None) -> FloatArray:
        """‖row − center_h‖² under A_h for each row and cluster; ‖row‖² without centers."""

    @abstractmethod
    def dual(self, cluster: int, vector: FloatArray, columns: Any = slice(None)) -> FloatArray:
        """A_h v for a vector (or each row of a table) that has values in some columns only.

        For a diagonal metric the result has only these columns.
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
        """The metrics that are the inverses of these variances, subject to the lower bound."""

    def cost(self, spread: FloatArray, together: FloatArray) -> float:
        """The total penalty Σ_h ⟨A_h, spread_h⟩ + together_h · ‖x' − x''‖²; see :class:`.Violations`."""
        return float((self.values * spread).sum() + self.far @ together)

    def learned(
        self,
        X: Any,
        centers: FloatArray,
        labels: IntArray,
        spread: FloatArray,
        together: FloatArray,
        weight: FloatArray | None = None,
    ) -> Self:
        """The optimal metrics for these labels: Eq. 7 of the paper, A_h = |X_h| (…)⁻¹.

        ``spread`` and ``together`` are the contributions of violated constraints, as in :meth:`cost`.
        """
        sizes, scatter = self.summed(X, labels, weight)
        return self.learned_from(sizes, scatter, centers, spread, together)

    def summed(self, X: Any, labels: IntArray, weight: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """The sizes of the clusters, and the scatter of their rows around zero."""
        k = self.n_clusters
        sizes = np.bincount(labels, weight, minlength=k).astype(np.float64)
        members = sparse.csr_array(indicator(labels, k).T)
        if weight is not None:
            members = sparse.csr_array(members * weight)
        return sizes, self.scatter(X, members)

    def learned_from(
        self, sizes: FloatArray, scatter: FloatArray, centers: FloatArray, spread: FloatArray, together: FloatArray
    ) -> Self:
        """The same from sizes and scatter, which are modified in place."""
        total = scatter
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
        one = self._farthest_from(np.tile(self._mean, (self.n_clusters, 1)))
        return (one - self._farthest_from(one)).astype(np.float64)

    def _farthest_from(self, places: FloatArray) -> FloatArray:
        """The row that is farthest from a point under each metric."""
        if not isinstance(self._X, Chunked):
            assert self._X is not None
            return dense(self._X[self.lengths(self._X, places).argmax(axis=0)])
        found: Farthest = self._X.fold(partial(farthest, metrics=self.lean(), places=places))
        return found.rows

    def lean(self) -> Self:
        """A copy without the rows, to be sent to workers; it cannot compute ‖x' − x''‖²."""
        lean = copy(self)
        lean._X = None
        return lean

    def moved_to(self, values: FloatArray) -> Self:
        """A copy with other metrics, subject to the bound on variances, and the same prior and rows."""
        return self._best(self._inverses(values))

    @abstractmethod
    def _inverses(self, values: FloatArray) -> FloatArray:
        """The variances whose inverses are the metrics."""

    def _again(self) -> Self:
        """A copy without cached values, for other metrics."""
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

    def __init__(
        self, X: Any, spread: Spread, n_clusters: int, *, shared: bool, farthest: str, shrink: float = 0.0
    ) -> None:
        super().__init__(X, spread, n_clusters, shared=shared, farthest=farthest, shrink=shrink)
        pooled = spread.pooled
        mean = pooled.mean() or 1.0
        # The weight of a constant feature does not matter.
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

    def _inverses(self, values: FloatArray) -> FloatArray:
        return 1 / values

    def _best(self, variance: FloatArray) -> Self:
        best = self._again()
        best._set(variance)
        return best


class FullMetrics(Metrics):
    """A matrix for each cluster."""

    _saved: ClassVar[Saved] = Saved(("n_clusters", "values", "row_cost", "_factors"), check=_check_factors)

    def __init__(
        self, X: Any, spread: Spread, n_clusters: int, *, shared: bool, farthest: str, shrink: float = 0.0
    ) -> None:
        super().__init__(X, spread, n_clusters, shared=shared, farthest=farthest, shrink=shrink)
        pooled = spread.pooled
        f = len(pooled)
        mean = np.trace(pooled) / f or 1.0
        self._pooled = pooled + 1e-6 * mean * np.eye(f)
        sizes, axes = linalg.eigh(self._pooled)
        self._root = axes * np.sqrt(sizes)  # pooled = root rootᵀ
        self._whiten = axes / np.sqrt(sizes)  # whitenᵀ · pooled · whiten = I
        if self._equal_prior:
            self._prior = mean * np.eye(f)
            # The largest multiple of the identity that satisfies the bound on variances.
            self._set(np.tile(np.eye(f) / np.sqrt(max(mean, MIN_VARIANCE * sizes[-1])), (n_clusters, 1, 1)))
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
        # Each h only involves the rows with nonzero weight.
        found = []
        for h in range(self.n_clusters):
            start, stop = weight.indptr[h], weight.indptr[h + 1]
            chosen = rows[weight.indices[start:stop]]
            found.append((chosen * weight.data[start:stop, None]).T @ chosen)
        return np.array(found, dtype=np.float64)

    def _outer(self, vectors: FloatArray) -> FloatArray:
        return vectors[:, :, None] * vectors[:, None, :]

    def _inverses(self, values: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.inv(values), dtype=np.float64)

    def _best(self, variance: FloatArray) -> Self:
        best = self._again()
        best._set(self._best_factors(variance))
        return best

    def _best_factors(self, variance: FloatArray) -> FloatArray:
        # min tr(A V) − log det A with A ⪯ pooled⁻¹ / MIN_VARIANCE: in the whitened space, clip the eigenvalues of V.
        whitened = self._whiten.T @ variance @ self._whiten
        spread, axes = np.linalg.eigh((whitened + whitened.transpose(0, 2, 1)) / 2)
        return self._whiten @ (axes / np.sqrt(np.maximum(spread, MIN_VARIANCE))[:, None, :])


@dataclass(frozen=True, eq=False)
class Farthest:
    """The rows farthest from some points, and their distances; the first, if tied."""

    lengths: FloatArray
    rows: FloatArray

    def __add__(self, other: Farthest) -> Farthest:
        farther = other.lengths > self.lengths
        return Farthest(
            np.where(farther, other.lengths, self.lengths), np.where(farther[:, None], other.rows, self.rows)
        )


def farthest(rows: Any, first: int, *, metrics: Metrics, places: FloatArray) -> Farthest:
    """The rows of a leaf that are farthest from a point under each metric."""
    k = metrics.n_clusters
    found = Farthest(np.full(k, -1.0), np.zeros(places.shape))
    for some in blocks(rows.shape[0], rows.shape[1] + k):
        lengths = metrics.lengths(rows[some], places)
        place = lengths.argmax(axis=0)
        found += Farthest(lengths[place, np.arange(k)], dense(rows[some][place]).astype(np.float64))
    return found


def _mean(X: Any, weight: FloatArray | None) -> FloatArray:
    if weight is None:
        return np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    return np.asarray(X.T @ weight).ravel() / weight.sum()


def _times(scalars: FloatArray, arrays: FloatArray) -> FloatArray:
    return arrays * scalars.reshape(-1, *[1] * (arrays.ndim - 1))


def _square(rows: Any) -> Any:
    return rows.multiply(rows).tocsr() if sparse.issparse(rows) else rows * rows
