"""The width δ of a Gaussian kernel K = exp(−d²/2δ²)."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from .._sklearn import Interval, StrOptions

DELTA = [StrOptions({"median"}), Interval(Real, 0, None, closed="neither")]
"""What the parameter ``delta`` may be."""

SAMPLE = 1500
"""Rows, evenly spaced, among which the median is taken."""


def median_distance(X: Any) -> float:
    """The median distance between two rows, exact up to 1,500 rows."""
    n = X.shape[0]
    some = X if n <= SAMPLE else X[np.linspace(0, n - 1, SAMPLE).astype(int)]
    distances = euclidean_distances(some)
    median = float(np.median(distances[np.triu_indices_from(distances, 1)]))
    return median if median > 0 else 1.0


def resolve_delta(delta: float | str, X: Any) -> float:
    """The number behind ``delta``; warns where a kernel so narrow makes every collapsed group everybody's neighbor."""
    median = median_distance(X)
    if isinstance(delta, str):
        return median
    if delta < median / 2:
        warnings.warn(
            f"delta={delta:g} is less than half of the median distance between rows ({median:g}): at that width "
            "must-linked groups become everybody's neighbors and the result collapses. Use delta='median' or larger.",
            stacklevel=4,
        )
    return float(delta)
