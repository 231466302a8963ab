"""How much each column of a table has to do with the others.

Clusters show in several columns at once, and make them depend on each other. A column that depends on no other cannot
belong to such clusters: it only adds noise to all distances.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from .._arrays import FloatArray, IntArray, evenly_spaced
from ._kinds import on_one_scale

FLOOR = 0.3
"""The weight of a column that seems to have nothing to do with any other."""

CHANCE, CERTAIN = 0.1, 1e-4
"""Probabilities that a dependence as strong as the strongest one seen is chance: weights go from the floor to 1."""

MAX_BINS = 5
"""Numbers are taken in so many classes of equal size, or fewer where rows are few."""

MIN_LEVEL_ROWS, MIN_LEVEL_SHARE = 5, 0.02
"""Levels of a category with fewer rows than this count as one."""

MIN_ROWS = 40
"""With fewer rows all columns count the same."""

MAX_ROWS = 1_000
"""Rows that are looked at. In more of them, dependences that matter little would be as certain."""

MAX_PARTNERS = 100
"""Columns that each is compared with."""


def relatedness(columns: Sequence[IntArray], groups: Sequence[int] | None = None) -> FloatArray:
    """A weight from 0.3 to 1 for each column, by how certain it is that it depends on another one.

    Every pair of columns is tested for independence by Pearson's χ². The smallest probability of a column, times the
    number of its tests, decides: from 0.1 on the weight is 0.3, down to 0.0001 it rises with the logarithm to 1.

    Parameters
    ----------
    columns : sequence of (n,) ints
        The class of each row: :func:`classes_of_numbers`, :func:`classes_of_levels`.
    groups : (f,) ints, optional
        Columns of one group are one column together, and not compared with each other. By default each is its own.

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
    """What columns of variance 1 are multiplied by, so that related columns in one unit keep their proportions.

    Columns whose ranges are alike, as lengths in centimeters or answers from 1 to 5, are taken as they are; that one
    column more is in another unit, and has nothing to do with them, must not change it.

    Parameters
    ----------
    X : (n, f) array
        Numbers in their own units.
    weights : (f,) array
        As from :func:`relatedness`.

    Returns
    -------
    (f,) array
        All 1 where the related columns are not of one scale.
    """
    related = weights > (1 + FLOOR) / 2
    found = np.ones(X.shape[1])
    if related.sum() > 1 and on_one_scale(X[:, related]):
        spread = X[:, related].std(axis=0)
        if spread.any():
            found[related] = spread / np.sqrt(np.mean(spread**2))
    return found


def classes_of_numbers(values: FloatArray) -> IntArray:
    """Numbers in classes of equal size."""
    n_bins = int(np.clip(len(values) // 20, 2, MAX_BINS))
    edges = np.unique(np.quantile(values, np.arange(1, n_bins) / n_bins))
    return np.searchsorted(edges, values, side="right")


def classes_of_levels(codes: IntArray) -> IntArray:
    """Levels of a category, rare ones together; −1 for a row without one."""
    _, level, counts = np.unique(codes, return_inverse=True, return_counts=True)
    frequent = counts >= max(MIN_LEVEL_ROWS, MIN_LEVEL_SHARE * len(codes))
    return np.where(frequent, np.arange(len(counts)), len(counts))[level]


def _indicators(columns: list[IntArray]) -> tuple[NDArray[np.float32], IntArray]:
    """One column for each class of each column, and where those of each begin."""
    widths = [int(codes.max()) + 1 for codes in columns]
    pairs = zip(widths, columns, strict=True)
    E = np.hstack([np.eye(width, dtype=np.float32)[codes] for width, codes in pairs])
    return E, np.cumsum([0, *widths[:-1]])
