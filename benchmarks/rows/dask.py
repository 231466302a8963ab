"""Rows on a Dask cluster: the overhead of the scheduler compared with plain processes, and the memory of the client."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import likewise as lw
from likewise.chunked import LEAF, DaskRows, InMemory, moments
from likewise.chunked._fold import TreeSum
from likewise.clustering.kmeans._chunked import assign_and_sum
from likewise.projections._sigma_points import moments_and_hinted

from ..harness import Bar, Contest, Skipped, Verdict, row
from .tall import tall_rows

WORKERS = 2


def mapped(path: str, start: int, stop: int) -> np.ndarray:
    """Some rows of a NumPy file."""
    return np.asarray(np.load(path, mmap_mode="r"))[start:stop]


def chunk_of(block: np.ndarray, *, path: str, rows: int, again: bool, block_id: Any = None) -> np.ndarray:
    """The rows of a chunk; with ``again``, all chunks are the first one of the file."""
    first = 0 if again else block_id[0] * rows
    return mapped(path, first, first + len(block))


def from_file(path: str, n: int, f: int, rows: int, *, again: bool = False) -> Any:
    """A NumPy file as a Dask array with chunks of ``rows`` rows."""
    from dask.array import empty

    lengths = empty((n, f), chunks=(rows, f), dtype=np.float32)
    read = partial(chunk_of, path=path, rows=rows, again=again)
    return lengths.map_blocks(read, dtype=np.float32, meta=np.empty((0, f), dtype=np.float32))


def folded(path: str, look: Any, start: int, stop: int) -> Any:
    """The work of one plain process: its part of the rows, leaf by leaf."""
    total = TreeSum()
    for first in range(start, stop, LEAF):
        total.add(look(mapped(path, first, min(first + LEAF, stop)), first))
    return total.value()


def cluster(processes: bool) -> Any:
    """A client of two workers with one thread each; in a quick run they are in this process."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise Skipped("distributed is not installed (make setup)") from None
    options = {"memory_limit": "4GiB", "dashboard_address": ":0", "silence_logs": 50, "processes": processes}
    return Client(LocalCluster(n_workers=WORKERS, threads_per_worker=1, **options))


def beside_processes(look: Any, n: int, f: int, chunk: int, processes: bool) -> Contest:
    """A pass on a cluster of two workers, compared with two plain processes, from the same memory-mapped file."""
    X, _ = tall_rows(n, f)
    folder = TemporaryDirectory()
    path = str(Path(folder.name, "rows.npy"))
    np.save(path, X)
    client = cluster(processes)
    pool: Any = (
        ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) if processes else ThreadPoolExecutor(WORKERS)
    )
    rows = DaskRows(from_file(path, n, f, chunk))
    half = -(-n // (2 * LEAF)) * LEAF
    parts = ((0, half), (half, n))

    def theirs():
        return sum_of([future.result() for future in [pool.submit(folded, path, look, *part) for part in parts]])

    def judge(ours, bare):
        here = InMemory(X).fold(look)
        same = all(np.array_equal(getattr(ours, field), getattr(here, field)) for field in vars(here))
        client.cluster.close()
        client.close()
        pool.shutdown()
        folder.cleanup()
        return Verdict(f"chunks of {chunk * f * 4 / 1e6:.0f} MB", same)

    rows.fold(look)  # both have started, and the file is in the cache
    theirs()
    return Contest(lambda: rows.fold(look), theirs, judge)


def sum_of(parts: list[Any]) -> Any:
    """The sum of two parts."""
    left, right = parts
    return left + right


QUICK = {"n": 140_000, "f": 5, "chunk": 2**16, "processes": False}


@row(
    "dask-moments",
    "one pass for the moments of {n:,} × {f} float32 on 2 Dask workers, from a mapped file",
    "2 bare processes",
    Bar(slower=1.25, also="the bits of rows in memory"),
    **QUICK,
)
def dask_moments(n=5_000_000, f=50, chunk=2**18, processes=True) -> Contest:
    return beside_processes(partial(moments, origin=np.zeros(f)), n, f, chunk, processes)


@row(
    "dask-lloyd",
    "one iteration of k-means, k = {k}, on {n:,} × {f} float32 on 2 Dask workers, from a mapped file",
    "2 bare processes",
    Bar(slower=1.25, also="the bits of rows in memory"),
    **QUICK,
    k=3,
)
def dask_lloyd(n=5_000_000, f=50, chunk=2**18, k=20, processes=True) -> Contest:
    centers = np.random.default_rng(0).normal(size=(k, f)).astype(np.float32)
    look = partial(
        assign_and_sum,
        centers=centers,
        origin=np.zeros(f, np.float32),
        cosine=False,
        hinted=np.empty(0, dtype=np.int64),
    )
    return beside_processes(look, n, f, chunk, processes)


def nothing(rows: np.ndarray, first: int) -> int:
    """A look that does nothing."""
    return 0


@row(
    "dask-overhead",
    "an empty pass over {chunks} chunks on 2 Dask workers",
    "as many empty tasks, gathered",
    Bar(seconds=1, also="that is 10 ms a chunk"),
    chunks=4,
    processes=False,
)
def dask_overhead(chunks=100, processes=True) -> Contest:
    client = cluster(processes)
    from dask.array import zeros

    rows = DaskRows(zeros((chunks * LEAF, 1), chunks=(LEAF, 1), dtype=np.float32))

    def judge(ours, theirs):
        client.cluster.close()
        client.close()
        return Verdict()

    def theirs():
        return client.gather(client.map(nothing, range(chunks), range(chunks), pure=False))

    rows.fold(nothing)
    theirs()
    return Contest(lambda: rows.fold(nothing), theirs, judge)


@row(
    "dask-client",
    "Costco on {n:,} × {f} float32 on 2 Dask workers, {pairs} pairs of each kind, one mapped chunk again and again; "
    "memory is the client's",
    "the pass alone",
    Bar(gib=1, slower=1.25),
    n=200_000,
    f=5,
    pairs=20,
    processes=False,
)
def dask_client(n=100_000_000, f=50, pairs=200, processes=True) -> Contest:
    chunk = min(2**18, n)
    X, _ = tall_rows(chunk, f)
    folder = TemporaryDirectory()
    path = str(Path(folder.name, "rows.npy"))
    np.save(path, X)  # each chunk is a reading of this one
    del X
    client = cluster(processes)
    array = from_file(path, n, f, chunk, again=True)
    rng = np.random.default_rng(0)
    hints = lw.Constraints(n, rng.integers(n, size=(pairs, 2)), rng.integers(n, size=(pairs, 2)))
    look = partial(
        moments_and_hinted, origin=np.zeros(f), precision=np.float32, hinted=np.arange(0, n, n // (4 * pairs))
    )

    def judge(ours, theirs):
        client.cluster.close()
        client.close()
        folder.cleanup()
        return Verdict(f"{-(-n // chunk):,} chunks")

    return Contest(
        lambda: lw.Costco(10).fit(array, constraints=hints).components_, lambda: DaskRows(array).fold(look), judge
    )
