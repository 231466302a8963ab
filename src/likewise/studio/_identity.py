"""Mapping of ids in the log to rows, also after the data has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

from ..prepare import Rows
from ._log import EventLog

DIGEST = 8
"""Length of the digest of a row, in bytes."""


@dataclass
class Identity:
    """Mapping between ids and row numbers.

    Attributes
    ----------
    ids : list of str
        Ids of the current rows.
    generation : int
        Generation of the current data.
    renumbered : dict of int to dict
        For earlier data without ids: maps earlier row numbers to current rows.
    """

    ids: list[str]
    generation: int = 1
    renumbered: dict[int, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._row = {name: row for row, name in enumerate(self.ids)}

    def row(self, id: str, generation: int) -> int:
        """The row with an id; −1 if it no longer exists."""
        if generation in self.renumbered:
            return self.renumbered[generation].get(id, -1)
        return self._row.get(id, -1)


@dataclass(frozen=True)
class DataChange:
    """The difference between the data now and at the last start."""

    rows_new: int
    rows_gone: int


def identify(log: EventLog, rows: Rows, about: dict[str, Any]) -> tuple[Identity, DataChange | None]:
    """Identify the rows, and add them to the session if the data has changed.

    Rows are identified by their ids or, without ids, by their content, so that rows can be added, removed and sorted,
    and hints still refer to the same rows.
    """
    numbered = rows.id_column is None and rows.images is None
    digests = row_digests(rows) if numbered else None
    earlier = log.generations()
    same = False
    change = None
    if earlier:
        last, described = earlier[-1]
        ids, stored = log.data(last)
        same = ids == rows.ids and stored == digests and described.get("id_column") == about.get("id_column")
        if not same:
            before = _keys(ids, stored)
            now = _keys(rows.ids, digests)
            change = DataChange(len(now - before), len(before - now))
    generation = earlier[-1][0] if same else log.add_data(about, rows.ids, digests)
    return read_identity(log, generation), change


def read_identity(log: EventLog, generation: int) -> Identity:
    """The identity of the rows of a generation, with the mapping from earlier generations."""
    ids, digests = log.data(generation)
    identity = Identity(ids, generation)
    if digests is not None:
        places = {digest: row for row, digest in enumerate(_numbered(digests))}
        for number, _ in log.generations():
            before, stored = log.data(number)
            if number != generation and stored is not None:
                identity.renumbered[number] = {
                    name: places[digest]
                    for name, digest in zip(before, _numbered(stored), strict=True)
                    if digest in places
                }
    return identity


def _keys(ids: Sequence[str], digests: bytes | None) -> set[Any]:
    return set(ids) if digests is None else set(_numbered(digests))


def _numbered(digests: bytes) -> list[tuple[bytes, int]]:
    """The digest of each row, and its number among rows with the same digest."""
    seen: dict[bytes, int] = {}
    found = []
    for start in range(0, len(digests), DIGEST):
        digest = digests[start : start + DIGEST]
        found.append((digest, seen.get(digest, 0)))
        seen[digest] = seen.get(digest, 0) + 1
    return found


def row_digests(rows: Rows) -> bytes:
    """The digests of the content of all rows, concatenated."""
    table = rows.table
    columns = [] if table is None else [list(cells) for cells in table.columns.values()]
    if rows.texts is not None:
        columns.append(rows.texts)
    matrix = None if table is None else table.matrix
    if matrix is None and not columns:
        matrix = rows.X
    parts: list[bytes] = []
    held = sparse.csr_array(matrix) if matrix is not None and sparse.issparse(matrix) else matrix
    for row in range(len(rows)):
        digest = blake2b(digest_size=DIGEST)
        for cells in columns:
            digest.update(repr(cells[row]).encode("utf-8", "surrogatepass"))
            digest.update(b"\0")
        if held is not None and sparse.issparse(held):
            part = slice(held.indptr[row], held.indptr[row + 1])
            digest.update(np.ascontiguousarray(held.indices[part]).tobytes())
            digest.update(np.ascontiguousarray(held.data[part]).tobytes())
        elif held is not None:
            digest.update(np.ascontiguousarray(held[row]).tobytes())
        parts.append(digest.digest())
    return b"".join(parts)
