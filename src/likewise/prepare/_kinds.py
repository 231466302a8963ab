"""The kind of data: decided here, once, and carried from then on."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
from scipy import sparse

from ..linalg._unit_rows import squared_lengths

MAX_RANGE_RATIO = 3.0
"""Columns are of one scale if most of their ranges lie within this factor of each other."""

MOSTLY_ZEROS = 0.75
"""Dense whole numbers are counts, as of words, if so much of the table is zero."""


class DataKind(StrEnum):
    """What rows are, and so how they are compared."""

    COUNTS = "counts"
    """how often each word is in each row: tf-idf, then as text"""
    TEXT = "text"
    """weights of words: rows of unit length, compared by their direction"""
    ONE_SCALE = "table of one scale"
    """numbers whose columns are taken as they are, as spectra or embeddings"""
    TABLE = "table"
    """numbers, each column brought to variance 1"""
    MIXED = "mixed"
    """categories, or columns of several kinds, that :class:`TableFeatures` has brought to one scale"""
    IMAGES = "images"
    """pixels, taken as they are"""

    @property
    def has_words(self) -> bool:
        """Whether columns are words, and rows are compared by their direction."""
        return self in (DataKind.COUNTS, DataKind.TEXT)

    @property
    def metric(self) -> str:
        """The distance by which rows are compared: "cosine" or "euclidean"."""
        return "cosine" if self.has_words else "euclidean"


def kind_of(X: Any) -> DataKind:
    """The kind of data that a matrix holds, by its values alone.

    Sparse data is text, and so are dense rows of unit length without negative entries; whole numbers without
    negative ones are counts if they are sparse, or zero for three quarters. A table is of one scale if most ranges of
    its columns are alike, as in pixels or spectra. Whether columns were mixed or pixels cannot be seen here:
    :class:`TableFeatures` knows.

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
    """Whether dense rows are of unit length without negative entries, as tf-idf weights are."""
    return bool(np.allclose(squared_lengths(X), 1.0, atol=1e-4) and X.min() >= 0 and X.shape[1] > 2)


def on_one_scale(X: Any) -> bool:
    """Whether the 90 % and 10 % quantiles of the ranges of columns (constant ones left out) are within a factor of 3.

    So it is for pixels, spectra and standardized columns. Sparse data never is.

    >>> on_one_scale(np.array([[0.0, 1.0], [1.0, 3.0]])), on_one_scale(np.array([[0.0, 10.0], [1.0, 90.0]]))
    (True, False)
    """
    if sparse.issparse(X):
        return False
    ranges = np.ptp(X, axis=0)
    low, high = np.quantile(ranges[ranges > 0], [0.1, 0.9]) if ranges.any() else (1.0, 1.0)
    return bool(high < MAX_RANGE_RATIO * low)
