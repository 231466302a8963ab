"""``likewise cluster --from``: continue from a model with more hints."""

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
"""The key of the hints in the metadata of a model file, stored as the columns of a hints file."""


class Earlier(NamedTuple):
    """A model file that ``likewise cluster --model`` wrote."""

    path: Path
    saved: SavedModel

    @classmethod
    def read(cls, path: Path) -> Earlier:
        """Read a model file; raises an error if it has no hints."""
        saved = load(path)
        if saved.features is None or HINTS not in saved.meta or not hasattr(saved.model, "labels_"):
            raise ValueError(
                f"--from {path}: this model was saved without its hints. Use a model saved by `likewise cluster "
                "--model`."
            )
        return cls(path, saved)

    @property
    def method(self) -> str:
        """The name of the method."""
        return str(self.saved.meta["method"])

    @property
    def seed(self) -> int:
        """The random seed."""
        return int(self.saved.meta["seed"])

    def parameter(self, name: str) -> Any:
        """The value of a parameter; None if there is none of that name."""
        return self.saved.model.get_params(deep=False).get(name)

    def hints(self, rows: Rows, source: str) -> Constraints:
        """The hints of the model, restricted to rows that still exist."""
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
        """The changes since this model."""
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
    """The changes since an earlier model.

    Attributes
    ----------
    path : Path
        Of the earlier model.
    before, after : dict of str to int
        Numbers of pairs, comparisons and preferences.
    kept_before, kept_after : float or None
        The share of all hints, old and new, that the earlier and the new clusters satisfy.
    old, new : (n,) ints
        The clusters of all rows.
    moved : ints
        The rows that are in another cluster than before, after matching clusters.
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
    """Hints in the format of a model file."""
    return columns_of(constraints, rows.ids)
