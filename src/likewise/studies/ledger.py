"""What was measured, one line a value, safe to be killed at any moment."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .._atomic import atomic_write_text
from .results import Results

HEADER = "cell,seed,value\n"


class Ledger:
    """A CSV file of ``cell, seed, value`` that only grows.

    Lines are appended by one write each time and flushed to the disk; a last line that was cut short by a crash is
    removed when the file is next opened.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.path.exists():
            self.path.write_text(HEADER, encoding="utf-8")
        self._mend()

    def read(self) -> Results:
        """Everything recorded so far; a later value of the same cell and seed counts."""
        found: dict[str, dict[int, float]] = {}
        lines = self.path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines[1:], 2):
            try:
                cell, seed, value = line.rsplit(",", 2)
                found.setdefault(cell, {})[int(seed)] = float(value)
            except ValueError:
                raise ValueError(f"{self.path}, line {number} is not 'cell,seed,value': {line!r}. Remove it.") from None
        return Results(found)

    def append(self, seed: int, values: Iterable[tuple[str, float]]) -> None:
        """Record the values of some cells for one seed."""
        text = "".join(f"{cell},{seed},{value:.6g}\n" for cell, value in values)
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(handle, text.encode())
            os.fsync(handle)
        finally:
            os.close(handle)

    def tidy(self) -> None:
        """Sort the file and drop values that later ones replaced, so that two runs of the same work are equal files."""
        found = self.read()
        text = HEADER + "".join(
            f"{cell},{seed},{value:.6g}\n" for cell in sorted(found) for seed, value in sorted(found[cell].items())
        )
        if text != self.path.read_text(encoding="utf-8"):
            with atomic_write_text(self.path) as file:
                file.write(text)

    def _mend(self) -> None:
        text = self.path.read_text(encoding="utf-8")
        if not text.startswith(HEADER):
            raise ValueError(f"{self.path} does not begin with 'cell,seed,value'. It is not a file of results.")
        if not text.endswith("\n"):
            with self.path.open("r+", encoding="utf-8") as file:
                file.truncate(len(text[: text.rindex("\n") + 1].encode()))
