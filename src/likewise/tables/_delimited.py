"""CSV and TSV files."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from pathlib import Path

from ._contents import read_text
from ._raw import Progress, Raw

DELIMITERS = ",;\t|"
DECIMAL = re.compile(r"\s*[-+]?[0-9]+,[0-9]+\s*")
LARGEST = 2**31 - 1
"""Characters of one cell: whole articles are longer than Python's csv allows unless told."""


def read_delimited(path: Path, encoding: str, progress: Progress) -> Raw:
    """Read a table with a line of names; cells of a .csv file end with whichever of , ; tab | the names have."""
    text = read_text(path, encoding)
    first = text.lstrip("\n\r").partition("\n")[0]
    delimiter = "\t" if ".tsv" in path.suffixes[-2:] else max(DELIMITERS, key=first.count)
    lines: list[int] = []
    body: list[list[str]] = []
    before = csv.field_size_limit(LARGEST)
    try:
        stream = io.StringIO(text, newline="")
        rows = csv.reader(stream, delimiter=delimiter, strict=True)
        header = next((row for row in rows if row), [])
        _check_header(path, [name.strip() for name in header])
        for row in rows:
            if not row:
                continue
            if len(row) != len(header):
                raise ValueError(
                    f"{path}, line {rows.line_num}: {len(row)} cells where the header has {len(header)} columns. "
                    f"Quote a cell that holds a {delimiter!r}."
                )
            body.append([_dotted(cell) for cell in row] if delimiter == ";" else row)
            lines.append(rows.line_num)
            if len(lines) % 1_000 == 0:
                progress(f"reading {path.name}", stream.tell(), len(text))
    except csv.Error as error:
        raise ValueError(f"{path}, line {rows.line_num}: {error}. Check the quotes.") from None
    finally:
        csv.field_size_limit(before)
    names = [name.strip() for name in header]
    columns = {name: [row[place] for row in body] for place, name in enumerate(names)}
    return Raw(str(path), len(body), columns, lines=lines)


def _check_header(path: Path, header: list[str]) -> None:
    if not header:
        raise ValueError(f"{path} is empty. It needs a line with the names of the columns, and one for each row.")
    number = next((name for name in header if "." in name and _is_number(name)), None)
    if number is not None:
        raise ValueError(
            f"{path}, line 1 looks like data: {number!r} is a number. Put a line with the names of the columns on top."
        )
    name, times = Counter(header).most_common(1)[0]
    if times > 1:
        raise ValueError(f"{path}, line 1: {times} columns are called {name!r}. Give every column a name of its own.")


def _dotted(cell: str) -> str:
    """Where semicolons part cells, a comma parts the digits of a number."""
    return cell.replace(",", ".") if DECIMAL.fullmatch(cell) else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
