"""The content of the page: state, cards, clusters, rows, hints and contradictions."""

from __future__ import annotations

import time
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..page import palette
from ._identity import DataChange
from ._knowledge import in_order
from ._log import Asked
from ._names import PlacedNames, place_names
from ._people import agreement
from ._refusal import Refusal
from ._relations import Contradiction
from ._results import Shown
from ._shown import nearest
from ._state import DIFFERENT, PROGRAM, SAME, Hint, control_count, in_words, pair_in_words

if TYPE_CHECKING:
    from ._studio import Studio

WORTH_A_LOOK = 0.25
"""Probability of being wrong above which a hint is counted in the page's suggestion to review."""

MAX_SHOWN = 64

N_SHOWN = 9

N_ALSO = 2

N_COLORS = 40

MIN_COMMON = 5
"""Minimum number of pairs that two people answered, for error rates to be shown."""

WORDS_OF_KINDS = {
    "pair": "Are these two the same?",
    "choice": "With which does this row belong?",
    "piles": "Sort these into groups.",
}


class Views:
    """The views of a session that are sent to the page.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._placed: tuple[tuple[int, int], PlacedNames] | None = None

    def fit(self) -> dict[str, Any]:
        """The status of the fit."""
        seconds = time.monotonic() - self._studio.fit_began if self._studio.fit["status"] == "fitting" else 0.0
        return {**self._studio.fit, "seconds": round(seconds, 1)}

    def state(self, who: str) -> dict[str, Any]:
        """The numbers that the page shows to a person."""
        known = self._studio.knowledge
        answers = known.state.answers.values()
        newest = self._studio.results.newest
        control = control_count(answers)
        stack = known.stacks.get(who)
        desk = self._studio.cards.desk(who)
        return {
            "seq": known.events[-1].seq,
            "answers": len(known.state.answers),
            "unsure": sum(answer.unsure for answer in answers),
            "hints": len(known.state.hints),
            "control": asdict(control),
            "disagreement": None if newest is None else newest.result.disagreement,
            "n_clusters": known.state.n_clusters,
            "review": {
                "conflicts": known.relations.n_contradictions,
                "suspects": sum(wrong > WORTH_A_LOOK for _, wrong, _ in self.suspects()),
                "missing": len(known.missing()) if self._studio.change is not None else 0,
                "disagreements": len(known.disputes()),
            },
            "undo": self._turnable(None if stack is None else stack.to_undo),
            "redo": self._turnable(None if stack is None else stack.to_redo),
            "result": None if newest is None else newest.number,
            "waiting": self._waiting(),
            "fit": self.fit(),
            "ask": {"kind": desk.kind, "size": desk.size},
            "done": who in self._studio.cards.exhausted and not desk.cards,
        }

    def _waiting(self) -> int:
        """The number of actions since the latest result that may change it."""
        return self._studio.knowledge.n_changes(self._studio.learned)

    def _turnable(self, seq: int | None) -> dict[str, Any] | None:
        return None if seq is None else {"event": seq, "words": in_words(self._studio.event(seq))}

    def session(self, who: str) -> dict[str, Any]:
        """The description of the session."""
        rows = self._studio.rows
        given = [event for event in self._studio.knowledge.events if event.kind == "imported"]
        return {
            "version": __version__,
            "name": self._studio.name,
            "session": self._studio.path.name,
            "rows": len(rows),
            "description": rows.description,
            "kind": str(rows.kind),
            "has": {
                "texts": rows.texts is not None,
                "pictures": rows.images is not None,
                "values": self._studio.view.has_values,
            },
            "id_column": rows.id_column,
            "label_column": rows.label_column,
            "hints_given": "; ".join(in_words(event) for event in given),
            "person": who,
            "people": self.people_here(),
            "colors": {scheme: palette(N_COLORS, scheme) for scheme in ("light", "dark")},
            "changed": self.changed(),
            "seed": self._studio.seed,
            "command": self._studio.command,
            "state": self.state(who),
            "questions": self.questions(who),
            "notes": [],
        }

    def changed(self) -> dict[str, int] | None:
        """The difference between the data now and at the last start."""
        change: DataChange | None = self._studio.change
        if change is None:
            return None
        return {**asdict(change), "hints_about_gone": len(self._studio.knowledge.missing())}

    def people_here(self) -> list[dict[str, Any]]:
        """The people, and who has the page open."""
        return [{"name": name, "here": self._studio.here.get(name, 0) > 0} for name in self._studio.people]

    def questions(self, who: str) -> list[dict[str, Any]]:
        """The cards of a person."""
        return [self.question(card) for card in self._studio.cards.cards(who)]

    def question(self, asked: Asked) -> dict[str, Any]:
        """A card, without the predictions."""
        rows = [self._studio.identity.row(id, asked.generation) for id in asked.body["rows"]]
        items, differs = self._studio.view.items(rows)
        kind = asked.body["kind"]
        card = {
            "number": asked.number,
            "kind": kind,
            "rows": rows,
            "items": items,
            "differs": differs,
            "words": WORDS_OF_KINDS[kind],
        }
        if kind == "choice":
            card["groups"] = [self._group(row) for row in rows[1:]]
        return card

    def _group(self, row: int) -> dict[str, Any]:
        mates = [mate for mate in self._studio.knowledge.relations.mates(row) if isinstance(mate, int) and mate != row]
        newest = self._studio.results.newest
        named = None
        if newest is not None and newest.labels[row] >= 0:
            found = self.placed_names(newest).names[int(newest.labels[row])]
            named = found[0] if found else None
        return {"row": row, "also": mates[:N_ALSO], "name": named}

    def history(self, who: str, before: int | None, n: int) -> dict[str, Any]:
        """The history of actions, the latest first."""
        counts = self._studio.knowledge.counts
        latest = reversed(self._studio.knowledge.events)
        found = list(islice((event for event in latest if before is None or event.seq < before), n + 1))
        events = [
            {
                **self._studio.event_news(event),
                "counts": counts.get(event.seq, True),
                "own": event.seq in counts and event.who in (who, PROGRAM),
            }
            for event in found[:n]
        ]
        return {"events": events, "more": len(found) > n}

    def hint(self, hint: Hint) -> dict[str, Any]:
        """A hint for the page."""
        rows = self._studio.knowledge.rows.get(hint.id) or tuple(-1 for _ in hint.names)
        label = hint.right.partition(":")[2] if hint.kind.startswith("partition:") else None
        return {
            "id": hint.id,
            "rows": list(rows),
            "ids": list(hint.names),
            "kind": hint.kind if label is None else "label",
            "label": label,
            "event": hint.event,
            "who": hint.who,
            "at": hint.at,
            "from": hint.origin,
            "words": pair_in_words(hint.left, hint.right, hint.kind),
            "confirmed": hint.id in self._studio.knowledge.state.confirmed,
            "counts": hint.id not in self._studio.knowledge.silenced,
        }

    def conflict(self, found: Contradiction) -> dict[str, Any]:
        """A contradiction for the page, with its chain."""
        hints = self._studio.knowledge.state.hints
        rows = [row for row in found.rows if isinstance(row, int)]
        chain = [hints[id] for id in found.chain if id in hints]
        ids = [self._studio.rows.ids[row] for row in rows]
        if found.different in hints:
            different = self.hint(hints[found.different])
        else:
            labels = [row[2].partition(":")[2] for row in (found.rows[0], found.rows[-1]) if isinstance(row, tuple)]
            different = {
                "id": "",
                "rows": [rows[0], rows[-1]],
                "ids": [ids[0], ids[-1]],
                "kind": DIFFERENT,
                "label": None,
                "event": 0,
                "who": PROGRAM,
                "at": 0.0,
                "from": "file",
                "words": f"{' and '.join(sorted(labels))} are different labels",
                "confirmed": False,
                "counts": True,
            }
        newest = max([*chain, *([hints[found.different]] if found.different in hints else [])], key=_order)
        return {
            "different": different,
            "chain": [self.hint(hint) for hint in chain],
            "rows": rows,
            "items": self._studio.view.items(rows)[0],
            "newest": newest.id,
            "words": f"{' = '.join(ids)}, but {ids[0]} ≠ {ids[-1]}",
        }

    def suspects(self) -> list[tuple[Hint, float, float]]:
        """Suspect hints, the worst first, without confirmed ones."""
        newest = self._studio.results.newest
        if newest is None:
            return []
        known = self._studio.knowledge
        found = []
        for left, right, same, wrong, together in newest.result.suspects:
            for id in known.pairs.get(in_order(left, right), ()):
                hint = known.state.hints.get(id)
                if hint is not None and (hint.kind == SAME) == same and id not in known.state.confirmed:
                    found.append((hint, wrong, together))
        return found

    def review(self) -> dict[str, Any]:
        """Contradictions, suspect hints, hints that the clusters violate, and hints about rows that no longer exist."""
        known = self._studio.knowledge
        suspects = self.suspects()[:MAX_SHOWN]
        listed = {hint.id for hint, *_ in suspects}
        ids = self._studio.identity
        disputes = []
        for pair, said in list(known.disputes().items())[:MAX_SHOWN]:
            rows = [ids.row(id, ids.generation) for id in sorted(pair)]
            if min(rows) >= 0:
                items = self._studio.view.items(rows)[0]
                disputes.append({"rows": rows, "items": items, "said": said, "counts": known.verdicts.get(pair)})
        return {
            "conflicts": [self.conflict(one) for one in known.relations.contradictions()[:MAX_SHOWN]],
            "suspects": [
                {
                    "hint": self.hint(hint),
                    "wrong": wrong,
                    "together": together,
                    "items": self._studio.view.items(list(known.rows[hint.id]))[0],
                }
                for hint, wrong, together in suspects
            ],
            "broken": [
                {"hint": self.hint(hint), "items": self._studio.view.items(list(known.rows[hint.id]))[0]}
                for hint in self._broken()
                if hint.id not in listed
            ][:MAX_SHOWN],
            "missing": [self.hint(hint) for hint in known.missing()[:MAX_SHOWN]],
            "disagreements": disputes,
        }

    def _broken(self) -> list[Hint]:
        newest = self._studio.results.newest
        if newest is None:
            return []
        known, labels = self._studio.knowledge, newest.labels
        return [
            hint
            for hint in known.counted()
            if hint.is_pair
            and hint.event <= newest.result.upto
            and hint.id not in known.state.confirmed
            and (labels[known.rows[hint.id][0]] == labels[known.rows[hint.id][1]]) != (hint.kind == SAME)
        ]

    def placed_names(self, shown: Shown) -> PlacedNames:
        """The names of the clusters of a result."""
        state = self._studio.knowledge.state
        at = (shown.number, self._studio.knowledge.events[-1].seq)
        if self._placed is None or self._placed[0] != at:
            names = self.names()
            self._placed = (
                at,
                place_names(names, shown.labels, shown.n_clusters)
                if state.names
                else PlacedNames([[] for _ in range(shown.n_clusters)], [[] for _ in range(shown.n_clusters)], []),
            )
        return self._placed[1]

    def names(self) -> list[tuple[int, str, tuple[int, ...]]]:
        """All given names, with their anchor rows."""
        return [
            (name.event, name.name, tuple(self._studio.identity.row(id, name.generation) for id in name.anchors))
            for name in self._studio.knowledge.state.names.values()
        ]

    def cluster_names(self, shown: Shown) -> list[str]:
        """The displayed names of clusters: given by a person, or derived from what distinguishes them."""
        placed = self.placed_names(shown)
        return [
            " + ".join(names) + "?" * (len(names) > 1) if names else about["title"]
            for names, about in zip(placed.names, shown.result.clusters, strict=True)
        ]

    def clusters(self, number: Any) -> dict[str, Any]:
        """The clusters of a result."""
        shown = self._studio.shown(number)
        placed = self.placed_names(shown)
        names = self.cluster_names(shown)
        result = shown.result
        sizes = np.bincount(result.labels, minlength=shown.n_clusters)
        certainty = np.bincount(result.labels, result.certainty, minlength=shown.n_clusters) / np.maximum(sizes, 1)
        touched = [row for rows in self._studio.knowledge.rows.values() for row in set(rows) if row >= 0]
        hints = np.bincount(result.labels[touched], minlength=shown.n_clusters) if touched else np.zeros_like(sizes)
        return {
            "result": shown.number,
            "clusters": [
                {
                    "number": cluster,
                    "name": placed.names[cluster][0] if placed.names[cluster] else None,
                    "names": placed.names[cluster],
                    "title": about["title"],
                    "shown": names[cluster],
                    "size": int(sizes[cluster]),
                    "color": shown.colors[cluster],
                    "certainty": round(float(certainty[cluster]), 4),
                    "about": about["about"],
                    "typical": shown.typical(cluster, N_SHOWN),
                    "doubtful": shown.doubtful(N_SHOWN, cluster),
                    "hints": int(hints[cluster]),
                }
                for cluster, about in enumerate(result.clusters)
            ],
            "unplaced": [{"event": event, "name": name} for event, name in placed.unplaced],
        }

    def result_news(self, shown: Shown) -> dict[str, Any]:
        """The changes of a new result, described in words."""
        names = self.cluster_names(shown)
        moves = []
        for source, target, count in shown.moves:
            left = "a cluster that is gone" if source is None else names[source]
            what = f"{count:,} {'row' if count == 1 else 'rows'}"
            moves.append(
                {"from": source, "to": target, "rows": count, "words": f"{what} left {left} for {names[target]}"}
            )
        words = f"{shown.moved:,} {'row' if shown.moved == 1 else 'rows'} moved" if shown.moved else "no row moved"
        return {
            "result": shown.number,
            "upto": shown.result.upto,
            "n_clusters": shown.n_clusters,
            "moved": shown.moved,
            "moves": moves,
            "words": words,
        }

    def map_bytes(self, number: int) -> bytes:
        """The map of a result."""
        found = self._studio.results.get(number)
        if found is None:
            if self._studio.results.newest is None:
                raise Refusal(503, "wait", "the map is not there yet.")
            raise Refusal(409, "gone", f"result {number} is not there any more: there is a newer one.")
        return found.as_bytes()

    def row_items(self, rows: list[int], *, together: bool, full: bool) -> dict[str, Any]:
        """Rows with their clusters and hints."""
        items, differs = self._studio.view.items(rows, together=together, full=full)
        newest = self._studio.results.newest
        about: dict[int, list[Hint]] = {row: [] for row in rows}
        for id, ends in self._studio.knowledge.rows.items():
            for row in set(ends) & about.keys():
                hint = self._studio.knowledge.state.hints.get(id)
                if hint is not None:
                    about[row].append(hint)
        for item in items:
            row = item["row"]
            cluster = -1 if newest is None else int(newest.labels[row])
            item |= {
                "cluster": None if cluster < 0 else cluster,
                "certainty": None if newest is None else round(float(newest.result.certainty[row]), 4),
                "second": None if newest is None or newest.result.second[row] < 0 else int(newest.result.second[row]),
                "label": None if self._studio.rows.labels is None else self._studio.rows.labels[row],
                "hints": [self.hint(hint) for hint in about[row][:MAX_SHOWN]],
            }
        return {"rows": items, "differs": differs, "result": None if newest is None else newest.number}

    def found(self, words: str) -> dict[str, Any]:
        """The rows that contain all words."""
        rows, total = self._studio.view.find(words)
        return {"rows": rows, "total": total, "items": self._studio.view.items(rows, together=False)[0]}

    def neighbors(self, row: int, n: int) -> dict[str, Any]:
        """The rows most similar to a row."""
        first = self._studio.results.get(0)
        if self._studio.features is None or first is None:
            raise Refusal(503, "wait", "rows are still being prepared.")
        points = first.result.points
        place = np.flatnonzero(points == row)
        if not len(place):
            raise Refusal(422, "value", f"row {row} is not on the map, where {len(points):,} of all rows are.")
        rows = [int(points[at]) for at in nearest(self._studio.features, int(place[0]), n)]
        return {"rows": rows, "items": self._studio.view.items(rows, together=False)[0]}

    def doubtful(self, n: int, cluster: int | None) -> dict[str, Any]:
        """The rows with the least certain clusters."""
        newest = self._studio.results.newest
        if newest is None:
            raise Refusal(503, "wait", "the first fit is not done yet.")
        rows = newest.doubtful(n, None if cluster is None else self._studio.checked_cluster(newest, cluster))
        return {"rows": rows, "items": self._studio.view.items(rows, together=False)[0]}

    def agreements(self) -> dict[str, Any]:
        """The number of answers of each person, and the agreement between people."""
        known = self._studio.knowledge
        answers = list(known.state.answers.values())
        found = agreement(answers, self._studio.people)
        compared = {name for one in found if one.common >= MIN_COMMON for name in (one.left, one.right)}
        return {
            "people": [
                {
                    **one,
                    "answers": sum(answer.who == one["name"] for answer in answers),
                    "error": round(known.error_rates[one["name"]], 4) if one["name"] in compared else None,
                    "repeated": self._repeated(one["name"]),
                }
                for one in self.people_here()
            ],
            "agreement": [asdict(one) for one in found],
        }

    def _repeated(self, who: str) -> dict[str, int]:
        """The number of a person's answers that were checked, and how many of them were confirmed."""
        known = self._studio.knowledge
        answers = {id: known.state.answers[int(id.partition(".")[0])] for id in known.checked}
        own = [known.checked[id] for id, answer in answers.items() if answer.who == who and answer.checks is None]
        return {"confirmed": own.count("confirmed"), "of": len(own)}


def _order(hint: Hint) -> tuple[int, int]:
    event, _, place = hint.id.partition(".")
    return int(event), int(place)
