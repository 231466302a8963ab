"""What a person at a terminal sees while waiting: what is being done, how much of it, and how long the rest takes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from threading import Timer
from time import perf_counter
from typing import Any

from ._progress_legacy import listening

PATIENCE = 1.0
"""Seconds before anything is shown: what is done by then needs no bar."""

APART = 0.05
"""Seconds between two moments that are remembered."""


class Bar:
    """A line that comes after a second and goes when all is done; nothing where no person looks.

    Parameters
    ----------
    what : str
        What is being done.
    seen : bool
        False for silence. Without a terminal behind standard error, and in a process that is one of many, there is
        silence anyway.
    """

    def __init__(self, what: str = "", seen: bool = True) -> None:
        self._start = perf_counter()
        self._told = [(0.0, 0.0)]
        self._lines: Any = self._made() if seen and _person_looks() else None
        # without a total the bar moves to and fro, until somebody tells how much is done
        self._line: Any = None if self._lines is None else self._lines.add_task(what, total=None)

    def name(self, what: str) -> None:
        """Say what is being done now."""
        if self._lines is not None:
            self._lines.update(self._line, description=what)

    def hear(self, share: float) -> None:
        """So much is done of the whole."""
        now = perf_counter() - self._start
        if len(self._told) > 1 and now - self._told[-2][0] < APART:
            self._told.pop()
        self._told.append((now, share))
        if self._lines is not None:
            self._lines.update(self._line, completed=share, total=1.0)

    @contextmanager
    def shown(self) -> Iterator[Bar]:
        """Show what :mod:`likewise._progress` tells of the work inside, from a second on, until the end."""
        if self._lines is None:
            yield self
            return
        late = Timer(PATIENCE, self._lines.start)
        late.daemon = True
        late.start()
        try:
            with listening(self.hear):
                yield self
        finally:
            late.cancel()
            late.join()
            if self._lines.live.is_started:
                self._lines.stop()

    def _made(self) -> Any:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
        from rich.text import Text

        class Time(ProgressColumn):
            """The time left; the time spent as long as nobody can say."""

            def render(column, task: Task) -> Text:
                now = perf_counter() - self._start
                left = time_left(self._told, now)
                if left is None:
                    return Text(f"{clock(now)} spent")
                return Text(f"{self._told[-1][1]:4.0%}  {clock(left)} left")

        columns = (TextColumn("{task.description}"), BarColumn(), Time())
        # what goes to standard output stays there: it may be read by another program
        console = Console(stderr=True)
        return Progress(*columns, console=console, transient=True, redirect_stdout=False)


def _person_looks() -> bool:
    return sys.stderr.isatty() and parent_process() is None


def time_left(told: list[tuple[float, float]], now: float) -> float | None:
    """Seconds to go, from the moments at which shares were told; None before any was.

    The rest will go as fast as the last half of what is done, and the time since the last word is taken off. Once that
    is used up without another word, the rest is taken to go as all did so far.

    Parameters
    ----------
    told : list of (seconds since the start, share done)
    now : float
        Seconds since the start.

    Examples
    --------
    >>> time_left([(0.0, 0.0), (2.0, 0.25), (4.0, 0.5)], now=5.0)
    3.0
    """
    end, share = told[-1]
    if share <= 0:
        return None
    begin, before = next((moment for moment in reversed(told) if moment[1] <= share / 2), told[0])
    left = (end - begin) / (share - before) * (1 - share) - (now - end)
    return left if left > 0 else now * (1 - share) / share


def clock(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> clock(75.2)
    '1:15'
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
