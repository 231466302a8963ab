"""A file is complete or stays as it was; files of one group are all new, or none is."""

import errno
import gc
import json
import os
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from likewise import _atomic
from likewise._atomic import atomic_group, atomic_write, atomic_write_text, check_path, check_writable
from likewise._atomic import os as atomic_os
from likewise._leftovers import OLD_S, remove_leftovers, temporary_folder
from likewise.prepare import write_columns

COLUMNS = {"id": [f"row {row}" for row in range(2_000)], "cluster": np.arange(2_000)}
LIMIT = 4096


@pytest.fixture
def small_disk():
    """Files end after 4096 bytes: a write beyond is an error, or cut short, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def open_files():
    gc.collect()  # or those of other tests might be closed meanwhile
    return len(os.listdir("/proc/self/fd"))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet", ".npy"])
def test_a_full_disk_leaves_what_was_there(tmp_path, small_disk, suffix):
    path = tmp_path / f"t{suffix}"
    path.write_text("before")
    with pytest.raises(OSError, match=f"t{suffix}") as caught:
        write_columns(path, COLUMNS)
    assert caught.value.filename == str(path)
    assert path.read_text() == "before"
    assert names(tmp_path) == [path.name]


def test_what_c_code_did_not_write_is_missed(tmp_path, small_disk):
    # numpy writes whole arrays behind Python's back, and the last 16 bytes get lost without an error
    with (
        pytest.raises(OSError, match="only 4,096 of 4,112 bytes were written"),
        atomic_write(tmp_path / "t.npy") as file,
    ):
        np.save(file, np.zeros((LIMIT - 112) // 8, dtype=np.int64))
    assert names(tmp_path) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "full"), ValueError("no")])
def test_what_was_there_stays_when_writing_fails(tmp_path, error):
    path = tmp_path / "t.csv"
    path.write_text("before")
    with pytest.raises(type(error)), atomic_write_text(path) as file:  # noqa: PT012
        file.write("half")
        raise error
    assert names(tmp_path) == ["t.csv"]
    assert path.read_text() == "before"


def test_a_disk_that_is_full_at_the_last_moment(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(atomic_os, "fsync", full)
    with pytest.raises(OSError, match=r"No space.*t\.csv"):
        write_columns(tmp_path / "t.csv", COLUMNS)
    assert names(tmp_path) == []


def test_file_and_folder_reach_the_disk(tmp_path, monkeypatch):
    synced = []
    fsync = os.fsync
    monkeypatch.setattr(atomic_os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino) or fsync(handle))
    with atomic_write(tmp_path / "t") as file:
        file.write(b"x")
    assert synced == [(tmp_path / "t").stat().st_ino, tmp_path.stat().st_ino]


def test_the_longest_name(tmp_path):
    path = tmp_path / ("n" * 251 + ".csv")
    assert write_columns(path, COLUMNS).exists()
    with pytest.raises(OSError, match="too long") as caught:
        check_writable(tmp_path / ("n" * 252 + ".csv"))
    assert caught.value.errno == errno.ENAMETOOLONG


def test_a_name_of_too_many_bytes_is_refused_where_the_system_says_nothing(tmp_path, monkeypatch):
    """Some versions of Python take such a name for one that is not there yet."""
    for method in ("is_dir", "exists"):
        ask = getattr(Path, method)
        monkeypatch.setattr(Path, method, lambda path, ask=ask: len(os.fsencode(path.name)) < 256 and ask(path))
    check_writable(tmp_path / ("é" * 127 + "n"))
    with pytest.raises(OSError, match="too long") as caught:
        check_writable(tmp_path / ("é" * 128))
    assert caught.value.errno == errno.ENAMETOOLONG
    assert names(tmp_path) == []


def test_mode_and_link_stay(tmp_path):
    target, link = tmp_path / "real", tmp_path / "link"
    target.write_text("before")
    target.chmod(0o600)
    link.symlink_to("real")
    with atomic_write_text(link) as file:
        file.write("after")
    assert link.is_symlink()
    assert target.read_text() == "after"
    assert target.stat().st_mode & 0o777 == 0o600


def test_errors_name_the_file_that_is_wanted(tmp_path):
    for path, kind in ((tmp_path / "no" / "t.csv", FileNotFoundError), (tmp_path, IsADirectoryError)):
        with pytest.raises(kind) as caught, atomic_write(path):
            pass
        assert caught.value.filename == str(path)
        with pytest.raises(kind) as caught:
            check_writable(path)
        assert caught.value.filename == str(path)
    with pytest.raises(OSError, match="/dev/null"):
        check_writable("/dev/null")  # or it would be a file from now on
    check_writable(tmp_path / "t.csv")
    assert names(tmp_path) == []


def group_of_three(folder, fail=None):
    with atomic_group():
        for name in ("a", "b", "c"):
            with atomic_write_text(folder / name) as file:
                if name == fail:
                    raise OSError(errno.ENOSPC, "full")
                file.write("after")
        assert not (folder / "b").exists() or (folder / "b").read_text() == "before"


def test_a_group_is_all_there_or_none(tmp_path):
    (tmp_path / "a").write_text("before")
    with pytest.raises(OSError, match="full") as caught:
        group_of_three(tmp_path, fail="c")
    assert caught.value.filename == str(tmp_path / "c")
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "before"
    group_of_three(tmp_path)
    assert names(tmp_path) == ["a", "b", "c"]
    assert {(tmp_path / name).read_text() for name in "abc"} == {"after"}


def test_two_files_are_a_group(tmp_path, monkeypatch):
    replace = os.replace

    def refuse(source, target):
        if str(target).endswith("/b"):
            raise PermissionError(errno.EPERM, "not yours")
        replace(source, target)

    monkeypatch.setattr(atomic_os, "replace", refuse)
    with pytest.raises(PermissionError, match="not yours"), atomic_group():  # noqa: PT012
        for name in ("a", "b"):
            with atomic_write_text(tmp_path / name) as file:
                file.write("after")
    assert names(tmp_path) == []


def test_a_hidden_file_that_somebody_removes_before_it_is_held_is_made_again(tmp_path, monkeypatch):
    hold, taken = _atomic.hold, []

    def late(path):
        if not taken:
            taken.append(path)
            path.unlink()
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return hold(path)

    monkeypatch.setattr(_atomic, "hold", late)
    open_before = open_files()
    with atomic_write_text(tmp_path / "t") as file:
        file.write("after")
    assert taken
    assert names(tmp_path) == ["t"]
    assert (tmp_path / "t").read_text() == "after"
    assert open_files() == open_before


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("error", [PermissionError(errno.EPERM, "not yours", "hidden", None, "c"), KeyboardInterrupt()])
def test_a_group_is_undone_when_the_last_name_cannot_be_had(tmp_path, monkeypatch, links, error):
    (tmp_path / "a").write_text("before")
    replace = os.replace

    def refuse(source, target):
        if str(target).endswith("/c"):
            raise error
        replace(source, target)

    def no_links(source, target):
        raise OSError(errno.ENOTSUP, "no links")

    monkeypatch.setattr(atomic_os, "replace", refuse)
    if not links:
        monkeypatch.setattr(atomic_os, "link", no_links)
    with pytest.raises(type(error)) as caught:
        group_of_three(tmp_path)
    if isinstance(error, OSError):
        assert caught.value.filename == str(tmp_path / "c")
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "before"


@pytest.mark.parametrize("before", ["before", None])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "broken")])
def test_a_name_that_may_not_be_on_the_disk_is_given_back(tmp_path, monkeypatch, before, error):
    def fails(folder):
        raise error

    path = tmp_path / "t"
    if before:
        path.write_text(before)
    monkeypatch.setattr(_atomic, "sync_folder", fails)
    with pytest.raises(type(error)) as caught, atomic_write_text(path) as file:
        file.write("after")
    assert getattr(caught.value, "filename", str(path)) == str(path)
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == ({"t": before} if before else {})


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "broken")])
def test_a_hidden_file_that_cannot_be_held_is_removed(tmp_path, monkeypatch, error):
    def fails(path):
        raise error

    monkeypatch.setattr(_atomic, "hold", fails)
    held = open_files()
    with pytest.raises(type(error)), atomic_write(tmp_path / "t"):
        pass
    with pytest.raises(type(error)):
        check_writable(tmp_path / "t")
    assert names(tmp_path) == []
    assert open_files() == held


def test_nothing_stays_open(tmp_path):
    held = open_files()
    group_of_three(tmp_path)
    with pytest.raises(OSError, match="full"):
        group_of_three(tmp_path, fail="c")
    check_writable(tmp_path / "d")
    assert open_files() <= held


@pytest.mark.parametrize("mode", [0o777, 0o600, 0o444, 0o641, 0o4755, 0o1777])
def test_a_file_that_is_replaced_keeps_all_of_its_mode(tmp_path, mode):
    path = tmp_path / "t"
    path.write_text("before")
    path.chmod(mode)
    if path.stat().st_mode & 0o7777 != mode:
        pytest.skip("this file system keeps no such mode")
    with atomic_write_text(path) as file:
        file.write("after")
    assert path.stat().st_mode & 0o7777 == mode
    assert path.read_text() == "after"


def test_errors_of_others_are_left_as_they_are(tmp_path):
    """An error inside the block may be about another file, or about none."""
    for error in (OSError("no number"), OSError(errno.ENOENT, "no such", "another"), RuntimeError("no")):
        with pytest.raises(type(error)) as caught, atomic_write(tmp_path / "t"):
            raise error
        assert caught.value is error
    for name in (None, "hidden"):
        with pytest.raises(OSError, match="full") as caught, atomic_write(tmp_path / "t") as file:
            raise OSError(errno.ENOSPC, "full", name and file.name)
        assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path / "t"))
    assert names(tmp_path) == []


def test_a_hidden_file_that_is_gone_hides_no_error(tmp_path):
    with pytest.raises(RuntimeError, match="no"), atomic_write(tmp_path / "t") as file:  # noqa: PT012
        os.unlink(file.name)
        raise RuntimeError("no")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "broken")])
def test_a_hidden_file_that_is_gone_before_it_is_held_hides_no_error(tmp_path, monkeypatch, error):
    def fails(path):
        path.unlink()
        raise error

    monkeypatch.setattr(_atomic, "hold", fails)
    with pytest.raises(type(error)) as caught, atomic_write(tmp_path / "t"):
        pass
    if isinstance(error, OSError):
        assert (caught.value.errno, caught.value.filename) == (errno.EIO, str(tmp_path / "t"))


def test_what_was_left_in_the_folder_is_cleared_away_before_writing(tmp_path, monkeypatch):
    monkeypatch.setattr("likewise._leftovers.fcntl", None)  # so that age tells
    for write in (check_writable, lambda path: write_columns(path, COLUMNS)):
        left = tmp_path / ".likewise-old.tmp"
        left.touch()
        os.utime(left, (0, 0))
        write(tmp_path / "t.csv")
        assert not left.exists()


def test_a_group_inside_a_group_is_a_part_of_it(tmp_path):
    with pytest.raises(RuntimeError, match="no"), atomic_group():  # noqa: PT012
        group_of_three(tmp_path)
        assert not any((tmp_path / name).exists() for name in "abc")
        raise RuntimeError("no")
    assert names(tmp_path) == []
    with atomic_group():
        group_of_three(tmp_path)
        with atomic_write_text(tmp_path / "d") as file:
            file.write("after")
        assert not any((tmp_path / name).exists() for name in "abcd")
    assert names(tmp_path) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("fail", [None, "c"])
def test_after_a_group_files_are_written_one_by_one_again(tmp_path, fail):
    with suppress(OSError):
        group_of_three(tmp_path, fail)
    with atomic_write_text(tmp_path / "d") as file:
        file.write("after")
    assert (tmp_path / "d").read_text() == "after"
    with atomic_group():
        pass
    assert names(tmp_path) == (["d"] if fail else ["a", "b", "c", "d"])


def test_a_group_of_one_file_is_that_file(tmp_path, monkeypatch):
    monkeypatch.setattr(_atomic, "Journal", None)  # which several files need
    with atomic_group(), atomic_write_text(tmp_path / "a") as file:
        file.write("after")
    assert (tmp_path / "a").read_text() == "after"


def test_where_no_journal_can_be_written_nothing_is_renamed(tmp_path, monkeypatch):
    def fails(journal):
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(_atomic.Journal, "write", fails)
    with pytest.raises(OSError, match="broken") as caught:
        group_of_three(tmp_path)
    assert caught.value.filename == str(tmp_path / "a")
    assert names(tmp_path) == []


@pytest.mark.parametrize("undone", [True, False])
def test_files_that_cannot_be_given_back_are_told(tmp_path, monkeypatch, undone):
    def fails(journal):
        raise OSError(errno.EIO, "broken")

    undo = _atomic.Journal.undo
    monkeypatch.setattr(_atomic.Journal, "commit", fails)
    monkeypatch.setattr(_atomic.Journal, "undo", lambda journal: undo(journal) and undone)
    with pytest.raises(OSError, match="broken") as caught:
        group_of_three(tmp_path)
    more = (
        "" if undone else "; some files were replaced already, and the next process that writes here will restore them"
    )
    assert (caught.value.strerror, caught.value.filename) == (f"broken{more}", str(tmp_path / "c"))


def test_a_replaced_file_leaves_no_second_name(tmp_path):
    for _ in range(2):
        with atomic_write_text(tmp_path / "t") as file:
            file.write("after")
        assert names(tmp_path) == ["t"]


def test_a_pipe_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "t")
    with pytest.raises(OSError, match="is not a regular file") as caught:
        check_writable(tmp_path / "t")
    assert (caught.value.errno, caught.value.filename) == (errno.EINVAL, str(tmp_path / "t"))
    assert names(tmp_path) == ["t"]


@pytest.mark.parametrize("path", [[1, 2], None, 7, b"t"])
def test_what_is_no_path_is_told(path):
    with pytest.raises(TypeError, match=r"path is a \w+, and the path of the file comes first: save\(path\)\."):
        check_path(path, "save(path)")


@pytest.mark.parametrize("path", ["t", Path("t")])
def test_what_is_a_path(path):
    check_path(path, "save(path)")


KILLED = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell makes background jobs ignore it
from likewise._atomic import atomic_group, atomic_write_text
with atomic_group():
    for name in ("a", "b"):
        with atomic_write_text(sys.argv[1] + "/" + name) as file:
            file.write("after")
    print("half", flush=True)
    input()
"""


def test_ctrl_c_in_a_group_leaves_nothing(tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout.readline() == "half\n"
        assert len(names(tmp_path)) == 2
        process.send_signal(signal.SIGINT)
        process.wait()
    assert names(tmp_path) == []


ORPHANS = """
import os, signal, sys
from pathlib import Path
from likewise._atomic import atomic_group, atomic_write_text
from likewise._leftovers import temporary_folder
folder = Path(sys.argv[1])
replace, left = os.replace, int(sys.argv[2])

def dies(source, target):
    global left
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    replace(source, target)

os.replace = dies
with temporary_folder(folder) as spool, atomic_group():
    (spool / "rows.npy").write_bytes(b"rows")
    for name in ("a", "b", "there/c"):
        with atomic_write_text(folder / name) as file:
            file.write("after")
"""
"""Is killed before the n-th file takes its name."""


@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_next_writer_undoes_and_clears_away_what_a_kill_left(tmp_path, n):
    there = tmp_path / "there"
    there.mkdir()
    (tmp_path / "a").write_text("before")
    (there / "c").write_text("before")
    subprocess.run([sys.executable, "-c", ORPHANS, str(tmp_path), str(n)], check=False)
    assert any(name.startswith(".likewise-") for name in names(tmp_path))
    remove_leftovers(tmp_path)
    remove_leftovers(there)
    check_writable(tmp_path / "a")
    assert names(tmp_path) == ["a", "there"]
    assert names(there) == ["c"]
    assert (tmp_path / "a").read_text() == (there / "c").read_text() == "before"


def test_what_somebody_wrote_after_the_kill_stays(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "a").write_text("before")
    subprocess.run([sys.executable, "-c", ORPHANS, str(tmp_path), "2"], check=False)
    assert (tmp_path / "a").read_text() == (tmp_path / "b").read_text() == "after"
    for name in ("a", "b"):
        (tmp_path / name).unlink()
        (tmp_path / name).write_text("by hand")
    remove_leftovers(tmp_path)
    assert (tmp_path / "a").read_text() == (tmp_path / "b").read_text() == "by hand"


def test_files_of_writers_that_live_stay(tmp_path):
    with temporary_folder(tmp_path) as folder, atomic_write(tmp_path / "t") as file:
        file.write(b"x")
        held = names(tmp_path)
        remove_leftovers(tmp_path)
        check_writable(tmp_path / "u")
        assert names(tmp_path) == held
        assert folder.is_dir()
    assert names(tmp_path) == ["t"]


def test_where_there_are_no_locks_age_tells(tmp_path, monkeypatch):
    monkeypatch.setattr("likewise._leftovers.fcntl", None)
    for name, age in (("young", 0), ("old", OLD_S + 60)):
        path = tmp_path / f".likewise-{name}.tmp"
        path.touch()
        os.utime(path, (path.stat().st_atime - age, path.stat().st_mtime - age))
    write_columns(tmp_path / "t.csv", COLUMNS)
    assert names(tmp_path) == [".likewise-young.tmp", "t.csv"]


@pytest.mark.parametrize(
    "noted",
    [
        b"",
        b"[" * 100_000,
        b"[]",
        {"first": 3, "others": [], "files": []},
        {"first": None, "others": [], "files": [{"name": "../mine", "new": None, "old": None}]},
        {"first": None, "others": [], "files": [{"name": "a\0", "new": None, "old": None}]},
        {"first": None, "others": [], "files": [{"name": "b", "new": None, "old": "../mine"}]},
        {"first": None, "others": [], "files": [{"name": "b", "new": [1, 2, 3], "old": "c"}]},
    ],
    ids=lambda noted: str(noted)[:60],
)
def test_a_journal_of_a_stranger_does_no_harm(tmp_path, noted):
    there = tmp_path / "there"
    there.mkdir()
    for path in (tmp_path / "mine", there / "b", there / "c"):
        path.write_text("mine")
    if isinstance(noted, dict) and noted["files"] and noted["files"][0]["new"] is None:
        found = (there / "b").lstat()  # as if the stranger knew
        noted["files"][0]["new"] = [found.st_ino, found.st_mtime_ns, found.st_size]
    (there / ".likewise-0-0.undo").write_bytes(noted if isinstance(noted, bytes) else json.dumps(noted).encode())
    remove_leftovers(there)
    assert names(there) == ["b", "c"]
    assert names(tmp_path) == ["mine", "there"]
    assert {path.read_text() for path in (tmp_path / "mine", there / "b", there / "c")} == {"mine"}


BESIDE = """
import sys
from pathlib import Path
from likewise._atomic import atomic_group, atomic_write_text
from likewise._leftovers import temporary_folder
folder, letter = Path(sys.argv[1]), sys.argv[2]
for _ in range(40):
    with temporary_folder(folder) as spool, atomic_group():
        for name in ("a", "b"):
            with atomic_write_text(folder / name) as file:
                file.write(letter * 5_000)
        assert spool.is_dir()
"""


def test_writers_beside_each_other_take_nothing_from_each_other(tmp_path):
    commands = [[sys.executable, "-c", BESIDE, str(tmp_path), letter] for letter in "xyz"]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for command in commands]
    assert [process.communicate()[1] for process in running] == ["", "", ""]
    assert names(tmp_path) == ["a", "b"]
    for name in names(tmp_path):
        text = (tmp_path / name).read_text()
        assert len(text) == 5_000
        assert len(set(text)) == 1
