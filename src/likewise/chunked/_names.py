"""Rows with a column of ids: finding the rows that hints refer to without holding all ids in memory."""

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
    """Rows that are read leaf by leaf, from a source with further columns, such as ids and labels.

    Attributes
    ----------
    key : str, optional
        The column with the ids of rows.
    """

    key: str | None = None

    @abstractmethod
    def cells(self, column: str) -> Iterator[Any]:
        """The values of a column of any type, in blocks.

        Parameters
        ----------
        column : str

        Yields
        ------
        arrays
        """

    def ids(self) -> Iterator[Any]:
        """The ids of all rows, in blocks; the row numbers if there is no key column.

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
        """Find rows by their ids, in one pass over the key column.

        Parameters
        ----------
        names : iterable
            The ids; they are compared as strings.

        Returns
        -------
        dict of str to int
            The row number of each id.

        Raises
        ------
        ValueError
            If ids are missing or not unique; the message lists them.
        """
        if self.key is None:
            raise ValueError(f"the column of ids is unknown. Pass it: {type(self).__name__}(..., key='id').")
        wanted = np.array(sorted({str(name) for name in names}))
        found: dict[str, int] = {}
        twice: dict[str, tuple[int, int]] = {}
        number, seen = 0, ""
        with stage("finding the rows of hints"):
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
            raise ValueError(
                f"{_count_and_verb(len(twice), 'id')} found twice in {self.key!r}: {_listed(lines, len(twice))}."
            )
        missing = [name for name in wanted.tolist() if name not in found]
        if missing:
            listed = _listed([repr(name) for name in missing[:5]], len(missing))
            raise ValueError(
                f"{_count_and_verb(len(missing), 'id')} not found in {self.key!r}: {listed}. Ids look like {seen!r}."
            )
        return found

    def read_constraints(self, path: str | PathLike[str]) -> Constraints:
        """Read hints from a file that refers to rows by their ids, or by their numbers if there is no key column.

        Parameters
        ----------
        path : path
            In the format of ``Constraints.read``.

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
        return _on_all_rows(known, rows, self.shape[0])

    def read_labels(self, column: str) -> Constraints:
        """Read hints from a column of known classes.

        Parameters
        ----------
        column : str
            Strings or numbers; empty, NaN or −1 if the class is unknown.

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


def _on_all_rows(known: Constraints, rows: IntArray, n: int) -> Constraints:
    """Convert constraints on the given rows to constraints on all n rows."""

    def on_all_rows(codes: IntArray) -> IntArray:
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
                on_all_rows(part.codes),
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
        [Preference(on_all_rows(each.better), on_all_rows(each.worse), each.weight) for each in known.preferences],
    )


def _count_and_verb(count: int, noun: str) -> str:
    return f"{count:,} {noun} was" if count == 1 else f"{count:,} {noun}s were"


def _listed(some: Sequence[str], count: int) -> str:
    return ", ".join(some) + (f" and {count - len(some):,} more" if count > len(some) else "")
