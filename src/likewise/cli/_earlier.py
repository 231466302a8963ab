"""``likewise cluster --from``: going on from a model, with more hints."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..constraints import Constraints
from ..constraints._format import pluralize
from ..constraints._io import columns as columns_of
from ..constraints._io import read_known
from ..evaluation import constraint_accuracy
from ..front._evidence import align_labels
from ..models import SavedModel, load
from ..prepare import Rows

SHOWN_MOVES = 5
SHOWN_IDS = 4

COLUMNS = ("left", "right", "kind")

HINTS = "hints"
"""Where the meta data of a model file has the hints, as the columns of a file of hints."""


class Earlier(NamedTuple):
    """A model file that ``likewise cluster --model`` wrote."""

    path: Path
    saved: SavedModel

    @classmethod
    def read(cls, path: Path) -> Earlier:
        """Read it, if it can be gone on from."""
        saved = load(path)
        if saved.features is None or HINTS not in saved.meta or not hasattr(saved.model, "labels_"):
            raise ValueError(
                f"--from {path}: this model does not hold the hints it was made with. Those of `likewise cluster "
                "--model` do."
            )
        return cls(path, saved)

    @property
    def method(self) -> str:
        """The method that made it."""
        return str(self.saved.meta["method"])

    @property
    def seed(self) -> int:
        """The seed it was made with."""
        return int(self.saved.meta["seed"])

    def parameter(self, name: str) -> Any:
        """A parameter that it was made with; None if it has none of that name."""
        return self.saved.model.get_params(deep=False).get(name)

    def hints(self, rows: Rows, source: str) -> Constraints:
        """The hints it was made with, about the rows that are still there."""
        stored = self.saved.meta[HINTS]
        if not stored["left"]:
            return Constraints(len(rows))
        parts, gone = read_known(stored, rows.ids)
        if gone:
            warnings.warn(
                f"{gone:,} of the {pluralize(len(stored['left']), 'hint')} in {self.path} are about rows that {source} "
                "does not have. They are left out.",
                stacklevel=2,
            )
        return Constraints(*parts).restrict(range(len(rows)))

    def changes(self, rows: Rows, labels: Any, before: Constraints, after: Constraints) -> Changes:
        """What is different now."""
        new = np.asarray(labels, dtype=np.int64)
        old = np.asarray(self.saved.place(rows.X), dtype=np.int64)
        moved = np.flatnonzero(align_labels(new, old) != old)
        return Changes(
            path=self.path,
            before=_counts(before),
            after=_counts(after),
            kept_before=None if after.is_empty else constraint_accuracy(old, after),
            kept_after=None if after.is_empty else constraint_accuracy(new, after),
            old=old,
            new=new,
            moved=moved,
        )


class Changes(NamedTuple):
    """What is different from an earlier model.

    Attributes
    ----------
    path : Path
        Of the earlier model.
    before, after : dict of str to int
        How many pairs, comparisons and preferences the hints are.
    kept_before, kept_after : float or None
        The share of all hints, earlier and new ones, that the earlier and the new clusters keep.
    old, new : (n,) ints
        The clusters of all rows.
    moved : ints
        The rows in another cluster than before, whatever its number.
    """

    path: Path
    before: dict[str, int]
    after: dict[str, int]
    kept_before: float | None
    kept_after: float | None
    old: Any
    new: Any
    moved: Any

    def lines(self, ids: list[str]) -> Iterator[str]:
        """All of it, as text."""
        counts = (
            f"{pluralize(count - self.before[noun], f'more {noun}')} in hints ({self.before[noun]:,} before)"
            for noun, count in self.after.items()
            if count or noun == "pair"
        )
        more = ", ".join(counts)
        yield f"since {self.path}: {more}; {len(self.moved):,} of {pluralize(len(ids), 'row')} moved"
        if self.kept_before is not None:
            yield f"  of all hints, {self.kept_before:.0%} were kept before and {self.kept_after:.0%} are now"
        moves = Counter(zip(self.old[self.moved].tolist(), self.new[self.moved].tolist(), strict=True))
        for (old, new), count in moves.most_common(SHOWN_MOVES):
            rows = [ids[row] for row in self.moved if (self.old[row], self.new[row]) == (old, new)]
            listed = ", ".join(map(repr, rows[:SHOWN_IDS])) + (", …" if count > SHOWN_IDS else "")
            yield f"  cluster {old} → {new}: {pluralize(count, 'row')} ({listed})"
        if len(moves) > SHOWN_MOVES:
            yield f"  … {len(moves) - SHOWN_MOVES} more kinds of moves"


def _counts(constraints: Constraints) -> dict[str, int]:
    return {
        "pair": constraints.n_must_link + constraints.n_cannot_link,
        "comparison": len(constraints.comparisons),
        "preference": len(constraints.preferences),
    }


def stored_hints(constraints: Constraints, rows: Rows) -> dict[str, list[Any]]:
    """Hints as a model file keeps them."""
    return columns_of(constraints, rows.ids)
