"""The worker process: it reads tasks from standard input, runs fits, and ends when its input is closed."""

from __future__ import annotations

import ctypes
import os
import pickle
import struct
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO

from .._progress import Progress, observe
from ._export import Export, write_export
from ._learner import Learner, Task

LENGTH = struct.Struct("<Q")

EVERY = 0.25
"""Minimum seconds between progress reports."""

AT_ONCE = 5
"""Number of new hints from which a fit starts immediately."""

REST = 2.0
"""Seconds without a new hint after which a fit starts with fewer new hints."""


def send(stream: BinaryIO, message: Any) -> None:
    """Write a message to a pipe."""
    packed = pickle.dumps(message, protocol=5)
    stream.write(LENGTH.pack(len(packed)))
    stream.write(packed)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read a message from a pipe; raises EOFError at its end."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(head)
    packed = stream.read(length)
    if len(packed) < length:
        raise EOFError
    return pickle.loads(packed)


def release_memory() -> None:
    """Return free memory to the system; glibc would keep what a fit needed at its peak."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # other C libraries do not have the function
            ctypes.CDLL(None).malloc_trim(0)


class Inbox:
    """Incoming messages: only the latest task, and all other messages in order.

    Parameters
    ----------
    stream : binary stream
    end : callable
        Called when the stream closes: the parent process has ended, so this one ends, even during a computation.
    """

    def __init__(self, stream: BinaryIO, end: Callable[[], Any]) -> None:
        self._stream = stream
        self._end = end
        self._there = threading.Condition()
        self._others: deque[Any] = deque()
        self._task: Task | None = None
        self._at = 0.0
        self.begin = receive(stream)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                message = receive(self._stream)
            except (EOFError, OSError):
                self._end()
                return
            with self._there:
                if isinstance(message, Task):
                    self._task, self._at = message, time.monotonic()
                else:
                    self._others.append(message)
                del message  # it is not kept until the next one arrives
                self._there.notify()

    def next(self, wait: float | None) -> Any:
        """The next message; None if none arrives within `wait` seconds."""
        with self._there:
            if not self._others and self._task is None:
                self._there.wait(wait)
            if self._others:
                return self._others.popleft()
            task, self._task = self._task, None
            return task

    def has_news(self) -> bool:
        """Whether a message is pending."""
        with self._there:
            return self._task is not None or bool(self._others)


class Working:
    """The main loop of the worker.

    Parameters
    ----------
    inbox : Inbox
    out : binary stream
    """

    def __init__(self, inbox: Inbox, out: BinaryIO) -> None:
        self._inbox = inbox
        self._out = out
        self._last_report = 0.0
        rows, settings, self._previous, self._labels = inbox.begin
        self._learner = Learner(rows, settings)
        self._fitted: Task | None = None

    def run(self) -> None:
        """Process messages until the input closes."""
        self._say("result", self._learner.before())
        task: Task | None = None
        while True:
            waits = task is not None and self._wants_fit(task)
            message = self._inbox.next(REST if waits else None)
            if isinstance(message, Export):
                self._export(message)
            elif isinstance(message, Task):
                task = message
                if self._fitted is None or self._is_urgent(task):
                    self._fit(task)
                self._ask(task)
            elif task is not None and waits:  # no new hints for a while: fit with the pending ones
                self._fit(task)
                self._ask(task)

    def _wants_fit(self, task: Task) -> bool:
        done = self._fitted
        return done is None or task.constraints != done.constraints or task.n_clusters != done.n_clusters

    def _is_urgent(self, task: Task) -> bool:
        """Whether to fit immediately: after enough new hints, or after any hint was withdrawn."""
        done = self._fitted
        if done is None or task.n_clusters != done.n_clusters:
            return True
        if task.constraints == done.constraints:
            return False
        if task.urgent or (task.constraints | done.constraints) != task.constraints:
            return True
        return _count(task) - _count(done) >= AT_ONCE

    def _fit(self, task: Task) -> None:
        with observe(self._report):
            result = self._learner.fit(task, self._previous, self._labels)
        self._previous = self._labels = None
        self._fitted = replace(task, answers=())  # later tasks are compared by their constraints only
        self._say("result", result)
        release_memory()

    def _ask(self, task: Task) -> None:
        if not self._inbox.has_news():  # otherwise the questions would be outdated
            self._say("ready", replace(self._learner.ready(task), current=not self._wants_fit(task)))

    def _export(self, export: Export) -> None:
        try:
            with observe(self._report):
                files = write_export(export, self._learner, lambda status: self._say("export", (export.number, status)))
            self._say("export", (export.number, "done", files))
        except Exception as error:
            self._say("export", (export.number, "failed", str(error)))

    def _report(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last_report >= EVERY:
            self._last_report = now
            self._say("progress", progress)

    def _say(self, kind: str, content: Any) -> None:
        send(self._out, (kind, content))


def _count(task: Task) -> int:
    return task.constraints.n_must_link + task.constraints.n_cannot_link


def main() -> None:
    """Run the worker for the parent process."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of other code must not mix with the messages
    with suppress(EOFError, BrokenPipeError):  # the parent process has ended
        _work(out)


def _work(out: BinaryIO) -> None:
    try:
        Working(Inbox(sys.stdin.buffer, lambda: os._exit(0)), out).run()
    except EOFError:
        raise
    except Exception:
        send(out, ("failed", traceback.format_exc(limit=8)))
        sys.exit(1)


if __name__ == "__main__":
    main()
