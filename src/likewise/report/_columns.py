"""The original columns, in their units, and how clusters differ in them from all other rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import BoolArray, FloatArray, IntArray
from ..linalg._row_matrix import indicator
from ..prepare._columns import as_raw_table, has_few_levels
from ..prepare._dates import TIMES, find_format, read_dates
from ..prepare._written_numbers import read_numbers
from ..tables import as_texts

MAX_CELLS = 50_000_000
"""Maximum number of cells of a sparse matrix that is converted to a dense one, to be shown in its units."""

MAX_DIFFERENCES = 60
"""Maximum number of numeric columns per cluster, those with the largest differences."""


@dataclass(frozen=True, eq=False)
class Category:
    """A categorical column.

    Attributes
    ----------
    name : str
    codes : (m,) ints
        The level of each row; −1 if missing.
    levels : tuple of str
    """

    name: str
    codes: IntArray
    levels: tuple[str, ...]

    def counts(self, labels: IntArray, n_clusters: int) -> IntArray:
        """(k, levels) ints: number of rows of each cluster with each level."""
        known = self.codes >= 0
        counts = np.zeros((n_clusters, len(self.levels)), dtype=np.int64)
        np.add.at(counts, (labels[known], self.codes[known]), 1)
        return counts


@dataclass(frozen=True)
class Difference:
    """The difference between a cluster and all other rows in a column.

    Attributes
    ----------
    column : str
    amount : float
        The difference of means, or of the shares of a level, in standard deviations.
    level : int
        The level of a category with the largest difference; −1 for numbers.
    """

    column: str
    amount: float
    level: int = -1


@dataclass(frozen=True, eq=False)
class Columns:
    """Numbers, dates and categories of the rows on the map.

    Attributes
    ----------
    names : tuple of str
        The names of the numeric columns, including dates.
    numbers : (m, p) array
        Their values; NaN if missing, dates in seconds since 1970.
    categories : dict of str to Category
    dates : frozenset of str
        The numeric columns that are dates.
    order : tuple of str
        All columns, in the order of the table.
    scaled : bool
        Whether numbers are in standard deviations, because the original units are unknown.
    """

    names: tuple[str, ...] = ()
    numbers: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    categories: dict[str, Category] = field(default_factory=dict)
    dates: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()
    scaled: bool = False

    @classmethod
    def of_table(cls, table: Any, rows: IntArray) -> Columns:
        """The columns of the given rows of a data frame, a mapping of columns, or a table that was read."""
        raw = as_raw_table(table)
        if raw is None:
            raise TypeError(f"table is a {type(table).__name__}. Pass a data frame, or a dict of columns.")
        if raw.matrix is not None:
            names = raw.matrix_names or tuple(f"x{column}" for column in range(raw.matrix.shape[1]))
            return cls.of_matrix(raw.matrix[rows], tuple(map(str, names)))
        numbers: dict[str, FloatArray] = {}
        categories: dict[str, Category] = {}
        dates = []
        for name, cells in raw.columns.items():
            column = read_numbers(cells)
            if raw.n == column.n_missing:
                continue
            if not column.wrong:
                numbers[name] = column.values[rows]
                continue
            form = find_format(cells)
            if form is not None and form not in TIMES:
                numbers[name] = read_dates(cells, form).seconds[rows]
                dates.append(name)
                continue
            texts = as_texts(cells)
            if has_few_levels(texts):
                levels = sorted({text for text in texts if text is not None})
                code = {level: number for number, level in enumerate(levels)}
                codes = np.array([-1 if text is None else code[text] for text in texts])
                categories[name] = Category(name, codes[rows], tuple(levels))
        matrix = np.column_stack(list(numbers.values())) if numbers else np.zeros((len(rows), 0))
        order = tuple(name for name in raw.columns if name in numbers or name in categories)
        return cls(tuple(numbers), matrix, categories, frozenset(dates), order)

    @classmethod
    def of_matrix(
        cls,
        X: Any,
        names: tuple[str, ...],
        *,
        deviations: FloatArray | None = None,
        is_indicator: BoolArray | None = None,
    ) -> Columns:
        """The columns of an array; none if X is a sparse matrix that is too large to be converted to a dense one.

        If ``deviations`` are given, X was scaled, and numbers are shown in standard deviations, indicators as levels.
        """
        if sparse.issparse(X):
            if X.shape[0] * X.shape[1] > MAX_CELLS:
                return cls()
            X = X.toarray()
        X = np.asarray(X, dtype=np.float64)
        if deviations is None:
            return cls(names, X, order=names)
        levels: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            column, found, _ = name.rpartition("=")
            if found and is_indicator is not None and is_indicator[place]:
                levels.setdefault(column, []).append(place)
        taken = {place for places in levels.values() for place in places}
        numbers = [place for place in range(len(names)) if place not in taken]
        categories = {}
        for column, places in levels.items():
            codes = np.where((X[:, places] != 0).any(axis=1), (X[:, places] != 0).argmax(axis=1), -1)
            categories[column] = Category(column, codes, tuple(names[place].rpartition("=")[2] for place in places))
        kept = tuple(names[place] for place in numbers)
        return cls(kept, (X / deviations)[:, numbers], categories, order=(*kept, *categories), scaled=True)

    def __len__(self) -> int:
        return len(self.order)

    def values(self, name: str) -> FloatArray:
        """The values of a numeric column."""
        return self.numbers[:, self.names.index(name)]

    def differences(self, labels: IntArray, n_clusters: int) -> list[list[Difference]]:
        """For each cluster, its differences from all other rows in each column, sorted by size.

        Columns without a difference are left out.
        """
        numbers = self.numbers if self.names else np.zeros((len(labels), 0))
        means = _standardized_differences(numbers, labels, n_clusters)
        by_level = {
            name: _share_differences(category.counts(labels, n_clusters)) for name, category in self.categories.items()
        }
        found = []
        for cluster in range(n_clusters):
            largest = np.argsort(-np.abs(means[cluster]), kind="stable")[:MAX_DIFFERENCES]
            own = [
                Difference(self.names[place], float(means[cluster, place]))
                for place in largest
                if abs(means[cluster, place]) > 1e-9
            ]
            for name, amounts in by_level.items():
                level = int(np.argmax(np.abs(amounts[cluster])))
                if abs(amounts[cluster, level]) > 1e-9:
                    own.append(Difference(name, float(amounts[cluster, level]), level))
            found.append(sorted(own, key=lambda one: -abs(one.amount)))
        return found


def _standardized_differences(numbers: FloatArray, labels: IntArray, n_clusters: int) -> FloatArray:
    """(k, p) array: the mean of each cluster minus that of all other rows, in standard deviations; 0 if unknown."""
    known = np.isfinite(numbers)
    filled = np.where(known, numbers, 0.0)
    filled = filled - filled.sum(axis=0) / np.maximum(known.sum(axis=0), 1)  # avoids cancellation for large offsets
    filled[~known] = 0.0
    inside = indicator(labels, n_clusters)
    sums = np.asarray(inside.T @ filled)
    counts = np.asarray(inside.T @ known.astype(np.float64))
    others = counts.sum(axis=0) - counts
    rest = sums.sum(axis=0) - sums
    spread = np.sqrt(np.square(filled).sum(axis=0) / np.maximum(known.sum(axis=0), 1))
    real = (counts > 0) & (others > 0) & (spread > 0)
    difference = sums / np.maximum(counts, 1) - rest / np.maximum(others, 1)
    return np.divide(difference, spread, out=np.zeros_like(difference), where=real)


def _share_differences(counts: IntArray) -> FloatArray:
    """(k, levels) array: the share of each level in a cluster minus that in all others, in standard deviations."""
    sizes = counts.sum(axis=1, keepdims=True)
    total = counts.sum(axis=0)
    others = sizes.sum() - sizes
    overall = total / max(int(total.sum()), 1)
    spread = np.broadcast_to(np.sqrt(overall * (1 - overall)), counts.shape)
    difference = counts / np.maximum(sizes, 1) - (total - counts) / np.maximum(others, 1)
    real = (sizes > 0) & (others > 0) & (spread > 0)
    return np.divide(difference, spread, out=np.zeros(counts.shape), where=real)
