"""Reading files in a separate process, for libraries that crash or hang on damaged files."""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

SECONDS = 5.0
"""CPU time allowed for any file."""

BYTES_A_SECOND = 2e6
"""Additional time is allowed by file size, at the speed of the slowest compression."""

PATIENCE = 60.0
"""Additional wall-clock time, for a busy machine or a slow disk."""

CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.readline()); "
    "from likewise.tables._apart import serve; serve()"
)


class _Crash(Exception):
    """The process ended without a result."""


class _Child:
    """A process that reads files for this one."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for this process alone, which then ends that one
        )
        self._send([str(folder) for folder in sys.path])

    def call(self, function: str, path: Path) -> Any:
        """Call a function on a file in the process, and return its result."""
        seconds = SECONDS + path.stat().st_size / BYTES_A_SECOND
        late = threading.Timer(PATIENCE * seconds, self._process.kill)
        late.daemon = True
        late.start()
        try:
            self._send([function, str(path), seconds])
            assert self._process.stdout is not None
            kind, found = pickle.load(self._process.stdout)  # of our own process, never of the file
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            self.end()
            raise _Crash from None
        except BaseException:
            self.end()
            raise
        finally:
            late.cancel()
        if kind == "error":
            raise found
        return found

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        self._process.wait()

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


_kept: dict[int, _Child] = {}  # by the process that it belongs to: a fork must not use that of its parent
_keeping = False


def read_apart(function: str, path: Path, library: str) -> Any:
    """Call a function on a path in a separate process with limits on time and memory.

    Parameters
    ----------
    function : str
        The function, as "module:name".
    path : Path
    library : str
        The name of the library, for messages.

    Returns
    -------
    anything that can be pickled

    Raises
    ------
    ValueError
        If the process crashed or exceeded the time limit.
    """
    child = _kept.pop(os.getpid(), None) or _Child()
    try:
        found = child.call(function, path)
    except _Crash:
        raise ValueError(
            f"{path} is damaged: {library} crashed, or did not come to an end, when it read it. Get it again, or save "
            "it again."
        ) from None
    except BaseException:
        _put_back(child)
        raise
    _put_back(child)
    return found


def _put_back(child: _Child) -> None:
    if _keeping and child._process.returncode is None:
        _kept[os.getpid()] = child
    else:
        child.end()


@contextmanager
def one_process() -> Iterator[None]:
    """Context in which many files are read by one process, which is restarted only if it crashes."""
    global _keeping
    _keeping = True
    try:
        yield
    finally:
        _keeping = False
        if child := _kept.pop(os.getpid(), None):
            child.end()


# -- in the other process ----------------------------------------------------------------------------------------------


_is_apart = False


def serve() -> None:
    """Serve requests until the input is closed."""
    global _is_apart
    _is_apart = True
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print goes elsewhere
    for line in sys.stdin:
        function, path, seconds = json.loads(line)
        module, _, name = function.partition(":")
        work = getattr(import_module(module), name)
        _limit_time(seconds)
        try:
            answer = "found", work(Path(path))
        except (ValueError, OSError, ImportError, MemoryError) as error:
            answer = "error", error
        try:
            pickle.dump(answer, out, protocol=5)
        except (pickle.PicklingError, TypeError, AttributeError):  # an error that holds what cannot be sent
            pickle.dump(("error", ValueError(str(answer[1]))), out, protocol=5)
        out.flush()
        del answer


def _limit_time(seconds: float) -> None:
    """Let the operating system kill this process after this CPU time."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), hard))


def limit_memory(size: int) -> None:
    """Limit the memory of this process to ``size`` more bytes, if it is the separate process; otherwise do nothing."""
    if not _is_apart:
        return
    with suppress(ImportError, ValueError, OSError):
        import resource

        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        wanted = taken + size
        resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))
