"""The kind of data, which determines how rows are compared."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
from scipy import sparse

from ..linalg._unit_rows import squared_lengths

MAX_RANGE_RATIO = 3.0
"""Columns are on one scale if most of their ranges are within this factor of each other."""

MOSTLY_ZEROS = 0.75
"""Dense nonnegative integers are counts (as of words) if at least this share of them is zero."""


class DataKind(StrEnum):
    """The kind of data, which determines how rows are compared."""

    COUNTS = "counts"
    """Word counts: converted to tf-idf weights, then treated as text."""
    TEXT = "text"
    """Weights of words: rows of unit length, compared by cosine similarity."""
    ONE_SCALE = "table of one scale"
    """Numbers on a common scale, such as spectra or embeddings: not rescaled."""
    TABLE = "table"
    """Numbers on different scales: each column is standardized."""
    MIXED = "mixed"
    """Categories, or columns of several types, which :class:`TableFeatures` has scaled."""
    IMAGES = "images"
    """Pixels: not rescaled."""

    @property
    def has_words(self) -> bool:
        """Whether columns are words, and rows are compared by cosine similarity."""
        return self in (DataKind.COUNTS, DataKind.TEXT)

    @property
    def metric(self) -> str:
        """The distance by which rows are compared: "cosine" or "euclidean"."""
        return "cosine" if self.has_words else "euclidean"


def kind_of(X: Any) -> DataKind:
    """Determine the kind of data from the values of a matrix.

    Sparse matrices, and dense rows of unit length without negative entries, are text. Nonnegative integers are counts
    if the matrix is sparse, or if three quarters of the values are zero. A table is on one scale if most columns have
    similar ranges, as for pixels or spectra. Mixed tables and images cannot be recognized by their values;
    :class:`TableFeatures` determines these.

    Parameters
    ----------
    X : (n, f) array or sparse matrix

    Returns
    -------
    DataKind

    Examples
    --------
    >>> str(kind_of(np.array([[0.0, 10.0], [1.0, 90.0]])))
    'table'
    >>> str(kind_of(sparse.csr_array([[0, 2], [1, 0]])))
    'counts'
    """
    values = X.data if sparse.issparse(X) else X
    if sparse.issparse(X) or np.mean(X == 0) >= MOSTLY_ZEROS:
        whole = values.size > 0 and values.min() >= 0 and bool(np.all(values == np.floor(values)))
        if whole and values.max() > 0:
            return DataKind.COUNTS
    if sparse.issparse(X) or _are_directions(X):
        return DataKind.TEXT
    return DataKind.ONE_SCALE if on_one_scale(X) else DataKind.TABLE


def _are_directions(X: Any) -> bool:
    """Whether dense rows have unit length and no negative entries, like tf-idf weights."""
    return bool(np.allclose(squared_lengths(X), 1.0, atol=1e-4) and X.min() >= 0 and X.shape[1] > 2)


def on_one_scale(X: Any) -> bool:
    """Whether the 90 % and 10 % quantiles of the ranges of columns (except constant ones) are within a factor of 3.

    This holds for pixels, spectra and standardized columns. It is always false for sparse data.

    >>> on_one_scale(np.array([[0.0, 1.0], [1.0, 3.0]])), on_one_scale(np.array([[0.0, 10.0], [1.0, 90.0]]))
    (True, False)
    """
    if sparse.issparse(X):
        return False
    ranges = np.ptp(X, axis=0)
    low, high = np.quantile(ranges[ranges > 0], [0.1, 0.9]) if ranges.any() else (1.0, 1.0)
    return bool(high < MAX_RANGE_RATIO * low)
