"""The map as data: positions, clusters, texts and lines, packed small enough for a page."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._arrays import FloatArray, IntArray
from ..constraints import Constraints
from ._facts import Facts
from ._markup import Html, plain
from ._palette import palette
from ._thumbnails import thumbnail

MAX_EXCERPT = 200
"""Characters of a text that are shown."""

MAX_BYTES = {"ids": 3_000_000, "texts": 8_000_000}
"""What the names and texts of all points may take; where they take more, all are cut shorter."""

MAX_PICTURES = 2_000
"""Points up to which each has its picture."""

MAX_LINES = 4_000
"""Hints drawn as lines, at most; broken ones first."""

MAX_SUSPECTS = 200
"""Hints that look wrong which the map marks, at most."""

GRID = 65_535
"""Steps that a position is rounded to: finer than any screen."""


def map_data(facts: Facts) -> dict[str, Any]:
    """All that the map shows, ready for JSON."""
    rows = facts.rows
    layout = facts.layout
    data: dict[str, Any] = {
        "count": len(rows),
        "places": _packed(np.concatenate([_on_grid(layout.before).T, _on_grid(layout.after).T]), "<u2"),
        "cluster": _packed(facts.map_labels, "<u2"),
        "names": [str(name) for name in facts.names],
        "sizes": facts.sizes.tolist(),
        "colors": {scheme: palette(facts.n_clusters, scheme) for scheme in ("light", "dark")},
        "rows": None if len(rows) == facts.n_rows else _packed(rows, "<u4"),
        "ids": _excerpts(facts.ids, rows, "ids", 60),
        "texts": _excerpts(facts.texts, rows, "texts", MAX_EXCERPT),
        **_lines(facts),
    }
    baseline = getattr(facts.model, "unsupervised_labels_", None)
    if baseline is not None:
        # a cluster that only the unsupervised result has gets a number beyond the names
        position = {int(name): number for number, name in enumerate(facts.names)}
        baseline_names, codes = np.unique(baseline, return_inverse=True)
        positions = np.array([position.get(int(name), GRID) for name in baseline_names])
        data["unsupervised"] = _packed(positions[codes][rows], "<u2")
    if facts.report is not None:
        data["agreement"] = _packed(np.round(255 * np.clip(facts.report.agreement[rows], 0, 1)), "<u1")
    if facts.images is not None and len(rows) <= MAX_PICTURES:
        data["pictures"] = [thumbnail(facts.images[row], 72) for row in rows]
    return data


def as_script(data: Any) -> Html:
    """JSON that is safe inside a script element, whatever texts hold."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Html(text)


def likely_wrong(facts: Facts) -> list[Any]:
    """Hints that are more likely wrong than right, the worst first."""
    return [suspect for suspect in getattr(facts.model, "suspects_", ()) if suspect.wrong > 0.5]


def constraint_lines(constraints: Constraints) -> tuple[IntArray, IntArray]:
    """Pairs to draw: must-links and cannot-links.

    Of a block of rows that are the same (or all different) a chain through it is drawn, not every pair; that the rows
    of two blocks differ is not drawn.
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
        # broken ones first, the others in random order: some of them stand for all
        order = np.lexsort([rng.random(len(pairs)), ~broken])
        limit = -(-MAX_LINES * len(pairs) // max(total, MAX_LINES))
        points = point[pairs[order]]
        shown = np.flatnonzero((points >= 0).all(axis=1))[:limit]
        lines[name] = {"pairs": _packed(points[shown], "<u4"), "broken": int(broken[order][shown].sum())}
        n_drawn += len(shown)
    suspects = [
        [*points, suspect.kind == "must-link"]
        for suspect in likely_wrong(facts)[:MAX_SUSPECTS]
        if min(points := point[list(suspect.rows)].tolist()) >= 0
    ]
    return {"lines": lines, "linesDrawn": n_drawn, "linesStated": total, "suspects": suspects}


def _on_grid(places: FloatArray) -> FloatArray:
    """Whole numbers from 0 to 65,535, one scale for both directions; rows far off are put at the edge."""
    low, high = np.percentile(places, [0.5, 99.5], axis=0)
    middle = (low + high) / 2
    span = float((high - low).max()) or 1.0
    return np.round(np.clip((places - middle) / (2.0 * span) + 0.5, 0, 1) * GRID)


def _excerpts(values: Sequence[Any] | None, rows: IntArray, kind: str, length: int) -> list[str] | None:
    if values is None:
        return None
    cut = [plain(values[row], length) for row in rows]
    while length > 8 and len(as_script(cut).encode()) > MAX_BYTES[kind]:
        length = length * 3 // 4
        cut = [plain(text, length) for text in cut]
    return cut


def _packed(values: Any, dtype: str) -> str:
    return b64encode(np.ascontiguousarray(values).astype(dtype).tobytes()).decode()
