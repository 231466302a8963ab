"""The file of results: what is in it is whole, whatever happens while it is written."""

import errno
import os

import pytest

from likewise.evaluation import Ledger

HEADER = "cell,seed,value\n"


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "results.csv")


class Disk:
    """Takes a number of bytes, in pieces, and then is full."""

    def __init__(self, room, piece=7):
        self.room = room
        self.piece = piece

    def write(self, handle, data):
        taken = min(len(data), self.room, self.piece)
        if not taken:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.room -= taken
        return WRITE(handle, data[:taken])


WRITE = os.write


def test_values_come_back(ledger):
    ledger.append(0, [("t/a", 0.5), ("t/b", float("nan"))])
    ledger.append(1, [("t/a", 0.25)])
    ledger.append(1, [("t/a", 0.75)])
    found = ledger.read()
    assert found["t/a"] == {0: 0.5, 1: 0.75}
    assert list(found["t/b"]) == [0]


def test_writing_in_pieces_loses_nothing(ledger, monkeypatch):
    monkeypatch.setattr(os, "write", Disk(room=1000).write)
    ledger.append(0, [("table/iris/method", 0.123456)])
    ledger.append(1, [("table/iris/method", 0.654321)])
    assert ledger.read() == {"table/iris/method": {0: 0.123456, 1: 0.654321}}


def test_a_full_disk_is_an_error_and_leaves_the_file_as_it_was(ledger, monkeypatch):
    ledger.append(0, [("table/iris/method", 0.5)])
    before = ledger.path.read_bytes()
    monkeypatch.setattr(os, "write", Disk(room=10).write)
    with pytest.raises(OSError, match="No space left"):
        ledger.append(1, [("table/iris/method", 0.25)])
    assert ledger.path.read_bytes() == before
    monkeypatch.undo()
    ledger.append(1, [("table/iris/method", 0.75)])
    assert ledger.read() == {"table/iris/method": {0: 0.5, 1: 0.75}}


def test_an_empty_file_is_new(tmp_path):
    path = tmp_path / "results.csv"
    path.touch()
    Ledger(path).append(0, [("t/a", 1.0)])
    assert path.read_text(encoding="utf-8") == f"{HEADER}t/a,0,1\n"


def test_the_header_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    def fails(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="No space left"):
        Ledger(tmp_path / "results.csv")
    assert list(tmp_path.iterdir()) == []


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("id,name\n1,a\n", encoding="utf-8")
    with pytest.raises(ValueError, match="not a file of results"):
        Ledger(path)


def test_a_full_disk_names_the_file(ledger, monkeypatch):
    monkeypatch.setattr(os, "write", Disk(room=0).write)
    with pytest.raises(OSError, match=r"results\.csv") as caught:
        ledger.append(0, [("t/a", 1.0)])
    assert caught.value.filename == str(ledger.path)


def test_a_line_that_was_cut_inside_a_character_is_removed(ledger):
    ledger.append(0, [("t/a", 1.0)])
    before = ledger.path.read_bytes()
    for cut in range(1, len("t/größe,1,0.5\n".encode())):
        ledger.path.write_bytes(before + "t/größe,1,0.5\n".encode()[:cut])
        assert ledger.read() == {"t/a": {0: 1.0}}
        assert Ledger(ledger.path).read() == {"t/a": {0: 1.0}}
        assert ledger.path.read_bytes() == before


def test_a_piece_that_could_not_be_cut_off_is_cut_off_by_the_next_value(ledger, monkeypatch):
    def fails(handle, length):
        raise OSError(errno.EIO, "Input/output error")

    ledger.append(0, [("t/a", 0.5)])
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", Disk(room=4, piece=4).write)
        patch.setattr(os, "ftruncate", fails)
        with pytest.raises(OSError, match="No space left"):
            ledger.append(1, [("t/a", 0.25)])
    ledger.append(2, [("t/a", 0.75)])
    assert ledger.read() == {"t/a": {0: 0.5, 2: 0.75}}
