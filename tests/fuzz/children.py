"""Processes that read one input after the other, and may crash, hang or take too much memory doing so."""

from __future__ import annotations

import hashlib
import mmap
import os
import random
import resource
import shutil
import signal
import struct
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from likewise.tables._apart import one_process

from .kinds import KINDS, Kind
from .mutate import mutated

HANG = 20.0
"""Seconds of the processor for one input, which is a hang; readers of small files take milliseconds."""

PATIENCE = 15.0
"""How many times as long that may be by the clock: a reader may wait for a process of its own, on a busy machine."""

MEMORY = 2**30
"""Bytes that a process may take beyond what it has when it begins."""

MOST_EXAMPLES = 50
"""Failures that one child tells about; a pipe does not hold many more."""

BATCH = 500
"""Inputs that hypothesis makes from one seed."""


@dataclass
class Failure:
    """An input that did not end in an answer or a clear error."""

    kind: str
    what: str
    detail: str
    data: bytes
    number: int


@dataclass
class Outcome:
    """What became of the inputs of a kind."""

    tried: int = 0
    answered: int = 0
    refused: int = 0
    peak: int = 0
    failed: int = 0
    examples: dict[str, Failure] = field(default_factory=dict)


def judged(kind: Kind, path: Path) -> tuple[str, str]:
    """Whether reading a file was "answered" or "refused", or what else happened; and a detail to tell cases apart."""
    try:
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            kind.read(path)
        odd = [one for one in shown if not issubclass(one.category, UserWarning)]
        if odd:
            return (
                "warning",
                f"{odd[0].category.__name__}: {odd[0].message} ({Path(odd[0].filename).name}:{odd[0].lineno})",
            )
        return "answered", ""
    except (ValueError, OSError, MemoryError) as error:
        if str(path) in str(error):
            return "refused", str(error)
        what = "memory" if isinstance(error, MemoryError) else "unnamed"
        return what, f"{type(error).__name__}: {_where(error)}: {error}"
    except Exception as error:
        return "traceback", f"{type(error).__name__}: {_where(error)}: {error}"


def _where(error: BaseException) -> str:
    """The innermost place in this package."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/likewise/" in frame.filename]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"


def inputs(kind: Kind, seed: int, first: int) -> Iterator[tuple[int, bytes]]:
    """Inputs of a kind without end, each with its number: those of hypothesis come in batches."""
    number = first
    while True:
        if kind.made is not None and (number // BATCH) % 4 == 3:
            yield from _made(kind, seed, number)
            number += BATCH - number % BATCH
            continue
        rng = random.Random(f"{kind.name} {seed} {number}")
        yield number, rng.choice(kind.ways)(rng, kind.valid, kind.words)
        number += 1


def _made(kind: Kind, seed: int, first: int) -> Iterator[tuple[int, bytes]]:
    """A batch of inputs by hypothesis, and behind them some changed once more."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    assert kind.made is not None
    found: list[bytes] = []
    start = first - first % BATCH

    @seeded(f"{kind.name} {seed} {start}")
    @settings(
        max_examples=BATCH * 3 // 5,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(kind.made())
    def collect(data):
        found.append(data)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collect()
    rng = random.Random(f"{kind.name} {seed} {start}")
    found += [mutated(rng, found, kind.words) for _ in range(BATCH - len(found))]
    yield from ((start + place, data) for place, data in enumerate(found) if start + place >= first)


def place_for(kind: Kind, folder: Path) -> tuple[Path, Path]:
    """Where the bytes go, and the path that is read."""
    file = folder / kind.file
    file.parent.mkdir(exist_ok=True)
    if "/" in kind.file:
        for number, data in enumerate(kind.valid[:3]):
            (file.parent / f"valid{number}{file.suffix}").write_bytes(data)
    return file, file.parent if "/" in kind.file else file


def run(kind: Kind, seed: int, seconds: float, n: int | None = None, first: int = 0) -> Outcome:
    """Try inputs for some seconds, or ``n`` of them, in a child that is started again when it dies."""
    outcome = Outcome()
    assert kind.valid  # made here, so that no child has to
    end = time.monotonic() + seconds
    stop = None if n is None else first + n
    while time.monotonic() < end and (stop is None or first < stop):
        first = _child(kind, seed, first, stop, end, outcome)
    return outcome


# what a child tells: the input it is at, its counts, the length of the input, whether it is being read; then the input
STATE = struct.Struct("<QQQQQQ")
SHARED = 2**21


def _child(kind: Kind, seed: int, first: int, stop: int | None, end: float, outcome: Outcome) -> int:
    """Run a child from an input on; returns the number of the next one."""
    shared = mmap.mmap(-1, SHARED)
    folder = Path(tempfile.mkdtemp(prefix="likewise-fuzz-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(told)
            with one_process():
                _work(kind, seed, first, stop, end, shared, folder, tell)
        except BaseException:
            traceback.print_exc()
            os._exit(3)
        os._exit(0)
    os.close(tell)
    status, usage, hung = _watch(pid, shared)
    with os.fdopen(told, "rb") as pipe:
        reports = pipe.read().decode("utf-8", "replace").split("\0\n")
    number, tried, answered, refused, length, _ = STATE.unpack_from(shared)
    outcome.tried += tried
    outcome.answered += answered
    outcome.refused += refused
    outcome.failed += tried - answered - refused
    outcome.peak = max(outcome.peak, usage.ru_maxrss * 1024)
    for report in filter(None, reports):
        at, what, place, detail = report.split("\0", 3)
        _note(outcome, Failure(kind.name, what, detail, (folder / f"failed-{at}").read_bytes(), int(at)), place)
    if hung or os.WIFSIGNALED(status) or os.WEXITSTATUS(status) not in (0,):
        what = "hang" if hung else signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "exit"
        outcome.tried += 1
        outcome.failed += 1
        data = bytes(shared[STATE.size : STATE.size + length])
        _note(outcome, Failure(kind.name, what, what, data, number), what)
    shutil.rmtree(folder, ignore_errors=True)
    shared.close()
    return number + 1


def _note(outcome: Outcome, failure: Failure, place: str) -> None:
    outcome.examples.setdefault(f"{failure.what} {place}", failure)


def judged_apart(kind: Kind, files: list[bytes]) -> list[tuple[str, str]]:
    """What becomes of files, each judged in a child: the place of those that crash tells how."""
    found: list[tuple[str, str]] = []
    while len(found) < len(files):
        shared = mmap.mmap(-1, SHARED)
        told, tell = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(told)
            with tempfile.TemporaryDirectory(prefix="likewise-fuzz-") as folder, one_process():
                _limit()
                file, path = place_for(kind, Path(folder))
                for place, data in enumerate(files[len(found) :]):
                    STATE.pack_into(shared, 0, place, 0, 0, 0, 0, 1)
                    file.write_bytes(data)
                    what, detail = judged(kind, path)
                    os.write(tell, f"{what}\0{detail[:600]}\0\n".encode("utf-8", "replace"))
            os._exit(0)
        os.close(tell)
        status, _, hung = _watch(pid, shared)
        with os.fdopen(told, "rb") as pipe:
            found += [tuple(each.split("\0")) for each in pipe.read().decode("utf-8", "replace").split("\0\n")[:-1]]
        if hung or status:
            found.append(("hang" if hung else f"status {status}", ""))
    return found


def _watch(pid: int, shared: mmap.mmap) -> tuple[int, resource.struct_rusage, bool]:
    """Wait for the end of a child; one that stays at an input is killed, unless it is only making it."""
    at: tuple[Any, ...] = ()
    since, worked, hung = time.monotonic(), 0.0, False
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            return status, usage, hung
        state = STATE.unpack_from(shared)
        if state != at or not state[-1]:
            at, since, worked = state, time.monotonic(), _seconds_of(pid)
        elif not hung and (_seconds_of(pid) - worked > HANG or time.monotonic() - since > PATIENCE * HANG):
            hung = True
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _seconds_of(pid: int) -> float:
    """How long a process has worked."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _work(
    kind: Kind, seed: int, first: int, stop: int | None, end: float, shared: mmap.mmap, folder: Path, tell: int
) -> None:
    _limit()
    file, path = place_for(kind, folder)
    answered = refused = failed = 0
    known: set[str] = set()
    for number, data in inputs(kind, seed, first):
        if time.monotonic() > end or (stop is not None and number >= stop):
            break
        shared[STATE.size : STATE.size + len(data)] = data
        file.write_bytes(data)
        STATE.pack_into(shared, 0, number, answered + refused + failed, answered, refused, len(data), 1)
        what, detail = judged(kind, path)
        answered += what == "answered"
        refused += what == "refused"
        if what not in ("answered", "refused"):
            failed += 1
            place = ":".join(detail.split(":")[:3])
            if place not in known and len(known) < MOST_EXAMPLES:
                known.add(place)
                (folder / f"failed-{number}").write_bytes(data)
                os.write(tell, f"{number}\0{what}\0{place}\0{detail[:600]}\0\n".encode("utf-8", "replace"))
        STATE.pack_into(shared, 0, number, answered + refused + failed, answered, refused, len(data), 0)


def _limit() -> None:
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def keep(failure: Failure, folder: Path) -> Path:
    """Put an input among those that the tests read again and again."""
    suffix = KINDS[failure.kind].file.partition(".")[2]
    path = folder / failure.kind / f"{hashlib.sha256(failure.data).hexdigest()[:12]}.{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(failure.data)
    return path
