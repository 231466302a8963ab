"""What a report says of the hints: how far they were kept, where not, and which look wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..constraints._conflicts import tally as contradictions
from ..constraints._wording import counted
from ..evaluation import constraint_accuracy
from ._cards import Cards
from ._markup import Html, element, joined, plain, table
from ._points import suspects
from ._subject import Subject

SQUARE = 12
"""Clusters up to which all pairs of them are shown; of more, those where hints are broken."""

WORST = 10
"""Suspect hints, and pairs of clusters, that are listed."""

LEVELS = 4
"""Shades of the heat map."""


def kept(subject: Subject) -> Html:
    """How far the hints were kept, and between which clusters they were not."""
    if subject.hints.is_empty:
        return element("p", "No hints were given.")
    tally = subject.tally
    rows = [
        _meter(name, done, total)
        for name, done, total in (
            ("said to be the same, and together", tally.same_kept, tally.n_same),
            ("said to be different, and apart", tally.different_kept, tally.n_different),
        )
        if total
    ]
    parts = [element("ul", *rows, class_="meters")]
    weights = [subject.hints.must_weight, subject.hints.cannot_weight, [p.weight for p in subject.hints.partitions]]
    if len(np.unique(np.concatenate([np.asarray(part, dtype=float) for part in weights]))) > 1:
        share = constraint_accuracy(subject.labels, subject.hints)
        parts.append(element("p", f"Weighed by how sure each hint is, {share:.1%} are kept."))
    report = subject.report
    if report is not None and report.dropped:
        parts.append(element("p", f"{counted(report.dropped, 'hint')} were left out as more likely wrong than right."))
    if count := contradictions(subject.hints, subject.hints.groups())[0]:
        parts.append(element("p", f"{counted(count, 'hint')} contradict others, so not all can be kept."))
    parts.append(_square(subject) if subject.n_clusters <= SQUARE else _worst(subject))
    return joined(parts)


def wrong(subject: Subject, cards: Cards) -> Html | None:
    """Which hints look wrong; None where the model does not say."""
    if not hasattr(subject.model, "suspects_") or subject.hints.is_empty:
        return None
    found = suspects(subject)
    if not found:
        return element("p", "No hint is more likely wrong than right.")
    point = {int(row): number for number, row in enumerate(subject.rows)} if len(found) else {}
    items = [_suspect(subject, cards, suspect, point) for suspect in found[:WORST]]
    more = f" The first {WORST}:" if len(found) > WORST else ""
    number = "1 hint is" if len(found) == 1 else f"{len(found):,} hints are"
    return joined(
        [
            element("p", f"{number} more likely wrong than right.{more}"),
            element("ol", *items, class_="suspects"),
            element(
                "p",
                "Judged by the clusterings that were not shown the hint. They may be wrong, too: look at the two rows.",
                class_="note",
            ),
        ]
    )


def _suspect(subject: Subject, cards: Cards, suspect: Any, point: dict[int, int]) -> Html:
    said = "the same" if suspect.kind == "must-link" else "different"
    left, right = suspect.rows
    together = subject.labels[left] == subject.labels[right]
    answer = "together" if together else "apart"
    on_map = left in point and right in point
    button = element(
        "button", "Show on the map", type="button", class_="quiet script", data_pair=f"{point[left]},{point[right]}"
    ) if on_map else None  # fmt: skip
    return element(
        "li",
        element(
            "p",
            element("b", f"Said to be {said}"),
            f" · {suspect.wrong:.0%} likely wrong · {suspect.together:.0%} of the clusterings put them together · the "
            f"answer has them {answer}",
        ),
        element(
            "div", *(element("div", *cards.shown(row, left), class_="member") for row in (left, right)), class_="two"
        ),
        button,
    )


def _meter(name: str, done: int, total: int) -> Html:
    bar = element(
        "svg",
        element("rect", x=0, y=0, width=100, height=8, class_="track"),
        element("rect", x=0, y=0, width=round(100 * done / total, 2), height=8, class_="fill"),
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    return element("li", element("b", f"{done:,} of {total:,}"), f" {name} ({done / total:.1%})", bar)


def _square(subject: Subject) -> Html:
    kept, broken = subject.tally.kept, subject.tally.broken
    most = max(int(broken.max()), 1)
    rows = []
    for line, name in enumerate(subject.names):
        cells: list[Any] = [element("span", plain(name, 20), class_=f"chip c{line}")]
        for column in range(subject.n_clusters):
            good, bad = int(kept[line, column]), int(broken[line, column])
            level = -(-LEVELS * bad // most)
            text = joined(
                [
                    element("span", f"{good:,}", class_="good") if good else None,
                    element("span", f"✗ {bad:,}", class_="bad") if bad else None,
                ]
            )
            cells.append(element("span", text, class_=f"heat h{level}"))
        rows.append(cells)
    head = ["", *(element("span", plain(name, 20), class_=f"chip c{at}") for at, name in enumerate(subject.names))]
    return joined(
        [
            element("h3", "Where hints are kept and broken"),
            table(head, rows, kind="square"),
            element(
                "p",
                "Each cell counts the hinted pairs with one row in the cluster of the line and the other in that of "
                "the column. Inside a cluster (the diagonal) pairs said to be the same are kept; elsewhere pairs said "
                "to be different are. ✗ marks broken ones.",
                class_="note",
            ),
        ]
    )


def _worst(subject: Subject) -> Html:
    kept, broken = np.triu(subject.tally.kept), np.triu(subject.tally.broken)
    order = np.argsort(-broken, axis=None, kind="stable")[:WORST]
    rows = []
    for line, column in zip(*np.unravel_index(order, broken.shape), strict=True):
        if broken[line, column]:
            where = f"inside cluster {subject.names[line]}"
            if line != column:
                where = f"between clusters {subject.names[line]} and {subject.names[column]}"
            rows.append((where, f"{broken[line, column]:,}", f"{kept[line, column]:,}"))
    if not rows:
        return element("p", "No hint is broken anywhere.")
    return joined([element("h3", "Where hints are broken"), table(("where", "broken", "kept"), rows)])
