"""Comparison of several methods on the same samples of hints."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from typing import Any

import numpy as np

from .._frames import make_frame
from .._progress import track
from ._results import Results
from .protocols import ASKED, Case, Method, Trial, case, one_sided_t_test, run_method

SIGNIFICANT = 0.05
"""A method is significantly worse than the best if the p-value of the difference is below this."""


@dataclass(frozen=True)
class Comparison:
    """Scores of methods for several amounts of hints.

    Attributes
    ----------
    results : Results
        The score of each sample; cells are named ``amount/method``.
    methods : tuple of str
    amounts : tuple of int or str
        Numbers of hints; if several kinds of questions are compared, with their kind, as in "20 piles".
    failures : mapping of str to str
        The first error of each method that failed at least once, where its score is NaN.
    score : str
        The name of the score.
    """

    results: Results
    methods: tuple[str, ...]
    amounts: tuple[int | str, ...]
    failures: Mapping[str, str] = field(default_factory=dict)
    score: str = "nmi"

    def best(self, amount: int | str) -> str | None:
        """The method with the highest mean for an amount of hints.

        Parameters
        ----------
        amount : int or str
            One of `amounts`.

        Returns
        -------
        str or None
            None if all methods failed.
        """
        means = {name: self.results.mean(f"{amount}/{name}") for name in self.methods}
        known = {name: mean for name, mean in means.items() if mean == mean}
        return max(known, key=known.__getitem__) if known else None

    def is_behind(self, method: str, amount: int | str) -> bool:
        """Whether a method is significantly worse than the best, by a paired t-test over their common samples.

        Parameters
        ----------
        method : str
        amount : int or str

        Returns
        -------
        bool
        """
        best = self.results.get(f"{amount}/{self.best(amount)}", {})
        own = self.results.get(f"{amount}/{method}", {})
        both = [seed for seed in own if seed in best]
        return one_sided_t_test([best[seed] for seed in both], [own[seed] for seed in both]) < SIGNIFICANT

    def ranked(self) -> Comparison:
        """The same comparison with methods sorted by their mean for the last amount of hints, best first.

        Returns
        -------
        Comparison
            Methods that failed are last.
        """
        means = {name: self.results.mean(f"{self.amounts[-1]}/{name}") for name in self.methods}
        order = sorted(self.methods, key=lambda name: -np.nan_to_num(means[name], nan=-np.inf))
        return replace(self, methods=tuple(order))

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Every value as a data frame with the columns method, hints, seed and the score.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            By default the first of them that is installed.

        Returns
        -------
        data frame
        """
        lines = [
            (method, amount, seed, value)
            for amount in self.amounts
            for method in self.methods
            for seed, value in self.results.get(f"{amount}/{method}", {}).items()
        ]
        names = ("method", "hints", "seed", self.score)
        return make_frame(
            {name: list(column) for name, column in zip(names, zip(*lines, strict=True), strict=True)}, backend
        )

    def table(self) -> list[tuple[str, ...]]:
        """The means as table cells: a header, and one line for each method.

        Returns
        -------
        list of tuples of str
            A cell is "mean ± standard deviation", with a star if the method is not significantly worse than the best.
        """
        head = (self.score, *(amount if isinstance(amount, str) else f"{amount} hints" for amount in self.amounts))
        return [head, *((name, *(self._cell(name, amount) for amount in self.amounts)) for name in self.methods)]

    def _cell(self, method: str, amount: int | str) -> str:
        cell = f"{amount}/{method}"
        if not len(self.results.values_of(cell)):
            return "—"
        shown = f"{self.results.mean(cell):.3f} ± {self.results.deviation(cell):.3f}"
        return shown if self.is_behind(method, amount) else f"{shown} *"

    def __str__(self) -> str:
        table = self.table()
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)) for line in table]
        failed = [f"{name} had no answer at least once: {why}" for name, why in self.failures.items()]
        return "\n".join([*(line.rstrip() for line in lines), NOTE, *failed])

    def _repr_html_(self) -> str:
        head, *lines = self.table()
        rows = "".join(
            f"<tr><th>{escape(name)}</th>{''.join(f'<td>{_bold(cell)}</td>' for cell in cells)}</tr>"
            for name, *cells in lines
        )
        failed = "".join(
            f"<p>{escape(name)} had no answer at least once: {escape(why)}</p>" for name, why in self.failures.items()
        )
        columns = "".join(f"<th>{escape(name)}</th>" for name in head)
        return f"<table><tr>{columns}</tr>{rows}</table><p>Bold: {NOTE[3:]}</p>{failed}"


NOTE = "* : best, or not significantly below the best (paired t-test, p ≥ 0.05)."


def _bold(cell: str) -> str:
    return f"<b>{cell[:-2]}</b>" if cell.endswith("*") else cell


def compare(
    X: Any,
    y: Any,
    methods: Mapping[str, Method],
    amounts: Sequence[int],
    *,
    how: str = "random_pairs",
    ask: Sequence[str] | None = None,
    error_rate: float = 0.0,
    score: str = "nmi",
    repeats: int = 5,
    seed: int = 0,
) -> Comparison:
    """Compare methods on data with known classes, using the same hints sampled from the classes.

    Parameters
    ----------
    X : array or sparse matrix
    y : (n,) labels
    methods : mapping of str to method
        See :func:`likewise.evaluation.protocols.clustered` and :func:`likewise.evaluation.protocols.reduced`.
    amounts : sequence of int
        Numbers of hints.
    how, error_rate
        As for :meth:`likewise.Constraints.sample`.
    ask : sequence of str, optional
        Kinds of questions to compare as well, each with each amount: "pairs", "piles" (of three rows), "odd" (which of
        three rows is the odd one out), "triplets", "forced-triplets" (without "can't say") and "preferences". ``how``
        applies to pairs only.
    score : str
        A score of :mod:`likewise.evaluation.protocols`.
    repeats : int
        Number of samples of hints.
    seed : int
        Random seed of the first sample; the others use the following seeds.

    Returns
    -------
    Comparison

    See Also
    --------
    likewise.compare : Accepts names of methods, classes and estimators.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.datasets import load_iris
    >>> from likewise import PCKMeans
    >>> from likewise.evaluation import compare
    >>> from likewise.evaluation.protocols import clustered
    >>> X, y = load_iris(return_X_y=True)
    >>> methods = {
    ...     "k-means": clustered(lambda case, seed: KMeans(case.n_clusters, n_init=5, random_state=seed)),
    ...     "pck": clustered(lambda case, seed: PCKMeans(case.n_clusters, random_state=seed)),
    ... }
    >>> found = compare(X, y, methods, [100], repeats=3)
    >>> found.best(100), round(found.results.mean("100/k-means"), 2)
    ('pck', 0.76)
    """

    def draw(asked: str, amount: int, seed: int) -> Case:
        return case(X, y, how if asked == "pairs" else asked, amount, error_rate=error_rate, random_state=seed)

    _check_asked(ask or ())
    columns: dict[int | str, tuple[str, int]] = (
        {amount: ("pairs", amount) for amount in amounts}
        if ask is None
        else {f"{amount} {asked}": (asked, amount) for asked in ask for amount in amounts}
    )
    trials = [
        Trial(str(column), partial(draw, *asked), methods, (score,), repeats) for column, asked in columns.items()
    ]
    results = Results()
    failures: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for trial, drawn, number, name in track(_runs(trials, seed), len(trials) * repeats * len(methods)):
            try:
                values = run_method(trial, drawn, number, name)
            except (ValueError, ModuleNotFoundError) as error:
                failures.setdefault(name, str(error))
                values = dict.fromkeys(trial.cells(name), float("nan"))
            for cell, value in values.items():
                results.setdefault(cell, {})[number] = value
    return Comparison(results, tuple(methods), tuple(columns), failures, score)


def _check_asked(ask: Sequence[str]) -> None:
    for asked in ask:
        if asked not in ASKED:
            raise ValueError(f"ask names {asked!r}, which is not known. Choose from {', '.join(ASKED)}.")


def _runs(trials: Sequence[Trial], seed: int) -> Iterator[tuple[Trial, Case, int, str]]:
    for trial in trials:
        for number in range(seed, seed + trial.seeds):
            drawn = trial.draw(number)
            for name in trial.methods:
                yield trial, drawn, number, name
