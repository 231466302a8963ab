"""The data of the map: positions, clusters, texts and lines, in a compact format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._arrays import IntArray
from ..constraints import Constraints
from ..page import GRID, on_grid, packed, palette
from ._facts import Facts
from ._markup import Html, plain
from ._thumbnails import thumbnail

MAX_EXCERPT = 200
"""Maximum number of characters of a text."""

MAX_BYTES = {"ids": 6_000_000, "texts": 8_000_000}
"""Maximum size of the ids and texts of all points; if they are larger, all are truncated."""

MAX_COLUMN_BYTES = 6_000_000
MAX_COLUMNS = 60
"""Maximum size and number of columns; beyond, those with the largest differences between clusters are kept."""

CERTAIN = 10_000
"""Number of steps of a certainty from 0 to 1."""

MAX_PICTURES = 2_000
"""Maximum number of points with an image each."""

MAX_LINES = 4_000
"""Maximum number of hints that are drawn as lines; broken ones come first."""

MAX_SUSPECTS = 200
"""Maximum number of marked hints that look wrong."""

MAX_LEVELS = 40
"""Minimum number of colors, which are also used for the levels of categories."""


def map_data(facts: Facts) -> dict[str, Any]:
    """The data of the map, which can be serialized as JSON."""
    rows = facts.rows
    layout = facts.layout
    data: dict[str, Any] = {
        "count": len(rows),
        "places": packed(np.concatenate([on_grid(layout.before).T, on_grid(layout.after).T]), "<u2"),
        "cluster": packed(facts.map_labels, "<u2"),
        "names": facts.titles,
        "numbers": facts.numbers.tolist(),
        "sizes": facts.sizes.tolist(),
        "colors": {scheme: palette(max(facts.n_clusters, MAX_LEVELS), scheme) for scheme in ("light", "dark")},
        "rows": None if len(rows) == facts.n_rows else packed(rows, "<u4"),
        "ids": _excerpts(facts.ids, rows, "ids", 1000, one_line=False),
        "texts": _excerpts(facts.texts, rows, "texts", MAX_EXCERPT),
        "columns": _columns(facts),
        **_lines(facts),
    }
    if facts.unsupervised is not None:
        data["unsupervised"] = packed(facts.unsupervised[rows] % (GRID + 1), "<u2")  # −1 is stored as the largest value
    if facts.certainty is not None:
        data["certainty"] = packed(np.round(CERTAIN * np.clip(facts.certainty[rows], 0, 1)), "<u2")
    if facts.second is not None:
        data["second"] = packed(facts.second[rows] % (GRID + 1), "<u2")
    if facts.images is not None:
        data["faces"] = [thumbnail(facts.images[row], 48) for row in facts.most_typical.tolist()]
    if facts.images is not None and len(rows) <= MAX_PICTURES:
        data["pictures"] = [thumbnail(facts.images[row], 72) for row in rows]
    return data


def as_script(data: Any) -> Html:
    """JSON that is safe inside a script element, whatever texts contain."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Html(text)


def likely_wrong(facts: Facts) -> list[Any]:
    """Hints that are more likely wrong than right, the most likely first; without pairs derived from links."""
    found = [suspect for suspect in getattr(facts.model, "suspects_", ()) if suspect.wrong > 0.5]
    if facts.links is None:
        return found
    return [suspect for suspect in found if facts.hinted[list(suspect.rows)].all()]


def constraint_lines(constraints: Constraints) -> tuple[IntArray, IntArray]:
    """The must-links and cannot-links to draw.

    A block of rows that are the same (or all different) is drawn as a chain, instead of every pair; cannot-links
    between blocks are not drawn.
    """
    same = [constraints.must_link]
    different = [constraints.cannot_link]
    for partition in constraints.partitions:
        order = np.argsort(partition.codes, kind="stable")
        order = order[partition.codes[order] >= 0]
        codes = partition.codes[order]
        chain = np.column_stack([order[:-1], order[1:]])[codes[:-1] == codes[1:]]
        if partition.same_within:
            same.append(chain)
        if partition.different_within:
            different.append(chain)
    return np.concatenate(same), np.concatenate(different)


def _columns(facts: Facts) -> list[dict[str, Any]]:
    """The columns for coloring rows and for the table: known classes, and the original columns.

    If there are too many columns, those with the largest differences between clusters are kept.
    """
    found = []
    rows = facts.rows
    if facts.class_codes is not None and facts.class_names:
        codes = facts.class_codes[rows]
        found.append({"name": "known class", **_levels(codes, facts.class_names)})
    names = list(facts.columns.order)
    most = int(min(MAX_COLUMNS, MAX_COLUMN_BYTES // (4 * max(len(rows), 1))))
    if len(names) > most:
        strength: dict[str, float] = {}
        for own in facts.differences:
            for one in own:
                strength[one.column] = max(strength.get(one.column, 0.0), abs(one.amount))
        names = sorted(strength, key=lambda name: -strength[name])[:most]
    for name in names:
        shown = plain(name, 80)
        if name in facts.columns.categories:
            category = facts.columns.categories[name]
            found.append({"name": shown, **_levels(category.codes, list(category.levels))})
        else:
            kind = "date" if name in facts.columns.dates else "number"
            # seconds since 1970 need double precision
            values = packed(facts.columns.values(name), "<f8" if kind == "date" else "<f4")
            found.append({"name": shown, "kind": kind, "values": values})
    return found


def _levels(codes: IntArray, levels: list[str]) -> dict[str, Any]:
    """A categorical column, with levels sorted by frequency; 65,535 if missing."""
    order = np.argsort(-np.bincount(codes[codes >= 0], minlength=len(levels)), kind="stable")
    place = np.empty(len(levels) + 1, dtype=np.int64)
    place[order] = np.arange(len(levels))
    place[-1] = GRID
    return {
        "kind": "category",
        "values": packed(place[codes], "<u2"),
        "levels": [plain(levels[level], 60) for level in order],
    }


def _lines(facts: Facts) -> dict[str, Any]:
    point = np.full(facts.n_rows, -1)
    point[facts.rows] = np.arange(len(facts.rows))
    rng = np.random.default_rng(0)
    same, different = constraint_lines(facts.constraints)
    total = len(same) + len(different)
    lines = {}
    n_drawn = 0
    for name, pairs, wanted in (("same", same, True), ("different", different, False)):
        together = facts.labels[pairs[:, 0]] == facts.labels[pairs[:, 1]]
        broken = together != wanted
        # broken ones first, the others in random order, so that those drawn are representative
        order = np.lexsort([rng.random(len(pairs)), ~broken])
        limit = -(-MAX_LINES * len(pairs) // max(total, MAX_LINES))
        points = point[pairs[order]]
        shown = np.flatnonzero((points >= 0).all(axis=1))[:limit]
        lines[name] = {"pairs": packed(points[shown], "<u4"), "broken": int(broken[order][shown].sum())}
        n_drawn += len(shown)
    suspects = [
        [*points, suspect.kind == "must-link"]
        for suspect in likely_wrong(facts)[:MAX_SUSPECTS]
        if min(points := point[list(suspect.rows)].tolist()) >= 0
    ]
    found = {"lines": lines, "linesDrawn": n_drawn, "linesStated": total, "suspects": suspects}
    if facts.links is not None:
        points = point[np.column_stack([facts.links.row, facts.links.col])]
        points = points[(points >= 0).all(axis=1)]
        found["links"] = packed(rng.permutation(points)[:MAX_LINES], "<u4")
    return found


def _excerpts(
    values: Sequence[Any] | None, rows: IntArray, kind: str, length: int, *, one_line: bool = True
) -> list[str] | None:
    if values is None:
        return None
    if one_line:
        cut = [plain(values[row], length) for row in rows]
    else:
        cut = [str(values[row]).encode("utf-8", "replace").decode("utf-8") for row in rows]
    while length > 8 and len(as_script(cut).encode()) > MAX_BYTES[kind]:
        length = length * 3 // 4
        cut = [plain(text, length) for text in cut]
    return cut
