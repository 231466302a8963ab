"""Messages and progress on standard error; results go to files and to standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from rich.console import Console

from .._progress_bar import progress_bar

ERASE_LINE = "\r\x1b[K"


class Messages:
    """Messages on standard error; on a terminal also progress.

    Parameters
    ----------
    quiet : bool
        Whether to suppress all messages.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._console = Console(stderr=True)
        self.visible = not quiet
        self.on_terminal = self._console.is_terminal and not quiet

    def show(self, text: str) -> None:
        """Show a line."""
        if self.on_terminal:
            self._console.print(text, markup=False, highlight=False)
        elif self.visible:
            print(text, file=sys.stderr, flush=True)  # a log has no width

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Show that the program is starting, since the imports inside take seconds on a slow disk."""
        shown = self.on_terminal and sys.stderr.isatty()
        if shown:
            sys.stderr.write("likewise is starting …")
            sys.stderr.flush()
        try:
            yield
        finally:
            if shown:
                sys.stderr.write(ERASE_LINE)
                sys.stderr.flush()

    def progress(self, title: str) -> AbstractContextManager[None]:
        """Show the progress of the work inside on a terminal, if it takes more than a moment."""
        return progress_bar(title, self.on_terminal)


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    print(json.dumps(content, ensure_ascii=False))
