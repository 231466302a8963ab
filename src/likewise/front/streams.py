"""Random numbers that do not depend on who is first: every run has a stream of its own, drawn before any starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import threadpool_limits

Task = TypeVar("Task")
Result = TypeVar("Result")


def own_stream(rng: np.random.RandomState, n_clusters: int) -> np.random.RandomState:
    """What one start of k-means is to draw from: ``rng`` as it is; ``rng`` itself moves on to where that will end.

    So runs can be made in any order, side by side or not at all, and each draws what it would have drawn had they been
    made one after the other. A start of :func:`~likewise.clustering.seeding.spread_out` draws one number for its first
    centre and 2 + log k for each other one (where rows are fewer than clusters it draws otherwise, and streams share
    some numbers, which does no harm).
    """
    own = np.random.RandomState(0)  # seeding from the system takes longer, and the state is replaced
    own.set_state(rng.get_state())
    rng.uniform(size=1 + (n_clusters - 1) * (2 + int(np.log(n_clusters))))
    return own


def side_by_side(work: Callable[[Task], Result], tasks: Iterable[Task], n_jobs: int | None) -> list[Result]:
    """The results of all tasks, in their order, made by ``n_jobs`` threads: what is slow here is not Python."""

    def alone(task: Task) -> Result:
        # a new thread does not know that it should not start others
        with threadpool_limits(1, user_api="openmp"):
            return work(task)

    chosen = work if effective_n_jobs(n_jobs) == 1 else alone
    return list(Parallel(n_jobs=n_jobs, backend="threading")(delayed(chosen)(task) for task in tasks))
