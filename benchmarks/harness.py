"""What a row is: some work of ours, a named opponent's on the same data, and the bar it is held to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

Clock = Callable[[float, Any], float]
"""The seconds that count, from those on the wall and from what the work gave."""


class Skipped(Exception):
    """A row cannot run here; the message says why, and what to do."""


@dataclass(frozen=True)
class Verdict:
    """What a row says beside its times: some words, and whether what the bar asks ``also`` holds."""

    detail: str = ""
    also: bool = True


def wall(seconds: float, found: Any) -> float:
    """All the time that passed."""
    return seconds


@dataclass(frozen=True)
class Contest:
    """Two works on the same data, made ready.

    Attributes
    ----------
    ours, theirs : callables without arguments
        Only they are timed.
    judge : callable
        From what ours and theirs gave last to a :class:`Verdict`.
    ours_clock, theirs_clock : callables
        For work that is timed elsewhere, or by the iteration.
    """

    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    judge: Callable[[Any, Any], Verdict] = lambda ours, theirs: Verdict()
    ours_clock: Clock = wall
    theirs_clock: Clock = wall


@dataclass(frozen=True)
class Bar:
    """What is asked of a row. The words in the table and the judgment both come from here.

    Attributes
    ----------
    faster : float, optional
        The opponent takes at least so many times our time.
    slower : float, optional
        We take at most so many times the opponent's.
    seconds, gib : float, optional
        We take less than that.
    also : str
        What the row's own judge looks at.
    """

    faster: float | None = None
    slower: float | None = None
    seconds: float | None = None
    gib: float | None = None
    also: str = ""

    def __str__(self) -> str:
        parts = [
            f"≥ {self.faster:g}×" if self.faster is not None else "",
            f"≤ {self.slower:g}× its time" if self.slower is not None else "",
            f"< {self.seconds:g} s" if self.seconds is not None else "",
            f"< {self.gib:g} GiB" if self.gib is not None else "",
            self.also,
        ]
        return ", ".join(filter(None, parts))

    def met(self, ours: float, theirs: float, peak_gib: float, also: bool) -> bool | None:
        """Whether it is reached; None where nothing is asked."""
        if not str(self):
            return None
        return (
            also
            and (self.faster is None or theirs >= self.faster * ours)
            and (self.slower is None or ours <= self.slower * theirs)
            and (self.seconds is None or ours < self.seconds)
            and (self.gib is None or peak_gib < self.gib)
        )


@dataclass(frozen=True)
class Row:
    """A benchmark: ``prepare`` makes the data ready, at the sizes that are its defaults or at those of ``quick``."""

    name: str
    work: str
    opponent: str
    bar: Bar
    prepare: Callable[..., Contest]
    quick: Mapping[str, Any] = field(default_factory=dict)

    def contest(self, quick: bool) -> Contest:
        """The two works, tiny if ``quick``."""
        return self.prepare(**(self.quick if quick else {}))


ROWS: dict[str, Row] = {}


def row(
    name: str, work: str, opponent: str, bar: Bar | None = None, **quick: Any
) -> Callable[[Callable[..., Contest]], Callable[..., Contest]]:
    """Register a benchmark.

    ``work`` and ``opponent`` may name the parameters of the function, as in ``"{n:,} rows"``: they are written with
    their defaults, the sizes of the real run. ``quick`` holds the sizes of the tiny one.
    """

    def register(prepare: Callable[..., Contest]) -> Callable[..., Contest]:
        if name in ROWS:
            raise ValueError(f"there are two benchmarks called {name!r}. Rename one.")
        sizes = {key: parameter.default for key, parameter in signature(prepare).parameters.items()}
        ROWS[name] = Row(name, work.format(**sizes), opponent.format(**sizes), bar or Bar(), prepare, quick)
        return prepare

    return register
