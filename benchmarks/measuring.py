"""How two works are timed: in turn, so that a busy moment hits both, and as often as their length allows."""

from __future__ import annotations

import gc
import resource
import statistics
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any

from .harness import ROWS, Clock, wall

LONG_S = 20.0
"""Work of this length is done once."""

SHORT_S = 1.0
"""Shorter work is done seven times, all other three times."""


def repeats_for(seconds: float) -> int:
    """How often work is timed whose first run took so long."""
    return 7 if seconds < SHORT_S else 3 if seconds < LONG_S else 1


def peak_gib() -> float:
    """Largest resident memory of this process so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30


def peak_beside(work: Callable[[], Any]) -> int:
    """Bytes that Python and numpy hold at most while work goes on, beside what they hold already."""
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


@contextmanager
def held_gib() -> Iterator[Callable[[], float]]:
    """The most memory of its own that this process holds inside, beside what it held before, without pages of files.

    Looked at every 20 ms.
    """
    own, most, done = _own_bytes(), 0, Event()

    def look() -> None:
        nonlocal most
        while not done.wait(0.02):
            most = max(most, _own_bytes() - own)

    watching = Thread(target=look)
    watching.start()
    try:
        yield lambda: most / 2**30
    finally:
        done.set()
        watching.join()


def _own_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise OSError("this system does not tell a process's own memory from pages of files. Run it on Linux.")


def forget_peak() -> None:
    """Let the peak begin anew with what is held now, so that making the data does not count.

    Where the system cannot do that, it counts: the peak is never reported too small.
    """
    gc.collect()
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


@dataclass
class Runs:
    """The times of one work, and what it gave last."""

    work: Callable[[], Any]
    clock: Clock = wall
    seconds: list[float] = field(default_factory=list)
    found: Any = None
    wanted: int = 1

    def again(self) -> None:
        """Do it once more. The first run says how often it is worth doing."""
        self.found = None  # what it gave last must not count as memory it needs
        gc.collect()
        start = time.perf_counter()
        self.found = self.work()
        passed = time.perf_counter() - start
        self.seconds.append(self.clock(passed, self.found))
        if len(self.seconds) == 1:
            self.wanted = repeats_for(passed)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def timed(work: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """The median time of ``work`` and its last result; for what a row says in passing."""
    runs = Runs(work)
    for _ in range(repeats):
        runs.again()
    return runs.median, runs.found


def measured(name: str, quick: bool = False) -> dict[str, Any]:
    """Run one row here, and give what is known then as plain data.

    Our peak is that of the data and our first run, before the opponent has run at all. Then both take turns. ``quick``
    runs each once.
    """
    warnings.simplefilter("ignore")  # warnings are about answers; the judge says what is wrong with those
    row = ROWS[name]
    contest = row.contest(quick)
    ours, theirs = Runs(contest.ours, contest.ours_clock), Runs(contest.theirs, contest.theirs_clock)
    forget_peak()
    ours.again()
    peak = peak_gib()
    theirs.again()
    while not quick and (due := [runs for runs in (ours, theirs) if len(runs.seconds) < runs.wanted]):
        for runs in due:
            runs.again()
    verdict = contest.judge(ours.found, theirs.found)
    met = row.bar.met(ours.median, theirs.median, peak, bool(verdict.also))
    seconds = {"ours": ours.seconds, "theirs": theirs.seconds}
    return {**seconds, "peak_gib": peak, "met": met, "detail": verdict.detail}
