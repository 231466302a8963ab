"""Summary of the results: the worth of answers in pairs, and whether the requirements are met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from likewise.evaluation import Results

from ...unseen.summary import number
from ..summary import MARGIN, Bar, Table, mean_of
from .run import AMOUNTS, COMPARED, DRAWS, FEW, FORCED, PAIRS, PEERS, PREFERENCES, WAYS
from .sets import HALVES

PAIR_AMOUNTS = sorted({*AMOUNTS, *FEW})
SELDOM = 0.02
NO_HINTS = "no hints"


@dataclass(frozen=True)
class Told(Table):
    """Values of one half, looked up by way of asking, number of answers, score and percentage of wrong answers."""

    half: str = "judged"

    @staticmethod
    def of(results: Results, half: str) -> Told:
        """All values of one half."""
        return Told(results, HALVES[half], DRAWS, frozenset(), half)

    def _cell(self, name: str, method: str, pairs: int, score: str, percent: int | str) -> str:
        if method == NO_HINTS:
            percent, pairs = 0, 0
        return f"{self.half}/{name}/{percent}/{pairs}/{method}/{score}"

    def gains(self, way: str, amount: int, percent: int = 0, score: str = "nmi") -> np.ndarray:
        """The difference to no hints, for each data set and draw."""
        return self.values(way, amount, score, percent) - self.values(NO_HINTS, 0, score)

    def runs(self, way: str, amount: int, percent: int = 0) -> int:
        """The number of runs."""
        return int((~np.isnan(self.gains(way, amount, percent))).sum())

    def lead(self, way: str, amount: int, other: str, others: int, percent: int = 0, score: str = "nmi") -> float:
        """The difference between two ways of asking with given numbers of answers, in the runs that both have."""
        return mean_of(self.values(way, amount, score, percent) - self.values(other, others, score, percent))

    def worth(self, way: str, amount: int, percent: int = 0) -> str:
        """The number of pairs with the same score, in the runs that all have; interpolated over log numbers."""
        own = self.values(way, amount, percent=percent)
        curve = [self.values(NO_HINTS, 0), *(self.values(PAIRS, pairs, percent=percent) for pairs in PAIR_AMOUNTS)]
        there = ~np.isnan([own, *curve]).any(axis=0)
        if not there.any():
            return "–"
        level, *means = (mean_of(np.where(there, values, np.nan)) for values in (own, *curve))
        return pairs_for(level, means)

    def worse(self, way: str, percent: int) -> np.ndarray:  # type: ignore[override]
        """Whether each run of a way of asking, at any number of answers, is worse than no hints by the margin."""
        amounts = PREFERENCES if way == "preferences" else AMOUNTS
        gains = np.concatenate([self.gains(way, amount, percent).ravel() for amount in amounts])
        return gains[~np.isnan(gains)] < -MARGIN


def pairs_for(level: float, means: Sequence[float]) -> str:
    """The number of pairs at which the curve reaches a level; ``means`` start with that without hints.

    >>> pairs_for(0.55, [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]), pairs_for(0.4, [0.5] * 8)
    ('< 10', '0')
    """
    best = np.maximum.accumulate(means)
    if level <= best[0]:
        return "0"
    if level > best[-1]:
        return f"> {PAIR_AMOUNTS[-1]}"
    place = int(np.argmax(best >= level))
    if place == 1:
        return f"< {PAIR_AMOUNTS[0]}"
    low, high = np.log(PAIR_AMOUNTS[place - 2]), np.log(PAIR_AMOUNTS[place - 1])
    share = (level - best[place - 1]) / (best[place] - best[place - 1])
    return f"{np.exp(low + share * (high - low)):.0f}"


def bars(table: Told) -> list[Bar]:
    """The requirements."""
    return [
        _lead(table, "piles of three", 100, 250),
        _lead(table, "preferences", 30, 30),
        *(_never_below(table, percent) for percent in (0, 10)),
        *(_seldom_worse(table, percent) for percent in (0, 10)),
        *(_ahead(table, peer) for peer in PEERS),
    ]


def _lead(table: Told, way: str, amount: int, pairs: int) -> Bar:
    lead = table.lead(way, amount, PAIRS, pairs)
    found = f"{number(lead, '+.3f')} above {pairs} pairs; worth {table.worth(way, amount)} pairs"
    return Bar(f"{amount} {way} worth {pairs} pairs or more", found, None if np.isnan(lead) else lead >= 0)


def _never_below(table: Told, percent: int) -> Bar:
    found = []
    for way in FORCED:
        for amount in AMOUNTS:
            for name, gains in zip(table.sets, table.gains(way, amount, percent), strict=True):
                if not np.isnan(gains).all():
                    found.append((float(np.nanmean(gains)), f"{name}, {amount} {way}"))
    asked = f"{percent} % wrong: forced triplets on average never below no hints on any set"
    if not found:
        return Bar(asked, "–", None)
    lowest, where = min(found)
    below = sum(gain < -0.0005 for gain, _ in found)
    more = sum(gain < -MARGIN for gain, _ in found)
    words = f"below in {below} of {len(found)} means, by more than {MARGIN} in {more}; lowest {lowest:+.3f} ({where})"
    return Bar(asked, words, below == 0)


def _seldom_worse(table: Told, percent: int) -> Bar:
    every = {way: table.worse(way, percent) for way in (*WAYS, "preferences")}
    asked = f"{percent} % wrong: worse than no hints by > {MARGIN} in ≤ {SELDOM:.0%} of runs, in every way of asking"
    if not sum(map(len, every.values())):
        return Bar(asked, "–", None)
    shares = {way: float(worse.mean()) for way, worse in every.items() if len(worse)}
    total = float(np.concatenate(list(every.values())).mean())
    return Bar(
        asked,
        f"{total:.1%} ({', '.join(f'{way} {share:.1%}' for way, share in shares.items())})",
        max(shares.values()) <= SELDOM,
    )


def _ahead(table: Told, peer: str) -> Bar:
    leads = {
        (way, amount): table.lead(way, amount, f"{way}, {peer}", amount, percent=10)
        for way in COMPARED
        for amount in AMOUNTS
    }
    known = {key: lead for key, lead in leads.items() if not np.isnan(lead)}
    asked = f"10 % wrong: ahead of {peer} on the same comparisons at every budget"
    words = "; ".join(
        f"{way} {', '.join(number(leads[way, amount], '+.3f') for amount in AMOUNTS)}" for way in COMPARED
    )
    return Bar(asked, words, None if len(known) < len(leads) else min(known.values()) > 0)
