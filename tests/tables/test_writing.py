"""Results in every format."""

import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from likewise.prepare import write_columns
from likewise.tables import MissingExtraError, read_raw
from likewise.tables._pieces import write_pieces
from likewise.tables._writing import checked_suffix

COLUMNS = {"id": ["a", 'b"', "c,d"], "cluster": np.array([0, 1, 0])}


def test_formats(tmp_path):
    assert write_columns(tmp_path / "t.csv", COLUMNS).read_text() == 'id,cluster\na,0\n"b""",1\n"c,d",0\n'
    assert write_columns(tmp_path / "t.tsv", COLUMNS).read_text().splitlines()[0] == "id\tcluster"
    assert write_columns(tmp_path / "t.jsonl", COLUMNS).read_text().splitlines()[0] == '{"id": "a", "cluster": 0}'
    assert pyarrow.parquet.read_table(write_columns(tmp_path / "t.parquet", COLUMNS)).to_pydict() == {
        "id": COLUMNS["id"],
        "cluster": [0, 1, 0],
    }
    np.testing.assert_array_equal(np.load(write_columns(tmp_path / "t.npy", COLUMNS)), [0, 1, 0])
    with pytest.raises(ValueError, match="is not a known format"):
        write_columns(tmp_path / "t.doc", COLUMNS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv", "t.jsonl", "t.npy", "t.parquet", "t.tsv"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_columns_of_two_lengths_are_refused_and_nothing_is_written(tmp_path, suffix):
    with pytest.raises(ValueError, match=r"length|shorter|longer"):
        write_columns(tmp_path / f"t{suffix}", {"id": ["a", "b", "c"], "cluster": [0, 1]})
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_is_missing_is_told_before_the_work_begins(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="Parquet files need pyarrow"):
        checked_suffix(Path("t.parquet"))
    for suffix in (".csv", ".tsv", ".jsonl", ".npy"):
        assert checked_suffix(Path(f"t{suffix.upper()}")) == suffix


def in_pieces(columns, places=(0, 2)):
    """The same columns, some rows at a time."""
    for start, stop in zip(places, [*places[1:], None], strict=True):
        yield {name: values[start:stop] for name, values in columns.items()}


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".npy"])
def test_pieces_make_the_same_file_as_all_rows_at_once(tmp_path, suffix):
    whole = write_columns(tmp_path / f"whole{suffix}", COLUMNS)
    path = write_pieces(tmp_path / f"t{suffix}", 3, in_pieces(COLUMNS))
    assert path == tmp_path / f"t{suffix}"
    assert path.read_bytes() == whole.read_bytes()


def test_pieces_of_a_parquet_file_have_the_types_of_the_first(tmp_path):
    columns = {**COLUMNS, "certainty": np.ma.masked_array([0.5, 0.25, 1.0], [False, True, False])}
    path = write_pieces(tmp_path / "t.parquet", 3, in_pieces(columns))
    assert pyarrow.parquet.read_table(path).to_pydict() == {
        "id": COLUMNS["id"],
        "cluster": [0, 1, 0],
        "certainty": [0.5, None, 1.0],
    }


def test_of_an_npy_file_in_pieces_the_column_after_the_ids_is_written(tmp_path):
    rows = np.arange(12.0).reshape(3, 4)
    columns = {"id": np.arange(3), "coordinates": rows, "cluster": np.array([5, 6, 7])}
    np.testing.assert_array_equal(np.load(write_pieces(tmp_path / "t.npy", 3, in_pieces(columns))), rows)


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_cell_with_a_carriage_return_is_one_cell(tmp_path, suffix):
    columns = {"id": ["a\rb", "c", "d"], "cluster": [0, 1, 0]}
    for path in (
        write_pieces(tmp_path / f"t{suffix}", 3, in_pieces(columns)),
        write_columns(tmp_path / f"u{suffix}", columns),
    ):
        assert read_raw(path).columns == {"id": ["a\rb", "c", "d"], "cluster": ["0", "1", "0"]}


def test_several_columns_of_numbers_are_one_array(tmp_path):
    path = write_columns(tmp_path / "t.npy", {**COLUMNS, "certainty": np.array([0.5, 0.25, 1.0]), "sure": [True] * 3})
    np.testing.assert_array_equal(np.load(path), [[0, 0.5], [1, 0.25], [0, 1.0]])


def test_pieces_that_end_in_an_error_leave_no_file(tmp_path):
    def pieces():
        yield COLUMNS
        raise ValueError("no more")

    for suffix in (".csv", ".jsonl", ".parquet", ".npy"):
        with pytest.raises(ValueError, match="no more"):
            write_pieces(tmp_path / f"t{suffix}", 6, pieces())
    assert list(tmp_path.iterdir()) == []
