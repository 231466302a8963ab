"""What is said to a person at a terminal, and to nobody else: results go to files and to standard output."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console

from .._progress import report, stage
from .._progress_bar import progress_bar

Show = Callable[[str, int, int | None], None]


class Talk:
    """Words on standard error, where that is a terminal; silence in a pipe.

    Parameters
    ----------
    quiet : bool
        Silence anyway.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._console = Console(stderr=True)
        self.heard = self._console.is_terminal and not quiet

    def say(self, text: str) -> None:
        """Say something."""
        if self.heard:
            self._console.print(text, markup=False, highlight=False)

    @contextmanager
    def progress(self, what: str = "") -> Iterator[Show]:
        """Show progress from a second on; what it gives reports a stage and its count."""
        with progress_bar(what, self.heard):

            def show(what: str, done: int, total: int | None) -> None:
                with stage(what):
                    report(done, total)

            yield show


def print_json(found: dict[str, Any]) -> None:
    """One object on standard output, for machines."""
    print(json.dumps(found, ensure_ascii=False))
