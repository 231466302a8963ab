"""Random numbers that do not depend on who is first: every run has a stream of its own, drawn before any starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

import numpy as np
from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

Task = TypeVar("Task")
Result = TypeVar("Result")


Stream = dict[str, Any]
"""A state to draw from, once it is opened: many are never needed, and a copy of a state is cheap."""


def own_stream(rng: np.random.RandomState, n_clusters: int) -> Stream:
    """What one start of k-means is to draw from: ``rng`` as it is; ``rng`` itself moves on to where that will end.

    So runs can be made in any order, side by side or not at all, and each draws what it would have drawn had they been
    made one after the other. A start of :func:`~likewise.clustering.seeding.spread_out` draws one number for its first
    centre and 2 + log k for each other one (where rows are fewer than clusters it draws otherwise, and streams share
    some numbers, which does no harm).
    """
    own: Stream = rng.get_state(legacy=False)
    rng.uniform(size=1 + (n_clusters - 1) * (2 + int(np.log(n_clusters))))
    return own


def opened(stream: Stream) -> np.random.RandomState:
    """A generator at the start of the stream."""
    own = np.random.RandomState(0)  # seeding from the system takes longer, and the state is replaced
    own.set_state(stream)
    return own


@cache
def native_threads() -> ThreadpoolController:
    """Who sets the number of threads of BLAS and OpenMP; to look for their libraries anew takes milliseconds."""
    return ThreadpoolController()


def side_by_side(work: Callable[[Task], Result], tasks: Iterable[Task], n_jobs: int | None) -> list[Result]:
    """The results of all tasks, in their order, made by ``n_jobs`` threads: what is slow here is not Python."""
    tasks = list(tasks)
    threads = min(effective_n_jobs(n_jobs), len(tasks))
    if threads < 2:
        return [work(task) for task in tasks]
    with ThreadPoolExecutor(threads, initializer=_alone) as pool:
        return list(pool.map(work, tasks))


def _alone() -> None:
    """Tell a new thread that it should not start others: it does not know what the one that started it was told."""
    native_threads().limit(limits=1, user_api="openmp")
