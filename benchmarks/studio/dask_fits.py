"""Fits on a Dask cluster whose workers are killed, for many minutes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import likewise
from likewise.chunked import InMemory

from .server import children, resident

PATIENCE = {  # a busy machine has lost nobody
    "distributed.comm.timeouts.connect": "600s",
    "distributed.comm.timeouts.tcp": "600s",
    "distributed.scheduler.worker-ttl": None,
    # A cluster that Dask started closes a worker for good that is missing so long after it was lost, if only because it
    # was lost once more and is just starting.
    "distributed.deploy.lost-worker-timeout": "7d",
}

FEW_RECORDS = {"distributed.diagnostics.computations.max-history": 10}
"""The scheduler keeps fewer graphs, as docs/cluster.md recommends for many fits."""


class Fits(NamedTuple):
    """The number of fits, of different results and of killed workers, and memory over time by process."""

    n: int
    different: int
    kills: int
    memory: dict[str, list[tuple[float, float]]]


def fit_until(minutes: float, folder: Path, n: int = 40_000, width: int = 16) -> Fits:
    """Fit the same rows repeatedly; during each fit a worker is killed at a random moment."""
    import dask.array
    from distributed import Client, span

    import dask

    rng = np.random.default_rng(0)
    groups = rng.integers(5, size=n)
    X = rng.normal(scale=4, size=(5, width))[groups] + rng.normal(size=(n, width))
    hints = likewise.Constraints.sample(groups, "random_pairs", 200, random_state=0)
    model = likewise.PCKMeans(5, random_state=0, n_init=2)
    path = folder / "rows.npy"
    np.save(path, X)
    expected = model.fit(InMemory(X), constraints=hints).labels_.tobytes()
    done = different = 0
    kills: list[int] = []
    memory: dict[str, list[tuple[float, float]]] = {"client": [], "scheduler": []}
    with (
        dask.config.set(PATIENCE),
        _cluster(folder, 2) as (scheduler, nannies),
        Client(scheduler_file=str(folder / "scheduler.json")) as client,
        span("soak"),  # otherwise the scheduler keeps metrics of every computation for ever
    ):
        client.wait_for_workers(len(nannies))
        start = time.monotonic()
        while time.monotonic() < start + 60 * minutes:
            rows = dask.array.map_blocks(_read, path, chunks=((n // 16,) * 16, (width,)), meta=X[:0])
            fitted = threading.Event()
            killer = threading.Thread(target=_kill_one, args=(nannies, rng.uniform(0, 2), fitted, kills))
            killer.start()
            labels = np.asarray(model.fit(rows, constraints=hints).labels_)
            fitted.set()
            killer.join()
            done += 1
            different += labels.tobytes() != expected
            for name, process in (("client", os.getpid()), ("scheduler", scheduler)):
                memory[name].append((time.monotonic() - start, resident(process)))
    return Fits(done, different, len(kills), memory)


def _read(path: Path, block_info: Any) -> np.ndarray:
    """A chunk of the rows in a file; rows in memory would be part of every graph."""
    (start, stop), _ = block_info[None]["array-location"]
    rows: np.ndarray = np.load(path, mmap_mode="r")
    return rows[start:stop]


@contextmanager
def _cluster(folder: Path, n_workers: int) -> Iterator[tuple[int, list[int]]]:
    """A scheduler and nannies of one worker each, in processes of their own, as on other machines; yields their ids."""
    settings = {
        "DASK_" + name.replace(".", "__").replace("-", "_").upper(): str(value)
        for name, value in (PATIENCE | FEW_RECORDS).items()
    }
    settings["PYTHONPATH"] = str(Path(__file__).parents[2])  # so that workers find the function that reads rows
    place = ["--scheduler-file", str(folder / "scheduler.json"), "--no-dashboard"]
    worker = ["worker", *place, "--nworkers", "1", "--nthreads", "1", "--death-timeout", "600"]
    with ExitStack() as stack:

        def start(name: str, *command: str) -> int:
            log = stack.enter_context((folder / f"{name}.log").open("w"))
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "dask", *command],
                    cwd=folder,
                    env=os.environ | settings,
                    stdout=log,
                    stderr=log,
                )
            )
            stack.callback(process.terminate)
            return process.pid

        scheduler = start("scheduler", "scheduler", *place, "--port", "0")
        yield scheduler, [start(f"worker{number}", *worker) for number in range(n_workers)]


def _kill_one(nannies: list[int], seconds: float, fitted: threading.Event, kills: list[int]) -> None:
    """Kill a worker during the fit; its nanny starts another."""
    if fitted.wait(seconds):
        return
    for child in children(nannies[len(kills) % len(nannies)]):
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(child, signal.SIGKILL)
                kills.append(1)
                return
