"""Single keys of a terminal, also those pressed while something else was done."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

ESCAPE = 0x1B

AT_ONCE_S = 0.02
"""The bytes of one key, such as an arrow, come within this time."""


@contextmanager
def single_keys() -> Iterator[Callable[[], str]]:
    """A function that waits for the next key. Inside, keys are not echoed, and none that comes early is lost.

    Ctrl-C is a ``KeyboardInterrupt`` at any time.
    """
    try:
        import termios
        import tty
    except ImportError:  # Windows
        yield click.getchar
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def set_mode(*_: Any) -> None:
        tty.setcbreak(terminal, termios.TCSADRAIN)  # which keeps what was typed so far

    set_mode()
    continued = signal.signal(signal.SIGCONT, set_mode)  # the shell has changed it
    try:
        with _signal_pipe() as signals:
            yield lambda: _next_key(terminal, signals)
    finally:
        signal.signal(signal.SIGCONT, continued)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


@contextmanager
def _signal_pipe() -> Iterator[int]:
    """A file descriptor that is ready to be read once a signal came.

    Python runs a signal's handler between two of its instructions. A Ctrl-C that comes just before ``os.read`` blocks
    would wait there for the next key.
    """
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(before)
        os.close(reading)
        os.close(writing)


def _next_key(terminal: int, signals: int) -> str:
    """A character, or all of an escape sequence; Ctrl-D at the end of input."""
    ready: list[int] = []
    while terminal not in ready:
        ready, _, _ = select.select([terminal, signals], [], [])
        if signals in ready:
            os.read(signals, 4096)
    key = os.read(terminal, 1)
    if not key:
        return "\x04"
    while (key[0] == ESCAPE or key[0] >= 0x80) and len(key) < 8:
        ready, _, _ = select.select([terminal], [], [], AT_ONCE_S)
        if not ready or _is_character(key):
            break
        key += os.read(terminal, 1)
    return key.decode(errors="replace")


def _is_character(key: bytes) -> bool:
    try:
        return len(key.decode()) == 1 and key[0] != ESCAPE
    except UnicodeDecodeError:
        return False
