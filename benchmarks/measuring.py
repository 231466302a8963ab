"""Timing our work and the opponent's alternately, so that disturbances affect both, and repeatedly if short."""

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
"""Work that takes at least this long is run once."""

SHORT_S = 1.0
"""Shorter work is run seven times, other work three times."""


def repeats_for(seconds: float) -> int:
    """The number of runs, given the seconds of the first one."""
    return 7 if seconds < SHORT_S else 3 if seconds < LONG_S else 1


def peak_gib() -> float:
    """Peak resident memory of this process so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30


def peak_beside(work: Callable[[], Any]) -> int:
    """Peak bytes that Python and numpy allocate while work runs, in addition to those allocated before."""
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


@contextmanager
def held_gib() -> Iterator[Callable[[], float]]:
    """Peak anonymous memory of this process within the context, in addition to that before; without pages of files.

    Sampled every 20 ms.
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
    """Reset the peak to the current memory, so that preparing the data does not count.

    If the system does not support this, it counts; the peak is never underestimated.
    """
    gc.collect()
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


@dataclass
class Runs:
    """The times of one work, and its last result."""

    work: Callable[[], Any]
    clock: Clock = wall
    seconds: list[float] = field(default_factory=list)
    found: Any = None
    wanted: int = 1

    def again(self) -> None:
        """Run it once more. The first run determines the number of repeats."""
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
    """The median time of ``work`` and its last result, for the details of a row."""
    runs = Runs(work)
    for _ in range(repeats):
        runs.again()
    return runs.median, runs.found


def measured(name: str, quick: bool = False) -> dict[str, Any]:
    """Run one row in this process, and return its measurements as plain data.

    Our peak is that of the data and our first run, before the opponent runs. Then both alternate. With ``quick``, each
    is run once.
    """
    warnings.simplefilter("ignore")  # results are checked by the judge
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
