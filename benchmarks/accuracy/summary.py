"""Summary of the results: means, ranks, shares, and whether the requirements are met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from likewise.evaluation import Results

MARGIN = 0.01
"""A run counts as worse if its score is lower by more than this."""

PLAIN = "likewise, no hints"
"""The result of Likewise without hints, from the same fits as with hints."""


@dataclass(frozen=True)
class Table:
    """Values by data set and seed, looked up by method, budget, share of wrong hints and score."""

    results: Results
    sets: Sequence[str]
    seeds: int
    unhinted: frozenset[str]

    def values(self, method: str, pairs: int, score: str = "nmi", percent: int | str = 0) -> np.ndarray:
        """One value for each set (rows) and seed (columns); NaN if missing."""
        found = np.full((len(self.sets), self.seeds), np.nan)
        for row, name in enumerate(self.sets):
            for seed, value in self.results.get(self._cell(name, method, pairs, score, percent), {}).items():
                if seed < self.seeds:
                    found[row, seed] = value
        return found

    def _cell(self, name: str, method: str, pairs: int, score: str, percent: int | str) -> str:
        if method in self.unhinted:
            return f"{name}/0/0/{method}/{score}"
        if method == PLAIN:
            return f"{name}/{pairs}/{percent}/likewise/plain-{score}"
        return f"{name}/{pairs}/{percent}/{method}/{score}"

    def mean(self, method: str, pairs: int, score: str = "nmi", percent: int | str = 0) -> float:
        """The mean over data sets of the mean over seeds, for the data sets with a result."""
        return mean_of(self.values(method, pairs, score, percent))

    def answered(self, method: str, pairs: int, percent: int | str = 0) -> int:
        """The number of data sets on which a method has a result for at least one draw."""
        return int((~np.isnan(self.values(method, pairs, percent=percent))).any(axis=1).sum())

    def asked(self, method: str, pairs: int, percent: int | str = 0) -> list[int]:
        """The number of draws of each data set on which a method was run, with a result or not."""
        cells = (self._cell(name, method, pairs, "nmi", percent) for name in self.sets)
        return [sum(seed < self.seeds for seed in self.results.get(cell, {})) for cell in cells]

    def draws(self, method: str, pairs: int, percent: int | str = 0) -> int:
        """The smallest number of draws of a data set on which the method was run."""
        return min((count for count in self.asked(method, pairs, percent) if count), default=0)

    def ranks(self, methods: Sequence[str], pairs: int, score: str = "nmi") -> dict[str, float]:
        """The mean rank of each method, 1 the best, with ties shared; methods without a result are last.

        Over the data sets and draws that all of them were asked about.
        """
        every = np.array([self.values(method, pairs, score) for method in methods])
        common = np.min([self.asked(method, pairs) for method in methods], axis=0)
        values = np.concatenate([every[:, row, :count] for row, count in enumerate(common)], axis=1)
        if not values.shape[1]:
            return dict.fromkeys(methods, float("nan"))
        filled = np.where(np.isnan(values), -np.inf, values)
        return dict(zip(methods, rankdata(-filled, axis=0).mean(axis=1).tolist(), strict=True))

    def worse(
        self, method: str, than: str, pairs: int, score: str = "nmi", percent: int | str = 0, margin: float = MARGIN
    ) -> float:
        """The share of runs in which a method is worse than another by more than the margin."""
        difference = self.values(method, pairs, score, percent) - self.values(than, pairs, score, percent)
        difference = difference[~np.isnan(difference)]
        return float(np.mean(difference < -margin)) if len(difference) else float("nan")


def mean_of(values: np.ndarray) -> float:
    """The mean over rows of the means within rows, ignoring missing values."""
    rows = [row[~np.isnan(row)].mean() for row in values if not np.isnan(row).all()]
    return float(np.mean(rows)) if rows else float("nan")


@dataclass(frozen=True)
class Bar:
    """A requirement, the value found, and whether it is met; None while runs are missing."""

    asked: str
    found: str
    met: bool | None

    @property
    def line(self) -> tuple[str, str, str]:
        """The cells of the requirement in the table."""
        return self.asked, self.found, {True: "yes", False: "**no**", None: "not run"}[self.met]


def bars(table: Table, budgets: Sequence[int], rivals: Sequence[str]) -> list[Bar]:
    """The requirements of the comparison, in order."""
    from_25 = [pairs for pairs in budgets if pairs >= 25]
    return [
        *(_first(table, pairs, rivals) for pairs in from_25),
        _ahead(table, "nmi", 0.04, "all rows"),
        _ahead(table, "nmi@rest", 0.03, "rows that no hint touches"),
        _seldom_worse(table, budgets, "nmi", 0.02, "all rows"),
        _seldom_worse(table, budgets, "nmi@rest", 0.05, "rows that no hint touches"),
        _no_loss(table, budgets),
        _suspects(table, budgets),
        _count(table),
        *(_wine(table, pairs) for pairs in from_25),
    ]


def _first(table: Table, pairs: int, rivals: Sequence[str]) -> Bar:
    ranks = table.ranks(["likewise", *rivals], pairs)
    own = ranks.pop("likewise")
    best = min(ranks, key=ranks.__getitem__)
    asked = f"{pairs} pairs: best mean rank of all peers"
    return Bar(asked, f"{own:.2f}, next {best} {ranks[best]:.2f}", own < ranks[best])


def _ahead(table: Table, score: str, by: float, where: str) -> Bar:
    own, other = table.mean("likewise", 100, score), table.mean("umap", 100, score)
    asked = f"100 pairs: ahead of UMAP + k-means by {by} NMI on {where}"
    return Bar(asked, f"{own:.3f} against {other:.3f}: {own - other:+.3f}", own - other >= by)


def _seldom_worse(table: Table, budgets: Sequence[int], score: str, most: float, where: str) -> Bar:
    shares = [table.worse("likewise", PLAIN, pairs, score) for pairs in budgets]
    each = ", ".join(f"{share:.1%}" for share in shares)
    mean = float(np.mean(shares))
    return Bar(
        f"worse than without hints by > .01 in < {most:.0%} of runs, {where}", f"{mean:.1%} ({each})", mean < most
    )


def _no_loss(table: Table, budgets: Sequence[int]) -> Bar:
    pairs = [[table.mean(method, pairs, percent=20) for pairs in budgets] for method in ("likewise", PLAIN)]
    each = ", ".join(f"{own - plain:+.3f}" for own, plain in zip(*pairs, strict=True))
    own, plain = (float(np.mean(means)) for means in pairs)
    return Bar("20 % wrong: not below no hints on average", f"{own:.3f} against {plain:.3f} ({each})", own >= plain)


def _suspects(table: Table, budgets: Sequence[int]) -> Bar:
    found = {
        percent: [table.mean("likewise", pairs, "auc", percent) for pairs in budgets if pairs >= 25]
        for percent in (10, 20)
    }
    each = "; ".join(f"{percent} %: " + ", ".join(f"{auc:.2f}" for auc in aucs) for percent, aucs in found.items())
    mean = float(np.mean(list(found.values())))
    return Bar("wrong hints found with AUC ≥ .85 (25 pairs and more)", f"{mean:.3f} ({each})", mean >= 0.85)


def _count(table: Table) -> Bar:
    factors = table.values("k unknown", 100, "factor")
    share = float(np.mean(factors[~np.isnan(factors)] <= 1.5))
    return Bar("100 pairs: k within a factor 1.5 in ≥ 85 %", f"{share:.0%}", share >= 0.85)


def _wine(table: Table, pairs: int) -> Bar:
    wine = Table(table.results, ["wine"], table.seeds, table.unhinted)
    own, other = wine.mean("likewise", pairs), wine.mean("k-means", pairs)
    return Bar(f"wine, {pairs} pairs: no loss against k-means", f"{own:.3f} against {other:.3f}", own >= other)
