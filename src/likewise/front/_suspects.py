"""Table of the hints of a fit, those most likely wrong first."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, SupportsIndex, overload

import numpy as np
from scipy.special import expit, logit

from .._frames import make_frame
from ..constraints import Constraints
from ..constraints._io import RowIds
from ._evidence import ERROR_RATE, Suspect

MAX_SHOWN = 20
"""Maximum number of hints that a printed table shows."""


def _rows(suspect: Suspect) -> str:
    rows = "{}, {}".format(*suspect.rows)
    return rows if suspect.than is None else "{} vs. {}, {}".format(rows, *suspect.than)


def as_said(suspects: Sequence[Suspect], constraints: Constraints) -> list[Suspect]:
    """Combine the must-link and the cannot-link that a comparison was read as into one suspect again.

    Both are wrong if the comparison is reversed, so their log-odds are added, with the assumed error rate counted once.
    """
    comparisons = constraints.comparisons
    if not len(comparisons) or any(suspect.than is not None for suspect in suspects):
        return list(suspects)
    judged = {(suspect.kind, *sorted(suspect.rows)): suspect for suspect in suspects}
    found: list[Suspect] = []
    read: set[tuple[str, int, int]] = set()
    for near, far in zip(comparisons.near.tolist(), comparisons.far.tolist(), strict=True):
        keys = ("must-link", *near), ("cannot-link", *far)
        if all(key in judged for key in keys):
            first, second = (judged[key] for key in keys)
            together = first.together - second.together
            wrong = float(expit(logit([first.wrong, second.wrong]).sum() - logit(ERROR_RATE)))
            found.append(Suspect((near[0], near[1]), "comparison", wrong, together, (far[0], far[1])))
            read.update(keys)
    kept = [suspect for key, suspect in judged.items() if key not in read or _is_stated(suspect, constraints)]
    return sorted([*kept, *found], key=lambda suspect: -suspect.wrong)


def _is_stated(suspect: Suspect, constraints: Constraints) -> bool:
    """Whether a must-link or cannot-link was given, as a pair or by a partition."""
    left, right = suspect.rows
    same = suspect.kind == "must-link"
    pairs = constraints.must_link if same else constraints.cannot_link
    if (pairs == np.sort(suspect.rows)).all(axis=1).any():
        return True
    for partition in constraints.partitions:
        first, second = partition.codes[[left, right]]
        if first < 0 or second < 0:
            continue
        within = partition.same_within if same else partition.different_within
        if within if first == second else partition.different_across and not same:
            return True
    return False


class Suspects(tuple[Suspect, ...]):
    """A tuple of :class:`Suspect` that is shown as a table when printed, and in notebooks.

    Parameters
    ----------
    iterable : iterable of Suspect

    Examples
    --------
    >>> from likewise.front import Suspect, Suspects
    >>> Suspects([Suspect((3, 8), "must-link", 0.91, 0.0), Suspect((1, 2), "cannot-link", 0.02, 0.1)])
    kind         rows  likely wrong  put together
    must-link    3, 8           91%            0%
    cannot-link  1, 2            2%           10%
    """

    __slots__ = ()

    @overload
    def __getitem__(self, key: SupportsIndex) -> Suspect: ...
    @overload
    def __getitem__(self, key: slice) -> Suspects: ...
    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return Suspects(found) if isinstance(key, slice) else found

    def to_frame(self, *, ids: Sequence[Any] | None = None, backend: str | None = None) -> Any:
        """The hints as a data frame with the columns left, right, kind, wrong and together.

        If there are comparisons, it also has the columns third and fourth: the rows that were said to be less alike.

        Parameters
        ----------
        ids : list-like, optional
            Ids of all rows in order, used instead of row indices.
        backend : {"pandas", "polars", "pyarrow"}, optional
            By default the first of them that is installed.

        Returns
        -------
        data frame
        """
        ends = [[suspect.rows[end] for suspect in self] for end in (0, 1)]
        names = None if ids is None else RowIds(ids).texts
        left, right = ends if names is None else ([names[row] for row in rows] for rows in ends)
        columns: dict[str, list[Any]] = {
            "left": left,
            "right": right,
            "kind": [suspect.kind for suspect in self],
            "wrong": [suspect.wrong for suspect in self],
            "together": [suspect.together for suspect in self],
        }
        if any(suspect.than is not None for suspect in self):
            for end, name in enumerate(("third", "fourth")):
                than = [None if suspect.than is None else suspect.than[end] for suspect in self]
                columns[name] = than if names is None else [None if row is None else names[row] for row in than]
        return make_frame(columns, backend)

    def _cells(self) -> list[tuple[str, ...]]:
        head = ("kind", "rows", "likely wrong", "put together")
        return [
            head,
            *(
                (suspect.kind, _rows(suspect), f"{suspect.wrong:.0%}", f"{suspect.together:.0%}")
                for suspect in tuple(self)[:MAX_SHOWN]
            ),
        ]

    def _more(self) -> str:
        more = len(self) - MAX_SHOWN
        return f"… {more:,} more, less likely wrong; to_frame() has all" if more > 0 else ""

    def __repr__(self) -> str:
        if not self:
            return "no hints"
        cells = self._cells()
        kind, rows, wrong, together = (max(map(len, column)) for column in zip(*cells, strict=True))
        lines = [f"{a:<{kind}}  {b:<{rows}}  {c:>{wrong}}  {d:>{together}}" for a, b, c, d in cells]
        return "\n".join([*lines, *([self._more()] if self._more() else [])])

    def _repr_html_(self) -> str:
        if not self:
            return "<p>no hints</p>"
        head, *cells = ([escape(cell) for cell in line] for line in self._cells())
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in cells)
        row = "".join(f"<th>{cell}</th>" for cell in head)
        more = f"<p>{self._more()}</p>" if self._more() else ""
        return (
            "<table><caption>Hints, most likely wrong first</caption>"
            f"<thead><tr>{row}</tr></thead><tbody>{body}</tbody></table>{more}"
        )

    def __reduce__(self) -> tuple[type[Suspects], tuple[tuple[Suspect, ...]]]:
        return Suspects, (tuple(self),)
