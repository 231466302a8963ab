"""What readers give, whichever the file: columns of single cells, and names for messages."""

import json
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest

from likewise._progress import observe
from likewise.tables import read_raw
from likewise.tables._json import parse_json
from likewise.tables._raw import RawTable, flat_columns
from likewise.tables._reading import format_of
from likewise.tables._transposed import transposed

DIFFERENT = "lists or objects of different kinds"


@pytest.mark.parametrize("cells", [["a", "b"], [1, None], [None, None], [], np.eye(2), np.array([[1], None], object)])
def test_cells_that_are_single_stay_what_they_are(cells):
    columns, left_out = flat_columns({"v": cells})
    assert columns["v"] is cells
    assert not left_out


@pytest.mark.parametrize(
    "cells",
    [
        [(1, 2, 3), [4, 5, 6]],
        [np.array([1, 2, 3]), np.array([4, 5, 6])],
        [["1", "2", "3"], [4, 5, 6]],
    ],
)
def test_lists_of_numbers_are_columns(cells):
    columns, left_out = flat_columns({"v": cells, "n": ["a", "b"]})
    assert list(columns) == ["v[0]", "v[1]", "v[2]", "n"]
    np.testing.assert_array_equal([columns[f"v[{place}]"] for place in range(3)], [[1, 4], [2, 5], [3, 6]])
    assert not left_out


@pytest.mark.parametrize(
    "cells",
    [
        [[1, 2], [3]],
        [[1, 2], None],
        [[1, 2], "ab"],
        [[1, 2], range(3, 5)],
        [[], []],
        [[[1, 2]], [[3, 4]]],
        [["a"], ["b"]],
        [[{}], [{}]],
        [[10**400], [1]],
        [{"a": 1}, {"a": 2}],
        [b"12", b"34"],
        [np.array(1.0), np.array(2.0)],
        ["a", (1,)],
    ],
)
def test_other_lists_are_left_out(cells):
    assert flat_columns({"v": cells, "n": ["a", "b"]}) == ({"n": ["a", "b"]}, {"v": DIFFERENT})


def test_a_table_is_what_it_is():
    raw = RawTable("t.csv", 2, {"a": [1, 2], "b": [3, 4]}, id="a")
    with pytest.raises(FrozenInstanceError):
        raw.n = 3
    assert raw != RawTable("t.csv", 2, {"a": [1, 2], "b": [3, 4]}, id="a")  # arrays in it have no truth value
    assert len({raw, raw}) == 1
    assert raw.without(["a", None]).columns == {"b": [3, 4]}
    assert raw.without(["a"]).id == "a"
    assert raw.column("b") == [3, 4]
    assert [raw.where(1), RawTable("t", 2, {}, lines=[2, 9]).where(1)] == ["row 1", "line 9"]


@pytest.mark.parametrize(
    ("count", "most", "listed"),
    [
        (0, 12, "none"),
        (12, 12, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"),
        (13, 12, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … (1 more)"),
        (2, 1, "0, … (1 more)"),
        (1, 1, "0"),
    ],
)
def test_the_first_columns_are_listed(count, most, listed):
    assert RawTable("t", 0, {str(place): [] for place in range(count)}).listed_columns(most) == listed
    if most == 12:
        assert RawTable("t", 0, {str(place): [] for place in range(count)}).listed_columns() == listed


def test_a_parameter_is_written_as_its_reader_would():
    assert RawTable("t.csv", 0, {}).option("text") == "--text"
    assert RawTable("X", 0, {}, in_memory=True).option("missing", "mean") == "missing='mean'"


# -- formats -----------------------------------------------------------------------------------------------------------


def is_header(first, rest):
    return False


def test_whether_a_first_line_has_names_is_asked_for_lines_alone(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1, "b": 2}\n')
    assert read_raw(tmp_path / "t.jsonl", is_header=is_header).columns == {"a": [1], "b": [2]}
    np.save(tmp_path / "t.npy", np.eye(2))
    assert read_raw(tmp_path / "t.npy", is_header=is_header).matrix.shape == (2, 2)
    for name in ("t.csv", "t.tsv", "t.txt", "T.TXT"):
        (tmp_path / name).write_text("1\t2\n")
        assert read_raw(tmp_path / name, is_header=is_header).columns == {"1": ["1"], "2": ["2"]}
    with pytest.raises(ValueError, match=r"ends in '\.txt', which is not a known format"):
        read_raw(tmp_path / "t.txt")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"t\.csv"):
        read_raw(tmp_path / "t.csv")
    with pytest.raises(FileNotFoundError, match=r"t\.doc"):
        read_raw(tmp_path / "t.doc")


def test_a_workbook_is_no_text_whoever_asks(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, 2])
    book.save(tmp_path / "t.xlsx")
    assert read_raw(tmp_path / "t.xlsx", is_header=is_header).columns == {"a": [1], "b": [2]}


@pytest.mark.parametrize(
    ("path", "name"), [("t.CSV", "CSV"), ("t.ndjson.gz", "JSON lines"), ("a.b.Mtx.GZ", "Matrix Market")]
)
def test_the_format_is_that_of_the_suffix(path, name):
    assert format_of(Path(path)).name == name


@pytest.mark.parametrize("path", ["t", "csv", "t.gz", "t.csv.bz2", "t.csv.gz.gz", ".csv", "t.npy.gz"])
def test_other_suffixes_are_no_format(path):
    with pytest.raises(ValueError, match=r"which is not a known format\. Use one of \.csv, \.tsv, "):
        format_of(Path(path))


# -- JSON lines --------------------------------------------------------------------------------------------------------


def test_progress_of_json_lines_counts_all_lines(tmp_path):
    seen = []
    (tmp_path / "t.jsonl").write_text('\n{"a": 1}' * 1_200)
    with observe(seen.append):
        assert read_raw(tmp_path / "t.jsonl").n == 1_200
    assert [(each.done, each.total) for each in seen if each.done is not None] == [(1_000, 1_201)]


def test_what_an_object_lacks_is_missing(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n\n{"b": "\u2028"}\n{}\n', encoding="utf-8")
    raw = read_raw(tmp_path / "t.jsonl")
    assert raw.columns == {"a": [1, None, None], "b": [None, "\u2028", None]}
    assert raw.lines == [1, 3, 4]


@pytest.mark.parametrize(
    ("text", "twice"), [('{"b": 1, "a": 1, "a": 2}', "a"), ('{"b": 1, "a": {"c": 1, "d": 1, "d": 1, "c": 1}}', "c")]
)
def test_the_first_name_that_is_there_twice_is_told(text, twice):
    with pytest.raises(ValueError, match=rf"t\.json, line 1: '{twice}' is there twice"):
        parse_json(text, Path("t.json"))


@pytest.mark.parametrize("value", [{"a": 1, "b": {"a": 2}}, [], None, 1.5, "é"])
def test_json_is_read_as_it_is(value):
    assert parse_json(json.dumps(value), Path("t.json"), 7) == value


# -- transposed --------------------------------------------------------------------------------------------------------


def test_a_column_without_a_cell_names_no_rows():
    columns = {"note": [None, ""], "gene": ["A", "B"], "S1": ["1", "2"], "S2": ["3", ""], "more": ["x", "1"]}
    raw = transposed(RawTable("t.csv", 2, columns, left_out={"zone": "why not"}))
    assert raw.columns["sample"] == ["S1", "S2"]
    np.testing.assert_array_equal(raw.columns["A"], [1, 3])
    np.testing.assert_array_equal(raw.columns["B"], [2, np.nan])
    reason = "not numbers, so it is not transposed"
    assert raw.left_out == {"zone": "why not", "note": reason, "more": reason}
    assert (raw.n, raw.id, raw.source) == (2, "sample", "t.csv")


def test_rows_without_names_are_numbered():
    raw = transposed(RawTable("t.csv", 2, {"S1": ["1", "2"], "S2": ["3", "4"], "S3": ["5", "6"]}))
    assert {name: list(cells) for name, cells in raw.columns.items()} == {
        "sample": ["S1", "S2", "S3"],
        "0": [1, 3, 5],
        "1": [2, 4, 6],
    }
    assert not raw.left_out


def test_a_column_of_numbers_may_name_the_rows():
    raw = transposed(RawTable("t.csv", 2, {"year": [2001, 2002], "S1": ["1", "2"], "S2": ["3", "4"]}), "year")
    assert list(raw.columns) == ["sample", "2001", "2002"]
    assert raw.columns["sample"] == ["S1", "S2"]


def test_a_long_column_without_a_cell_is_left_out():
    n = 300
    columns = {"note": [""] * n, "S1": ["1"] * n, "S2": ["2"] * n}
    raw = transposed(RawTable("t.csv", n, columns))
    assert raw.columns["sample"] == ["S1", "S2"]
    assert list(raw.left_out) == ["note"]
    assert len(raw.columns) == 1 + n
