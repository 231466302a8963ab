"""JSON lines: one object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ._contents import read_text
from ._raw import Progress, Raw, unfolded


def read_jsonl(path: Path, encoding: str, progress: Progress) -> Raw:
    """Read one object a line; what an object lacks is missing, and a list of numbers is a column for each."""
    records: list[dict[str, Any]] = []
    lines: list[int] = []
    text = read_text(path, encoding).split("\n")  # str.splitlines would also split inside strings
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"{path}, line {number} is not JSON: {error}.") from None
        if not isinstance(record, dict):
            raise ValueError(
                f'{path}, line {number} is {line.strip()[:40]!r}. Write an object: {{"id": …, "text": …}}.'
            )
        records.append(record)
        lines.append(number)
        if number % 1_000 == 0:
            progress(f"reading {path.name}", number, len(text))
    names = dict.fromkeys(name for record in records for name in record)
    columns = unfolded({name: [record.get(name) for record in records] for name in names})
    nested = [name for name, cells in columns.items() if isinstance(cells, list) and any(map(_is_nested, cells))]
    left_out = dict.fromkeys(nested, "lists or objects of different kinds")
    columns = {name: cells for name, cells in columns.items() if name not in left_out}
    return Raw(str(path), len(records), columns, lines=lines, left_out=left_out)


def _is_nested(cell: Any) -> bool:
    return isinstance(cell, dict | list)
