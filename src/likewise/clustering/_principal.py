"""scikit-learn's PCA and TruncatedSVD for those who wait for them: how far they are is foretold from a sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA, TruncatedSVD

from .._foresight import foreseen

STEPS = (16, 16)
"""Every so many rows and columns are in the sample."""

SPARE = 10
"""Directions beyond those asked for that a randomized search carries along: scikit-learn's default."""

SPARSE_SIDE, DENSE_SIDE = 0.12, 0.9
"""In a randomized search, what a row or column costs for each direction, beside an entry of X: measured."""

ENTRY = 1000
"""What an entry of X costs beside a multiplication, where X is multiplied out: it is checked, centered and moved."""


def fit_transform(model: Any, X: Any) -> np.ndarray:
    """``model.fit_transform(X)``; where somebody listens, PCA and TruncatedSVD tell how far they are.

    Parameters
    ----------
    model : transformer
        Any; others than those two tell what they tell by themselves.
    X : (n, f) array or CSR matrix

    Examples
    --------
    >>> fit_transform(PCA(1), np.array([[0.0, 0.0], [3.0, 4.0]])).round(2).ravel().tolist()
    [-2.5, 2.5]
    """
    if not isinstance(model, PCA | TruncatedSVD) or not isinstance(model.n_components, int):
        return model.fit_transform(X)
    direct = isinstance(model, PCA) and _by_covariance(model, X.shape)

    def work(rows: Any) -> np.ndarray:
        if rows is X:
            return model.fit_transform(X)
        other = clone(model).set_params(n_components=min(model.n_components, *rows.shape))
        if isinstance(other, PCA):
            other.set_params(svd_solver="covariance_eigh" if direct else "randomized")
        return other.fit_transform(rows)

    def multiplied_out(rows: Any) -> float:
        return float(rows.size * (min(rows.shape) + ENTRY))

    def randomized(rows: Any) -> float:
        entries, side = (rows.nnz, SPARSE_SIDE) if sparse.issparse(rows) else (rows.size, DENSE_SIDE)
        return float(entries + side * (model.n_components + SPARE) * sum(rows.shape))

    return foreseen(work, X, cost=multiplied_out if direct else randomized, steps=STEPS)


def _by_covariance(model: PCA, shape: tuple[int, int]) -> bool:
    """Whether PCA multiplies the data out: where it was told to, or tables are tall."""
    n, f = shape
    return model.svd_solver == "covariance_eigh" or (model.svd_solver == "auto" and f <= 1000 and n >= 10 * f)
