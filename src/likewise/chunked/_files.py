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
from ._parts import in_c_order, opened


class RowFiles(NamedRows):
    """The rows of one or several files, in the order of their names, concatenated.

    NumPy files (.npy) and Arrow files (.arrow, .feather) are memory-mapped; Parquet files are read in batches. All
    files must have the same columns, with the same types. The first pass checks that values are finite, and each pass
    that files have not changed since they were opened.

    Parameters
    ----------
    paths : path, pattern or list of paths
        A glob pattern, such as ``"parts/*.parquet"``, stands for the files that match it, sorted by name.
    columns : list of str, optional
        The names of the columns to use; their numbers in NumPy files. By default all except ``key``.
    key : str, optional
        The column with the ids of rows, which hints refer to. Not available in NumPy files.

    Attributes
    ----------
    shape : (n, f)
    dtype : float32 if all columns are, otherwise float64
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
        """The rows of each leaf, and the number of its first row; a leaf may span several files."""
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
        """Apply a function to each leaf; the first pass checks that values are finite."""
        yield from super().looks(look)
        for part in self._parts:  # one that was changed after its last block was read
            part.check_unchanged()
        self._finite = True

    def _ready(self, rows: Any, first: int) -> Any:
        """A leaf as a C-contiguous array with finite values."""
        rows = in_c_order(rows)
        if not self._finite and (wrong := first_not_finite(rows)) is not None:
            row, column, value = wrong
            where, number = self.place(first + row)
            raise ValueError(
                f"{where}, row {number:,} (counted from 0): {self.columns[column]!r} is {value}. Values must be "
                "finite: impute the value, or remove the row."
            )
        return rows

    def place(self, number: int) -> tuple[Path, int]:
        """The file of a row, and the number of the row in this file.

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
        """The values of a column, file by file."""
        for part in self._named_by._parts:
            yield from part.cells(column)

    @contextmanager
    def spooled(self, folder: str | PathLike[str] | None = None) -> Iterator[RowFiles]:
        """Copy the rows to a temporary NumPy file, which is faster to read several times than Parquet.

        Parameters
        ----------
        folder : path, optional
            The folder for the temporary file. By default the folder of the first file.

        Yields
        ------
        RowFiles
        """
        target = Path(folder) if folder is not None else self._parts[0].path.parent
        needed, free = self.shape[0] * self.shape[1] * self.dtype.itemsize, shutil.disk_usage(target).free
        if needed > 0.95 * free:
            raise OSError(
                f"{target} has {in_words(free)} left, and the rows take {in_words(needed)}. Use another folder, or "
                "read the original files in each pass."
            )
        with temporary_folder(target) as spool:
            file = spool / "rows.npy"
            with stage("copying rows"), errors_about(target):
                self.map_to(file, lambda rows: rows)
            rows = RowFiles(file)
            rows.columns, rows.key, rows._finite, rows._named_by = self.columns, self.key, True, self._named_by
            yield rows


def _check_kinds(files: list[Path]) -> None:
    """Raise an error if NumPy files, whose columns have no names, are mixed with tables."""
    arrays = [file for file in files if file.suffix.lower() == ".npy"]
    if arrays and len(arrays) < len(files):
        other = next(file for file in files if file not in arrays)
        raise ValueError(f"{arrays[0]} is an array, and {other} is not. Pass files of one type, such as '*.npy'.")


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
