"""The studio: an open session and its worker process, independent of HTTP."""

from __future__ import annotations

import base64
import binascii
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from .._arrays import IntArray
from .._progress import Progress
from ..prepare import Rows
from ._acts import Acts
from ._cards import Cards
from ._control import ControlPairs
from ._exports import Exports
from ._gesture_acts import GestureActs
from ._identity import identify
from ._knowledge import Knowledge
from ._learner import Ready, Result, Settings, Task
from ._log import Event, EventLog, damage_named
from ._refusal import Refusal
from ._relations import Contradiction
from ._results import Results, Shown
from ._shown import RowView
from ._state import DIFFERENT, PROGRAM, SAME, UNDOABLE, hints_of, in_words
from ._views import Views
from ._work import Worker

PAUSE, SHARE = 0.1, 8.0
"""Minimum seconds between messages to the worker, and their ratio to the time that preparing a message takes."""

WORDS = {"must-link": SAME, "cannot-link": DIFFERENT}
"""Kinds of hints in files, mapped to those of the log."""


class Studio:
    """An open session: its log, rows, worker process and listeners.

    Parameters
    ----------
    path : Path
        Session file.
    rows : Rows
    name : str
        Name of the data.
    seed : int
    n_clusters : int, optional
        None: the number of the session, or chosen from the data.
    given : list of (str, columns)
        Hints from files: their source, and their columns left, right, kind and weight.
    links : sparse matrix, optional
    people : sequence of str
        Names, if there are several people.
    command : str
    repeat : callable
        Returns, for a number of clusters, the command line that reproduces the result from exported hints.
    """

    def __init__(
        self,
        path: Path,
        rows: Rows,
        *,
        name: str,
        seed: int = 0,
        n_clusters: int | None = None,
        given: Sequence[tuple[str, dict[str, Sequence[Any]]]] = (),
        links: Any = None,
        people: Sequence[str] = (),
        command: str = "",
        repeat: Callable[[int | None], str] | None = None,
    ) -> None:
        self.path = path
        self.folder = path.with_name(path.name + ".d")
        self.rows = rows
        self.name = name
        self.people = list(people)
        self.command = command
        self.repeat = repeat
        self.lock = threading.RLock()
        self.log = EventLog(path)
        about = {"name": name, "rows": len(rows), "id_column": rows.id_column, "version": __version__}
        with damage_named(path):
            self.seed = int(self.log.set_once("seed", str(seed)))
            self.identity, self.change = identify(self.log, rows, about)
            self.knowledge = Knowledge(self.identity, self.log.events())
        self._links = links
        self._listeners: list[Callable[[str, Any], None]] = []
        self.here: dict[str, int] = {}
        self.view = RowView(rows)
        self.results = Results(self.folder / "results", len(rows), self.identity.generation)
        self._open(given, n_clusters)
        self.cards = Cards(self.log, self.knowledge, ControlPairs(rows, self.seed), self.people)
        self.fit: dict[str, Any] = {"status": "starting", "stage": "", "done": None, "total": None, "message": ""}
        self.fit_began = time.monotonic()
        self.features: Any = None
        self._urgent = False
        self.learned = 0 if self.results.newest is None else self.results.newest.result.upto
        self._dirty = threading.Event()
        self._closed = threading.Event()
        self.views = Views(self)
        self.acts = Acts(self)
        self.gestures = GestureActs(self)
        self.exports = Exports(self)
        self.worker = Worker(self._begin, self._on_message)

    def _open(self, given: Sequence[tuple[str, dict[str, Sequence[Any]]]], n_clusters: int | None) -> None:
        """Record the start, new hints from files, and the number of clusters."""
        stamp = f"{time.time_ns()}"
        self._keep("opened", {"name": self.name, "rows": len(self.rows), "version": __version__}, key=f"open-{stamp}")
        known = {
            (hint.left, hint.right, hint.kind, hint.third, hint.fourth)
            for event in self.knowledge.events
            if event.kind == "imported"
            for hint in hints_of(event)
        }
        for number, (source, columns) in enumerate(given):
            weights = columns.get("weight") or [1.0] * len(columns["left"])
            more = [columns.get(name) or [""] * len(weights) for name in ("third", "fourth")]
            lines = [
                [str(left), str(right), WORDS.get(str(kind), str(kind)), float(weight), str(third), str(fourth)]
                for left, right, kind, weight, third, fourth in zip(
                    columns["left"], columns["right"], columns["kind"], weights, *more, strict=True
                )
            ]
            new = [line for line in lines if (*line[:3], *line[4:]) not in known]
            if new:
                self._keep("imported", {"source": source, "hints": new}, key=f"import-{stamp}-{number}")
        if n_clusters is not None and n_clusters != self.knowledge.state.n_clusters:
            self._keep("clusters", {"n_clusters": n_clusters}, key=f"clusters-{stamp}")

    def _keep(self, kind: str, body: dict[str, Any], *, key: str, who: str = PROGRAM) -> Event:
        event, new = self.log.append(kind, body, who=who, key=key, generation=self.identity.generation)
        if new:
            self.knowledge.take(event)
        return event

    def listen(self, listener: Callable[[str, Any], None]) -> Callable[[], None]:
        """Register a listener for events; returns a function that removes it."""
        with self.lock:
            self._listeners.append(listener)

        def end() -> None:
            with self.lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return end

    def publish(self, what: str, data: Any) -> None:
        """Notify all listeners; for ``state`` and ``questions`` each listener requests the content for its person."""
        for listener in list(self._listeners):
            listener(what, data)

    def arrive(self, who: str, by: int) -> None:
        """Record that a page was opened or closed."""
        with self.lock:
            self.here[who] = self.here.get(who, 0) + by
            if self.people:
                self.publish("people", {"people": self.views.people_here()})

    def act(
        self, kind: str, body: dict[str, Any], who: str, key: str, of: int | None = None
    ) -> tuple[Event, bool, Contradiction | None]:
        """Store an action; it is synced to disk when this returns."""
        event, new = self.log.append(kind, body, who=who, key=key, of=of, generation=self.identity.generation)
        if not new:
            if event.kind != kind or event.who != who:
                raise Refusal(409, "key", f"the key {key!r} was used for something else. Make a new one for each act.")
            return event, False, None
        contradiction = self.knowledge.take(event)
        if kind in UNDOABLE or kind in ("undone", "redone"):
            self._urgent |= kind != "answered"
            self._dirty.set()
        self.publish("event", self.event_news(event))
        self.publish("state", None)
        return event, True, contradiction

    def before(self, key: str, kind: str, who: str) -> Event | None:
        """The existing event with a key, or None."""
        event = self.log.with_key(key)
        if event is not None and (event.kind != kind or event.who != who):
            raise Refusal(409, "key", f"the key {key!r} was used for something else. Make a new one for each act.")
        return event

    def event(self, seq: int | None) -> Event:
        """An event by its number; numbers are consecutive, apart from the first ones, which nobody saw."""
        events = self.knowledge.events
        place = len(events) - 1 + (seq or 0) - events[-1].seq if events else -1
        if 0 <= place < len(events) and (event := events[place]).seq == seq:
            return event
        found = next((event for event in events if event.seq == seq), None)
        if found is None:
            raise Refusal(422, "value", f"there is no event {seq}.")
        return found

    def event_news(self, event: Event) -> dict[str, Any]:
        """The message about an event for the page."""
        return {"seq": event.seq, "kind": event.kind, "who": event.who, "words": in_words(event), "at": event.at}

    def shown(self, number: Any) -> Shown:
        """A result by the number that the page sent."""
        if self.results.newest is None:
            raise Refusal(503, "wait", "the first fit is not done yet.")
        found = self.results.get(number) if isinstance(number, int) else None
        if found is None:
            raise Refusal(409, "gone", f"result {number!r} is not there any more: there is a newer one.")
        return found

    def selection(self, rows: Any) -> IntArray:
        """The selected rows, given as a list or a bit mask."""
        n = len(self.rows)
        if isinstance(rows, dict) and isinstance(rows.get("bits"), str):
            try:
                packed = np.frombuffer(base64.b64decode(rows["bits"], validate=True), dtype=np.uint8)
            except (binascii.Error, ValueError):
                raise Refusal(422, "value", "bits is not base64.") from None
            if len(packed) != (n + 7) // 8:
                raise Refusal(
                    422, "value", f"bits has {len(packed)} bytes for {n} rows: there should be {(n + 7) // 8}."
                )
            return np.flatnonzero(np.unpackbits(packed, bitorder="little")[:n])
        return np.array(sorted(self.some_rows(rows, "rows")), dtype=np.int64)

    def some_rows(self, rows: Any, what: str, *, at_most: int | None = None) -> list[int]:
        """Validate row numbers."""
        n = len(self.rows)
        if not isinstance(rows, list) or not all(isinstance(row, int) and not isinstance(row, bool) for row in rows):
            raise Refusal(422, "value", f"{what} should be a list of row numbers.")
        outside = [row for row in rows if not 0 <= row < n]
        if outside:
            raise Refusal(422, "value", f"{what} has row {outside[0]}, and rows are 0 to {n - 1}.")
        unique = list(dict.fromkeys(rows))
        if at_most is not None and len(unique) > at_most:
            raise Refusal(422, "value", f"{what} has {len(unique)} rows: at most {at_most}.")
        return unique

    def checked_cluster(self, shown: Shown, cluster: Any, what: str = "cluster") -> int:
        if not isinstance(cluster, int) or isinstance(cluster, bool) or not 0 <= cluster < shown.n_clusters:
            raise Refusal(422, "value", f"{what} is {cluster!r}: clusters are 0 to {shown.n_clusters - 1}.")
        return cluster

    def start(self) -> None:
        """Start the worker."""
        for who in self.people or [""]:
            self.cards.desk(who)
        self.worker.start()
        self._dirty.set()
        threading.Thread(target=self._pump, daemon=True).start()

    def close(self) -> None:
        """Stop the worker, and close the session file."""
        self._closed.set()
        self._dirty.set()
        self.worker.close()
        with self.lock:
            self.log.close()

    def _begin(self) -> Any:
        with self.lock:
            last = self.results.newest
        places, labels = (None, None) if last is None else (last.result.places, last.result.labels)
        return self.rows, Settings(self.seed, self._links), places, labels

    def tell_worker(self) -> None:
        """Schedule a message to the worker with the current hints."""
        self._dirty.set()

    def _pump(self) -> None:
        """Send the current hints to the worker, shortly after each change."""
        pause = PAUSE
        while True:
            self._dirty.wait()
            if self._closed.wait(pause):
                return
            self._dirty.clear()
            began = time.monotonic()
            with self.lock:
                task = self._task()
            self.worker.learn(task)
            del task  # it has all answers, and would be kept until the next one is made
            pause = max(PAUSE, SHARE * (time.monotonic() - began))  # slow messages are sent less often

    def _task(self) -> Task:
        urgent, self._urgent = self._urgent, False
        known = self.knowledge
        return Task(
            upto=known.events[-1].seq,
            constraints=known.constraints(),
            n_clusters=known.state.n_clusters,
            answers=known.answers(),
            kinds=self.cards.kinds(),
            control=self.cards.upcoming(),
            urgent=urgent,
        )

    def _on_message(self, kind: str, content: Any) -> None:
        """Handle a message of the worker; called from a separate thread."""
        if self._closed.is_set():
            return
        with self.lock:
            if kind == "progress":
                self._told_progress(content)
            elif kind == "result":
                self._told_result(content)
            elif kind == "ready":
                self._told_ready(content)
            elif kind == "export":
                self.exports._told_export(*content)
            elif kind == "failed":
                self.fit |= {"message": content.strip().splitlines()[-1]}
            elif kind == "ended":
                self._told_end()

    def _told_progress(self, progress: Progress) -> None:
        if self.fit["status"] != "fitting":
            self.fit_began = time.monotonic()
        self.fit |= {"status": "fitting", "stage": progress.stage, "done": progress.done, "total": progress.total}
        self.publish("fit", self.views.fit())

    def _told_result(self, result: Result) -> None:
        self.worker.restarts = 0
        if result.features is not None:
            self.features = result.features
        shown = self.results.add(result)
        self.learned = max(self.learned, result.upto)
        if shown.number == 0:
            self.fit |= {"status": "fitting", "stage": "", "done": None, "total": None}
            if self.results.newest is None:
                self.publish("result", {"result": 0, "upto": 0, "n_clusters": 0, "moved": 0, "moves": [], "words": ""})
            return
        self.fit = {"status": "idle", "stage": "", "done": None, "total": None, "message": ""}
        self.publish("result", self.views.result_news(shown))
        self.publish("state", None)

    def _told_ready(self, ready: Ready) -> None:
        self.fit |= {"status": "idle", "stage": "", "done": None, "total": None}
        newest = self.results.newest
        self.cards.take_in(ready, None if newest is None else newest.number)
        if ready.current:
            self.learned = max(self.learned, ready.upto)
            self.publish("state", None)
        self.publish("questions", None)

    def _told_end(self) -> None:
        """Restart a worker that died, with the same hints, at most three times in a row."""
        for export in self.exports._exports.values():
            if export["status"] not in ("done", "failed"):
                export |= {"status": "failed", "message": "The process that fits ended. Export again."}
                self.publish("export", export)
        message = self.fit["message"]
        if self.worker.restart():
            self.fit |= {"status": "restarting", "stage": "", "done": None, "total": None}
            self._dirty.set()
        else:
            why = message or "the process ended"
            self.fit |= {"status": "failed", "message": f"Fitting failed: {why}. Answers are kept all the same."}
        self.publish("state", None)
