"""Comparison of the two versions: gains, shares of runs that hints made worse, and the requirements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from likewise.evaluation import Results

from ..accuracy.summary import MARGIN, PLAIN, Bar, Table, mean_of

BEHIND = 0.02
"""A run counts as worse than k-means if its score is lower by more than this."""

SELDOM = 0.04
GAIN = 0.01
SLOWER = 1.5


def number(value: float, form: str = ".3f") -> str:
    """A formatted number; a dash if there is none."""
    return "–" if np.isnan(value) else format(value, form)


class Gain(NamedTuple):
    """A mean difference, and its standard error over data sets."""

    mean: float
    error: float

    def __str__(self) -> str:
        return "–" if np.isnan(self.mean) else f"{self.mean:+.3f} ± {number(self.error)}"


@dataclass(frozen=True)
class Versions:
    """The results of both versions on the same data sets, draws and budgets."""

    now: Table
    before: Table

    def by_name(self) -> dict[str, Table]:
        """Both versions, the previous one first."""
        return {"before": self.before, "now": self.now}

    def gain(self, pairs: int, score: str = "nmi", percent: int = 0) -> Gain:
        """The gain of Likewise over the previous version, in the runs that both have."""
        own, other = (table.values("likewise", pairs, score, percent) for table in (self.now, self.before))
        return gain_of(own - other)


def gain_of(differences: np.ndarray) -> Gain:
    """The mean over data sets (rows) of the mean over draws, ignoring missing values, and its standard error."""
    means = [row[~np.isnan(row)].mean() for row in differences if not np.isnan(row).all()]
    error = float(np.std(means, ddof=1) / np.sqrt(len(means))) if len(means) > 1 else float("nan")
    return Gain(mean_of(differences), error)


class Times(NamedTuple):
    """The time of fits relative to the previous version."""

    total: float
    median: float
    most: float


def times_of(results: Results) -> Times | None:
    """From the medians of the rounds of each measured fit; None if there are no measurements."""
    cells = [cell.removesuffix("/now") for cell in results if cell.startswith("times/") and cell.endswith("/now")]
    if not cells:
        return None
    now, before = (
        np.array([np.median(list(results[f"{cell}/{version}"].values())) for cell in cells])
        for version in ("now", "before")
    )
    return Times(float(now.sum() / before.sum()), float(np.median(now / before)), float((now / before).max()))


def bars(versions: Versions, budgets: Sequence[int], percents: Sequence[int]) -> list[Bar]:
    """The requirements for the scores, for each share of wrong hints."""
    return [
        *(_above(versions, budgets, percent) for percent in percents),
        *(_seldom(versions, PLAIN, "no hints", MARGIN, budgets, percent) for percent in percents),
        *(_seldom(versions, "k-means", "k-means", BEHIND, budgets, percent) for percent in percents),
    ]


def _above(versions: Versions, budgets: Sequence[int], percent: int) -> Bar:
    gains = [versions.gain(pairs, percent=percent).mean for pairs in budgets]
    asked = f"{percent} % wrong: mean NMI ≥ {GAIN} above before at every budget"
    return Bar(
        asked, ", ".join(number(gain, "+.3f") for gain in gains), None if np.isnan(gains).any() else min(gains) >= GAIN
    )


def _seldom(versions: Versions, than: str, named: str, margin: float, budgets: Sequence[int], percent: int) -> Bar:
    shares = [versions.now.worse("likewise", than, pairs, percent=percent, margin=margin) for pairs in budgets]
    before = [versions.before.worse("likewise", than, pairs, percent=percent, margin=margin) for pairs in budgets]
    each = ", ".join(number(share, ".1%") for share in shares)
    mean, mean_before = float(np.mean(shares)), float(np.mean(before))
    asked = f"{percent} % wrong: worse than {named} by > {margin} in < {SELDOM:.0%} of runs"
    return Bar(
        asked,
        f"{number(mean, '.1%')} ({each}); before {number(mean_before, '.1%')}",
        None if np.isnan(mean) else mean < SELDOM,
    )


def time_bar(times: Times | None) -> Bar:
    """The requirement for the time."""
    asked = f"time ≤ {SLOWER} × before"
    if times is None:
        return Bar(asked, "–", None)
    found = f"{times.total:.2f} × in total, median {times.median:.2f}, at most {times.most:.2f}"
    return Bar(asked, found, times.total <= SLOWER)
