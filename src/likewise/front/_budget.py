"""Time: what each stage of a fit took, and what there is still room for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from .._progress import stage


class Budget:
    """A clock with a limit.

    Parameters
    ----------
    limit_s : float, optional
        Seconds that there are; None for as many as it takes.

    Attributes
    ----------
    seconds : dict
        What each stage took.
    left_out : list of str
        What there was no room for.
    interrupted : bool
        Whether Ctrl-C was pressed.
    """

    def __init__(self, limit_s: float | None = None) -> None:
        self.limit_s = limit_s
        self.seconds: dict[str, float] = {}
        self.left_out: list[str] = []
        self.interrupted = False
        self._start = perf_counter()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return perf_counter() - self._start

    def has_room(self, seconds: float, share: float = 1.0) -> bool:
        """Whether so many seconds more are within the limit, or within a share of it."""
        return self.limit_s is None or self.elapsed + seconds <= share * self.limit_s

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Name the work inside for progress, and add what it takes to ``seconds``."""
        start = perf_counter()
        try:
            with stage(name):
                yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - start
