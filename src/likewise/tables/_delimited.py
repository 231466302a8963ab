"""CSV and TSV files."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from pathlib import Path

from .._progress import report
from ._bytes import read_text
from ._raw import RawTable

DELIMITERS = ",;\t|"
DECIMAL_COMMA = re.compile(r"\s*[-+]?[0-9]+,[0-9]+\s*")
QUOTED = re.compile(r'"[^"]*"')
MAX_CELL = 2**31 - 1
"""Characters of one cell: whole articles are longer than Python's csv allows by default."""

BATCH_LINES = 1_000
"""Lines that are read before progress is reported."""


def read_delimited(path: Path, encoding: str | None) -> RawTable:
    """Read a table with a line of names; cells of a .csv file end with whichever of , ; tab | the names have.

    Lines at the top that begin with # are comments, unless they have as many cells as the table; ``# name=value`` is
    kept as metadata.
    """
    text = read_text(path, encoding)
    top, first, start = _top(text)
    delimiter = "\t" if ".tsv" in path.suffixes[-2:] else max(DELIMITERS, key=QUOTED.sub("", first).count)
    if top and top[-1].startswith("#") and top[-1].count(delimiter) == first.count(delimiter):
        start -= len(top.pop()) + 1  # no comment: names of columns, the first of which begins with #
    lines: list[int] = []
    body: list[list[str]] = []
    limit_before = csv.field_size_limit(MAX_CELL)
    try:
        stream = io.StringIO(text[start:], newline="")
        rows = csv.reader(stream, delimiter=delimiter, strict=True)
        names = [name.strip() for name in next((row for row in rows if row), [])]
        _check_names(path, names)
        for row in rows:
            if not row:
                continue
            if len(row) != len(names):
                raise ValueError(
                    f"{path}, line {len(top) + rows.line_num}: {len(row)} cells where the header has {len(names)} "
                    f"columns. Quote a cell that holds a {delimiter!r}."
                )
            body.append([_with_point(cell) for cell in row] if delimiter == ";" else row)
            lines.append(len(top) + rows.line_num)
            if len(lines) % BATCH_LINES == 0:
                report(start + stream.tell(), len(text))
    except csv.Error as error:
        raise ValueError(f"{path}, line {len(top) + rows.line_num}: {error}. Check the quotes.") from None
    finally:
        csv.field_size_limit(limit_before)
    columns = {name: [row[place] for row in body] for place, name in enumerate(names)}
    return RawTable(str(path), len(body), columns, lines=lines, metadata=_metadata(top))


def _top(text: str) -> tuple[list[str], str, int]:
    """Empty lines and comments at the top, the first line after them, and where it begins."""
    top: list[str] = []
    start = 0
    while True:
        end = text.find("\n", start)
        line = text[start:] if end < 0 else text[start:end]
        if end < 0 or (line.strip() and not line.startswith("#")):
            return top, line, start
        top.append(line)
        start = end + 1


def _metadata(top: list[str]) -> dict[str, str]:
    pairs = (line[1:].partition("=") for line in top if line.startswith("#") and "=" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _check_names(path: Path, names: list[str]) -> None:
    if not names:
        raise ValueError(f"{path} is empty. It needs a line with the names of the columns, and one for each row.")
    number = next((name for name in names if "." in name and _is_number(name)), None)
    if number is not None:
        raise ValueError(
            f"{path}, line 1 looks like data: {number!r} is a number. Put a line with the names of the columns on top."
        )
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise ValueError(f"{path}, line 1: {times} columns are called {name!r}. Give every column a name of its own.")


def _with_point(cell: str) -> str:
    """Where semicolons separate cells, numbers are written with a decimal comma."""
    return cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell) else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
