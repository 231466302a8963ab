"""Running work in its own process, with limits of time and memory.

Processes are forked from a server that has imported what the work needs and has done nothing else, so that they start
quickly and in the same state.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from .harness import Skipped

LOOK_S = 0.02
"""Seconds between two checks of a process."""


@dataclass(frozen=True)
class Outcome:
    """The result of the work, or the way it ended ("skipped", "time", "memory" or "error") and a message."""

    value: Any = None
    ended: str = ""
    why: str = ""


@cache
def server() -> Any:
    """The multiprocessing context: processes are forked from one in which benchmarks.preloaded is imported."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.preloaded"])
    return context


def run_apart(
    work: Callable[..., Any], *arguments: Any, limit_s: float = float("inf"), limit_gib: float = float("inf")
) -> Outcome:
    """Call a function of an importable module in its own process.

    Parameters
    ----------
    work : callable
        Its result must be plain data.
    limit_s, limit_gib : float
        Limits of seconds and of resident memory at which the process is ended.
    """
    receiver, sender = server().Pipe(duplex=False)
    process = server().Process(target=_answer, args=(sender, work, arguments))
    start = time.monotonic()
    process.start()
    sender.close()
    try:
        while not wait([receiver, process.sentinel], LOOK_S):
            if resident_gib(process.pid) > limit_gib:
                return Outcome(ended="memory", why=f"it needs more than {limit_gib:g} GiB")
            if time.monotonic() - start > limit_s:
                return Outcome(ended="time", why=f"it takes more than {limit_s:g} s")
        try:
            return receiver.recv()
        except EOFError:
            process.join()
            return Outcome(ended="error", why=f"its process ended with exit code {process.exitcode}")
    finally:
        process.kill()
        process.join()
        receiver.close()


def resident_gib(pid: int) -> float:
    """Resident memory of a process now; 0 if it has ended."""
    statm = Path(f"/proc/{pid}/statm")
    if not Path("/proc/self/statm").exists():
        raise OSError("memory of a process is read from /proc, which this system does not have. Run it on Linux.")
    try:
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**30
    except (FileNotFoundError, ProcessLookupError):
        return 0.0


def _answer(sender: Connection, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """The target of the process: run the work and send its outcome."""
    try:
        sender.send(Outcome(work(*arguments)))
    except Skipped as reason:
        sender.send(Outcome(ended="skipped", why=str(reason)))
    except MemoryError as error:
        sender.send(Outcome(ended="memory", why=f"there is not enough memory: {error}"))
    except Exception as error:
        trace = "".join(traceback.format_exception(error)[-3:])
        sender.send(Outcome(value=trace, ended="error", why=f"{type(error).__name__}: {error}"))
