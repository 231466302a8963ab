"""Files that make their library crash or hang are read in another process."""

import importlib.util
import pickle
import resource
import signal
import threading
from types import SimpleNamespace

import pytest

from likewise.tables import _apart

WORK = "cases.other_process"
"""Where the other process finds what it is to do."""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "t.bin").touch()
    return tmp_path / "t.bin"


@pytest.fixture
def started(monkeypatch):
    """The processes that were started, none of which may be left at the end."""
    found = []
    begin = _apart._Child.__init__

    def remembered(child):
        begin(child)
        found.append(child._process)

    monkeypatch.setattr(_apart._Child, "__init__", remembered)
    yield found
    for process in found:
        assert process.returncode is not None
        assert process.stdin.closed
        assert process.stdout.closed
    assert not _apart._kept


@pytest.mark.parametrize("work", ["crash", "endless"])
def test_a_crash_and_an_endless_loop_are_errors_that_name_the_file(path, monkeypatch, started, work):
    monkeypatch.setattr(_apart, "SECONDS", 1.0)
    with pytest.raises(ValueError, match=r"t\.bin is damaged: HDF5 crashed, or did not come to an end"):
        _apart.read_apart(f"{WORK}:{work}", path, "HDF5")
    assert started[0].returncode == -(signal.SIGSEGV if work == "crash" else signal.SIGXCPU)


def test_what_waits_for_ever_is_ended_by_the_clock(path, monkeypatch, started):
    monkeypatch.setattr(_apart, "PATIENCE", 0.2)
    with pytest.raises(ValueError, match=r"t\.bin is damaged: HDF5 crashed, or did not come to an end"):
        _apart.read_apart(f"{WORK}:wait", path, "HDF5")
    assert started[0].returncode == -signal.SIGKILL


def test_large_files_get_more_time(tmp_path, monkeypatch):
    (tmp_path / "t.bin").write_bytes(bytes(3_000_000))
    limits, sent = [], []

    def timer(seconds, end):
        limits.append(seconds)
        return SimpleNamespace(start=lambda: None, cancel=lambda: None)

    monkeypatch.setattr(_apart.threading, "Timer", timer)
    monkeypatch.setattr(_apart._Child, "_send", lambda self, message: sent.append(message))
    monkeypatch.setattr(_apart.pickle, "load", lambda file: ("found", 7))
    assert _apart.read_apart("a:b", tmp_path / "t.bin", "HDF5") == 7
    assert sent[1:] == [["a:b", str(tmp_path / "t.bin"), 5.0 + 1.5]]
    assert limits == [60 * 6.5]


def test_the_clock_is_stopped_and_keeps_nothing_alive(path, monkeypatch, started):
    clocks = []

    class Clock(threading.Timer):
        def start(self):
            clocks.append((self, self.daemon))
            super().start()

    monkeypatch.setattr(_apart.threading, "Timer", Clock)
    _apart.read_apart(f"{WORK}:square", path, "HDF5")
    with pytest.raises(ValueError, match="crashed"):
        _apart.read_apart(f"{WORK}:crash", path, "HDF5")
    assert len(clocks) == 2
    for clock, is_daemon in clocks:
        assert clock.finished.is_set()
        assert is_daemon  # or the interpreter would wait for it


def test_the_system_ends_the_process_that_reads_after_its_time(path, monkeypatch, started):
    monkeypatch.setattr(_apart, "SECONDS", 100.0)
    limit, used = _apart.read_apart(f"{WORK}:limit_of_time", path, "HDF5")
    assert 100 <= limit <= 101 + used


def test_the_process_that_reads_takes_no_more_memory_than_it_may(path, started):
    with pytest.raises(MemoryError):
        _apart.read_apart(f"{WORK}:greedy", path, "HDF5")


ERRORS = {
    "denied": PermissionError,
    "absent": ImportError,
    "full": MemoryError,
    "wrong": ValueError,
    "pickling": ValueError,
    "type": ValueError,
    "attribute": ValueError,
}


def test_errors_of_the_process_that_reads_are_those_of_this_one(tmp_path, started):
    with _apart.one_process():
        for name, kind in ERRORS.items():
            (tmp_path / f"{name} here is why").touch()
            with pytest.raises(kind, match=r"here is why$") as caught:
                _apart.read_apart(f"{WORK}:fail", tmp_path / f"{name} here is why", "HDF5")
            assert type(caught.value) is kind
            assert "damaged" not in str(caught.value)
    assert len(started) == 1


def test_what_a_library_prints_does_not_come_between(path, started):
    assert _apart.read_apart(f"{WORK}:chatter", path, "HDF5") == "t.bin"


def test_what_is_read_apart_comes_back_and_so_do_errors(path, started):
    with _apart.one_process():
        for _ in range(2):
            assert _apart.read_apart(f"{WORK}:square", path, "HDF5") == [0, 1, 4]
            with pytest.raises(ValueError, match=r"t\.bin is wrong"):
                _apart.read_apart(f"{WORK}:refuse", path, "HDF5")
            with pytest.raises(ValueError, match="crashed"):
                _apart.read_apart(f"{WORK}:crash", path, "HDF5")
    assert len(started) == 2  # another one after a crash alone


def test_a_process_of_its_own_session_reads_one_file(path, started):
    found = {_apart.read_apart(f"{WORK}:process", path, "HDF5") for _ in range(2)}
    assert found == {(process.pid, process.pid) for process in started}
    assert len(started) == 2
    with pytest.raises(ValueError, match="is wrong"):
        _apart.read_apart(f"{WORK}:refuse", path, "HDF5")


def test_one_process_ends_with_its_block_and_is_not_kept_after_it(path, started):
    with _apart.one_process():
        _apart.read_apart(f"{WORK}:square", path, "HDF5")
        assert started[0].poll() is None
    assert started[0].returncode is not None
    _apart.read_apart(f"{WORK}:square", path, "HDF5")
    assert len(started) == 2


def test_a_process_that_was_ended_meanwhile_is_noticed(path, started):
    with _apart.one_process():
        _apart.read_apart(f"{WORK}:square", path, "HDF5")
        started[0].kill()
        started[0].wait()
        with pytest.raises(ValueError, match=r"t\.bin is damaged: HDF5 crashed"):
            _apart.read_apart(f"{WORK}:square", path, "HDF5")
        assert _apart.read_apart(f"{WORK}:square", path, "HDF5") == [0, 1, 4]


@pytest.mark.parametrize("error", [pickle.UnpicklingError("cut"), EOFError(), BrokenPipeError()])
def test_an_answer_that_is_cut_is_a_crash(path, monkeypatch, started, error):
    def cut(file):
        raise error

    monkeypatch.setattr(_apart.pickle, "load", cut)
    with pytest.raises(ValueError, match=r"t\.bin is damaged: HDF5 crashed"):
        _apart.read_apart(f"{WORK}:square", path, "HDF5")


def test_ctrl_c_ends_the_process_that_reads_at_once(path, monkeypatch, started):
    def interrupted(file):
        raise KeyboardInterrupt

    with _apart.one_process():
        _apart.read_apart(f"{WORK}:square", path, "HDF5")
        monkeypatch.setattr(_apart.pickle, "load", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _apart.read_apart(f"{WORK}:wait", path, "HDF5")
        assert started[0].returncode == -signal.SIGKILL
        assert not _apart._kept


def test_at_first_no_process_is_kept(path):
    spec = importlib.util.spec_from_file_location("apart_anew", _apart.__file__)
    anew = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(anew)
    assert anew.read_apart(f"{WORK}:square", path, "HDF5") == [0, 1, 4]
    assert not anew._kept


def test_a_process_that_reads_its_own_files_has_no_limit_of_memory(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_AS)
    try:
        _apart.limit_memory(2**40)
        assert resource.getrlimit(resource.RLIMIT_AS) == before
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_the_time_of_a_process_that_reads_is_counted_from_now(monkeypatch):
    found = []
    monkeypatch.setattr(resource, "getrlimit", lambda which: (-1, 99))
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: found.append((which, limits)))
    monkeypatch.setattr(_apart.time, "process_time", lambda: 7.2)
    _apart._limit_time(5.0)
    assert found == [(resource.RLIMIT_CPU, (13, 99))]


@pytest.mark.parametrize(("hard", "limit"), [(-1, 2**20), (2**40, 2**20), (1000, 1000), (0, 0)])
def test_the_limit_of_a_process_that_reads_is_within_that_of_the_system(monkeypatch, hard, limit):
    found = []
    monkeypatch.setattr(_apart, "_is_apart", True)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (hard, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: found.append(limits))
    monkeypatch.setattr(resource, "getpagesize", lambda: 0)  # so that it has taken nothing
    _apart.limit_memory(2**20)
    assert found == [(limit, hard)]


def test_what_a_process_that_reads_has_taken_already_is_not_counted(tmp_path, monkeypatch):
    found = []
    (tmp_path / "statm").write_text("300 20 1 1 0 1 0\n")
    monkeypatch.setattr(_apart, "Path", lambda name: tmp_path / name.removeprefix("/proc/self/"))
    monkeypatch.setattr(_apart, "_is_apart", True)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (-1, -1))
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: found.append((which, limits)))
    monkeypatch.setattr(resource, "getpagesize", lambda: 1000)
    _apart.limit_memory(2**20)
    assert found == [(resource.RLIMIT_AS, (300_000 + 2**20, -1))]
