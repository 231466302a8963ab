"""``likewise.compare``: compare methods, given by name, class or estimator, on the same samples of hints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import isclass
from typing import Any

from sklearn.base import BaseEstimator, clone

from . import evaluation
from ._method import MethodKind, uses_constraints
from ._methods import comparable_methods, facts_of, k_means_for, method_named, protocol_method
from ._parameters import described
from ._progress_bar import progress_bar
from .clustering import ChainedClusterer
from .evaluation import Comparison
from .evaluation.protocols import Case
from .evaluation.protocols import Method as ProtocolMethod
from .prepare import DataKind, TableFeatures
from .prepare._table_features import needs_table_features

METHODS = ("k-means", "pck", "c-nc", "likewise")
"""The methods that are compared by default."""


def compare(
    X: Any,
    y: Any,
    methods: Mapping[str, Any] | Sequence[Any] | str = METHODS,
    amounts: Sequence[int] = (20, 100),
    *,
    how: str = "random_pairs",
    ask: Sequence[str] | None = None,
    error_rate: float = 0.0,
    score: str = "nmi",
    repeats: int = 5,
    seed: int = 0,
    kind: DataKind | str | None = None,
    verbose: bool = True,
) -> Comparison:
    """Compare methods on data with known classes, using the same hints sampled from the classes.

    Parameters
    ----------
    X : (n, f) array, sparse matrix or data frame
    y : (n,) labels
        The true classes, from which hints are sampled and scores are computed.
    methods : mapping of str to method, sequence of methods, or "all"
        A method is a name as in ``likewise methods``, a class, an estimator, or a function of a case and a seed
        (:mod:`likewise.evaluation.protocols`). The number of clusters is set to the number of classes; a projection is
        followed by k-means. "all" is every method that is installed, with the result sorted by score.
    amounts : sequence of int
        Numbers of hints; 0 for none.
    how, error_rate
        As for :meth:`likewise.Constraints.sample`.
    ask : sequence of str, optional
        Kinds of questions to compare as well, each with each amount: "pairs", "piles" (of three rows), "odd" (which of
        three rows is the odd one out), "triplets", "forced-triplets" (without "can't say") and "preferences".
    score : {"nmi", "ari", "rand", "f", "scaled_rand", "purity", "kept", "seconds"}
        "kept" is the share of hints that are satisfied.
    repeats : int
        Number of samples of hints.
    seed : int
        Random seed of the first sample; the others use the following seeds.
    kind : str, optional
        The kind of data, as for :class:`likewise.Likewise`. If None, each method determines it.
    verbose : bool
        Whether to show progress.

    Returns
    -------
    Comparison
        Printed as a table; ``to_frame()`` returns all values.

    See Also
    --------
    likewise.evaluation.protocols : The parts of such experiments.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import likewise
    >>> X, y = load_iris(return_X_y=True)
    >>> found = likewise.compare(X, y, {"k-means": "k-means", "pck": likewise.PCKMeans, "rca": "rca"}, [60], repeats=3)
    >>> print(found)
    nmi      60 hints
    k-means  0.758 ± 0.000
    pck      0.831 ± 0.028 *
    rca      0.914 ± 0.029 *
    * : best, or not significantly below the best (paired t-test, p ≥ 0.05).
    """
    if needs_table_features(X):
        features = TableFeatures()
        X = features.fit_transform(X)
        kind = features.kind_ if kind is None else kind
    data_kind = None if kind is None else DataKind(kind)
    chosen = {name: as_protocol_method(method, data_kind) for name, method in _named(methods).items()}
    with progress_bar("comparing methods", visible=verbose):
        found = evaluation.compare(
            X, y, chosen, amounts, how=how, ask=ask, error_rate=error_rate, score=score, repeats=repeats, seed=seed
        )
    return found.ranked() if isinstance(methods, str) and methods == "all" else found


def _named(methods: Any) -> dict[str, Any]:
    """A mapping of the methods by their names in the result."""
    if isinstance(methods, Mapping):
        return dict(methods)
    if isinstance(methods, str) and methods == "all":
        return {method.name: method.name for method in comparable_methods()}
    listed = [methods] if isinstance(methods, str | BaseEstimator) or callable(methods) else list(methods)
    named = {}
    for method in listed:
        name = method if isinstance(method, str) else _name_of(method)
        if name in named:
            raise ValueError(
                f"two methods are called {name!r}. Give them names: methods={{'first': ..., 'second': ...}}."
            )
        named[name] = method
    return named


def _name_of(method: Any) -> str:
    return facts_of(type(method) if isinstance(method, BaseEstimator) else method).name


def as_protocol_method(method: Any, data_kind: DataKind | None = None) -> ProtocolMethod:
    """Convert a method, given by name, class, estimator or function, to a function of a case and a seed.

    Parameters
    ----------
    method : str, class, estimator or function
    data_kind : DataKind, optional

    Examples
    --------
    >>> as_protocol_method(3)
    Traceback (most recent call last):
    TypeError: 3 is no method. Pass its name, a class, an estimator, or a function of a case and a seed.
    """
    if isinstance(method, str):
        return protocol_method(method_named(method), data_kind)
    if isclass(method) and hasattr(method, "fit"):
        return protocol_method(facts_of(method).of(method), data_kind)
    if hasattr(method, "fit"):
        return _of_estimator(method, data_kind)
    if callable(method) and not isclass(method):
        return method
    raise TypeError(
        f"{described(method)} is no method. Pass its name, a class, an estimator, or a function of a case and a seed."
    )


def _of_estimator(estimator: Any, data_kind: DataKind | None) -> ProtocolMethod:
    clusters = facts_of(type(estimator)).of(type(estimator)).kind is MethodKind.CLUSTERER

    def run(case: Case, seed: int) -> Any:
        model = clone(estimator)
        asked = {"n_clusters": case.n_clusters, "random_state": seed, "verbose": False}
        own = model.get_params(deep=False)
        model.set_params(**{name: value for name, value in asked.items() if name in own})
        if not clusters:
            last = k_means_for(case.X, case.n_clusters, seed, data_kind)
            model = ChainedClusterer(case.n_clusters, steps=[model], clusterer=last, random_state=seed)
        given = {"constraints": case.constraints} if uses_constraints(model) and not case.constraints.is_empty else {}
        return model.fit(case.X, **given).labels_

    return run
