"""The chapter on hints: how many were kept, which were broken or look wrong, and what they changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..constraints._conflicts import count_conflicts
from ..constraints._format import pluralize
from ..evaluation import constraint_accuracy
from ._classes_chapter import ROOMY
from ._clusters_chapter import cluster_chip, row_shown
from ._facts import Facts
from ._map_data import likely_wrong
from ._markup import Html, element, joined, plain, table
from ._verdict import percent

MAX_MATRIX = 12
"""Maximum number of clusters for a matrix of all pairs; beyond, pairs with broken hints are listed."""

MAX_LISTED = 10
"""Maximum number of listed hints that look wrong, and of listed pairs of clusters."""

SHADES = 4
"""Number of shades of the heat map."""


def hints(facts: Facts) -> Html:
    """The chapter on hints, and on links between rows."""
    if facts.constraints.is_empty:
        return joined([element("p", "No hints were given."), *_links(facts)])
    return joined([*_kept(facts), *_wrong(facts), *_moved(facts), *_links(facts)])


def _kept(facts: Facts) -> list[Html]:
    counts = facts.counts
    lines = (
        ("pairs said to be the same are together", counts.same_kept, counts.n_same),
        ("pairs said to be different are apart", counts.different_kept, counts.n_different),
        (
            "comparisons agree with the clusters",
            facts.comparisons_kept,
            len(facts.constraints.comparisons),
        ),
        ("preferences agree with the clusters", facts.preferences_kept, len(facts.constraints.preferences)),
    )
    parts = [element("ul", *(_meter(name, kept, total) for name, kept, total in lines if total), class_="meters")]
    constraints = facts.constraints
    partitions = [partition.weight for partition in constraints.partitions]
    weights = np.concatenate([constraints.must_weight, constraints.cannot_weight, np.asarray(partitions, dtype=float)])
    if len(np.unique(weights)) > 1:
        share = constraint_accuracy(facts.labels, constraints)
        parts.append(element("p", f"By weight, {share:.1%} of the hints are kept."))
    if facts.report is not None and (dropped := facts.report.dropped):
        verb = "was" if dropped == 1 else "were"
        looked = f"{pluralize(dropped, 'hint')} looked wrong after a first round of learning"
        parts.append(element("p", f"{looked} and {verb} left out of the second."))
    if count := count_conflicts(constraints, constraints.groups())[0]:
        verb = "contradicts" if count == 1 else "contradict"
        parts.append(element("p", f"{pluralize(count, 'hint')} {verb} others, so not all can be kept."))
    if facts.counts.broken.any():
        parts.append(_matrix(facts) if facts.n_clusters <= MAX_MATRIX else _most_broken(facts))
    return parts


def _wrong(facts: Facts) -> list[Html]:
    """The hints that look wrong; empty if the model does not determine them."""
    if not hasattr(facts.model, "suspects_"):
        return []
    title = element("h3", "Hints that look wrong", id="wrong")
    found = likely_wrong(facts)
    if not found:
        dropped = "" if facts.report is None or not facts.report.dropped else ", judged by all clusterings"
        return [title, element("p", f"No hint is more likely wrong than right{dropped}.")]
    point = {int(row): number for number, row in enumerate(facts.rows)}
    items = (_suspect(facts, suspect, point) for suspect in found[:MAX_LISTED])
    more = f" The first {MAX_LISTED}:" if len(found) > MAX_LISTED else ""
    number = "1 hint is" if len(found) == 1 else f"{len(found):,} hints are"
    note = "Judged by the clusterings that did not learn from the hint. They may be wrong, too: look at the rows."
    return [
        title,
        element("p", f"{number} more likely wrong than right.{more}"),
        element("ol", *items, class_="suspects"),
        element("p", note, class_="note"),
    ]


def _suspect(facts: Facts, suspect: Any, point: dict[int, int]) -> Html:
    left, right = suspect.rows
    if suspect.than is not None:
        return _reversed(facts, suspect)
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


def _reversed(facts: Facts, suspect: Any) -> Html:
    """A comparison that looks reversed."""
    pairs = []
    for rows, words in ((suspect.rows, "Said to be more alike"), (suspect.than, "than")):
        members = (element("div", *row_shown(facts, row, rows[0]), class_="member") for row in rows)
        pairs += [element("p", element("b", words)), element("div", *members, class_="two")]
    return element("li", *pairs, element("p", f"{suspect.wrong:.0%} likely reversed"))


def _meter(name: str, kept: int, total: int) -> Html:
    bar = element(
        "svg",
        element("rect", x=0, y=0, width=100, height=8, class_="track"),
        element("rect", x=0, y=0, width=round(100 * kept / total, 2), height=8, class_="fill"),
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    return element("li", element("b", f"{kept:,} of {total:,}"), f" {name} ({percent(kept / total)})", bar)


def _matrix(facts: Facts) -> Html:
    """The numbers of kept and broken hints for each pair of clusters, as a lower triangular matrix."""
    kept = facts.counts.kept
    broken = facts.counts.broken
    most = max(int(broken.max()), 1)
    order = facts.by_size.tolist()
    rows = []
    for place, line in enumerate(order):
        cells: list[Html | None] = [cluster_chip(facts, line)]
        for column in order[: place + 1]:
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
        rows.append(cells + [None] * (len(order) - place - 1))
    head = ["", *(element("span", plain(facts.titles[number], 40), class_=f"chip c{number}") for number in order)]
    note = (
        "Each cell counts the hinted pairs between two clusters, or inside one (on the diagonal). Inside a cluster, "
        "pairs said to be the same are kept; between clusters, those said to be different. ✗ marks broken hints."
    )
    return joined(
        [
            element("h3", "Where hints are kept and broken"),
            table(head, rows, kind="square roomy" if len(order) <= ROOMY else "square"),
            element("p", note, class_="note"),
        ]
    )


def _most_broken(facts: Facts) -> Html:
    """The pairs of clusters with the most broken hints."""
    kept = np.triu(facts.counts.kept)
    broken = np.triu(facts.counts.broken)
    order = np.argsort(-broken, axis=None, kind="stable")[:MAX_LISTED]
    rows = []
    for line, column in zip(*np.unravel_index(order, broken.shape), strict=True):
        if broken[line, column]:
            where = [cluster_chip(facts, int(line))]
            if line != column:
                where += [Html(" and "), cluster_chip(facts, int(column))]
            rows.append((joined(where), f"{broken[line, column]:,}", f"{kept[line, column]:,}"))
    return joined([element("h3", "Where hints are broken"), table(("inside or between", "broken", "kept"), rows)])


def _moved(facts: Facts) -> list[Html]:
    """The rows that hints moved, by their clusters without and with hints, with examples."""
    if facts.moved is None:
        return []
    title = element("h3", "What hints changed", id="moved")
    if not len(facts.moved):
        return [title, element("p", "Nothing: every row is in the same cluster as without hints.")]
    assert facts.unsupervised is not None
    before = facts.unsupervised[facts.moved]
    after = facts.labels[facts.moved]
    flows, which, counts = np.unique(np.column_stack([before, after]), axis=0, return_inverse=True, return_counts=True)
    most = int(counts.max())
    lines = []
    for flow in np.argsort(-counts, kind="stable")[:MAX_LISTED].tolist():
        start, end = flows[flow].tolist()
        rows = facts.moved[which.ravel() == flow]
        if facts.certainty is not None:
            rows = rows[np.argsort(-facts.certainty[rows], kind="stable")]
        examples = ", ".join(plain(facts.row_name(int(row)), 24) for row in rows[:3])
        gone = element("span", "a cluster that no longer exists", class_="note")
        lines.append(
            (
                joined([gone if start < 0 else cluster_chip(facts, start, 30), " → ", cluster_chip(facts, end, 30)]),
                joined([_bar(int(counts[flow]) / most), f" {counts[flow]:,}"]),
                element("span", examples, class_="note"),
            )
        )
    sentence = f"{pluralize(len(facts.moved), 'row')} moved, {len(facts.moved) / facts.n_rows:.0%} of all."
    more = f" The {len(lines)} largest of {len(flows)} flows:" if len(lines) < len(flows) else ""
    button = element("button", "Show on the map", type="button", class_="quiet script", data_color="moved")
    return [
        title,
        element("p", f"{sentence}{more} ", button),
        table(("without hints → with hints", "rows", "for example"), lines, kind="flows"),
    ]


def _links(facts: Facts) -> list[Html]:
    """The share of links within clusters, and the share expected by chance."""
    if facts.links is None:
        return []
    same = facts.labels[facts.links.row] == facts.labels[facts.links.col]
    shares = facts.sizes / facts.n_rows
    expected = float(np.square(shares).sum())
    lines = [("links between rows", f"{facts.links.nnz:,}"), ("rows with a link", f"{_linked(facts):,}")]
    if facts.links.nnz:
        lines += [
            ("links inside a cluster", f"{same.mean():.0%}"),
            ("expected by chance", f"{expected:.0%}"),
        ]
    sentence = "Links were used to find the clusters."
    return [element("h3", "Links", id="links"), element("p", sentence), table((), lines, kind="facts")]


def _linked(facts: Facts) -> int:
    return len(np.unique(np.concatenate([facts.links.row, facts.links.col])))


def _bar(share: float) -> Html:
    return element(
        "svg",
        element("rect", x=0, y=0, width=round(100 * share, 1), height=8, class_="fill"),
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        class_="flow",
        aria_hidden="true",
    )
