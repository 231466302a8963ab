"""CSV and TSV files."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from .._progress import report
from ._bytes import read_text
from ._raw import RawTable

DELIMITERS = ",;\t|"
BLANK = f"{DELIMITERS} \r"
"""Characters of a line without a filled cell."""

DECIMAL_COMMA = re.compile(r"\s*[-+]?[0-9]+,[0-9]+\s*")
SEPARATOR = re.compile(r"sep=([,;\t|])\s*", re.IGNORECASE)
"""The first line of a file by which Excel determines the delimiter."""

QUOTED = re.compile(r'"[^"]*"')
MAX_CELL = 2**31 - 1
"""Maximum length of a cell; Python's default limit is too small for long texts."""

MAX_TITLES = 12
"""Number of lines at the top in which titles and the header are searched."""

BATCH_LINES = 1_000
"""Lines that are read before progress is reported."""


IsHeader = Callable[[list[str], list[list[str]]], bool]
"""A function of the first line and the following lines that returns whether the first line has column names."""


def read_delimited(path: Path, encoding: str | None, is_header: IsHeader | None = None) -> RawTable:
    """Read a table with a header; the delimiter of a .csv file (comma, semicolon, tab or |) is determined from it.

    Lines at the top that start with # are comments, unless they have as many cells as the table; ``# name=value`` is
    stored as metadata. A first line ``sep=;`` specifies the delimiter. Lines with a single cell above the header are a
    title, and are skipped with a warning. Empty rows at the end and empty columns are ignored.

    With ``is_header`` the header may be missing, and spaces may separate cells; columns are then numbered from 1.
    """
    text = read_text(path, encoding)
    top, first, start = _top(text)
    said = SEPARATOR.fullmatch(top[0]) if top else None
    if is_header is None and (titles := _titles(path, text[start:], said[1] if said else None)):
        warnings.warn(
            f"{path}: {titles[0].strip(BLANK)[:60]!r} is taken as a title, and line "
            f"{len(top) + len(titles) + 1} as the names of the columns.",
            stacklevel=2,
        )
        top += titles
        start += sum(len(line) + 1 for line in titles)
        first = text[start:].partition("\n")[0]
    delimiter = said[1] if said else _delimiter(path, first, spaces=is_header is not None)
    if top and top[-1].startswith("#") and top[-1].count(delimiter) == first.count(delimiter):
        start -= len(top.pop()) + 1  # not a comment, but a header whose first name starts with #
    lines: list[int] = []
    body: list[list[str]] = []
    limit_before = csv.field_size_limit(MAX_CELL)
    try:
        stream = io.StringIO(text[start:], newline="")
        rows = csv.reader(stream, delimiter=delimiter, strict=True, skipinitialspace=delimiter == " ")
        names = [name.strip() for name in next((row for row in rows if row), [])]
        first_line = len(top) + rows.line_num
        if is_header is None:
            # columns without a name may be empty, which is known once they have been read
            check_names(path, names if names.count("") < 2 else [*filter(None, names), ""], first_line)
        for row in rows:
            if not row:
                continue
            if len(row) != len(names):
                raise _wrong_width(path, len(top) + rows.line_num, len(row), names, delimiter)
            body.append(row)
            lines.append(len(top) + rows.line_num)
            if len(lines) % BATCH_LINES == 0:
                report(start + stream.tell(), len(text))
    except csv.Error as error:
        raise ValueError(f"{path}, line {len(top) + rows.line_num}: {error}. Check the quotes.") from None
    finally:
        csv.field_size_limit(limit_before)
    while body and len(names) > 1 and not any(map(str.strip, body[-1])):
        body.pop()
        lines.pop()
    if names.count("") > 1:  # empty columns, as spreadsheets save them
        used = [place for place, name in enumerate(names) if name or any(row[place].strip() for row in body)]
        names, body = [names[place] for place in used], [[row[place] for place in used] for row in body]
    if is_header is not None and names and not is_header(names, body):
        body, lines = [names, *body], [first_line, *lines]
        names = [str(number) for number in range(1, len(names) + 1)]
    _check_distinct(path, names, first_line)
    columns = {name: [row[place] for row in body] for place, name in enumerate(names)}
    if delimiter == ";":
        columns = {name: _with_points(cells) for name, cells in columns.items()}
    return RawTable(str(path), len(body), columns, lines=lines, metadata=_metadata(top))


def _wrong_width(path: Path, line: int, width: int, names: list[str], delimiter: str) -> ValueError:
    where = f"{path}, line {line}: {width} cells"
    if len(names) == 1:
        return ValueError(
            f"{where}, but the first line, {names[0][:60]!r}, has one. If that is a title, delete all lines above the "
            "names of the columns."
        )
    return ValueError(f"{where} where the header has {len(names)} columns. Quote a cell that holds a {delimiter!r}.")


def _delimiter(path: Path, first: str, *, spaces: bool) -> str:
    """The delimiter of the first line."""
    if ".tsv" in path.suffixes[-2:]:
        return "\t"
    unquoted = QUOTED.sub("", first)
    if spaces and not any(mark in unquoted for mark in DELIMITERS) and " " in unquoted.strip():
        return " "
    return max(DELIMITERS, key=unquoted.count)


def _top(text: str) -> tuple[list[str], str, int]:
    """Empty lines and comments at the top, the first line after them, and its position."""
    top: list[str] = []
    start = 0
    while True:
        end = text.find("\n", start)
        line = text[start:] if end < 0 else text[start:end]
        comment = line.startswith("#") or (not top and SEPARATOR.fullmatch(line))
        if end < 0 or (line.strip() and not comment):
            return top, line, start
        top.append(line)
        start = end + 1


def _titles(path: Path, text: str, delimiter: str | None) -> list[str]:
    """The lines above the names of the columns: a title, and empty ones; none if there is no title.

    Names are in a line with several cells, followed by a line with as many. A title is a first cell alone. Above two
    columns it must have empty cells beside it or an empty line below it, since a text with a comma looks the same.
    """
    lines = text.split("\n", MAX_TITLES)[:-1]
    filled = [place for place, line in enumerate(lines) if line.strip(BLANK)]
    for number, (place, following) in enumerate(pairwise(filled)):
        mark = delimiter or _delimiter(path, lines[place], spaces=False)
        names, row = _cells(lines[place], mark), _cells(lines[following], mark)
        if sum(map(bool, names)) < 2 or len(names) != len(row):
            continue
        above = [_cells(lines[title], mark) for title in filled[:number]]
        alone = all(cells[0] and not any(cells[1:]) for cells in above)
        quoted = any(line.count('"') % 2 for line in lines[:place])  # a name of several lines
        apart = len(names) > 2 or place > number or any(len(cells) > 1 for cells in above)
        return lines[:place] if alone and apart and not quoted else []
    return []


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [""])]
    except csv.Error:  # reported where the file is read
        return [line]


def _metadata(top: list[str]) -> dict[str, str]:
    pairs = (line[1:].partition("=") for line in top if line.startswith("#") and "=" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def check_names(path: Path, names: list[str], line: int = 1) -> None:
    """Raise an error for column names that look like data, or are not distinct."""
    numbers = [name for name in names if _is_number(name)]
    with_point = next((name for name in numbers if "." in name), None)
    if with_point is not None:
        raise ValueError(
            f"{path}, line {line} looks like data: {with_point!r} is a number. Put a line with the names of the "
            "columns on top."
        )
    if names and len(numbers) == len(names):
        if len(names) == 1 or names != list(map(str, range(len(names)))):
            shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            raise ValueError(
                f"{path}, line {line} looks like data: {shown} are numbers. Put a line with the names of the columns "
                "on top; if these are the names, put a letter before each."
            )
        warnings.warn(  # as data frames without names are written
            f"{path}: its first line, {names[0]}, {names[1]}{', …' if len(names) > 2 else ''}, is taken as the names "
            "of the columns. If it is data, put a line with names on top.",
            stacklevel=2,
        )
    _check_distinct(path, names, line)


def _check_distinct(path: Path, names: list[str], line: int) -> None:
    if not names:
        raise ValueError(f"{path} is empty. It needs a line with the names of the columns, and one for each row.")
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise ValueError(
            f"{path}, line {line}: {times} columns are called {name!r}. Give every column a name of its own."
        )


def _with_points(cells: list[str]) -> list[str]:
    """Convert decimal commas, which are used if semicolons separate cells.

    A column that also has numbers such as 1.234,50 is left unchanged; its notation is determined later.
    """
    with_comma = [DECIMAL_COMMA.fullmatch(cell) is not None for cell in cells]
    if all(comma or "," not in cell for cell, comma in zip(cells, with_comma, strict=True)):
        return [cell.replace(",", ".") for cell in cells]
    return cells


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
