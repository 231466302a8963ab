"""The next questions for each person: a fifth are control questions, the others are chosen by the latest model."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from ..questions import Question
from ._control import EVERY, ControlPairs
from ._knowledge import Knowledge, in_order
from ._learner import Ready
from ._log import Asked, EventLog
from ._state import DEFAULT_ASKING

N_CARDS = 3
"""Number of cards on the page: the current one and the next ones."""

N_AHEAD = 10
"""Number of control pairs whose probabilities are requested in advance."""

MAX_TRIES = 500
"""Maximum number of control pairs that are tried to find one with an unknown answer."""

PERSONAL = 1_000_000
"""Offset of each person's individual control pairs; smaller numbers are shared by all people."""

RECENT = 12
"""Number of recent questions that are checked for missing answers after a restart."""


@dataclass
class Desk:
    """The cards and preferences of one person.

    Attributes
    ----------
    cards : list of Asked
    n_asked, n_control : int
        Number of questions and of control questions so far.
    kind, size
        Preferred kind of question, and size of piles.
    """

    cards: list[Asked] = field(default_factory=list)
    n_asked: int = 0
    n_control: int = 0
    kind: str = DEFAULT_ASKING[0]
    size: int = DEFAULT_ASKING[1]


class Cards:
    """The questions of all people.

    Parameters
    ----------
    log : EventLog
    knowledge : Knowledge
    control : ControlPairs
    people : list of str
    """

    def __init__(self, log: EventLog, knowledge: Knowledge, control: ControlPairs, people: list[str]) -> None:
        self._log = log
        self._knowledge = knowledge
        self._control = control
        self._people = people
        self._desks: dict[str, Desk] = {}
        self.ready: Ready | None = None
        self.result: int | None = None
        self.exhausted: set[str] = set()

    def desk(self, who: str) -> Desk:
        """The desk of a person; after a restart, with the same cards as before."""
        if who not in self._desks:
            desk = self._desks[who] = Desk()
            asked = self._log.last_questions(who, RECENT)
            desk.n_asked = self._log.n_questions(who)
            desk.n_control = max((one.body.get("control_number", -1) for one in asked), default=-1) + 1
            for event in self._knowledge.events:
                if event.kind == "asking" and event.who == who:
                    desk.kind, desk.size = event.body["kind"], event.body["size"]
            desk.cards = [one for one in asked if self._is_open(one)][-N_CARDS:]
        return self._desks[who]

    def _is_open(self, asked: Asked) -> bool:
        known = self._knowledge
        rows = [known.identity.row(id, asked.generation) for id in asked.body["rows"]]
        return asked.number not in known.answered and min(rows) >= 0

    def cards(self, who: str) -> list[Asked]:
        """The cards of a person, with new ones added as needed."""
        desk = self.desk(who)
        desk.cards = [card for card in desk.cards if self._is_open(card)]
        # the first cards are on the screen already, or about to be, so only later ones are removed
        desk.cards = desk.cards[:1] + [card for card in desk.cards[1:] if not self._is_known(card)]
        new: list[dict[str, Any]] = []
        while len(desk.cards) + len(new) < N_CARDS:
            body = self._next(who, desk, new)
            if body is None:
                self.exhausted.add(who)
                break
            self.exhausted.discard(who)
            new.append(body)
        if new:
            desk.cards += self._log.ask(new, who, self._knowledge.identity.generation)
        return desk.cards

    def take_in(self, ready: Ready, result: int | None) -> None:
        """Use the questions of a newer model, and drop later control questions that only bridged the waiting time."""
        self.ready, self.result = ready, result
        for desk in self._desks.values():
            desk.cards = desk.cards[:2] + [card for card in desk.cards[2:] if not card.body.get("filler")]

    def put_back(self, who: str, number: int) -> None:
        """Show a question again after its answer was undone."""
        asked = self._log.question(number)
        desk = self.desk(who)
        if asked is not None and asked.number not in [card.number for card in desk.cards]:
            desk.cards.insert(0, asked)

    def prefer(self, who: str, kind: str, size: int) -> None:
        """Set the kind of questions that a person is asked from now on; the current card stays."""
        desk = self.desk(who)
        desk.kind, desk.size = kind, size
        desk.cards = [card for card in desk.cards if card.body["control"]][:1]

    def kinds(self) -> tuple[tuple[str, int], ...]:
        """The kinds and sizes of questions that people prefer."""
        return tuple(dict.fromkeys((desk.kind, desk.size) for desk in self._desks.values())) or (DEFAULT_ASKING,)

    def upcoming(self) -> list[tuple[int, int]]:
        """The next control pairs of all people."""
        return list(
            dict.fromkeys(
                self._control.pair(self._control_number(who, desk.n_control + ahead))
                for who, desk in self._desks.items()
                for ahead in range(N_AHEAD)
            )
        )

    # -- the next card -----------------------------------------------------------------------------------------------
    def _next(self, who: str, desk: Desk, new: list[dict[str, Any]]) -> dict[str, Any] | None:
        turn = desk.n_asked % EVERY == 0
        body = None if turn or self.ready is None else self._from_model(who, desk)
        if body is None:
            body = self._from_control(who, desk, new)
            if body is not None and not turn:
                body["filler"] = True
        body = self._from_model(who, desk) if body is None and self.ready is not None else body
        if body is not None:
            desk.n_asked += 1
        return body

    def _from_model(self, who: str, desk: Desk) -> dict[str, Any] | None:
        """The next question of the latest model whose answer is still unknown."""
        assert self.ready is not None
        for number in list(self.ready.checks):
            asked = self._log.question(number)
            if asked is not None and asked.who == who:
                body = self._body(self.ready.checks.pop(number)) | {"checks": number}
                if not self._was_asked(body, None):
                    return body
        waiting = self.ready.questions.get((desk.kind, desk.size), [])
        while waiting:
            question = waiting.pop(0)
            body = self._body(question)
            if not self._is_known_body(body) and not self._was_asked(body, None):
                return body
        return None

    def _from_control(self, who: str, desk: Desk, new: list[dict[str, Any]]) -> dict[str, Any] | None:
        """The next control pair that this person was not asked about and whose answer is unknown."""
        ids = self._knowledge.identity.ids
        for _ in range(MAX_TRIES):
            number = desk.n_control
            desk.n_control += 1
            left, right = self._control.pair(self._control_number(who, number))
            shared = self._is_shared(number)
            pair = [ids[left], ids[right]]
            if self._knowledge.relations.relation(left, right) and not shared:
                continue
            body: dict[str, Any] = {
                "kind": "pair",
                "rows": pair,
                "pairs": [pair],
                "why": "lot",
                "control": True,
                "control_number": number,
            }
            if self._was_asked(body, who if shared else None) or any(each["rows"] == pair for each in new):
                continue
            chance = None if self.ready is None else self.ready.control.get((left, right))
            if chance is not None:
                body |= {"chances": [chance[0]], "votes": [chance[1]], "result": self.result}
            return body
        return None

    def _is_shared(self, number: int) -> bool:
        return len(self._people) > 1 and number % 2 == 0

    def _control_number(self, who: str, number: int) -> int:
        """The number of a control pair; every second one is shared by all people, the others are individual."""
        if len(self._people) < 2 or self._is_shared(number):
            return number
        return PERSONAL * (1 + self._people.index(who)) + number if who in self._people else number

    def _body(self, question: Question) -> dict[str, Any]:
        ids = self._knowledge.identity.ids
        return {
            "kind": question.kind,
            "rows": [ids[row] for row in question.rows],
            "pairs": [[ids[left], ids[right]] for left, right in question.pairs],
            "chances": [round(float(chance), 4) for chance in question.chances],
            "votes": [round(float(share), 4) for share in question.votes],
            "why": question.why,
            "control": False,
            "result": self.result,
        }

    def _is_known(self, card: Asked) -> bool:
        shared = card.body["control"] and self._is_shared(card.body.get("control_number", 1))
        return not shared and self._is_known_body(card.body, card.generation)

    def _is_known_body(self, body: dict[str, Any], generation: int | None = None) -> bool:
        """Whether known hints imply the answer, or so much of it that the question is not worth asking."""
        known = self._knowledge
        generation = known.identity.generation if generation is None else generation
        rows = {id: known.identity.row(id, generation) for id in body["rows"]}
        if min(rows.values()) < 0:
            return True
        related = [known.relations.relation(rows[left], rows[right]) for left, right in body["pairs"]]
        if body["kind"] == "choice":
            return 1 in related or all(related)
        return 2 * sum(each != 0 for each in related) >= len(related)

    def _was_asked(self, body: dict[str, Any], who: str | None) -> bool:
        """Whether pairs were asked about, by `who` or (None) by anybody, or are on a current card."""
        asked = self._knowledge.asked
        pairs = [in_order(*pair) for pair in body["pairs"]]
        before = sum(pair in asked and (who is None or who in asked[pair]) for pair in pairs)
        if 2 * before >= len(pairs) and before:
            return True
        lying = {
            in_order(*pair)
            for person, desk in self._desks.items()
            if who is None or person == who
            for card in desk.cards
            for pair in card.body["pairs"]
        }
        return any(pair in lying for pair in pairs)


def question_of(asked: Asked, rows: list[int]) -> Question:
    """Convert a stored question to row numbers, for interpreting its answer."""
    body = asked.body
    number = dict(zip(body["rows"], rows, strict=True))
    pairs = tuple((number[left], number[right]) for left, right in body["pairs"])
    if body["kind"] == "piles":
        assert pairs == tuple(combinations(rows, 2))
    even = [0.5] * len(pairs)
    return Question(
        body["kind"],
        tuple(rows),
        pairs,
        tuple(body.get("chances") or even),
        tuple(body.get("votes") or even),
        body["why"],
    )
