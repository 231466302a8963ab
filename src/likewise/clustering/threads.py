"""Blocks of rows on several threads, with one thread of BLAS in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController

_taken = Lock()


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def on_threads(work: Callable[[slice], None], blocks: Sequence[slice]) -> None:
    """Call ``work`` with every block, on as many threads as BLAS would use.

    BLAS by itself shares out its products but not the steps between them, and waits for its slowest thread at every
    product, however small. Where a caller has several threads already only one of them gets more; the others go block
    by block.

    >>> found = []
    >>> on_threads(lambda block: found.append(block.stop), [slice(0, 2), slice(2, 3)])
    >>> sorted(found)
    [2, 3]
    """
    if not _taken.acquire(blocking=False):
        for block in blocks:
            work(block)
        return
    try:
        count = max((library.num_threads for library in _blas().lib_controllers), default=1)
        with nullcontext() if count == 1 else _blas().limit(limits=1):
            if min(count, len(blocks)) < 2:
                for block in blocks:
                    work(block)
                return
            with ThreadPoolExecutor(count) as pool:
                for _ in pool.map(work, blocks):  # an error in a thread is raised here
                    pass
    finally:
        _taken.release()
