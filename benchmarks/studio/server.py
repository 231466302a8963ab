"""The studio in its own process, and the requests of a page."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np


class Studio:
    """`likewise studio` on a file, started, killed and started again.

    Parameters
    ----------
    source, session : Path
    *options : str
    """

    def __init__(self, source: Path, session: Path, *options: str) -> None:
        self.command = [sys.executable, "-m", "likewise", "studio", str(source), "--no-open", "--quiet"]
        self.command += ["--session", str(session), *options]
        self.session = session
        self.start()

    def start(self) -> None:
        """Start the studio, and wait for its link."""
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        began = time.monotonic()
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        found = re.match(r"open http://127\.0\.0\.1:(\d+)/#(\S+)", self.process.stdout.readline())
        assert found is not None, "the studio did not start"
        self.seconds = time.monotonic() - began
        self.port = int(found[1])
        self.connection: http.client.HTTPConnection | None = None
        self.token = ""
        self.token = self.ask("POST", "/api/enter", {"code": found[2]})["token"]

    def ask(self, method: str, path: str, body: Any = None, *, raw: bool = False) -> Any:
        """A request over a persistent connection; if the server has closed it, over a new one."""
        data = None if body is None else json.dumps(body).encode()
        try:
            status, content = self._sent(method, path, data)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            status, content = self._sent(method, path, data)
        if raw:
            return content
        found = json.loads(content)
        if status >= 400:
            raise ValueError(f"{path}: {status} {found}")
        return found

    def _sent(self, method: str, path: str, data: bytes | None) -> tuple[int, bytes]:
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            self.connection.request(method, path, data, {"Authorization": f"Bearer {self.token}"})
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise

    def answer(self, card: dict[str, Any], groups: np.ndarray, key: str | None = None) -> dict[str, Any]:
        """Answer a card according to the groups of the rows."""
        left, right = card["rows"][:2]
        said = "same" if groups[left] == groups[right] else "different"
        return self.ask(
            "POST", "/api/answer", {"key": key or uuid.uuid4().hex, "question": card["number"], "answer": said}
        )

    @property
    def workers(self) -> list[int]:
        """The child processes."""
        return children(self.process.pid)

    @property
    def memory(self) -> float:
        """The resident memory of the server in MiB."""
        return resident(self.process.pid)

    def kill(self) -> None:
        """Kill the process, as in a crash."""
        self.process.kill()
        self._ended()

    def stop(self) -> None:
        """Interrupt the process, as by Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        self._ended()

    def _ended(self) -> None:
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        if self.connection is not None:
            self.connection.close()


def children(pid: int) -> list[int]:
    """The child processes of a process; none if it has ended."""
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, listed.read_text().split())
    return found


def resident(pid: int) -> float:
    """The resident memory of a process in MiB; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def write_rows(path: Path, n: int, k: int, width: int, *, size: int | None = None) -> np.ndarray:
    """Write rows around centers to an .npy file; returns the group of each row, by center or in blocks of ``size``."""
    rng = np.random.default_rng(0)
    cluster = rng.integers(k, size=n)
    centers = rng.normal(scale=3, size=(k, width))
    np.save(path, (centers[cluster] + rng.normal(size=(n, width))).astype(np.float32))
    return cluster if size is None else np.arange(n) // size
