"""The current knowledge: the state of the log for the existing rows, and what it implies."""

from __future__ import annotations

import warnings
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, TypeVar

from ..constraints import Constraints
from ..questions import Answer
from ..questions._answers import checked
from ._identity import Identity
from ._log import Event, Events
from ._people import disputed, error_rates, outvoted, verdicts
from ._relations import Contradiction, Relations
from ._state import DIFFERENT, PROGRAM, SAME, UNDOABLE, Hint, State, UndoStack, count, fold

MAX_WITHIN = 30
"""Maximum size of a "different" block whose pairs are all recorded as different."""


class Knowledge:
    """The state of a session, updated event by event.

    Parameters
    ----------
    identity : Identity
    events : iterable of Event
        Events that are already in the log.
    """

    def __init__(self, identity: Identity, events: Iterable[Event] = ()) -> None:
        self.identity = identity
        self.events = Events()
        self.stacks: dict[str, UndoStack] = {}
        self.counts: dict[int, bool] = {}
        self._changes = array("q")
        for event in events:
            self._note(event)
        self._fold()

    def _note(self, event: Event) -> None:
        self.events.append(event)
        count(self.counts, event)
        if event.kind in UNDOABLE or event.kind in ("undone", "redone"):
            self.stacks.setdefault(event.who, UndoStack()).take(event)
            if event.kind != "named":
                self._changes.append(event.seq)

    def n_changes(self, after: int) -> int:
        """The number of events after the event `after` that may change the result of a fit."""
        return len(self._changes) - bisect_right(self._changes, after)

    def _fold(self) -> None:
        """Compute the state from all events; needed after undo and redo."""
        self.state: State = fold(self.events, self.counts)
        self._relate_all()

    def _relate_all(self) -> None:
        """Compute what the state implies."""
        self.rows: dict[str, tuple[int, ...]] = {}
        self.pairs: dict[tuple[int, int], tuple[str, ...]] = {}
        self.asked: dict[tuple[str, str], tuple[str, ...]] = {}
        self.answered: dict[int, int] = {}
        self.relations = Relations()
        self._blocks: dict[tuple[int, str], dict[str, list[int]]] = {}
        for answer in self.state.answers.values():
            self._note_answer(answer)
        self.checked = self._checked()
        self.refuted = {id for id, status in self.checked.items() if status == "refuted"}
        self.error_rates = error_rates(self.state.answers.values())
        self.verdicts = verdicts(self.state.hints.values(), self.error_rates)
        silenced = outvoted(self.state.hints.values(), self.verdicts) | self.refuted
        self.silenced = silenced - self.state.confirmed.keys()
        for hint in self.state.hints.values():
            self._relate(hint)

    def take(self, event: Event) -> Contradiction | None:
        """Update with a stored event; returns the contradiction that it causes, or None."""
        self._note(event)
        if event.kind in ("undone", "redone"):
            self._fold()
            return None
        if event.kind not in UNDOABLE:
            return None
        added = self.state.take(event)
        shared = False
        if event.kind == "answered":
            answer = self.state.answers[event.seq]
            shared = any(who != answer.who for pair in answer.pairs for who in self.asked.get(in_order(*pair), ()))
            self._note_answer(answer)
        if event.kind in ("withdrawn", "confirmed") or event.body.get("checks") or shared or self._is_disputed(added):
            self._relate_all()
            return None
        found = [self._relate(hint) for hint in added]
        return next((one for one in found if one is not None), None)

    def _is_disputed(self, added: Sequence[Hint]) -> bool:
        """Whether another person gave a different answer about one of the pairs."""
        for hint in added:
            known = self.pairs.get(in_order(*self._rows_of(hint)), ()) if hint.is_pair else ()
            others = (self.state.hints.get(id) for id in known)
            people = {PROGRAM, hint.who}
            if any(other and other.who not in people and other.kind != hint.kind for other in others):
                return True
        return False

    def _note_answer(self, answer: Any) -> None:
        self.answered[answer.question] = answer.event
        for pair in answer.pairs:
            key = in_order(*pair)
            known = self.asked.get(key, ())
            if answer.who not in known:
                self.asked[key] = (*known, answer.who)

    def _rows_of(self, hint: Hint) -> tuple[int, ...]:
        return tuple(self.identity.row(id, hint.generation) for id in hint.names)

    def _relate(self, hint: Hint) -> Contradiction | None:
        rows = self.rows[hint.id] = self._rows_of(hint)
        if -1 in rows:
            return None
        if hint.is_pair:
            key = in_order(*rows)
            self.pairs[key] = (*self.pairs.get(key, ()), hint.id)
        if hint.id in self.silenced:
            return None
        if hint.is_pair:
            return self.relations.add(hint.id, rows[0], rows[1], hint.kind == SAME)
        return self._relate_block(hint, rows[0]) if hint.kind.startswith("partition:") else None

    def _relate_block(self, hint: Hint, row: int) -> Contradiction | None:
        """Relate a row to its block of a partition, which is a node that all rows of the block are linked to."""
        meaning = {word.strip() for word in hint.kind.partition(":")[2].split(",")}
        name = hint.right.partition(":")[0]
        blocks = self._blocks.setdefault((hint.event, name), {})
        point = ("block", hint.event, hint.right)
        if hint.right not in blocks:
            if "across" in meaning:
                for other in blocks:
                    self.relations.add(f"{hint.event}.blocks", point, ("block", hint.event, other), False)
            blocks[hint.right] = []
        found = None
        if "within" in meaning and len(blocks[hint.right]) < MAX_WITHIN:
            for mate in blocks[hint.right]:
                found = self.relations.add(hint.id, row, mate, False) or found
        blocks[hint.right].append(row)
        if "same" in meaning:
            found = self.relations.add(hint.id, row, point, True) or found
        return found

    # -- for the model -----------------------------------------------------------------------------------------------
    def counted(self) -> list[Hint]:
        """The hints about existing rows, without those refuted by other answers or other people."""
        return [hint for id, hint in self.state.hints.items() if id not in self.silenced and -1 not in self.rows[id]]

    def missing(self) -> list[Hint]:
        """The hints about rows that no longer exist; they are kept."""
        return [hint for id, hint in self.state.hints.items() if -1 in self.rows[id]]

    def disputes(self) -> dict[frozenset[str], dict[str, str]]:
        """Pairs about which people disagree."""
        return disputed(self.state.hints.values()) if len(self.stacks.keys() - {PROGRAM}) > 1 else {}

    def constraints(self) -> Constraints:
        """The hints as constraints on the rows."""
        hints = self.counted()
        n = len(self.identity.ids)
        same = [hint for hint in hints if hint.kind == SAME]
        different = [hint for hint in hints if hint.kind == DIFFERENT]
        found = Constraints(
            n,
            [self.rows[hint.id] for hint in same],
            [self.rows[hint.id] for hint in different],
            [hint.weight for hint in same] or None,
            [hint.weight for hint in different] or None,
        )
        others = [hint for hint in hints if not hint.is_pair]
        if others:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = found | Constraints.from_frame(self._columns(others), ids=self.identity.ids)
        return found

    def _columns(self, hints: Sequence[Hint]) -> dict[str, list[Any]]:
        """The columns of a file of hints, with the current ids."""
        columns: dict[str, list[Any]] = {"left": [], "right": [], "kind": [], "third": [], "fourth": [], "weight": []}
        for hint in hints:
            now = dict(zip(hint.names, (self.identity.ids[row] for row in self.rows[hint.id]), strict=True))
            right = _unique_partition(hint) if hint.kind.startswith("partition:") else now.get(hint.right, hint.right)
            line = (now.get(hint.left, hint.left), right, hint.kind, now.get(hint.third), now.get(hint.fourth))
            for name, cell in zip(columns, (*line, hint.weight), strict=True):
                columns[name].append(cell)
        return {name: cells for name, cells in columns.items() if any(cell is not None for cell in cells)}

    def answers(self) -> list[Answer]:
        """The answers about existing rows, for choosing questions; repeated questions follow the ones they check."""
        places, found = [], []
        for place, answer, _ in self._answers():
            places.append(place)
            found.append(answer)
        return [found[place] for place in sorted(range(len(found)), key=places.__getitem__)]

    def _answers(self) -> Iterator[tuple[int, Answer, str]]:
        """The answers, each with its place in the order of the questions, and the id of its hint."""
        screens: dict[int | None, int] = {}
        for answer in self.state.answers.values():
            chances = answer.chances or (float("nan"),) * len(answer.pairs)
            votes = answer.votes or (float("nan"),) * len(answer.pairs)
            told = zip(answer.pairs, answer.said, chances, votes, strict=True)
            for place, ((left, right), word, chance, share) in enumerate(told):
                rows = tuple(self.identity.row(id, answer.generation) for id in (left, right))
                if -1 not in rows:
                    screen = answer.checks if answer.checks in screens else answer.question
                    why = answer.why if answer.why != "check" or screen != answer.question else "doubt"
                    one = Answer((rows[0], rows[1]), word, "open", chance, share, why, answer.question)
                    yield screens.setdefault(screen, len(screens)), one, f"{answer.event}.{place}"

    def _checked(self) -> dict[str, str]:
        """The outcome for hints that were checked by asking again with other rows: "confirmed" or "refuted"."""
        if not any(answer.checks for answer in self.state.answers.values()):
            return {}
        told = sorted(self._answers(), key=itemgetter(0))
        answers = checked([answer for _, answer, _ in told])
        became = {id: answer.status for answer, (_, _, id) in zip(answers, told, strict=True)}
        return {id: status for id, status in became.items() if status in ("confirmed", "refuted")}


Row = TypeVar("Row", int, str)


def in_order(left: Row, right: Row) -> tuple[Row, Row]:
    """Two rows in a canonical order."""
    return (left, right) if left <= right else (right, left)


def _unique_partition(hint: Hint) -> str:
    """The block of a hint, with the event number in the partition's name, so that events do not share partitions."""
    name, colon, block = hint.right.partition(":")
    return f"{name}e{hint.event}{colon}{block}"
