"""How long a single call will take, for those who wait: no loop in it could tell how far it is.

The call is first made on a sample of its matrix, which says how fast it goes here and now. Then a clock tells: time
spent ÷ time expected. It can do so only while the call leaves Python's lock alone, as NumPy's linear algebra does and
most of SciPy's does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from ._progress_legacy import heard, listening, tell, teller

Result = TypeVar("Result")

TICK = 0.1
"""Seconds between two words of the clock."""

STRAIGHT = 0.9
"""The share up to which the clock is believed; beyond, the call is late, and the clock slows down."""

STEPS = (4, 4)
"""Of the rows and columns of a matrix, every fourth is in the sample."""

LEAST = 120
"""Rows and columns that the sample keeps, where there are so many."""

WORTH = 8.0
"""A call is tried on a sample if that costs at most one part in so many."""


@contextmanager
def expected(seconds: float) -> Iterator[None]:
    """What is inside takes about so many seconds, and cannot tell how far it is: a clock does.

    A block that takes longer gets ever closer to its end and never claims it; one that ends well is done. Where nobody
    listens there is no clock.

    Examples
    --------
    >>> from likewise._progress_legacy import listening
    >>> with listening(print), expected(20.0):
    ...     total = sum(range(1000))
    1.0
    """
    if not heard():
        yield
        return
    told, over, start = teller(), Event(), perf_counter()

    def go() -> None:
        while not over.wait(TICK):
            told(share_done(perf_counter() - start, seconds))

    clock = Thread(target=go, daemon=True)
    clock.start()
    try:
        yield
    finally:
        over.set()
        clock.join()
    tell(1)


def share_done(spent: float, expected: float) -> float:
    """The share done after so many seconds, of so many expected; below 1, however late it is.

    >>> [round(share_done(spent, 10), 3) for spent in (1, 9, 10, 20, 1000)]
    [0.1, 0.9, 0.91, 0.955, 0.999]
    """
    late = spent > STRAIGHT * expected
    return 1 - STRAIGHT * (1 - STRAIGHT) * expected / spent if late else spent / expected


def cubic(matrix: Any) -> float:
    """What a decomposition of a matrix costs: its entries times its shorter side."""
    rows, columns = matrix.shape
    return float(rows * columns * min(rows, columns))


def foreseen(
    work: Callable[..., Result],
    *matrices: Any,
    cost: Callable[[Any], float] = cubic,
    steps: tuple[int, int] = STEPS,
) -> Result:
    """``work(*matrices)``; where somebody listens, it is first tried on a sample, and its time is foretold from that.

    Parameters
    ----------
    work : callable
        One long call. What it answers on the sample is thrown away.
    *matrices : (n, f) arrays or CSR matrices
        All of one shape.
    cost : callable
        What work on a matrix like the first of them costs, in any unit.
    steps : (int, int)
        Every so many rows, and every so many columns, are in the sample.

    Examples
    --------
    >>> import numpy as np
    >>> values, vectors = foreseen(np.linalg.eigh, np.diag([3.0, 1.0, 2.0]))
    >>> values.tolist()
    [1.0, 2.0, 3.0]
    """
    if not heard():
        return work(*matrices)
    rows, columns = (max(1, min(step, side // LEAST)) for step, side in zip(steps, matrices[0].shape, strict=True))
    sample = [matrix[::rows, ::columns] for matrix in matrices]
    if cost(matrices[0]) <= WORTH * cost(sample[0]):
        return work(*matrices)
    alone, together = _tried(work, sample)
    # Threads that wait for a busy core cost a moment a column, whatever the column's length.
    waiting = max(together - alone, 0.0) * columns
    with expected(cost(matrices[0]) / cost(sample[0]) * min(alone, together) + waiting):
        return work(*matrices)


def _tried(work: Callable[..., Any], sample: list[Any]) -> tuple[float, float]:
    """Seconds for the sample on one thread, and on as many as there are."""
    from threadpoolctl import threadpool_limits

    def seconds() -> float:
        start = perf_counter()
        work(*sample)
        return perf_counter() - start

    with listening(None), np.errstate(all="ignore"):  # a sample may be all zeros
        with threadpool_limits(1):
            alone = seconds()
        return alone, seconds()
