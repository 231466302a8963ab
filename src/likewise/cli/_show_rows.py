"""Rows side by side on a terminal: texts wrapped, values aligned with what differs marked, pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import click
from rich.cells import cell_len, chop_cells

from ..prepare import Rows
from ..prepare._row_values import MAX_VALUES, RowValues
from ._pictures import pictures_beside

MAX_LINES = 14
"""Lines of a text."""

MAX_CELL_LINES = 3
"""Lines of a cell of a table."""

MAX_LINE = 300
"""Characters of a text in a cell of a sheet."""

GAP = 3

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters that would command a terminal, not show on it."""


class _Values(NamedTuple):
    """A column of a table: the cells of some rows, and which of them differ from the first."""

    name: str
    cells: list[str]
    differs: list[bool]


class RowTexts:
    """What a person can see of the rows of DATA.

    Parameters
    ----------
    rows : Rows
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._of = RowValues(rows).of

    def line(self, row: int) -> str:
        """A row in one line, for a cell of a table: its picture, its text, and its other values."""
        parts = [] if self._rows.images is None else [str(self._rows.images[row])]
        if self._rows.texts is not None:
            text = " ".join(self._rows.texts[row].split())
            parts.append(text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}…")
        values = [(name, shown) for name, (shown,), _ in self._of([row]) if shown]
        parts.append(", ".join(f"{name} {shown}" for name, shown in values[:MAX_VALUES]))
        return " · ".join(filter(None, parts))

    def side_by_side(self, rows: Sequence[int], titles: Sequence[str], width: int, *, pictures: str = "") -> list[str]:
        """Lines that show rows beside each other, under their titles; ``pictures`` is how a terminal shows them."""
        named = [clean(f"{title}  {self._rows.ids[row]}".strip()) for row, title in zip(rows, titles, strict=True)]
        values = self._values(rows)
        if self._rows.images is None and self._rows.texts is None and values:
            return _aligned([_Values("", named, [False] * len(named)), *values], width)
        lines = _in_columns([[name] for name in named], width)
        if self._rows.images is not None:
            paths = [self._rows.images[row] for row in rows]
            lines += pictures_beside(paths, pictures, _room(width, len(rows)), GAP) if pictures else []
            lines += _in_columns([[str(path)] for path in paths], width)
        if self._rows.texts is not None:
            lines += _in_columns([self._rows.texts[row].split("\n") for row in rows], width)
        return [*lines, *_aligned(values, width)] if values else lines

    def _values(self, rows: Sequence[int]) -> list[_Values]:
        shown = list(self._of(rows))
        marked = [
            {name for name, _, differs in self._of([rows[0], other], limit=2**31) if differs} for other in rows[1:]
        ]
        return [_Values(name, cells, [False, *(name in names for names in marked)]) for name, cells, _ in shown]


def _room(width: int, count: int) -> int:
    """Characters for each of some columns."""
    return max((width - GAP * (count - 1)) // max(count, 1), 12)


def _in_columns(blocks: Sequence[Sequence[str]], width: int) -> list[str]:
    """Texts beside each other, each wrapped to its share of the width."""
    room = _room(width, len(blocks))
    wrapped = [_cut([line for part in block for line in _wrap(part, room)], MAX_LINES, room) for block in blocks]
    gap = " " * GAP
    return [gap.join(_pad(line, room) for line in beside).rstrip() for beside in zip_longest(*wrapped, fillvalue="")]


def _aligned(values: Sequence[_Values], width: int) -> list[str]:
    """Lines for each column of a table: its name, and the cells beside each other, marked where they differ."""
    count = len(values[0].cells)
    name_room = min(max(cell_len(one.name) for one in values), max(width // 3, 12))
    room = max((width - name_room) // count - GAP, 6)
    rooms = [min(max(cell_len(one.cells[place]) for one in values), room) for place in range(count)]
    lines = []
    for name, cells, differs in values:
        blocks = [_cut(_wrap(cell, space), MAX_CELL_LINES, space) for cell, space in zip(cells, rooms, strict=True)]
        for number, beside in enumerate(zip_longest(_cut(_wrap(name, name_room), 1, name_room), *blocks, fillvalue="")):
            line = _pad(beside[0], name_room)
            for text, space, mark in zip(beside[1:], rooms, differs, strict=True):
                shown = click.style(text, bold=True) if mark and text else text
                line += f"{' ≠ ' if mark and number == 0 else '   '}{shown}{' ' * (space - cell_len(text))}"
            lines.append(line.rstrip())
    return lines


def clean(text: str) -> str:
    """A text without characters that a terminal would obey."""
    return CONTROLS.sub("�", text.replace("\t", " "))


def _wrap(text: str, room: int) -> list[str]:
    """A text in lines of at most so many characters of a terminal; a word that is longer is broken."""
    lines: list[str] = []
    current = ""
    for word in clean(text).split():
        if current and cell_len(current) + 1 + cell_len(word) <= room:
            current += f" {word}"
            continue
        if current:
            lines.append(current)
        *full, current = chop_cells(word, room)
        lines += full
    return [*lines, current]


def _cut(lines: list[str], most: int, room: int) -> list[str]:
    """The first lines, with a sign where there are more."""
    if len(lines) <= most:
        return lines
    *_, last = chop_cells(lines[most - 1], room - 1)[:1]
    return [*lines[: most - 1], f"{last}…"]


def _pad(text: str, room: int) -> str:
    return text + " " * (room - cell_len(text))
