"""Measured values in a file, one per line, robust to being killed at any time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .._atomic import atomic_write_text
from .._leftovers import wait_for
from ._results import Results

HEADER = "cell,seed,value\n"


class Ledger:
    """A CSV file of ``cell, seed, value`` to which results are appended as they come.

    Values are on disk when :meth:`append` returns; if it fails (such as on a full disk), the file is unchanged. An
    incomplete last line, after a crash, is removed when the file is opened again.

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
        self._check()

    def read(self) -> Results:
        """Read all results.

        Returns
        -------
        Results
            Of several values for one cell and seed, the last.
        """
        found: dict[str, dict[int, float]] = {}
        whole = self.path.read_bytes().rpartition(b"\n")[0]  # another process may be writing the last line
        for number, line in enumerate(whole.decode(errors="replace").splitlines()[1:], 2):
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
        with self._opened() as handle:
            length = _cut_partial_line(handle)
            try:
                while rest:
                    rest = rest[os.write(handle, rest) :]  # a disk that fills up takes a part without an error
                os.fsync(handle)
            except BaseException:
                with suppress(OSError):  # else the next append cuts the piece off
                    os.ftruncate(handle, length)
                raise

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

    def _check(self) -> None:
        with self._opened() as handle:
            if os.read(handle, len(HEADER)) != HEADER.encode():
                raise ValueError(f"{self.path} does not begin with 'cell,seed,value'. It is not a file of results.")
            _cut_partial_line(handle)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """A handle that no other process has at the time; an error names the file."""
        handle = None
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND)
            wait_for(handle)
            yield handle
        except OSError as error:
            if error.errno is None:
                raise
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        finally:
            if handle is not None:
                os.close(handle)


def _cut_partial_line(handle: int) -> int:
    """Remove a last line without an end, which a crash or a full disk cut short; returns the length that is left."""
    length = os.fstat(handle).st_size
    end = length
    while end and os.lseek(handle, end - 1, os.SEEK_SET) >= 0 and os.read(handle, 1) != b"\n":
        end -= 1
    if end < length:
        os.ftruncate(handle, end)
    return end


def _line(cell: str, seed: int, value: float) -> str:
    return f"{cell},{seed},{value:.6g}\n"
