"""What an estimator was told, as one :class:`Constraints`."""

from __future__ import annotations

from typing import Any

from sklearn.utils import column_or_1d

from .constraints._constraints import Constraints


def as_constraints(n_samples: int, y: Any, constraints: Constraints | None) -> Constraints:
    """Partial labels and constraints, either or both or none, for the same rows.

    >>> as_constraints(3, [0, -1, 0], Constraints(3, cannot_link=[(0, 1)]))
    Constraints(3 rows: 1 cannot-link, 1 partition of 1 block over 2 rows)
    """
    hints = Constraints(n_samples)
    if y is not None:
        labels = Constraints.from_labels(column_or_1d(y, warn=True))
        hints = hints | _of(n_samples, labels, "y has labels")
    if constraints is not None:
        if not isinstance(constraints, Constraints):
            raise TypeError(
                f"constraints must be a likewise.Constraints, got {type(constraints).__name__}. "
                "Build one with Constraints(n_samples, must_link=..., cannot_link=...)."
            )
        hints = hints | _of(n_samples, constraints, "constraints were built")
    return hints


def _of(n_samples: int, hints: Constraints, subject: str) -> Constraints:
    if hints.n_samples != n_samples:
        raise ValueError(
            f"{subject} for {hints.n_samples} rows, X has {n_samples}. "
            "Split them too: constraints.restrict(train_rows)."
        )
    return hints
