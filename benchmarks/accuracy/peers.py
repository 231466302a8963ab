"""Client of the peers: other packages, run by one process in their own environment."""

from __future__ import annotations

import json
import os
import select
import subprocess
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from scipy import sparse

from likewise.evaluation.protocols import Case

PYTHON = Path(__file__).parents[2] / ".venv-peers" / "bin" / "python"
SCRIPT = Path(__file__).parents[1] / "peers" / "run.py"

START_S = 120.0
"""Seconds that the process may take to import all peers."""

GRACE_S = 5.0
"""Seconds after the limit until a process without an answer is ended."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class PeerFailure(RuntimeError):
    """A peer failed; the message is its own."""


class PeerTooSlow(PeerFailure):
    """A peer exceeded the time limit."""


class Peers:
    """Methods of other packages.

    Their process starts with the first request, serves all that follow, and ends with the ``with`` block or with the
    program. It is replaced if it crashes or hangs; a forked program starts its own.

    Parameters
    ----------
    command : sequence of str or path
        The command that starts the process; `benchmarks/peers/run.py` describes the protocol.

    Examples
    --------
    >>> with Peers() as peers:  # doctest: +SKIP
    ...     labels = peers.labels("PCKMeans", case, seed=0, limit_s=30)
    """

    def __init__(self, command: Sequence[str | Path] = (PYTHON, SCRIPT, "--serve")) -> None:
        self.command = [str(part) for part in command]
        self._process: _Process | None = None

    def __enter__(self) -> Peers:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; the next question starts another."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def labels(self, method: str, case: Case, seed: int, limit_s: float) -> np.ndarray:
        """Cluster the rows of a case.

        Parameters
        ----------
        method : str
            "ITML", "MMC" and "RCA" (each followed by k-means), "COPKMeans", "PCKMeans", "MPCKMeans", or "COBRAS". The
            last does not use the hints of the case: it asks as many questions as there are hints, about the rows
            ``case.extra["rows"]``, and is given the true answers. It also chooses the number of clusters itself.
        case : Case
            With dense X. Weights of hints are not passed on: no peer takes them.
        seed : int
        limit_s : float
            Seconds the method may take, reading and starting not counted.

        Returns
        -------
        labels : (n,) int array

        Raises
        ------
        PeerFailure
            If the peer fails.
        PeerTooSlow
            If it takes longer than the limit.
        """
        labels = np.asarray(self.found(method, saved(method, case), seed, limit_s)["labels"])
        if labels.shape != (case.constraints.n_samples,):
            raise PeerFailure(f"{method}: its labels have shape {labels.shape}, not {(case.constraints.n_samples,)}")
        return labels

    def found(self, method: str, data: dict[str, Any], seed: int, limit_s: float) -> dict[str, Any]:
        """All results of a method by name, from its input arrays; `benchmarks/peers/methods.py` lists both."""
        process = self._running()
        if method not in process.methods:
            raise ValueError(f"there is no peer method {method!r}. Use one of {', '.join(process.methods)}.")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "case.npz"
            np.savez(path, **data)
            question = {"method": method, "data": str(path), "seed": int(seed), "limit_s": float(limit_s)}
            answer = self._answer(process, method, question)
        if "failure" in answer:
            raise (PeerTooSlow if answer["too_slow"] else PeerFailure)(f"{method}: {answer['failure']}")
        return answer

    def _running(self) -> _Process:
        if self._process is None or not self._process.is_usable():
            self._process = _Process(self.command)
        return self._process

    def _answer(self, process: _Process, method: str, question: dict[str, Any]) -> dict[str, Any]:
        try:
            return process.ask(question, question["limit_s"] + GRACE_S)
        except TimeoutError:
            self.close()
            raise PeerTooSlow(f"{method}: it took more than {question['limit_s']:g} s and had to be ended") from None
        except _Ended as end:
            self.close()
            if end.signal is None:
                raise
            raise PeerFailure(f"{method}: its process was ended by signal {end.signal}") from None


def saved(method: str, case: Case) -> dict[str, Any]:
    """Save the inputs of a method; only COBRAS, which asks questions, gets the true classes to answer them from."""
    if sparse.issparse(case.X):
        raise TypeError(
            f"peers take dense rows, X is a sparse {type(case.X).__name__} of shape {case.X.shape}. "
            "Reduce it to a few dense columns first, for instance by TruncatedSVD."
        )
    hints = case.constraints.expand()
    given = {
        "X": np.asarray(case.X, dtype=float),
        "must_link": hints.must_link,
        "cannot_link": hints.cannot_link,
        "n_clusters": case.n_clusters,
    }
    if method != "COBRAS":
        return given
    if "rows" not in case.extra:
        raise ValueError(
            f"COBRAS needs to know which rows it may ask about; case.extra has {sorted(case.extra)}. "
            "Draw the case with extra['rows'], the rows that hints may come from."
        )
    budget = len(hints.must_link) + len(hints.cannot_link)
    y = np.asarray(case.y)
    return {
        **given,
        "said": (y[:, None] == y).astype(np.int8),
        "rows": np.asarray(case.extra["rows"]),
        "budget": budget,
    }


class _Ended(RuntimeError):
    """The process has ended; by which signal, or None if it exited by itself."""

    def __init__(self, message: str, signal: int | None) -> None:
        super().__init__(message)
        self.signal = signal


class _Process:
    """A running process, with a request and an answer per line."""

    def __init__(self, command: list[str]) -> None:
        if not Path(command[0]).exists():
            raise FileNotFoundError(f"there is no {command[0]}. Build the peers' environment: make .venv-peers/.ready")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the process)
        pipe = subprocess.PIPE
        self._child = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=self._errors, env=os.environ | ONE_THREAD
        )
        self._name = " ".join(command)
        self._owner = os.getpid()
        self.end = weakref.finalize(self, _end, self._child, self._errors, self._owner)
        self.methods: list[str] = self._line(START_S)["methods"]

    def is_usable(self) -> bool:
        """Whether this program started the process, rather than one it was forked from, and it is still running."""
        return self._owner == os.getpid() and self._child.poll() is None

    def ask(self, question: dict[str, Any], wait_s: float) -> dict[str, Any]:
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(question).encode() + b"\n")
            self._child.stdin.flush()
        except BrokenPipeError:
            self._gone()
        return self._line(wait_s)

    def _line(self, wait_s: float) -> dict[str, Any]:
        assert self._child.stdout is not None
        if not select.select([self._child.stdout], [], [], wait_s)[0]:
            raise TimeoutError(f"{self._name} gave no answer for {wait_s:g} s")
        line = self._child.stdout.readline()
        if not line.endswith(b"\n"):
            self._gone()
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _gone(self) -> NoReturn:
        status = self._child.wait()
        self._errors.seek(0)
        last = self._errors.read().decode(errors="replace").strip()[-2000:]
        message = f"the peers' process {self._name} ended with status {status}: {last}"
        raise _Ended(message, -status if status < 0 else None)


def _end(child: subprocess.Popen[bytes], errors: Any, owner: int) -> None:
    """End the process and close its pipes, unless it belongs to the program that this one was forked from."""
    if os.getpid() == owner:
        child.kill()
        child.wait()
    streams: list[Any] = [child.stdin, child.stdout, errors]
    for stream in streams:
        with suppress(BrokenPipeError):  # a question it did not live to read
            stream.close()
