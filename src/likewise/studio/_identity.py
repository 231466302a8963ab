"""Which row an id of the log means, also when the data is not as it was."""

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
"""Bytes of the digest of a row."""


@dataclass
class Identity:
    """From ids to row numbers, and back.

    Attributes
    ----------
    ids : list of str
        Of the rows now.
    generation : int
        Of the data now.
    renumbered : dict of int to dict
        For earlier data whose rows were called by their numbers: the row that each of them is now.
    """

    ids: list[str]
    generation: int = 1
    renumbered: dict[int, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._row = {name: row for row, name in enumerate(self.ids)}

    def row(self, id: str, generation: int) -> int:
        """The row that has an id; −1 if it is not there any more."""
        if generation in self.renumbered:
            return self.renumbered[generation].get(id, -1)
        return self._row.get(id, -1)


@dataclass(frozen=True)
class DataChange:
    """How data differs from what it was at the last start."""

    rows_new: int
    rows_gone: int


def identify(log: EventLog, rows: Rows, about: dict[str, Any]) -> tuple[Identity, DataChange | None]:
    """Find out who the rows are, and keep it in the session if they are not who they were.

    Rows are known by their ids. Where they have none but their numbers, by what is in them: rows may then be added,
    removed and sorted without a hint being about another row.
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
    """Who the rows of a generation are, and where those of earlier ones are among them."""
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
    """The digest of each row, and which of those that are alike it is."""
    seen: dict[bytes, int] = {}
    found = []
    for start in range(0, len(digests), DIGEST):
        digest = digests[start : start + DIGEST]
        found.append((digest, seen.get(digest, 0)))
        seen[digest] = seen.get(digest, 0) + 1
    return found


def row_digests(rows: Rows) -> bytes:
    """A digest of what the file has in each row."""
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
