"""What there is to say about hints: contradictions, groups, what follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._progress_legacy import tell
from ..constraints import Conflict, Constraints
from ..constraints._conflicts import tally
from ..constraints._wording import counted
from .reading import proof

SHOWN = 10
"""Groups and pairs that are printed, at most."""

MOST = 1_000_000
"""Pairs that are written out, at most."""


@dataclass(frozen=True)
class Findings:
    """What some hints come to.

    Attributes
    ----------
    told : Constraints
    n_conflicts : int
    conflicts : list of Conflict
        The first of them, with their proof.
    groups : list of arrays
        Rows that belong together, the largest group first.
    closed : Constraints or None
        All pairs that are said or follow (from those that do not contradict); None where they are too many.
    crowd : tuple of int or None
        Rows that all differ from each other and are more than ``k``.
    k : int or None
    """

    told: Constraints
    n_conflicts: int
    conflicts: list[Conflict]
    groups: list[Any]
    closed: Constraints | None
    crowd: tuple[int, ...] | None = None
    k: int | None = None

    @classmethod
    def of(cls, told: Constraints, k: int | None, most_conflicts: int) -> Self:
        """Look at hints."""
        codes = told.groups()
        n_conflicts, _ = tally(told, codes)
        tell(1, 4)
        sizes = np.bincount(codes, minlength=1)
        members = np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])
        large = [int(group) for group in np.argsort(-sizes, kind="stable") if sizes[group] > 1]
        kept = told.drop_conflicts()[0] if n_conflicts else told
        tell(2, 4)
        try:
            closed = kept.expand(MOST, closed=True)
        except ValueError:
            closed = None
        tell(3, 4)
        return cls(
            told,
            n_conflicts,
            told.conflicts(limit=most_conflicts),
            [members[group] for group in large],
            closed,
            None if k is None else told.clique(k),
            k,
        )

    @property
    def consistent(self) -> bool:
        """Whether nothing was found that no clustering can keep."""
        return self.n_conflicts == 0 and self.crowd is None

    @property
    def headline(self) -> str:
        """What there is, in a line."""
        touched = int(self.told.touched().sum())
        return f"{self.told.summary()}, about {touched:,} of {counted(self.told.n_samples, 'row')}"

    def fresh(self) -> list[tuple[int, int, bool]]:
        """Pairs that follow and that nobody stated: two rows, and whether they are the same."""
        if self.closed is None:
            return []
        stated = self.told.expand(MOST)
        found = []
        for same, pairs, known in (
            (True, self.closed.must_link, stated.must_link),
            (False, self.closed.cannot_link, stated.cannot_link),
        ):
            seen = set(map(tuple, known.tolist()))
            found += [(left, right, same) for left, right in pairs.tolist() if (left, right) not in seen]
        return found

    def lines(self, ids: Sequence[str]) -> Iterator[str]:
        """All of it, for a person."""
        yield f"\n{counted(self.n_conflicts, 'contradiction')}"
        for conflict in self.conflicts:
            first, second = (repr(ids[row]) for row in conflict.cannot_link)
            yield f"  {first} and {second} are said to differ, but {proof(conflict.chain, ids)}"
        yield from _more(self.n_conflicts - len(self.conflicts))
        if self.crowd is not None:
            yield f"\n{len(self.crowd)} rows all differ from each other, which {self.k} clusters cannot hold:"
            yield f"  {_listed(self.crowd, ids)}"
        yield f"\n{counted(len(self.groups), 'group')} of rows that belong together"
        for group in self.groups[:SHOWN]:
            yield f"  {len(group):,} rows: {_listed(group, ids)}"
        yield from _more(len(self.groups) - SHOWN)
        if self.closed is None:
            yield f"\nmore than {MOST:,} pairs follow from these hints: too many to write out"
            return
        fresh = self.fresh()
        yield f"\n{counted(len(fresh), 'pair')} that nobody stated but that follow" + (
            " from hints that do not contradict" if self.n_conflicts else ""
        )
        for left, right, same in fresh[:SHOWN]:
            yield f"  {ids[left]!r} and {ids[right]!r} are {'the same' if same else 'different'}"
        yield from _more(len(fresh) - SHOWN)

    def as_object(self, ids: Sequence[str]) -> dict[str, Any]:
        """All of it, for a machine."""

        def names(rows: Any) -> list[str]:
            return [ids[row] for row in rows]

        return {
            "rows": self.told.n_samples,
            "must_links": self.told.n_must_link,
            "cannot_links": self.told.n_cannot_link,
            "contradictions": self.n_conflicts,
            "proofs": [{"different": names(one.cannot_link), "same_by": names(one.chain)} for one in self.conflicts],
            "groups": [names(group) for group in self.groups],
            "entailed_must_links": None if self.closed is None else len(self.closed.must_link),
            "entailed_cannot_links": None if self.closed is None else len(self.closed.cannot_link),
            "all_different": None if self.crowd is None else names(self.crowd),
        }


def _more(count: int) -> Iterator[str]:
    if count > 0:
        yield f"  … {count:,} more"


def _listed(rows: Any, ids: Sequence[str], most: int = 8) -> str:
    names = [repr(ids[row]) for row in rows[:most]]
    return ", ".join(names) + (f", … ({len(rows) - most:,} more)" if len(rows) > most else "")
