"""Hints that all methods share: drawn once, saved in files, and read from there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from likewise import Constraints
from likewise.evaluation.protocols import Case, split_rows

FOLDER = Path(__file__).with_name("hints")
MOST = 500


def hinted(name: str, X: Any, y: np.ndarray, pairs: int, wrong: float, seed: int, **extra: Any) -> Case:
    """One draw of hints; the rows about which there are none are scored separately."""
    hints, rest = saved_hints(name, y, pairs, wrong, seed)
    asked = np.setdiff1d(np.arange(len(y)), rest)
    return Case(X, y, hints, int(y.max()) + 1, rest, {"name": name, "rows": asked, **extra})


def saved_hints(name: str, y: np.ndarray, pairs: int, wrong: float, seed: int) -> tuple[Constraints, np.ndarray]:
    """Read the hints of one draw, which are written first if missing, and the rows about which there are none.

    Pairs are drawn from a random half of the rows. More pairs begin with the fewer ones of the same draw.
    """
    own = np.random.default_rng([seed, *name.encode()])
    half, rest = split_rows(len(y), 0.5, own)
    if pairs == 0:
        return Constraints(len(y)), rest
    path = FOLDER / name / str(seed) / f"{pairs}-pairs-{round(100 * wrong)}-wrong.csv"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        drawn(y, half, pairs, wrong, own).write(path)
    return Constraints.read(path, n_samples=len(y)), rest


def drawn(y: np.ndarray, half: np.ndarray, pairs: int, wrong: float, rng: np.random.Generator) -> Constraints:
    """Distinct pairs of the rows in `half`, some of them of the wrong kind."""
    left, right = np.triu_indices(len(half), 1)
    chosen = rng.permutation(len(left))[:MOST]
    order = rng.permutation(len(chosen))[:pairs]
    chosen = chosen[:pairs]
    linked = np.column_stack([half[left[chosen]], half[right[chosen]]])
    same = y[linked[:, 0]] == y[linked[:, 1]]
    flipped = np.argsort(order)[: round(wrong * len(chosen))]
    same[flipped] = ~same[flipped]
    return Constraints(len(y), linked[same], linked[~same])
