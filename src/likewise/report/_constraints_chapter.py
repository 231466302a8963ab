"""What a report says of the hints: how far they were kept, where not, and which look wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..constraints._conflicts import count_conflicts
from ..constraints._format import pluralize
from ..evaluation import constraint_accuracy
from ._clusters_chapter import row_shown
from ._facts import Facts
from ._map_data import likely_wrong
from ._markup import Html, element, joined, plain, table

MAX_MATRIX = 12
"""Clusters up to which all pairs of them are shown; of more, those where hints are broken."""

MAX_LISTED = 10
"""Hints that look wrong, and pairs of clusters, that are listed."""

SHADES = 4
"""Shades of the heat map."""


def hints(facts: Facts) -> Html:
    """How far the hints were kept, between which clusters they were not, and which look wrong."""
    if facts.constraints.is_empty:
        return element("p", "No hints were given.")
    return joined([*_kept(facts), *_wrong(facts)])


def _kept(facts: Facts) -> list[Html]:
    counts = facts.counts
    lines = (
        ("said to be the same, and together", counts.same_kept, counts.n_same),
        ("said to be different, and apart", counts.different_kept, counts.n_different),
    )
    parts = [element("ul", *(_meter(name, kept, total) for name, kept, total in lines if total), class_="meters")]
    constraints = facts.constraints
    partitions = [partition.weight for partition in constraints.partitions]
    weights = np.concatenate([constraints.must_weight, constraints.cannot_weight, np.asarray(partitions, dtype=float)])
    if len(np.unique(weights)) > 1:
        share = constraint_accuracy(facts.labels, constraints)
        parts.append(element("p", f"Counted by the weight of each hint, {share:.1%} are kept."))
    if facts.report is not None and (dropped := facts.report.dropped):
        verb = "was" if dropped == 1 else "were"
        parts.append(element("p", f"{pluralize(dropped, 'hint')} {verb} left out as more likely wrong than right."))
    if count := count_conflicts(constraints, constraints.groups())[0]:
        verb = "contradicts" if count == 1 else "contradict"
        parts.append(element("p", f"{pluralize(count, 'hint')} {verb} others, so not all can be kept."))
    parts.append(_matrix(facts) if facts.n_clusters <= MAX_MATRIX else _most_broken(facts))
    return parts


def _wrong(facts: Facts) -> list[Html]:
    """Which hints look wrong; nothing where the model does not say."""
    if not hasattr(facts.model, "suspects_"):
        return []
    title = element("h3", "Hints that look wrong")
    found = likely_wrong(facts)
    if not found:
        return [title, element("p", "No hint is more likely wrong than right.")]
    point = {int(row): number for number, row in enumerate(facts.rows)}
    items = (_suspect(facts, suspect, point) for suspect in found[:MAX_LISTED])
    more = f" The first {MAX_LISTED}:" if len(found) > MAX_LISTED else ""
    number = "1 hint is" if len(found) == 1 else f"{len(found):,} hints are"
    note = "Judged by the clusterings that were not shown the hint. They may be wrong, too: look at the two rows."
    return [
        title,
        element("p", f"{number} more likely wrong than right.{more}"),
        element("ol", *items, class_="suspects"),
        element("p", note, class_="note"),
    ]


def _suspect(facts: Facts, suspect: Any, point: dict[int, int]) -> Html:
    left, right = suspect.rows
    kind = "the same" if suspect.kind == "must-link" else "different"
    found = "together" if facts.labels[left] == facts.labels[right] else "apart"
    judged = (
        f" · {suspect.wrong:.0%} likely wrong · {suspect.together:.0%} of the clusterings put them together · the "
        f"result has them {found}"
    )
    button = None
    if left in point and right in point:
        pair = f"{point[left]},{point[right]}"
        button = element("button", "Show on the map", type="button", class_="quiet script", data_pair=pair)
    rows = (element("div", *row_shown(facts, row, left), class_="member") for row in (left, right))
    return element(
        "li", element("p", element("b", f"Said to be {kind}"), judged), element("div", *rows, class_="two"), button
    )


def _meter(name: str, kept: int, total: int) -> Html:
    bar = element(
        "svg",
        element("rect", x=0, y=0, width=100, height=8, class_="track"),
        element("rect", x=0, y=0, width=round(100 * kept / total, 2), height=8, class_="fill"),
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    return element("li", element("b", f"{kept:,} of {total:,}"), f" {name} ({kept / total:.1%})", bar)


def _matrix(facts: Facts) -> Html:
    """Kept and broken hints by the two clusters of their rows."""
    kept = facts.counts.kept
    broken = facts.counts.broken
    most = max(int(broken.max()), 1)
    chips = [element("span", plain(name, 20), class_=f"chip c{number}") for number, name in enumerate(facts.names)]
    rows = []
    for line, chip in enumerate(chips):
        cells = [chip]
        for column in range(facts.n_clusters):
            good = int(kept[line, column])
            bad = int(broken[line, column])
            shade = -(-SHADES * bad // most)
            text = joined(
                [
                    element("span", f"{good:,}", class_="good") if good else None,
                    element("span", f"✗ {bad:,}", class_="bad") if bad else None,
                ]
            )
            cells.append(element("span", text, class_=f"heat h{shade}"))
        rows.append(cells)
    note = (
        "Each cell counts the hinted pairs with one row in the cluster of the line and the other in that of the "
        "column. Inside a cluster (the diagonal) pairs said to be the same are kept; elsewhere pairs said to be "
        "different are. ✗ marks broken ones."
    )
    return joined(
        [
            element("h3", "Where hints are kept and broken"),
            table(["", *chips], rows, kind="square"),
            element("p", note, class_="note"),
        ]
    )


def _most_broken(facts: Facts) -> Html:
    """Pairs of clusters between which most hints are broken."""
    kept = np.triu(facts.counts.kept)
    broken = np.triu(facts.counts.broken)
    order = np.argsort(-broken, axis=None, kind="stable")[:MAX_LISTED]
    rows = []
    for line, column in zip(*np.unravel_index(order, broken.shape), strict=True):
        if broken[line, column]:
            where = f"inside cluster {facts.names[line]}"
            if line != column:
                where = f"between clusters {facts.names[line]} and {facts.names[column]}"
            rows.append((where, f"{broken[line, column]:,}", f"{kept[line, column]:,}"))
    if not rows:
        return element("p", "No hint is broken anywhere.")
    return joined([element("h3", "Where hints are broken"), table(("where", "broken", "kept"), rows)])
