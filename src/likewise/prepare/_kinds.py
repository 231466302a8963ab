"""Whether the features of a table are of one scale."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

ALIKE = 3.0
"""Features are of one scale if most ranges lie within this factor of each other."""


def on_one_scale(X: Any) -> bool:
    """Whether the 90 % and 10 % quantiles of the ranges of the features (constant ones left out) are within 3.

    So it is for pixels, spectra and standardized columns. Sparse data counts as not alike.

    >>> on_one_scale(np.array([[0.0, 1.0], [1.0, 3.0]])), on_one_scale(np.array([[0.0, 10.0], [1.0, 90.0]]))
    (True, False)
    """
    if sparse.issparse(X):
        return False
    ranges = np.ptp(X, axis=0)
    low, high = np.quantile(ranges[ranges > 0], [0.1, 0.9]) if ranges.any() else (1.0, 1.0)
    return bool(high < ALIKE * low)
