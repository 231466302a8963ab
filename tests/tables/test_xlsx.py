"""Excel workbooks, as people keep them."""

import datetime
import sys

import numpy as np
import pytest
from openpyxl import Workbook

from likewise import Constraints
from likewise.prepare import read_table
from likewise.sources.links import link_matrix
from likewise.tables import MissingExtraError, _xlsx, read_raw


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
