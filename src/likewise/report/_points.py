"""The map as data: positions, clusters, words and lines, packed small enough for a page."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..constraints import Constraints
from ._markup import Html, plain
from ._palette import palette
from ._subject import Subject
from ._thumbnails import thumbnail

Array = np.ndarray

EXCERPT = 200
"""Characters of a text that are shown."""

MOST_BYTES = {"ids": 3_000_000, "texts": 8_000_000}
"""What the names and texts of all points may take; where they take more, all are cut shorter."""

MOST_PICTURES = 2_000
"""Points up to which each has its picture."""

MOST_LINES = 4_000
"""Hints drawn as lines, at most; broken ones first."""

MOST_SUSPECTS = 200
"""Suspect hints that the map marks."""

GRAINS = 65_535
"""Steps that a position is rounded to: finer than any screen."""


def map_data(subject: Subject) -> dict[str, Any]:
    """What the map needs to know, ready for JSON."""
    rows, here = subject.rows, subject.here
    report, baseline = subject.report, getattr(subject.model, "baseline_labels_", None)
    said: dict[str, Any] = {
        "count": len(rows),
        "places": _packed(np.concatenate([_grains(subject.layout.before).T, _grains(subject.layout.after).T]), "<u2"),
        "cluster": _packed(here, "<u2"),
        "names": [str(name) for name in subject.names],
        "sizes": subject.sizes.tolist(),
        "colors": {scheme: palette(subject.n_clusters, scheme) for scheme in ("light", "dark")},
        "rows": None if len(rows) == subject.n_rows else _packed(rows, "<u4"),
        "ids": _excerpts(subject.ids, rows, "ids", 60),
        "texts": _excerpts(subject.texts, rows, "texts", EXCERPT),
        **_lines(subject),
    }
    if baseline is not None:
        # a cluster that only the answer without hints has is beyond the names
        place = {int(name): number for number, name in enumerate(subject.names)}
        codes = [place.get(int(name), GRAINS) for name in np.unique(baseline)]
        said["without"] = _packed(np.array(codes)[np.unique(baseline, return_inverse=True)[1]][rows], "<u2")
    if report is not None:
        said["agreement"] = _packed(np.round(255 * np.clip(report.agreement[rows], 0, 1)), "<u1")
    if subject.images is not None and len(rows) <= MOST_PICTURES:
        said["pictures"] = [thumbnail(subject.images[row], 72) for row in rows]
    return said


def as_script(data: Any) -> Html:
    """JSON that is safe inside a script element, whatever texts hold."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Html(text)


def suspects(subject: Subject) -> list[Any]:
    """Hints that are more likely wrong than right, the worst first."""
    return [suspect for suspect in getattr(subject.model, "suspects_", ()) if suspect.wrong > 0.5]


def hint_lines(hints: Constraints) -> tuple[Array, Array]:
    """Pairs to draw for what was said: same, different.

    Of a block of rows that are the same (or all different) a chain through it is drawn, not every pair; that the rows
    of two blocks differ is not drawn.
    """
    same, different = [hints.must_link], [hints.cannot_link]
    for partition in hints.partitions:
        order = np.argsort(partition.codes, kind="stable")
        order = order[partition.codes[order] >= 0]
        codes = partition.codes[order]
        chain = np.column_stack([order[:-1], order[1:]])[codes[:-1] == codes[1:]]
        if partition.same_within:
            same.append(chain)
        if partition.different_within:
            different.append(chain)
    return np.concatenate(same), np.concatenate(different)


def _lines(subject: Subject) -> dict[str, Any]:
    point = np.full(subject.n_rows, -1)
    point[subject.rows] = np.arange(len(subject.rows))
    found: dict[str, Any] = {"lines": {}, "linesDrawn": 0, "linesStated": 0}
    rng = np.random.default_rng(0)
    pairs = hint_lines(subject.hints)
    total = sum(map(len, pairs))
    for kind, wanted, stated in zip(("same", "different"), (True, False), pairs, strict=True):
        together = subject.labels[stated[:, 0]] == subject.labels[stated[:, 1]]
        broken = together != wanted
        # broken ones first, the others in any order: a part of them stands for all
        order = np.lexsort([rng.random(len(stated)), ~broken])
        room = -(-MOST_LINES * len(stated) // max(total, MOST_LINES))
        chosen = point[stated[order]]
        shown = np.flatnonzero((chosen >= 0).all(axis=1))[:room]
        found["lines"][kind] = {"pairs": _packed(chosen[shown], "<u4"), "broken": int(broken[order][shown].sum())}
        found["linesDrawn"] += len(shown)
        found["linesStated"] += len(stated)
    found["suspects"] = [
        [*points, suspect.kind == "must-link"]
        for suspect in suspects(subject)[:MOST_SUSPECTS]
        if min(points := point[list(suspect.rows)].tolist()) >= 0
    ]
    return found


def _grains(places: Array) -> Array:
    """Whole numbers from 0 to 65,535, one scale for both directions; rows far off are put at the edge."""
    low, high = np.percentile(places, [0.5, 99.5], axis=0)
    middle, span = (low + high) / 2, float((high - low).max()) or 1.0
    return np.round(np.clip((places - middle) / (2.0 * span) + 0.5, 0, 1) * GRAINS)


def _excerpts(values: Sequence[Any] | None, rows: Array, kind: str, most: int) -> list[str] | None:
    if values is None:
        return None
    cut = [plain(values[row], most) for row in rows]
    while most > 8 and len(as_script(cut).encode()) > MOST_BYTES[kind]:
        most = most * 3 // 4
        cut = [plain(text, most) for text in cut]
    return cut


def _packed(values: Array, kind: str) -> str:
    return b64encode(np.ascontiguousarray(values).astype(kind).tobytes()).decode()
