"""Reading Excel workbooks; requires the extra ``xlsx``."""

from __future__ import annotations

import datetime
import warnings
import zipfile
from pathlib import Path
from typing import Any

from .._progress import report
from ._bytes import TEXT_COST
from ._damage import reading
from ._delimited import BATCH_LINES, check_names
from ._extras import extra
from ._limits import check_size
from ._raw import RawTable

ERRORS = frozenset({"#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#GETTING_DATA", "#SPILL!"})
"""Error values of formulas, which are read as missing."""

MOST_ROWS = 1_048_576
"""The maximum number of rows of an Excel sheet."""

BATCH_CELLS = 2**20
"""Number of cells between checks of the memory limit."""


def read_xlsx(path: Path, encoding: str | None) -> RawTable:
    """Read the first sheet that is not empty: a header, and one row for each item.

    Titles above the header, rows with a single cell, are skipped. Formulas are read as their saved values.
    """
    openpyxl = extra("openpyxl", "Excel files", name="xlsx", otherwise="Or save the sheet as CSV.")
    with (
        warnings.catch_warnings(),
        reading(path, "an Excel file", "Save it again as .xlsx or .csv."),
        zipfile.ZipFile(path) as packed,
        path.open("rb") as file,  # openpyxl would not close the file on errors
    ):
        warnings.simplefilter("ignore")  # openpyxl warns about styles and validations that it ignores
        check_size(path, sum(entry.file_size for entry in packed.infolist()), cost=TEXT_COST)
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        sheets = {sheet.title: _rows(path, sheet) for sheet in book.worksheets}
    filled = [title for title, rows in sheets.items() if rows]
    if not filled:
        raise ValueError(
            f"{path} is empty. It needs a header with the names of the columns, and one line for each row of data."
        )
    if len(filled) > 1:
        warnings.warn(
            f"{path} has {len(filled)} sheets: {', '.join(filled)}. Only {filled[0]!r} is read; to use another sheet, "
            "save it as a separate file.",
            stacklevel=2,
        )
    return _table(path, sheets[filled[0]])


def _rows(path: Path, sheet: Any) -> list[tuple[int, list[Any]]]:
    """The rows that are not empty, with their numbers."""
    found = []
    n_rows, n_cells, n_checked = sheet.max_row, 0, 0
    sheet.reset_dimensions()  # the stored dimensions may be wrong, and rows would be truncated or padded
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        row = [_value(cell) for cell in cells]
        while row and row[-1] is None:
            row.pop()
        if row:
            found.append((number, row))
        n_cells += len(row)
        if n_cells > n_checked + BATCH_CELLS:
            check_size(path, 8 * n_cells)
            n_checked = n_cells
        if n_rows and number % BATCH_LINES == 0:
            report(min(number, n_rows), n_rows)
        if number > MOST_ROWS:
            raise ValueError(f"{path}, sheet {sheet.title!r} has more than {MOST_ROWS:,} rows, the limit of Excel.")
    return found


def _value(cell: Any) -> Any:
    if isinstance(cell, str):
        return None if not cell.strip() or cell in ERRORS else cell
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return cell.isoformat(" ") if isinstance(cell, datetime.datetime) else cell


def _table(path: Path, rows: list[tuple[int, list[Any]]]) -> RawTable:
    width = max(len(cells) for _, cells in rows)
    while len(rows) > 1 and width > 1 and len(rows[0][1]) == 1:
        rows = rows[1:]
    names = ["" if cell is None else str(cell).strip() for cell in rows[0][1]]
    names += [f"column {place + 1}" for place in range(len(names), width)]
    check_names(path, names)
    body = [cells + [None] * (width - len(cells)) for _, cells in rows[1:]]
    columns = {name: [cells[place] for cells in body] for place, name in enumerate(names)}
    return RawTable(str(path), len(body), columns, lines=[number for number, _ in rows[1:]])
