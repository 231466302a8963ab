"""Time: what each part took, what there is still room for, and what a person sees of it while waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import TypeVar

from .._progress_bar import Bar
from .._progress_legacy import heard, listening, teller

Result = TypeVar("Result")

WEIGHTS = {
    "features": 3.0,
    "placing rows": 3.0,
    "number of clusters": 11.0,
    "without hints": 2.0,
    "hints": 0.5,
    "learning from hints": 9.0,
}
"""The parts of a fit in their order, and how long each takes beside the others, about."""

LEARNING = ("hints", "learning from hints")


def coming(*, placing: bool, counting: bool, learning: bool) -> list[str]:
    """The parts of a fit: whether some rows stand for all, k is to be found, and there are hints."""
    left_out = {
        "placing rows": not placing,
        "number of clusters": not counting,
        **dict.fromkeys(LEARNING, not learning),
    }
    return [name for name in WEIGHTS if not left_out.get(name)]


class Pace:
    """A clock with a budget.

    Parameters
    ----------
    budget_s : float, optional
        Seconds that there are; None for as many as it takes.
    verbose : bool
        Whether to show progress on a terminal.
    parts : sequence of str, optional
        Those of ``WEIGHTS`` that are to come; by default all.

    Attributes
    ----------
    seconds : dict
        What each part took.
    left_out : list of str
        What there was no room for.
    interrupted : bool
        Whether a person has had enough (Ctrl-C).
    """

    def __init__(self, budget_s: float | None = None, verbose: bool = False, parts: Sequence[str] = ()) -> None:
        self.budget_s = budget_s
        self.seconds: dict[str, float] = {}
        self.left_out: list[str] = []
        self.interrupted = False
        self._start = perf_counter()
        self._bar = Bar(seen=verbose)
        self._tell, self._heard = teller(), False
        self._parts = [name for name in WEIGHTS if not parts or name in parts]
        self._share = 0.0

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

    def show(self, part: str, done: float = 0, total: float | None = None) -> None:
        """Say what is being done, and how much of it."""
        self._bar.name(part)
        if part in self._parts:
            place = self._parts.index(part)
            weights = [WEIGHTS[name] for name in self._parts]
            reached = sum(weights[:place]) + (weights[place] * done / total if total else 0.0)
            self._share = max(self._share, reached / sum(weights))
            self._tell(self._share)

    @contextmanager
    def telling(self, part: str) -> Iterator[None]:
        """What is inside tells how far it is with a part; nothing in it is cut into pieces where nobody listens."""
        with listening((lambda share: self.show(part, share, 1.0)) if self._heard else None):
            yield

    @contextmanager
    def shown(self) -> Iterator[Pace]:
        """Show progress from a second on, until the end; what is inside tells of itself to nobody else."""
        with self._bar.shown():
            self._tell, self._heard = teller(), heard()
            with listening(None):
                yield self
            self._tell(1.0)
