"""A background thread that runs one task at a time."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any


class Worker:
    """Runs a task in a background thread; `result` returns its result or raises its error.

    >>> worker = Worker()
    >>> worker.start(lambda: 6 * 7)
    >>> worker.wait()
    >>> worker.result(), worker.result()
    (42, None)
    """

    def __init__(self) -> None:
        self._thread: Thread | None = None
        self._outcome: list[tuple[Any, BaseException | None]] = []

    @property
    def busy(self) -> bool:
        """Whether a task is running, or its result was not retrieved yet."""
        return self._thread is not None

    def start(self, task: Callable[[], Any]) -> None:
        """Start a task."""
        outcome: list[tuple[Any, BaseException | None]] = []

        def run() -> None:
            try:
                outcome.append((task(), None))
            except BaseException as error:
                outcome.append((None, error))

        self._outcome = outcome
        self._thread = Thread(target=run, daemon=True)  # do not delay the exit of the process
        self._thread.start()

    def wait(self) -> None:
        """Wait for the task, if there is one."""
        if self._thread is not None:
            self._thread.join()

    def result(self) -> Any:
        """The result of a finished task, which can be retrieved once; None if there is none."""
        if self._thread is None or not self._outcome:
            return None
        self._thread.join()
        self._thread = None
        found, error = self._outcome.pop()
        if error is not None:
            raise error
        return found
