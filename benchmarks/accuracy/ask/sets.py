"""The data sets, in two halves: settings are chosen on one half, and the other is used for evaluation."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from likewise.evaluation.protocols import rows_per_class

from ...unseen import sets as unseen
from .. import sets as compared

MOST_ROWS = 500

CHOSEN_ON_FIRST = ("wine", "ionosphere", "glass", "breast_w", "pendigits", "coil20_32", "news-rec")
JUDGED_FIRST = ("iris", "wdbc", "vehicle", "digits", "isolet", "lymphoma", "news-mediocre")
"""Of the data sets of ``make compare``, those the strategy was designed on, and those it was first evaluated on."""

OTHERS = sorted(set(compared.JUDGED) - {*CHOSEN_ON_FIRST, *JUDGED_FIRST})
"""The other data sets that ``make compare`` evaluates on; in alphabetical order, every other one is judged."""

HALVES: dict[str, tuple[str, ...]] = {
    "judged": (*JUDGED_FIRST, *OTHERS[::2], *unseen.JUDGED),
    "choosing": (*CHOSEN_ON_FIRST, *OTHERS[1::2], *unseen.TUNED),
}
"""Fixed before the first run. The data sets of ``benchmarks/unseen`` keep the halves they have there."""


class Rows(NamedTuple):
    """Preprocessed rows, their classes, the kind of data, and the rows in few dense columns."""

    X: Any
    y: np.ndarray
    kind: str
    narrow: np.ndarray


@lru_cache(maxsize=4)
def load(name: str) -> Rows:
    """Load a data set, and cache it for the next draw; of many rows, a sample with as many of each class."""
    new = name in unseen.JUDGED | unseen.TUNED
    X, y, kind = unseen.load(name) if new else (*compared.load(name), "auto")
    if len(y) > MOST_ROWS:
        kept = rows_per_class(y, MOST_ROWS // (y.max() + 1), 0)
        X, y = X[kept], y[kept]
    return Rows(X, compared.codes(y), kind, compared.in_few_columns(X))
