"""Hints as records, one for each pair and each row of a partition, whatever file they are in."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._partition import Partition

if TYPE_CHECKING:
    from ._constraints import Constraints

KINDS = {"must-link": "must", "same": "must", "cannot-link": "cannot", "different": "cannot"}
MEANINGS = {"same": "same_within", "across": "different_across", "within": "different_within"}


class Record(NamedTuple):
    """A line of a file. `left` and `right` are rows or ids; in a partition `right` is "partition:block"."""

    where: str
    left: Any
    right: Any
    kind: Any
    weight: Any


class BadRecord(Exception):
    """A line that cannot be read: where it is and why."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(where, why)
        self.where, self.why = where, why


class UnknownIdError(ValueError):
    """A file of constraints names an id that no row has.

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


class UnknownId(BadRecord):
    """A record that names an id that no row has."""

    def __init__(self, where: str, name: str, n_ids: int) -> None:
        super().__init__(where, f"id {name!r} is not among the {n_ids} ids. Correct it, or add the id.")
        self.name = name


class RowNames:
    """The person's own ids of the rows, compared as text: a file keeps no types."""

    def __init__(self, ids: Any) -> None:
        self.texts = [str(name) for name in (ids.tolist() if hasattr(ids, "tolist") else list(ids))]
        self.row: dict[str, int] = {}
        for row, text in enumerate(self.texts):
            if self.row.setdefault(text, row) != row:
                raise ValueError(f"ids[{self.row[text]}] and ids[{row}] are both {text!r}. Every row needs its own id.")

    def __len__(self) -> int:
        return len(self.texts)


def records_of(constraints: Constraints, names: RowNames | None) -> Iterator[Record]:
    """Write hints as records."""
    name: Any = int if names is None else names.texts.__getitem__
    pairs = (
        ("must-link", constraints.must_link, constraints.must_weight),
        ("cannot-link", constraints.cannot_link, constraints.cannot_weight),
    )
    for kind, links, weights in pairs:
        for (left, right), weight in zip(links.tolist(), weights.tolist(), strict=True):
            yield Record("", name(left), name(right), kind, weight)
    for number, partition in enumerate(constraints.partitions):
        kind = "partition:" + ",".join(word for word, flag in MEANINGS.items() if getattr(partition, flag))
        for row in np.flatnonzero(partition.codes >= 0).tolist():
            yield Record("", name(row), f"p{number}:{partition.codes[row]}", kind, partition.weight)


def assemble(records: Iterable[Record], n_samples: int | None, names: RowNames | None) -> Constraints:
    """Build hints from records, or raise BadRecord at the first that is wrong."""
    from ._constraints import Constraints

    pairs: dict[str, list[tuple[int, int]]] = {"must": [], "cannot": []}
    weights: dict[str, list[float]] = {"must": [], "cannot": []}
    partitions: dict[str, _Blocks] = {}
    largest = -1
    for record in records:
        kind = _kind(record)
        weight = _weight(record)
        left = _row(record, record.left, n_samples, names)
        if isinstance(kind, frozenset):
            right = left
            partition, colon, block = str(record.right).partition(":")
            if not colon:
                raise BadRecord(record.where, f"{record.right!r} names no block. Write partition:block, as p0:3.")
            partitions.setdefault(partition, _Blocks(kind, weight)).add(record, kind, weight, left, block)
        else:
            right = _row(record, record.right, n_samples, names)
            if left == right:
                raise BadRecord(record.where, f"{record.left!r} is linked to itself. Remove the line, or correct it.")
            pairs[kind].append((left, right))
            weights[kind].append(weight)
        largest = max(largest, left, right)
    n_samples = largest + 1 if n_samples is None else n_samples
    return Constraints(
        n_samples,
        pairs["must"],
        pairs["cannot"],
        weights["must"],
        weights["cannot"],
        [blocks.build(n_samples) for blocks in partitions.values()],
    )


class _Blocks:
    """A partition while its rows are being read."""

    def __init__(self, kind: frozenset[str], weight: float) -> None:
        self.kind, self.weight = kind, weight
        self.code: dict[str, int] = {}
        self.of_row: dict[int, int] = {}

    def add(self, record: Record, kind: frozenset[str], weight: float, row: int, block: str) -> None:
        if (kind, weight) != (self.kind, self.weight):
            raise BadRecord(
                record.where,
                "kind or weight differs from the first line of this partition. Write one for all of it.",
            )
        code = self.code.setdefault(block, len(self.code))
        if self.of_row.setdefault(row, code) != code:
            raise BadRecord(record.where, f"{record.left!r} is in two blocks of one partition. Keep one of them.")

    def build(self, n_samples: int) -> Partition:
        codes = np.full(n_samples, -1, dtype=np.int64)
        codes[list(self.of_row)] = list(self.of_row.values())
        return Partition(codes, **{flag: word in self.kind for word, flag in MEANINGS.items()}, weight=self.weight)


def _kind(record: Record) -> str | frozenset[str]:
    text = str(record.kind).strip().lower()
    if text in KINDS:
        return KINDS[text]
    head, _, meaning = text.partition(":")
    words = frozenset(word.strip() for word in meaning.split(","))
    if head != "partition" or not words <= set(MEANINGS):
        raise BadRecord(
            record.where,
            f"kind {record.kind!r} is not known. Write must-link (or same) or cannot-link (or different).",
        )
    if {"same", "within"} <= words:
        raise BadRecord(record.where, f"kind {record.kind!r} says both same and different within a block. Keep one.")
    return words


def _weight(record: Record) -> float:
    if record.weight is None or (isinstance(record.weight, str) and not record.weight.strip()):
        return 1.0
    try:
        weight = math.nan if isinstance(record.weight, bool) else float(record.weight)
    except (TypeError, ValueError):
        weight = math.nan
    if not (math.isfinite(weight) and weight > 0):
        raise BadRecord(record.where, f"weight {record.weight!r} is no finite number above 0. Leave it empty for 1.")
    return weight


def _row(record: Record, value: Any, n_samples: int | None, names: RowNames | None) -> int:
    if names is not None:
        if (row := names.row.get(str(value))) is None:
            raise UnknownId(record.where, str(value), len(names))
        return row
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        raise BadRecord(record.where, f"{value!r} is no row number. Pass ids=... to read record ids.")
    row = int(text)
    if row < 0 or (n_samples is not None and row >= n_samples):
        rows = "counted from 0" if n_samples is None else f"0 to {n_samples - 1}"
        raise BadRecord(record.where, f"row {row} is outside the rows, {rows}. Correct it, or n_samples.")
    return row
