"""A card for each cluster: how large it is, what sets it apart, typical rows, clusters like it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from ..front._report import LOW_AGREEMENT
from ..prepare._kinds import DataKind
from ._facts import Facts
from ._map_data import MAX_EXCERPT
from ._markup import Html, element, joined, plain
from ._thumbnails import thumbnail

MAX_CARDS = 100
"""Of more clusters the largest have a card."""

TYPICAL_ROWS = 4
LOW_AGREEMENT_ROWS = 2
NEAR_CLUSTERS = 3
WORDS = 10
COLUMNS = 6
"""How many of each a card names."""


def clusters(facts: Facts) -> Html:
    """All cards, in the order of the clusters; of very many the largest."""
    sizes = facts.sizes
    shown = np.sort(np.argsort(-sizes, kind="stable")[:MAX_CARDS])
    typical = _typical_rows(facts)
    note = f"The {len(shown)} largest of {len(sizes):,} clusters have a card." if len(shown) < len(sizes) else None
    cards = (_card(facts, int(cluster), typical[cluster]) for cluster in shown)
    return joined([element("p", note, class_="note") if note else None, element("div", *cards, class_="cards")])


def motto(facts: Facts, cluster: int) -> str:
    """Two or three words that stand for the cluster; empty for tables."""
    if not facts.is_text:
        return ""
    return plain(", ".join(name for name, _ in _features(facts, cluster)[:3]), 32)


def row_shown(facts: Facts, row: int, compared_with: int | None = None) -> list[Html]:
    """A row as a reader can know it: picture, name, text, or a few values.

    Values are of the columns that set its own cluster apart, or that of the row it is compared with.
    """
    name = facts.row_name(row)
    parts = [element("b", plain(name, 60))]
    if facts.images is not None:
        parts.insert(0, element("img", src=thumbnail(facts.images[row]), alt=f"Picture of {name}"))
    if facts.texts is not None:
        parts.append(element("span", plain(facts.texts[row], MAX_EXCERPT), class_="text"))
    elif facts.images is None and not facts.is_text:
        cluster = int(facts.labels[row if compared_with is None else compared_with])
        parts.append(element("span", _values(facts, row, cluster), class_="text"))
    return parts


def _card(facts: Facts, cluster: int, typical: Sequence[int]) -> Html:
    size = int(facts.sizes[cluster])
    head = element(
        "header",
        element("h3", element("span", class_="dot", aria_hidden="true"), f"Cluster {facts.names[cluster]}"),
        element("p", f"{size:,} {'row' if size == 1 else 'rows'} · {size / facts.n_rows:.1%} of all"),
        element("button", "Show on the map", type="button", class_="quiet script", data_show=cluster),
    )
    return element(
        "article",
        head,
        _what_sets_apart(facts, cluster),
        _members(facts, "Typical", typical),
        _members(facts, "Low agreement", _low_agreement(facts, cluster)),
        _near(facts, cluster),
        class_=f"card c{cluster}",
        id=f"cluster-{cluster}",
    )


def _features(facts: Facts, cluster: int) -> list[tuple[str, float]]:
    """What sets a cluster apart; nothing for pictures, whose pixels mean nothing one by one."""
    if facts.kind is DataKind.IMAGES or (facts.images is not None and facts.feature_names is None):
        return []
    if not facts.is_text:
        return facts.top_features(cluster, COLUMNS)
    # in text a word that others use more says little
    return [pair for pair in facts.top_features(cluster, 3 * WORDS) if pair[1] > 0]


def _what_sets_apart(facts: Facts, cluster: int) -> Html | None:
    found = _features(facts, cluster)
    if not found:
        return None
    largest = max(abs(value) for _, value in found)
    if facts.is_text:
        words = [
            element("span", plain(name, 40), class_=f"word w{min(int(4 * value / largest), 3)}")
            for name, value in found[:WORDS]
        ]
        return joined([element("h4", "Words that set it apart"), element("p", *words, class_="words")])
    bars = [
        element(
            "li",
            element("span", plain(name, 40), class_="name", title=plain(name, 200)),
            _bar(value / largest),
            element("span", f"{value:+.1f}".replace("-", "−"), class_="number"),
        )
        for name, value in found
    ]
    return joined(
        [
            element("h4", "Columns that set it apart"),
            element("ul", *bars, class_="bars"),
            element("p", "Difference from all other rows, in standard deviations.", class_="note"),
        ]
    )


def _typical_rows(facts: Facts) -> list[list[int]]:
    """The rows nearest to the middle of each cluster."""
    order = np.lexsort([facts.layout.off_center, facts.map_labels])
    starts = np.searchsorted(facts.map_labels[order], np.arange(facts.n_clusters + 1))
    found = []
    for start, end in pairwise(starts):
        rows = facts.rows[order[start:end]][: 8 * TYPICAL_ROWS].tolist()
        first_with: dict[Any, int] = {}
        for row in rows:  # of rows with the same text only the first is shown
            first_with.setdefault(row if facts.texts is None else plain(facts.texts[row], MAX_EXCERPT), row)
        found.append(list(first_with.values())[:TYPICAL_ROWS])
    return found


def _low_agreement(facts: Facts, cluster: int) -> list[int]:
    if facts.report is None or not len(facts.report.agreement):
        return []
    agreement = facts.report.agreement
    inside = np.flatnonzero(facts.labels == cluster)
    low = inside[agreement[inside] < LOW_AGREEMENT]
    return low[np.argsort(agreement[low], kind="stable")][:LOW_AGREEMENT_ROWS].tolist()


def _members(facts: Facts, title: str, rows: Sequence[int]) -> Html | None:
    if not rows:
        return None
    items = (element("li", *row_shown(facts, row)) for row in rows)
    return joined([element("h4", title), element("ul", *items, class_="members")])


def _values(facts: Facts, row: int, cluster: int) -> str:
    """A row's values in the columns that set a cluster apart; empty for a row that is not on the map."""
    place = int(np.searchsorted(facts.rows, row))
    if place == len(facts.rows) or facts.rows[place] != row:
        return ""
    columns = {name: number for number, name in enumerate(facts.column_names)}
    values = facts.X[[place]]
    values = (values.toarray() if sparse.issparse(values) else values)[0]
    parts = []
    for name, _ in _features(facts, cluster)[:3]:
        column = columns[name]
        value = values[column]
        short = plain(name, 40)
        if not facts.is_standardized:
            parts.append(f"{short} {value:.4g}")
        elif not facts.is_indicator[column]:
            parts.append(f"{short} {value / facts.deviations[column]:+.1f} SD".replace("-", "−"))
        elif value:
            parts.append(short)
    return ", ".join(parts)


def _near(facts: Facts, cluster: int) -> Html | None:
    order = [other for other in np.argsort(facts.layout.dissimilarity[cluster], kind="stable") if other != cluster]
    if not order:
        return None
    links = [
        element("a", f"Cluster {facts.names[other]}", href=f"#cluster-{other}", class_=f"chip c{other}")
        for other in order[:NEAR_CLUSTERS]
    ]
    return joined([element("h4", "Most like it"), element("p", *links, class_="near")])


def _bar(value: float) -> Html:
    """A bar from the middle to one side, for a value between −1 and 1."""
    width = round(48 * abs(value), 1)
    start = 50 if value > 0 else round(50 - width, 1)
    return element(
        "svg",
        element("rect", x=start, y=2, width=width, height=8, rx=2, class_="fill"),
        element("line", x1=50, x2=50, y1=0, y2=12, class_="axis"),
        viewBox="0 0 100 12",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
