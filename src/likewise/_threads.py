"""Tasks on several threads, each of which runs BLAS and OpenMP on one.

What is slow here releases Python's lock: products, distances and scipy's sparse routines. BLAS by itself spreads its
products over threads but not the steps between them, and waits for its slowest thread at every product, however small.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any, TypeVar

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from ._progress import observe, track
from ._sklearn import _openmp_effective_n_threads

Task = TypeVar("Task")
Result = TypeVar("Result")

SMALL = 500
"""Columns of a matrix up to which threads of BLAS wait for each other longer than they work."""

_taken = Lock()


@cache
def native() -> ThreadpoolController:
    """The controller of the threads of BLAS and OpenMP, kept because finding their libraries takes milliseconds."""
    return ThreadpoolController()


@cache
def _blas() -> ThreadpoolController:
    return native().select(user_api="blas")


def single_blas_thread() -> AbstractContextManager[Any]:
    """BLAS on one thread: after a product its other threads wait by spinning, which slows down threads of our own."""
    return _blas().limit(limits=1)


def blas_threads_for(size: int) -> AbstractContextManager[Any]:
    """BLAS on one thread where square matrices of this size are decomposed sooner by one than by several."""
    return single_blas_thread() if size <= SMALL else nullcontext()


def keep_single_blas_thread() -> None:
    """BLAS on one thread from now on, in a process that works for others; nothing where it is on one already."""
    if any(library["num_threads"] != 1 for library in _blas().info()):
        _blas().limit(limits=1)


def n_threads() -> int:
    """As many threads as OpenMP may use here: one in a worker of a pool, or where OMP_NUM_THREADS says so."""
    return int(_openmp_effective_n_threads())


def parallel_map(
    work: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None = None, *, report: bool = False
) -> list[Result]:
    """Map tasks to results on several threads; results are in the order of the tasks.

    Parameters
    ----------
    work : callable
    tasks : sequence
    n_jobs : int, optional
        Threads, as joblib counts them. None: as many as OpenMP may use.
    report : bool
        Report how many tasks are done. What tasks report themselves is not observed.

    Notes
    -----
    Threads do not start others: inside a task, further tasks run one after the other on its thread.

    Examples
    --------
    >>> parallel_map(lambda number: number**2, range(4))
    [0, 1, 4, 9]
    """
    threads = min(n_threads() if n_jobs is None else effective_n_jobs(n_jobs), len(tasks))
    if threads < 2 or not _taken.acquire(blocking=False):
        return _collected(map(work, tasks), len(tasks), report)
    try:
        with single_blas_thread(), ThreadPoolExecutor(threads, initializer=_alone) as pool:
            return _collected(pool.map(work, tasks), len(tasks), report)
    finally:
        _taken.release()


def parallel_stream(work: Callable[[Task], Result], tasks: Iterable[Task], ahead: int) -> Iterator[Result]:
    """Map tasks that come one after the other; results are in their order, and tasks are drawn as results leave.

    While tasks are worked on, the next ones are made on the calling thread.

    Parameters
    ----------
    work : callable
    tasks : iterable
    ahead : int
        How many tasks for each thread are held at most.

    Examples
    --------
    >>> list(parallel_stream(lambda number: number**2, iter(range(4)), 2))
    [0, 1, 4, 9]
    """
    threads = n_threads()
    if threads < 2 or not _taken.acquire(blocking=False):
        for task in tasks:
            with observe(None):
                result = work(task)
            yield result
        return
    waiting: deque[Future[Result]] = deque()
    try:
        with single_blas_thread(), ThreadPoolExecutor(threads, initializer=_alone) as pool:
            try:
                for task in tasks:
                    waiting.append(pool.submit(work, task))
                    if len(waiting) == ahead * threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()
    finally:
        _taken.release()


@contextmanager
def one_by_one() -> Iterator[None]:
    """Run tasks one after the other on the calling thread, as a profiler needs it."""
    free = _taken.acquire(blocking=False)
    try:
        yield
    finally:
        if free:
            _taken.release()


def _alone() -> None:
    """Keep a new thread from starting others: limits of the thread that started it do not apply to it."""
    native().limit(limits=1, user_api="openmp")


def _collected(results: Iterable[Result], count: int, report: bool) -> list[Result]:
    if report:
        return list(track(results, count))
    with observe(None):  # on this thread tasks would be observed, on others not
        return list(results)
