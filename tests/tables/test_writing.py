"""Results in every format."""

import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from likewise._progress import observe
from likewise.prepare import write_columns
from likewise.tables import MissingExtraError, _writing, read_raw
from likewise.tables._pieces import write_array, write_pieces
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


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_letters_are_written_as_they_are(tmp_path, suffix):
    columns = {"größe": ["é", "東京"], "n": [1, 2]}
    whole = write_columns(tmp_path / f"t{suffix}", columns).read_bytes()
    assert "größe".encode() in whole
    assert "東京".encode() in whole
    assert write_pieces(tmp_path / f"u{suffix}", 2, in_pieces(columns, (0, 1))).read_bytes() == whole
    assert read_raw(tmp_path / f"u{suffix}").columns["größe"] == ["é", "東京"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_a_piece_whose_columns_differ_in_length_is_refused(tmp_path, suffix):
    with pytest.raises(ValueError, match=r"shorter|longer"):
        write_pieces(tmp_path / f"t{suffix}", 3, [{"id": ["a", "b"], "n": [1, 2]}, {"id": ["c"], "n": [3, 4]}])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_carriage_return_in_a_later_piece(tmp_path, suffix):
    columns = {"id": ["a", "b", "c\rd"], "cluster": [0, 1, 0]}
    path = write_pieces(tmp_path / f"t{suffix}", 3, in_pieces(columns))
    assert read_raw(path).columns == {"id": ["a", "b", "c\rd"], "cluster": ["0", "1", "0"]}


def test_cells_are_quoted_where_they_must_be(tmp_path):
    columns = {"id": ["a", "b,c", "d"], "n": [1, 2, 3]}
    text = 'id,n\na,1\n"b,c",2\nd,3\n'
    assert write_columns(tmp_path / "t.csv", columns).read_text() == text
    assert write_pieces(tmp_path / "u.csv", 3, in_pieces(columns)).read_text() == text
    columns = {"id": ["a", "b\rc"], "n": [1, 2]}
    assert write_columns(tmp_path / "t.csv", columns).read_bytes() == b'"id","n"\n"a","1"\n"b\rc","2"\n'


@pytest.mark.parametrize("n_rows", [0, 1, 300])
def test_parts_of_an_array_are_counted(tmp_path, n_rows):
    rows = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    for right in (True, False):
        parts = [rows[: n_rows // 3], rows[n_rows // 3 :]]
        if right:
            write_array(tmp_path / "t.npy", n_rows, parts)
            np.testing.assert_array_equal(np.load(tmp_path / "t.npy"), rows)
            continue
        for said in (n_rows + 1, max(n_rows - 1, 7)):
            with pytest.raises(ValueError, match=rf"u\.npy should have {said} rows, and {n_rows} came"):
                write_array(tmp_path / "u.npy", said, parts)
    assert [path.name for path in tmp_path.iterdir()] == ["t.npy"]


@pytest.mark.parametrize(
    ("part", "kind", "shape"),
    [
        (np.zeros((2, 3), dtype=np.float32), "float32", "(2, 3)"),
        (np.zeros((1, 2)), "float64", "(1, 2)"),
        (np.zeros(3), "float64", "(3,)"),
    ],
)
def test_parts_of_an_array_that_do_not_fit_the_first_are_told(tmp_path, part, kind, shape):
    with pytest.raises(ValueError, match="rows from") as caught:
        write_array(tmp_path / "t.npy", 9, [np.zeros((1, 3)), np.zeros((4, 3)), part])
    assert str(caught.value) == (
        f"{tmp_path / 't.npy'}: rows from 5 on are of type {kind} and shape {shape}, and the first ones are of type "
        "float64 and shape (9, 3)."
    )
    assert list(tmp_path.iterdir()) == []


def test_objects_are_not_written_into_an_array(tmp_path):
    with pytest.raises(TypeError, match=r"t\.npy: numbers are written into a \.npy file, and these are Python objects"):
        write_array(tmp_path / "t.npy", 1, [np.array([None])])
    assert list(tmp_path.iterdir()) == []


def test_progress_of_writing_counts_batches_of_rows(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(_writing, "BATCH_ROWS", 2)
    with observe(seen.append):
        path = write_columns(tmp_path / "t.csv", {"n": range(5)})
    assert path.read_text().split() == ["n", *"01234"]
    assert seen[-1].total == 3
