"""The data sets: those of the questions, with the same halves, and fewer rows."""

from __future__ import annotations

from functools import lru_cache

from likewise.evaluation.protocols import rows_per_class

from ..ask import sets as asked
from ..ask.sets import HALVES as HALVES
from ..ask.sets import Rows
from ..sets import codes

MOST_ROWS = 350


@lru_cache(maxsize=4)
def load(name: str) -> Rows:
    """Load a data set, and cache it for the next draw; of many rows, a sample with as many of each class."""
    X, y, kind, narrow = asked.load(name)
    if len(y) > MOST_ROWS:
        kept = rows_per_class(y, MOST_ROWS // (y.max() + 1), 0)
        X, y, narrow = X[kept], codes(y[kept]), narrow[kept]
    return Rows(X, y, kind, narrow)
