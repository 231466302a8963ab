"""Gestures on the map and in the list of clusters: each is previewed, then stored as one event with its hints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _gestures
from ._names import N_ANCHORS
from ._refusal import Refusal
from ._results import Shown
from ._state import DIFFERENT, SAME

if TYPE_CHECKING:
    from ._studio import Studio

MAX_NAME = 80

MAX_MOVED = 64


class GestureActs:
    """Groups, merges, splits, moves and names.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def _said(self, said: Sequence[tuple[int, int, str]]) -> list[list[Any]]:
        ids = self._studio.rows.ids
        return [[ids[left], ids[right], kind, 1.0] for left, right, kind in said if left != right]

    def preview_group(self, rows: Any, result: Any, *, apart: bool = False) -> dict[str, Any]:
        """The rows that represent a selection."""
        shown = self._studio.shown(result)
        selected = self._studio.selection(rows)
        if not len(selected):
            raise Refusal(422, "value", "nothing is selected.")
        found = _gestures.exemplars(shown, selected)
        items, _ = self._studio.view.items([row for row, _ in found])
        numbers, counts = np.unique(shown.labels[selected], return_counts=True)
        clusters = [{"number": int(a), "rows": int(b)} for a, b in zip(numbers, counts, strict=True) if a >= 0]
        preview = {
            "size": len(selected),
            "exemplars": [{"row": row, "role": role} for row, role in found],
            "items": items,
            "clusters": sorted(clusters, key=lambda one: -one["rows"]),
            "words": f"{len(selected):,} {'row' if len(selected) == 1 else 'rows'} of "
            f"{len(clusters)} {'cluster' if len(clusters) == 1 else 'clusters'}",
        }
        if apart:
            main = int(numbers[counts.argmax()])
            inside = set(selected.tolist())
            others = [row for row in shown.typical(main, len(inside) + _gestures.N_OTHERS) if row not in inside]
            others = others[: _gestures.N_OTHERS]
            preview |= {"others": others, "other_items": self._studio.view.items(others)[0]}
        return preview

    def group(self, who: str, key: str, sent: dict[str, Any]) -> dict[str, Any]:
        """Store that rows belong together."""
        event = self._studio.before(key, "grouped", who)
        new = event is None
        if event is None:
            shown = self._studio.shown(sent.get("result"))
            selected = self._studio.selection(sent.get("rows"))
            ticked = self._studio.some_rows(sent.get("ticked"), "ticked")
            unticked = [
                row for row in self._studio.some_rows(sent.get("unticked", []), "unticked") if row not in ticked
            ]
            ids = self._studio.rows.ids
            if sent.get("all"):
                inside = [row for row in selected.tolist() if row not in unticked]
                lines = [[ids[row], f"g{key[:8]}:0", "partition:same", 1.0] for row in inside]
                lines += self._said([one for one in _gestures.grouped(shown, ticked, unticked) if one[2] == DIFFERENT])
                count = len(inside)
            else:
                lines = self._said(_gestures.grouped(shown, ticked, unticked))
                count = len(ticked)
            if not lines:
                raise Refusal(422, "value", "tick two rows or more: nothing is said of fewer.")
            body = {
                "hints": lines,
                "rows": [ids[row] for row in selected.tolist()],
                "result": sent.get("result"),
                "polygon": _polygon(sent.get("polygon")),
                "words": f"{count:,} rows belong together"
                + (f", {len(unticked)} of the selection do not" if unticked else ""),
            }
            event, new, _ = self._studio.act("grouped", body, who, key)
        return self._studio.acts.reply(event, new, who, conflict=self._studio.acts._conflict_of(event))

    def separate(self, who: str, key: str, sent: dict[str, Any]) -> dict[str, Any]:
        """Store that rows are different from other rows of their cluster."""
        event = self._studio.before(key, "separated", who)
        new = event is None
        if event is None:
            shown = self._studio.shown(sent.get("result"))
            selected = self._studio.selection(sent.get("rows"))
            ticked = self._studio.some_rows(sent.get("ticked"), "ticked", at_most=MAX_MOVED)
            others = [
                r for r in self._studio.some_rows(sent.get("others"), "others", at_most=MAX_MOVED) if r not in ticked
            ]
            if not ticked or not others:
                raise Refusal(422, "value", "tick rows on both sides: nothing is said of one side alone.")
            body = {
                "hints": self._said(_gestures.separated(shown, ticked, others)),
                "rows": [self._studio.rows.ids[row] for row in selected.tolist()],
                "result": sent.get("result"),
                "polygon": _polygon(sent.get("polygon")),
                "words": f"{len(ticked)} rows are apart from {len(others)} others",
            }
            event, new, _ = self._studio.act("separated", body, who, key)
        return self._studio.acts.reply(event, new, who, conflict=self._studio.acts._conflict_of(event))

    def preview_merge(self, clusters: Any, result: Any) -> dict[str, Any]:
        """The pairs of rows that a merge would must-link."""
        shown = self._studio.shown(result)
        both = self._two(shown, clusters)
        pairs = _gestures.merging_pairs(shown, both)
        items, _ = self._studio.view.items(list(dict.fromkeys(row for pair in pairs for row in pair)))
        names = self._studio.views.cluster_names(shown)
        wanted = self._studio.knowledge.state.n_clusters
        return {
            "pairs": [list(pair) for pair in pairs],
            "items": items,
            "n_clusters": None if wanted is None else max(wanted - 1, 1),
            "words": f"merging {names[both[0]]} and {names[both[1]]} says that these are the same",
        }

    def _two(self, shown: Shown, clusters: Any) -> list[int]:
        if not isinstance(clusters, list) or len(clusters) != 2 or clusters[0] == clusters[1]:
            raise Refusal(422, "value", "name two clusters to merge.")
        return [self._studio.checked_cluster(shown, cluster, "clusters") for cluster in clusters]

    def merge(self, who: str, key: str, sent: dict[str, Any]) -> dict[str, Any]:
        """Merge two clusters; the name of the larger one is kept."""
        event = self._studio.before(key, "merged", who)
        new = event is None
        if event is None:
            shown = self._studio.shown(sent.get("result"))
            both = self._two(shown, sent.get("clusters"))
            given = sent.get("pairs")
            if not isinstance(given, list) or not given or not all(isinstance(p, list) and len(p) == 2 for p in given):
                raise Refusal(422, "value", "pairs should be pairs of rows that are the same, one or more.")
            pairs = [self._studio.some_rows(pair, "pairs") for pair in given[:MAX_MOVED]]
            placed = self._studio.views.placed_names(shown)
            sizes = [int((shown.labels == cluster).sum()) for cluster in both]
            smaller = both[0] if sizes[0] < sizes[1] else both[1]
            larger = both[1] if smaller == both[0] else both[0]
            names = self._studio.views.cluster_names(shown)
            wanted = self._studio.knowledge.state.n_clusters
            body = {
                "hints": self._said([(pair[0], pair[-1], SAME) for pair in pairs]),
                "clusters": both,
                "result": sent.get("result"),
                "n_clusters": None if wanted is None else max(wanted - 1, 1),
                "replaces": placed.events[smaller] if placed.events[larger] else [],
                "words": f"merged {names[both[0]]} and {names[both[1]]}",
            }
            event, new, _ = self._studio.act("merged", body, who, key)
        return self._studio.acts.reply(event, new, who, conflict=self._studio.acts._conflict_of(event))

    def preview_split(self, cluster: Any, result: Any) -> dict[str, Any]:
        """The two parts of a cluster after a split."""
        shown = self._studio.shown(result)
        number = self._studio.checked_cluster(shown, cluster)
        if self._studio.features is None:
            raise Refusal(503, "wait", "rows are still being prepared.")
        parts, sizes = _gestures.splitting_parts(shown, self._studio.features, number)
        if not parts:
            raise Refusal(422, "value", "this cluster has one row, or rows that are all alike.")
        items, _ = self._studio.view.items([row for part in parts for row in part])
        wanted = self._studio.knowledge.state.n_clusters
        return {
            "parts": parts,
            "sizes": sizes,
            "items": items,
            "n_clusters": None if wanted is None else wanted + 1,
            "words": f"split {self._studio.views.cluster_names(shown)[number]} into {sizes[0]:,} and {sizes[1]:,} rows",
        }

    def split(self, who: str, key: str, sent: dict[str, Any]) -> dict[str, Any]:
        """Split a cluster in two."""
        event = self._studio.before(key, "split", who)
        new = event is None
        if event is None:
            shown = self._studio.shown(sent.get("result"))
            number = self._studio.checked_cluster(shown, sent.get("cluster"))
            given = sent.get("parts")
            if not isinstance(given, list) or len(given) != 2:
                raise Refusal(422, "value", "parts should be two lists of rows.")
            parts = [self._studio.some_rows(part, "parts", at_most=MAX_MOVED) for part in given]
            if not all(parts) or set(parts[0]) & set(parts[1]):
                raise Refusal(422, "value", "both parts need rows, and no row can be in both.")
            wanted = self._studio.knowledge.state.n_clusters
            body = {
                "hints": self._said(_gestures.split(parts)),
                "cluster": number,
                "result": sent.get("result"),
                "n_clusters": None if wanted is None else wanted + 1,
                "words": f"split {self._studio.views.cluster_names(shown)[number]}",
            }
            event, new, _ = self._studio.act("split", body, who, key)
        return self._studio.acts.reply(event, new, who, conflict=self._studio.acts._conflict_of(event))

    def move(self, who: str, key: str, sent: dict[str, Any]) -> dict[str, Any]:
        """Move rows to another cluster."""
        event = self._studio.before(key, "moved", who)
        new = event is None
        if event is None:
            shown = self._studio.shown(sent.get("result"))
            to = self._studio.checked_cluster(shown, sent.get("to"), "to")
            rows = self._studio.some_rows(sent.get("rows"), "rows", at_most=MAX_MOVED)
            said = _gestures.moved(shown, rows, to)
            if not said:
                raise Refusal(422, "value", "select a row that is not the only one of its cluster.")
            what = self._studio.rows.ids[rows[0]] if len(rows) == 1 else f"{len(rows)} rows"
            body = {
                "hints": self._said(said),
                "rows": [self._studio.rows.ids[row] for row in rows],
                "result": sent.get("result"),
                "words": f"moved {what} to {self._studio.views.cluster_names(shown)[to]}",
            }
            event, new, _ = self._studio.act("moved", body, who, key)
        return self._studio.acts.reply(event, new, who, conflict=self._studio.acts._conflict_of(event))

    def give_name(self, who: str, key: str, sent: dict[str, Any]) -> dict[str, Any]:
        """Name a cluster; the name stays with its most typical rows."""
        event = self._studio.before(key, "named", who)
        new = event is None
        if event is None:
            shown = self._studio.shown(sent.get("result"))
            number = self._studio.checked_cluster(shown, sent.get("cluster"))
            name = sent.get("name")
            if not isinstance(name, str) or len(name) > MAX_NAME:
                raise Refusal(422, "value", f"a name is a text of at most {MAX_NAME} characters.")
            name = " ".join(name.split())
            before = self._studio.views.cluster_names(shown)[number]
            body = {
                "name": name,
                "cluster": number,
                "result": sent.get("result"),
                "anchors": [self._studio.rows.ids[row] for row in shown.typical(number, N_ANCHORS)],
                "replaces": self._studio.views.placed_names(shown).events[number],
                "words": f"named {before}: {name}" if name else f"took away the name of {before}",
            }
            event, new, _ = self._studio.act("named", body, who, key)
        return self._studio.acts.reply(event, new, who)


def _polygon(points: Any) -> list[list[float]] | None:
    """The corners of a lasso; None if they are not valid numbers."""
    if not isinstance(points, list) or not all(
        isinstance(point, list) and len(point) == 2 and all(isinstance(each, int | float) for each in point)
        for point in points
    ):
        return None
    return [[float(x), float(y)] for x, y in points[:2_000]]
