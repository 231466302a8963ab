"""Ten tables made from scikit-learn's data, with columns that are related to the classes and columns that are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

Columns = dict[str, Any]
MAX_ROWS = 400

WORDS = "ripe dark long soft oak plum cherry spice smoke honey fresh dry round light deep bright warm crisp late early"


@dataclass(frozen=True)
class Mixed:
    """A table.

    Attributes
    ----------
    columns : dict of columns
        What the table is without the added columns.
    added : dict of columns
        Columns drawn at random, whatever the class.
    y : (n,) ints
        The classes.
    """

    columns: Columns
    added: Columns
    y: Any


class Draw:
    """Random columns."""

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self.n, self.rng = n, rng

    def category(self, levels: int) -> Any:
        """Levels of different shares."""
        names = np.array([f"level {number}" for number in range(levels)])
        return self.rng.choice(names, self.n, p=self.rng.dirichlet(np.full(levels, 5.0)))

    def rare_levels(self) -> Any:
        """A few frequent levels, and many rare ones."""
        return np.array([f"code {number}" for number in np.minimum(self.rng.zipf(1.5, self.n), 40)])

    def number(self, scale: float) -> Any:
        """Numbers with a long tail."""
        return scale * self.rng.lognormal(0.0, 0.7, self.n)

    def ordinal(self) -> Any:
        """Answers from 1 to 5."""
        return self.rng.integers(1, 6, self.n)

    def date(self) -> list[str]:
        """Days of three years."""
        days = np.datetime64("2019-01-01") + self.rng.integers(0, 1000, self.n)
        return [f"{day:%d.%m.%Y}" for day in days.astype("datetime64[D]").tolist()]

    def note(self) -> list[str]:
        """Sentences of eight words."""
        return [" ".join(self.rng.choice(WORDS.split(), 8)) + "." for _ in range(self.n)]


def numbers(load: Callable[..., Any], rng: np.random.Generator) -> tuple[Columns, Any]:
    """The columns of a data set of scikit-learn's, at most 400 rows of it."""
    data = load()
    rows = np.sort(rng.permutation(len(data.target))[:MAX_ROWS])
    names = [str(name) for name in data.feature_names]
    return {name: data.data[rows, place] for place, name in enumerate(names)}, data.target[rows]


def iris_category(rng: np.random.Generator) -> Mixed:
    """Iris, and one category"""
    columns, y = numbers(load_iris, rng)
    return Mixed(columns, {"region": Draw(len(y), rng).category(4)}, y)


def iris_each(rng: np.random.Generator) -> Mixed:
    """Iris; a category, a number on another scale, a date"""
    columns, y = numbers(load_iris, rng)
    draw = Draw(len(y), rng)
    return Mixed(columns, {"region": draw.category(3), "price": draw.number(1000), "day": draw.date()}, y)


def iris_ordinal(rng: np.random.Generator) -> Mixed:
    """Iris in steps from 1 to 5; three ordinals"""
    columns, y = numbers(load_iris, rng)
    draw = Draw(len(y), rng)
    steps = {name: 1 + np.searchsorted(np.quantile(v, [0.2, 0.4, 0.6, 0.8]), v) for name, v in columns.items()}
    return Mixed(steps, {f"answer {number}": draw.ordinal() for number in range(3)}, y)


def wine_categories(rng: np.random.Generator) -> Mixed:
    """Wine; three categories"""
    columns, y = numbers(load_wine, rng)
    draw = Draw(len(y), rng)
    return Mixed(columns, {f"category {levels}": draw.category(levels) for levels in (2, 4, 8)}, y)


def wine_messy(rng: np.random.Generator) -> Mixed:
    """Wine with gaps; a category, a date, a tasting note"""
    columns, y = numbers(load_wine, rng)
    draw = Draw(len(y), rng)
    gaps = {name: np.where(rng.random(len(y)) < 0.03, np.nan, values) for name, values in columns.items()}
    return Mixed(gaps, {"region": draw.category(4), "bottled": draw.date(), "note": draw.note()}, y)


def wine_binned(rng: np.random.Generator) -> Mixed:
    """Wine as categories alone; three categories"""
    columns, y = numbers(load_wine, rng)
    draw = Draw(len(y), rng)
    words = np.array(["low", "middle", "high"])
    binned = {name: words[np.searchsorted(np.quantile(v, [1 / 3, 2 / 3]), v)] for name, v in columns.items()}
    return Mixed(binned, {f"category {levels}": draw.category(levels) for levels in (2, 3, 5)}, y)


def cancer_rare(rng: np.random.Generator) -> Mixed:
    """Breast cancer; a category of many rare levels"""
    columns, y = numbers(load_breast_cancer, rng)
    return Mixed(columns, {"hospital": Draw(len(y), rng).rare_levels()}, y)


def cancer_scales(rng: np.random.Generator) -> Mixed:
    """Breast cancer; three numbers on other scales, two categories"""
    columns, y = numbers(load_breast_cancer, rng)
    draw = Draw(len(y), rng)
    added = {f"number {scale:g}": draw.number(scale) for scale in (0.001, 10.0, 1e5)}
    return Mixed(columns, {**added, "ward": draw.category(5), "sex": draw.category(2)}, y)


def cancer_informative(rng: np.random.Generator) -> Mixed:
    """Ten columns of breast cancer, a category that matters; two that do not"""
    columns, y = numbers(load_breast_cancer, rng)
    draw = Draw(len(y), rng)
    finding = np.where(rng.random(len(y)) < 0.8, y, rng.integers(0, 2, len(y)))
    kept = {**dict(list(columns.items())[:10]), "finding": np.array(["smooth", "rough"])[finding]}
    return Mixed(kept, {"ward": draw.category(5), "doctor": draw.rare_levels()}, y)


def digits_each(rng: np.random.Generator) -> Mixed:
    """Digits; three categories, an ordinal, a number on another scale"""
    columns, y = numbers(load_digits, rng)
    draw = Draw(len(y), rng)
    added = {f"category {levels}": draw.category(levels) for levels in (2, 4, 8)}
    return Mixed(columns, {**added, "answer": draw.ordinal(), "time": draw.number(1e4)}, y)


TABLES: dict[str, Callable[[np.random.Generator], Mixed]] = {
    make.__name__.replace("_", "-"): make
    for make in (
        iris_category, iris_each, iris_ordinal, wine_categories, wine_messy, wine_binned, cancer_rare, cancer_scales,
        cancer_informative, digits_each,
    )
}  # fmt: skip
