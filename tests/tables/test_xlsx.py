"""Excel workbooks, as people keep them."""

import datetime
import itertools
import re
import sys
import zipfile

import numpy as np
import openpyxl
import pytest
from openpyxl import Workbook

from likewise import Constraints
from likewise._progress import observe
from likewise.prepare import read_table
from likewise.sources.links import link_matrix
from likewise.tables import MissingExtraError, _limits, _xlsx, read_raw


def save(path, *sheets):
    """A workbook with sheets of rows."""
    book = Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"Sheet {number + 1}")
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


ROWS = [["id", "size", "town", "day"], ["a", 1.5, "Rome", datetime.datetime(2024, 1, 31)],
        ["b", None, "Oslo", datetime.datetime(2024, 2, 1, 12, 30)], ["c", 3, "#N/A", None]]  # fmt: skip


def test_cells_are_what_they_are(tmp_path):
    raw = read_raw(save(tmp_path / "t.xlsx", ROWS))
    assert raw.columns == {
        "id": ["a", "b", "c"],
        "size": [1.5, None, 3],
        "town": ["Rome", "Oslo", None],
        "day": ["2024-01-31", "2024-02-01 12:30:00", None],
    }
    assert [raw.where(row) for row in range(3)] == ["line 2", "line 3", "line 4"]


def test_a_workbook_is_read_as_a_csv_file_is(tmp_path):
    rng = np.random.default_rng(0)
    rows = [["id", "a", "b"], *([f"r{row}", *map(float, rng.normal(size=2))] for row in range(8))]
    (tmp_path / "t.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    found, expected = read_table(save(tmp_path / "t.xlsx", rows)), read_table(tmp_path / "t.csv")
    np.testing.assert_allclose(found.X, expected.X)
    assert found.ids == expected.ids


def test_titles_and_empty_rows_are_passed_over(tmp_path):
    path = save(tmp_path / "t.xlsx", [["Measured in May"], [], *ROWS[:2], [None, " "], ROWS[2]])
    raw = read_raw(path)
    assert raw.columns["id"] == ["a", "b"]
    assert raw.lines == [4, 6]
    for rows in ([["Measured in May"], ["a", "b"]], [["Measured"], ["in May"], ["a", "b"]]):
        raw = read_raw(save(tmp_path / "t.xlsx", rows))
        assert raw.columns == {"a": [], "b": []}


def test_of_several_sheets_the_first_that_is_filled_is_read(tmp_path):
    with pytest.warns(UserWarning, match="has 2 sheets: Sheet 2, Sheet 3. Only 'Sheet 2' is read"):
        raw = read_raw(save(tmp_path / "t.xlsx", [], ROWS, [["note"], ["x"]]))
    assert list(raw.columns) == ["id", "size", "town", "day"]


def test_the_size_is_looked_at_whenever_a_batch_of_cells_is_read(tmp_path, monkeypatch):
    path = save(tmp_path / "t.xlsx", [["a", "b"], [1, 2], [3, 4], [5, 6]])
    sizes = []
    monkeypatch.setattr(_xlsx, "BATCH_CELLS", 3)
    monkeypatch.setattr(_xlsx, "check_size", lambda path, needed, cost=1.0: sizes.append(needed))
    assert read_raw(path).n == 3
    assert sizes[1:] == [8 * 4, 8 * 8]


def test_hints_and_links(tmp_path):
    hints = save(tmp_path / "hints.xlsx", [["a", "b", "same"], ["ann", "cy", True], ["ann", "bob", False]])
    assert Constraints.read(hints, ids=["ann", "bob", "cy"]) == Constraints(3, [(0, 2)], [(0, 1)])
    links = save(tmp_path / "links.xlsx", [["source", "target"], [0, 2], [1, 2]])
    assert link_matrix(links, 3).toarray().tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "is empty. It needs a header with the names"),
        ([["a", "b", "a"], [1, 2, 3]], "2 columns are called 'a'"),
        ([["a", "b"], [1, 2, 3]], None),
    ],
)
def test_what_is_wrong_is_said(tmp_path, rows, message):
    path = save(tmp_path / "t.xlsx", rows)
    if message is None:
        assert list(read_raw(path).columns) == ["a", "b", "column 3"]
        return
    with pytest.raises(ValueError, match=message):
        read_raw(path)


def test_other_files(tmp_path, monkeypatch):
    path = tmp_path / "t.xlsx"
    path.write_bytes(b"id,a\n1,2\n")
    with pytest.raises(ValueError, match="is not an Excel file, or is damaged"):
        read_raw(path)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r'Install it: pip install "likewise\[xlsx\]"'):
        read_raw(path)


def changed(path, part, pattern, text):
    """The workbook with some text of a part replaced."""
    with zipfile.ZipFile(path) as packed:
        parts = {entry.filename: packed.read(entry) for entry in packed.infolist()}
    parts[part], times = re.subn(pattern, text, parts[part])
    assert times == 1
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return path


SHEET = "xl/worksheets/sheet1.xml"


def test_of_a_formula_its_saved_value_is_read(tmp_path):
    path = save(tmp_path / "t.xlsx", [["a", "b"], [1, "=A2+1"]])
    changed(path, SHEET, rb"</f><v( ?/>|></v>)", b"</f><v>2</v>")
    assert read_raw(path).columns == {"a": [1], "b": [2]}


def test_the_size_that_a_sheet_states_is_not_believed(tmp_path):
    rows = [["a", "b"], [1, 2], [3, 4]]
    for stated in (b"A1:A1", b"A1:Z90"):
        path = changed(save(tmp_path / "t.xlsx", rows), SHEET, b"A1:B3", stated)
        raw = read_raw(path)
        assert raw.columns == {"a": [1, 3], "b": [2, 4]}
        assert raw.lines == [2, 3]


def test_what_openpyxl_warns_of_is_not_told(tmp_path):
    path = save(tmp_path / "t.xlsx", [["a", "b"], [1, 2]])
    changed(path, "xl/styles.xml", rb"(?s)<cellStyles.*</cellStyles>", b"<cellStyles></cellStyles>")
    with pytest.warns(UserWarning, match="default style"):
        openpyxl.load_workbook(path)
    assert read_raw(path).n == 1  # warnings are errors here


def test_the_parts_of_a_workbook_are_counted_before_they_are_read(tmp_path, monkeypatch):
    path = save(tmp_path / "t.xlsx", [["a", "b"], [1, 2]])
    with zipfile.ZipFile(path) as packed:
        size = sum(entry.file_size for entry in packed.infolist())
    monkeypatch.setattr(_limits, "SMALL", 0)
    monkeypatch.setattr(_limits, "memory_left", lambda: 8 * size)
    assert read_raw(path).n == 1
    monkeypatch.setattr(_limits, "memory_left", lambda: 8 * size - 1)
    with pytest.raises(MemoryError, match=r"t\.xlsx needs about"):
        read_raw(path)


class Sheet:
    """As openpyxl has sheets."""

    title = "S"

    def __init__(self, rows, max_row=None):
        self.rows, self.max_row = rows, max_row

    def reset_dimensions(self):
        pass

    def iter_rows(self, values_only):
        assert values_only
        return iter(self.rows)


@pytest.mark.parametrize(
    ("lengths", "sizes"),
    [
        ([2, 2, 2, 2], [4, 8]),
        ([3, 3, 3, 3], [6, 12]),
        ([3, 1, 3, 1], [4, 8]),
        ([4, 4], [4, 8]),
        ([3], []),
        ([1, 0, 1, 9], [11]),
    ],
)
def test_cells_are_counted_in_batches(tmp_path, monkeypatch, lengths, sizes):
    found = []
    monkeypatch.setattr(_xlsx, "BATCH_CELLS", 3)
    monkeypatch.setattr(_xlsx, "check_size", lambda path, needed: found.append(needed))
    rows = _xlsx._rows(tmp_path, Sheet([(1,) * length for length in lengths]))
    assert rows == [(number, [1] * length) for number, length in enumerate(lengths, start=1) if length]
    assert found == [8 * size for size in sizes]


def test_cells_at_the_end_of_a_row_that_are_empty_are_none(tmp_path):
    rows = [(None, 1, None), (None, None), (), ("", 2, " ", "#REF!"), (None, 3), (0, False, None)]
    assert _xlsx._rows(tmp_path, Sheet(rows)) == [(1, [None, 1]), (4, [None, 2]), (5, [None, 3]), (6, [0, False])]


def test_a_sheet_has_no_more_rows_than_excel_allows(tmp_path):
    assert _xlsx._rows(tmp_path, Sheet(itertools.repeat((), 2**20))) == []
    with pytest.raises(ValueError, match="sheet 'S' has more than 1,048,576 rows, the limit of Excel"):
        _xlsx._rows(tmp_path, Sheet(itertools.repeat((), 2**20 + 1)))


@pytest.mark.parametrize(
    ("stated", "reports"),
    [(1_500, [(1_000, 1_500), (1_500, 1_500)]), (2_500, [(1_000, 2_500), (2_000, 2_500)]), (None, []), (0, [])],
)
def test_progress_of_a_sheet_is_that_of_the_rows_it_states(tmp_path, stated, reports):
    seen = []
    with observe(seen.append):
        _xlsx._rows(tmp_path, Sheet([(1,)] * 2_500, stated))
    assert [(each.done, each.total) for each in seen] == reports


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("#SPILL!", None),
        ("#N/A ", "#N/A "),
        (" \t", None),
        (" a ", " a "),
        (0, 0),
        (False, False),
        (None, None),
        (datetime.datetime(2024, 1, 31), "2024-01-31"),
        (datetime.datetime(2024, 1, 31, 0, 0, 1), "2024-01-31 00:00:01"),
        (datetime.date(2024, 1, 31), datetime.date(2024, 1, 31)),
        (datetime.time(), datetime.time()),
    ],
)
def test_values_of_cells(cell, value):
    assert _xlsx._value(cell) == value


@pytest.mark.parametrize(
    ("rows", "columns", "lines"),
    [
        ([["text"], ["a"], ["b"]], {"text": ["a", "b"]}, [2, 3]),
        ([["a", "b"]], {"a": [], "b": []}, []),
        ([["T"], ["a", "b"], [1], [2, 3]], {"a": [1, 2], "b": [None, 3]}, [3, 4]),
        ([["T"], [], ["U"], ["a", "b", "c"], [1]], {"a": [1], "b": [None], "c": [None]}, [5]),
        ([["a", " b "], [1, 2, 3, 4]], {"a": [1], "b": [2], "column 3": [3], "column 4": [4]}, [2]),
        ([[None, "b"], ["x", 1]], {"": ["x"], "b": [1]}, [2]),
        ([["T"]], {"T": []}, []),
    ],
)
def test_the_header_is_below_titles_and_as_wide_as_the_widest_row(tmp_path, rows, columns, lines):
    raw = read_raw(save(tmp_path / "t.xlsx", rows))
    assert raw.columns == columns
    assert (raw.n, raw.lines) == (len(lines), lines)


def test_a_sheet_of_numbers_alone_looks_like_data(tmp_path):
    with pytest.raises(ValueError, match=r"t\.xlsx, line 1 looks like data: '1\.5' is a number"):
        read_raw(save(tmp_path / "t.xlsx", [[1.5, 2], [3, 4]]))


def test_a_warning_is_about_the_call(tmp_path):
    path = save(tmp_path / "t.xlsx", [["a", "b"], [1, 2]], [["c"], [3]])
    with pytest.warns(UserWarning, match="has 2 sheets") as warned:
        _xlsx.read_xlsx(path, None)
    assert warned[0].filename == __file__
