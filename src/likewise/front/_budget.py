"""Time budget of a fit, and the time spent in each stage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from .._progress import stage


class Budget:
    """A time budget that starts when it is created.

    Parameters
    ----------
    limit_s : float, optional
        Limit in seconds. None: no limit.

    Attributes
    ----------
    seconds : dict
        Seconds spent in each stage.
    left_out : list of str
        Descriptions of work that was skipped for lack of time.
    interrupted : bool
        Whether the fit was interrupted with Ctrl-C.
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
        """Whether ``seconds`` more stay within the given share of the limit."""
        return self.limit_s is None or self.elapsed + seconds <= share * self.limit_s

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Context manager that shows a stage in the progress bar, and adds its time to ``seconds``."""
        start = perf_counter()
        try:
            with stage(name):
                yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - start
