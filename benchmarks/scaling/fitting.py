"""The exponent of a curve, in a power law of the time over the size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Curve = Sequence[tuple[float, float]]
"""Values and seconds, in ascending order of values."""

LEAST_S = 0.05
"""Shorter times are mostly overhead, and are not fitted."""

LAST = 4
"""Number of points at the upper end that are fitted, since the exponent is about large data."""


def exponent(curve: Curve) -> float:
    """The slope of log seconds over log values, by least squares, at the upper end of the curve.

    NaN if fewer than two points take 0.05 s: then nothing is known but that it is quick.

    Examples
    --------
    >>> round(exponent([(10, 0.001), (100, 0.1), (1000, 10.0), (10_000, 1000.0)]), 6)
    2.0
    >>> exponent([(10, 0.01), (100, 0.02), (1000, 0.06)])
    nan
    """
    upper = [(value, seconds) for value, seconds in curve if seconds >= LEAST_S][-LAST:]
    if len(upper) < 2:
        return float("nan")
    value, seconds = np.log(np.array(upper)).T
    return float(np.polyfit(value, seconds, 1)[0])


def predicted(curve: Curve, value: float) -> float:
    """Predicted seconds at the next value, extrapolated from the last two points.

    One point says nothing of growth, and none nothing at all: then it is the same again, and 0.

    Examples
    --------
    >>> predicted([(10, 1.0), (100, 100.0)], 1000)
    10000.0
    >>> predicted([(10, 1.0)], 100)
    1.0
    """
    if not curve:
        return 0.0
    (last, seconds) = curve[-1]
    slope = 0.0
    if len(curve) > 1:
        (before, less) = curve[-2]
        slope = max(np.log(seconds / less) / np.log(last / before), 0.0)
    return float(seconds * (value / last) ** slope)
