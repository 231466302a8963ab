"""Parts of experiments: sample a case, run methods on it, score them, and test differences.

A *case* consists of data, true classes and sampled hints. A *method* maps a case and a seed to labels. A *trial*
specifies how cases are sampled, which methods are compared, and which scores are computed; :func:`run_trial` runs it
for one seed. The tables of the papers are lists of trials.

>>> import numpy as np
>>> from sklearn.cluster import KMeans
>>> from sklearn.datasets import load_iris
>>> from likewise.evaluation.protocols import Trial, case, clustered, run_trial
>>> X, y = load_iris(return_X_y=True)
>>> trial = Trial(
...     "iris",
...     draw=lambda seed: case(X, y, "random_pairs", 50, random_state=seed),
...     methods={"k-means": clustered(lambda case, seed: KMeans(case.n_clusters, n_init=5, random_state=seed))},
...     scores=("nmi", "rand"),
... )
>>> {cell: round(value, 2) for cell, value in run_trial(trial, seed=0).items()}
{'iris/k-means/nmi': 0.76, 'iris/k-means/rand': 0.88}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from .._arrays import FloatArray, IntArray
from .._method import uses_constraints as _uses_constraints
from ..constraints import Constraints
from ._scores import (
    adjusted_rand_index,
    constraint_accuracy,
    normalized_mutual_information,
    pair_f_score,
    purity,
    rand_index,
    scaled_rand_index,
)

SCORES: dict[str, Callable[[Any, Any], float]] = {
    "nmi": normalized_mutual_information,
    "rand": rand_index,
    "ari": adjusted_rand_index,
    "f": lambda y, labels: pair_f_score(y, labels).f,
    "scaled_rand": scaled_rand_index,
    "purity": purity,
}
"""Scores against the truth, by the name that a trial uses."""

ASKED: dict[str, dict[str, Any]] = {
    "pairs": {"how": "random_pairs"},
    "piles": {"how": "piles"},
    "odd": {"how": "odd"},
    "triplets": {"how": "triplets"},
    "forced-triplets": {"how": "triplets", "ties": "coin"},
    "preferences": {},
}
"""Kinds of questions, with arguments of :meth:`likewise.Constraints.sample`. Preferences, which it does not sample,
compare two of many clusterings, judged by twenty rows."""

POOL_WIDTH = 50
"""Maximum number of columns on which the clusterings for preferences are computed."""

FURTHER_SCORES = ("kept", "seconds")
"""The share of hints kept, and the wall-clock time of the method."""


@dataclass(frozen=True)
class Case:
    """The data, true classes and hints of one repetition of an experiment.

    Parameters
    ----------
    X : array, sparse matrix or anything else that the methods take
    y : (n,) array
        The true classes. Methods must not use them.
    constraints : Constraints
    n_clusters : int
    scored : (m,) int array, optional
        Rows on which scores are computed; None means all.
    extra : mapping
        Other data for methods, such as links.
    """

    X: Any
    y: IntArray
    constraints: Constraints
    n_clusters: int
    scored: IntArray | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def score(self, name: str, labels: Any) -> float:
        """Score a clustering.

        Parameters
        ----------
        name : str
            A key of ``SCORES``, or "kept".
        labels : (n,) or (m, n) array
            Labels for all rows; several labelings give the mean of their scores.

        Returns
        -------
        float
        """
        labels = np.asarray(labels)
        if labels.ndim == 2:
            return float(np.mean([self.score(name, labeling) for labeling in labels]))
        if name == "kept":
            return constraint_accuracy(labels, self.constraints)
        rows = slice(None) if self.scored is None else self.scored
        return SCORES[name](np.asarray(self.y)[rows], labels[rows])


Method = Callable[[Case, int], Any]
"""A function of a case and a seed that returns labels, several labelings (one per row), or a mapping of named
values."""


@dataclass(frozen=True)
class Trial:
    """An experiment: how cases are sampled, which methods are compared, and by which scores.

    Parameters
    ----------
    name : str
        Prefix of its cells: ``name/method``, or ``name/method/score`` if there are several scores.
    draw : callable
        Function from a seed to a :class:`Case`.
    methods : mapping of str to method
    scores : sequence of str
        Keys of ``SCORES``, "kept" or "seconds"; none for methods that return named values of their own.
    seeds : int
        Number of repetitions.
    refusals : tuple of exception types
        Errors that count as a missing result (NaN). Others are raised.
    rivals : tuple of str
        Names of trials whose published values belong to the same row of the paper's table.
    """

    name: str
    draw: Callable[[int], Case]
    methods: Mapping[str, Method]
    scores: Sequence[str] = ("nmi",)
    seeds: int = 10
    refusals: tuple[type[Exception], ...] = ()
    rivals: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = [score for score in self.scores if score not in SCORES and score not in FURTHER_SCORES]
        if unknown:
            known = ", ".join([*SCORES, *FURTHER_SCORES])
            raise ValueError(
                f"trial {self.name!r} asks for the score {unknown[0]!r}, which does not exist. Use {known}."
            )

    def cells(self, method: str) -> list[str]:
        """The names of a method's cells.

        Parameters
        ----------
        method : str

        Returns
        -------
        list of str
            Empty if the method names its values itself.
        """
        if len(self.scores) == 1:
            return [f"{self.name}/{method}"]
        return [f"{self.name}/{method}/{score}" for score in self.scores]


def run_trial(trial: Trial, seed: int, methods: Iterable[str] | None = None) -> dict[str, float]:
    """Sample one case and run methods on it.

    Parameters
    ----------
    trial : Trial
    seed : int
        Random seed of the sample and of every method.
    methods : iterable of str, optional
        Some of the trial's methods; None means all.

    Returns
    -------
    dict
        The value of each cell.
    """
    drawn = trial.draw(seed)
    values: dict[str, float] = {}
    for name in trial.methods if methods is None else methods:
        values.update(run_method(trial, drawn, seed, name))
    return values


def run_method(trial: Trial, drawn: Case, seed: int, name: str) -> dict[str, float]:
    """Run one method of a trial on a given case, and score it.

    Parameters
    ----------
    trial : Trial
    drawn : Case
    seed : int
    name : str
        Of the method.

    Returns
    -------
    dict
        The value of each of the method's cells.
    """
    begin = perf_counter()
    try:
        answer = trial.methods[name](drawn, seed)
    except trial.refusals:
        return dict.fromkeys(trial.cells(name), float("nan"))
    seconds = perf_counter() - begin
    if isinstance(answer, Mapping):
        return {f"{trial.name}/{name}/{key}": float(value) for key, value in answer.items()}
    scores = {score: seconds if score == "seconds" else drawn.score(score, answer) for score in trial.scores}
    return dict(zip(trial.cells(name), scores.values(), strict=True))


def case(
    X: Any,
    y: Any,
    how: str,
    amount: int,
    *,
    error_rate: float = 0.0,
    rows: IntArray | None = None,
    scored: IntArray | None = None,
    random_state: Any = None,
    **extra: Any,
) -> Case:
    """Sample hints from the true classes, and create a case.

    Parameters
    ----------
    X : array or sparse matrix
    y : (n,) labels
    how, amount, error_rate
        As for :meth:`likewise.Constraints.sample`; amount 0 means no hints. ``how`` may also be a way of asking, a key
        of ``ASKED``.
    rows : (m,) int array, optional
        Rows to sample hints from. Default: all.
    scored : (m,) int array, optional
        Rows on which scores are computed. Default: all.
    random_state : int, Generator or None
    **extra
        Other data for methods.

    Returns
    -------
    Case
    """
    names, codes = np.unique(np.asarray(y), return_inverse=True)
    if amount == 0:
        hints = Constraints(len(codes))
    else:
        seen = codes if rows is None else np.where(np.isin(np.arange(len(codes)), rows), codes, -1)
        options: dict[str, Any] = {"error_rate": error_rate, "random_state": random_state}
        if how == "preferences":
            pool = clustering_pool(X, len(names), random_state)
            hints = Constraints.sample_preferences(pool, seen, amount, **options)
        else:
            hints = Constraints.sample(seen, **{"how": how, **ASKED.get(how, {})}, amount=amount, **options)
    return Case(X, codes, hints, len(names), scored, extra)


def clustering_pool(X: Any, n_clusters: int, random_state: Any = None, *, size: int = 40) -> list[IntArray]:
    """Clusterings of varying quality: k-means runs, half of them with random weights of the columns.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
        If there are more than fifty columns, the leading fifty principal directions are used.
    n_clusters : int
    random_state : int, Generator or None
    size : int

    Returns
    -------
    list of (n,) int arrays
    """
    from scipy import sparse
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD

    rng = np.random.default_rng(random_state)
    if sparse.issparse(X) or X.shape[1] > POOL_WIDTH:
        width = min(POOL_WIDTH, min(X.shape) - 1)
        X = TruncatedSVD(width, random_state=int(rng.integers(2**31))).fit_transform(X)
    rows = np.asarray(X, dtype=np.float64)
    spread = rows.std(axis=0)
    scaled = rows / np.where(spread > 0, spread, 1.0)
    pool = []
    for number in range(size):
        space = scaled * rng.exponential(size=scaled.shape[1]) if number % 2 else (rows, scaled)[number // 2 % 2]
        pool.append(KMeans(n_clusters, n_init=1, random_state=int(rng.integers(2**31))).fit_predict(space))
    return pool


def split_rows(n: int, share: float, random_state: Any = None) -> tuple[IntArray, IntArray]:
    """Split n rows at random.

    Parameters
    ----------
    n : int
    share : float
        Share of the rows in the first part.
    random_state : int, Generator or None

    Returns
    -------
    first, second : int arrays
        Both sorted.
    """
    order = np.random.default_rng(random_state).permutation(n)
    cut = round(share * n)
    return np.sort(order[:cut]), np.sort(order[cut:])


def rows_per_class(y: Any, most: int, random_state: Any = None) -> IntArray:
    """Draw up to `most` rows of each class.

    Parameters
    ----------
    y : (n,) labels
    most : int
    random_state : int, Generator or None

    Returns
    -------
    (m,) int array
        Sorted.
    """
    rng = np.random.default_rng(random_state)
    y = np.asarray(y)
    drawn = [rng.permutation(np.flatnonzero(y == name))[:most] for name in np.unique(y)]
    return np.sort(np.concatenate(drawn))


def add_noise_columns(
    X: Any, count: int, random_state: Any = None, *, low: float = 0.0, high: float = 1.0
) -> FloatArray:
    """Append columns of noise: independent, uniform between `low` and `high`.

    Parameters
    ----------
    X : (n, f) array
    count : int
        Number of columns to append.
    random_state : int, Generator or None
    low, high : float

    Returns
    -------
    (n, f + count) array
    """
    X = np.asarray(X, dtype=float)
    return np.hstack([X, np.random.default_rng(random_state).uniform(low, high, size=(len(X), count))])


def clustered(build: Callable[[Case, int], Any], *, restarts: int = 1) -> Method:
    """Create a method from a clusterer, which receives the hints if its ``fit`` accepts them.

    Parameters
    ----------
    build : callable
        Function from a case and a seed to an unfitted clusterer.
    restarts : int
        Number of runs with different seeds, over which scores are averaged.

    Returns
    -------
    method
    """

    def method(drawn: Case, seed: int) -> IntArray:
        return np.array([_labels(build(drawn, start), drawn.X, drawn) for start in _starts(seed, restarts)])

    return method


def reduced(
    build: Callable[[Case, int], Any], then: Callable[[Case, int], Any], *, restarts: int = 1, hinted: bool = False
) -> Method:
    """Create a method from a transformer and a clusterer; the transformer is fitted once.

    Parameters
    ----------
    build : callable
        Function from a case and a seed to an unfitted transformer, or a list of them. Those whose ``fit`` accepts hints
        receive them.
    then : callable
        Function from a case and a seed to an unfitted clusterer.
    restarts : int
        Number of runs of the clusterer.
    hinted : bool
        Whether the clusterer receives the hints as well.

    Returns
    -------
    method
    """

    def method(drawn: Case, seed: int) -> IntArray:
        built, Z = build(drawn, seed), drawn.X
        for step in built if isinstance(built, list | tuple) else [built]:
            given = {"constraints": drawn.constraints} if _takes_constraints(step, drawn) else {}
            Z = step.fit(Z, **given).transform(Z)
        return np.array([_labels(then(drawn, start), Z, drawn, hinted) for start in _starts(seed, restarts)])

    return method


def one_sided_wilcoxon(first: Any, second: Any) -> float:
    """p-value of "first is larger" by the signed rank test on pairs.

    Parameters
    ----------
    first, second : (n,) arrays
        Pairs that are not finite are left out.

    Returns
    -------
    float
        1 if no pair differs.
    """
    from scipy.stats import wilcoxon

    difference = _differences(first, second)
    if not np.any(difference):
        return 1.0
    return float(wilcoxon(difference, alternative="greater").pvalue)


def one_sided_t_test(first: Any, second: Any) -> float:
    """p-value of "first is larger" by Student's test on pairs.

    Parameters
    ----------
    first, second : (n,) arrays
        Pairs that are not finite are left out.

    Returns
    -------
    float
        1 if no pair differs.
    """
    from scipy.stats import ttest_1samp

    difference = _differences(first, second)
    if difference.size < 2 or not np.any(difference):
        return 1.0
    if np.ptp(difference) <= 1e-9 * np.abs(difference).max():  # the differences only vary by rounding errors
        return 0.0 if difference[0] > 0 else 1.0
    return float(ttest_1samp(difference, 0.0, alternative="greater").pvalue)


def _differences(first: Any, second: Any) -> FloatArray:
    """First minus second, where that is finite."""
    difference = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    return difference[np.isfinite(difference)]


def _starts(seed: int, count: int) -> Iterable[int]:
    return (seed + 1009 * start for start in range(count))


def _labels(clusterer: Any, X: Any, drawn: Case, hinted: bool = True) -> IntArray:
    given = {"constraints": drawn.constraints} if hinted and _takes_constraints(clusterer, drawn) else {}
    labels: IntArray = clusterer.fit(X, **given).labels_
    return labels


def _takes_constraints(estimator: Any, drawn: Case) -> bool:
    return not drawn.constraints.is_empty and _uses_constraints(estimator)
