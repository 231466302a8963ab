"""Results are whole or not there."""

import errno
import os

import numpy as np
import pyarrow.parquet
import pytest

from likewise._atomic import atomic_write
from likewise._atomic import os as aside_os
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


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(errno.ENOSPC, "full"), ValueError])
def test_what_was_there_stays_when_writing_fails(tmp_path, error):
    path = tmp_path / "t.csv"
    path.write_text("before")
    with pytest.raises(error if isinstance(error, type) else OSError), atomic_write(path) as aside:  # noqa: PT012
        aside.write_text("half")
        raise error
    assert [found.name for found in tmp_path.iterdir()] == ["t.csv"]
    assert path.read_text() == "before"


def test_a_disk_that_is_full_at_the_last_moment(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(aside_os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_columns(tmp_path / "t.csv", COLUMNS)
    assert list(tmp_path.iterdir()) == []
