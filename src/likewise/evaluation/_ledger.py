"""Measured values in a file, one line a value, safe to be killed at any moment."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .._atomic import atomic_write_text
from ._results import Results

HEADER = "cell,seed,value\n"


class Ledger:
    """A CSV file of ``cell, seed, value`` to which results are appended as they come.

    What :meth:`append` has written is on the disk when it returns; if it fails (a full disk), the file is as it was.
    A last line that was cut short by a crash is removed when the file is next opened.

    Parameters
    ----------
    path : str or Path
        It is created if it does not exist or is empty.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.path.exists() or self.path.stat().st_size == 0:
            self._write(HEADER)
        self._remove_partial_line()

    def read(self) -> Results:
        """Read all results.

        Returns
        -------
        Results
            Of several values for one cell and seed, the last.
        """
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
        """Append the values of some cells for one seed.

        Parameters
        ----------
        seed : int
        values : iterable of (cell, value)
        """
        rest = memoryview("".join(_line(cell, seed, value) for cell, value in values).encode())
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        length = os.fstat(handle).st_size
        try:
            while rest:
                rest = rest[os.write(handle, rest) :]  # a disk that fills up takes a part without an error
            os.fsync(handle)
        except BaseException:
            os.ftruncate(handle, length)
            raise
        finally:
            os.close(handle)

    def tidy(self) -> None:
        """Sort the file and drop replaced values, so that two runs of the same work give equal files."""
        found = self.read()
        text = HEADER + "".join(
            _line(cell, seed, value) for cell in sorted(found) for seed, value in sorted(found[cell].items())
        )
        if text != self.path.read_text(encoding="utf-8"):
            self._write(text)

    def _write(self, text: str) -> None:
        with atomic_write_text(self.path) as file:
            file.write(text)

    def _remove_partial_line(self) -> None:
        text = self.path.read_text(encoding="utf-8")
        if not text.startswith(HEADER):
            raise ValueError(f"{self.path} does not begin with 'cell,seed,value'. It is not a file of results.")
        if not text.endswith("\n"):
            with self.path.open("r+", encoding="utf-8") as file:
                file.truncate(len(text[: text.rindex("\n") + 1].encode()))


def _line(cell: str, seed: int, value: float) -> str:
    return f"{cell},{seed},{value:.6g}\n"
