"""Small charts of one column: a cluster against all other rows."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from .._arrays import FloatArray
from ._markup import Html, element

BINS = 18
WIDTH, HEIGHT = 108, 26


def histogram(inside: FloatArray, outside: FloatArray) -> Html:
    """Two histograms of relative frequencies: a cluster, filled, over all other rows, in gray."""
    both = np.concatenate([inside, outside])
    both = both[np.isfinite(both)]
    low, high = np.percentile(both, [1, 99]) if len(both) else (0.0, 1.0)
    if high <= low:
        low, high = float(both.min(initial=low)), float(both.max(initial=high))
    if high <= low:
        high = low + 1.0
    edges = np.linspace(low, high, BINS + 1)
    shares = []
    for values in (outside, inside):
        known = values[np.isfinite(values)]
        counts = np.histogram(np.clip(known, low, high), edges)[0]
        shares.append(counts / max(len(known), 1))
    top = max(float(max(share.max() for share in shares)), 1e-9)
    paths = [
        element("path", d=_steps(share / top), class_=name) for share, name in zip(shares, ("rest", "own"), strict=True)
    ]
    return element(
        "svg",
        *paths,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        class_="histogram",
        aria_hidden="true",
    )


def share_bar(inside: float, outside: float) -> Html:
    """A bar for a share of a cluster, with a mark at the share of all other rows."""
    mark = round(WIDTH * outside, 1)
    return element(
        "svg",
        element("rect", x=0, y=7, width=WIDTH, height=12, class_="track"),
        element("rect", x=0, y=7, width=round(WIDTH * inside, 1), height=12, class_="own"),
        element("line", x1=mark, x2=mark, y1=2, y2=24, class_="mark"),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        class_="histogram",
        aria_hidden="true",
    )


def _steps(heights: FloatArray) -> str:
    step = WIDTH / len(heights)
    places = [f"M0 {HEIGHT}"]
    for number, height in enumerate(heights):
        y = round(HEIGHT - float(height) * (HEIGHT - 1), 1)
        places.append(f"L{number * step:.1f} {y:g}L{(number + 1) * step:.1f} {y:g}")
    return "".join([*places, f"L{WIDTH} {HEIGHT}Z"])


def shown_number(value: float) -> str:
    """Format a number with three significant digits, or as an integer if it is one or at least 1000.

    >>> [shown_number(value) for value in (0.01234, -3, 12.345, 1065.2, 2345678.0, float("nan"))]
    ['0.0123', '−3', '12.3', '1,065', '2,345,678', '–']
    """
    if not np.isfinite(value):
        return "–"
    if value == int(value) or abs(value) >= 1000:
        shown = f"{value:,.0f}"
    else:
        shown = f"{value:.3g}" if abs(value) >= 1e-4 else f"{value:.1e}"
    return shown.replace("-", "−")


def shown_month(seconds: float) -> str:
    """Format a date in seconds since 1970 as year and month, which is as short as a number.

    >>> shown_month(86_400.0)
    '1970-01'
    """
    return shown_date(seconds)[:7]


def shown_date(seconds: float) -> str:
    """Format a date in seconds since 1970 as year, month and day.

    >>> shown_date(86_400.0)
    '1970-01-02'
    """
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}" if np.isfinite(seconds) else "–"
