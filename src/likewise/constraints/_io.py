"""Files of constraints: tables, through the readers of ``likewise.tables``, and JSON; layouts in `Constraints.read`."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import FloatArray, IntArray, is_missing
from .._atomic import atomic_write_text
from ..tables import RawTable, read_raw, write_columns
from ..tables._bytes import read_text
from ._partition import Partition, Parts
from ._validate import whole_number

if TYPE_CHECKING:
    from ._constraints import Constraints

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")

KINDS = {"must-link": "must", "same": "must", "cannot-link": "cannot", "different": "cannot"}
MEANINGS = {"same": "same_within", "across": "different_across", "within": "different_within"}

ROW_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


class UnknownIdError(ValueError):
    """A file of constraints or links names an id that no row has.

    Attributes
    ----------
    id : str
        The id as the file has it.
    """

    def __init__(self, message: str, id: str) -> None:
        super().__init__(message)
        self.id = id

    def __reduce__(self) -> tuple[type[UnknownIdError], tuple[str, str]]:
        return UnknownIdError, (str(self), self.id)


class RowIds:
    """The ids of the rows, compared as text: a file keeps no types."""

    def __init__(self, ids: Any) -> None:
        self.texts = [str(name) for name in (ids.tolist() if hasattr(ids, "tolist") else list(ids))]
        self.row: dict[str, int] = {}
        for row, text in enumerate(self.texts):
            if self.row.setdefault(text, row) != row:
                raise ValueError(f"ids[{self.row[text]}] and ids[{row}] are both {text!r}. Every row needs its own id.")

    def __len__(self) -> int:
        return len(self.texts)

    def rows(self, cells: Sequence[Any], where: Callable[[int], str]) -> IntArray:
        """The row of each id; `where` names the place of a cell in a message."""
        found = np.fromiter((self.row.get(str(cell), -1) for cell in cells), np.int64, len(cells))
        unknown = np.flatnonzero(found < 0)
        if unknown.size:
            place = int(unknown[0])
            text = str(cells[place])
            message = f"{where(place)}: id {text!r} is not among the {len(self)} ids. Correct it, or add the id."
            raise UnknownIdError(message, text)
        return found


def row_numbers(cells: Sequence[Any], n_samples: int | None, where: Callable[[int], str]) -> IntArray:
    """Read row numbers; `where` names the place of a cell in a message."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iu":
        rows = cells.astype(np.int64)
    else:
        texts = [str(cell).strip() for cell in cells]
        wrong = next((place for place, text in enumerate(texts) if not ROW_NUMBER.fullmatch(text)), None)
        if wrong is not None:
            raise ValueError(f"{where(wrong)}: {cells[wrong]!r} is no row number. Pass ids=... to read ids.")
        rows = np.fromiter(map(int, texts), np.int64, len(texts))
    outside = np.flatnonzero((rows < 0) | (rows >= (n_samples if n_samples is not None else np.inf)))
    if outside.size:
        place = int(outside[0])
        known = "counted from 0" if n_samples is None else f"0 to {n_samples - 1}"
        raise ValueError(
            f"{where(place)}: row {rows[place]} is outside the rows, {known}. Correct it, or n_samples; pass ids=... "
            "to read ids."
        )
    return rows


@dataclass(frozen=True)
class _Lines:
    """The lines of a file as columns. In a line of a partition, `right` is "partition:block"."""

    source: str
    left: Sequence[Any]
    right: Sequence[Any]
    kind: Sequence[Any]
    weight: Sequence[Any] | None
    place: Callable[[int], str]
    n_samples: int | None

    def where(self, line: int) -> str:
        return f"{self.source}, {self.place(line)}"

    def kinds(self) -> dict[str, str | frozenset[str]]:
        """What each spelling of a kind means."""
        meaning = {}
        for line, kind in _first_appearances(self.kind):
            try:
                meaning[str(kind)] = _meaning(kind)
            except ValueError as error:
                raise ValueError(f"{self.where(line)}: {error}") from None
        return meaning


def read(path: str | os.PathLike[str], n_samples: int | None, ids: Any) -> Parts:
    """Read a file; if anything is wrong with it, nothing is read."""
    path = Path(path)
    row_ids = None if ids is None else RowIds(ids)
    if n_samples is not None:
        n_samples = whole_number(n_samples, "n_samples", remedy="Pass the number of rows, len(X).")
    lines = _read_lines(path)
    known = lines.n_samples if row_ids is None else len(row_ids)
    if n_samples is not None and known is not None and n_samples != known:
        source = f"ids names {known} rows" if row_ids is not None else f"the file is for {known} rows"
        raise ValueError(f"{path}: {source}, but n_samples = {n_samples}. Leave n_samples out, or correct it.")
    return _assemble(lines, known if n_samples is None else n_samples, row_ids)


def names_in(path: str | os.PathLike[str]) -> list[str]:
    """The rows that a file names, by ids or numbers, in order of first appearance."""
    lines = _read_lines(Path(path))
    in_partition = {text for text, kind in lines.kinds().items() if isinstance(kind, frozenset)}
    names: dict[str, None] = {}
    for left, right, kind in zip(lines.left, lines.right, lines.kind, strict=True):
        names[str(left)] = None
        if str(kind) not in in_partition:
            names[str(right)] = None
    return list(names)


def check_suffix(path: Path) -> str:
    """The suffix of a file of constraints, if it names a known format."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(
            f"{path} ends in {suffix!r}, which names no known format of hints. Use one of {', '.join(SUFFIXES)}."
        )
    return suffix


def _read_lines(path: Path) -> _Lines:
    if check_suffix(path) == ".json":
        return _read_json(path)
    table = read_raw(path)
    if not (table.n or table.columns):  # JSON lines have no header
        return _Lines(str(path), (), (), (), None, table.where, None)
    names = {name.strip().lower(): name for name in table.columns}
    if not {"left", "right", "kind"} <= set(names):
        raise ValueError(
            f"{path}: no header with the columns left, right, kind and, if you like, weight. "
            f"Found {table.listed_columns()}."
        )
    left, right, kind = (table.columns[names[name]] for name in ("left", "right", "kind"))
    weight = table.columns[names["weight"]] if "weight" in names else None
    return _Lines(str(path), left, right, kind, weight, table.where, _stored_n_samples(table))


def _stored_n_samples(table: RawTable) -> int | None:
    stored = table.metadata.get("n_samples")
    return None if stored is None else _n_samples(stored, table.source)


def _n_samples(value: Any, source: str) -> int:
    if isinstance(value, bool) or not str(value).isdecimal():
        raise ValueError(f"{source}: n_samples = {value!r} is no number of rows.")
    return int(value)


def _read_json(path: Path) -> _Lines:
    """Read an object with pairs, partitions and n_samples, each of them optional."""
    try:
        content = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {error.lineno}: not JSON: {error.msg}.") from None
    if not isinstance(content, dict):
        raise ValueError(
            f'{path}, line 1: expected an object {{"n_samples": ..., "pairs": [...], "partitions": [...]}}.'
        )
    places: list[str] = []
    lines: list[tuple[Any, Any, Any, Any]] = []
    for index, pair in enumerate(_list(content.get("pairs", []), f"{path}, pairs")):
        if not isinstance(pair, dict) or not {"left", "right", "kind"} <= set(pair):
            raise ValueError(
                f'{path}, pairs[{index}]: expected {{"left": ..., "right": ..., "kind": ..., "weight": ...}}.'
            )
        places.append(f"pairs[{index}]")
        lines.append((pair["left"], pair["right"], pair["kind"], pair.get("weight")))
    for number, partition in enumerate(_list(content.get("partitions", []), f"{path}, partitions")):
        where = f"partitions[{number}]"
        if not isinstance(partition, dict) or not {"kind", "blocks"} <= set(partition):
            raise ValueError(f'{path}, {where}: expected {{"kind": ..., "weight": ..., "blocks": [[...], ...]}}.')
        for code, block in enumerate(_list(partition["blocks"], f"{path}, {where}.blocks")):
            for row in _list(block, f"{path}, {where}.blocks[{code}]"):
                places.append(f"{where}.blocks[{code}]")
                lines.append((row, f"{number}:{code}", partition["kind"], partition.get("weight")))
    left, right, kind, weight = zip(*lines, strict=True) if lines else ((), (), (), ())
    n_samples = content.get("n_samples")
    n_samples = None if n_samples is None else _n_samples(n_samples, str(path))
    return _Lines(str(path), left, right, kind, weight, places.__getitem__, n_samples)


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{where}: expected a list, found {value!r}.")
    return value


def _assemble(lines: _Lines, n_samples: int | None, ids: RowIds | None) -> Parts:
    """The arguments of `Constraints`, or an error that names the line that is wrong."""
    kinds = lines.kinds()
    spelling = {text: number for number, text in enumerate(kinds)}
    spelled = np.fromiter((spelling[str(kind)] for kind in lines.kind), np.int64, len(lines.kind))
    weights = _weights(lines)

    def rows(cells: Sequence[Any], chosen: IntArray) -> IntArray:
        some = cells[chosen] if isinstance(cells, np.ndarray) else [cells[line] for line in chosen.tolist()]

        def where(place: int) -> str:
            return lines.where(int(chosen[place]))

        return row_numbers(some, n_samples, where) if ids is None else ids.rows(some, where)

    everything = np.arange(len(lines.left))
    left = rows(lines.left, everything)
    pairs: dict[str, tuple[IntArray, FloatArray]] = {}
    for which in ("must", "cannot"):
        chosen = np.flatnonzero(np.array([kind == which for kind in kinds.values()], dtype=np.bool_)[spelled])
        right = rows(lines.right, chosen)
        itself = np.flatnonzero(left[chosen] == right)
        if itself.size:
            line = int(chosen[itself[0]])
            raise ValueError(
                f"{lines.where(line)}: {lines.left[line]!s} is linked to itself. Remove the line, or correct it."
            )
        pairs[which] = np.column_stack([left[chosen], right]), weights[chosen]
    if n_samples is None:
        ends = [left, pairs["must"][0].ravel(), pairs["cannot"][0].ravel()]
        n_samples = int(np.concatenate(ends).max(initial=-1)) + 1
    partitions = _partitions(lines, kinds, left, weights, n_samples)
    (must, must_weight), (cannot, cannot_weight) = pairs["must"], pairs["cannot"]
    return Parts(n_samples, must, cannot, must_weight, cannot_weight, partitions)


def _partitions(
    lines: _Lines, kinds: dict[str, str | frozenset[str]], rows: IntArray, weights: FloatArray, n_samples: int
) -> list[Partition]:
    first_line: dict[str, int] = {}  # of each partition
    codes: dict[str, IntArray] = {}
    blocks: dict[str, dict[str, int]] = {}
    for line, (right, kind) in enumerate(zip(lines.right, lines.kind, strict=True)):
        meaning = kinds[str(kind)]
        if not isinstance(meaning, frozenset):
            continue
        name, colon, block = str(right).partition(":")
        if not colon:
            raise ValueError(f"{lines.where(line)}: {right!r} names no block. Write partition:block, as p0:3.")
        if name not in first_line:
            first_line[name] = line
            codes[name] = np.full(n_samples, -1, dtype=np.int64)
            blocks[name] = {}
        first = first_line[name]
        if meaning != kinds[str(lines.kind[first])] or weights[line] != weights[first]:
            raise ValueError(
                f"{lines.where(line)}: kind or weight differs from the first line of this partition. Write one for "
                "all of it."
            )
        code = blocks[name].setdefault(block, len(blocks[name]))
        if codes[name][rows[line]] not in (-1, code):
            raise ValueError(
                f"{lines.where(line)}: {lines.left[line]!s} is in two blocks of one partition. Keep one of them."
            )
        codes[name][rows[line]] = code
    return [
        Partition(
            codes[name],
            **{flag: word in kinds[str(lines.kind[line])] for word, flag in MEANINGS.items()},
            weight=float(weights[line]),
        )
        for name, line in first_line.items()
    ]


def _meaning(kind: Any) -> str | frozenset[str]:
    """Read a kind: "must" or "cannot", or the words of a partition."""
    text = str(kind).strip().lower()
    if text in KINDS:
        return KINDS[text]
    head, _, meaning = text.partition(":")
    words = frozenset(word.strip() for word in meaning.split(","))
    if head != "partition" or not words <= set(MEANINGS):
        raise ValueError(f"kind {kind!r} is not known. Write must-link (or same) or cannot-link (or different).")
    if {"same", "within"} <= words:
        raise ValueError(f"kind {kind!r} is both same and different within a block. Keep one.")
    return words


def _weights(lines: _Lines) -> FloatArray:
    """The weight of each line; 1 where there is none."""
    if lines.weight is None:
        return np.ones(len(lines.left))
    try:
        if not set(map(type, lines.weight)) <= {str, int, float, np.float64}:
            raise TypeError
        weights = np.array(lines.weight, dtype=np.float64)  # most columns are all numbers, and this is quick
        if np.isnan(weights).any():
            raise ValueError
    except (TypeError, ValueError):
        weights = np.array([1.0 if is_missing(cell) else _number(cell) for cell in lines.weight])
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if wrong.size:
        line = int(wrong[0])
        raise ValueError(
            f"{lines.where(line)}: weight {lines.weight[line]!r} is no finite number above 0. Leave it empty for 1."
        )
    return weights


def _number(cell: Any) -> float:
    try:
        return math.nan if isinstance(cell, bool) else float(cell)
    except (TypeError, ValueError):
        return math.nan


def _first_appearances(cells: Sequence[Any]) -> list[tuple[int, Any]]:
    first: dict[str, int] = {}
    for line, cell in enumerate(cells):
        first.setdefault(str(cell), line)
    return [(line, cells[line]) for line in first.values()]


def write(constraints: Constraints, path: str | os.PathLike[str], ids: Any) -> None:
    """Write a file, complete or not at all."""
    path = Path(path)
    suffix = check_suffix(path)
    row_ids = None if ids is None else RowIds(ids)
    if row_ids is not None and len(row_ids) != constraints.n_samples:
        raise ValueError(
            f"ids names {len(row_ids)} rows, the constraints have {constraints.n_samples}. Give one id for each row."
        )
    names: Sequence[Any] = range(constraints.n_samples) if row_ids is None else row_ids.texts
    if suffix == ".json":
        _write_json(constraints, path, names)
    else:
        write_columns(path, _columns(constraints, names))


def _columns(constraints: Constraints, names: Sequence[Any]) -> dict[str, list[Any]]:
    """A line for each pair, and for each row of a partition."""
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
        right += [f"p{number}:{partition.codes[row]}" for row in rows]
        kind += [_partition_kind(partition)] * len(rows)
        weight += [partition.weight] * len(rows)
    if constraints.partitions:  # one type a column
        left, right = [str(name) for name in left], [str(name) for name in right]
    columns = {"left": left, "right": right, "kind": kind}
    return columns if all(each == 1 for each in weight) else {**columns, "weight": weight}


def _write_json(constraints: Constraints, path: Path, names: Sequence[Any]) -> None:
    """Write an object with one line for each pair and each partition."""
    pairs = [
        {"left": names[i], "right": names[j], "kind": kind, "weight": weight}
        for kind, links, weights in _stated_pairs(constraints)
        for (i, j), weight in zip(links.tolist(), weights.tolist(), strict=True)
    ]
    partitions = []
    for partition in constraints.partitions:
        blocks: list[list[Any]] = [[] for _ in range(partition.n_blocks)]
        for row in np.flatnonzero(partition.codes >= 0).tolist():
            blocks[partition.codes[row]].append(names[row])
        partitions.append({"kind": _partition_kind(partition), "weight": partition.weight, "blocks": blocks})
    with atomic_write_text(path) as file:
        file.write(f'{{"n_samples": {constraints.n_samples},\n')
        file.write(f' "pairs": {_json_lines(pairs)},\n "partitions": {_json_lines(partitions)}}}\n')


def _stated_pairs(constraints: Constraints) -> Iterator[tuple[str, IntArray, FloatArray]]:
    """The kind of pairs, the pairs, and their weights."""
    yield "must-link", constraints.must_link, constraints.must_weight
    yield "cannot-link", constraints.cannot_link, constraints.cannot_weight


def _json_lines(items: Sequence[Any]) -> str:
    return "[" + ",".join("\n  " + json.dumps(item, ensure_ascii=False) for item in items) + "]"


def _partition_kind(partition: Partition) -> str:
    return "partition:" + ",".join(word for word, flag in MEANINGS.items() if getattr(partition, flag))
