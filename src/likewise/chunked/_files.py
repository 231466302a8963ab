"""Rows in files: one NumPy, Parquet or Arrow file, or many that match a pattern, read leaf by leaf."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from .._leftovers import errors_about, temporary_folder
from .._progress import stage
from ..tables._limits import in_words
from ._fold import LEAF, Look, first_not_finite, stacked
from ._names import NamedRows
from ._parts import by_rows, opened


class RowFiles(NamedRows):
    """The rows of one file or of many, in the order of their names, as if they were one array.

    NumPy files (.npy) and Arrow files (.arrow, .feather) are mapped to memory, Parquet is read a batch at a time. All
    files have the same columns, of the same types. The first pass looks for values that are not finite, and each pass
    for files that were changed since they were opened.

    Parameters
    ----------
    paths : path, pattern or list of paths
        A pattern is such as ``"parts/*.parquet"``: the files that it matches, by name.
    columns : list of str, optional
        The columns to use, by their names; by their numbers in NumPy files. Default: all but ``key``.
    key : str, optional
        The column that names rows, for hints; NumPy files have none.

    Attributes
    ----------
    shape : (n, f)
    dtype : float32 where all values are, else float64
    columns : tuple of str
        Names of the columns; "0", "1", ... in NumPy files.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from pathlib import Path
    >>> from likewise.chunked import RowFiles
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in range(3):
    ...         np.save(Path(folder, f"part{part}.npy"), np.full((2, 4), float(part)))
    ...     RowFiles(Path(folder, "part*.npy")).shape
    (6, 4)
    """

    def __init__(
        self,
        paths: str | PathLike[str] | Sequence[str | PathLike[str]],
        *,
        columns: Sequence[str] | None = None,
        key: str | None = None,
    ) -> None:
        files = _files(paths)
        _check_kinds(files)
        if columns is not None:
            columns = [columns] if isinstance(columns, str) else [str(column) for column in columns]
        first = opened(files[0], columns, key)
        self.columns, self.key = first.columns, key
        if not self.columns:
            raise ValueError(f"{files[0]} has no columns of numbers.")
        self._parts = [first]
        for file in files[1:]:
            part = opened(file, self.columns, key)
            part.check_like(first)
            if columns is None:
                part.check_all_used(first)
            self._parts.append(part)
        starts = np.cumsum([0, *(part.n for part in self._parts)])
        self._starts = starts
        self.shape = int(starts[-1]), len(self.columns)
        self.dtype = np.dtype(first.dtype)
        self._finite = False
        self._named_by = self
        if not self.shape[0]:
            raise ValueError(f"{files[0]}{' and the others have' if len(files) > 1 else ' has'} no rows.")

    def leaves(self) -> Iterator[tuple[Any, int]]:
        """Each leaf of rows, and the number of its first; a leaf may lie in several files."""
        waiting: list[Any] = []
        held, first = 0, 0
        for part in self._parts:
            for rows in part.blocks():
                while len(rows):
                    wanted = LEAF - held
                    waiting.append(rows[:wanted])
                    held += len(waiting[-1])
                    rows = rows[wanted:]
                    if held == LEAF:
                        yield stacked(waiting), first
                        waiting, held, first = [], 0, first + LEAF
        if waiting:
            yield stacked(waiting), first

    def looks(self, look: Look) -> Iterator[Any]:
        """What is found in each leaf; the first time, its values are checked."""
        yield from super().looks(look)
        for part in self._parts:  # one that was changed after it was read last would not be noticed later
            part.check_unchanged()
        self._finite = True

    def _ready(self, rows: Any, first: int) -> Any:
        """A leaf by rows in memory, with finite values."""
        rows = by_rows(rows)
        if not self._finite and (wrong := first_not_finite(rows)) is not None:
            row, column, value = wrong
            where, number = self.place(first + row)
            raise ValueError(
                f"{where}, row {number:,} (counted from 0): {self.columns[column]!r} is {value}. Values must be "
                "finite: fill the cell, or leave the row out."
            )
        return rows

    def place(self, number: int) -> tuple[Path, int]:
        """The file of a row, and its number there.

        Parameters
        ----------
        number : int

        Returns
        -------
        path, number
        """
        part = int(np.searchsorted(self._starts, number, side="right")) - 1
        return self._parts[part].path, number - int(self._starts[part])

    def cells(self, column: str) -> Iterator[Any]:
        """The entries of one column, file by file."""
        for part in self._named_by._parts:
            yield from part.cells(column)

    @contextmanager
    def spooled(self, folder: str | PathLike[str] | None = None) -> Iterator[RowFiles]:
        """The same rows in one NumPy file, for several passes over Parquet; removed at the end.

        Parameters
        ----------
        folder : path, optional
            Where there is space for them. Default: the folder of the first file.

        Yields
        ------
        RowFiles
        """
        target = Path(folder) if folder is not None else self._parts[0].path.parent
        needed, free = self.shape[0] * self.shape[1] * self.dtype.itemsize, shutil.disk_usage(target).free
        if needed > 0.95 * free:
            raise OSError(
                f"{target} has {in_words(free)} left, and the rows take {in_words(needed)}. Name another folder, or "
                "read the files in each pass."
            )
        with temporary_folder(target) as spool:
            file = spool / "rows.npy"
            with stage("copying rows"), errors_about(target):
                self.map_to(file, lambda rows: rows)
            rows = RowFiles(file)
            rows.columns, rows.key, rows._finite, rows._named_by = self.columns, self.key, True, self._named_by
            yield rows


def _check_kinds(files: list[Path]) -> None:
    """Refuse arrays among tables: columns of arrays have no names."""
    arrays = [file for file in files if file.suffix.lower() == ".npy"]
    if arrays and len(arrays) < len(files):
        other = next(file for file in files if file not in arrays)
        raise ValueError(f"{arrays[0]} is an array, and {other} is not. Name files of one kind, such as '*.npy'.")


def _files(paths: Any) -> list[Path]:
    given = [paths] if isinstance(paths, str | PathLike) else list(paths)
    files: list[Path] = []
    for path in (str(fspath(each)) for each in given):
        found = sorted(glob(path, recursive=True)) if has_magic(path) and not Path(path).exists() else [path]
        if not found:
            raise FileNotFoundError(f"no file matches {path!r}.")
        files += [Path(file) for file in found]
    if not files:
        raise ValueError("no files were given.")
    return files
