"""One call: data and a few hints in, clusters and the reasons for them out."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from .._estimator import as_constraints, validate_rows
from .._method import Cost, Method
from .._progress_bar import progress_bar
from .._saved import Saved, check_shape
from .._sklearn import Interval, StrOptions, _check_feature_names_in
from .._threads import native
from ..clustering._base import Clusterer
from ..constraints import Constraints
from ..linalg._eigen import unit_length
from ..linalg._row_matrix import indicator
from ._budget import Budget
from ._choose_k import choose_n_clusters
from ._consensus import Answer, heed
from ._explaining import explained
from ._hard_constraints import kept_apart
from ._kmeans import hinted_run
from ._known_rows import find_rows, hash_rows
from ._landmarks import Landmarks, drawn_rows
from ._matching import renamed
from ._profile import characterized, differences, largest
from ._report import ClusterReport
from ._training import Teacher
from ._unsupervised import Ground, baseline

Array = np.ndarray


def _check_rows(model: Any) -> None:
    n = model._marks.n
    check_shape(model.labels_, (n,), "labels_", "i")
    check_shape(model._row_hashes, (n,), "_row_hashes", "u")
    check_shape(model.embedding_, (n, None), "embedding_")
    if model.labels_.min() < 0:
        raise ValueError("labels must be whole numbers from 0 on")
    rows = model._marks.rows
    known = n if rows is None else len(rows[: model._marks.near.n])
    if known != model._marks.near.n or (rows is not None and not 0 <= rows.min() <= rows.max() < n):
        raise ValueError(f"{n} rows and {model._marks.near.n} landmarks do not fit together")


class Likewise(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """Clusters as a person means them, from a few hints, with nothing to choose.

    The method to start with. Hints help where they can and are kept from doing harm: many clusterings, in linear and in
    graph features, learn from them, each from other hints, and what they agree on is the answer. Where hints are too
    few, or teach nothing that unseen hints confirm, the answer stays next to the one without hints.

    1. Features: a recipe for each kind of data (:class:`~likewise.prepare._linear.LinearFeatures`), and
       :class:`~likewise.GraphFeatures`.
    2. The answer without hints: many plain k-means runs joined by :func:`likewise.hbgf`.
    3. Members: six families of clusterings trained on hints, each member blind to the hints of a quarter of the rows.
    4. Evidence: what members say of hints they did not see tells whether hints help, which are likely wrong, and how
       much each family counts: all alike, unless one is behind the best by more than chance.
    5. The consensus of all; in its space a k-means in which must-link groups move as one and broken cannot-links have a
       price.

    Parameters
    ----------
    n_clusters : int, optional
        None: as many as the hints make likely, and never fewer than rows that are all different from each other.
    trust : {"auto", "strict", "weighted"}
        "strict" takes every hint as certain: must-links hold, cannot-links too wherever a labeling is found that
        keeps them all (else the report says why not), and contradictions are an error. "weighted" lets every hint be
        broken at its price, by the belief in it. "auto" keeps must-links, and lets cannot-links be broken at a price,
        unless hints contradict each other, carry degrees of belief, or do not look right to members that did not see
        them: then all are weighted, and those that are more likely wrong than right are left out.
    budget_s : float, optional
        Seconds to spend. Features and a few runs without hints are always made; then members, cheap families first, as
        long as the next ones should be ready in time. The report says what was left out. None: all that there is.
    n_jobs : int, optional
        Threads for runs that do not depend on each other; −1 for one a core. The answer is the same for any number.
    verbose : bool
        Show progress on a terminal, if it takes over a second. Nothing is shown where errors are written to a file.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : (n,) int array
    baseline_labels_ : (n,) int array
        The answer without hints; clusters have the same names where they are the same.
    embedding_ : (n, n_clusters_) array
        The space in which the answer was found, rows of unit length.
    n_clusters_ : int
    constraints_ : Constraints
        All that was said.
    suspects_ : tuple of Suspect
        All hints, those most likely wrong first.
    report_ : Report
        What was done and why; print it.
    n_iter_ : int
        Clusterings that the answer rests on.

    Notes
    -----
    Ctrl-C while members learn ends the fit with the best answer so far, and a warning; before there is an answer
    without hints it interrupts as usual.

    Of more than 10,000 rows that many are landmarks: rows that hints speak of (up to 5,000) and others drawn at random.
    Graph, members and evidence are theirs; all other rows are placed amid the landmarks near them, and in the end hear
    all hints.

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
        ("labels_", "embedding_", "baseline_labels_", "n_clusters_", "n_iter_", "n_features_in_", "_n_features_out",
         "_profile", "_row_hashes"),
        parts={"_ground": Ground, "_marks": Landmarks},
        check=_check_rows,
    )  # fmt: skip
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "trust": [StrOptions({"auto", "strict", "weighted"})],
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
        budget_s: float | None = None,
        n_jobs: int | None = None,
        verbose: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.trust = trust
        self.budget_s = budget_s
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _cluster(self, X: Any, constraints: Constraints) -> Array:
        self._check_strict(constraints)
        rng = check_random_state(self.random_state)
        self._base: Any = None
        self._answer: Answer | None = None
        rows = drawn_rows(constraints, rng)
        # Matrices here are small: threads inside each product would only wait for each other.
        with native().limit(limits=1), progress_bar(visible=self.verbose):
            budget = Budget(self.budget_s)
            with budget.stage("features"):
                self._row_hashes = hash_rows(X, X.dtype)
                self._rows = X if rows is None else X[rows]
                self._ground = Ground.of(self._rows)
                self._marks = Landmarks.of(self._ground, X, rows, self.n_jobs)
            return self._heed(constraints, rng, budget)

    def add_constraints(self, constraints: Constraints) -> Self:
        """More hints for the same rows: features, the answer without hints, and what was learned, are used again.

        Parameters
        ----------
        constraints : Constraints
            What is said in addition to all that was said before.

        Notes
        -----
        Much quicker than a new fit, with nearly its answer: members go on from where they were, and the neighbor
        graphs that some of them learned stay as they are.
        """
        check_is_fitted(self)
        if not hasattr(self, "constraints_"):
            raise ValueError("a model read from a file can place rows, not learn more: fit a new one with all hints.")
        hints = self.constraints_ | as_constraints(self._marks.n, None, constraints)
        self._check_strict(hints)
        with native().limit(limits=1), progress_bar(visible=self.verbose):
            budget = Budget(self.budget_s)
            rng = check_random_state(self.random_state)
            if (new := self._marks.newcomers(hints)) is not None:
                self._marks.join(new)
                self._ground, self._base = new.among(self._ground), new.baseline(self._base)
                self._answer = new.answer(self._answer, rng)
            self.labels_ = self._heed(hints, rng, budget).astype(np.int32)
        return self

    def _check_strict(self, hints: Constraints) -> None:
        if self.trust == "strict":
            self._refuse_beliefs(hints)
            hints.check(self.n_clusters)

    def _heed(self, hints: Constraints, rng: np.random.RandomState, budget: Budget) -> Array:
        """The labels of all rows under hints; everything learned is set on the way."""
        ground, marks, self.constraints_ = self._ground, self._marks, hints
        known = marks.hints(hints)
        k = self.n_clusters
        if k is None:
            with budget.stage("number of clusters"):
                k = choose_n_clusters(ground, known, rng, budget, self.n_jobs)
        if self._base is None or self._base.n_clusters != k:
            with budget.stage("without hints"):
                self._base = baseline(ground, k, rng, budget, self.n_jobs)
            self._answer = None
        base, self.n_clusters_ = self._base, k
        labels, Z, broken = marks.votes(base.labels), marks.directions(base.embedding), ""
        self.baseline_labels_ = labels.astype(np.int32)
        before, self._answer = self._answer, None
        if not known.is_empty:
            teacher = Teacher(ground, base, k, rng, budget, self.n_jobs)
            try:
                with budget.stage("hints"):
                    labels, Z, broken = self._settled(heed(teacher, known, self.trust, before), rng)
                labels = renamed(labels, self.baseline_labels_)
            except KeyboardInterrupt:  # there is nothing better than the answer without hints
                budget.interrupted, self._answer = True, None
        answer = self._answer
        self.embedding_ = Z.astype(self._rows.dtype, copy=False)
        self._n_features_out = Z.shape[1]
        self.suspects_ = () if answer is None else answer.evidence.suspects(marks.rows)
        self.n_iter_ = len(base.labelings) + (0 if answer is None else len(answer.members))
        found = np.unique(labels, return_inverse=True)[1]
        self.report_ = explained(
            hints,
            base,
            answer,
            marks,
            labels,
            n_clusters=k,
            recipe=str(ground.linear),
            seconds=dict(budget.seconds),
            left_out=tuple(dict.fromkeys(budget.left_out)),
            interrupted=budget.interrupted,
            broken=broken,
            clusters=self._characterized(found),
        )
        if budget.interrupted:
            warnings.warn(
                f"interrupted: the answer rests on {self.n_iter_} clusterings, those there were by then; report_ says "
                "what is missing. Fit again for the whole, or set budget_s to stop at a time of your choice.",
                stacklevel=5,
            )
        return found

    def _settled(self, answer: Answer, rng: np.random.RandomState) -> tuple[Array, Array, str]:
        """The labels of all rows, where they lie, and why rules are broken, from the answer for landmarks."""
        marks, k, self._answer = self._marks, self.n_clusters_, answer
        labels, Z, broken = answer.labels, marks.directions(answer.embedding), ""
        if marks.rows is not None:
            heard = marks.all_hints(self.constraints_, answer.heard)
            closed = answer.closed and not heard.conflicts(limit=1)
            labels = hinted_run(Z, k, heard, rng, closed=closed, starts=[marks.votes(labels)])
        if self.trust == "strict":
            labels, broken = kept_apart(Z, labels, k, self.constraints_, rng)
        return labels, Z, broken

    def _characterized(self, labels: Array) -> tuple[ClusterReport, ...]:
        """What each cluster is about; kept for those who want to know more."""
        sizes = np.bincount(labels)
        self._profile = differences(self._rows, labels[self._marks.first], len(sizes), self._ground.linear)
        return characterized(self._profile, sizes, _check_feature_names_in(self))

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
        return largest(self._profile[cluster], n, _check_feature_names_in(self, feature_names))

    def transform(self, X: Any) -> Array:
        """The coordinates of rows in the space of the answer.

        Parameters
        ----------
        X : (m, f) array, sparse matrix or data frame

        Returns
        -------
        (m, n_clusters_) array
            For a row of ``fit`` its row of ``embedding_`` (of rows that coincide, that of the first); for any other the
            weighted mean of those near it, of unit length.
        """
        X, row = self._look_up(X)
        Z = np.empty((X.shape[0], self.embedding_.shape[1]))
        Z[row >= 0] = self.embedding_[row[row >= 0]]
        if np.any(new := row < 0):
            Z[new] = unit_length(self._near(X[new]) @ self.embedding_[self._marks.first])
        return Z.astype(X.dtype, copy=False)

    def predict(self, X: Any) -> Array:
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
            votes = self._near(X[new]) @ indicator(self.labels_[self._marks.first])
            labels[new] = votes.toarray().argmax(axis=1)
        return labels

    def _look_up(self, X: Any) -> tuple[Any, Array]:
        """The validated rows, and for each the row of ``fit`` that it coincides with, or −1."""
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False, **{**self._accepts(), "ensure_min_samples": 1})
        return X, find_rows(hash_rows(X, self.embedding_.dtype), self._row_hashes)

    def _near(self, X: Any) -> Any:
        """The weights of new rows to the rows they are placed by."""
        return self._marks.near.of(self._ground.place(X))

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
