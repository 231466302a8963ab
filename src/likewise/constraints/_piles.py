"""Constraints from piles and ratings."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from .._arrays import FloatArray
from .._parameters import described
from ._format import pluralize
from ._partition import Partition, Parts
from ._validate import as_list, checked_pairs, listed_rows, number_of_rows

MOST_WRITTEN = 50
"""A screen with more rows than this is stored as a partition instead of pairs."""

ONE_SCREEN = "A pile is a list of rows, and a screen a list of piles: one screen is written [[(0, 4), (7,)]]."


def parts_of_piles(n_samples: int, screens: Iterable[Iterable[Iterable[int]]]) -> Parts:
    """Constraints from screens of piles; see `Constraints.from_piles`."""
    n_samples = number_of_rows(n_samples)
    must: list[tuple[int, int]] = []
    cannot: list[tuple[int, int]] = []
    partitions = []
    for number, screen in enumerate(as_list(screens, "screens", f"It is a list of screens. {ONE_SCREEN}")):
        pile_of = _piles(screen, f"screens[{number}]", n_samples)
        if len(pile_of) > MOST_WRITTEN:
            codes = np.full(n_samples, -1, dtype=np.int64)
            codes[list(pile_of)] = list(pile_of.values())
            partitions.append(Partition(codes, different_across=True))
            continue
        for left, right in combinations(pile_of, 2):
            (must if pile_of[left] == pile_of[right] else cannot).append((left, right))
    return Parts(n_samples, must, cannot, partitions=partitions)


def _piles(screen: Any, name: str, n_samples: int) -> dict[int, int]:
    """The pile of each row of a screen."""
    pile_of: dict[int, int] = {}
    for code, pile in enumerate(as_list(screen, name, ONE_SCREEN)):
        where = f"{name}[{code}]"
        for row in listed_rows(as_list(pile, where, ONE_SCREEN), where, n_samples).tolist():
            if row in pile_of:
                raise ValueError(f"{name} contains row {row} twice. Assign every row of a screen to one pile.")
            pile_of[row] = code
    if len(pile_of) < 2:
        raise ValueError(f"{name} has {pluralize(len(pile_of), 'row')}: a screen needs at least two.")
    return pile_of


def parts_of_ratings(n_samples: int, pairs: Any, ratings: Any, scale: tuple[float, float]) -> Parts:
    """Constraints from rated pairs; see `Constraints.from_ratings`."""
    n_samples = number_of_rows(n_samples)
    lowest, highest = _checked_scale(scale)
    rated = checked_pairs(pairs, n_samples, "pairs")
    try:
        values = np.asarray(ratings, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"ratings must be numbers, one for each pair, got {described(ratings)}.") from None
    if values.shape != (len(rated),):
        raise ValueError(f"ratings has shape {values.shape} for {len(rated)} pairs. Give one rating for each pair.")
    wrong = np.flatnonzero(~((values >= lowest) & (values <= highest)))
    if wrong.size:
        raise ValueError(
            f"ratings[{wrong[0]}] = {values[wrong[0]]:g} is outside {lowest:g} to {highest:g}. Pass scale=(lowest, "
            "highest) for another scale."
        )
    side = rating_side(values, lowest, highest)
    if len(side) and not side.any():
        raise ValueError(
            f"all {len(side)} ratings are {values[0]:g}, the midpoint of {lowest:g} to {highest:g}, and mean neither "
            "same nor different. Pass scale=(lowest, highest) for another scale."
        )
    return Parts(n_samples, rated[side > 0], rated[side < 0], side[side > 0], -side[side < 0])


def _checked_scale(scale: Any) -> tuple[float, float]:
    try:
        lowest, highest = map(float, scale)
    except (TypeError, ValueError):
        lowest = highest = np.nan
    if not -np.inf < lowest < highest < np.inf:
        raise ValueError(f"scale = {scale!r} must be the lowest and the highest rating, such as (1, 5).")
    return lowest, highest


def rating_side(values: FloatArray, lowest: float, highest: float) -> FloatArray:
    """Ratings rescaled to [−1, 1]: 1 for the highest, −1 for the lowest.

    >>> rating_side(np.array([1, 3, 4]), 1, 5).tolist()
    [-1.0, 0.0, 0.5]
    """
    return (2 * values - lowest - highest) / (highest - lowest)
