"""Reading in a process of its own, for libraries that crash, or never end, on a damaged file."""

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
"""Of the processor, for any file."""

BYTES_A_SECOND = 2e6
"""What the slowest packing is read at; larger files get more time."""

PATIENCE = 60.0
"""How much longer than that it may take by the clock, on a busy machine or a slow disk."""

CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.readline()); "
    "from likewise.tables._apart import serve; serve()"
)


class _Crash(Exception):
    """The process ended before it answered."""


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
        """What a function makes of a file, there."""
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
    """Call a function of a path, in another process with limits.

    Parameters
    ----------
    function : str
        Where it is: "module:name".
    path : Path
    library : str
        Which library reads the file, for messages.

    Returns
    -------
    anything that can be pickled

    Raises
    ------
    ValueError
        If the process crashed, or took longer than a file of this size can take.
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
    """Within this, many files are read by one process, which is started again only if it crashes."""
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
    """Read files until nobody asks any more."""
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
    """The system ends this process when it takes longer, whatever it is doing."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), hard))


def limit_memory(size: int) -> None:
    """Let the process that reads apart take so many bytes beyond what it has, and no more; any other stays as it is."""
    if not _is_apart:
        return
    with suppress(ImportError, ValueError, OSError):
        import resource

        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        wanted = taken + size
        resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))
