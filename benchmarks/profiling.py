"""Profiles of our work of each row, on one thread, by Python's profiler."""

from __future__ import annotations

import cProfile
import pstats
import time
import warnings
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from likewise._threads import one_by_one

from .harness import ROWS, Row

PROFILES = Path(__file__).with_name("PROFILES.md")
COLUMNS = ("work", "seconds on one thread", "of which")
INTRODUCTION = """\
# Where the time goes

Written by `likewise-bench --profile`. Our work of each row is run once, on one thread, under Python's profiler, which
overestimates the time of short calls. Shares are of the time spent in a function itself, without the functions it
calls.
"""
NAMED, LEAST = 6, 0.02
"""Maximum number of functions that are listed, and their minimum share of the time."""


def profiled(name: str, quick: bool = False) -> dict[str, Any]:
    """Run our work of one row; returns its seconds, and the functions with the largest shares of them."""
    warnings.simplefilter("ignore")  # as when it is measured
    contest = ROWS[name].contest(quick)
    profile = cProfile.Profile()
    start = time.perf_counter()
    with threadpool_limits(1), one_by_one():
        profile.runcall(contest.ours)
    seconds = time.perf_counter() - start
    own: dict[str, float] = {}
    for place, (_, _, taken, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        label = spoken(*place)
        own[label] = own.get(label, 0.0) + taken
    total = sum(own.values()) or 1.0
    shares = sorted(((taken / total, label) for label, taken in own.items()), reverse=True)
    return {"seconds": seconds, "shares": [each for each in shares[:NAMED] if each[0] >= LEAST]}


def spoken(file: str, line: int, function: str) -> str:
    """A readable name of a function.

    >>> spoken("/x/site-packages/sklearn/utils/extmath.py", 3, "dot")
    'sklearn.utils.extmath.dot'
    >>> spoken("~", 0, "<built-in method scipy.sparse._sparsetools.csr_matvecs>")
    'scipy.sparse._sparsetools.csr_matvecs'
    """
    if file == "~":
        words = function.strip("<>").removeprefix("built-in method ").removeprefix("method ").replace("'", "")
        return words.split(" of ")[0]
    parts = Path(file).with_suffix("").parts
    known = [place for place, part in enumerate(parts) if part in ("likewise", "numpy", "scipy", "sklearn", "joblib")]
    module = ".".join(parts[known[-1] if known else -1 :])
    return f"{module}.{function}"


def line(row: Row, result: dict[str, Any]) -> list[str]:
    """A line of the table."""
    shares = ", ".join(f"`{label}` {share:.0%}" for share, label in result["shares"])
    return [row.work, f"{result['seconds']:.3g}", shares or "–"]
