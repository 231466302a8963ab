"""How far long work has come: the code at work tells it, and whoever listens shows it.

Code in a loop of known length says so and knows nothing of bars. What it tells is a share of *its* work; whoever calls
it decides what share of the whole that is (:func:`part`, :func:`each`). As long as nobody listens, telling costs less
than a microsecond.

    with listening(print):
        for start in each(range(10)):            # ten slices of the bar, one after the other
            falling = Fall(to=1e-6)              # in each, a quantity that falls toward its end
            while gain > 1e-6:
                falling.tell(gain)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import log
from typing import NamedTuple, TypeVar

Item = TypeVar("Item")
Hear = Callable[[float], None]
"""Is told the share done of the whole, from 0 to 1."""


class _Span(NamedTuple):
    """Who listens, and the slice of the whole that the work at hand is."""

    hear: Hear
    start: float
    stop: float

    def at(self, share: float) -> float:
        return self.start + share * (self.stop - self.start)


_span: ContextVar[_Span | None] = ContextVar("likewise._progress", default=None)


@contextmanager
def listening(hear: Hear | None) -> Iterator[None]:
    """Hear how far the work inside has come; None hears nothing, whoever listens outside.

    Other threads and processes are not heard: tell as their results come in.

    Examples
    --------
    >>> heard = []
    >>> with listening(heard.append):
    ...     for _ in each("ab"):
    ...         tell(1, 2)
    >>> heard
    [0.25, 0.5, 0.75, 1.0]
    """
    token = _span.set(None if hear is None else _Span(hear, 0.0, 1.0))
    try:
        yield
    finally:
        _span.reset(token)


def heard() -> bool:
    """Whether anybody listens: work may be cut into pieces for them that nobody else needs."""
    return _span.get() is not None


def tell(done: float, of: float = 1.0) -> None:
    """So much is done of the work at hand."""
    span = _span.get()
    if span is not None:
        span.hear(span.at(min(max(done / of, 0.0), 1.0) if of > 0 else 1.0))


def teller() -> Callable[[float], None]:
    """What tells the share done of the work at hand, from anywhere: other threads, and where nobody else is heard."""
    span = _span.get()
    return (lambda share: None) if span is None else (lambda share: span.hear(span.at(share)))


@contextmanager
def part(start: float, stop: float) -> Iterator[None]:
    """What is told inside counts from ``start`` to ``stop`` of the work at hand; a block that ends well is done.

    Examples
    --------
    >>> with listening(print):
    ...     with part(0, 0.8):
    ...         tell(3, 4)
    ...     tell(1)
    0.6...
    0.8
    1.0
    """
    span = _span.get()
    if span is None:
        yield
        return
    inner = _Span(span.hear, span.at(start), span.at(stop))
    _span.set(inner)
    try:
        yield
    finally:
        _span.set(span)
    span.hear(inner.stop)


def each(items: Iterable[Item], of: int | None = None) -> Iterator[Item]:
    """The items, each with an equal slice of the work at hand: making it, where it is made only now, and using it.

    Parameters
    ----------
    items : iterable
    of : int, optional
        How many there are, where ``items`` has no length.
    """
    if _span.get() is None:
        yield from items
        return
    count = len(items) if of is None and isinstance(items, Sequence) else of
    if count is None:
        raise TypeError(f"each() needs the number of items: of={of!r} of {type(items).__name__}.")
    rest = iter(items)
    for number in range(count):
        with part(number / count, (number + 1) / count):
            try:
                item = next(rest)
            except StopIteration:
                return
            yield item


class Fall:
    """Work that ends when a quantity has fallen to ``to``: it falls by about the same factor at every step.

    So the share done is how far its logarithm has come. A quantity that rises again takes nothing back. What falls may
    be a ``slice`` of the work at hand.

    Examples
    --------
    >>> with listening(print):
    ...     falling = Fall(to=1e-4)
    ...     for residual in (1.0, 1e-1, 1e-2, 1e-1, 1e-4):
    ...         falling.tell(residual)
    0.0
    0.25
    0.5
    0.5
    1.0
    """

    def __init__(self, to: float, slice: tuple[float, float] = (0.0, 1.0)) -> None:
        self._to, self._slice = to, slice
        self._first: float | None = None
        self._share = 0.0

    def tell(self, value: float) -> None:
        """The quantity is ``value`` now."""
        if _span.get() is None:
            return
        if self._first is None and value > self._to:
            self._first = value
        if value <= self._to:
            self._share = 1.0
        elif self._first is not None:
            self._share = max(self._share, log(self._first / value) / log(self._first / self._to))
        start, stop = self._slice
        tell(start + self._share * (stop - start))
