"""Results in every format."""

import numpy as np
import pyarrow.parquet
import pytest

from likewise.prepare import write_columns

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
    with pytest.raises(ValueError, match="names no known format"):
        write_columns(tmp_path / "t.doc", COLUMNS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv", "t.jsonl", "t.npy", "t.parquet", "t.tsv"]
