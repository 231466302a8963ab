"""What the events of a session come to: hints, names, the number of clusters. A pure function of the log."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._log import Event

SAME = "same"
DIFFERENT = "different"
CANT_SAY = "can't say"

PROGRAM = "*"
"""Who does what no person does."""

UNDOABLE = frozenset(
    ("answered", "grouped", "separated", "moved", "merged", "split", "named", "clusters", "withdrawn", "confirmed",
     "imported")
)  # fmt: skip
"""Kinds of events that change what counts, and can be taken back."""

OTHERS = frozenset(("opened", "joined", "asking", "exported", "undone", "redone"))

ORIGINS = {
    "answered": "answer",
    "grouped": "group",
    "separated": "group",
    "merged": "merge",
    "split": "split",
    "moved": "move",
    "imported": "file",
}
"""Where hints come from, by the kind of their event."""

WINDOW = 20
"""Control answers that the share of predicted ones is taken of."""

DEFAULT_ASKING = ("pair", 4)

ASKED = {"pair": "pairs", "choice": "groups", "piles": "piles"}
"""Kinds of questions, as the page calls them."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A line of a file of hints, and who gave it when.

    Attributes
    ----------
    id : str
        The number of its event, and its place in it: "41.0".
    left, right, third, fourth : str
        Ids of two rows; of a row in a partition, ``right`` is "partition:block". Comparisons have up to four rows.
    kind : str
        "same", "different", or another kind as files of hints have it.
    weight : float
    event : int
    who : str
    at : float
    origin : str
        "answer", "group", "merge", "split", "move" or "file".
    generation : int
        Which data the ids are about.
    """

    id: str
    left: str
    right: str
    kind: str
    weight: float
    event: int
    who: str
    at: float
    origin: str
    generation: int
    third: str = ""
    fourth: str = ""

    @property
    def is_pair(self) -> bool:
        """Whether it says of two rows that they are the same or different."""
        return self.kind in (SAME, DIFFERENT)

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the rows that it is about."""
        head = self.kind.partition(":")[0]
        if head == "better":  # of two clusterings
            return ()
        if head in ("partition", "clustering"):
            return (self.left,)
        return tuple(id for id in (self.left, self.right, self.third, self.fourth) if id)


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a question, with what was thought of it when it was asked.

    Attributes
    ----------
    event : int
    who : str
    question : int
    kind : {"pair", "choice", "piles"}
    pairs : tuple of (str, str)
        By ids.
    said : tuple of {"same", "different", "can't say"}
    chances, votes : tuple of float or None
        The chance of "same" of each pair, and the votes for it, when it was asked; None before there was a model.
    why : str
    control : bool
    generation : int
    checks : int or None
        The question whose answer it asks for again.
    unsure : bool
        Whether nothing was said.
    predicted : bool or None
        Whether all that was said was the likelier; None where nothing was said, or nothing predicted.
    """

    event: int
    who: str
    question: int
    kind: str
    pairs: tuple[tuple[str, str], ...]
    said: tuple[str, ...]
    chances: tuple[float, ...] | None
    votes: tuple[float, ...] | None
    why: str
    control: bool
    generation: int
    checks: int | None = None
    unsure: bool = field(init=False)  # both are asked of every answer whenever one is given
    predicted: bool | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "unsure", all(word == CANT_SAY for word in self.said))
        object.__setattr__(self, "predicted", None if self.unsure else self._was_predicted())

    def _was_predicted(self) -> bool | None:
        if self.chances is None:
            return None
        told = zip(self.said, self.chances, strict=True)
        return all((word == SAME) == (chance >= 0.5) for word, chance in told if word != CANT_SAY)


@dataclass(frozen=True)
class Name:
    """A name that was given to a cluster, and the rows that carry it from fit to fit."""

    event: int
    name: str
    anchors: tuple[str, ...]
    generation: int


@dataclass
class State:
    """What counts.

    Attributes
    ----------
    hints : dict of str to Hint
        In the order in which they were given, without those that were withdrawn.
    answers : dict of int to Answered
        By their events, in order.
    names : dict of int to Name
        By their events.
    n_clusters : int or None
        How many clusters there should be; None: chosen from the data.
    withdrawn, confirmed : dict of str to int
        Ids of hints, and the events that say so.
    """

    hints: dict[str, Hint] = field(default_factory=dict)
    answers: dict[int, Answered] = field(default_factory=dict)
    names: dict[int, Name] = field(default_factory=dict)
    n_clusters: int | None = None
    withdrawn: dict[str, int] = field(default_factory=dict)
    confirmed: dict[str, int] = field(default_factory=dict)

    def take(self, event: Event) -> list[Hint]:
        """Take in an event that counts; returns the hints that it adds."""
        body = event.body
        added = [hint for hint in hints_of(event) if hint.id not in self.withdrawn]
        self.hints.update((hint.id, hint) for hint in added)
        for earlier in body.get("replaces", ()):
            self.names.pop(earlier, None)
        if event.kind == "answered":
            self.answers[event.seq] = answered(event)
        elif event.kind == "named" and body["name"]:
            self.names[event.seq] = Name(event.seq, body["name"], tuple(body["anchors"]), event.generation)
        elif event.kind == "withdrawn":
            self.withdrawn[body["hint"]] = event.seq
            self.hints.pop(body["hint"], None)
        elif event.kind == "confirmed":
            self.confirmed[body["hint"]] = event.seq
        if event.kind == "clusters" or body.get("n_clusters") is not None:
            self.n_clusters = body["n_clusters"]
        return added


def hints_of(event: Event) -> list[Hint]:
    """The hints that an event gives."""
    if event.kind not in ORIGINS:
        return []
    lines: list[list[Any]] = event.body.get("hints", [])
    if event.kind == "answered":
        told = zip(event.body["pairs"], event.body["said"], strict=True)
        lines = [[left, right, word, 1.0] for (left, right), word in told]
    found = []
    for place, (left, right, kind, weight, *more) in enumerate(lines):
        if kind != CANT_SAY:
            about = event.seq, event.who, event.at, ORIGINS[event.kind], event.generation
            found.append(Hint(f"{event.seq}.{place}", left, right, kind, weight, *about, *more))
    return found


def answered(event: Event) -> Answered:
    """The answer that an event holds."""
    body = event.body
    chances, votes = body.get("chances"), body.get("votes")
    return Answered(
        event.seq,
        event.who,
        body["question"],
        body["kind"],
        tuple((left, right) for left, right in body["pairs"]),
        tuple(body["said"]),
        None if chances is None else tuple(chances),
        None if votes is None else tuple(votes),
        body["why"],
        body["control"],
        event.generation,
        body.get("checks"),
    )


def counting(events: Iterable[Event]) -> dict[int, bool]:
    """Which of the events that can be taken back count: all but those whose last word is "undone"."""
    counts: dict[int, bool] = {}
    for event in events:
        if event.kind in UNDOABLE:
            counts.setdefault(event.seq, True)
        elif event.kind in ("undone", "redone") and event.of in counts:
            counts[event.of] = event.kind == "redone"
    return counts


def fold(events: Sequence[Event]) -> State:
    """What all events come to."""
    counts = counting(events)
    state = State()
    for event in events:
        if counts.get(event.seq, False):
            state.take(event)
    return state


@dataclass
class UndoStack:
    """What a person can take back and bring back.

    Undo takes the newest of the person's own events that counts. Redo brings back the last one that was undone, unless
    the person has done something new since.

    Attributes
    ----------
    done : list of int
        Events that count, in their order.
    undone : list of int
        Those that can be brought back, the next one last.
    """

    done: list[int] = field(default_factory=list)
    undone: list[int] = field(default_factory=list)

    def take(self, event: Event) -> None:
        """Take in an event of this person."""
        if event.kind in UNDOABLE:
            self.done.append(event.seq)
            self.undone.clear()
        elif event.kind == "undone" and event.of in self.done:
            self.done.remove(event.of)
            self.undone.append(event.of)
        elif event.kind == "redone" and event.of in self.undone:
            self.undone.remove(event.of)
            insort(self.done, event.of)

    @property
    def to_undo(self) -> int | None:
        """The event that would be taken back next."""
        return self.done[-1] if self.done else None

    @property
    def to_redo(self) -> int | None:
        """The event that would be brought back next."""
        return self.undone[-1] if self.undone else None


@dataclass(frozen=True)
class ControlCount:
    """How many of the last control answers were predicted.

    Attributes
    ----------
    predicted, of : int
        Of the last 20 that a model had predicted.
    asked : int
        Control questions that were answered, those before the first model among them.
    """

    predicted: int
    of: int
    asked: int


def control_count(answers: Iterable[Answered], window: int = WINDOW) -> ControlCount:
    """Count predicted control answers, from the log alone."""
    control = [answer for answer in answers if answer.control]
    last = [answer.predicted for answer in control if answer.predicted is not None][-window:]
    return ControlCount(sum(last), len(last), len(control))


def in_words(event: Event) -> str:
    """What was done, for a person."""
    body = event.body
    if event.kind == "answered":
        return _answer_in_words(body)
    words: dict[str, Any] = {
        "opened": "opened",
        "joined": f"{body.get('name', '')} joined",
        "asking": f"asked for {ASKED.get(body.get('kind', ''), 'questions')}",
        "exported": "exported",
        "imported": f"{len(body.get('hints', ())):,} hints from {body.get('source', 'a file')}",
        "clusters": f"{body['n_clusters']} clusters" if body.get("n_clusters") else "as many clusters as fit the data",
        "withdrawn": f"withdrew: {body.get('words', body.get('hint', ''))}",
        "confirmed": f"still true: {body.get('words', body.get('hint', ''))}",
        "undone": f"undid: {body.get('words', '')}",
        "redone": f"redid: {body.get('words', '')}",
    }
    if event.kind in words:
        return str(words[event.kind])
    return str(body["words"])


def _answer_in_words(body: dict[str, Any]) -> str:
    pairs, said = body["pairs"], body["said"]
    if all(word == CANT_SAY for word in said):
        return f"can't say: {', '.join(dict.fromkeys(row for pair in pairs for row in pair))}"
    if len(pairs) == 1:
        return pair_in_words(pairs[0][0], pairs[0][1], said[0])
    if body["kind"] == "choice":
        with_it = [right for (_, right), word in zip(pairs, said, strict=True) if word == SAME]
        return f"{pairs[0][0]} belongs with {' and '.join(with_it)}" if with_it else f"{pairs[0][0]}: none of these"
    same = sum(word == SAME for word in said)
    count = len({row for pair in pairs for row in pair})
    return f"sorted {count} rows: {same} of {len(pairs)} pairs the same"


def pair_in_words(left: str, right: str, kind: str) -> str:
    """A hint about two rows."""
    if kind in (SAME, DIFFERENT):
        return f"{left} and {right} are {'the same' if kind == SAME else 'different'}"
    if kind.startswith("partition"):
        return f"{left} is {right.partition(':')[2]}"
    return f"{left} and {right}: {kind}"
