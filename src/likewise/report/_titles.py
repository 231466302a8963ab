"""Titles of clusters: their label, or the words or columns that distinguish them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ._columns import Difference
from ._markup import plain

if TYPE_CHECKING:
    from ._facts import Facts

CLEAR = 0.6
"""Smallest difference that is used in a title, in standard deviations."""

PARTS = 2
"""Number of differences in a title; one more for words."""

MAX_TITLE = 48
"""Maximum number of characters."""

LONG, LONG_COUNTS = 20, 0.85
"""Differences of columns whose names have more than LONG characters are multiplied by LONG_COUNTS."""


def cluster_titles(facts: Facts) -> list[str]:
    """A unique title for each cluster: "CLL", "space, orbit, nasa", "high proline, low hue" or "Cluster 3"."""
    titles = [_title(facts, cluster) for cluster in range(facts.n_clusters)]
    for parts in (PARTS + 1, PARTS + 2):  # titles that are not unique get more words
        times = Counter(titles)
        titles = [title if times[title] == 1 else _title(facts, cluster, parts) for cluster, title in enumerate(titles)]
    times = Counter(titles)
    return [
        title if times[title] == 1 else f"{title} ({number})"
        for title, number in zip(titles, facts.numbers.tolist(), strict=True)
    ]


def _title(facts: Facts, cluster: int, parts: int = PARTS) -> str:
    number = f"Cluster {facts.names[cluster]}"
    if facts.label_of(cluster) is not None:
        return plain(facts.names[cluster], MAX_TITLE)
    if facts.is_text:
        return plain(", ".join(word for word, _ in facts.words(cluster)[: parts + 1]), MAX_TITLE) or number
    if not facts.has_named_columns:
        return number
    clear = [one for one in facts.differences[cluster][: parts + 2] if abs(one.amount) >= CLEAR]
    clear = sorted(clear, key=lambda one: -abs(one.amount) * (LONG_COUNTS if len(one.column) > LONG else 1.0))[:parts]
    words = [in_words(facts, one) for one in clear]
    while len(words) > 1 and len(", ".join(words)) > MAX_TITLE:
        words.pop()
    return ", ".join(words) or number


def in_words(facts: Facts, difference: Difference) -> str:
    """A description of a difference: "high proline", "region Asti", "region not Asti"."""
    column = plain(difference.column, 30)
    if difference.level < 0:
        late = difference.column in facts.columns.dates
        words = ("late", "early") if late else ("high", "low")
        return f"{words[difference.amount < 0]} {column}"
    level = plain(facts.columns.categories[difference.column].levels[difference.level], 20)
    return f"{column} {level}" if difference.amount > 0 else f"{column} not {level}"
