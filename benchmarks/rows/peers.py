"""Other packages, run for one case in their own environment."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import likewise as lw

from ..accuracy.peers import PYTHON, SCRIPT
from ..harness import Skipped


def peer(method: str, X: np.ndarray, hints: lw.Constraints, n_clusters: int) -> dict[str, Any]:
    """The result of a peer's method, and its seconds without imports and reading."""
    if not PYTHON.exists():
        raise Skipped("the peers' environment is not built; make .venv-peers/.ready builds it.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, X=X, n_clusters=n_clusters, must_link=hints.must_link, cannot_link=hints.cannot_link)
        answer = subprocess.run([PYTHON, SCRIPT, method, path], capture_output=True, text=True, check=True)
    found = json.loads(answer.stdout)
    if "failure" in found:
        raise RuntimeError(f"the peer's {method} failed: {found['failure']}")
    return found


def peer_seconds(answer: dict[str, Any]) -> float:
    """The seconds of the method only."""
    return answer["seconds"]
