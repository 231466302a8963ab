"""The trials: data sets × budgets × shares of wrong hints."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from likewise.evaluation.protocols import Case, Trial

from ..accuracy.hints import hinted
from ..accuracy.rivals import FRONT, UNHINTED
from .sets import JUDGED, TUNED, load

PAIRS = (25, 50, 100, 200, 500)
WRONG = (0.0, 0.1, 0.2)
SEEDS = 10
SEEDS_TUNED = 5

WITHOUT = {"k-means": UNHINTED["k-means"]}
"""Methods that use no hints, so that one run serves for all budgets."""


def draw(name: str, pairs: int, wrong: float, seed: int) -> Case:
    """One draw of hints about the rows of a data set."""
    X, y, kind = load(name)
    return hinted(name, X, y, pairs, wrong, seed, kind=kind)


def trials() -> Iterator[Trial]:
    """Name the cells: set/pairs/percent wrong/method/score."""
    for names, seeds in ((TUNED, SEEDS_TUNED), (JUDGED, SEEDS)):
        for name in names:
            yield Trial(f"{name}/0/0", partial(draw, name, 0, 0.0), {**WITHOUT, **FRONT}, (), seeds)
            for wrong in WRONG:
                for pairs in PAIRS:
                    drawn = partial(draw, name, pairs, wrong)
                    yield Trial(f"{name}/{pairs}/{round(100 * wrong)}", drawn, FRONT, (), seeds)
