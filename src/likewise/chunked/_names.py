"""Rows that have names in a column: which rows hints are about, where there are too many to hold all names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import Any

import numpy as np

from .._arrays import IntArray, is_missing, slices
from .._progress import stage
from ..constraints import Comparisons, Constraints, Partition, Preference
from ..constraints._io import names_in
from ._fold import LEAF, Chunked


class NamedRows(Chunked):
    """Rows that come leaf by leaf and have columns beside those of numbers.

    Attributes
    ----------
    key : str, optional
        The column that names rows.
    """

    key: str | None = None

    @abstractmethod
    def cells(self, column: str) -> Iterator[Any]:
        """The entries of one column, whatever they are, in their order, some at a time.

        Parameters
        ----------
        column : str

        Yields
        ------
        arrays
        """

    def ids(self) -> Iterator[Any]:
        """The keys of all rows, some at a time; their numbers where there is no column of keys.

        Yields
        ------
        lists
        """
        if self.key is None:
            for some in slices(self.shape[0], LEAF):
                yield list(range(some.start, some.stop))
            return
        for keys in self.cells(self.key):
            yield keys.tolist()

    def find(self, names: Iterable[Any]) -> dict[str, int]:
        """The numbers of rows by their keys, from one pass over the key column.

        Parameters
        ----------
        names : iterable
            Keys; numbers and text are compared as text.

        Returns
        -------
        dict of str to int

        Raises
        ------
        ValueError
            Where a key is not met, or met twice; the message lists them.
        """
        if self.key is None:
            raise ValueError(f"name the column of keys: {type(self).__name__}(..., key='id').")
        wanted = np.array(sorted({str(name) for name in names}))
        found: dict[str, int] = {}
        twice: dict[str, tuple[int, int]] = {}
        number, seen = 0, ""
        with stage("looking for the rows that hints name"):
            for keys in self.cells(self.key):
                text = np.asarray(keys).astype(str)
                if len(wanted):
                    near = np.minimum(np.searchsorted(wanted, text), len(wanted) - 1)
                    for row in np.flatnonzero(wanted[near] == text):
                        name = str(text[row])
                        if name in found:
                            twice.setdefault(name, (found[name], number + int(row)))
                        found.setdefault(name, number + int(row))
                number, seen = number + len(text), str(text[0]) if len(text) else seen
        if twice:
            lines = [f"{name!r} (rows {a:,} and {b:,})" for name, (a, b) in list(twice.items())[:5]]
            raise ValueError(f"{_several(len(twice), 'key')} met twice in {self.key!r}: {_listed(lines, len(twice))}.")
        missing = [name for name in wanted.tolist() if name not in found]
        if missing:
            listed = _listed([repr(name) for name in missing[:5]], len(missing))
            raise ValueError(
                f"{_several(len(missing), 'key')} not met in {self.key!r}: {listed}. A key that is there: {seen!r}."
            )
        return found

    def read_constraints(self, path: str | PathLike[str]) -> Constraints:
        """Hints from a file that names rows by their keys, or by their numbers where there is no key column.

        Parameters
        ----------
        path : path
            As for ``Constraints.read``.

        Returns
        -------
        Constraints
        """
        if self.key is None:
            return Constraints.read(path, n_samples=self.shape[0])
        found = self.find(names_in(path))
        rows = np.array(sorted(found.values()), dtype=np.int64)
        names = {row: name for name, row in found.items()}
        known = Constraints.read(path, ids=[names[int(row)] for row in rows])
        return _widened(known, rows, self.shape[0])

    def read_labels(self, column: str) -> Constraints:
        """Hints from a column of known classes.

        Parameters
        ----------
        column : str
            Text or numbers; empty, NaN or −1 where the class is not known.

        Returns
        -------
        Constraints
        """
        names: dict[str, int] = {}
        codes = np.full(self.shape[0], -1, dtype=np.int64)
        start = 0
        with stage(f"reading {column}"):
            for cells in self.cells(column):
                texts = [("" if is_missing(cell) else str(cell).strip()) for cell in cells.tolist()]
                known = [-1 if text in ("", "-1", "-1.0") else names.setdefault(text, len(names)) for text in texts]
                codes[start : start + len(known)] = known
                start += len(known)
        labels = [Partition(codes, different_across=True, names=list(names))] if names else []
        return Constraints(self.shape[0], partitions=labels)


def _widened(known: Constraints, rows: IntArray, n: int) -> Constraints:
    """Constraints on some rows, as constraints on all."""

    def everywhere(codes: IntArray) -> IntArray:
        wide = np.full(n, -1, dtype=np.int64)
        wide[rows] = codes
        return wide

    compared = known.comparisons
    return Constraints(
        n,
        rows[known.must_link],
        rows[known.cannot_link],
        known.must_weight,
        known.cannot_weight,
        [
            Partition(
                everywhere(part.codes),
                part.same_within,
                part.different_across,
                part.different_within,
                part.weight,
                part.names,
            )
            for part in known.partitions
        ],
        Comparisons(
            n,
            pairs=rows[np.hstack([compared.near, compared.far])],
            weight=compared.weight,
            unsure=rows[compared.unsure],
        ),
        [Preference(everywhere(each.better), everywhere(each.worse), each.weight) for each in known.preferences],
    )


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun} was" if count == 1 else f"{count:,} {noun}s were"


def _listed(some: Sequence[str], count: int) -> str:
    return ", ".join(some) + (f" and {count - len(some):,} more" if count > len(some) else "")
