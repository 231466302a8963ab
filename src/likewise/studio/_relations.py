"""The incremental closure of hints about pairs: groups, differences between groups, and contradictions."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import pairwise

Row = Hashable
"""A row, or a block of a partition, which is a node that rows are linked to."""


@dataclass(frozen=True)
class Contradiction:
    """A hint that two rows are different, and the chain of hints that implies that they are the same.

    Attributes
    ----------
    different : str
        The id of the hint that they are different.
    rows : tuple
        The path from one of the two rows to the other.
    chain : tuple of str
        The ids of the hints between consecutive rows.
    """

    different: str
    rows: tuple[Row, ...]
    chain: tuple[str, ...]


class Relations:
    """Groups of must-linked rows, and which groups are known to be different.

    Adding a hint takes time proportional to the smaller group. To remove hints, create new relations from the others.

    Examples
    --------
    >>> known = Relations()
    >>> known.add("1.0", 3, 8, True), known.add("2.0", 8, 17, True)
    (None, None)
    >>> known.relation(3, 17), known.relation(3, 4)
    (1, 0)
    >>> known.add("3.0", 17, 3, False)
    Contradiction(different='3.0', rows=(17, 8, 3), chain=('2.0', '1.0'))
    """

    def __init__(self) -> None:
        self._group: dict[Row, int] = {}
        self._members: dict[int, list[Row]] = {}
        self._links: dict[Row, dict[Row, str]] = {}
        self._apart: dict[int, dict[int, list[str]]] = {}
        self._ends: dict[str, tuple[Row, Row]] = {}
        self._inside: dict[str, None] = {}  # hints that two rows of the same group are different

    def _group_of(self, row: Row) -> int:
        if row not in self._group:
            number = len(self._group)
            self._group[row] = number
            self._members[number] = [row]
            self._apart[number] = {}
        return self._group[row]

    def add(self, id: str, left: Row, right: Row, same: bool) -> Contradiction | None:
        """Add a hint; returns the contradiction that it causes, or None."""
        a, b = self._group_of(left), self._group_of(right)
        if not same:
            self._ends[id] = (left, right)
            if a == b:
                self._inside[id] = None
                return self._contradiction(id)
            self._set_apart(a, b, [id])
            return None
        self._links.setdefault(left, {}).setdefault(right, id)
        self._links.setdefault(right, {}).setdefault(left, id)
        if a == b:
            return None
        broken = self._apart[a].get(b, [])
        self._merge(a, b)
        self._inside.update(dict.fromkeys(broken))
        return self._contradiction(broken[0]) if broken else None

    def _merge(self, a: int, b: int) -> None:
        if len(self._members[a]) + len(self._apart[a]) < len(self._members[b]) + len(self._apart[b]):
            a, b = b, a
        for row in self._members[b]:
            self._group[row] = a
        self._members[a] += self._members.pop(b)
        for other, ids in self._apart.pop(b).items():
            del self._apart[other][b]
            if other != a:
                self._set_apart(a, other, ids)

    def _set_apart(self, a: int, b: int, ids: list[str]) -> None:
        """Record that two groups are different; both share one list of hints."""
        known = self._apart[a].get(b)
        if known is None:
            self._apart[a][b] = self._apart[b][a] = ids
        else:
            known += ids

    def relation(self, left: Row, right: Row) -> int:
        """1 if two rows are known to be the same, −1 if different, 0 if neither."""
        a, b = self._group.get(left), self._group.get(right)
        if left == right or (a is not None and a == b):
            return 1
        return -1 if a is not None and b is not None and b in self._apart[a] else 0

    def mates(self, row: Row) -> list[Row]:
        """The rows known to be the same as a row, including itself."""
        return list(self._members[self._group[row]]) if row in self._group else [row]

    def contradictions(self) -> list[Contradiction]:
        """All contradictions, in the order of their "different" hints."""
        return [self._contradiction(id) for id in self._inside]

    @property
    def n_contradictions(self) -> int:
        """The number of contradictions."""
        return len(self._inside)

    def _contradiction(self, id: str) -> Contradiction:
        left, right = self._ends[id]
        rows = self._path(left, right)
        return Contradiction(id, rows, tuple(self._links[one][other] for one, other in pairwise(rows)))

    def _path(self, start: Row, end: Row) -> tuple[Row, ...]:
        """A shortest chain of must-links."""
        before: dict[Row, Row | None] = {start: None}
        waiting: deque[Row] = deque([start])
        while waiting and end not in before:
            row = waiting.popleft()
            for other in self._links.get(row, ()):
                if other not in before:
                    before[other] = row
                    waiting.append(other)
        path: list[Row] = []
        row_: Row | None = end
        while row_ is not None:
            path.append(row_)
            row_ = before[row_]
        return tuple(reversed(path))


def relations_of(hints: Iterable[tuple[str, Row, Row, bool]]) -> Relations:
    """The relations of hints, given as id, two rows, and whether they are the same."""
    known = Relations()
    for id, left, right, same in hints:
        known.add(id, left, right, same)
    return known
