"""Running tasks on several threads, with BLAS and OpenMP limited to one thread in each.

The expensive operations release the GIL: products, distances and SciPy's sparse routines. BLAS parallelizes products,
but not the steps between them, and synchronizes its threads at every product, even if it is small.
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
"""Up to this number of columns BLAS is faster on one thread."""

_busy = Lock()  # held while a pool of threads is running


@cache
def native() -> ThreadpoolController:
    """The controller of BLAS and OpenMP threads, cached since finding the libraries takes milliseconds."""
    return ThreadpoolController()


@cache
def _blas() -> ThreadpoolController:
    return native().select(user_api="blas")


def single_blas_thread() -> AbstractContextManager[Any]:
    """Limit BLAS to one thread, since its idle threads spin after a product, which slows down other threads."""
    return _blas().limit(limits=1)


def blas_threads_for(size: int) -> AbstractContextManager[Any]:
    """Limit BLAS to one thread if decompositions of square matrices of this size are faster that way."""
    return single_blas_thread() if size <= SMALL else nullcontext()


def keep_single_blas_thread() -> None:
    """Limit BLAS to one thread from now on, in a worker process."""
    if any(library["num_threads"] != 1 for library in _blas().info()):
        _blas().limit(limits=1)


def n_threads() -> int:
    """The number of threads that OpenMP may use: 1 in a worker of a pool, or as OMP_NUM_THREADS says."""
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
        Number of threads, as in joblib. If None, as many as OpenMP may use.
    report : bool
        Whether to report how many tasks are done. Progress inside of tasks is not observed.

    Notes
    -----
    Threads are not nested: calls inside a task run sequentially on its thread.

    Examples
    --------
    >>> parallel_map(lambda number: number**2, range(4))
    [0, 1, 4, 9]
    """
    threads = min(n_threads() if n_jobs is None else effective_n_jobs(n_jobs), len(tasks))
    if threads < 2 or not _busy.acquire(blocking=False):
        return _collected(map(work, tasks), len(tasks), report)
    try:
        with single_blas_thread(), ThreadPoolExecutor(threads, initializer=_limit_openmp) as pool:
            return _collected(pool.map(work, tasks), len(tasks), report)
    finally:
        _busy.release()


def parallel_stream(work: Callable[[Task], Result], tasks: Iterable[Task], ahead: int) -> Iterator[Result]:
    """Map a stream of tasks to results, in order; new tasks are generated as results are consumed.

    Tasks are generated on the calling thread while earlier ones are running.

    Parameters
    ----------
    work : callable
    tasks : iterable
    ahead : int
        Maximum number of waiting tasks per thread.

    Examples
    --------
    >>> list(parallel_stream(lambda number: number**2, iter(range(4)), 2))
    [0, 1, 4, 9]
    """
    threads = n_threads()
    if threads < 2 or not _busy.acquire(blocking=False):
        for task in tasks:
            with observe(None):
                result = work(task)
            yield result
        return
    waiting: deque[Future[Result]] = deque()
    try:
        with single_blas_thread(), ThreadPoolExecutor(threads, initializer=_limit_openmp) as pool:
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
        _busy.release()


@contextmanager
def one_by_one() -> Iterator[None]:
    """Run tasks sequentially on the calling thread, for profiling."""
    free = _busy.acquire(blocking=False)
    try:
        yield
    finally:
        if free:
            _busy.release()


def _limit_openmp() -> None:
    """Limit a new thread to itself, since the limits of its parent thread do not apply to it."""
    native().limit(limits=1, user_api="openmp")


def _collected(results: Iterable[Result], count: int, report: bool) -> list[Result]:
    if report:
        return list(track(results, count))
    with observe(None):  # on this thread tasks would be observed, on others not
        return list(results)
