"""Time: what each part took, what there is still room for, and what a person sees of it while waiting."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from threading import Timer
from time import perf_counter
from typing import Any, TypeVar

Result = TypeVar("Result")

PATIENCE = 1.0
"""Seconds before progress is shown: what is done by then needs none."""


class Pace:
    """A clock with a budget.

    Parameters
    ----------
    budget_s : float, optional
        Seconds that there are; None for as many as it takes.
    verbose : bool
        Whether to show progress on a terminal.

    Attributes
    ----------
    seconds : dict
        What each part took.
    left_out : list of str
        What there was no room for.
    interrupted : bool
        Whether a person has had enough (Ctrl-C).
    """

    def __init__(self, budget_s: float | None = None, verbose: bool = False) -> None:
        self.budget_s = budget_s
        self.seconds: dict[str, float] = {}
        self.left_out: list[str] = []
        self.interrupted = False
        self._start = perf_counter()
        self._bar = progress_bar() if verbose else None
        self._task: Any = None

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return perf_counter() - self._start

    def room_for(self, seconds: float, share: float = 1.0) -> bool:
        """Whether so many seconds more are within the budget, or within a share of it."""
        return self.budget_s is None or self.elapsed + seconds <= share * self.budget_s

    def timed(self, part: str, work: Callable[[], Result]) -> Result:
        """Do a part of the whole, or some more of it; ``seconds`` has what it took."""
        start = perf_counter()
        self.show(part)
        try:
            return work()
        finally:
            self.seconds[part] = self.seconds.get(part, 0.0) + perf_counter() - start

    def show(self, part: str, done: int = 0, total: int | None = None) -> None:
        """Say what is being done, and how much of it."""
        if self._bar is not None:
            if self._task is None:
                self._task = self._bar.add_task("")
            self._bar.update(self._task, description=part, completed=done, total=total)

    @contextmanager
    def shown(self) -> Iterator[Pace]:
        """Show progress from a second on, until the end."""
        if self._bar is None:
            yield self
            return
        late = Timer(PATIENCE, self._bar.start)
        late.daemon = True
        late.start()
        try:
            yield self
        finally:
            late.cancel()
            late.join()
            if self._bar.live.is_started:
                self._bar.stop()


def progress_bar() -> Any:
    """A bar on the terminal that goes away when all is done.

    None where errors are not written to a terminal, and in a process that is one of many.
    """
    if not sys.stderr.isatty() or parent_process() is not None:
        return None
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(stderr=True), transient=True)
