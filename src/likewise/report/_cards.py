"""A card for each cluster: how large it is, what makes it, who is typical, which clusters are near."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ._markup import Html, element, joined, plain
from ._points import EXCERPT
from ._subject import Subject
from ._thumbnails import thumbnail

MOST_CARDS = 100
"""Of more clusters the largest have a card."""

TYPICAL, DOUBTFUL, NEAREST = 4, 2, 3
"""Rows and clusters that a card names."""

FEATURES = {"words": 10, "columns": 6}
LOW = 0.5
"""A row is doubtful if fewer clusterings than this put it where the answer does."""


class Cards:
    """The cards of all clusters.

    Parameters
    ----------
    subject : Subject
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def html(self) -> Html:
        """All cards, in the order of the clusters; of very many the largest."""
        sizes = self.subject.sizes
        shown = np.sort(np.argsort(-sizes, kind="stable")[:MOST_CARDS])
        left = len(sizes) - len(shown)
        note = f"The {len(shown)} largest of {len(sizes):,} clusters have a card." if left else None
        return joined(
            [
                element("p", note, class_="note") if note else None,
                element("div", *(self.card(int(number)) for number in shown), class_="cards"),
            ]
        )

    def card(self, cluster: int) -> Html:
        """One card."""
        subject = self.subject
        size = int(subject.sizes[cluster])
        head = element(
            "header",
            element("h3", element("span", class_="dot", aria_hidden="true"), f"Cluster {subject.names[cluster]}"),
            element("p", f"{size:,} {'row' if size == 1 else 'rows'} · {size / subject.n_rows:.1%} of all"),
            element("button", "Show on the map", type="button", class_="quiet script", data_show=cluster),
        )
        return element(
            "article",
            head,
            self._made_of(cluster),
            self._members("Typical", self._typical[cluster]),
            self._members("Least certain", self._doubtful(cluster)),
            self._near(cluster),
            class_=f"card c{cluster}",
            id=f"cluster-{cluster}",
        )

    def features(self, cluster: int) -> list[tuple[str, float]]:
        """What makes a cluster; a single pixel of a picture tells nobody anything."""
        subject = self.subject
        if subject.images is not None and (
            subject.feature_names is None or str(subject.feature_names[0])[:5] == "pixel"
        ):
            return []
        if not subject.is_text:
            return subject.top_features(cluster, FEATURES["columns"])
        # in text a word that others use more says little
        return [pair for pair in subject.top_features(cluster, 3 * FEATURES["words"]) if pair[1] > 0]

    def motto(self, cluster: int) -> str:
        """Two or three words that stand for the cluster; empty for tables."""
        if not self.subject.is_text:
            return ""
        return plain(", ".join(name for name, _ in self.features(cluster)[:3]), 32)

    def _made_of(self, cluster: int) -> Html | None:
        found = self.features(cluster)
        if not found:
            return None
        if self.subject.is_text:
            most = found[0][1]
            words = [
                element("span", plain(name, 40), class_=f"word w{min(int(4 * value / most), 3)}")
                for name, value in found[: FEATURES["words"]]
            ]
            return joined([element("h4", "Words that set it apart"), element("p", *words, class_="words")])
        most = max(abs(value) for _, value in found)
        bars = [
            element(
                "li",
                element("span", plain(name, 40), class_="name"),
                _bar(value / most),
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

    @cached_property
    def _typical(self) -> list[list[int]]:
        """The rows nearest to the middle of each cluster."""
        subject = self.subject
        order = np.lexsort([subject.layout.typical, subject.here])
        starts = np.searchsorted(subject.here[order], np.arange(subject.n_clusters + 1))
        found = []
        for start, end in pairwise(starts):
            rows = subject.rows[order[start:end]].tolist()
            # the same text twice tells no more than once
            told = {self._told(row): row for row in reversed(rows[: 8 * TYPICAL])}
            found.append(sorted(told.values(), key=rows.index)[:TYPICAL])
        return found

    def _told(self, row: int) -> Any:
        return row if self.subject.texts is None else plain(self.subject.texts[row], EXCERPT)

    def _doubtful(self, cluster: int) -> list[int]:
        report = self.subject.report
        if report is None or not len(report.agreement):
            return []
        inside = np.flatnonzero(self.subject.labels == cluster)
        unsure = inside[report.agreement[inside] < LOW]
        return unsure[np.argsort(report.agreement[unsure], kind="stable")][:DOUBTFUL].tolist()

    def _members(self, title: str, rows: list[int]) -> Html | None:
        if not rows:
            return None
        return joined(
            [element("h4", title), element("ul", *(element("li", *self.shown(row)) for row in rows), class_="members")]
        )

    def shown(self, row: int, like: int | None = None) -> list[Html]:
        """A row as a reader can know it: picture, name, text, or a few values.

        These are of the columns that set its own cluster apart, or that of the row ``like``, to be compared with it.
        """
        subject = self.subject
        name = subject.name_of(row)
        parts = [element("b", plain(name, 60))]
        if subject.images is not None:
            parts.insert(0, element("img", src=thumbnail(subject.images[row]), alt=f"Picture of {name}"))
        if subject.texts is not None:
            parts.append(element("span", plain(subject.texts[row], EXCERPT), class_="text"))
        elif subject.images is None and not subject.is_text:
            parts.append(element("span", self._values(row, row if like is None else like), class_="text"))
        return parts

    def _values(self, row: int, like: int) -> str:
        subject = self.subject
        place = int(np.searchsorted(subject.rows, row))
        if place == len(subject.rows) or subject.rows[place] != row:
            return ""  # not in the sample that is on the map
        names = list(map(str, subject.feature_names or [f"x{column}" for column in range(subject.n_columns)]))
        columns = {name: number for number, name in enumerate(names)}
        chosen = [name for name, _ in self.features(int(subject.labels[like]))[:3]]
        values = subject.X[[place]]
        values = (values.toarray() if hasattr(values, "toarray") else values)[0]
        return ", ".join(f"{plain(name, 40)} {values[columns[name]]:.4g}" for name in chosen)

    def _near(self, cluster: int) -> Html | None:
        subject = self.subject
        order = [other for other in np.argsort(subject.layout.apart[cluster], kind="stable") if other != cluster]
        if not order:
            return None
        links = [
            element("a", f"Cluster {subject.names[other]}", href=f"#cluster-{other}", class_=f"chip c{other}")
            for other in order[:NEAREST]
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
