"""The server's side of the worker process: starting it, sending messages, and restarting it if it dies."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

from ._learner import Task
from ._worker import receive, send

MAX_RESTARTS = 3


class Worker:
    """A process that runs fits.

    Parameters
    ----------
    begin : callable
        Returns the initial message of the process: rows, settings, and the positions of the last result.
    callback : callable
        Called from a separate thread with the kind and content of each message; "ended" when the process has ended.
    """

    command: ClassVar[list[str]] = [sys.executable, "-m", "likewise.studio._worker"]

    def __init__(self, begin: Callable[[], Any], callback: Callable[[str, Any], None]) -> None:
        self._begin = begin
        self._callback = callback
        self._process: subprocess.Popen[bytes] | None = None
        self._there = threading.Condition()
        self._task: Task | None = None
        self._others: deque[Any] = deque()
        self._closing = False
        self.restarts = 0

    @property
    def pid(self) -> int | None:
        """The process id, or None if it is not running."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def start(self) -> None:
        """Start the process in a new session, so that Ctrl-C in the terminal only reaches the server."""
        apart: dict[str, Any] = (
            {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined]
            if os.name == "nt"
            else {"start_new_session": True}
        )
        self._process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **apart)
        threading.Thread(target=self._feed, args=(self._process,), daemon=True).start()
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()

    def learn(self, task: Task) -> None:
        """Send the current hints; a pending task is replaced."""
        with self._there:
            self._task = task
            self._there.notify_all()

    def tell(self, message: Any) -> None:
        """Queue a message that must not be dropped."""
        with self._there:
            self._others.append(message)
            self._there.notify_all()

    def _feed(self, process: subprocess.Popen[bytes]) -> None:
        stream: Any = process.stdin
        try:
            send(stream, self._begin())
            while process.poll() is None:
                with self._there:
                    if not self._others and self._task is None and not self._closing:
                        self._there.wait(1.0)
                    if self._closing or process is not self._process:
                        break  # pending messages are for the new process
                    messages = list(self._others)
                    self._others.clear()
                    if self._task is not None:
                        messages.append(self._task)
                        self._task = None
                while messages:
                    send(stream, messages.pop(0))  # a message that was sent is not kept
        except (OSError, ValueError):
            pass  # the process has ended, which the listener reports
        finally:
            with suppress(OSError):
                stream.close()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        stream: Any = process.stdout
        while True:
            try:
                kind, content = receive(stream)
            except (EOFError, OSError):
                break
            self._callback(kind, content)
        stream.close()
        code = process.wait()
        if not self._closing:
            self._callback("ended", code)

    def restart(self) -> bool:
        """Restart the process, at most three times in a row; returns whether it was restarted."""
        if self.restarts >= MAX_RESTARTS or self._closing:
            return False
        self.restarts += 1
        self.start()
        return True

    def close(self) -> None:
        """Stop the process, even during a computation."""
        with self._there:
            self._closing = True
            self._there.notify_all()
        process = self._process
        if process is not None:
            try:
                process.wait(1.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(2.0)
