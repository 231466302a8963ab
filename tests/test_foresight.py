"""A clock beside single calls: what it tells, what it leaves behind, and how the time is foretold."""

import threading
from contextlib import nullcontext
from time import perf_counter

import numpy as np
import pytest
from scipy import linalg
from threadpoolctl import threadpool_limits

from likewise import _foresight as foresight
from likewise._foresight import cubic, expected, foreseen, share_done
from likewise._lapack import divided, largest_eigenpairs, solved
from likewise._progress_legacy import listening, part, tell


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(foresight, "TICK", 0.002)


class Ticks:
    """What is heard; ``wait`` returns after some words more."""

    def __init__(self):
        self.shares, self._more = [], threading.Semaphore(0)

    def __call__(self, share):
        self.shares.append(share)
        self._more.release()

    def wait(self, words=5):
        for _ in range(words):
            assert self._more.acquire(timeout=60)


def test_shares_rise_in_their_slice_and_end_when_the_block_does(quick):
    ticks = Ticks()
    with listening(ticks), part(0.5, 1), expected(1000.0):
        ticks.wait()
    *before, end, whole = ticks.shares
    assert before == sorted(before)
    assert 0.5 < min(before) <= max(before) < 0.75
    assert end == whole == 1.0


def test_a_late_block_gets_closer_to_its_end_and_never_claims_it(quick):
    ticks = Ticks()
    with listening(ticks), expected(1e-4):
        ticks.wait()
    *before, end = ticks.shares
    assert np.all(np.diff(before) > 0)
    assert before[-1] < end == 1.0
    shares = [share_done(spent, 10.0) for spent in np.geomspace(0.1, 1e6, 500)]
    assert np.all(np.diff([*shares, 1.0]) > 0)


@pytest.mark.parametrize("failure", [None, ValueError, KeyboardInterrupt])
def test_no_clock_is_left_behind(quick, failure):
    ticks, before = Ticks(), threading.enumerate()
    with nullcontext() if failure is None else pytest.raises(failure), listening(ticks), expected(1000.0):
        ticks.wait(1)
        assert len(threading.enumerate()) == len(before) + 1
        if failure is not None:
            raise failure
    assert threading.enumerate() == before
    assert (ticks.shares[-1] == 1.0) == (failure is None)


def test_where_nobody_listens_there_is_neither_clock_nor_sample():
    before, seen = threading.enumerate(), []
    with expected(1.0):
        assert threading.enumerate() == before
    foreseen(lambda A: seen.append(A.shape), np.eye(1000))
    assert seen == [(1000, 1000)]


class Machine:
    """Work whose seconds a test decides: so many for each unit of cost, and for each column that threads wait for."""

    def __init__(self, monkeypatch, unit, waiting=0.0):
        self.now, self.unit, self.waiting, self.shapes, self.foretold = 0.0, unit, waiting, [], []
        monkeypatch.setattr(foresight, "perf_counter", lambda: self.now)
        monkeypatch.setattr(foresight, "expected", self._expected)
        monkeypatch.setattr("threadpoolctl.threadpool_limits", self._alone)
        self._threads = True

    def _expected(self, seconds):
        self.foretold.append(seconds)
        return nullcontext()

    def _alone(self, limits):
        machine = self

        class Alone(nullcontext):
            def __enter__(self):
                machine._threads = False

            def __exit__(self, *_):
                machine._threads = True

        return Alone()

    def work(self, A):
        tell(1, 2)
        self.shapes.append(A.shape)
        self.now += self.unit * cubic(A) + (self.waiting * A.shape[1] if self._threads else 0.0)


@pytest.mark.parametrize("waiting", [0.0, 0.003], ids=["idle", "busy"])
def test_the_time_is_foretold_from_a_sample_that_is_not_heard(monkeypatch, waiting):
    machine, heard = Machine(monkeypatch, 1e-9, waiting), []
    with listening(heard.append):
        foreseen(machine.work, np.eye(2000))
    assert machine.shapes == [(500, 500), (500, 500), (2000, 2000)]
    assert machine.foretold == [pytest.approx(8.0 + waiting * 2000, rel=0.2)]
    assert heard == [0.5]


def test_a_short_side_stays_as_it_is_and_small_work_is_not_tried(monkeypatch):
    machine = Machine(monkeypatch, 1e-9)
    with listening(lambda share: None):
        foreseen(machine.work, np.zeros((20_000, 300)), steps=(16, 16))
        assert machine.shapes == [(1250, 150)] * 2 + [(20_000, 300)]
        machine.shapes.clear()
        for shape in [(200, 200), (1, 1), (0, 0), (0, 5)]:
            foreseen(machine.work, np.zeros(shape))
    assert machine.shapes == [(200, 200), (1, 1), (0, 0), (0, 5)]


def test_a_sample_of_zeros_warns_of_nothing():
    A = np.zeros((600, 600))
    A[1, 1] = 1.0
    with listening(lambda share: None):
        assert foreseen(lambda some: float((some / some.sum()).max()), A) == 1.0


CALLS = {
    "eigh": lambda A, L: np.linalg.eigh(A),
    "largest": lambda A, L: largest_eigenpairs(A, 5),
    "divided": divided,
    "solved": lambda A, L: solved(L, A),
    "qr": lambda A, L: linalg.qr(A, mode="economic", check_finite=False),
}


@pytest.fixture(scope="module")
def large():
    A = np.cov(np.random.default_rng(0).normal(size=(1800, 3000)))
    return A, linalg.cholesky(A, lower=True)


@pytest.mark.parametrize("name", CALLS)
def test_the_clock_goes_on_during_the_calls_it_is_used_for(quick, large, name):
    def longest_gap():
        moments = [perf_counter()]
        with listening(lambda share: moments.append(perf_counter())), expected(1000.0):
            CALLS[name](*large)
        return max(np.diff(moments)) / (moments[-1] - moments[0])

    # a call that holds Python's lock leaves one gap of nearly its whole length, as often as one tries
    with threadpool_limits(1):
        assert any(longest_gap() < 0.7 for _ in range(3))
