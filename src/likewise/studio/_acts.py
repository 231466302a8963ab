"""User actions: answers, undo and redo, withdrawn and confirmed hints. Each action is one event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..questions._question import REASONS
from ._cards import question_of
from ._log import Asked, Event
from ._refusal import Refusal
from ._state import CANT_SAY, DIFFERENT, PROGRAM, SAME, hints_of, in_words, pair_in_words

if TYPE_CHECKING:
    from ._studio import Studio


class Acts:
    """The actions on a session, except for gestures.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def reply(self, event: Event, new: bool, who: str, **more: Any) -> dict[str, Any]:
        """The response to an action."""
        return {
            "event": event.seq,
            "kept": True,
            "again": not new,
            "state": self._studio.views.state(who),
            "questions": self._studio.views.questions(who),
            **more,
        }

    def answer(self, who: str, key: str, number: int, answer: Any, ms: float | None) -> dict[str, Any]:
        """Answer a question."""
        event = self._studio.before(key, "answered", who)
        contradiction = None
        new = event is None
        if event is None:
            asked = self._asked(number, who)
            rows = [self._studio.identity.row(id, asked.generation) for id in asked.body["rows"]]
            if min(rows) < 0:
                raise Refusal(409, "gone", "a row of this question is not in the data any more.")
            try:
                said = question_of(asked, rows).read(None if answer == "unsure" else answer)
            except (ValueError, TypeError) as error:
                raise Refusal(422, "value", str(error)) from None
            body = {name: value for name, value in asked.body.items() if name not in ("control_number", "filler")}
            body |= {"question": number, "said": list(said), "ms": ms}
            event, new, contradiction = self._studio.act("answered", body, who, key)
        return self.reply(
            event,
            new,
            who,
            opinion=self._opinion(event),
            conflict=self._studio.views.conflict(contradiction) if contradiction else self._conflict_of(event),
        )

    def _asked(self, number: int, who: str) -> Asked:
        asked = self._studio.log.question(number)
        if asked is None or asked.who != who:
            raise Refusal(409, "gone", f"question {number} was never asked. Load the page again.")
        if number in self._studio.knowledge.answered:
            raise Refusal(409, "gone", f"question {number} has an answer. Undo it to answer otherwise.")
        return asked

    def _opinion(self, event: Event) -> dict[str, Any]:
        """What the model predicted for a question; it is shown after the answer."""
        body = event.body
        chances, said = body.get("chances"), body["said"]
        answer = self._studio.knowledge.state.answers.get(event.seq)
        chance = None
        if chances is not None:
            told = [
                share if word == SAME else 1 - share
                for share, word in zip(chances, said, strict=True)
                if word != CANT_SAY
            ]
            chance = chances[0] if len(chances) == 1 else float(np.prod(told))
        expected = None
        if chances is not None and len(chances) == 1:
            expected = SAME if chances[0] >= 0.5 else DIFFERENT
        return {
            "chance": chance,
            "expected": expected,
            "predicted": None if answer is None else answer.predicted,
            "control": body["control"],
            "reason": REASONS.get(body["why"], ""),
        }

    def _conflict_of(self, event: Event) -> dict[str, Any] | None:
        """A contradiction that involves the hints of an event, or None."""
        own = {hint.id for hint in hints_of(event)}
        for found in self._studio.knowledge.relations.contradictions():
            if found.different in own or own & set(found.chain):
                return self._studio.views.conflict(found)
        return None

    def prefer(self, who: str, key: str, kind: Any, size: Any) -> dict[str, Any]:
        """Set the kind of questions that a person is asked."""
        if kind not in ("pair", "choice", "piles"):
            raise Refusal(422, "value", f"kind is {kind!r}: ask for pair, choice or piles.")
        if not isinstance(size, int) or not 3 <= size <= 6:
            raise Refusal(422, "value", f"size is {size!r}: three to six rows can be sorted at a glance.")
        event, new, _ = self._studio.act("asking", {"kind": kind, "size": size}, who, key)
        if new:
            self._studio.cards.prefer(who, kind, size)
            self._studio.tell_worker()
        return self.reply(event, new, who)

    def undo(self, who: str, key: str, of: int | None) -> dict[str, Any]:
        """Undo the latest action of a person, or the event `of`."""
        return self._turn("undone", who, key, of)

    def redo(self, who: str, key: str, of: int | None = None) -> dict[str, Any]:
        """Redo the action that was undone last, or the event `of`."""
        return self._turn("redone", who, key, of)

    def _turn(self, kind: str, who: str, key: str, of: int | None) -> dict[str, Any]:
        event = self._studio.before(key, kind, who)
        new = event is None
        if event is None:
            target = self._to_turn(kind, who, of)
            event, new, _ = self._studio.act(kind, {"words": in_words(target)}, who, key, of=target.seq)
        turned = self._studio.event(event.of)
        if new and turned.kind == "answered":
            if kind == "undone":
                self._studio.cards.put_back(turned.who, turned.body["question"])
            self._studio.publish("questions", None)
        news = {"event": turned.seq, "kind": turned.kind, "words": in_words(turned)}
        return self.reply(event, new, who, **{kind: news})

    def _to_turn(self, kind: str, who: str, of: int | None) -> Event:
        stack = self._studio.knowledge.stacks.get(who)
        if of is None:
            of = None if stack is None else stack.to_undo if kind == "undone" else stack.to_redo
            if of is None:
                raise Refusal(409, "nothing", f"there is nothing to {'undo' if kind == 'undone' else 'redo'}.")
        counts = self._studio.knowledge.counts.get(of)
        if counts is None:
            raise Refusal(422, "value", f"event {of} cannot be undone.")
        target = self._studio.event(of)
        if target.who not in (who, PROGRAM):
            raise Refusal(409, "nothing", f"{in_words(target)}: {target.who} said so, and can undo it.")
        if counts != (kind == "undone"):
            raise Refusal(409, "nothing", f"{in_words(target)}: this {'does not count' if not counts else 'counts'}.")
        return target

    def withdraw(self, who: str, key: str, hint: Any, kind: str = "withdrawn") -> dict[str, Any]:
        """Withdraw a hint, or confirm a suspect hint."""
        event = self._studio.before(key, kind, who)
        new = event is None
        if event is None:
            held = self._studio.knowledge.state.hints.get(hint) if isinstance(hint, str) else None
            if held is None:
                raise Refusal(409, "gone", f"there is no hint {hint!r}, or it was withdrawn.")
            words = pair_in_words(held.left, held.right, held.kind)
            event, new, _ = self._studio.act(kind, {"hint": held.id, "words": words}, who, key)
        return self.reply(event, new, who)

    def set_n_clusters(self, who: str, key: str, n_clusters: Any) -> dict[str, Any]:
        """Set the number of clusters; None: choose it from the data."""
        most = len(self._studio.rows)
        if n_clusters is not None and (
            not isinstance(n_clusters, int) or isinstance(n_clusters, bool) or not 1 <= n_clusters <= most
        ):
            raise Refusal(422, "value", f"n_clusters is {n_clusters!r}: a number from 1 to {most}, or null.")
        event, new, _ = self._studio.act("clusters", {"n_clusters": n_clusters}, who, key)
        return self.reply(event, new, who)
