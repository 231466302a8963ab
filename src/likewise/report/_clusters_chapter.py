"""The chapter on clusters, with a card for each: its size, distinguishing columns, typical rows, similar clusters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..constraints._format import pluralize
from ._charts import histogram, share_bar, shown_date, shown_month, shown_number
from ._columns import Difference
from ._facts import Facts
from ._map_data import MAX_EXCERPT
from ._markup import Html, element, joined, plain
from ._thumbnails import thumbnail

MAX_CARDS = 100
"""Maximum number of cards, for the largest clusters."""

MAX_OPEN = 12
"""With more clusters than this, cards are collapsed to a list."""

TYPICAL_ROWS = 4
DOUBTFUL_ROWS = 2
NEAR_CLUSTERS = 3
WORDS = 10
COLUMNS = 6
LEVELS = 3
"""Maximum number of each on a card."""

MIN_DIFFERENCE = 0.25
"""Smallest difference that is shown, in standard deviations."""


def clusters(facts: Facts) -> Html:
    """The cards of the largest clusters, sorted by size."""
    shown = facts.by_size[:MAX_CARDS]
    typical = _typical_rows(facts)
    folded = facts.n_clusters > MAX_OPEN
    left_out = facts.n_clusters - len(shown)
    note = f" The {len(shown)} largest of {facts.n_clusters:,} have a card." if left_out else ""
    what = "Open one to see what sets it apart." if folded else "What sets each apart from all other rows."
    if not folded and not len(facts.columns) and not facts.is_text:
        what = "Typical rows of each."
    buttons = element(
        "p",
        element("button", "Open all", type="button", class_="quiet", data_fold="open"),
        element("button", "Fold all", type="button", class_="quiet", data_fold=""),
        class_="script",
    )
    cards = (_card(facts, int(cluster), typical[cluster], is_open=not folded) for cluster in shown)
    return joined(
        [
            element(
                "div", element("p", f"The largest first. {what}{note}", class_="note"), buttons, class_="between-line"
            ),
            element("div", *cards, class_="cards folded" if folded else "cards"),
        ]
    )


def row_shown(facts: Facts, row: int, compared_with: int | None = None) -> list[Html]:
    """The image, name, and text or a few values of a row.

    Values are shown in the columns that distinguish its cluster, or that of the row ``compared_with``.
    """
    name = facts.row_name(row)
    parts = [element("b", plain(name, 60))]
    if facts.images is not None:
        parts.insert(0, element("img", src=thumbnail(facts.images[row]), alt=f"Picture of {name}"))
    if facts.texts is not None and facts.texts[row]:
        parts.append(element("span", plain(facts.texts[row], MAX_EXCERPT), class_="text"))
    elif facts.images is None and not facts.is_text:
        cluster = int(facts.labels[row if compared_with is None else compared_with])
        parts.append(element("span", _values(facts, row, cluster), class_="text"))
    return parts


def cluster_chip(facts: Facts, cluster: int, length: int = 40) -> Html:
    """A link to the card of a cluster, with its color."""
    return element("a", plain(facts.titles[cluster], length), href=f"#cluster-{cluster}", class_=f"chip c{cluster}")


def _card(facts: Facts, cluster: int, typical: Sequence[int], *, is_open: bool) -> Html:
    size = int(facts.sizes[cluster])
    number = f"cluster {facts.numbers[cluster]}"
    count = f"{pluralize(size, 'row')} · {size / facts.n_rows:.1%}"
    head = element(
        "summary",
        element("span", class_="dot", aria_hidden="true"),
        element("h3", facts.titles[cluster]),
        element("span", count if facts.titles[cluster].lower() == number else f"{number} · {count}", class_="count"),
        _size_bar(size / int(facts.sizes.max())),
    )
    body = element(
        "div",
        element("button", "Show on the map", type="button", class_="quiet script", data_show=cluster),
        _known(facts, cluster),
        _what_sets_apart(facts, cluster),
        _words(facts, cluster),
        _members(facts, "Typical", typical),
        _members(facts, "In doubt", _doubtful(facts, cluster)),
        _near(facts, cluster),
        class_="inside",
    )
    return element("details", head, body, class_=f"card c{cluster}", id=f"cluster-{cluster}", open=is_open)


def _known(facts: Facts, cluster: int) -> Html | None:
    """The number of rows with the label of the cluster that are in it; None if no cluster has a label."""
    if all(facts.label_of(other) is None for other in range(facts.n_clusters)):
        return None
    label = facts.label_of(cluster)
    if label is None:
        return element("p", "New: none of its rows has a label.", class_="known")
    own = facts.report.clusters[cluster]
    verb = "is" if own.known == 1 else "are"
    return element(
        "p", f"{own.known:,} of {pluralize(own.known_in_all, 'row')} labeled {label} {verb} here.", class_="known"
    )


def _what_sets_apart(facts: Facts, cluster: int) -> Html | None:
    found = [one for one in facts.differences[cluster][:COLUMNS] if abs(one.amount) >= MIN_DIFFERENCE]
    if not found:
        return None
    lines = [_level_line(facts, cluster, one) if one.level >= 0 else _number_line(facts, cluster, one) for one in found]
    unit = "medians in standard deviations" if facts.columns.scaled else "medians"
    legend = element(
        "p",
        element("i", class_="own", aria_hidden="true"),
        "this cluster ",
        element("i", class_="rest", aria_hidden="true"),
        f"all others; numbers are {unit}, shares in percent",
        class_="note key",
    )
    return joined([element("h4", "What sets it apart"), element("ul", *lines, class_="bars"), legend])


def _number_line(facts: Facts, cluster: int, one: Difference) -> Html:
    values = facts.columns.values(one.column)
    inside = facts.map_labels == cluster
    shown = shown_month if one.column in facts.columns.dates else shown_number
    own, rest = (shown(_median(part)) for part in (values[inside], values[~inside]))
    return _line(one.column, histogram(values[inside], values[~inside]), "↑" if one.amount > 0 else "↓", own, rest)


def _level_line(facts: Facts, cluster: int, one: Difference) -> Html:
    category = facts.columns.categories[one.column]
    counts = category.counts(facts.map_labels, facts.n_clusters)
    own = counts[cluster] / max(int(counts[cluster].sum()), 1)
    others = counts.sum(axis=0) - counts[cluster]
    rest = others / max(int(others.sum()), 1)
    level = category.levels[one.level]
    bar = share_bar(float(own[one.level]), float(rest[one.level]))
    shares = [f"{100 * part[one.level]:.0f}%" for part in (own, rest)]
    lines = [_line(f"{one.column}: {level}", bar, "↑" if one.amount > 0 else "↓", *shares)]
    order = [place for place in np.argsort(-np.abs(own - rest), kind="stable") if place != one.level]
    for place in order[: LEVELS - 1] if len(category.levels) > 2 else ():
        if abs(own[place] - rest[place]) >= 0.1:
            shares = [f"{100 * part[place]:.0f}%" for part in (own, rest)]
            bar = share_bar(float(own[place]), float(rest[place]))
            lines.append(
                _line(f"{one.column}: {category.levels[place]}", bar, "↑" if own[place] > rest[place] else "↓", *shares)
            )
    return joined(lines)


def _line(name: str, chart: Html, arrow: str, own: str, rest: str) -> Html:
    higher = "higher" if arrow == "↑" else "lower"
    return element(
        "li",
        element("span", plain(name, 60), class_="name", title=plain(name, 200)),
        chart,
        element(
            "span",
            element("span", arrow, aria_label=higher, role="img", class_="arrow"),
            element("b", own),
            element("span", rest, class_="rest", title="all others"),
            class_="number",
        ),
    )


def _words(facts: Facts, cluster: int) -> Html | None:
    found = facts.words(cluster)[:WORDS]
    if not found:
        return None
    largest = max(value for _, value in found)
    words = [
        element("span", plain(word, 40), class_=f"word w{min(int(4 * value / largest), 3)}") for word, value in found
    ]
    return joined([element("h4", "Words that set it apart"), element("p", *words, class_="words")])


def _typical_rows(facts: Facts) -> list[list[int]]:
    """The rows nearest to the mean of each cluster."""
    order = np.lexsort([facts.layout.off_center, facts.map_labels])
    starts = np.searchsorted(facts.map_labels[order], np.arange(facts.n_clusters + 1))
    found = []
    for start, end in pairwise(starts):
        rows = facts.rows[order[start:end]][: 8 * TYPICAL_ROWS].tolist()
        first_with: dict[Any, int] = {}
        for row in rows:  # skip rows with the same text
            first_with.setdefault(row if facts.texts is None else plain(facts.texts[row], MAX_EXCERPT), row)
        found.append(list(first_with.values())[:TYPICAL_ROWS])
    return found


def _doubtful(facts: Facts, cluster: int) -> list[int]:
    rows = facts.doubtful
    return rows[facts.labels[rows] == cluster][:DOUBTFUL_ROWS].tolist()


def _members(facts: Facts, title: str, rows: Sequence[int]) -> Html | None:
    if not rows:
        return None
    items = (element("li", *row_shown(facts, row)) for row in rows)
    return joined([element("h4", title), element("ul", *items, class_="members")])


def _values(facts: Facts, row: int, cluster: int) -> str:
    """The values of a row in the columns that distinguish a cluster; empty if the row is not on the map."""
    place = int(np.searchsorted(facts.rows, row))
    if place == len(facts.rows) or facts.rows[place] != row:
        return ""
    columns = facts.columns
    parts = []
    for one in facts.differences[cluster][:3]:
        if one.level < 0:
            value = float(columns.values(one.column)[place])
            shown = shown_date(value) if one.column in columns.dates else shown_number(value)
            shown += " SD" if columns.scaled else ""
        else:
            category = columns.categories[one.column]
            shown = "–" if category.codes[place] < 0 else plain(category.levels[category.codes[place]], 40)
        parts.append(f"{plain(one.column, 40)} {shown}")
    return ", ".join(parts)


def _near(facts: Facts, cluster: int) -> Html | None:
    """Similar clusters: those that are the second choice of most of its uncertain rows, then the nearest."""
    if facts.n_clusters == 1:
        return None
    votes = np.zeros(facts.n_clusters, dtype=np.int64)
    if facts.second is not None and facts.certainty is not None:
        unsure = (facts.labels == cluster) & (facts.second >= 0) & (facts.certainty < 0.9)
        votes = np.bincount(facts.second[unsure], minlength=facts.n_clusters)
    order = [int(other) for other in np.lexsort([facts.layout.dissimilarity[cluster], -votes]) if other != cluster]
    links = []
    for other in order[:NEAR_CLUSTERS]:
        chip = cluster_chip(facts, other, 30)
        rows = pluralize(int(votes[other]), "row")
        links.append(
            element("span", chip, element("span", f"second choice of {rows}", class_="note")) if votes[other] else chip
        )
    return joined([element("h4", "Most like it"), element("p", *links, class_="near")])


def _median(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else float("nan")


def _size_bar(share: float) -> Html:
    return element(
        "svg",
        element("rect", x=0, y=0, width=100, height=4, class_="track"),
        element("rect", x=0, y=0, width=round(100 * share, 1), height=4, class_="own"),
        viewBox="0 0 100 4",
        preserveAspectRatio="none",
        class_="size",
        aria_hidden="true",
    )
