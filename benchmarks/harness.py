"""Definition of a row: our work, a named opponent's work on the same data, and the requirement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

Clock = Callable[[float, Any], float]
"""Computes the seconds that count from the elapsed seconds and the result of the work."""


class Skipped(Exception):
    """Raised if a row cannot run here; the message says why, and what to do."""


@dataclass(frozen=True)
class Verdict:
    """The details that a row reports besides its times, and whether the ``also`` part of its requirement holds."""

    detail: str = ""
    also: bool = True


def wall(seconds: float, found: Any) -> float:
    """The elapsed time."""
    return seconds


@dataclass(frozen=True)
class Contest:
    """Our work and the opponent's on the same data, ready to run.

    Attributes
    ----------
    ours, theirs : callables without arguments
        The works that are timed.
    judge : callable
        Returns a :class:`Verdict` on the last results of both.
    ours_clock, theirs_clock : callables
        For work that is timed elsewhere, or per iteration.
    """

    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    judge: Callable[[Any, Any], Verdict] = lambda ours, theirs: Verdict()
    ours_clock: Clock = wall
    theirs_clock: Clock = wall


@dataclass(frozen=True)
class Bar:
    """The requirement for a row; both its description in the table and the decision come from here.

    Attributes
    ----------
    faster : float, optional
        Minimum ratio of the opponent's time to ours.
    slower : float, optional
        Maximum ratio of our time to the opponent's.
    seconds, gib : float, optional
        Upper limits of our time and memory.
    also : str
        Description of what the row's own judge checks.
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
        """Whether the requirement is met; None if there is none."""
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
    """A benchmark: ``prepare`` creates the data, with its default sizes or with those of ``quick``."""

    name: str
    work: str
    opponent: str
    bar: Bar
    prepare: Callable[..., Contest]
    quick: Mapping[str, Any] = field(default_factory=dict)

    def contest(self, quick: bool) -> Contest:
        """Create the contest, with tiny data if ``quick``."""
        return self.prepare(**(self.quick if quick else {}))


ROWS: dict[str, Row] = {}


def row(
    name: str, work: str, opponent: str, bar: Bar | None = None, **quick: Any
) -> Callable[[Callable[..., Contest]], Callable[..., Contest]]:
    """Register a benchmark.

    ``work`` and ``opponent`` may refer to parameters of the function, as in ``"{n:,} rows"``; they are formatted with
    the defaults, which are the sizes of the full run. ``quick`` are the sizes of the quick run.
    """

    def register(prepare: Callable[..., Contest]) -> Callable[..., Contest]:
        if name in ROWS:
            raise ValueError(f"there are two benchmarks called {name!r}. Rename one.")
        sizes = {key: parameter.default for key, parameter in signature(prepare).parameters.items()}
        ROWS[name] = Row(name, work.format(**sizes), opponent.format(**sizes), bar or Bar(), prepare, quick)
        return prepare

    return register
