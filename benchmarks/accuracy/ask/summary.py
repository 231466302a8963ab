"""Summary of the results: screens needed, differences to other strategies, and whether the requirements are met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from likewise.evaluation import Results

from ...unseen.summary import gain_of, number
from ..rivals import REST
from ..summary import Bar, Table, mean_of
from .run import DRAWS, OWN, SCREENS, UNKNOWN, WITH_K, WITHOUT_K
from .sets import HALVES

BUDGETS = [screens for screens in SCREENS if screens >= 25]
"""The budgets at which strategies are compared; the curves have an earlier point as well."""

SCORE = f"nmi{REST}"
OWN_CLUSTERER = ", own clusterer"
PEERS = ("balanced random", *WITHOUT_K, *WITH_K, *(f"{name}{OWN_CLUSTERER}" for name in (*WITHOUT_K, *WITH_K)))
"""The strategies to be better than, besides random."""

MOST = {"pairs": 0.35, "piles": 0.20}
"""The share of random's screens that may be needed at most."""

SELDOM = 0.05
AUC = 0.85
GIVEN_UP = 0.01


@dataclass(frozen=True)
class Asked(Table):
    """Values of one half, looked up by strategy, screens, score and way of answering (``percent``)."""

    half: str = "judged"

    @staticmethod
    def of(results: Results, half: str) -> Asked:
        """All values of one half."""
        return Asked(results, HALVES[half], DRAWS, frozenset(), half)

    def _cell(self, name: str, method: str, pairs: int, score: str, percent: int | str) -> str:
        answers = str(percent)
        if method == "no hints":
            answers, pairs = (UNKNOWN if answers == UNKNOWN else "0"), 0
        if method.endswith(OWN_CLUSTERER):
            method, score = method.removesuffix(OWN_CLUSTERER), f"{OWN}{score}"
        return f"{self.half}/{name}/{answers}/{method}/{score}-{pairs}"

    def named(self, method: str, score: str, answers: str = "0") -> np.ndarray:
        """Values that do not depend on a budget."""
        found = np.full((len(self.sets), self.seeds), np.nan)
        for row, name in enumerate(self.sets):
            for seed, value in self.results.get(f"{self.half}/{name}/{answers}/{method}/{score}", {}).items():
                found[row, seed] = value
        return found

    def curve(self, method: str, where: np.ndarray, answers: str = "0", score: str = SCORE) -> list[float]:
        """Means without answers and at each budget, over some of the runs."""
        start = self.values("no hints", 0, score, answers)
        every = [start, *(self.values(method, screens, score, answers) for screens in SCREENS)]
        return [mean_of(np.where(where, values, np.nan)) for values in every]

    def both(self, methods: Sequence[str], answers: str = "0", score: str = SCORE) -> np.ndarray:
        """The runs that all of some strategies have."""
        found = [self.values(method, screens, score, answers) for method in methods for screens in SCREENS]
        return ~np.isnan([*found, self.values("no hints", 0, score, answers)]).any(axis=0)

    def lead(self, method: str, other: str, screens: int, answers: str = "0") -> np.ndarray:
        """The difference to another strategy, in the runs that both have."""
        own, theirs = (self.values(name, screens, SCORE, answers) for name in (method, other))
        return own - theirs

    def runs(self, method: str, answers: str = "0") -> int:
        """The number of runs."""
        return int((~np.isnan(self.values(method, SCREENS[-1], SCORE, answers))).sum())


def screens_for(curve: Sequence[float], target: float) -> float:
    """The screens at which a curve first reaches a value, by linear interpolation; infinity if it never does.

    >>> screens_for([0.2, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8], 0.3)
    17.5
    """
    at = [0, *SCREENS]
    for place, value in enumerate(curve):
        if value >= target:
            if place == 0:
                return 0.0
            before = curve[place - 1]
            return at[place - 1] + (at[place] - at[place - 1]) * (target - before) / (value - before)
    return float("inf")


class Needed(NamedTuple):
    """The screens of random, those that reach the same quality, and the number of runs."""

    of: int
    screens: float
    runs: int

    @property
    def share(self) -> float:
        """The share of random's screens that is needed."""
        return self.screens / self.of

    def __str__(self) -> str:
        if not self.runs:
            return "–"
        return f"{self.screens:.0f} ({self.share:.0%})" if np.isfinite(self.screens) else "never"


def needed(table: Asked, method: str, screens: int, answers: str = "0") -> Needed:
    """The screens that a strategy needs for the mean quality that random has after a given number."""
    common = table.both([method, "random"], answers)
    if not common.any():
        return Needed(screens, float("nan"), 0)
    target = table.curve("random", common, answers)[1 + SCREENS.index(screens)]
    return Needed(screens, screens_for(table.curve(method, common, answers), target), int(common.sum()))


class Stopping(NamedTuple):
    """The savings and costs of stopping by the rule."""

    runs: int
    stopped: int
    screens: float
    given_up: float
    most: float


def stopping(table: Asked, method: str, answers: str = "0") -> Stopping:
    """NMI after 500 screens minus NMI at the stop, over the runs that stop before the last budget."""
    stop = table.named(method, "stop", answers)
    lost = table.values(method, SCREENS[-1], SCORE, answers) - table.named(method, f"{SCORE}-stop", answers)
    runs = table.runs(method, answers)
    here = ~np.isnan(lost)
    if not here.any():
        return Stopping(runs, 0, float("nan"), float("nan"), float("nan"))
    return Stopping(runs, int(here.sum()), float(np.median(stop[here])), mean_of(lost), float(np.nanmax(lost)))


def worse_than_none(table: Asked, method: str, answers: str) -> list[float]:
    """The share of runs at each budget that are worse than no hints by more than .01."""
    return [table.worse(method, "no hints", screens, SCORE, answers) for screens in BUDGETS]


def bars(table: Asked) -> list[Bar]:
    """The requirements for the judged half, on rows that could not be asked about."""
    return [
        *(_needed(table, method, screens) for method in MOST for screens in (100, 500)),
        *(_ahead(table, method) for method in MOST),
        *(_not_below_random(table, method) for method in MOST),
        *(_seldom_worse(table, method) for method in MOST),
        *(_suspects(table, method) for method in MOST),
        *(_stopping(table, method) for method in MOST),
    ]


def met(value: float, enough: bool) -> bool | None:
    """Whether a requirement is met; None if there is no value."""
    return None if np.isnan(value) else bool(enough)


def _needed(table: Asked, method: str, screens: int) -> Bar:
    found = needed(table, method, screens)
    asked = f"by {method}: random's quality at {screens} with ≤ {MOST[method]:.0%} of the screens"
    return Bar(asked, f"{found} in {found.runs} runs", met(found.share, found.share <= MOST[method]))


def _ahead(table: Asked, method: str) -> Bar:
    parts, behind, missing = [], False, False
    for screens in BUDGETS:
        leads = {peer: gain_of(table.lead(method, peer, screens)).mean for peer in PEERS}
        known = {peer: lead for peer, lead in leads.items() if not np.isnan(lead)}
        missing |= len(known) < len(leads)
        if known:
            closest = min(known, key=known.__getitem__)
            behind |= known[closest] <= 0
            parts.append(f"{screens}: {known[closest]:+.3f} ({closest})")
    asked = f"by {method}: ahead of every peer at every budget; the closest of each"
    return Bar(asked, ", ".join(parts) or "–", False if behind else None if missing else True)


def _not_below_random(table: Asked, method: str) -> Bar:
    leads = [gain_of(table.lead(method, "random", screens, "10")).mean for screens in BUDGETS]
    shown = ", ".join(f"{screens}: {number(lead, '+.3f')}" for screens, lead in zip(BUDGETS, leads, strict=True))
    return Bar(f"by {method}, 10 % wrong: not below random", shown, met(float(np.sum(leads)), min(leads) >= 0))


def _seldom_worse(table: Asked, method: str) -> Bar:
    shares = worse_than_none(table, method, "10")
    mean = float(np.mean(shares))
    random, right, both = (
        number(float(np.mean(worse_than_none(table, *other))), ".1%")
        for other in (("random", "10"), (method, "0"), ("random", "0"))
    )
    each = ", ".join(number(share, ".0%") for share in shares)
    shown = f"{number(mean, '.1%')} ({each}); random {random}; with right answers {right}, random {both}"
    asked = f"by {method}, 10 % wrong: worse than no hints by > .01 in < {SELDOM:.0%} of runs"
    return Bar(asked, shown, met(mean, mean < SELDOM))


def _suspects(table: Asked, method: str) -> Bar:
    aucs = [table.mean(method, screens, "auc", "10") for screens in BUDGETS]
    mean = float(np.mean(aucs))
    shown = f"{number(mean)} ({', '.join(number(auc, '.2f') for auc in aucs)})"
    return Bar(f"by {method}, 10 % wrong: wrong answers found with AUC ≥ {AUC}", shown, met(mean, mean >= AUC))


def _stopping(table: Asked, method: str) -> Bar:
    found = stopping(table, method)
    shown = (
        f"{found.given_up:+.4f}, most {found.most:+.3f} ({found.stopped} of {found.runs} runs stopped, median "
        f"{found.screens:.0f} screens)"
        if found.stopped
        else "–"
    )
    asked = f"by {method}: stopping by the rule gives up < {GIVEN_UP} against {SCREENS[-1]} screens"
    return Bar(asked, shown, met(found.given_up, found.given_up < GIVEN_UP))
