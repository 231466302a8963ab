"""One call: data and a few hints in, clusters and the reasons for them out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from .._arrays import FloatArray, IntArray
from .._estimator import as_constraints
from .._method import Cost, Method
from .._progress_bar import progress_bar
from .._saved import Saved, check_shape
from .._sklearn import POSITIVE_INT, Interval, StrOptions, _check_feature_names_in
from .._threads import native
from .._warnings import InterruptedWarning
from ..clustering._base import Clusterer
from ..constraints import Constraints
from ..linalg._eigen import unit_length
from ..linalg._row_matrix import indicator
from ..prepare._kinds import DataKind
from ._budget import Budget
from ._choose_k import choose_n_clusters
from ._consensus import Consensus, apply_constraints
from ._evidence import align_labels
from ._hard_constraints import repair_labels
from ._known_rows import find_rows, hash_rows
from ._landmarks import EveryRow, Landmarks, Placement, choose_rows
from ._late_landmarks import LateLandmarks
from ._report import cluster_reports, feature_differences, largest_differences, make_report
from ._training import Trainer
from ._unsupervised import Features, Unsupervised, cluster_unsupervised


def _check_rows(model: Any) -> None:
    n = model._placement.n
    check_shape(model.labels_, (n,), "labels_", "i")
    check_shape(model._row_hashes, (n,), "_row_hashes", "u")
    check_shape(model.embedding_, (n, None), "embedding_")
    if model.labels_.min() < 0:
        raise ValueError("labels must be whole numbers from 0 on")


@dataclass(frozen=True)
class _Result:
    """The clusters of all rows, and what they were made from.

    Attributes
    ----------
    features : Features
        Of the rows of the ensemble.
    placement : Placement
        Of all rows.
    labels : (n,) ints
    embedding : (n, k) array
    unsupervised_labels : (n,) ints
    unsupervised : Unsupervised
        Of the rows of the ensemble.
    consensus : Consensus or None
        Of the rows of the ensemble; None where no constraints were applied.
    broken : str
        Why constraints taken as certain could not all be kept.
    """

    features: Features
    placement: Placement
    labels: IntArray
    embedding: FloatArray
    unsupervised_labels: IntArray
    unsupervised: Unsupervised
    consensus: Consensus | None = None
    broken: str = ""


class Likewise(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """Clusters from data and a few hints, with nothing to choose: the method to start with.

    Many clusterings, in linear and in graph features, learn from the hints, each from other ones, and their consensus
    is the result. Where hints are too few, or where what was learned does not explain unseen hints, it falls back to
    the unsupervised result, so that hints do no harm.

    1. Features: preprocessing for each kind of data (:class:`~likewise.prepare._linear.LinearFeatures`), and
       :class:`~likewise.GraphFeatures`.
    2. The unsupervised result: many plain k-means runs joined by :func:`likewise.hbgf`.
    3. Members: six families of clusterings trained on hints, each member without the hints of a quarter of the rows.
    4. Evidence: how members predict hints they did not see tells whether hints help, which are likely wrong, and the
       weight of each family: 1, unless it is behind the best by more than chance.
    5. The consensus of all; in its space a k-means in which must-link groups move as one and broken cannot-links have a
       price.

    Parameters
    ----------
    n_clusters : int, optional
        None: as many as the hints make likely, and never fewer than rows that are all different from each other.
    trust : {"auto", "strict", "weighted"}
        "strict" takes every hint as certain: must-links hold, cannot-links too wherever labels are found that keep
        them all (else the report says why not), and contradictions are an error. "weighted" lets every hint be broken
        at a price, by its weight. "auto" keeps must-links, and lets cannot-links be broken at a price, unless hints
        contradict each other, have weights, or do not look right to members that did not see them: then all are
        weighted, and those that are more likely wrong than right are left out.
    kind : {"auto", "counts", "text", "table", "table of one scale", "mixed", "images"}
        The kind of data, which decides how rows are compared. "auto" sees it by the values of X: sparse matrices are
        text or counts. Pass ``TableFeatures.kind_`` where X was made by :class:`likewise.TableFeatures`.
    budget_s : float, optional
        Seconds to spend. Features and a few unsupervised runs are always made; then members, cheap families first, as
        long as the next ones should be ready in time. The report says what was left out. None: no limit.
    n_jobs : int, optional
        Number of threads; −1 uses all cores. The result is the same for any number.
    verbose : bool
        Show progress on a terminal, if it takes over a second.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : (n,) int array
    unsupervised_labels_ : (n,) int array
        The result without hints; clusters have the same numbers where they are the same.
    embedding_ : (n, n_clusters_) array
        The space in which the clusters were found, rows of unit length.
    n_clusters_ : int
    constraints_ : Constraints
        All hints so far.
    suspects_ : tuple of Suspect
        All hints, those most likely wrong first.
    report_ : Report
        What was done and why; print it.
    n_iter_ : int
        Clusterings in the ensemble.

    See Also
    --------
    likewise.cluster : The labels alone, in one call.
    likewise.ProjectThenCluster : A single projection and k-means.

    Notes
    -----
    Ctrl-C while members learn ends the fit with the best result so far, and a warning; before there is an unsupervised
    result it interrupts as usual.

    Of more than 10,000 rows that many are landmarks: rows that hints touch (up to 5,000) and others drawn at random.
    Graph, members and evidence are theirs; all other rows are placed by the landmarks near them, and all hints are
    applied in the end.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from likewise import Constraints
    >>> from likewise.evaluation import normalized_mutual_information
    >>> from likewise.front import Likewise
    >>> X, y = load_wine(return_X_y=True)
    >>> hints = Constraints.sample(y, "random_pairs", 100, random_state=0)
    >>> model = Likewise(3, random_state=0).fit(X, constraints=hints)
    >>> normalized_mutual_information(y, model.labels_) > normalized_mutual_information(y, model.unsupervised_labels_)
    True
    >>> model.predict(X[:5]).shape
    (5,)
    """

    _method: ClassVar[Method] = Method(
        "likewise",
        prefer="the one to start with: chooses features and distance, and falls back to the unsupervised result",
        paper="this package",
        chooses_n_clusters=True,
        cost=Cost(
            "likewise",
            "exact neighbors of up to 10,000 landmarks look at all pairs of them; other rows join the nearest ones",
            rows=2.0,
            width=2.0,
        ),
    )
    _saved: ClassVar[Saved] = Saved(
        ("labels_", "embedding_", "unsupervised_labels_", "n_clusters_", "n_iter_", "n_features_in_", "_n_features_out",
         "_profile", "_row_hashes"),
        parts={"_features": Features, "_placement": (EveryRow, Landmarks)},
        check=_check_rows,
    )  # fmt: skip
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [POSITIVE_INT, None],
        "trust": [StrOptions({"auto", "strict", "weighted"})],
        "kind": [StrOptions({"auto", *map(str, DataKind)})],
        "budget_s": [Interval(Real, 0, None, closed="neither"), None],
        "n_jobs": [Integral, None],
        "verbose": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        trust: str = "auto",
        kind: str = "auto",
        budget_s: float | None = None,
        n_jobs: int | None = None,
        verbose: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.trust = trust
        self.kind = kind
        self.budget_s = budget_s
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _cluster(self, X: Any, constraints: Constraints) -> IntArray:
        self._check_strict(constraints)
        rng = check_random_state(self.random_state)
        rows = choose_rows(constraints, rng)
        # Matrices here are small: threads inside each product would only wait for each other.
        with native().limit(limits=1), progress_bar(visible=self.verbose):
            budget = Budget(self.budget_s)
            with budget.stage("features"):
                ensemble = X if rows is None else X[rows]
                features = Features.of(ensemble, None if self.kind == "auto" else DataKind(self.kind))
                placement: Placement = (
                    EveryRow.of(features) if rows is None else Landmarks.of(features, X, rows, self.n_jobs)
                )
            result = self._learn(features, placement, constraints, rng, budget)
        self._row_hashes = hash_rows(X, X.dtype)
        self._rows = ensemble
        return self._set_result(result, constraints, budget, stacklevel=5)

    def add_constraints(self, constraints: Constraints) -> Self:
        """Add hints about the same rows, starting from what was learned before.

        Parameters
        ----------
        constraints : Constraints
            In addition to those given before.

        Returns
        -------
        self

        Notes
        -----
        Much quicker than a new fit, with nearly its result: features and unsupervised runs are used again, members
        start from their labels, and the neighbor graphs that some of them learned stay as they are.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from likewise import Constraints, Likewise
        >>> X, y = load_wine(return_X_y=True)
        >>> first, more = (Constraints.sample(y, "random_pairs", 40, random_state=seed) for seed in (0, 1))
        >>> model = Likewise(3, random_state=0).fit(X, constraints=first).add_constraints(more)
        >>> len(model.constraints_.must_link) + len(model.constraints_.cannot_link)
        80
        """
        check_is_fitted(self)
        if not hasattr(self, "constraints_"):
            raise ValueError("a model read from a file can place rows, not learn more: fit a new one with all hints.")
        features, placement = self._features, self._placement
        unsupervised, consensus = self._unsupervised, self._consensus
        constraints = self.constraints_ | as_constraints(placement.n, None, constraints)
        self._check_strict(constraints)
        with native().limit(limits=1), progress_bar(visible=self.verbose):
            budget = Budget(self.budget_s)
            rng = check_random_state(self.random_state)
            if isinstance(placement, Landmarks) and len(rows := placement.late_rows(constraints)):
                late = LateLandmarks.of(placement, rows)
                placement = late.join(placement)
                features = late.extend_features(features)
                unsupervised = late.extend_unsupervised(unsupervised)
                consensus = late.extend_consensus(consensus, rng)
            result = self._learn(features, placement, constraints, rng, budget, unsupervised, consensus)
        self.labels_ = self._set_result(result, constraints, budget, stacklevel=3).astype(np.int32)
        return self

    def _check_strict(self, constraints: Constraints) -> None:
        if self.trust == "strict":
            self._refuse_weights(constraints)
            constraints.check(self.n_clusters)

    def _learn(
        self,
        features: Features,
        placement: Placement,
        constraints: Constraints,
        rng: np.random.RandomState,
        budget: Budget,
        unsupervised: Unsupervised | None = None,
        previous: Consensus | None = None,
    ) -> _Result:
        """Cluster all rows under constraints, from what was found with fewer if there is any."""
        known = placement.restrict(constraints)
        n_clusters = self.n_clusters
        if n_clusters is None:
            with budget.stage("number of clusters"):
                n_clusters = choose_n_clusters(features, known, rng, budget, self.n_jobs)
        if unsupervised is None or unsupervised.n_clusters != n_clusters:
            with budget.stage("without hints"):
                unsupervised = cluster_unsupervised(features, n_clusters, rng, budget, self.n_jobs)
            previous = None
        alone = placement.vote(unsupervised.labels)
        Z = placement.directions(unsupervised.embedding)
        result = _Result(features, placement, alone, Z, alone, unsupervised)
        if known.is_empty:
            return result
        trainer = Trainer(features, unsupervised, n_clusters, rng, budget, self.n_jobs)
        try:
            with budget.stage("hints"):
                consensus = apply_constraints(trainer, known, self.trust, previous)
                Z = placement.directions(consensus.embedding)
                applied = placement.merge(constraints, consensus.applied)
                labels = placement.label(consensus.labels, Z, applied, n_clusters, rng, closed=consensus.closed)
                broken = ""
                if self.trust == "strict":
                    labels, broken = repair_labels(Z, labels, n_clusters, constraints, rng)
            labels = align_labels(labels, alone)
            return _Result(features, placement, labels, Z, alone, unsupervised, consensus, broken)
        except KeyboardInterrupt:  # the unsupervised result is the best there is
            budget.interrupted = True
            return result

    def _set_result(self, result: _Result, constraints: Constraints, budget: Budget, *, stacklevel: int) -> IntArray:
        """Set all that was learned, and return the labels, numbered without gaps."""
        features, placement = result.features, result.placement
        unsupervised, consensus = result.unsupervised, result.consensus
        labels = np.unique(result.labels, return_inverse=True)[1]
        sizes = np.bincount(labels)
        self._features = features
        self._placement = placement
        self._unsupervised = unsupervised
        self._consensus = consensus
        self._n_features_out = result.embedding.shape[1]
        self._profile = feature_differences(self._rows, labels[placement.anchors], len(sizes), features.to_linear)
        self.constraints_ = constraints
        self.n_clusters_ = unsupervised.n_clusters
        self.unsupervised_labels_ = result.unsupervised_labels.astype(np.int32)
        self.embedding_ = result.embedding.astype(self._rows.dtype, copy=False)
        self.suspects_ = () if consensus is None else consensus.evidence.suspects(placement.rows)
        self.n_iter_ = len(unsupervised.labelings) + (0 if consensus is None else len(consensus.members))
        self.report_ = make_report(
            constraints,
            unsupervised,
            consensus,
            placement,
            result.labels,
            n_clusters=unsupervised.n_clusters,
            kind=features.to_linear.kind,
            preprocessing=str(features.to_linear),
            seconds=dict(budget.seconds),
            left_out=tuple(dict.fromkeys(budget.left_out)),
            interrupted=budget.interrupted,
            broken=result.broken,
            clusters=cluster_reports(self._profile, sizes, _check_feature_names_in(self)),
        )
        if budget.interrupted:
            warnings.warn(
                f"interrupted: the result rests on {self.n_iter_} clusterings, those there were by then; report_ says "
                "what is missing. Fit again for the whole, or set budget_s to stop at a time of your choice.",
                InterruptedWarning,
                stacklevel=stacklevel,
            )
        return labels

    def top_features(self, cluster: int, n: int = 10, feature_names: Any = None) -> list[tuple[str, float]]:
        """The features in which the rows of a cluster differ most from all others, and by how much.

        Parameters
        ----------
        cluster : int
            As in ``labels_``.
        n : int
            How many features; fewer come back where fewer differ.
        feature_names : list-like of str, optional
            One for each column of X, such as ``TextFeatures.get_feature_names_out()``. By default the column names
            of the frame that was fitted, else x0, x1, ...

        Returns
        -------
        list of (name, difference)
            Largest difference first, whatever its sign. For a table the difference of means in standard deviations of
            the feature, for text that of mean tf-idf weights.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from likewise import Likewise
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = Likewise(3, random_state=0).fit(X)
        >>> [name for name, difference in model.top_features(model.labels_[0], 2)]
        ['petal length (cm)', 'petal width (cm)']
        """
        check_is_fitted(self)
        count = len(self._profile)
        if not 0 <= cluster < count:
            raise ValueError(f"cluster={cluster}, but clusters are numbered 0 to {count - 1}. Take one of labels_.")
        if n < 1:
            raise ValueError(f"n={n}: ask for at least one feature.")
        return largest_differences(self._profile[cluster], n, _check_feature_names_in(self, feature_names))

    def transform(self, X: Any) -> FloatArray:
        """The coordinates of rows in the space in which the clusters were found.

        Parameters
        ----------
        X : (m, f) array, sparse matrix or data frame

        Returns
        -------
        (m, k) array
            For a row of ``fit`` its row of ``embedding_`` (of rows that coincide, that of the first); for any other the
            weighted mean of those near it, of unit length.
        """
        X, row = self._look_up(X)
        Z = np.empty((X.shape[0], self.embedding_.shape[1]))
        Z[row >= 0] = self.embedding_[row[row >= 0]]
        if np.any(new := row < 0):
            Z[new] = unit_length(self._near(X[new]) @ self.embedding_[self._placement.anchors])
        return Z.astype(X.dtype, copy=False)

    def predict(self, X: Any) -> NDArray[np.int32]:
        """The cluster of each row.

        Parameters
        ----------
        X : (m, f) array, sparse matrix or data frame

        Returns
        -------
        (m,) int array
            For a row of ``fit`` its entry of ``labels_`` (of rows that coincide, that of the first); for any other the
            cluster that the ten rows nearest to it vote for.
        """
        X, row = self._look_up(X)
        labels = self.labels_[row]
        if np.any(new := row < 0):
            votes = self._near(X[new]) @ indicator(self.labels_[self._placement.anchors])
            labels[new] = votes.toarray().argmax(axis=1)
        return labels

    def _look_up(self, X: Any) -> tuple[Any, IntArray]:
        """The validated rows, and for each the row of ``fit`` that it coincides with, or −1."""
        X = self._new_rows(X)
        return X, find_rows(hash_rows(X, self.embedding_.dtype), self._row_hashes)

    def _near(self, X: Any) -> Any:
        """The weights of new rows to the rows they are placed by."""
        return self._placement.near.of(self._features.transform(X))

    def _accepts(self) -> dict[str, Any]:
        return {**super()._accepts(), "ensure_min_samples": 2}

    def _repr_html_inner(self) -> str:
        return super()._repr_html_inner() + self._report_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = super()._repr_mimebundle_(**kwargs)
        return {kind: shown + self._report_html() * (kind == "text/html") for kind, shown in bundle.items()}

    def _report_html(self) -> str:
        return self.report_._repr_html_() if hasattr(self, "report_") else ""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def cluster(X: Any, constraints: Constraints | None = None, n_clusters: int | None = None, **params: Any) -> IntArray:
    """Cluster rows under hints in one call.

    Parameters
    ----------
    X : (n, f) array, sparse matrix or data frame
    constraints : Constraints, optional
    n_clusters : int, optional
        None: as many as the hints make likely.
    **params
        Further parameters of :class:`Likewise`.

    Returns
    -------
    (n,) int array
        ``labels_`` of a fitted :class:`Likewise`.

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
