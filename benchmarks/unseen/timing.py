"""Seconds of fits, for two versions that alternate.

``python -m benchmarks.unseen.timing`` prints the seconds of each fit by the version on its path.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import likewise
from likewise import Likewise

from ..accuracy.hints import hinted
from .sets import JUDGED, load

PAIRS = (0, 100)
ROUNDS = 3
ROOT = Path(__file__).parents[2]


def measured() -> dict[str, float]:
    """The seconds of one fit for each judged data set and budget."""
    seconds_of(next(iter(JUDGED)), max(PAIRS))  # modules are loaded by the first
    return {f"times/{name}/{pairs}": seconds_of(name, pairs) for name in JUDGED for pairs in PAIRS}


def seconds_of(name: str, pairs: int) -> float:
    """The seconds of one fit."""
    X, y, kind = load(name)
    case = hinted(name, X, y, pairs, 0.0, 0)
    start = perf_counter()
    model = Likewise(case.n_clusters, kind=kind, verbose=False, random_state=0)
    model.fit(X, constraints=case.constraints)
    return perf_counter() - start


def in_turns(before: Path) -> Iterator[tuple[int, dict[str, float]]]:
    """Rounds of measurements: the index of the round, and its values by cell.

    Parameters
    ----------
    before : path
        The sources of the version to compare with: the folder that holds the package.
    """
    if not (before / "likewise" / "__init__.py").exists():
        raise FileNotFoundError(f"{before} holds no package likewise. Give the folder src of another checkout.")
    sources = {"before": before, "now": Path(likewise.__file__).parents[1]}
    for turn in range(ROUNDS):
        values = {}
        for version, source in sources.items():
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (source.resolve(), ROOT)))}
            command = [sys.executable, "-P", "-m", "benchmarks.unseen.timing"]
            answer = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
            values |= {f"{cell}/{version}": seconds for cell, seconds in json.loads(answer.stdout).items()}
        yield turn, values


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(json.dumps(measured()))
