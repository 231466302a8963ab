"""A Dask array whose chunks note each reading, and end a process when they are told to."""

import hashlib
import os
import signal
from contextlib import suppress
from functools import partial
from pathlib import Path
from uuid import uuid4

import dask.array as da
import numpy as np
from scipy import sparse

from dask import delayed

LENGTHS = (300, 0, 1, 700, 412, 256, 999, 1, 332, 1500, 499)
"""Chunks that do not end where leaves do; one is empty, two have one row."""
N, F = sum(LENGTHS), 6
WATCHED = 6
"""The chunk that ends processes."""


def data():
    """Three clusters, and their numbers."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=N)
    return (rng.normal(size=(N, F)) + 4 * np.eye(3, F)[y] + 30).astype(np.float32), y


def chunk(number, folder, kind=np.asarray):
    """A chunk, read once more; told by files in a folder, it ends this process, another one, or the client."""
    folder = Path(folder)
    Path(folder, f"read-{number}-{uuid4().hex}-{os.getpid()}").touch()
    if number == WATCHED:
        _end(folder)
    stops = np.cumsum(LENGTHS)
    return kind(data()[0][stops[number] - LENGTHS[number] : stops[number]])


def _end(folder):
    reading = len(list(folder.glob(f"read-{WATCHED}-*")))
    for order in [*folder.glob(f"end-{reading}-*"), *folder.glob("end-any-*")]:
        done = order.with_name(f"ended-{order.name}")
        try:
            done.touch(exist_ok=False)
        except FileExistsError:
            continue
        who = order.name.split("-")[2]
        if who == "self":
            os.kill(os.getpid(), signal.SIGKILL)
        if who == "other" and not _end_another(folder):
            done.unlink()  # at another reading
        if who == "client":
            os.kill(int(Path(folder, "client").read_text()), signal.SIGKILL)
        if who.isdigit():
            os.kill(int(who), signal.SIGKILL)


def _end_another(folder):
    """End a worker that has read two chunks: it holds what was found in one of them."""
    readers = [int(path.name.split("-")[3]) for path in folder.glob("read-*")]
    for reader in {reader for reader in readers if readers.count(reader) > 1} - {os.getpid()}:
        with suppress(ProcessLookupError):
            os.kill(reader, signal.SIGKILL)
            return True
    return False


def array(folder, *, known=True, kind=np.asarray):
    """The data as a Dask array."""
    meta = kind(np.empty((0, F), dtype=np.float32))
    read = delayed(partial(chunk, folder=str(folder), kind=kind), pure=False)
    parts = [
        da.from_delayed(
            read(number, dask_key_name=f"read-{uuid4().hex}"), shape=(length if known else np.nan, F), meta=meta
        )
        for number, length in enumerate(LENGTHS)
    ]
    return da.concatenate(parts, allow_unknown_chunksizes=True)


def readings(folder):
    """How often the watched chunk was read."""
    return len(list(Path(folder).glob(f"read-{WATCHED}-*")))


def digest(model):
    """The sha256 of everything a model learned."""
    found = {}
    for name, value in sorted(vars(model).items()):
        if name.endswith("_") and isinstance(value, np.ndarray | float | int | tuple):
            if isinstance(value, tuple) and not all(isinstance(each, float) for each in value):
                found[name] = repr(value)
                continue
            array = np.ascontiguousarray(value)
            content = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
            found[name] = hashlib.sha256(repr((array.dtype, array.shape)).encode() + content).hexdigest()
        elif name.endswith("_") and hasattr(value, "fit"):
            found[name] = digest(value)
    return found


def csr(rows):
    """Sparse rows: what is far from the middle."""
    return sparse.csr_matrix(np.where(np.abs(rows - 30) > 1, rows, 0))
