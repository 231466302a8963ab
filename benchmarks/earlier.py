"""An earlier version of this package, run in its own process.

Its sources come from the repository's history, and its dependencies are those installed. It loads the data once and
then answers requests, so that it can alternate with the current version.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import likewise as lw

from .harness import Skipped

ROOT = Path(__file__).resolve().parent.parent

SERVER = """
import json, sys, time
import numpy as np
import likewise as lw
X = np.load(sys.argv[1])
hints = np.load(sys.argv[2])
hints = lw.Constraints(len(X), hints["must_link"], hints["cannot_link"])
model = None
print("ready", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    start = time.perf_counter()
    if asked["method"] == "fit":
        model = getattr(lw, asked["name"])(**asked["parameters"]).fit(X, constraints=hints)
        found = getattr(model, asked["attribute"])
    else:
        found = getattr(model, asked["method"])(X)
    seconds = time.perf_counter() - start
    np.save(sys.argv[3], found)
    print(json.dumps(seconds), flush=True)
"""


class Earlier:
    """The version of a commit, with data loaded.

    Parameters
    ----------
    commit : str
    X : (n, f) array
    hints : Constraints
        Pairs alone.
    """

    def __init__(self, commit: str, X: np.ndarray, hints: lw.Constraints) -> None:
        self._folder = TemporaryDirectory()
        folder = Path(self._folder.name)
        sources = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=False)
        if sources.returncode:
            raise Skipped(f"the repository's history has no commit {commit}: {sources.stderr.decode().strip()}.")
        subprocess.run(["tar", "x", "-C", folder], input=sources.stdout, check=True)
        data, pairs, self._found = (folder / name for name in ("rows.npy", "hints.npz", "found.npy"))
        np.save(data, X)
        np.savez(pairs, must_link=hints.must_link, cannot_link=hints.cannot_link)
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER, data, pairs, self._found],
            env={**os.environ, "PYTHONPATH": str(folder / "src")},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._line()
        data.unlink()

    def fit(self, name: str, attribute: str, **parameters: Any) -> tuple[np.ndarray, float]:
        """An attribute of a newly fitted model, and the seconds of the fit."""
        return self._asked({"method": "fit", "name": name, "parameters": parameters, "attribute": attribute})

    def apply(self, method: str) -> tuple[np.ndarray, float]:
        """The result of a method of the last model on the rows, and the seconds it took."""
        return self._asked({"method": method})

    def close(self) -> None:
        """End the process, and remove its files."""
        self._process.communicate()
        self._folder.cleanup()

    def _asked(self, question: dict[str, Any]) -> tuple[np.ndarray, float]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        seconds = float(self._line())
        return np.load(self._found), seconds

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the earlier version ended with exit code {self._process.wait()}.")
        return line


def seconds_there(wall: float, found: tuple[np.ndarray, float]) -> float:
    """The seconds that the other process measured."""
    return found[1]
