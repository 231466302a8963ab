"""Writing RESULTS.md and its figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from likewise.evaluation import Results

from ...unseen.summary import gain_of, number
from ...unseen.writing import listed
from ...writing import machine, markdown, write_page
from ..summary import mean_of
from ..writing import saved
from .person import ANSWERS, HARD
from .run import DRAWS, LOT, OURS, SCREENS, UNKNOWN, WITH_K, WITHOUT_K
from .sets import HALVES, MOST_ROWS
from .summary import BUDGETS, OWN_CLUSTERER, SCORE, Asked, bars, needed, stopping, worse_than_none

EVERYONE = (*OURS, *LOT, *WITHOUT_K, *WITH_K)
HEAD = ("", *(f"{screens} screens" for screens in SCREENS))

WAYS = {
    "0": "right answers",
    "10": "10 % of the pairs answered wrongly",
    "20": "20 % of the pairs answered wrongly",
    "hard": "wrong where it is hard",
    "cant-say": '10 % "can\'t say"',
    UNKNOWN: "right answers, number of clusters not given",
}

INTRODUCTION = """\
Written by `make ask`. A simulated person answers questions about a random half of the rows. The other half is excluded
beforehand, so that no question can be about it. Scores are NMI of `Likewise` fitted with all answers so far, on the
excluded rows unless stated otherwise. Cost is counted in screens. A screen shows a pair, a row and its likely groups
("choices"), or six rows to be sorted into piles.

The data sets are those of [the comparison with other methods](../RESULTS.md) and [those from wheels of other
packages](../../unseen/RESULTS.md), with at most {rows} rows, as many of each class. Settings were chosen on one half of
the data sets, and the other half is used for evaluation ("judged"). The halves were fixed before the first run: data
sets that the strategy was designed on, or first evaluated on, keep that role, and so do those from wheels; the others
alternate in alphabetical order.

Other strategies ask the same simulated person. *Random* asks about random pairs; *balanced random* alternates between a
pair within a cluster and a pair of two clusters of the result without answers. *Explore & Consolidate* (Basu, Banerjee
and Mooney 2004), *MinMax* (Mallapragada, Jin and Jain 2008) and *NPU* (Xiong, Azimi and Fern 2014) are implemented from
their papers, on at most 100 dense columns; NPU clusters again after ten answers, or a fifth of those so far, instead of
after each row. *COBRAS* (Van Craenendonck et al. 2018) is its authors' package; it does not accept "can't say", which
is passed to it as "different". The answers to these strategies are given to `Likewise`, and to the clusterer that each
was published with ("own clusterer"): MPCK-means for NPU, COBRAS itself, and PCK-means for the others. PCK-means and
MPCK-means are run without transitive closure if answers may be wrong.

A wrong answer stays wrong if the pair is asked again. *Wrong where it is hard*: the probability of a wrong answer grows
with the share of other classes among the ten nearest neighbors of the two rows, up to one half, and is scaled so that
{hard:.0%} of random pairs are answered wrongly. To sort rows into piles, the person takes them one by one and compares
each with the first row of every pile. The AUC of suspects measures how well wrong answers are found by
`Dialogue.suspects`, and for other strategies by `suspects_`. A mean is taken over draws (up to {draws}), then over data
sets; differences are between runs that both have. The screens needed are interpolated linearly on the curves of means.
If all rows that may be asked about are known before the last budget, a dialogue ends and keeps its score. The last
section lists the runs that were made; `make ask` makes the missing ones and updates the page.

Results can be worse than without hints even if all answers are right, where the clusters without hints are nearly as
good as they get (news-easy, lymphoma) or are not found by learning (cora); a few rows count in lymphoma and nci60, of
which 48 and 30 rows are excluded.

The weight of what is learned from answers about pairs was chosen on the data sets for choosing, by joining the
clusterings of 120 runs of pairs and 80 of piles again with other weights. With the weight that other hints have, 10.0
% of the judged runs with 10 % wrong answers were worse than no hints, and 6.4 % with right ones. Answers to piles keep
that weight: with the new one, 80 judged runs with 10 % wrong answers were worse than no hints less often (5.8 instead
of 7.2 %), but their NMI was .011 lower from 100 screens on, although on the data sets for choosing it was higher. Five
other rules for pairs were tried on judged runs and given up. With thresholds that depend on the estimated share of
wrong answers, 6.4 % of the runs were worse, and the NMI fell by .003 to .005 from 100 pairs on. If the weight does not
depend on how many answers the clusters without hints satisfy, 6.8 % were, and the NMI with 25 right answers fell by
.015. If it also grows more slowly the more answers look wrong, 5.4 % were as well, and the NMI fell by .011 at 500
pairs. Two more let the clusterings without hints keep a fixed share of the weight, unless the gain was large or few
answers looked wrong: 8.0 and 6.8 %, and the NMI fell by up to .010 and .024.

With many classes and weak clusterings, questions used to leave many small groups, because rows and groups were no
longer compared once the probability was low, and the stopping rule took "different" for a good prediction. Both were
changed on eleven data sets of 9 to 20 classes: five of those for choosing, KEEL's optdigits and led7digit, and four
samples of 11 to 13 letters of its `letter`. There, NMI rose by .010 at 200 and .013 ± .006 at 500 screens, and
stopping by the rule gives up .004 instead of .060 (33 runs); optdigits, which contains the judged digits, has no share
in these gains. On all data sets for choosing, NMI changed by less than .002 with right answers and by less than .005
with 10 % wrong ones (60 runs each). Three more variants were tried on them and given up: the first ten rows by coverage
alone, no rows at random, and fewer checks (.014 better at 50 screens if all answers are right, .013 worse at 500 if
10 % are wrong).

Runs without a given number of clusters were made before their random numbers became independent of the answers.
"""


def write_results(folder: Path, results: Results) -> Path:
    """Write RESULTS.md and its figure."""
    judged, choosing = (Asked.of(results, half) for half in HALVES)
    figures = folder / "figures"
    figures.mkdir(exist_ok=True)
    draw_curves(judged, figures / "screens.png")
    parts = [
        "# Questions worth asking",
        INTRODUCTION.format(rows=MOST_ROWS, hard=HARD, draws=DRAWS),
        f"{machine()}.",
        "## The bars",
        markdown(("asked, on excluded rows of judged sets", "found", "met"), [bar.line for bar in bars(judged)]),
        "![NMI by screens](figures/screens.png)",
        f"## Judged: {listed(judged.sets)}",
        *chapters(judged),
        f"## To choose on: {listed(choosing.sets)}",
        *chapters(choosing),
        "## What was run",
        f"Runs, judged + to choose on, of {len(judged.sets) * DRAWS} + {len(choosing.sets) * DRAWS}:",
        coverage(results),
    ]
    return write_page(folder / "RESULTS.md", parts)


def chapters(table: Asked) -> list[str]:
    """The tables of one half, for each way of answering with runs."""
    parts = []
    for answers, words in WAYS.items():
        if not any(table.runs(method, answers) for method in EVERYONE):
            continue
        parts += [f"### {words[0].upper()}{words[1:]}", "Mean NMI, excluded rows:", curves(table, answers)]
        if answers == "0":
            parts += ["Mean NMI, all rows:", curves(table, answers, "nmi")]
        parts += ["Difference to random, excluded rows, in runs that both have:", leads(table, answers)]
        parts += [
            "Screens for random's quality at 100 and 500; screens until all rows are known, at most 500 (median); "
            "in how many runs the rule stops, after how many screens (median), and what that gives up:"
        ]
        parts += [costs(table, answers)]
        if answers not in ("0", UNKNOWN, "cant-say"):
            parts += ["Share of runs worse than no hints by more than .01, and AUC of suspects:", noise(table, answers)]
        if answers == "0":
            parts += ["Share of runs worse than no hints by more than .01:", harm(table, answers)]
            parts += ["Each data set at 100 screens, excluded rows:", by_set(table)]
    return parts


def present(table: Asked, answers: str, own: bool = True) -> list[str]:
    """The strategies with runs, each also with its own clusterer."""
    named = [*EVERYONE, *((f"{name}{OWN_CLUSTERER}" for name in (*WITHOUT_K, *WITH_K)) if own else ())]
    return [method for method in named if table.runs(method, answers)]


def curves(table: Asked, answers: str, score: str = SCORE) -> str:
    """Strategies × budgets, with the number of runs. No hints: over the runs that any strategy has."""
    methods = present(table, answers)
    some = ~np.isnan([table.values(method, SCREENS[-1], score, answers) for method in methods]).all(axis=0)
    plain = mean_of(np.where(some, table.values("no hints", 0, score, answers), np.nan))
    lines = [["no hints", *[number(plain)] * len(SCREENS)]]
    for method in methods:
        values = [number(table.mean(method, screens, score, answers)) for screens in SCREENS]
        lines.append([f"{method} ({table.runs(method, answers)})", *values])
    return markdown(HEAD, lines)


def leads(table: Asked, answers: str) -> str:
    """Differences to random, with their errors."""
    lines = [
        [method, *(str(gain_of(table.lead(method, "random", screens, answers))) for screens in SCREENS)]
        for method in present(table, answers)
        if method != "random"
    ]
    return markdown(HEAD, lines)


def costs(table: Asked, answers: str) -> str:
    """Screens needed, and the savings of stopping."""
    lines = []
    for method in present(table, answers):
        line = [method]
        line += [str(needed(table, method, screens, answers)) for screens in (100, 500)]
        rule = stopping(table, method, answers)
        line += [
            number(median_of(table.named(method, "screens", answers)), ".0f"),
            f"{rule.stopped} of {rule.runs}" if rule.stopped else "–",
            number(rule.screens, ".0f"),
            number(rule.given_up, "+.4f"),
        ]
        lines.append(line)
    head = ("", "random's 100", "random's 500", "until nothing is left", "stopped", "after", "given up")
    return markdown(head, lines)


def median_of(values: np.ndarray) -> float:
    """The median of all values there are."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else float("nan")


WORSE_HEAD = ("", *(f"{screens} screens" for screens in BUDGETS))


def harm(table: Asked, answers: str) -> str:
    """How often answers made the result worse."""
    return markdown(WORSE_HEAD, [_worse(table, method, answers) for method in present(table, answers, own=False)])


def noise(table: Asked, answers: str) -> str:
    """How often answers made the result worse, and the AUC of finding wrong ones."""
    lines = []
    for method in present(table, answers, own=False):
        name, *worse = _worse(table, method, answers)
        lines.append([f"{name}: worse", *worse])
        lines.append([f"{name}: AUC", *(number(table.mean(method, s, "auc", answers), ".2f") for s in BUDGETS)])
    return markdown(WORSE_HEAD, lines)


def _worse(table: Asked, method: str, answers: str) -> list[str]:
    return [method, *(number(share, ".1%") for share in worse_than_none(table, method, answers))]


def by_set(table: Asked) -> str:
    """Each data set: some strategies at 100 screens."""
    methods = present(table, "0", own=False)
    lines = []
    for row, name in enumerate(table.sets):
        values = [table.values("no hints", 0, SCORE)[row], *(table.values(m, 100, SCORE)[row] for m in methods)]
        lines.append([name, *(number(mean_of(value[None])) for value in values)])
    return markdown(("", "no hints", *methods), lines)


def coverage(results: Results) -> str:
    """The number of runs of each strategy and way of answering, judged and to choose on; "–" if none is planned."""
    tables = [Asked.of(results, half) for half in HALVES]

    def runs(method: str, answers: str) -> str:
        if method in WITH_K and answers == UNKNOWN:
            return "–"
        judged, choosing = (table.runs(method, answers) for table in tables)
        return f"{judged} + {choosing}"

    used = [method for method in EVERYONE if any(table.runs(method, answers) for table in tables for answers in WAYS)]
    return markdown(("", *WAYS), [[method, *(runs(method, answers) for answers in WAYS)] for method in used])


def means(results: Results) -> str:
    """Differences to random on both halves, for trying settings."""
    parts = []
    for half in HALVES:
        table = Asked.of(results, half)
        for answers in WAYS:
            if present(table, answers):
                parts += [f"{half}, {WAYS[answers]}", curves(table, answers), leads(table, answers)]
                parts += [costs(table, answers), noise(table, answers) if answers in ANSWERS[1:4] else ""]
    return "\n\n".join(part for part in parts if part)


STYLES = {
    "pairs": ("#1b6ca8", "-", 2.6),
    "piles": ("#0f3d61", "-", 2.6),
    "choices": ("#7fa8c9", "-", 1.8),
    "random": ("#000000", "-", 1.6),
    "balanced random": ("#888888", "-", 1.2),
    "cobras": ("#c96f4a", "-", 1.2),
    "explore & consolidate": ("#5b9a68", "-", 1.2),
    "minmax": ("#d4a72c", "-", 1.2),
    "npu": ("#b08bbb", "-", 1.2),
    **{
        f"{name}{OWN_CLUSTERER}": (color, ":", 1.2)
        for name, color in (("cobras", "#c96f4a"), ("explore & consolidate", "#5b9a68"), ("minmax", "#d4a72c"),
                            ("npu", "#b08bbb"))
    },
}  # fmt: skip


def draw_curves(table: Asked, path: Path) -> None:
    """NMI by screens for each strategy: right answers, and one in ten wrong."""
    ways: Sequence[str] = ("0", "10")
    figure, axes = plt.subplots(1, len(ways), figsize=(13, 5), sharey=True, layout="constrained")
    for axis, answers in zip(axes, ways, strict=True):
        known = present(table, answers)
        common = np.logical_and.reduce([table.both([method], answers) for method in known]) if known else None
        for method in known:
            color, line, width = STYLES[method]
            means = table.curve(method, common, answers)[1:]
            axis.plot(
                SCREENS, means, color=color, linestyle=line, linewidth=width, marker="o", markersize=3, label=method
            )
        if known:
            plain = table.curve(known[0], common, answers)[0]
            axis.axhline(plain, color="black", linestyle="--", linewidth=1, label="no hints")
        count = 0 if common is None else int(common.sum())
        axis.set(xscale="log", xlabel="screens", title=f"{WAYS[answers]} ({count} runs)")
        axis.set_xticks(SCREENS, [str(screens) for screens in SCREENS])
        axis.minorticks_off()
    axes[0].set_ylabel("NMI of rows that could not be asked about")
    if axes[0].lines:
        figure.legend(*axes[0].get_legend_handles_labels(), fontsize=8, loc="outside right upper")
    saved(figure, path)
