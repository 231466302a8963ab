"""Several methods on the same draws of hints, and which of them is best."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .._progress import track
from ._results import Results
from .protocols import Case, Method, Trial, case, one_sided_t_test, run_method

SIGNIFICANT = 0.05
"""A method is behind the best if the p-value of the difference is below this."""


@dataclass(frozen=True)
class Comparison:
    """Scores of methods for several amounts of hints.

    Attributes
    ----------
    results : Results
        The score of each draw; cells are called ``amount/method``.
    methods : tuple of str
    amounts : tuple of int
    failures : mapping of str to str
        The first error of each method that had no answer at least once; there its score is NaN.
    """

    results: Results
    methods: tuple[str, ...]
    amounts: tuple[int, ...]
    failures: Mapping[str, str] = field(default_factory=dict)

    def best(self, amount: int) -> str | None:
        """The method with the highest mean for an amount of hints.

        Parameters
        ----------
        amount : int

        Returns
        -------
        str or None
            None if no method had an answer.
        """
        means = {name: self.results.mean(f"{amount}/{name}") for name in self.methods}
        known = {name: mean for name, mean in means.items() if mean == mean}
        return max(known, key=known.__getitem__) if known else None

    def is_behind(self, method: str, amount: int) -> bool:
        """Whether a method is significantly below the best, by a paired t-test over the draws both have.

        Parameters
        ----------
        method : str
        amount : int

        Returns
        -------
        bool
        """
        best = self.results.get(f"{amount}/{self.best(amount)}", {})
        own = self.results.get(f"{amount}/{method}", {})
        both = [seed for seed in own if seed in best]
        return one_sided_t_test([best[seed] for seed in both], [own[seed] for seed in both]) < SIGNIFICANT


def compare(
    X: Any,
    y: Any,
    methods: Mapping[str, Method],
    amounts: Sequence[int],
    *,
    how: str = "random_pairs",
    error_rate: float = 0.0,
    score: str = "nmi",
    repeats: int = 5,
    seed: int = 0,
) -> Comparison:
    """Run methods on data whose classes are known, all with the same hints drawn from the classes.

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
    score : str
        A score of :mod:`likewise.evaluation.protocols`.
    repeats : int
        Number of draws of hints.
    seed : int
        Random seed of the first draw; the others follow.

    Returns
    -------
    Comparison

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

    def draw(amount: int, seed: int) -> Case:
        return case(X, y, how, amount, error_rate=error_rate, random_state=seed)

    trials = [Trial(str(amount), partial(draw, amount), methods, (score,), repeats) for amount in amounts]
    results = Results()
    failures: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for trial, drawn, number, name in track(_runs(trials, seed), len(amounts) * repeats * len(methods)):
            try:
                values = run_method(trial, drawn, number, name)
            except (ValueError, ModuleNotFoundError) as error:
                failures.setdefault(name, str(error))
                values = dict.fromkeys(trial.cells(name), float("nan"))
            for cell, value in values.items():
                results.setdefault(cell, {})[number] = value
    return Comparison(results, tuple(methods), tuple(amounts), failures)


def _runs(trials: Sequence[Trial], seed: int) -> Iterator[tuple[Trial, Case, int, str]]:
    for trial in trials:
        for number in range(seed, seed + trial.seeds):
            drawn = trial.draw(number)
            for name in trial.methods:
                yield trial, drawn, number, name
