"""Blocks on several threads: nothing is lost, and BLAS is left as it was."""

import os
import threading
from threading import get_ident
from time import sleep

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from cases.data import blobs
from likewise._progress import Progress, observe, stage
from likewise._threads import n_threads, one_by_one, parallel_map, parallel_stream, single_blas_thread
from likewise.clustering.kmeans import _points as rows
from likewise.clustering.kmeans._points import Points, nearest_and

X, _ = blobs(3000, 8, n_groups=3)
BLOCKS = [slice(start, start + 1) for start in range(50)]


def blas_threads():
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


@pytest.mark.parametrize("count", [1, 3])
def test_every_block_once_also_from_within_a_block(count):
    done = np.zeros((2, 50), dtype=int)

    def work(block):
        done[0, block] += 1
        if block.start == 7:
            parallel_map(lambda inner: np.add.at(done[1], inner.start, 1), BLOCKS)

    with threadpool_limits(count):
        before = blas_threads()
        parallel_map(work, BLOCKS)
        assert blas_threads() == before
    assert (done == 1).all()


@pytest.mark.parametrize("count", [1, 3])
def test_an_error_in_a_thread_is_raised_and_the_next_call_goes_on(count):
    def fail(block):
        raise ValueError(f"block {block.start}")

    with threadpool_limits(count):
        before = blas_threads()
        with pytest.raises(ValueError, match="block 0"):
            parallel_map(fail, BLOCKS)
        assert blas_threads() == before
        done = []
        parallel_map(done.append, BLOCKS)
        assert len(done) == 50


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_blocks_find_what_one_finds(monkeypatch, dtype):
    points, centers, chosen = Points(X.astype(dtype)), X[:5].astype(dtype), np.arange(0, 3000, 7)
    assert len(points.blocks(5)) == 1
    whole = nearest_and(points, centers, chosen)
    monkeypatch.setattr(rows, "IN_CACHE", 100)
    assert len(points.blocks(5)) > 10
    with threadpool_limits(2):
        parts = nearest_and(points, centers, chosen)
    np.testing.assert_array_equal(parts[0], whole[0])
    for part, one in zip(parts[1:], whole[1:], strict=True):
        np.testing.assert_allclose(part, one, rtol=1e-4, atol=1e-4)


def test_threads_are_under_control():
    used = []

    def work(task):
        used.append(threading.get_ident())
        return task * task

    here = threading.get_ident()
    assert parallel_map(work, range(6), 1) == [0, 1, 4, 9, 16, 25]
    assert set(used) == {here}
    with threadpool_limits(1, user_api="openmp"):
        assert n_threads() == 1
        used.clear()
        parallel_map(work, range(6), None)
        assert set(used) == {here}
    used.clear()
    assert parallel_map(work, range(6), 2) == [0, 1, 4, 9, 16, 25]
    assert here not in used
    assert len(set(used)) <= 2
    assert n_threads() <= (os.cpu_count() or 1)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_results_come_in_the_order_of_their_tasks(n_jobs):
    def work(task):
        sleep((4 - task) / 200)
        return task, get_ident(), [each["num_threads"] for each in threadpool_info() if each["user_api"] == "openmp"]

    with threadpool_limits(2, user_api="openmp"):
        found, threads, inside = zip(*parallel_map(work, range(4), n_jobs), strict=True)
    assert found == (0, 1, 2, 3)
    assert (set(threads) == {get_ident()}) == (n_jobs == 1)
    if n_jobs > 1:
        assert {count for counts in inside for count in counts} <= {1}  # no threads of threads
    with pytest.raises(ZeroDivisionError):
        parallel_map(lambda task: 1 / task, range(2), n_jobs)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_tasks_are_counted_where_that_is_asked_for_and_report_nothing_themselves(n_jobs):
    def work(task):
        with stage(f"task {task}"):
            return task

    for report, expected in ((True, [Progress("", done, 4) for done in range(5)]), (False, [])):
        observed = []
        with observe(observed.append):
            parallel_map(work, range(4), n_jobs, report=report)
        assert observed == expected


def test_one_by_one_stays_on_the_thread_that_asked():
    with one_by_one():
        with one_by_one():  # also inside another
            assert set(parallel_map(lambda _: get_ident(), range(8), 2)) == {get_ident()}
        assert set(parallel_map(lambda _: get_ident(), range(8), 2)) == {get_ident()}
    assert get_ident() not in parallel_map(lambda _: sleep(0.01) or get_ident(), range(8), 2)


def test_blas_on_one_is_over_afterward():
    with threadpool_limits(2):
        before = blas_threads()
        with single_blas_thread():
            assert set(blas_threads()) == {1}
        assert blas_threads() == before


@pytest.mark.parametrize("threads", [1, 3])
def test_a_stream_draws_tasks_as_results_leave(threads, monkeypatch):
    monkeypatch.setattr("likewise._threads.n_threads", lambda: threads)
    drawn = []

    def tasks():
        for task in range(20):
            drawn.append(task)
            yield task

    results = parallel_stream(lambda task: task**2, tasks(), 2)
    for number, result in enumerate(results):
        assert result == number**2
        assert len(drawn) <= number + 2 * threads
    assert number == 19


@pytest.mark.parametrize("threads", [1, 3])
def test_a_stream_that_fails_or_is_left_frees_the_threads(threads, monkeypatch):
    monkeypatch.setattr("likewise._threads.n_threads", lambda: threads)
    with pytest.raises(ZeroDivisionError):
        list(parallel_stream(lambda task: 1 / task, iter([1, 2, 0, 3]), 2))
    left = parallel_stream(lambda task: task, iter(range(10)), 2)
    next(left)
    left.close()
    assert len(set(parallel_map(lambda _: sleep(0.01) or get_ident(), range(8), 2)) - {get_ident()}) == 2
