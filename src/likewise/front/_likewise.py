"""The estimator Likewise, and the function that clusters in one call."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from types import NoneType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from .._arrays import BoolArray, FloatArray, IntArray
from .._device_fit import checked_on_device
from .._devices import dispatches
from .._estimator import as_constraints, checked_constraints
from .._frames import make_frame
from .._method import Cost, Method
from .._parameters import suggests_parameters
from .._progress_bar import progress_bar
from .._saved import Saved, check_shape
from .._shortcuts import AsksQuestions
from .._sklearn import POSITIVE_INT, Interval, StrOptions, _check_feature_names_in
from .._threads import native
from .._warnings import InterruptedWarning
from ..chunked import Chunked
from ..chunked._fold import Look
from ..chunked._lazy import keep_columns, lazily
from ..clustering._base import Clusterer
from ..clustering._from_files import ReadsFiles
from ..constraints import ConstraintConflictError, Constraints
from ..constraints._format import pluralize
from ..linalg._eigen import unit_length
from ..linalg._products import canonical
from ..linalg._row_matrix import indicator
from ..prepare._columns import as_raw_table
from ..prepare._kinds import DataKind
from ..prepare._table_features import TableFeatures, needs_table_features
from ._budget import Budget
from ._certainty import DOUBTFUL, Assignment, assign, labeled_rows, membership
from ._choose_k import choose_n_clusters
from ._cluster_names import name_clusters, rows_of_their_label
from ._consensus import Consensus, apply_constraints
from ._device import place_on_device
from ._evidence import UNSUPERVISED, align_labels, unsupervised_members
from ._from_files import Sample, Tally, placing, report_on_files, suspects_in_files
from ._hard_constraints import repair_labels
from ._known_rows import find_rows, hash_rows
from ._landmarks import MAX_LANDMARKS, EveryRow, Landmarks, Placement, choose_rows
from ._late_landmarks import LateLandmarks
from ._report import cluster_reports, feature_differences, largest_differences, make_report
from ._suspects import Suspects, as_said
from ._training import Trainer
from ._unsupervised import Features, Unsupervised, cluster_unsupervised

N_ASKED = 5
"""Number of rows that the report suggests to ask about first."""


def _check_rows(model: Any) -> None:
    n = model._placement.n
    check_shape(model.labels_, (n,), "labels_", "i")
    check_shape(model._row_hashes, (n,), "_row_hashes", "u")
    check_shape(model.embedding_, (n, None), "embedding_")
    if model.labels_.min() < 0:
        raise ValueError("labels must be non-negative integers")
    count = int(model.labels_.max()) + 1
    check_shape(model.certainty_, (n,), "certainty_")
    check_shape(model.second_labels_, (n,), "second_labels_", "i")
    check_shape(model.cluster_names_, (count,), "cluster_names_", "U")
    check_shape(model._shares, (len(model._placement.rows), count), "_shares")
    if not -1 <= model.second_labels_.min() <= model.second_labels_.max() < count:
        raise ValueError(f"second_labels_ must be −1 or one of {count} clusters")


@dataclass(frozen=True)
class _Result:
    """The clusters of all rows, and the state of the ensemble that they come from.

    Attributes
    ----------
    features : Features
        The features of the ensemble's rows.
    placement : Placement
        Extends results from the ensemble's rows to all rows.
    labels : (n,) ints
    embedding : (n, k) array
    unsupervised_labels : (n,) ints
    unsupervised : Unsupervised
        The unsupervised result for the ensemble's rows.
    consensus : Consensus or None
        The constrained result for the ensemble's rows; None if no constraints were applied.
    broken : str
        Why constraints that were treated as certain could not all be satisfied; empty if they are.
    """

    features: Features
    placement: Placement
    labels: IntArray
    embedding: FloatArray
    unsupervised_labels: IntArray
    unsupervised: Unsupervised
    consensus: Consensus | None = None
    broken: str = ""

    def numbered_as(self, before: IntArray) -> _Result:
        """Renumber clusters to match ``before``, with as many rows in common as possible."""
        labels = np.unique(align_labels(self.labels, before), return_inverse=True)[1]  # without gaps
        ensemble = align_labels(self.unsupervised.labels, labels[self.placement.rows])
        unsupervised = replace(self.unsupervised, labels=ensemble)
        return replace(
            self, labels=labels, unsupervised_labels=self.placement.vote(ensemble), unsupervised=unsupervised
        )


class Likewise(AsksQuestions, ReadsFiles, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """Cluster data with the help of a few hints, without parameters that need tuning: the method to start with.

    An ensemble of clusterings in linear and graph features is trained on the hints, each member on a part of them, and
    the consensus of the ensemble is the result. The worse members predict held-out hints, the smaller is their weight
    compared with that of unsupervised runs. From fewer than 25 pairs, including implied ones, or fewer than 8 labels,
    nothing is learned, and hints apply to their own rows only.

    1. Features: preprocessing for each kind of data (:class:`~likewise.prepare._linear.LinearFeatures`), and
       :class:`~likewise.GraphFeatures`.
    2. Unsupervised result: the consensus of many k-means runs (:func:`likewise.hbgf`).
    3. Members: seven families of clusterings are trained on the hints and on some pairs that these imply, each member
       without the hints about a quarter of the rows.
    4. Evidence: how well members predict held-out hints determines the weight of hints, which hints are probably wrong,
       and which families have less weight because they are significantly worse than the best one. Comparisons are read
       as pairs if the questions that clusters cannot answer were left open; otherwise members learn from the
       comparisons themselves. From a preference, members learn the pairs on which the two clusterings differ.
    5. Consensus: k-means in the consensus embedding of all members, in which must-link groups stay together and
       violated cannot-links are penalized.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. None: chosen by the data and the hints. Without hints it is at most about 20. It is never
        smaller than the number of labeled classes, or of rows that hints say are all different from each other.
    trust : {"auto", "strict", "weighted"}
        "strict" treats all hints as certain: must-links hold, cannot-links hold if labels are found that satisfy them
        all (otherwise the report says why not), and contradictions are an error. "weighted" penalizes every violated
        hint by its weight. "auto" enforces must-links and penalizes violated cannot-links, unless hints contradict each
        other, have weights, or look wrong to members that were not trained on them: then all are weighted, and those
        that are more likely wrong than right are left out.
    kind : {"auto", "counts", "text", "table", "table of one scale", "mixed", "images"}
        The kind of data, which determines how rows are compared. "auto" infers it from X: sparse matrices are text or
        counts, and data frames with non-numeric columns are mixed. Pass ``TableFeatures.kind_`` if X was made by
        :class:`likewise.TableFeatures`.
    budget_s : float, optional
        Time limit in seconds. Features and a few unsupervised runs are always computed. Then members are trained, cheap
        families first, as long as they are expected to finish in time. The report lists what was left out. None: no
        limit.
    n_jobs : int, optional
        Number of threads; −1 uses all cores. The result is the same for any number.
    verbose : bool
        Whether to show progress in a terminal, if the fit takes more than a second.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : (n,) int array
    cluster_names_ : (k,) array of str
        The name of each cluster: the most frequent label of its rows, or its number if none of its rows is labeled. If
        several clusters have the same label, the one with most rows of it is "CLL", the next one "CLL (2)".
    certainty_ : (n,) array
        The certainty of each row's cluster, from 0 to 1: the weighted share of clusterings that vote for it, or 1 if
        the label of the row is treated as certain and its cluster is named after it. Of rows with a certainty of at
        least 0.9, about nine in ten are correct if the clusters are the intended ones.
    second_labels_ : (n,) int array
        The second most likely cluster of each row; −1 if all clusterings vote for the first.
    unsupervised_labels_ : (n,) int array
        The result without hints, with clusters numbered to match ``labels_``.
    embedding_ : (n, r) array
        The consensus embedding that was clustered, with rows of unit length.
    n_clusters_ : int
        Number of clusters found. It is smaller than ``n_clusters`` if must-links leave fewer groups.
    constraints_ : Constraints
        All hints so far.
    answers_ : Answers or None
        The hints that are answers to questions, in order; None if there are none.
    suspects_ : Suspects
        All hints, those most likely wrong first: a tuple of :class:`Suspect` that is shown as a table.
    report_ : Report
        What was done and why; print it.
    table_features_ : TableFeatures or None
        The transformer of a data frame with categories, dates, texts, empty cells or ids; None if X was numeric.
    n_iter_ : int
        Number of clusterings in the ensemble.

    See Also
    --------
    likewise.cluster : The labels only, in one call.
    likewise.ProjectThenCluster : A single projection and k-means.

    Notes
    -----
    Ctrl-C during the training of members ends the fit with the best result so far, and a warning. Before there is an
    unsupervised result, it raises KeyboardInterrupt as usual.

    Of more than 10,000 rows, 10,000 are chosen as landmarks: constrained rows (up to 5,000), and others at random. The
    ensemble clusters landmarks only. All other rows are assigned by their nearest landmarks, and all hints are applied
    at the end.

    Rows in files (:class:`likewise.chunked.RowFiles`) are read twice. The first pass loads the constrained rows, and
    others drawn by a hash of their index, up to 10,000, and these are clustered under all hints. The second pass
    assigns every other row by a vote of its ten nearest neighbors among them. ``labels_``, ``second_labels_`` and
    ``certainty_`` are those of all rows, unless :meth:`fit_to` writes them to a file. ``landmark_model_`` is the model
    of the rows in memory, with their ``embedding_`` and ``unsupervised_labels_``, and a report page; ``landmarks_`` are
    the indices of these rows in the files. :meth:`ask` asks about them. A model file contains only the landmark model.
    When hints are added, the files are read once if all hints are about landmarks, and twice otherwise.

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
        prefer="the method to start with: chooses features, distance and the weight of hints",
        paper="this package",
        uses_comparisons=True,
        uses_preferences=True,
        chooses_n_clusters=True,
        cost=Cost(
            "likewise",
            "exact neighbors of up to 10,000 landmarks look at all pairs of them; other rows join the nearest ones",
            rows=2.0,
            width=2.0,
        ),
    )
    _saved: ClassVar[Saved] = Saved(
        ("labels_", "cluster_names_", "certainty_", "second_labels_", "embedding_", "unsupervised_labels_",
         "n_clusters_", "n_iter_", "n_features_in_", "_n_features_out", "_profile", "_row_hashes", "_shares",
         "_has_labels"),
        parts={
            "_features": Features,
            "_placement": (EveryRow, Landmarks),
            "table_features_": (TableFeatures, NoneType),
        },
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

    def _cluster(
        self, X: Any, constraints: Constraints, drawn: BoolArray | None = None, before: NDArray[Any] | None = None
    ) -> IntArray:
        self._check_constraints(constraints, stacklevel=6)
        rng = check_random_state(self.random_state)
        rows = choose_rows(constraints, rng, drawn)
        # Matrices are small, so BLAS threads would cost more than they gain.
        with native().limit(limits=1), progress_bar(visible=self.verbose):
            budget = Budget(self.budget_s)
            with budget.stage("features"):
                ensemble = X if rows is None else X[rows]
                features = Features.of(ensemble, self._data_kind())
                placement: Placement = (
                    EveryRow.of(features) if rows is None else Landmarks.of(features, X, rows, self.n_jobs)
                )
            result = self._learn(features, placement, constraints, self.answers_, rng, budget)
            if before is not None:
                result = result.numbered_as(before.astype(np.int64))
        self._row_hashes = hash_rows(X, X.dtype)
        self._rows = ensemble
        return self._set_result(result, constraints, budget, stacklevel=6)

    def _learn_from(
        self, X: Chunked, y: Any, constraints: Any, before: Self | None = None, answers: Any = None
    ) -> Look:
        """Cluster a sample in memory, with clusters numbered as by the model ``before``; see :class:`ReadsFiles`."""
        known = checked_constraints(self, X.shape[0], y, constraints)
        answers = _answers_in(constraints) if answers is None else answers
        self._check_number(X.shape[0])
        seed: Any = self.random_state
        if X.shape[0] > MAX_LANDMARKS:
            seed = int(check_random_state(seed).randint(2**31 - 1))
        clock = Budget()
        with progress_bar(visible=self.verbose):
            with clock.stage("reading rows"):
                sample = Sample.of(X, known, seed if isinstance(seed, int) else 0)
            model = clone(self).set_params(random_state=seed)
            try:
                columns = getattr(X, "columns", None)
                model._fit_sample(sample, known.restrict(sample.numbers), answers, columns, before)
            except ConstraintConflictError:
                known.check(self.n_clusters)  # raises the error with row indices of the files
                raise
        self._rows_in_files, self._sample = X, sample
        return self._keep_landmarks(model, known, answers, clock)

    def _keep_landmarks(self, model: Any, known: Constraints, answers: Any, clock: Budget) -> Look:
        """Set the fitted attributes from a model of landmarks, and return the function that assigns rows by it."""
        X, sample = self._rows_in_files, self._sample
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # attributes of an earlier fit
        for name in ("n_features_in_", "cluster_names_", "n_clusters_", "n_iter_", "table_features_", "_profile",
                     "_has_labels", "_n_features_out", "_columns_in_files"):  # fmt: skip
            setattr(self, name, getattr(model, name))
        keep_columns(self, X)
        self.landmark_model_, self.landmarks_ = model, sample.numbers
        self.constraints_, self.answers_ = known, answers
        self.suspects_ = suspects_in_files(model.suspects_, sample)
        self.report_ = report_on_files(model.report_, sample, known, clock.seconds)
        return placing(model._to_place(), sample)

    def _placed(self, X: Chunked, look: Look) -> Iterator[np.ndarray]:
        tally, clock = Tally(self.n_clusters_), Budget()
        with progress_bar(visible=self.verbose), clock.stage("placing rows"):
            for places in X.map(look):
                tally.add(places)
                yield places
        self.report_ = tally.complete(self.report_, clock.seconds)

    def _keep_places(self, found: np.ndarray) -> None:
        self.labels_, self.second_labels_ = found["cluster"].copy(), found["second"].copy()
        self.certainty_ = found["certainty"].astype(np.float64)

    def _columns(self, found: np.ndarray) -> dict[str, Any]:
        clusters, second = found["cluster"], np.ma.masked_less(found["second"], 0)
        certainty = found["certainty"].astype(np.float64).round(4)
        if not self._has_labels:
            return {"cluster": clusters, "second": second, "certainty": certainty}
        names = self.cluster_names_
        return {
            "cluster": clusters,
            "name": names[clusters].tolist(),
            "second": second,
            "second_name": [None if cluster < 0 else str(names[cluster]) for cluster in found["second"].tolist()],
            "certainty": certainty,
        }

    def _fit_sample(
        self, sample: Sample, constraints: Constraints, answers: Any, columns: Any, before: Self | None
    ) -> None:
        """Cluster a sample of rows from files with the given column names."""
        X, known = self._checked_inputs(sample.rows, None, constraints)
        self.answers_ = None if answers is None else answers.restrict(sample.numbers)
        self._columns_in_files = columns
        numbers = None if before is None else before.predict(sample.rows)
        self.labels_ = np.asarray(self._cluster(X, known, sample.drawn, numbers), dtype=np.int32)

    def _relearn_in_files(self, constraints: Constraints, answers: Any, warm_start: bool) -> Self:
        """Cluster under other constraints; files are read once if only landmarks are constrained, twice otherwise."""
        rows, model = self._rows_in_files, self.landmark_model_
        named = np.flatnonzero(constraints.constrained_rows() | constraints.comparisons.compared_rows())
        if np.isin(named, self.landmarks_).all():
            try:
                some = None if answers is None else answers.restrict(self.landmarks_)
                model._relearn(constraints.restrict(self.landmarks_), some, warm_start=warm_start)
            except ConstraintConflictError:
                constraints.check(self.n_clusters)
                raise
            look = self._keep_landmarks(model, constraints, answers, Budget())
        else:
            look = self._learn_from(rows, None, constraints, model, answers)
        self._place_all(rows, look)
        return self

    def __getstate__(self) -> Any:
        """The state without the open files, which may not exist elsewhere."""
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_rows_in_files", "_sample")}

    def _to_place(self) -> Self:
        """A copy with only the state that predictions need, as in a model file, to be sent to workers."""
        fitted = self._saved_as
        model: Self = clone(self)
        for name in (*self._saved.values, *self._saved.parts):
            setattr(model, name, getattr(fitted, name))
        return model

    @property
    def _saved_as(self) -> Any:
        """The model that is saved in a model file: for rows in files, the model of landmarks."""
        return vars(self).get("landmark_model_", self)

    @suggests_parameters
    def add_constraints(self, constraints: Any) -> Self:
        """Add hints about the same rows, and update the model.

        Parameters
        ----------
        constraints : Constraints or Answers
            Hints in addition to those given before.

        Returns
        -------
        self

        Notes
        -----
        This is much faster than a new fit, with nearly the same result: features and unsupervised runs are reused,
        members start from their previous labels, and neighbor graphs that they learned are not computed again. Clusters
        keep their numbers.

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
        known = self._to_extend() | self._given(constraints)
        earlier, answers = self.answers_, _answers_in(constraints)
        if earlier is not None:
            answers = earlier if answers is None else earlier + answers
        return self._relearn(known, answers)

    @suggests_parameters
    def set_constraints(self, constraints: Any) -> Self:
        """Replace all hints about the same rows, and update the model: to withdraw or correct hints.

        Parameters
        ----------
        constraints : Constraints or Answers
            All hints; ``Constraints(len(X))`` for none. If only some of them are answers to questions, use
            :meth:`~likewise.questions.Answers.with_constraints`.

        Returns
        -------
        self

        Notes
        -----
        Features and unsupervised runs are reused. If hints are only added, members start from their previous labels, as
        in :meth:`add_constraints`. If some are withdrawn, members are trained from scratch, so that withdrawn hints
        have no effect. Clusters keep their numbers.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from likewise import Constraints, Likewise
        >>> X, y = load_wine(return_X_y=True)
        >>> first, more = (Constraints.sample(y, "random_pairs", 40, random_state=seed) for seed in (0, 1))
        >>> model = Likewise(3, random_state=0).fit(X, constraints=first).add_constraints(more)
        >>> model.set_constraints(first).constraints_ == first
        True
        """
        before, given = self._to_extend(), self._given(constraints)
        return self._relearn(given, _answers_in(constraints), warm_start=before | given == given)

    def _to_extend(self) -> Constraints:
        """The constraints so far, if more can be learned."""
        known = self._known_so_far()
        if "landmark_model_" in vars(self):
            if "_rows_in_files" not in vars(self):
                raise ValueError("a copy of a model of rows in files cannot learn more: fit a new one with all hints.")
            if "labels_" not in vars(self):
                raise ValueError("fit_to wrote the clusters to a file: call it again with all hints.")
        return known

    def _known_so_far(self) -> Constraints:
        check_is_fitted(self)
        if not hasattr(self, "constraints_"):
            raise ValueError("a model read from a file can predict, but not learn more: fit a new one with all hints.")
        return self.constraints_

    def _given(self, constraints: Any) -> Constraints:
        return as_constraints(self.constraints_.n_samples, None, constraints)

    def _relearn(self, constraints: Constraints, answers: Any, *, warm_start: bool = True) -> Self:
        """Cluster under other constraints; with ``warm_start``, members start from the previous ones."""
        if "landmark_model_" in vars(self):
            return self._relearn_in_files(constraints, answers, warm_start)
        features, placement = self._features, self._placement
        unsupervised, consensus = self._unsupervised, self._consensus if warm_start else None
        self._check_constraints(constraints, stacklevel=5)
        with native().limit(limits=1), progress_bar(visible=self.verbose):
            budget = Budget(self.budget_s)
            rng = check_random_state(self.random_state)
            if isinstance(placement, Landmarks) and len(rows := placement.late_rows(constraints)):
                late = LateLandmarks.of(placement, rows)
                placement = late.join(placement)
                features = late.extend_features(features)
                unsupervised = late.extend_unsupervised(unsupervised)
                consensus = late.extend_consensus(consensus, rng)
            result = self._learn(features, placement, constraints, answers, rng, budget, unsupervised, consensus)
            result = result.numbered_as(self.labels_.astype(np.int64))
        self.labels_ = self._set_result(result, constraints, budget, stacklevel=5).astype(np.int32)
        self.answers_ = answers
        return self

    def _data_kind(self) -> DataKind | None:
        """The kind of data; None if it is to be inferred from the values."""
        if self.kind != "auto":
            return DataKind(self.kind)
        return None if self.table_features_ is None else self.table_features_.kind_

    def _check_constraints(self, constraints: Constraints, *, stacklevel: int) -> None:
        if self.trust == "strict":
            _refuse_uncertain(constraints)
            self._refuse_weights(constraints)
            constraints.check(self.n_clusters)
        n_classes = _most_classes(constraints)
        if self.n_clusters is not None and self.n_clusters < n_classes:
            warnings.warn(
                f"the labels name {n_classes} classes, but n_clusters={self.n_clusters}: some classes will share a "
                f"cluster. Set n_clusters to at least {n_classes}, or to None.",
                stacklevel=stacklevel,
            )

    def _learn(
        self,
        features: Features,
        placement: Placement,
        constraints: Constraints,
        answers: Any,
        rng: np.random.RandomState,
        budget: Budget,
        unsupervised: Unsupervised | None = None,
        previous: Consensus | None = None,
    ) -> _Result:
        """Cluster all rows under constraints, starting from previous results if there are any.

        If some constraints are answers to questions, these are passed, too.
        """
        known = placement.restrict(constraints)
        n_clusters = self.n_clusters
        if n_clusters is None:
            with budget.stage("number of clusters"):
                n_clusters = choose_n_clusters(features, known, rng, budget, self.n_jobs)
            n_clusters = max(n_clusters, _most_classes(constraints))  # including classes without landmarks
        if unsupervised is None or unsupervised.n_clusters != n_clusters:
            with budget.stage("without hints"):
                unsupervised = cluster_unsupervised(features, n_clusters, rng, budget, self.n_jobs)
            previous = None
        labels, Z = placement.vote(unsupervised.labels), placement.directions(unsupervised.embedding)
        result = _Result(features, placement, labels, Z, labels, unsupervised)
        if known.is_empty:
            return result
        trainer = Trainer(features, unsupervised, n_clusters, rng, budget, self.n_jobs)
        try:
            with budget.stage("hints"):
                chosen = bool(answers) and answers.about_pairs
                consensus = apply_constraints(trainer, known, self.trust, previous, chosen=chosen)
                Z = placement.directions(consensus.embedding)
                applied = placement.merge(constraints, consensus.applied)
                labels = placement.label(consensus.labels, Z, applied, n_clusters, rng, closed=consensus.closed)
                broken = ""
                if self.trust == "strict":
                    labels, broken = repair_labels(Z, labels, n_clusters, constraints, rng)
            labels = align_labels(labels, result.unsupervised_labels)
            return replace(result, labels=labels, embedding=Z, consensus=consensus, broken=broken)
        except KeyboardInterrupt:  # the unsupervised result is the best one so far
            budget.interrupted = True
            return result

    def _set_result(self, result: _Result, constraints: Constraints, budget: Budget, *, stacklevel: int) -> IntArray:
        """Set the fitted attributes, and return the labels, numbered without gaps."""
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
        names = name_clusters(constraints, labels, len(sizes))
        self._set_certainty(labels, rows_of_their_label(constraints, labels, names))
        self.cluster_names_ = np.array([cluster.name for cluster in names])
        self._has_labels = any(cluster.label is not None for cluster in names)
        self.constraints_ = constraints
        self.n_clusters_ = len(sizes)
        self.unsupervised_labels_ = result.unsupervised_labels.astype(np.int32)
        self.embedding_ = result.embedding.astype(self._rows.dtype, copy=False)
        suspects = () if consensus is None else consensus.evidence.suspects(placement.rows)
        self.suspects_ = Suspects(as_said(suspects, constraints))
        self.n_iter_ = len(unsupervised.labelings) + (0 if consensus is None else len(consensus.members))
        self.report_ = make_report(
            constraints,
            unsupervised,
            consensus,
            placement,
            result.labels,
            ask_about=tuple(self._in_doubt()[:N_ASKED].tolist()),
            n_clusters=self.n_clusters_,
            n_requested=self.n_clusters,
            kind=features.to_linear.kind,
            preprocessing=self._preprocessing(features),
            seconds=dict(budget.seconds),
            left_out=tuple(dict.fromkeys(budget.left_out)),
            interrupted=budget.interrupted,
            broken=result.broken,
            doubtful=int((self.certainty_ < DOUBTFUL).sum()),
            clusters=cluster_reports(names, self._profile, sizes, self._matrix_names()),
        )
        groups = int(constraints.groups().max()) + 1
        if self.n_clusters_ <= groups < (self.n_clusters or 0):
            warnings.warn(
                f"there are fewer clusters ({self.n_clusters_}) than n_clusters={self.n_clusters}: the hints put all "
                f"rows into {pluralize(groups, 'group')}.",
                stacklevel=stacklevel,
            )
        if budget.interrupted:
            warnings.warn(
                f"interrupted: the result is based on {self.n_iter_} clusterings, those completed so far; report_ "
                "lists what is missing. Fit again for the full result, or set budget_s to limit the time.",
                InterruptedWarning,
                stacklevel=stacklevel,
            )
        return labels

    def _set_certainty(self, labels: IntArray, confirmed: BoolArray) -> None:
        """Set the certainty of clusters by the votes of all clusterings; 1 for rows that certain labels confirm."""
        placement, consensus = self._placement, self._consensus
        members = unsupervised_members(self._unsupervised)
        weights = {UNSUPERVISED: 1.0}
        if consensus is not None:
            members += consensus.members
            weights = consensus.weights
        n_clusters = int(labels.max()) + 1
        shares = membership(members, weights, labels[placement.rows], n_clusters)
        certain = confirmed & (consensus is not None and consensus.closed)
        shares[certain[placement.rows]] = np.eye(n_clusters)[labels[placement.rows][certain[placement.rows]]]
        found = assign(placement.average(shares), labels)
        self._shares = shares.astype(np.float32)
        self.certainty_ = np.where(certain, 1.0, found.certainty)
        self.second_labels_ = np.where(certain, np.int32(-1), found.second_labels)

    def to_frame(self, *, ids: Any = None, backend: str | None = None) -> Any:
        """The clusters of all rows as a data frame, with names, second clusters and certainty.

        Parameters
        ----------
        ids : (n,) list-like, optional
            Ids of the rows in order; by default their indices.
        backend : {"pandas", "polars", "pyarrow"}, optional
            By default the first of them that is installed.

        Returns
        -------
        data frame
            With the columns id, cluster, name, second and certainty; ``second`` is −1 if there is none.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from likewise import Likewise
        >>> X, y = load_iris(return_X_y=True)
        >>> frame = Likewise(3, random_state=0).fit(X, y).to_frame(backend="pandas")
        >>> frame.columns.tolist(), len(frame)
        (['id', 'cluster', 'name', 'second', 'certainty'], 150)
        """
        check_is_fitted(self)
        n = len(self.labels_)
        if ids is not None and len(ids) != n:
            raise ValueError(
                f"ids has {len(ids):,} entries, but there are {n:,} rows. Pass one id for each row, in order."
            )
        return make_frame(
            {
                "id": list(range(n) if ids is None else ids),
                "cluster": self.labels_,
                "name": self.cluster_names_[self.labels_].tolist(),
                "second": self.second_labels_,
                "certainty": self.certainty_,
            },
            backend,
        )

    def doubtful(self, n: int | None = 10) -> IntArray:
        """The rows with the lowest certainty: those to look at, or to label, next.

        Parameters
        ----------
        n : int, optional
            Maximum number of rows. None: all rows in doubt, with a certainty below 0.7.

        Returns
        -------
        (m,) int array
            Row indices, in ascending order of certainty, without labeled rows.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from likewise import Likewise
        >>> X, y = load_iris(return_X_y=True)
        >>> model = Likewise(3, random_state=0).fit(X)
        >>> rows = model.doubtful(5)
        >>> bool((model.certainty_[rows] <= model.certainty_.mean()).all())
        True
        """
        check_is_fitted(self)
        if n is not None and n < 0:
            raise ValueError(f"n={n}: ask for none or more, or for all with n=None.")
        rows = self._in_doubt()
        return rows[self.certainty_[rows] < DOUBTFUL] if n is None else rows[:n]

    def _in_doubt(self) -> IntArray:
        """The rows without a label, in ascending order of certainty."""
        rows = np.argsort(self.certainty_, kind="stable")
        if hasattr(self, "constraints_"):
            rows = rows[~labeled_rows(self.constraints_)[rows]]
        return rows

    def top_features(self, cluster: int, n: int = 10, feature_names: Any = None) -> list[tuple[str, float]]:
        """The features in which the rows of a cluster differ most from all other rows.

        Parameters
        ----------
        cluster : int
            A cluster of ``labels_``.
        n : int
            Maximum number of features; features that do not differ are left out.
        feature_names : list-like of str, optional
            Names of the columns of X, such as ``TextFeatures.get_feature_names_out()``. By default the column names of
            the data frame (``table_features_.get_feature_names_out()``, if there is one), otherwise x0, x1, ...

        Returns
        -------
        list of (name, difference)
            In descending order of the absolute difference. For tables, the difference of means in standard deviations
            of the feature; for text, the difference of mean tf-idf weights.

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
            raise ValueError(f"cluster={cluster}, but clusters are numbered 0 to {count - 1}. Use one of labels_.")
        if n < 1:
            raise ValueError(f"n={n}: ask for at least one feature.")
        return largest_differences(self._profile[cluster], n, self._matrix_names(feature_names))

    @lazily
    def transform(self, X: Any) -> FloatArray:
        """The coordinates of rows in the consensus embedding.

        Parameters
        ----------
        X : (m, f) array, sparse matrix, data frame or Dask collection

        Returns
        -------
        (m, k) array
            For a row of ``fit``, its row of ``embedding_`` (for duplicate rows, that of the first). For a new row, the
            weighted mean of its ten nearest neighbors, scaled to unit length.
        """
        if "landmark_model_" in vars(self):
            return self.landmark_model_.transform(X)
        X, row = self._look_up(X)
        Z = np.empty((X.shape[0], self.embedding_.shape[1]))
        Z[row >= 0] = self.embedding_[row[row >= 0]]
        if np.any(new := row < 0):
            Z[new] = unit_length(self._near(X[new]) @ self.embedding_[self._placement.anchors])
        return Z.astype(X.dtype, copy=False)

    @lazily
    def predict(self, X: Any) -> NDArray[np.int32]:
        """The cluster of each row.

        Parameters
        ----------
        X : (m, f) array, sparse matrix, data frame or Dask collection

        Returns
        -------
        (m,) int array
            For a row of ``fit``, its entry of ``labels_`` (for duplicate rows, that of the first). For a new row, the
            cluster by a weighted vote of its ten nearest neighbors.
        """
        return self.predict_certainty(X).labels

    def predict_certainty(self, X: Any) -> Assignment:
        """The cluster of each row, its second most likely cluster, and its certainty.

        Parameters
        ----------
        X : (m, f) array, sparse matrix or data frame

        Returns
        -------
        Assignment
            With ``labels``, ``second_labels`` and ``certainty``, (m,) arrays. For a row of ``fit``, its entries of
            ``labels_``, ``second_labels_`` and ``certainty_``. For a new row, by the votes of its ten nearest
            neighbors.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from likewise import Likewise
        >>> X, y = load_iris(return_X_y=True)
        >>> labels, second, certainty = Likewise(3, random_state=0).fit(X[::2]).predict_certainty(X[1::2])
        >>> labels.shape, bool((labels != second).all()), bool(certainty.mean() > 0.8)
        ((75,), True, True)
        """
        if "landmark_model_" in vars(self):
            return self.landmark_model_.predict_certainty(X)
        if dispatches(X) and self.table_features_ is None:
            return place_on_device(checked_on_device(self, X, reset=False), self)
        X, row = self._look_up(X)
        labels, second, certainty = self.labels_[row], self.second_labels_[row], self.certainty_[row]
        if np.any(new := row < 0):
            near = self._near(X[new])
            anchors = self._placement.anchors
            labels[new] = (near @ indicator(self.labels_[anchors])).toarray().argmax(axis=1)
            shares = near @ self._shares[: near.shape[1]].astype(np.float64)
            shares /= np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            _, second[new], certainty[new] = assign(shares, labels[new])
        return Assignment(labels, second, certainty)

    def _look_up(self, X: Any) -> tuple[Any, IntArray]:
        """The validated rows, and for each the index of the equal row of ``fit``, or −1."""
        X = self._new_rows(X)
        return X, find_rows(hash_rows(X, self.embedding_.dtype), self._row_hashes)

    def _near(self, X: Any) -> Any:
        """The weights between new rows and their nearest neighbors."""
        return self._placement.near.of(self._features.transform(X))

    def _fit_inputs(self, X: Any, y: Any, constraints: Constraints | None) -> tuple[Any, Constraints]:
        """The validated rows and constraints; a data frame with non-numeric columns is transformed first."""
        for name in ("landmark_model_", "landmarks_", "_columns_in_files", "_rows_in_files", "_sample"):
            self.__dict__.pop(name, None)  # attributes of an earlier fit on files
        self.table_features_: TableFeatures | None = None
        self.answers_ = _answers_in(constraints)
        if not needs_table_features(X):
            return super()._fit_inputs(X, y, constraints)
        features = TableFeatures()
        rows, known = super()._fit_inputs(features.fit_transform(X), y, constraints)
        self.table_features_ = features
        self.n_features_in_, self.feature_names_in_ = features.n_features_in_, features.feature_names_in_
        return rows, known

    def _new_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        if self.table_features_ is None:
            return super()._new_rows(X)
        if as_raw_table(X) is None:
            raise ValueError(
                f"X is a {type(X).__name__}, but the model was fitted on a data frame. Pass a data frame with the "
                f"columns {', '.join(map(repr, self.feature_names_in_[:12]))}"
                f"{', …' if self.n_features_in_ > 12 else ''}."
            )
        return canonical(self.table_features_.transform(X))

    def _matrix_names(self, given: Any = None) -> Any:
        """Names of the columns of the matrix that was clustered."""
        if self.table_features_ is None:
            named = vars(self).get("_columns_in_files")
            return _check_feature_names_in(self, named if given is None else given)
        names = self.table_features_.get_feature_names_out()
        if given is not None and len(given) != len(names):
            raise ValueError(f"feature_names has {len(given)} names, but there are {len(names)} features.")
        return names if given is None else np.asarray(given, dtype=object)

    def _preprocessing(self, features: Features) -> str:
        """Description of the preprocessing."""
        table = [] if self.table_features_ is None else [self.table_features_.description_]
        return "; ".join([*table, str(features.to_linear)])

    def _refuse_in_files(self, what: str) -> None:
        if "landmark_model_" in vars(self):
            raise ValueError(f"a model of rows in files {what}.")

    def _rows_of_fit(self, X: Any) -> tuple[Any, dict[str, Any]]:
        self._refuse_in_files(
            "has no report page of all rows. print(model.report_) shows the report, and "
            "model.landmark_model_.write_report(path) writes a page of the landmarks"
        )
        return super()._rows_of_fit(X)

    def __getattr__(self, name: str) -> Any:
        if "landmark_model_" in vars(self):
            if name in ("embedding_", "unsupervised_labels_"):
                raise AttributeError(f"a model of rows in files has {name} of its landmarks: landmark_model_.{name}")
            if name in ("labels_", "second_labels_", "certainty_"):
                raise AttributeError(f"fit_to wrote the clusters of all rows to a file: {name} is not kept.")
        if name in ("report_", "constraints_", "answers_", "suspects_") and "labels_" in vars(self):
            raise AttributeError(
                f"a model read from a file can predict, but {name} is not saved in the file. Fit it again."
            )
        return super().__getattr__(name)

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


def _answers_in(constraints: Any) -> Any:
    """What was given, if it is answers to questions: they know more than the constraints that they make."""
    return constraints if isinstance(constraints, Sequence) and hasattr(constraints, "constraints") else None


def _refuse_uncertain(constraints: Constraints) -> None:
    """Raise an error if there are comparisons or preferences, which cannot be certain."""
    for count, noun, says, instead in (
        (
            len(constraints.comparisons),
            "comparison",
            "what is more alike",
            "read them as pairs (as_pairs)",
        ),
        (len(constraints.preferences), "preference", "which of two clusterings is better", "leave them out"),
    ):
        if count:
            raise ValueError(
                f"trust='strict' takes every hint as certain, and a {noun} only says {says}: there "
                f"{'is' if count == 1 else 'are'} {pluralize(count, noun)}. Use trust='auto', or {instead}."
            )


def _most_classes(constraints: Constraints) -> int:
    """The number of classes of the labels; of several sets of labels, the largest number."""
    return max((partition.n_blocks for partition in constraints.partitions if partition.is_labels), default=0)


def cluster(X: Any, constraints: Constraints | None = None, n_clusters: int | None = None, **params: Any) -> IntArray:
    """Cluster rows with hints in one call.

    Parameters
    ----------
    X : (n, f) array, sparse matrix or data frame
        A data frame of pandas, polars or Arrow may have categories, dates, texts and empty cells. It is transformed by
        :class:`likewise.TableFeatures`, as files are on the command line.
    constraints : Constraints, optional
    n_clusters : int, optional
        Number of clusters. None: chosen by the data and the hints.
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
