"""Categories: one indicator column per level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Self

import numpy as np

from .._arrays import FloatArray
from .._saved import Saved
from ..tables import RawTable, as_texts

MAX_LEVELS = 50
"""Maximum number of levels of a category; rarer levels are left out."""


def _check_levels(block: Any) -> None:
    block.columns = tuple(map(str, block.columns))
    block.levels = tuple(tuple(map(str, levels)) for levels in block.levels)
    if len(block.columns) != len(block.levels):
        raise ValueError(f"{len(block.columns)} categories have the levels of {len(block.levels)}")
    block.scales = tuple(map(float, block.scales))
    if len(block.scales) != len(block.columns) or not all(map(isfinite, block.scales)):
        raise ValueError(f"{len(block.columns)} categories have {len(block.scales)} scales, or some are not finite")


@dataclass(eq=False)
class Categories:
    """Columns of categories, encoded as one indicator column per level.

    The indicators of a category are scaled such that the sum of their variances is 1, as for a standardized number. So
    a category counts as one column, independent of its number of levels.

    Attributes
    ----------
    columns : tuple of str
    levels : tuple of tuples of str
        The levels of each column, in alphabetical order; the 50 most frequent if there are more. Other levels and
        missing values are encoded as zeros.
    scales : tuple of float
        The nonzero value of the indicators of each column.
    """

    _saved: ClassVar[Saved] = Saved(("columns", "levels", "scales"), check=_check_levels)

    columns: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    scales: tuple[float, ...]

    @classmethod
    def fit(cls, raw: RawTable, columns: tuple[str, ...]) -> tuple[Self, Any]:
        """Fit on a table, and return its indicators."""
        counts = [dict(frequent_levels(as_texts(raw.column(name)))) for name in columns]
        levels = tuple(tuple(sorted(count)) for count in counts)
        scales = tuple(_unit_variance(np.array(list(count.values())) / raw.n) for count in counts)
        block = cls(columns, levels, scales)
        return block, block.transform(raw)

    def transform(self, raw: RawTable) -> FloatArray:
        """The indicators of new rows."""
        X = np.zeros((raw.n, len(self.names)))
        start = 0
        for name, levels, scale in zip(self.columns, self.levels, self.scales, strict=True):
            place = {level: start + number for number, level in enumerate(levels)}
            for row, text in enumerate(as_texts(raw.column(name))):
                if text in place:
                    X[row, place[text]] = scale
            start += len(levels)
        return X

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of features of each column."""
        return tuple(map(len, self.levels))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        pairs = zip(self.columns, self.levels, strict=True)
        return tuple(f"{name}={level}" for name, levels in pairs for level in levels)

    @property
    def sentence(self) -> str:
        """A description of the preprocessing."""
        count = len(self.columns)
        what = "1 category" if count == 1 else f"{count:,} categories"
        return f"{what} with {len(self.names):,} levels, one column each"


def frequent_levels(cells: Sequence[str | None]) -> list[tuple[str, int]]:
    """The levels that are used, with their counts: if more than 50, the most frequent that occur at least twice.

    >>> frequent_levels(["b", "a", None, "b"])
    [('b', 2), ('a', 1)]
    """
    counts = Counter(text for text in cells if text is not None).most_common()
    return counts if len(counts) <= MAX_LEVELS else [pair for pair in counts[:MAX_LEVELS] if pair[1] > 1]


def _unit_variance(shares: FloatArray) -> float:
    """The scale that gives indicators a total variance of 1, from the share of rows in each level."""
    total = float((shares * (1 - shares)).sum())
    return 1.0 / np.sqrt(total) if total > 0 else 1.0
