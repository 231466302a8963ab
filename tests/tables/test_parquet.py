"""Parquet files: what they say they hold, and what their columns become."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from likewise.tables import _parquet, read_raw
from likewise.tables._parquet import _length, check_parquet_size


@pytest.fixture
def sizes(monkeypatch):
    """The sizes that are compared with the file, and what each byte of them costs."""
    found = []
    monkeypatch.setattr(_parquet, "check_size", lambda path, needed, *, cost=1.0: found.append((needed, cost)))
    return found


@pytest.mark.parametrize(
    ("groups", "n_rows", "n_columns", "needed"),
    [
        ([(1000, 3)], 3, 2, 1000),
        ([(1000, 3), (500, 4)], 7, 2, 1500),
        ([(10, 3), (10, 40)], 7, 2, 8 * 43 * 2),
        ([(10, 3), (10, 4)], 70, 3, 8 * 70 * 3),
        ([(-500, -3), (1000, 9)], 3, 2, 1000),
        ([(-500, 100), (10, -90)], 3, 1, 800),
        ([], 5, 4, 160),
        ([(0, 0)], 0, 4, 0),
    ],
)
def test_the_size_that_a_file_declares(tmp_path, sizes, groups, n_rows, n_columns, needed):
    """The bytes of its groups, or eight for each cell; damaged groups may be of negative size."""
    parts = [SimpleNamespace(total_byte_size=size, num_rows=rows) for size, rows in groups]
    check_parquet_size(
        tmp_path,
        SimpleNamespace(
            num_row_groups=len(parts), num_rows=n_rows, num_columns=n_columns, row_group=lambda place: parts[place]
        ),
    )
    assert sizes == [(needed, 2.0)]


def test_a_file_that_declares_too_much_is_not_read(tmp_path, monkeypatch):
    def read(*arguments, **options):
        pytest.fail("was read")

    pq.write_table(pa.table({"a": np.zeros(10)}), tmp_path / "t.parquet")
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", read)
    monkeypatch.setattr(_parquet.Path, "stat", lambda path: SimpleNamespace(st_size=0))
    monkeypatch.setattr("likewise.tables._limits.SMALL", 79)
    with pytest.raises(ValueError, match="far more than its 0 bytes can"):
        _parquet.read_parquet(tmp_path / "t.parquet", None)


def test_groups_and_texts_are_counted_as_they_are_read(tmp_path, sizes):
    columns = {"n": np.arange(6), "one": ["ab", "c", None, "ab", "ab", "é"], "two": ["x"] * 6}
    with pq.ParquetWriter(tmp_path / "t.parquet", pa.table(columns).schema) as writer:
        for start, stop in ((0, 1), (1, 3), (3, 6)):
            writer.write_table(pa.table({name: cells[start:stop] for name, cells in columns.items()}))
    raw = read_raw(tmp_path / "t.parquet")
    assert raw.columns["one"] == columns["one"]
    assert raw.columns["two"] == columns["two"]
    np.testing.assert_array_equal(raw.columns["n"], np.arange(6))
    texts = ["one", "two"]
    file = pq.ParquetFile(tmp_path / "t.parquet", read_dictionary=texts)
    groups = np.cumsum([file.read_row_group(place).nbytes for place in range(3)])
    assert [needed for needed, _ in sizes[1:]] == [*groups, 3 * 2 + 1 + 2 + 6]
    assert [cost for _, cost in sizes[1:]] == [1.0] * 4


def test_the_length_of_texts_is_that_of_all_rows():
    def dictionary(codes, levels):
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(levels))

    chunks = [dictionary([0, 1, 0, None], ["abc", None, "never"]), dictionary([1, 1], ["a", "bb"])]
    assert _length(pa.chunked_array(chunks), pa) == 2 * 3 + 2 * 2
    assert _length(pa.chunked_array([dictionary([0, 0], [7, 8])]), pa) == 0
    assert _length(pa.chunked_array([["abc", "de"]]), pa) == 0
    assert _length(pa.chunked_array([[1, 2]]), pa) == 0


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary()])
def test_texts_of_every_type_are_kept_once(tmp_path, kind):
    text = "word " * 100 if kind != pa.binary() else b"word " * 100
    pq.write_table(pa.table({"a": pa.array([text, None, text] * 20, kind)}), tmp_path / "t.parquet")
    raw = read_raw(tmp_path / "t.parquet")
    if kind == pa.binary():
        assert raw.left_out == {"a": "lists or objects of different kinds"}
        return
    assert raw.columns["a"] == [text, None, text] * 20
    assert len({id(cell) for cell in raw.columns["a"] if cell}) == 1


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.int64(), pa.float32(), pa.date32()])
def test_types_of_text(kind):
    assert _parquet._is_text(kind, pa.types) == (kind in (pa.string(), pa.large_string(), pa.binary()))


def test_cells_of_other_types(tmp_path):
    from datetime import date
    from decimal import Decimal

    columns = {
        "whole": pa.array([2**62 + 1, 3]),
        "gap": pa.array([7, None]),
        "float": pa.array([0.5, None], pa.float32()),
        "price": pa.array([Decimal("1.50"), None]),
        "flag": pa.array([True, None]),
        "day": pa.array([date(2024, 1, 31), None]),
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    raw = read_raw(tmp_path / "t.parquet")
    assert raw.columns["whole"].tolist() == [2**62 + 1, 3]
    assert raw.columns["gap"] == [7, None]
    for name, first in (("float", 0.5), ("price", 1.5)):
        assert raw.columns[name].dtype == np.float64
        np.testing.assert_array_equal(raw.columns[name], [first, np.nan])
    assert raw.columns["flag"] == [True, None]
    assert raw.columns["day"] == [date(2024, 1, 31), None]


@pytest.mark.parametrize("groups", [0, 1])
def test_a_table_without_rows_has_its_columns(tmp_path, groups):
    table = pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.float64())})
    with pq.ParquetWriter(tmp_path / "t.parquet", table.schema) as writer:
        for _ in range(groups):
            writer.write_table(table)
    raw = read_raw(tmp_path / "t.parquet")
    assert raw.n == 0
    assert list(raw.columns) == ["a", "b"]
    assert not any(map(len, raw.columns.values()))


def test_the_first_name_that_comes_again_is_told(tmp_path):
    table = pa.Table.from_arrays([pa.array([1.0])] * 5, names=["c", "b", "a", "b", "a"])
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"several columns called 'a'\. Give every column a name of its own"):
        read_raw(tmp_path / "t.parquet")


def test_texts_are_read_where_nothing_else_has_imported_pyarrow(tmp_path):
    pq.write_table(pa.table({"a": ["x", "y"]}), tmp_path / "t.parquet")
    code = "import sys; from likewise.tables import read_raw; print(read_raw(sys.argv[1]).columns)"
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "t.parquet"], capture_output=True, text=True)
    assert done.stdout == "{'a': ['x', 'y']}\n", done.stderr


def test_metadata_that_is_no_text_does_no_harm(tmp_path):
    table = pa.table({"a": [1]}).replace_schema_metadata({b"k\xff": b"v\xff", b"n": b"7"})
    pq.write_table(table, tmp_path / "t.parquet")
    metadata = read_raw(tmp_path / "t.parquet").metadata
    assert metadata["n"] == "7"
    assert metadata["k\ufffd"] == "v\ufffd"
