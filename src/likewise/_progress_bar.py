"""The progress bar for terminals and notebooks: the current stage, counts, and the elapsed time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from html import escape
from multiprocessing import parent_process
from threading import Event, Thread, Timer
from time import perf_counter
from typing import Any

from ._progress import Progress, is_observed, observe, stage

DELAY_S = 0.5
"""Seconds before the bar is shown."""

NOTEBOOK_S = 0.25
"""Seconds between two updates of the bar in a notebook."""

MIN_ITEMS = 4
MIN_SHARE = 0.2
MIN_S = 2.0
"""Minimum number of items, share of all items, and seconds before the remaining time is shown."""

STEADY = 1.35
"""It is shown while the last third of the items takes the same time as the third before it, up to this factor."""

MOST_MARKS = 200
"""Maximum number of recorded times; beyond, every second one is removed."""


class Status:
    """The text of the progress bar for the last :class:`~likewise._progress.Progress`.

    Parameters
    ----------
    title : str
        The title of the work, shown before the names of stages.

    Examples
    --------
    >>> status = Status("clustering", now=0.0)
    >>> for done in range(11):
    ...     status.update(Progress("searching neighbors", done, 40), now=2.0 + done)
    >>> status.description, status.counts(now=12.0)
    ('clustering: searching neighbors', '10 of 40  0:12, about 0:30 left')
    """

    def __init__(self, title: str = "", *, now: float | None = None) -> None:
        self.title = title
        self.progress = Progress()
        self._start = perf_counter() if now is None else now
        self._marks: list[tuple[float, int]] = []  # (time, number of items done) of the current loop

    def update(self, progress: Progress, *, now: float | None = None) -> None:
        """Update the status by a report."""
        now = perf_counter() if now is None else now
        previous = self.progress
        continues = progress.stage == previous.stage and progress.total == previous.total
        if not (continues and (progress.done or 0) > (previous.done or 0)):
            self._marks = []
        if len(self._marks) >= MOST_MARKS:
            self._marks = self._marks[::2]
        self._marks.append((now, progress.done or 0))
        self.progress = progress

    @property
    def description(self) -> str:
        """The title and the stage."""
        return ": ".join(name for name in (self.title, self.progress.stage) if name)

    def counts(self, *, now: float | None = None) -> str:
        """The count, the elapsed time, and the remaining time for a loop of known length."""
        now = perf_counter() if now is None else now
        done, total = self.progress.done, self.progress.total
        elapsed = clock(now - self._start)
        if done is None:
            return elapsed
        if total is None:
            return f"step {done:,}  {elapsed}"
        left = self._seconds_left(now, done, total)
        return f"{done:,} of {total:,}  {elapsed}" + ("" if left is None else f", about {clock(left)} left")

    def _seconds_left(self, now: float, done: int, total: int) -> float | None:
        """The remaining time by linear extrapolation; None if it cannot be estimated.

        That is if too little is done, if the last third of the items took more or less time than the third before it,
        or if the estimated time is over.
        """
        (start, initial), (last, _) = self._marks[0], self._marks[-1]
        count = done - initial
        if count < max(MIN_ITEMS, MIN_SHARE * (total - initial)) or last - start < MIN_S:
            return None
        (first, one), (middle, two) = (self._mark(initial + count * part / 3) for part in (1, 2))
        if not one < two < done:
            return None
        before, lately = (middle - first) / (two - one), (last - middle) / (done - two)
        if not before / STEADY <= lately <= before * STEADY:
            return None
        left = lately * (total - done) - (now - last)
        return left if left > 0 else None

    def _mark(self, done: float) -> tuple[float, int]:
        """The recorded time at which about ``done`` items were done."""
        return min(self._marks, key=lambda mark: abs(mark[1] - done))


@contextmanager
def progress_bar(title: str = "", visible: bool = True) -> Iterator[None]:
    """Show the progress of the work inside the block, after half a second.

    The bar is only shown in a notebook or if standard error is a terminal, and not in child processes of
    multiprocessing. If there is an observer already, the title is reported to it as a stage instead.
    """
    if is_observed():
        with stage(title) if title else nullcontext():
            yield
        return
    shell = _notebook()
    if not (visible and (shell is not None or _on_terminal())):
        yield
        return
    status = Status(title)
    display = _display(status) if shell is None else NotebookBar(status)
    delay = Timer(DELAY_S, display.start)
    delay.daemon = True
    delay.start()
    try:
        with observe(status.update):
            yield
    finally:
        delay.cancel()
        delay.join()
        if isinstance(display, NotebookBar) or display.live.is_started:
            display.stop()


def _on_terminal() -> bool:
    return sys.stderr.isatty() and parent_process() is None


def _notebook() -> Any:
    """The IPython shell if this code runs in a notebook; None otherwise, also for IPython in a terminal."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell if hasattr(shell, "kernel") and parent_process() is None else None


class NotebookBar:
    """A bar below a notebook cell, which is updated several times a second and removed at the end.

    It is plain HTML, so that no extension is needed.

    Parameters
    ----------
    status : Status
    """

    def __init__(self, status: Status) -> None:
        self._status = status
        self._stopped = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Show the bar, and keep updating it."""
        from IPython.display import display

        def shown(html: str) -> dict[str, str]:
            return {"text/html": html, "text/plain": ""}

        handle = display(shown(self.html()), raw=True, display_id=True)

        def draw() -> None:
            while not self._stopped.wait(NOTEBOOK_S):
                handle.update(shown(self.html()), raw=True)
            handle.update(shown(""), raw=True)

        self._thread = Thread(target=draw, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Remove the bar."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def html(self) -> str:
        """The current HTML.

        >>> status = Status("clustering")
        >>> status.update(Progress("training", 2, 8))
        >>> NotebookBar(status).html().partition(" &nbsp;")[0]
        '<progress max="8" value="2"></progress>'
        """
        done, total = self._status.progress.done, self._status.progress.total
        amount = f' max="{total}" value="{done}"' if done is not None and total else ""
        return f"<progress{amount}></progress> &nbsp; {escape(self._status.description)} &nbsp; {self._status.counts()}"


def _display(status: Status) -> Any:
    """A line that rich updates several times a second, so that the clock runs while nothing is reported."""
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

    # Written to standard error, since another program may read standard output.
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
