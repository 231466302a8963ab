"""The progress bar on a terminal: what is being done, how much of it, and since when."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from multiprocessing import parent_process
from threading import Timer
from time import perf_counter
from typing import Any

from ._progress import Progress, is_observed, observe, stage

DELAY_S = 1.0
"""Seconds before anything is shown: what is done by then needs no bar."""


class Status:
    """What a line of the progress bar says of the last :class:`~likewise._progress.Progress`.

    Parameters
    ----------
    title : str
        What is being done as a whole; stages are named after it.

    Examples
    --------
    >>> status = Status("clustering", now=0.0)
    >>> status.update(Progress("searching neighbors", 0, 40), now=2.0)
    >>> status.update(Progress("searching neighbors", 10, 40), now=3.0)
    >>> status.description, status.counts(now=4.0)
    ('clustering: searching neighbors', '10 of 40  0:04, 0:02 left')
    """

    def __init__(self, title: str = "", *, now: float | None = None) -> None:
        self.title = title
        self.progress = Progress()
        self._start = perf_counter() if now is None else now
        self._loop_start = self._last = self._start

    def update(self, progress: Progress, *, now: float | None = None) -> None:
        """Take over what was reported."""
        now = perf_counter() if now is None else now
        previous = self.progress
        continues = progress.stage == previous.stage and progress.total == previous.total
        if not (continues and (progress.done or 0) > (previous.done or 0)):
            self._loop_start = now
        self._last = now
        self.progress = progress

    @property
    def description(self) -> str:
        """The title and the stage."""
        return ": ".join(name for name in (self.title, self.progress.stage) if name)

    def counts(self, *, now: float | None = None) -> str:
        """How much is done, the time since the start, and the time left where a loop of known length is counted."""
        now = perf_counter() if now is None else now
        done, total = self.progress.done, self.progress.total
        elapsed = clock(now - self._start)
        if done is None:
            return elapsed
        if total is None:
            return f"step {done:,}  {elapsed}"
        left = self._seconds_left(now, done, total)
        return f"{done:,} of {total:,}  {elapsed}" + ("" if left is None else f", {clock(left)} left")

    def _seconds_left(self, now: float, done: int, total: int) -> float | None:
        """Linear in the count; None before anything is done, and once the time that was expected is over."""
        if done <= 0:
            return None
        per_item = (self._last - self._loop_start) / done
        left = per_item * (total - done) - (now - self._last)
        return left if left > 0 else None


@contextmanager
def progress_bar(title: str = "", visible: bool = True) -> Iterator[None]:
    """Show what the work inside reports, from a second on, until it ends.

    Nothing is shown without a terminal behind standard error, nor in a process that another one of Python's started.
    Where somebody observes already, the title is a stage for them, and there is no second bar.
    """
    if is_observed():
        with stage(title) if title else nullcontext():
            yield
        return
    if not (visible and _on_terminal()):
        yield
        return
    status = Status(title)
    display = _display(status)
    delay = Timer(DELAY_S, display.start)
    delay.daemon = True
    delay.start()
    try:
        with observe(status.update):
            yield
    finally:
        delay.cancel()
        delay.join()
        if display.live.is_started:
            display.stop()


def _on_terminal() -> bool:
    return sys.stderr.isatty() and parent_process() is None


def _display(status: Status) -> Any:
    """A line that rich draws several times a second, so that the clock goes on while nothing is reported."""
    from rich import progress as rich
    from rich.console import Console
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    class Description(rich.ProgressColumn):
        def render(self, task: rich.Task) -> Text:
            return Text(status.description)

    class Bar(rich.ProgressColumn):
        def render(self, task: rich.Task) -> ProgressBar:
            done, total = status.progress.done, status.progress.total
            if done is None or not total:
                return ProgressBar(total=None, width=40, pulse=True, animation_time=task.get_time())
            return ProgressBar(total=total, completed=done, width=40)

    class Counts(rich.ProgressColumn):
        def render(self, task: rich.Task) -> Text:
            return Text(status.counts())

    # standard output is left alone: another program may read it
    console = Console(stderr=True)
    display = rich.Progress(Description(), Bar(), Counts(), console=console, transient=True, redirect_stdout=False)
    display.add_task("", total=None)
    return display


def clock(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> clock(75.2)
    '1:15'
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
