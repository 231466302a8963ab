"""Messages and progress for a person at a terminal; results go to files and to standard output."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from typing import Any

from rich.console import Console

from .._progress_bar import progress_bar


class Messages:
    """Messages on standard error, if that is a terminal.

    Parameters
    ----------
    quiet : bool
        Show none.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._console = Console(stderr=True)
        self.visible = self._console.is_terminal and not quiet

    def show(self, text: str) -> None:
        """Show a line."""
        if self.visible:
            self._console.print(text, markup=False, highlight=False)

    def progress(self, title: str) -> AbstractContextManager[None]:
        """Show the progress of the work inside, if it takes more than a second."""
        return progress_bar(title, self.visible)


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    print(json.dumps(content, ensure_ascii=False))
