"""Progress of long work: the code at work reports, and whoever observes shows it.

Work has *stages* with a name, and loops that are counted. Nothing is estimated here: a loop of known length says how
many of its items are done, an iteration that ends on convergence says how many steps it took, and everything else only
has a name. While nobody observes, reporting costs less than a microsecond.

    with observe(print):
        with stage("searching neighbors"):
            for block in track(blocks):
                ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class Progress:
    """What is being done, and how much of it.

    Attributes
    ----------
    stage : str
        What is being done; empty where nobody named it.
    done : int or None
        Items or steps that are done; None where nothing is counted.
    total : int or None
        How many there are; None where that is not known beforehand.
    """

    stage: str = ""
    done: int | None = None
    total: int | None = None


Callback = Callable[[Progress], None]


@dataclass(frozen=True)
class _Context:
    callback: Callback
    stage: str = ""
    counted: bool = False  # a loop further out counts: what is inside is a part of one of its items


_context: ContextVar[_Context | None] = ContextVar("likewise_progress", default=None)


@contextmanager
def observe(callback: Callback | None) -> Iterator[None]:
    """Call ``callback`` with a :class:`Progress` as the work inside goes on; None silences observers outside.

    Other threads and processes are not observed: report as their results come in.

    Examples
    --------
    >>> with observe(print):
    ...     with stage("counting"):
    ...         for _ in track("ab"):
    ...             pass
    Progress(stage='counting', done=None, total=None)
    Progress(stage='counting', done=0, total=2)
    Progress(stage='counting', done=1, total=2)
    Progress(stage='counting', done=2, total=2)
    Progress(stage='', done=None, total=None)
    """
    token = _context.set(None if callback is None else _Context(callback))
    try:
        yield
    finally:
        _context.reset(token)


def is_observed() -> bool:
    """Whether anybody observes."""
    return _context.get() is not None


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Name the work inside; afterward the name is again that of the stage outside.

    Inside a loop that is counted, names are not reported: the count says more.
    """
    context = _context.get()
    if context is None or context.counted:
        yield
        return
    token = _context.set(replace(context, stage=name))
    context.callback(Progress(name))
    try:
        yield
    finally:
        _context.reset(token)
        context.callback(Progress(context.stage))


def track(items: Iterable[Item], total: int | None = None) -> Iterator[Item]:
    """The items, reporting how many are done.

    Of nested loops the outermost is reported. A loop that is left early stops reporting.

    Parameters
    ----------
    items : iterable
    total : int, optional
        How many there are; by default ``len(items)`` where it has one.

    Examples
    --------
    >>> with observe(print):
    ...     for _ in track(iter([5])):
    ...         report(1, 10)  # inside a counted loop: not reported
    Progress(stage='', done=0, total=None)
    Progress(stage='', done=1, total=None)
    """
    context = _context.get()
    if context is None or context.counted:
        yield from items
        return
    if total is None and isinstance(items, Sized):
        total = len(items)
    context.callback(Progress(context.stage, 0, total))
    inner = replace(context, counted=True)
    iterator = iter(items)
    done = 0
    while True:
        # set and reset around each step: a generator shares the context of whoever drives it
        token = _context.set(inner)
        try:
            item = next(iterator)
        except StopIteration:
            _context.reset(token)
            return
        except BaseException:
            _context.reset(token)
            raise
        try:
            yield item
        finally:
            _context.reset(token)
        done += 1
        context.callback(Progress(context.stage, done, total))


def report(done: int, total: int | None = None) -> None:
    """Report a count: items done of ``total``, or steps of an iteration whose length is not known."""
    context = _context.get()
    if context is not None and not context.counted:
        context.callback(Progress(context.stage, done, total))
