"""One call: data and a few hints in, clusters and the reasons for them out."""

from __future__ import annotations

from numbers import Integral
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from ..clustering.base import Clusterer
from ..constraints import Constraints
from ..constraints.conflicts import tally
from ..constraints.hints import read_hints
from ..evaluation import constraint_accuracy
from ..graphs.nearness import Nearness
from ..graphs.spectral import unit_length
from .answer import Answer, heed
from .counting import choose_n_clusters
from .evidence import blind_votes, votes
from .ground import Baseline, Ground, baseline
from .matching import agreement, renamed
from .members import Member
from .report import FamilyReport, Report

Array = np.ndarray

VOTERS = 10
"""Rows of ``fit`` that a new row asks for its cluster."""


class Likewise(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """Clusters as a person means them, from a few hints, with nothing to choose.

    The method to start with. Hints help where they can and are kept from doing harm: many clusterings, in linear and in
    graph features, learn from them, each from other hints, and what they agree on is the answer. Where hints are too
    few, or teach nothing that unseen hints confirm, the answer stays next to the one without hints.

    1. Features: a recipe for each kind of data (:class:`~likewise.front.features.LinearFeatures`), and
       :class:`~likewise.GraphFeatures`.
    2. The answer without hints: many plain k-means runs joined by :func:`likewise.hbgf`.
    3. Members: five families of clusterings trained on hints, each member blind to the hints of a quarter of the rows.
    4. The consensus of all, each family counting once; in its space a k-means in which must-link groups move as one and
       broken cannot-links have a price.
    5. Evidence: what members say of hints they did not see tells whether hints help, and which are likely wrong.

    Parameters
    ----------
    n_clusters : int, optional
        None: as many as the hints agree with best, and never fewer than rows that are all different from each other.
    trust : {"auto", "strict", "weighted"}
        "strict" takes every hint as certain: must-links hold, and contradictions are an error. "weighted" lets every
        hint be broken at its price, by the belief in it. "auto" is strict, unless hints contradict each other, carry
        degrees of belief, or do not look right to members that did not see them: then they are weighted, and those
        that are more likely wrong than right are left out.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : (n,) int array
    baseline_labels_ : (n,) int array
        The answer without hints; clusters have the same names where they are the same.
    embedding_ : (n, n_clusters_) array
        The space in which the answer was found, rows of unit length.
    n_clusters_ : int
    suspects_ : tuple of Suspect
        All hints, those most likely wrong first.
    report_ : Report
        What was done and why; print it.
    n_iter_ : int
        Clusterings that the answer rests on.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from likewise import Constraints
    >>> from likewise.evaluation import normalized_mutual_information
    >>> from likewise.front import Likewise
    >>> X, y = load_wine(return_X_y=True)
    >>> hints = Constraints.sample(y, "random_pairs", 100, random_state=0)
    >>> model = Likewise(3, random_state=0).fit(X, constraints=hints)
    >>> normalized_mutual_information(y, model.labels_) > normalized_mutual_information(y, model.baseline_labels_)
    True
    >>> model.predict(X[:5]).shape
    (5,)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "trust": [StrOptions({"auto", "strict", "weighted"})],
        "random_state": ["random_state"],
    }

    def __init__(self, n_clusters: int | None = None, *, trust: str = "auto", random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.trust = trust
        self.random_state = random_state

    def _cluster(self, X: Any, constraints: Constraints) -> Array:
        if self.trust == "strict":
            self._refuse_beliefs(constraints)
            constraints.check(self.n_clusters)
        rng = check_random_state(self.random_state)
        self._seconds: dict[str, float] = {}
        self._base: Baseline | None = None
        # Matrices here are small: threads inside each product would only wait for each other.
        with threadpool_limits(1):
            self._ground = self._timed("features", lambda: Ground.of(X))
            labels = self._heed(constraints, rng)
        self._places = Nearness(self._ground.C.F, min(VOTERS, self._ground.n - 1), "euclidean")
        return labels

    def add_hints(self, constraints: Constraints) -> Self:
        """More hints for the same rows: features, and the answer without hints, are used again.

        Parameters
        ----------
        constraints : Constraints
            What is said in addition to all that was said before.
        """
        check_is_fitted(self)
        hints = self._told | read_hints(self._ground.n, None, constraints)
        if self.trust == "strict":
            self._refuse_beliefs(hints)
            hints.check(self.n_clusters)
        self._seconds = {}
        with threadpool_limits(1):
            self.labels_ = self._heed(hints, check_random_state(self.random_state)).astype(np.int32)
        return self

    def _heed(self, hints: Constraints, rng: np.random.RandomState) -> Array:
        """The labels of the rows of the ground under hints; everything learned is set on the way."""
        ground, self._told = self._ground, hints
        k = self.n_clusters
        if k is None:
            k = self._timed("number of clusters", lambda: choose_n_clusters(ground, hints, rng))
        if self._base is None or self._base.n_clusters != k:
            self._base = self._timed("without hints", lambda: baseline(ground, k, rng))
        base, self.n_clusters_ = self._base, k
        self.baseline_labels_ = base.labels.astype(np.int32)
        if hints.is_empty:
            self.embedding_, self.suspects_ = base.embedding, ()
            labels, members, answer = base.labels, (), None
        else:
            answer = self._timed("hints", lambda: heed(ground, base, hints, k, rng, self.trust))
            self.embedding_, self.suspects_ = answer.embedding, answer.evidence.suspects()
            labels, members = renamed(answer.labels, base.labels), answer.members
        self._n_features_out = self.embedding_.shape[1]
        self.n_iter_ = len(base.labelings) + len(members)
        self.report_ = self._reported(labels, base, answer)
        return np.unique(labels, return_inverse=True)[1]

    def _timed(self, part: str, work: Any) -> Any:
        start = perf_counter()
        result = work()
        self._seconds[part] = perf_counter() - start
        return result

    def _reported(self, labels: Array, base: Baseline, answer: Answer | None) -> Report:
        told = self._told
        plain = [Member("without hints", run, -1) for run in base.labelings]
        common = {
            "n_rows": self._ground.n,
            "n_clusters": self.n_clusters_,
            "recipe": str(self._ground.linear),
            "hints": repr(told).partition(": ")[2].rstrip(")"),
            "seconds": dict(self._seconds),
        }
        if answer is None:
            return Report(**common, agreement=agreement(plain, labels))
        members = [*plain, *answer.members]
        return Report(
            **common,
            trust="strict" if answer.closed else "weighted",
            contradictions=tally(told, told.groups())[0],
            dropped=answer.dropped,
            families=tuple(_families(members, answer, labels)),
            agreement=agreement(members, labels),
            gain=answer.evidence.gain,
            gain_error=answer.evidence.error,
            guard=answer.guard,
            kept=constraint_accuracy(labels, told),
            moved=np.flatnonzero(labels != base.labels),
        )

    def transform(self, X: Any) -> Array:
        """Where rows lie in the space of the answer: rows of ``fit`` where they were, others amid those near them."""
        weights, same = self._near(X)
        Z = unit_length(weights @ self.embedding_)
        Z[same >= 0] = self.embedding_[same[same >= 0]]
        return Z

    def predict(self, X: Any) -> Array:
        """The cluster of each row: that of the same row in ``fit``, else what the ten nearest rows there vote for."""
        weights, same = self._near(X)
        chosen = np.eye(int(self.labels_.max()) + 1)[self.labels_]
        labels = (weights @ chosen).argmax(axis=1).astype(np.int32)
        labels[same >= 0] = self.labels_[same[same >= 0]]
        return labels

    def _near(self, X: Any) -> tuple[Any, Array]:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **{**self._accepts(), "ensure_min_samples": 1})
        return self._places.of(self._ground.place(X))

    def _accepts(self) -> dict[str, Any]:
        return {**super()._accepts(), "ensure_min_samples": 2}


def cluster(X: Any, constraints: Constraints | None = None, n_clusters: int | None = None, **params: Any) -> Array:
    """The labels that :class:`Likewise` finds.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import Constraints
    >>> from likewise.front import cluster
    >>> X = np.concatenate([np.random.default_rng(0).normal(at, 1.0, (20, 2)) for at in (0.0, 9.0)])
    >>> labels = cluster(X, Constraints(40, must_link=[(0, 1)], cannot_link=[(0, 20)]), random_state=0)
    >>> bool((labels[:20] == labels[0]).all() and (labels[20:] != labels[0]).all())
    True
    """
    return Likewise(n_clusters, **params).fit(X, constraints=constraints).labels_


def _families(members: list[Member], answer: Answer, labels: Array) -> list[FamilyReport]:
    """What each family thought: like the answer, and of hints it did not see."""
    statements = answer.evidence.statements
    found = []
    for family in dict.fromkeys(member.family for member in members):
        own = [member for member in members if member.family == family]
        unseen = blind_votes(own, answer.folds, statements.pairs)
        # runs without hints have not seen any
        together = unseen if own[0].fold >= 0 else votes([member.labels for member in own], statements.pairs)
        kept = float(np.average(np.where(statements.same, together, 1 - together), weights=statements.weight))
        found.append(FamilyReport(family, len(own), float(agreement(own, labels).mean()), kept))
    return found
