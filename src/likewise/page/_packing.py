"""Encoding numbers for a page: positions on a grid, arrays as base64."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np

from .._arrays import FloatArray

GRID = 65_535
"""Number of grid steps of a position, finer than any screen; also the code for "none" among cluster numbers."""


def on_grid(places: FloatArray) -> FloatArray:
    """Positions as integers from 0 to 65,535, with the same scale in both directions; outliers are moved to the edge.

    Parameters
    ----------
    places : (n, 2) array

    Returns
    -------
    (n, 2) array

    Examples
    --------
    >>> on_grid(np.array([[0.0, 0.0], [2.0, 1.0]])).tolist()
    [[16218.0, 24493.0], [49317.0, 41042.0]]
    """
    low, high = np.percentile(places, [0.5, 99.5], axis=0)
    middle = (low + high) / 2
    span = float((high - low).max()) or 1.0
    return np.round(np.clip((places - middle) / (2.0 * span) + 0.5, 0, 1) * GRID)


def packed(values: Any, dtype: str) -> str:
    """Encode an array as text.

    Parameters
    ----------
    values : array-like
    dtype : str
        With its byte order, such as "<u2".

    Returns
    -------
    str
        Base64.
    """
    return b64encode(np.ascontiguousarray(values).astype(dtype).tobytes()).decode()
