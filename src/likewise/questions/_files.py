"""Reading and writing answers as tables of hints, with additional columns about the questions."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._arrays import IntArray, is_missing
from .._parameters import described
from ..constraints._io import READ_SUFFIXES, RowIds, check_suffix, row_numbers
from ..constraints._pair_tables import (
    is_undecided,
    names_columns,
    pair_columns,
    some_lines,
    spelled_kind,
    without_blank_lines,
)
from ..prepare._columns import as_raw_table
from ..tables import RawTable, read_raw, write_columns
from ._answers import Answer, Answers, answer_columns
from ._question import CANT_SAY, DIFFERENT, SAME

ANSWER_COLUMNS = {"left", "right", "kind", "chance", "votes", "why", "screen"}
"""The columns of a file of answers."""

QUESTION_COLUMNS = {"left", "right", "kind", "left_row", "right_row", "chance", "question", "why"}
"""The columns of a table of questions to be filled in."""


def holds_answers(path: Path) -> bool:
    """Whether a file contains answers as a dialogue writes them, and nothing that would be lost if it is written."""
    if path.suffix.lower() not in (".csv", ".tsv", ".jsonl"):
        return False
    return set(read_raw(path, is_header=names_columns).columns) == ANSWER_COLUMNS


def check_no_other_columns(path: Path) -> None:
    """Raise an error if a file has other columns than those of answers, which would be lost if it is written."""
    others = [name for name in read_raw(path, is_header=names_columns).columns if name not in ANSWER_COLUMNS]
    if others:
        raise ValueError(
            f"{path} has other columns than a file of answers: {', '.join(map(repr, others))}. They would be lost, "
            "since all answers are written again after each. Name another path, and pass these answers as constraints "
            "(Answers.read(...).constraints), or remove the columns."
        )


def may_replace(path: Path) -> bool:
    """Whether a table of questions may be written to a path: there is none, or one without any answer."""
    if not path.exists() or path.stat().st_size == 0:
        return True
    columns = read_raw(path, is_header=names_columns).columns
    return set(columns) == QUESTION_COLUMNS and all(is_missing(cell) for cell in columns["kind"])


def write_answers(path: Path, answers: Answers, names: Sequence[Any]) -> None:
    """Write answers atomically, to a file that is also a valid file of hints; ``names`` are the ids of all rows."""
    write_columns(path, answer_columns(answers, names))


def read_sheet(path: str | os.PathLike[str], n_samples: int, ids: Any = None) -> list[tuple[str, Answer]]:
    """The answers in a file, each with its location for messages; lines without an answer are ignored."""
    check_suffix(Path(path), READ_SUFFIXES)
    return _read(without_blank_lines(read_raw(path, is_header=names_columns)), n_samples, ids)


def read_asked(path: Path, n_samples: int, ids: Any = None) -> Answers | None:
    """The answers about pairs in a file of hints with a column of probabilities; None if it has no such column.

    The file may also contain other hints, which are ignored, and answers that contradict each other.
    """
    if path.suffix.lower() == ".json":
        return None
    table = without_blank_lines(read_raw(path, is_header=names_columns))
    columns = pair_columns(table)
    if columns is None or columns.kind is None or "chance" not in table.columns:
        return None
    kinds = enumerate(table.columns[columns.kind])
    pairs = some_lines(table, [line for line, kind in kinds if spelled_kind(_unrefuted(kind)) is not None])
    return Answers([answer for _, answer in _read(pairs, n_samples, ids, may_contradict=True)], n_samples)


def read_frame_answers(frame: Any, n_samples: int, ids: Any = None) -> list[tuple[str, Answer]]:
    """Same as `read_sheet`, from a data frame or dict of columns."""
    table = as_raw_table(frame)
    if table is None:
        raise TypeError(f"answers must be a list, a dict, a data frame or a path, got {described(frame)}.")
    return _read(replace(table, source="answers"), n_samples, ids)


def _read(table: RawTable, n_samples: int, ids: Any, *, may_contradict: bool = False) -> list[tuple[str, Answer]]:
    columns = pair_columns(table)
    if columns is None or columns.kind is None:
        raise ValueError(
            f"{table.source}: answers need three columns, the ids of two rows and whether they are the same: left, "
            f"right, kind. Found {table.listed_columns()}."
        )
    kinds = table.columns[columns.kind]
    lines = [line for line, cell in enumerate(kinds) if not is_missing(cell)]
    left, right = _rows(table, (columns.left, columns.right), lines, n_samples, ids)
    yes = "cannot" if spelled_kind(columns.kind) == "cannot" else "must"
    found: list[tuple[str, Answer]] = []
    said: dict[frozenset[int], tuple[int, str]] = {}
    for line, rows in zip(lines, zip(left.tolist(), right.tolist(), strict=True), strict=True):
        where = f"{table.source}, {table.where(line)}"
        names = [table.columns[name][line] for name in (columns.left, columns.right)]
        if rows[0] == rows[1]:
            raise ValueError(f"{where}: {names[0]} is compared with itself. Remove the line.")
        word = _said(kinds[line], yes, where)
        earlier, before = said.setdefault(frozenset(rows), (line, word))
        if before != word and not may_contradict:
            raise ValueError(
                f"{where} says {word!r} for {names[0]!s} and {names[1]!s}, but {table.where(earlier)} says {before!r}. "
                "Remove one of them."
            )
        if earlier == line or before != word:  # skip duplicates
            found.append((where, _answer(table, line, rows, word)))
    return _numbered(found)


def _numbered(found: list[tuple[str, Answer]]) -> list[tuple[str, Answer]]:
    """The answers with a number of its own for each question whose number is not in the table."""
    after = 1 + max((answer.screen for _, answer in found), default=0)
    numbers = [answer.screen if answer.screen >= 0 else after + place for place, (_, answer) in enumerate(found)]
    return [(where, replace(answer, screen=number)) for (where, answer), number in zip(found, numbers, strict=True)]


def _rows(table: RawTable, names: Sequence[str], lines: list[int], n_samples: int, ids: Any) -> list[IntArray]:
    """The row numbers on some lines of some columns."""
    row_ids = None if ids is None else RowIds(ids)

    def where(place: int) -> str:
        return f"{table.source}, {table.where(lines[place])}"

    cells = [[table.columns[name][line] for line in lines] for name in names]
    return [row_numbers(each, n_samples, where) if row_ids is None else row_ids.rows(each, where) for each in cells]


def _answer(table: RawTable, line: int, rows: tuple[int, int], said: str) -> Answer:
    """The answer on a line, with the columns about its question if there are any; screen is −1 if it is unknown."""
    screen = _number(table, "screen" if "screen" in table.columns else "question", line)
    return Answer(
        rows,
        said,
        chance=_share(table, "chance", line),
        votes=_share(table, "votes", line),
        why=str(table.columns["why"][line]) if "why" in table.columns else "",
        screen=-1 if math.isnan(screen) or screen < 0 else int(screen),
    )


def _share(table: RawTable, name: str, line: int) -> float:
    """A number from 0 to 1 in an optional column; NaN if it is missing or invalid, as after "0.832" became "832"."""
    number = _number(table, name, line)
    return number if 0.0 <= number <= 1.0 else math.nan


def _said(cell: Any, yes: str, where: str) -> str:
    kind = spelled_kind(_unrefuted(cell), yes=yes)
    if kind is not None:
        return SAME if kind == "must" else DIFFERENT
    if is_undecided(cell):
        return CANT_SAY
    raise ValueError(f"{where}: {cell!r} is not an answer. Write same (yes, 1), different (no, 0) or can't say (?).")


def _unrefuted(cell: Any) -> str:
    """An answer without the prefix "refuted"."""
    return str(cell).strip().lower().removeprefix("refuted ")


def _number(table: RawTable, name: str, line: int) -> float:
    """A number in an optional column; NaN if it is missing or invalid."""
    try:
        number = float(str(table.columns[name][line]).replace(",", "."))  # spreadsheets may use decimal commas
    except (KeyError, TypeError, ValueError):
        return math.nan
    return number if math.isfinite(number) else math.nan
