"""Reading and writing constraints as tables and JSON; the format is described in `Constraints.read`."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import FloatArray, IntArray, is_missing
from .._atomic import atomic_write_text
from .._parameters import described
from .._suggest import suggest
from ..tables import RawTable, read_raw, write_columns
from ..tables._bytes import read_text
from ..tables._cells import whole_number_of
from ..tables._folders import IMAGES, TEXTS
from ..tables._json import parse_json
from ..tables._limits import memory_left
from ._comparison_lines import Rows, other_lines, read_comparisons, read_preferences
from ._comparisons import Comparisons
from ._pair_tables import is_undecided, names_columns, pair_columns, spelled_kind, without_blank_lines
from ._partition import Partition, Parts
from ._piles import rating_side
from ._validate import number_of_rows

if TYPE_CHECKING:
    from ._constraints import Constraints

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
"""Extensions of the formats for writing."""

READ_SUFFIXES = (*SUFFIXES, ".txt", ".xlsx")
"""Extensions of the formats for reading."""

MEANINGS = {"same": "same_within", "across": "different_across", "within": "different_within"}

COLUMNS = ("left", "right", "kind", "third", "fourth", "weight")

JSON_KEYS = ("n_samples", "pairs", "partitions")
PARTITION_KEYS = ("kind", "weight", "blocks", "names")

MOST_ROWS = 10_000_000
"""Maximum number of rows if it is known only from a file of hints."""

OTHER_KINDS = ("nearer", "odd", "clustering", "better")
"""Kinds other than must-links, cannot-links, ratings and partitions."""

RATINGS = (1, 5)
"""The lowest and the highest rating in a file."""

ROW_NUMBER = re.compile(r"([+-]?[0-9]{1,18})(\.0*)?")
"""A row number, also as written if a column of numbers has missing values."""


class UnknownIdError(ValueError):
    """A file of constraints or links contains an id that no row has.

    Attributes
    ----------
    id : str
        The id as written in the file.
    """

    def __init__(self, message: str, id: str) -> None:
        super().__init__(message)
        self.id = id

    def __reduce__(self) -> tuple[type[UnknownIdError], tuple[str, str]]:
        return UnknownIdError, (str(self), self.id)


REFORMATTED = re.compile(
    r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}( \d\d:\d\d(:\d\d)?)?|\d{1,2}[.-] ?[A-Za-zä]{3,4}|[A-Za-zä]{3,4}[.-] ?\d{1,2}"
    r"|\d[.,]\d+[eE][+-]?\d+"
)
"""Ids such as 3-1, MAR1 or 123456789012 after a spreadsheet has converted them to dates or numbers with exponents."""

SPREADSHEET = (
    " If a spreadsheet converted ids to dates or numbers, format the columns of ids as text before saving the file."
)


class RowIds:
    """The ids of the rows, compared as text, since files do not preserve types.

    Names of text files and images also match without folder and extension, if the match is unique.
    """

    def __init__(self, ids: Any) -> None:
        self.texts = [str(name) for name in (ids.tolist() if hasattr(ids, "tolist") else list(ids))]
        self.row: dict[str, int] = {}
        for row, text in enumerate(self.texts):
            if self.row.setdefault(text, row) != row:
                raise ValueError(f"ids[{self.row[text]}] and ids[{row}] are both {text!r}. Every row needs its own id.")

    def __len__(self) -> int:
        return len(self.texts)

    def __contains__(self, cell: object) -> bool:
        return self._find(cell) >= 0

    def rows(self, cells: Sequence[Any], where: Callable[[int], str]) -> IntArray:
        """The row of each id; `where` returns the location of a cell for error messages."""
        found = np.fromiter((self.row.get(str(cell), -1) for cell in cells), np.int64, len(cells))
        for place in np.flatnonzero(found < 0).tolist():
            found[place] = self._find(cells[place])
        unknown = np.flatnonzero(found < 0)
        if unknown.size:
            place = int(unknown[0])
            text = str(cells[place])
            others = len({str(cells[each]) for each in unknown.tolist()} - {text})
            more = f" ({others:,} more {'is' if others == 1 else 'are'} unknown)" if others else ""
            offer = suggest(text, self.texts) or f" The ids are {', '.join(map(repr, self.texts[:3]))}"
            offer += "" if offer.endswith("?") else ", …" if len(self) > 3 else "."
            offer += SPREADSHEET if REFORMATTED.fullmatch(text.strip()) else ""
            message = f"{where(place)}: id {text!r} is not among the {len(self):,} ids{more}.{offer}"
            raise UnknownIdError(message, text)
        return found

    def _find(self, cell: object) -> int:
        """The row of an id, which may be a file name without folder and extension; -1 if there is none."""
        text = str(cell)
        row = self.row.get(text, -1)
        if row < 0 and (whole := ROW_NUMBER.fullmatch(text.strip())):  # a number that became a float
            row = self.row.get(whole[1], -1)
        return self._short_names.get(text.strip(), -1) if row < 0 else row

    @cached_property
    def _short_names(self) -> dict[str, int]:
        """The rows of stripped ids and of file names without folder and extension, if these are unique."""
        owners: dict[str, set[int]] = {}
        for row, text in enumerate(self.texts):
            path = PurePosixPath(text)
            shorter = {text.strip()}
            if path.suffix and path.suffix.lower() in TEXTS | IMAGES:
                shorter |= {path.name, path.stem, str(path.with_suffix(""))}
            for name in shorter:
                owners.setdefault(name, set()).add(row)
        return {name: rows.pop() for name, rows in owners.items() if len(rows) == 1}


def row_numbers(cells: Sequence[Any], n_samples: int | None, where: Callable[[int], str]) -> IntArray:
    """Convert cells to row numbers; `where` returns the location of a cell for error messages."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iu":
        rows = cells.astype(np.int64)
    else:
        texts = [str(cell).strip() for cell in cells]
        wrong = next((place for place, text in enumerate(texts) if not ROW_NUMBER.fullmatch(text)), None)
        if wrong is not None:
            cell = cells[wrong].item() if isinstance(cells[wrong], np.generic) else cells[wrong]
            raise ValueError(f"{where(wrong)}: {cell!r} is not a row number. Pass ids=... to read ids.")
        rows = np.fromiter((int(text.partition(".")[0]) for text in texts), np.int64, len(texts))
    outside = np.flatnonzero((rows < 0) | (rows >= (n_samples if n_samples is not None else np.inf)))
    if outside.size:
        place = int(outside[0])
        known = "counted from 0" if n_samples is None else f"0 to {n_samples - 1}"
        raise ValueError(
            f"{where(place)}: row {rows[place]} is outside the rows, {known}. Correct the row or n_samples; if it is "
            "an id, pass ids=...."
        )
    return rows


@dataclass(frozen=True)
class Lines:
    """The lines of a file as columns. For partitions, `right` is "partition:block"."""

    source: str
    left: Sequence[Any]
    right: Sequence[Any]
    kind: Sequence[Any]
    weight: Sequence[Any] | None
    place: Callable[[int], str]
    n_samples: int | None
    yes: str = "must"  # what "yes" means for a pair
    third: Sequence[Any] | None = None
    fourth: Sequence[Any] | None = None

    def where(self, line: int) -> str:
        return f"{self.source}, {self.place(line)}"

    def kinds(self) -> dict[str, str | frozenset[str]]:
        """The meaning of each spelling of a kind."""
        meaning = {}
        for line, kind in _first_appearances(self.kind):
            try:
                meaning[str(kind)] = _meaning(kind, self.yes)
            except ValueError as error:
                raise ValueError(f"{self.where(line)}: {error}") from None
        return meaning


def read(path: str | os.PathLike[str], n_samples: int | None, ids: Any) -> Parts:
    """Read a file; raises an error if any line is invalid."""
    lines = _read_lines(Path(path))
    if len(lines.left) == 0:
        warnings.warn(f"{path} contains no hints: no line says that two rows are the same or different.", stacklevel=3)
    return _read(lines, n_samples, ids)


def read_frame(frame: Any, n_samples: int | None, ids: Any) -> Parts:
    """Read a data frame."""
    return _read(table_lines(as_table(frame)), n_samples, ids)


def as_table(frame: Any) -> RawTable:
    """Convert a data frame to a table."""
    from ..prepare._columns import as_raw_table

    table = as_raw_table(frame)
    if table is None:
        raise TypeError(f"frame must be a data frame or a dict of columns, got {described(frame)}.")
    return replace(table, source="frame")


def _read(lines: Lines, n_samples: int | None, ids: Any) -> Parts:
    row_ids = None if ids is None else RowIds(ids)
    if n_samples is not None:
        n_samples = number_of_rows(n_samples)
    known = lines.n_samples if row_ids is None else len(row_ids)
    if n_samples is not None and known is not None and n_samples != known:
        source = f"ids has {known} entries" if row_ids is not None else f"the file is for {known} rows"
        raise ValueError(f"{lines.source}: {source}, but n_samples = {n_samples}. Remove or correct n_samples.")
    if n_samples is None and row_ids is None and known is not None:
        check_number_of_rows(known, lines.source)
    return _assemble(lines, known if n_samples is None else n_samples, row_ids)


def names_in(path: str | os.PathLike[str]) -> list[str]:
    """The ids or numbers of the rows in a file, in order of first appearance."""
    return list(dict.fromkeys(name for names in _names_by_line(_read_lines(Path(path))) for name in names))


def read_known(columns: dict[str, list[Any]], ids: Sequence[str]) -> tuple[Parts, int]:
    """Constraints from columns with rows that may not be in `ids`, and the number of lines with such rows.

    The rows that are not in `ids` are numbered after those that are.
    """
    lines = table_lines(as_table(columns))
    known = set(ids)
    others = [[name for name in names if name not in known] for names in _names_by_line(lines)]
    every = [*ids, *dict.fromkeys(name for names in others for name in names)]
    return _read(lines, None, every), sum(map(bool, others))


def _names_by_line(lines: Lines) -> Iterator[list[str]]:
    """The ids or numbers of the rows on each line."""
    kinds = lines.kinds()
    optional = [column for column in (lines.third, lines.fourth) if column is not None]
    for line, (left, right, kind) in enumerate(zip(lines.left, lines.right, lines.kind, strict=True)):
        meaning = kinds[str(kind)]
        names = [] if meaning in ("better", "empty") else [str(left)]  # "better" is between two clusterings
        if names and not isinstance(meaning, frozenset) and meaning != "clustering":
            names.append(str(right))
        if meaning in ("nearer", "odd", "undecided"):
            names += [str(column[line]) for column in optional if not is_missing(column[line])]
        yield names


def check_suffix(path: Path, suffixes: Sequence[str] = SUFFIXES) -> str:
    """The extension of a file of constraints; raises an error if it is unknown."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        raise ValueError(f"{path}: {suffix!r} is not a known format of hints. Use one of {', '.join(suffixes)}.")
    return suffix


def _read_lines(path: Path) -> Lines:
    if check_suffix(path, READ_SUFFIXES) == ".json":
        return _read_json(path)
    return table_lines(without_blank_lines(read_raw(path, is_header=names_columns)))


def table_lines(table: RawTable) -> Lines:
    """Convert a table of constraints to lines."""
    if not (table.n or table.columns):  # JSON lines have no header
        return Lines(table.source, (), (), (), None, table.where, None)
    columns = pair_columns(table)
    if columns is None or columns.kind is None:
        raise ValueError(
            f"{table.source}: hints need three columns, the ids of two rows and whether they are the same: left, "
            f"right, kind. Found {table.listed_columns()}."
        )
    kind = table.columns[columns.kind]
    yes = "cannot" if spelled_kind(columns.kind) == "cannot" else "must"
    first = next((line for line, cell in enumerate(kind) if not is_undecided(cell)), None)
    if columns.kind.strip().lower() != "kind" and first is not None and not _is_kind(kind[first], yes):
        raise ValueError(
            f"{table.source}, {table.where(first)}: {kind[first]!r} in column {columns.kind!r} says neither same nor "
            f"different. A file of hints has the columns left, right, kind; this one has {table.listed_columns()}."
        )
    weight = None if columns.weight is None else table.columns[columns.weight]
    left, right = table.columns[columns.left], table.columns[columns.right]
    third, fourth = (None if name is None else table.columns[name] for name in (columns.third, columns.fourth))
    n_samples = _stored_n_samples(table)
    return Lines(table.source, left, right, kind, weight, table.where, n_samples, yes, third, fourth)


def _is_kind(kind: Any, yes: str) -> bool:
    try:
        _meaning(kind, yes)
    except ValueError:
        return False
    return True


def _stored_n_samples(table: RawTable) -> int | None:
    stored = table.metadata.get("n_samples")
    return None if stored is None else _n_samples(stored, table.source)


def _n_samples(value: Any, source: str) -> int:
    n_samples = None if isinstance(value, bool) else whole_number_of(str(value))
    if n_samples is None:
        raise ValueError(f"{source}: n_samples = {repr(value)[:40]} is not a number of rows.")
    return n_samples


def _read_json(path: Path) -> Lines:
    """Read a JSON object with the optional keys n_samples, pairs and partitions."""
    content = parse_json(read_text(path), path)
    if not isinstance(content, dict):
        raise ValueError(
            f'{path}, line 1: expected an object {{"n_samples": ..., "pairs": [...], "partitions": [...]}}.'
        )
    _check_keys(content, JSON_KEYS, str(path))
    places: list[str] = []
    lines: list[tuple[Any, ...]] = []  # left, right, kind, weight, third, fourth
    for index, pair in enumerate(_list(content.get("pairs", []), f"{path}, pairs")):
        if not isinstance(pair, dict) or not {"left", "right", "kind"} <= set(pair):
            raise ValueError(
                f'{path}, pairs[{index}]: expected {{"left": ..., "right": ..., "kind": ..., "weight": ...}}.'
            )
        _check_keys(pair, COLUMNS, f"{path}, pairs[{index}]", all_known=False)
        places.append(f"pairs[{index}]")
        optional = pair.get("third"), pair.get("fourth")
        lines.append((pair["left"], pair["right"], pair["kind"], pair.get("weight"), *optional))
    for number, partition in enumerate(_list(content.get("partitions", []), f"{path}, partitions")):
        where = f"partitions[{number}]"
        if not isinstance(partition, dict) or not {"kind", "blocks"} <= set(partition):
            raise ValueError(f'{path}, {where}: expected {{"kind": ..., "weight": ..., "blocks": [[...], ...]}}.')
        _check_keys(partition, PARTITION_KEYS, f"{path}, {where}", all_known=False)
        blocks = _list(partition["blocks"], f"{path}, {where}.blocks")
        names = _list(partition.get("names", list(range(len(blocks)))), f"{path}, {where}.names")
        if len(names) != len(blocks):
            raise ValueError(f"{path}, {where}: {len(names)} names for {len(blocks)} blocks. Give each block a name.")
        for code, (block, name) in enumerate(zip(blocks, names, strict=True)):
            for row in _list(block, f"{path}, {where}.blocks[{code}]"):
                places.append(f"{where}.blocks[{code}]")
                lines.append((row, f"{number}:{name}", partition["kind"], partition.get("weight"), None, None))
    left, right, kind, weight, third, fourth = zip(*lines, strict=True) if lines else ((),) * 6
    n_samples = content.get("n_samples")
    n_samples = None if n_samples is None else _n_samples(n_samples, str(path))
    return Lines(str(path), left, right, kind, weight, places.__getitem__, n_samples, "must", third, fourth)


def _check_keys(found: dict[str, Any], known: Sequence[str], where: str, *, all_known: bool = True) -> None:
    """Raise an error for unknown keys; if not `all_known`, only for those that seem misspelled.

    Pairs may have additional keys, as tables may have additional columns.
    """
    for key in found:
        if key not in known and (all_known or suggest(key, known)):
            raise ValueError(
                f"{where}: {key!r} is not a known key.{suggest(key, known)} Known keys are {', '.join(known)}."
            )


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{where}: expected a list, found {value!r}.")
    return value


def _assemble(lines: Lines, n_samples: int | None, ids: RowIds | None) -> Parts:
    """The arguments of `Constraints`; raises an error with the line number if a line is invalid."""
    kinds = lines.kinds()
    spelling = {text: number for number, text in enumerate(kinds)}
    spelled = np.fromiter((spelling[str(kind)] for kind in lines.kind), np.int64, len(lines.kind))
    unanswered = int(np.array([kind == "empty" for kind in kinds.values()], dtype=np.bool_)[spelled].sum())
    if unanswered:
        warnings.warn(
            f"{lines.source}: {unanswered:,} of {len(spelled):,} lines say neither same nor different and are ignored.",
            stacklevel=5,
        )
    weights = _weights(lines)

    def rows(cells: Sequence[Any], chosen: IntArray) -> IntArray:
        some = cells[chosen] if isinstance(cells, np.ndarray) else [cells[line] for line in chosen.tolist()]

        def where(place: int) -> str:
            return lines.where(int(chosen[place]))

        return row_numbers(some, n_samples, where) if ids is None else ids.rows(some, where)

    sides = np.array([_side(kind) for kind in kinds.values()], dtype=np.float64)[spelled]
    # for "better", left is a clustering; empty lines need no rows
    is_row = np.array([kind not in ("better", "empty") for kind in kinds.values()], dtype=np.bool_)[spelled]
    left = np.full(len(spelled), -1, dtype=np.int64)
    left[is_row] = rows(lines.left, np.flatnonzero(is_row))
    must, cannot = (_read_pairs(lines, np.flatnonzero(which), left, rows) for which in (sides > 0, sides < 0))
    must_weight, cannot_weight = (weights[sides > 0] * sides[sides > 0], weights[sides < 0] * -sides[sides < 0])
    meaning = [kinds[str(kind)] for kind in lines.kind] if _has_other_kinds(lines, kinds) else []
    compared, compared_weight, unsure = read_comparisons(lines, meaning, left, weights, rows)
    if n_samples is None:
        ends = [left, must.ravel(), cannot.ravel(), compared.ravel(), unsure.ravel()]
        n_samples = int(np.concatenate(ends).max(initial=-1)) + 1
        check_number_of_rows(n_samples, lines.source)
    _warn_of_opposites(lines, must, cannot, sides, n_samples)
    partitions = _partitions(lines, kinds, left, weights, n_samples)
    comparisons = Comparisons(n_samples, pairs=compared, weight=compared_weight, unsure=unsure)
    preferences = read_preferences(lines, meaning, left, weights, n_samples)
    return Parts(n_samples, must, cannot, must_weight, cannot_weight, partitions, comparisons, preferences)


def _read_pairs(lines: Lines, chosen: IntArray, left: IntArray, rows: Rows) -> IntArray:
    """The pairs on some lines; `left` has the row numbers of the column of this name."""
    right = rows(lines.right, chosen)
    itself = np.flatnonzero(left[chosen] == right)
    if itself.size:
        line = int(chosen[itself[0]])
        raise ValueError(f"{lines.where(line)}: {lines.left[line]!s} is linked to itself. Remove or correct the line.")
    return np.column_stack([left[chosen], right])


def _warn_of_opposites(lines: Lines, must: IntArray, cannot: IntArray, sides: FloatArray, n_samples: int) -> None:
    """Warn if a line says that two rows are the same, and another that they are different."""
    same, different = (pairs.min(axis=1) * n_samples + pairs.max(axis=1) for pairs in (must, cannot))
    both = np.flatnonzero(np.isin(different, same))
    if not both.size:
        return
    one = int(np.flatnonzero(same == different[both[0]])[0])
    first, second = sorted((int(np.flatnonzero(sides > 0)[one]), int(np.flatnonzero(sides < 0)[both[0]])))
    more = len(np.unique(different[both])) - 1
    others = f" (and so for {more:,} other pair{'s' * (more > 1)})" if more else ""
    said = "the same" if sides[second] > 0 else "different"
    warnings.warn(
        f"{lines.where(second)} says that {str(lines.left[second])!r} and {str(lines.right[second])!r} are {said}, but "
        f"{lines.place(first)} says the opposite{others}. Remove what is wrong.",
        stacklevel=6,
    )


def check_number_of_rows(n_samples: int, source: str) -> None:
    """Raise an error if a number of rows that is known only from a file is so large that it is probably wrong.

    Arrays of this size would exhaust the memory.
    """
    if n_samples > MOST_ROWS:
        raise ValueError(
            f"{source} refers to {n_samples:,} rows. If its row numbers are ids, pass ids=...; otherwise pass "
            "n_samples=...."
        )


def _has_other_kinds(lines: Lines, kinds: dict[str, str | frozenset[str]]) -> bool:
    """Whether there are comparisons, unanswered questions or preferences."""
    return lines.third is not None or not set(OTHER_KINDS).isdisjoint(kinds.values())


def _side(kind: str | frozenset[str]) -> float:
    """The sign and weight of a kind: 1 for same, −1 for different, in between for ratings, 0 for other kinds."""
    if isinstance(kind, str) and kind.startswith("rating:"):
        return float(rating_side(np.array(float(kind[7:])), *RATINGS))
    return {"must": 1.0, "cannot": -1.0}.get(str(kind), 0.0)


def _partitions(
    lines: Lines, kinds: dict[str, str | frozenset[str]], rows: IntArray, weights: FloatArray, n_samples: int
) -> list[Partition]:
    names = {str(right).partition(":")[0] for right, kind in zip(lines.right, lines.kind, strict=True)
             if isinstance(kinds[str(kind)], frozenset)}  # fmt: skip
    left = memory_left()
    if left is not None and 8 * len(names) * n_samples > left:
        raise MemoryError(f"{lines.source}: {len(names):,} partitions of {n_samples:,} rows do not fit into memory")
    first_line: dict[str, int] = {}  # of each partition
    codes: dict[str, IntArray] = {}
    blocks: dict[str, dict[str, int]] = {}
    for line, (right, kind) in enumerate(zip(lines.right, lines.kind, strict=True)):
        meaning = kinds[str(kind)]
        if not isinstance(meaning, frozenset):
            continue
        name, colon, block = str(right).partition(":")
        if not colon or not block.strip():
            raise ValueError(f"{lines.where(line)}: {right!r} is not a block. Write partition:block, such as p0:3.")
        if name not in first_line:
            first_line[name] = line
            codes[name] = np.full(n_samples, -1, dtype=np.int64)
            blocks[name] = {}
        first = first_line[name]
        if meaning != kinds[str(lines.kind[first])] or weights[line] != weights[first]:
            raise ValueError(
                f"{lines.where(line)}: kind or weight differs from the first line of this partition. Use the same on "
                "all its lines."
            )
        code = blocks[name].setdefault(block, len(blocks[name]))
        if codes[name][rows[line]] not in (-1, code):
            raise ValueError(
                f"{lines.where(line)}: {lines.left[line]!s} is in two blocks of one partition. Remove one of them."
            )
        codes[name][rows[line]] = code
    return [
        Partition(
            codes[name],
            **{flag: word in kinds[str(lines.kind[line])] for word, flag in MEANINGS.items()},
            weight=float(weights[line]),
            names=list(blocks[name]),
        )
        for name, line in first_line.items()
    ]


def _meaning(kind: Any, yes: str) -> str | frozenset[str]:
    """The meaning of a kind.

    It is "must", "cannot", "empty", "undecided", one of `OTHER_KINDS`, "rating:" with a number, or the words of a
    partition.
    """
    spelled = spelled_kind(kind, yes=yes)
    if spelled is not None:
        return spelled
    if is_undecided(kind):
        return "empty" if is_missing(kind) else "undecided"
    head, _, meaning = str(kind).strip().lower().partition(":")
    if head in OTHER_KINDS and not meaning:
        return head
    if head == "rating":
        return _rating(kind, meaning)
    words = frozenset(word.strip() for word in meaning.split(","))
    if head != "partition" or not words <= set(MEANINGS):
        raise ValueError(
            f"kind {kind!r} is not known. Write same (must-link, yes, 1) or different (cannot-link, no, 0), nearer, "
            "odd or unsure for three rows, rating:1 to rating:5, or leave it empty."
        )
    if {"same", "within"} <= words:
        raise ValueError(f"kind {kind!r} is both same and different within a block. Remove one of them.")
    return words


def _rating(kind: Any, text: str) -> str:
    lowest, highest = RATINGS
    rating = _number(text.strip())
    if not lowest <= rating <= highest:
        raise ValueError(
            f"kind {kind!r} must be a rating of {lowest} to {highest}, such as rating:4. For other scales use "
            "Constraints.from_ratings."
        )
    return f"rating:{rating}"


def _weights(lines: Lines) -> FloatArray:
    """The weight of each line; 1 if it is missing."""
    if lines.weight is None:
        return np.ones(len(lines.left))
    try:
        if not set(map(type, lines.weight)) <= {str, int, float, np.float64}:
            raise TypeError
        weights = np.array(lines.weight, dtype=np.float64)  # faster, and sufficient for most columns
        if np.isnan(weights).any():
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        weights = np.array([1.0 if is_missing(cell) else _number(cell) for cell in lines.weight])
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if wrong.size:
        line = int(wrong[0])
        raise ValueError(
            f"{lines.where(line)}: weight {lines.weight[line]!r} is not a finite number above 0. Leave it empty for 1."
        )
    return weights


def _number(cell: Any) -> float:
    try:
        return math.nan if isinstance(cell, bool) else float(cell)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _first_appearances(cells: Sequence[Any]) -> list[tuple[int, Any]]:
    first: dict[str, int] = {}
    for line, cell in enumerate(cells):
        first.setdefault(str(cell), line)
    return [(line, cells[line]) for line in first.values()]


def write(constraints: Constraints, path: str | os.PathLike[str], ids: Any) -> None:
    """Write a file atomically."""
    path = Path(path)
    if check_suffix(path) == ".json":
        _write_json(constraints, path, row_names(ids, constraints.n_samples))
    else:
        write_columns(path, columns(constraints, ids))


def row_names(ids: Any, n_samples: int) -> Sequence[Any]:
    """The ids of the rows as text, or their numbers if there are no ids."""
    if ids is None:
        return range(n_samples)
    row_ids = RowIds(ids)
    if len(row_ids) != n_samples:
        raise ValueError(f"ids has {len(row_ids)} entries, but there are {n_samples} rows. Pass one id for each row.")
    return row_ids.texts


def columns(constraints: Constraints, ids: Any) -> dict[str, list[Any]]:
    """The columns of a table with one line for each pair, and for each row of a partition."""
    names = row_names(ids, constraints.n_samples)
    left: list[Any] = []
    right: list[Any] = []
    kind: list[str] = []
    weight: list[float] = []
    for word, pairs, weights in _stated_pairs(constraints):
        left += [names[row] for row in pairs[:, 0].tolist()]
        right += [names[row] for row in pairs[:, 1].tolist()]
        kind += [word] * len(pairs)
        weight += weights.tolist()
    for number, partition in enumerate(constraints.partitions):
        rows = np.flatnonzero(partition.codes >= 0).tolist()
        left += [names[row] for row in rows]
        blocks = _names(partition)
        right += [f"p{number}:{blocks[partition.codes[row]]}" for row in rows]
        kind += [_partition_kind(partition)] * len(rows)
        weight += [partition.weight] * len(rows)
    others = other_lines(constraints, names)
    left += [line["left"] for line in others]
    right += [line["right"] for line in others]
    kind += [line["kind"] for line in others]
    weight += [line["weight"] for line in others]
    if constraints.partitions or others:  # right contains text, so use text in both columns
        left, right = [str(name) for name in left], [str(name) for name in right]
    found: dict[str, list[Any]] = {"left": left, "right": right, "kind": kind}
    for column in ("third", "fourth"):
        if any(column in line for line in others):
            cells = [str(line[column]) if column in line else "" for line in others]
            found[column] = [""] * (len(left) - len(others)) + cells
    return found if all(each == 1 for each in weight) else {**found, "weight": weight}


def _write_json(constraints: Constraints, path: Path, names: Sequence[Any]) -> None:
    """Write a JSON object with one line for each pair and each partition."""
    pairs = [
        {"left": names[i], "right": names[j], "kind": kind, "weight": weight}
        for kind, links, weights in _stated_pairs(constraints)
        for (i, j), weight in zip(links.tolist(), weights.tolist(), strict=True)
    ]
    pairs += [{key: line[key] for key in COLUMNS if key in line} for line in other_lines(constraints, names)]
    partitions = []
    for partition in constraints.partitions:
        blocks: list[list[Any]] = [[] for _ in range(partition.n_blocks)]
        for row in np.flatnonzero(partition.codes >= 0).tolist():
            blocks[partition.codes[row]].append(names[row])
        written = {"kind": _partition_kind(partition), "weight": partition.weight, "blocks": blocks}
        partitions.append(written if partition.names is None else {**written, "names": partition.names})
    with atomic_write_text(path) as file:
        file.write(f'{{"n_samples": {constraints.n_samples},\n')
        file.write(f' "pairs": {_json_lines(pairs)},\n "partitions": {_json_lines(partitions)}}}\n')


def _stated_pairs(constraints: Constraints) -> Iterator[tuple[str, IntArray, FloatArray]]:
    """Yield (kind, pairs, weights) for must-links and cannot-links."""
    yield "must-link", constraints.must_link, constraints.must_weight
    yield "cannot-link", constraints.cannot_link, constraints.cannot_weight


def _json_lines(items: Sequence[Any]) -> str:
    return "[" + ",".join("\n  " + json.dumps(item, ensure_ascii=False) for item in items) + "]"


def _names(partition: Partition) -> Sequence[Any]:
    """The names of the blocks, or their numbers if they have no names."""
    return range(partition.n_blocks) if partition.names is None else partition.names


def _partition_kind(partition: Partition) -> str:
    return "partition:" + ",".join(word for word, flag in MEANINGS.items() if getattr(partition, flag))
