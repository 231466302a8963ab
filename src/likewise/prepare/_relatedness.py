"""Statistical dependence between the columns of a table.

Clusters usually involve several columns, which makes these columns dependent. A column that is independent of all
others cannot contribute to such clusters, and only adds noise to the distances.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from .._arrays import FloatArray, IntArray, evenly_spaced
from ._kinds import on_one_scale

FLOOR = 0.3
"""The weight of a column that appears to be independent of all others."""

CHANCE, CERTAIN = 0.1, 1e-4
"""p-values between which the weight increases from the floor to 1."""

MAX_BINS = 5
"""Maximum number of bins of equal size for numbers; fewer if there are few rows."""

MIN_LEVEL_ROWS, MIN_LEVEL_SHARE = 5, 0.02
"""Levels of a category with fewer rows than this are merged."""

MIN_ROWS = 40
"""With fewer rows all columns have the same weight."""

MAX_ROWS = 1_000
"""Maximum number of rows for the tests; with more, weak dependences would become significant as well."""

MAX_PARTNERS = 100
"""Maximum number of columns that each column is tested against."""


def relatedness(columns: Sequence[IntArray], groups: Sequence[int] | None = None) -> FloatArray:
    """A weight between 0.3 and 1 for each column, by the evidence that it depends on another column.

    Every pair of columns is tested for independence by Pearson's χ² test. The weight depends on the smallest p-value of
    a column, multiplied by its number of tests (Bonferroni): it is 0.3 for 0.1 or more, 1 for 0.0001 or less, and
    linear in the logarithm between.

    Parameters
    ----------
    columns : sequence of (n,) ints
        The bin or level of each row: :func:`classes_of_numbers`, :func:`classes_of_levels`.
    groups : (f,) ints, optional
        Columns of the same group count as one column, and are not compared with each other. By default each column is a
        group.

    Returns
    -------
    (number of groups,) array
        The largest is 1. With fewer than 40 rows all are.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> town, price = rng.integers(0, 3, 200), rng.normal(size=200)
    >>> noise = rng.normal(size=200)
    >>> size = town + 0.1 * rng.normal(size=200)
    >>> columns = [classes_of_levels(town), *(classes_of_numbers(values) for values in (size, noise))]
    >>> relatedness(columns)
    array([1. , 1. , 0.3])
    """
    group = np.arange(len(columns)) if groups is None else np.asarray(groups)
    n_groups = int(group.max()) + 1
    if n_groups < 2 or len(columns[0]) < MIN_ROWS:
        return np.ones(n_groups)
    rows = evenly_spaced(len(columns[0]), MAX_ROWS)
    coded = [np.unique(column[rows], return_inverse=True)[1] for column in columns]
    partners = evenly_spaced(len(coded), MAX_PARTNERS)
    tested = np.ones((len(coded), len(partners)))
    E, starts = _indicators([coded[place] for place in partners])
    levels = np.diff([*starts, E.shape[1]])
    share = E.mean(axis=0, dtype=np.float64)
    for place, codes in enumerate(coded):
        own = np.eye(codes.max() + 1, dtype=np.float32)[codes]
        if own.shape[1] == 1:
            continue
        joint = (own.T @ E).astype(np.float64) / len(rows)
        chi2 = np.add.reduceat((joint**2 / np.outer(own.mean(axis=0, dtype=np.float64), share)).sum(axis=0), starts) - 1
        freedom = (own.shape[1] - 1) * (levels - 1)
        tested[place] = np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), np.maximum(len(rows) * chi2, 0)), 1.0)
        tested[place, group[partners] == group[place]] = 1.0
    smallest = np.ones(n_groups)
    np.minimum.at(smallest, group, tested.min(axis=1))
    n_tests = (group[:, None] != group[partners]).sum(axis=1)
    smallest = np.clip(smallest * np.bincount(group, n_tests, n_groups), CERTAIN, CHANCE)
    rise = np.log(CHANCE / smallest) / np.log(CHANCE / CERTAIN)
    weights = FLOOR + (1 - FLOOR) * rise
    return weights / weights.max()


def common_scale(X: FloatArray, weights: FloatArray) -> FloatArray:
    """Factors for columns of variance 1 such that related columns in the same unit keep their proportions.

    Columns with similar ranges, such as lengths in centimeters or answers from 1 to 5, should not be standardized
    individually. An additional, unrelated column in another unit must not change that.

    Parameters
    ----------
    X : (n, f) array
        Numbers in their own units.
    weights : (f,) array
        As from :func:`relatedness`.

    Returns
    -------
    (f,) array
        All 1 if the related columns are not on one scale.
    """
    related = weights > (1 + FLOOR) / 2
    found = np.ones(X.shape[1])
    if related.sum() > 1 and on_one_scale(X[:, related]):
        spread = X[:, related].std(axis=0)
        if spread.any():
            found[related] = spread / np.sqrt(np.mean(spread**2))
    return found


def classes_of_numbers(values: FloatArray) -> IntArray:
    """Numbers binned into classes of equal size."""
    n_bins = int(np.clip(len(values) // 20, 2, MAX_BINS))
    edges = np.unique(np.quantile(values, np.arange(1, n_bins) / n_bins))
    return np.searchsorted(edges, values, side="right")


def classes_of_levels(codes: IntArray) -> IntArray:
    """Levels of a category, with rare levels merged; −1 for missing values."""
    _, level, counts = np.unique(codes, return_inverse=True, return_counts=True)
    frequent = counts >= max(MIN_LEVEL_ROWS, MIN_LEVEL_SHARE * len(codes))
    return np.where(frequent, np.arange(len(counts)), len(counts))[level]


def _indicators(columns: list[IntArray]) -> tuple[NDArray[np.float32], IntArray]:
    """One column for each class of each column, and where those of each begin."""
    widths = [int(codes.max()) + 1 for codes in columns]
    pairs = zip(widths, columns, strict=True)
    E = np.hstack([np.eye(width, dtype=np.float32)[codes] for width, codes in pairs])
    return E, np.cumsum([0, *widths[:-1]])
