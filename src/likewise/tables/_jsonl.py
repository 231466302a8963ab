"""JSON lines: one object on each line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._progress import report
from ._bytes import read_text
from ._json import parse_json
from ._raw import RawTable, flat_columns

BATCH_LINES = 1_000
"""Lines that are read before progress is reported."""


def read_jsonl(path: Path, encoding: str | None) -> RawTable:
    """Read objects; what an object lacks is missing, and a list of numbers becomes one column for each of them."""
    records: list[dict[str, Any]] = []
    lines: list[int] = []
    text = read_text(path, encoding).split("\n")  # str.splitlines would also split inside strings
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        record = parse_json(line, path, number)
        if not isinstance(record, dict):
            raise ValueError(
                f'{path}, line {number} is {line.strip()[:40]!r}. Write an object: {{"id": …, "text": …}}.'
            )
        records.append(record)
        lines.append(number)
        if number % BATCH_LINES == 0:
            report(number, len(text))
    names = dict.fromkeys(name for record in records for name in record)
    columns, left_out = flat_columns({name: [record.get(name) for record in records] for name in names})
    return RawTable(str(path), len(records), columns, lines=lines, left_out=left_out)
