"""The state after the events of a session: hints, names, number of clusters. A pure function of the log."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._log import Event

SAME = "same"
DIFFERENT = "different"
CANT_SAY = "can't say"

PROGRAM = "*"
"""The author of events of the program itself."""

UNDOABLE = frozenset(
    ("answered", "grouped", "separated", "moved", "merged", "split", "named", "clusters", "withdrawn", "confirmed",
     "imported")
)  # fmt: skip
"""Kinds of events that change the state and can be undone."""

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
"""Origin of hints, by the kind of their event."""

WINDOW = 20
"""Number of recent control answers from which the fraction of predicted ones is computed."""

DEFAULT_ASKING = ("pair", 4)

ASKED = {"pair": "pairs", "choice": "groups", "piles": "piles"}
"""Names of the kinds of questions on the page."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint as a line of a file of hints, with its author and time.

    Attributes
    ----------
    id : str
        Number of its event and index within the event, such as "41.0".
    left, right, third, fourth : str
        Ids of two rows; for a row in a partition, ``right`` is "partition:block". Comparisons have up to four rows.
    kind : str
        "same", "different", or another kind of the file format of hints.
    weight : float
    event : int
    who : str
    at : float
    origin : str
        "answer", "group", "merge", "split", "move" or "file".
    generation : int
        The version of the data that the ids refer to.
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
        """Whether the hint says that two rows are the same or different."""
        return self.kind in (SAME, DIFFERENT)

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the rows of the hint."""
        head = self.kind.partition(":")[0]
        if head == "better":  # of two clusterings
            return ()
        if head in ("partition", "clustering"):
            return (self.left,)
        return tuple(id for id in (self.left, self.right, self.third, self.fourth) if id)


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a question, with the predictions at the time of the question.

    Attributes
    ----------
    event : int
    who : str
    question : int
    kind : {"pair", "choice", "piles"}
    pairs : tuple of (str, str)
        Pairs of ids.
    said : tuple of {"same", "different", "can't say"}
    chances, votes : tuple of float or None
        Predicted probability of "same" for each pair, and votes for it; None if there was no model yet.
    why : str
    control : bool
    generation : int
    checks : int or None
        The question whose answer it checks.
    unsure : bool
        Whether the answer is "can't say" for all pairs.
    predicted : bool or None
        Whether the answer for each pair was the more probable one; None without an answer or a prediction.
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
    unsure: bool = field(init=False)  # computed once, because both are read for all answers after each new one
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
    """The name of a cluster, and its anchor rows, by which it is assigned after each fit."""

    event: int
    name: str
    anchors: tuple[str, ...]
    generation: int


@dataclass
class State:
    """The current state of a session.

    Attributes
    ----------
    hints : dict of str to Hint
        In the order in which they were given, without withdrawn ones.
    answers : dict of int to Answered
        By their events, in order.
    names : dict of int to Name
        By their events.
    n_clusters : int or None
        Requested number of clusters; None: chosen from the data.
    withdrawn, confirmed : dict of str to int
        Ids of hints, and the events that withdrew or confirmed them.
    """

    hints: dict[str, Hint] = field(default_factory=dict)
    answers: dict[int, Answered] = field(default_factory=dict)
    names: dict[int, Name] = field(default_factory=dict)
    n_clusters: int | None = None
    withdrawn: dict[str, int] = field(default_factory=dict)
    confirmed: dict[str, int] = field(default_factory=dict)

    def take(self, event: Event) -> list[Hint]:
        """Update the state with an event that was not undone; returns the hints that it adds."""
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
    """The hints of an event."""
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
    """The answer in an event."""
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
    """For each event that can be undone, whether it is active: never undone, or redone since."""
    counts: dict[int, bool] = {}
    for event in events:
        count(counts, event)
    return counts


def count(counts: dict[int, bool], event: Event) -> None:
    """Update which events are active with the next event."""
    if event.kind in UNDOABLE:
        counts.setdefault(event.seq, True)
    elif event.kind in ("undone", "redone") and event.of in counts:
        counts[event.of] = event.kind == "redone"


def fold(events: Sequence[Event], counts: Mapping[int, bool] | None = None) -> State:
    """The state after all events, given which of them are active (None: as computed by `counting`)."""
    counts = counting(events) if counts is None else counts
    state = State()
    for event in events:
        if counts.get(event.seq, False):
            state.take(event)
    return state


@dataclass
class UndoStack:
    """The undo and redo history of one person.

    Undo applies to the person's latest active event. Redo restores the event that was undone last, unless the person
    has done something new since.

    Attributes
    ----------
    done : list of int
        Active events, in order.
    undone : list of int
        Events that can be redone, the next one last.
    """

    done: list[int] = field(default_factory=list)
    undone: list[int] = field(default_factory=list)

    def take(self, event: Event) -> None:
        """Update with an event of this person."""
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
        """The event that undo would undo next."""
        return self.done[-1] if self.done else None

    @property
    def to_redo(self) -> int | None:
        """The event that redo would restore next."""
        return self.undone[-1] if self.undone else None


@dataclass(frozen=True)
class ControlCount:
    """The number of recent control answers that were predicted correctly.

    Attributes
    ----------
    predicted, of : int
        Number of correct predictions, among the last 20 control answers for which a model had a prediction.
    asked : int
        Number of answered control questions, including those before the first model.
    """

    predicted: int
    of: int
    asked: int


def control_count(answers: Iterable[Answered], window: int = WINDOW) -> ControlCount:
    """Count the control answers that were predicted correctly, from the log only."""
    control = [answer for answer in answers if answer.control]
    last = [answer.predicted for answer in control if answer.predicted is not None][-window:]
    return ControlCount(sum(last), len(last), len(control))


def in_words(event: Event) -> str:
    """Describe an event in words."""
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
    """Describe a hint about two rows in words."""
    if kind in (SAME, DIFFERENT):
        return f"{left} and {right} are {'the same' if kind == SAME else 'different'}"
    if kind.startswith("partition"):
        return f"{left} is {right.partition(':')[2]}"
    return f"{left} and {right}: {kind}"
