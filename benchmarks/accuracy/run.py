"""The trials of the comparison: data sets × budgets × shares of wrong hints."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from likewise.evaluation.protocols import Case, Trial

from .hints import hinted
from .rivals import FRONT, OWN, PEERS, UNHINTED, counting
from .sets import JUDGED, TUNED, load

PAIRS = (10, 25, 50, 100, 200, 500)
WRONG = (0.0, 0.1, 0.2)
SEEDS = 10
SEEDS_TUNED = 5
COUNTED_AT = 100
NOISY = ("c-nc", "pck", "costco", "project")
"""Methods of this package that are run with wrong hints as well, besides Likewise."""


def draw(name: str, pairs: int, wrong: float, seed: int) -> Case:
    """One draw of hints about the rows of a data set."""
    return hinted(name, *load(name), pairs, wrong, seed)


def trials() -> Iterator[Trial]:
    """Name the cells: set/pairs/percent wrong/method/score."""
    for names, others, levels, seeds in ((JUDGED, {**OWN, **PEERS}, WRONG, SEEDS), (TUNED, {}, (0.0,), SEEDS_TUNED)):
        for name in names:
            yield Trial(f"{name}/0/0", partial(draw, name, 0, 0.0), UNHINTED, (), seeds)
            for wrong in levels:
                hinted = others if wrong == 0 else {method: others[method] for method in NOISY if method in others}
                for pairs in PAIRS:
                    methods = {**FRONT, **hinted}
                    if wrong == 0 and pairs == COUNTED_AT:
                        methods["k unknown"] = counting
                    percent = round(100 * wrong)
                    yield Trial(f"{name}/{pairs}/{percent}", partial(draw, name, pairs, wrong), methods, (), seeds)
