"""Fits on a Dask cluster whose workers are killed, for many minutes."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

import likewise
from likewise.chunked import InMemory

from .server import resident

PATIENCE = {  # a busy machine has lost nobody
    "distributed.comm.timeouts.connect": "600s",
    "distributed.comm.timeouts.tcp": "600s",
    "distributed.scheduler.worker-ttl": None,
    # A cluster that Dask started closes a worker for good that is missing so long after it was lost, if only because it
    # was lost once more and is just starting.
    "distributed.deploy.lost-worker-timeout": "7d",
}


class Fits(NamedTuple):
    """The number of fits, of different results and of killed workers, and the client's memory over time."""

    n: int
    different: int
    kills: int
    memory: list[tuple[float, float]]


def fit_until(minutes: float, n: int = 40_000, width: int = 16) -> Fits:
    """Fit the same rows repeatedly; during each fit a worker is killed at a random moment.

    The scheduler runs in this process, so its memory is counted.
    """
    import dask.array
    from distributed import Client, LocalCluster, span

    import dask

    rng = np.random.default_rng(0)
    groups = rng.integers(5, size=n)
    X = rng.normal(scale=4, size=(5, width))[groups] + rng.normal(size=(n, width))
    hints = likewise.Constraints.sample(groups, "random_pairs", 200, random_state=0)
    model = likewise.PCKMeans(5, random_state=0, n_init=2)
    expected = model.fit(InMemory(X), constraints=hints).labels_.tobytes()
    done = different = 0
    kills: list[int] = []
    memory = []
    with (
        dask.config.set(PATIENCE),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, death_timeout="600s") as cluster,
        Client(cluster),
        span("soak"),  # otherwise the scheduler keeps metrics of every computation for ever
    ):
        start = time.monotonic()
        while time.monotonic() < start + 60 * minutes:
            rows = dask.array.from_array(X, chunks=(n // 16, width))
            fitted = threading.Event()
            killer = threading.Thread(target=_kill_one, args=(cluster, rng.uniform(0, 2), fitted, kills))
            killer.start()
            labels = np.asarray(model.fit(rows, constraints=hints).labels_)
            fitted.set()
            killer.join()
            done += 1
            different += labels.tobytes() != expected
            memory.append((time.monotonic() - start, resident(os.getpid())))
    return Fits(done, different, len(kills), memory)


def _kill_one(cluster: Any, seconds: float, fitted: threading.Event, kills: list[int]) -> None:
    """Kill a worker during the fit; its nanny starts another."""
    if fitted.wait(seconds):
        return
    processes = sorted(nanny.pid for nanny in cluster.workers.values() if nanny.pid is not None)
    if processes:
        with suppress(ProcessLookupError):
            os.kill(processes[len(kills) % len(processes)], signal.SIGKILL)
            kills.append(1)
