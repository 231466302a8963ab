"""Records to and from the bytes of each file format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .._atomic import atomic_write, atomic_write_text
from .._progress_legacy import tell
from ._records import BadRecord, Record

COLUMNS = ("left", "right", "kind", "weight")
_REQUIRED = COLUMNS[:3]

TOLD = 5000
"""Lines after which progress is told."""


def read_csv(path: Path, delimiter: str) -> tuple[int | None, Iterator[Record]]:
    """Read a delimited table: comments, a header, records."""
    # only line ends of text files split lines here; str.splitlines would also split at an id's form feed
    lines = io.StringIO(_text(path), newline="").readlines()
    n_samples, skipped = None, 0
    while skipped < len(lines) and (lines[skipped].startswith("#") or not lines[skipped].strip()):
        name, _, value = lines[skipped].lstrip("#").partition("=")
        if name.strip() == "n_samples":
            n_samples = _n_samples(value.strip(), f"line {skipped + 1}")
        skipped += 1
    rows = csv.reader(lines[skipped:], delimiter=delimiter, strict=True)
    header = [name.strip().lower() for name in _next(rows, skipped) or []]
    column = _columns(header, f"line {skipped + max(rows.line_num, 1)}")

    def records() -> Iterator[Record]:
        while (row := _next(rows, skipped)) is not None:
            where = f"line {skipped + rows.line_num}"
            if rows.line_num % TOLD == 0:
                tell(rows.line_num, len(lines))
            if not row:
                continue
            if len(row) != len(header):
                raise BadRecord(
                    where,
                    f"{len(row)} columns where the header has {len(header)}. "
                    f"Quote an entry that holds a {delimiter!r}.",
                )
            yield Record(where, *(None if place is None else row[place] for place in column))

    return n_samples, records()


def write_csv(path: Path, n_samples: int, records: Sequence[Record], delimiter: str) -> None:
    """Write a delimited table; repr of a float gives back the same float."""
    texts = (text for record in records for text in (record.left, record.right))
    # Before Python 3.13 a lone carriage return was not quoted, and read back as the end of a line.
    returns = any("\r" in str(text) for text in texts)
    with atomic_write_text(path) as file:
        file.write(f"# n_samples={n_samples}\n")
        writer = csv.writer(
            file,
            delimiter=delimiter,
            lineterminator="\n",
            quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL,
        )
        writer.writerow(COLUMNS)
        writer.writerows(record[1:] for record in records)


def read_json(path: Path) -> tuple[int | None, Iterator[Record]]:
    """Read an object with pairs, partitions and n_samples, each of them optional."""
    try:
        content = json.loads(_text(path))
    except json.JSONDecodeError as error:
        raise BadRecord(f"line {error.lineno}", f"not JSON: {error.msg}.") from None
    if not isinstance(content, dict):
        raise BadRecord("line 1", 'expected an object {"n_samples": ..., "pairs": [...], "partitions": [...]}.')
    n_samples = content.get("n_samples")

    def records() -> Iterator[Record]:
        for index, pair in enumerate(_list(content.get("pairs", []), "pairs")):
            where = f"pairs[{index}]"
            if not isinstance(pair, dict) or not set(_REQUIRED) <= set(pair):
                raise BadRecord(where, 'expected {"left": ..., "right": ..., "kind": ..., "weight": ...}.')
            yield Record(where, pair["left"], pair["right"], pair["kind"], pair.get("weight"))
        for number, partition in enumerate(_list(content.get("partitions", []), "partitions")):
            where = f"partitions[{number}]"
            if not isinstance(partition, dict) or not {"kind", "blocks"} <= set(partition):
                raise BadRecord(where, 'expected {"kind": ..., "weight": ..., "blocks": [[...], ...]}.')
            for code, block in enumerate(_list(partition["blocks"], f"{where}.blocks")):
                for row in _list(block, f"{where}.blocks[{code}]"):
                    kind, weight = partition["kind"], partition.get("weight")
                    yield Record(f"{where}.blocks[{code}]", row, f"{number}:{code}", kind, weight)

    return None if n_samples is None else _n_samples(n_samples, "n_samples"), records()


def write_json(path: Path, n_samples: int, records: Sequence[Record]) -> None:
    """Write an object with one line for each pair and each partition."""
    pairs: list[dict[str, Any]] = []
    partitions: dict[str, dict[str, Any]] = {}
    for _, left, right, kind, weight in records:
        if not kind.startswith("partition:"):
            pairs.append({"left": left, "right": right, "kind": kind, "weight": weight})
            continue
        name, _, block = right.partition(":")
        blocks = partitions.setdefault(name, {"kind": kind, "weight": weight, "blocks": {}})["blocks"]
        blocks.setdefault(block, []).append(left)
    said = [{**partition, "blocks": list(partition["blocks"].values())} for partition in partitions.values()]

    def lines(items: Sequence[Any]) -> str:
        return "[" + ",".join("\n  " + json.dumps(item, ensure_ascii=False) for item in items) + "]"

    text = f'{{"n_samples": {n_samples},\n "pairs": {lines(pairs)},\n "partitions": {lines(said)}}}\n'
    with atomic_write_text(path) as file:
        file.write(text)


def read_parquet(path: Path) -> tuple[int | None, Iterator[Record]]:
    """Read a Parquet table."""
    arrow, parquet = _pyarrow()
    with path.open("rb") as file:
        try:
            table = parquet.read_table(file)
        except arrow.ArrowInvalid as error:
            raise BadRecord("as a whole", f"not Parquet: {error}") from None
    stored = (table.schema.metadata or {}).get(b"n_samples")
    names = [name.strip().lower() for name in table.column_names]
    values = [
        [None] * table.num_rows if place is None else table.column(place).to_pylist()
        for place in _columns(names, "schema")
    ]

    def records() -> Iterator[Record]:
        for index, entries in enumerate(zip(*values, strict=True)):
            yield Record(f"row {index}", *entries)

    return None if stored is None else _n_samples(stored.decode(), "schema metadata"), records()


def write_parquet(path: Path, n_samples: int, records: Sequence[Record]) -> None:
    """Write a Parquet table; left and right are text, as they hold rows, ids and blocks alike."""
    arrow, parquet = _pyarrow()
    texts = {name: [str(record[i]) for record in records] for i, name in enumerate(_REQUIRED, start=1)}
    schema = arrow.schema(
        [*((name, arrow.string()) for name in _REQUIRED), ("weight", arrow.float64())],
        metadata={"n_samples": str(n_samples)},
    )
    table = arrow.table({**texts, "weight": [record.weight for record in records]}, schema=schema)
    with atomic_write(path) as file:
        parquet.write_table(table, file)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError('Parquet files need pyarrow. Install it: pip install "likewise[io]"') from None
    return pyarrow, pyarrow.parquet


def _text(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")  # spreadsheets write a byte order mark
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadRecord(f"line {line}", f"not UTF-8 ({error.reason}). Save the file as UTF-8.") from None


def _columns(names: list[str], where: str) -> list[int | None]:
    if not set(_REQUIRED) <= set(names):
        raise BadRecord(
            where, f"no header with the columns {', '.join(COLUMNS)}. Found {', '.join(names) or 'nothing'}."
        )
    return [names.index(name) if name in names else None for name in COLUMNS]


def _n_samples(value: Any, where: str) -> int:
    if isinstance(value, bool) or not str(value).isdecimal():
        raise BadRecord(where, f"n_samples = {value!r} is no number of rows.")
    return int(value)


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadRecord(where, f"expected a list, found {value!r}.")
    return value


def _next(rows: Any, skipped: int) -> list[str] | None:
    """Take the next row of a csv reader, with its own errors told in ours."""
    try:
        return next(rows, None)
    except csv.Error as error:
        raise BadRecord(f"line {skipped + rows.line_num}", f"{error}. Check the quotes.") from None
