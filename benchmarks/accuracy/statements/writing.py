"""Writing RESULTS.md and its figure."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from likewise.evaluation import Results

from ...unseen.summary import number
from ...unseen.writing import listed
from ...writing import machine, markdown, write_page
from ..rivals import REST
from ..summary import mean_of
from ..writing import saved
from .answers import POOL, SHOWN
from .run import AMOUNTS, COMPARED, DRAWS, FEW, FORCED, LIMIT_S, PEERS, PREFERENCES, READ_AS_PAIRS, WAYS
from .sets import HALVES, MOST_ROWS
from .summary import NO_HINTS, Told, bars

EVERY_AMOUNT = sorted({*AMOUNTS, *FEW, *PREFERENCES})
WAYS_AND_PREFERENCES = (*WAYS, "preferences")

INTRODUCTION = """\
Written by `make statements`. An answer is one screen: a pair ("same or different?"), three or six rows to be sorted
into piles, three rows of which one is the odd one out, a triplet ("is a more like b, or more like c?"), or two
clusterings of {shown} rows ("which is better?"). A simulated person answers from the true classes, about a random half
of the rows. If the classes do not decide a triplet or an odd one out, the person answers "can't say". If *forced by a
coin* or *forced by resemblance*, the person answers every triplet, at random or by the distance of the rows. The two
clusterings are drawn from {pool} k-means runs in the features of the model, half of them with random weights; the
better one has more correct pairs among the rows shown, and two that are equally good are not asked about. A wrong
answer is a pair of the other kind, a row in a wrong pile, or a reversed comparison or preference.

Scores are NMI of `Likewise` fitted with all answers, on all rows unless stated otherwise. The data sets are those of
[the questions](../ask/RESULTS.md), in the same halves, with at most {rows} rows: settings were chosen on one half, and
the other half is used for evaluation ("judged"). One setting, how steeply the likelihood of a preference depends on the
clusterings, was chosen in this way only after judged runs had been looked at. A mean is taken over draws (up to
{draws}), then over data sets. The worth of answers in pairs is interpolated on the curve of means for pairs, over the
logarithm of their number, for the runs that both have. LSML (Liu et al. 2012) and SCML (Shi et al. 2014) are those of
metric-learn with default settings, followed by k-means. They get the same comparisons, at most 100 dense columns and
{limit:.0f} seconds per run, and one or two draws. Runs on crx were repeated after tables of categories were also
clustered in linear features, which does not affect other data sets.
"""


def write_results(folder: Path, results: Results) -> Path:
    """Write RESULTS.md and its figure."""
    judged, choosing = (Told.of(results, half) for half in HALVES)
    figures = folder / "figures"
    figures.mkdir(exist_ok=True)
    draw_curves(judged, figures / "answers.png")
    parts = [
        "# What an answer is worth",
        INTRODUCTION.format(shown=SHOWN, pool=POOL, rows=MOST_ROWS, draws=DRAWS, limit=LIMIT_S),
        f"{machine()}.",
        "## The bars",
        markdown(("asked, on judged sets", "found", "met"), [bar.line for bar in bars(judged)]),
        "![NMI by the number of answers](figures/answers.png)",
        f"## Judged: {listed(sets_run(judged))}",
        *chapters(judged),
    ]
    if any(choosing.runs(way, amount) for way in WAYS_AND_PREFERENCES for amount in EVERY_AMOUNT):
        parts += [f"## To choose on: {listed(sets_run(choosing))}", *chapters(choosing)]
    left = sorted(set(judged.sets) - set(sets_run(judged)))
    missing = f" Not run: {listed(left)}." if len(left) > 1 else ""
    words = f"Runs on judged sets, right / 10 % wrong, of {len(judged.sets) * DRAWS} each.{missing}"
    parts += ["## What was run", words, coverage(judged)]
    return write_page(folder / "RESULTS.md", parts)


def sets_run(table: Told) -> list[str]:
    """The data sets with at least one run."""
    there = ~np.isnan(table.values(NO_HINTS, 0)).all(axis=1)
    return [name for name, known in zip(table.sets, there, strict=True) if known]


def chapters(table: Told) -> list[str]:
    """The tables of one half."""
    parts = []
    for percent in (0, 10):
        if not any(table.runs(way, amount, percent) for way in WAYS for amount in AMOUNTS):
            continue
        title = "Right answers" if percent == 0 else f"{percent} % wrong"
        parts += [
            f"### {title}",
            f"What so many answers are worth in pairs ({percent} % of them wrong, too):",
            worth(table, percent),
            "Mean NMI, all rows:",
            curves(table, percent, "nmi"),
            "Mean NMI, rows that could not be asked about:",
            curves(table, percent, f"nmi{REST}"),
            "Each data set, 100 answers, difference to no hints, all rows:",
            by_set(table, percent),
        ]
    return parts


def amounts_of(way: str) -> tuple[int, ...]:
    """The numbers of answers for a way of asking."""
    return PREFERENCES if way == "preferences" else AMOUNTS


def worth(table: Told, percent: int) -> str:
    """Ways of asking × numbers of answers, in pairs."""
    lines = []
    for way in WAYS_AND_PREFERENCES[1:]:
        cells = [table.worth(way, amount, percent) if amount in amounts_of(way) else "" for amount in EVERY_AMOUNT]
        lines.append([way, *cells])
    return markdown(("answers", *map(str, EVERY_AMOUNT)), lines)


def curves(table: Told, percent: int, score: str) -> str:
    """Ways of asking × numbers of answers, with the number of runs."""
    plain = number(table.mean(NO_HINTS, 0, score))
    others = [f"{way}, {peer}" for way in COMPARED for peer in PEERS]
    lines = [[NO_HINTS, *[plain] * len(EVERY_AMOUNT)]]
    for way in (*WAYS_AND_PREFERENCES, *(f"{way}{READ_AS_PAIRS}" for way in FORCED), *others):
        cells = []
        for amount in EVERY_AMOUNT:
            gain = mean_of(table.gains(way, amount, percent, score))
            base = table.mean(NO_HINTS, 0, score)
            cells.append("" if np.isnan(gain) else f"{base + gain:.3f} ({table.runs(way, amount, percent)})")
        lines.append([way, *cells])
    return markdown(("answers", *map(str, EVERY_AMOUNT)), lines)


def by_set(table: Told, percent: int) -> str:
    """Data sets × ways of asking, with 100 answers."""
    every = {way: table.gains(way, 100, percent) for way in WAYS_AND_PREFERENCES}
    plain = table.values(NO_HINTS, 0)
    lines = []
    for row, name in enumerate(table.sets):
        if np.isnan(plain[row]).all() or all(np.isnan(gains[row]).all() for gains in every.values()):
            continue
        means = [np.nan if np.isnan(gains[row]).all() else float(np.nanmean(gains[row])) for gains in every.values()]
        lines.append([name, number(float(np.nanmean(plain[row]))), *(number(mean, "+.3f") for mean in means)])
    return markdown(("set", NO_HINTS, *every), lines)


def coverage(table: Told) -> str:
    """The number of runs of each way of asking and number of answers, right / 10 % wrong."""
    lines = [
        [way, *(f"{table.runs(way, amount)} / {table.runs(way, amount, 10)}" for amount in EVERY_AMOUNT)]
        for way in (*WAYS_AND_PREFERENCES, *(f"{way}, {peer}" for way in COMPARED for peer in PEERS))
    ]
    return markdown(("answers", *map(str, EVERY_AMOUNT)), lines)


STYLES = {
    "pairs": ("black", "-"),
    "piles of three": ("#1b7f3b", "-"),
    "piles of six": ("#1b7f3b", "--"),
    "odd one out": ("#b07a00", "-"),
    "triplets": ("#2457a6", "-"),
    "forced by a coin": ("#2457a6", ":"),
    "forced by resemblance": ("#2457a6", "--"),
    "preferences": ("#a62485", "-"),
}


def draw_curves(table: Told, path: Path) -> None:
    """The gain over no hints by the number of answers, right and 10 % wrong."""
    figure, axes = plt.subplots(1, 2, figsize=(12, 5), sharey=True, layout="constrained")
    for axis, percent in zip(axes, (0, 10), strict=True):
        for way, (color, line) in STYLES.items():
            points = [(amount, mean_of(table.gains(way, amount, percent))) for amount in EVERY_AMOUNT]
            points = [(amount, gain) for amount, gain in points if not np.isnan(gain)]
            if points:
                axis.plot(*zip(*points, strict=True), color=color, linestyle=line, marker="o", markersize=3, label=way)
        axis.axhline(0, color="gray", linewidth=1)
        axis.set(xscale="log", xlabel="answers", title="right answers" if percent == 0 else f"{percent} % wrong")
        axis.set_xticks(EVERY_AMOUNT, [str(amount) for amount in EVERY_AMOUNT])
        axis.minorticks_off()
    axes[0].set_ylabel("NMI above that without hints")
    if axes[0].lines[1:]:
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(STYLES), fontsize=8)
    saved(figure, path)
