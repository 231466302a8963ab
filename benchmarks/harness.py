"""What a row is, and how it is measured."""

from __future__ import annotations

import gc
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field


@dataclass
class Result:
    """One row of the table. Times in seconds; ``ratio`` is opponent / ours (larger is better for us)."""

    ours: float
    opponent: float
    detail: str = ""
    met: bool | None = None
    peak_gib: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        return self.opponent / self.ours


@dataclass(frozen=True)
class Row:
    name: str
    work: str
    opponent: str
    bar: str
    run: Callable[[], Result]


ROWS: dict[str, Row] = {}


def row(name: str, work: str, opponent: str, bar: str) -> Callable[[Callable[[], Result]], Callable[[], Result]]:
    """Register a benchmark."""

    def register(run: Callable[[], Result]) -> Callable[[], Result]:
        ROWS[name] = Row(name, work, opponent, bar, run)
        return run

    return register


def timed(work: Callable[[], object], repeats: int = 3) -> tuple[float, object]:
    """The median time of ``work`` and its last result."""
    times, result = [], None
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return statistics.median(times), result


def peak_gib() -> float:
    """Largest resident memory of this process so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30


def measured(name: str) -> dict[str, object]:
    """Run one row here; its result as plain data."""
    result = ROWS[name].run()
    result.peak_gib = result.peak_gib or peak_gib()
    met = None if result.met is None else bool(result.met)
    return {**asdict(result), "ratio": result.ratio, "met": met}
