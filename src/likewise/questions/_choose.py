"""Batches of questions, for a model or for any labelings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from .._arrays import BoolArray, IntArray
from .._estimator import as_constraints
from .._parameters import described
from .._threads import parallel_map
from ..constraints import Constraints
from ..constraints._validate import as_list, checked_weights, encode_labels, whole_number, whole_numbers
from ..front import Likewise
from ..front._folds import N_FOLDS, drop_rows, row_folds
from ._answers import Answers
from ._chooser import MAX_POOL, MAX_TOUCHED, Chooser
from ._committee import Calibration, Committee, earlier_votes
from ._known import Known, inferred_links
from ._question import CANT_SAY, KINDS, SAME, Question
from ._questions import Questions

N_REFITS = 16


def make_pool(
    committee: Committee,
    constraints: Constraints,
    among: BoolArray,
    rng: np.random.Generator,
    needed: Sequence[int] = (),
) -> IntArray:
    """The candidate rows, as positions in the committee: constrained rows, and a random sample of the others.

    They include all rows in ``needed``.
    """
    required = np.isin(committee.rows, needed)
    places = np.flatnonzero((among[committee.rows] | constraints.constrained_rows()[committee.rows]) & ~required)
    touched = constraints.constrained_rows()[committee.rows[places]]
    known, others = places[touched], places[~touched]
    if len(known) > MAX_TOUCHED:
        # take rows from all groups in turn, so that each group is represented
        known = rng.permutation(known)
        groups = constraints.groups()[committee.rows[known]]
        order = np.argsort(groups, kind="stable")
        rank = np.empty(len(known), dtype=np.int64)
        starts = np.r_[0, np.flatnonzero(np.diff(groups[order])) + 1]
        rank[order] = np.arange(len(known)) - np.repeat(starts, np.diff(np.r_[starts, len(known)]))
        known = known[np.argsort(rank, kind="stable")[:MAX_TOUCHED]]
    room = max(MAX_POOL - len(known) - int(required.sum()), 0)
    others = others if len(others) <= room else rng.choice(others, room, replace=False)
    return np.sort(np.concatenate([np.flatnonzero(required), known, others]))


def make_chooser(
    committee: Committee,
    constraints: Constraints,
    n_clusters: int,
    calibration: Calibration,
    among: BoolArray,
    rng: np.random.Generator,
    needed: Sequence[int] = (),
) -> Chooser:
    """A chooser of questions, given the constraints."""
    pool = make_pool(committee, constraints, among, rng, needed)
    rows = committee.rows[pool]
    known = Known.of(constraints, rows)
    return Chooser(committee, pool, committee.coassociation(pool), known, calibration, n_clusters, among[rows])


def next_questions(chooser: Chooser, n: int, kind: str, rng: np.random.Generator, size: int) -> list[Question]:
    """A batch of questions, none of which can follow from the answers to others."""
    questions: list[Question] = []
    while len(questions) < n:
        question = next_question(chooser, kind, rng, size)
        if question is None:
            break
        questions.append(question)
        chooser.assume(question)
    return questions


def next_question(chooser: Chooser, kind: str, rng: np.random.Generator, size: int) -> Question | None:
    """The next question of a kind; a pair if there is none of that kind."""
    if kind == "pair":
        return chooser.pair(rng)
    found = chooser.choice(rng) if kind == "choice" else chooser.piles(size, rng)
    return chooser.pair(rng) if found is None else found


def ask(
    model: Likewise,
    n: int = 10,
    *,
    kind: str = "pair",
    size: int = 6,
    among: Any = None,
    answers: Answers | None = None,
    random_state: int = 0,
) -> Questions:
    """The most informative questions for a model; see :meth:`likewise.Likewise.ask`.

    Parameters
    ----------
    model : Likewise
        The fitted model.
    n : int
        The maximum number of questions. There are fewer if no other pair of rows is undetermined.
    kind : {"pair", "choice", "piles"}
        The kind of question: two rows; a row and typical rows of the groups it may belong to; or rows to sort into
        piles.
    size : int
        Number of rows in a question of piles, 3 to 6.
    among : (m,) ints or (n,) bools, optional
        The rows that may be asked about. By default all.
    answers : Answers, optional
        Earlier answers. Questions that were answered with "can't say" are not repeated, and probabilities are
        calibrated with the answers. By default those that were passed to the model.
    random_state : int

    Returns
    -------
    Questions
    """
    constraints = model._known_so_far()
    n_samples = constraints.n_samples
    check_request(n, kind, size)
    whole_number(random_state, "random_state")
    if not (answers is None or isinstance(answers, Answers)):
        raise TypeError(f"answers is {described(answers)}. Pass what questions.answered(...) returned.")
    answers = model.answers_ if answers is None else answers
    if answers is not None and answers.n_samples != n_samples:
        raise ValueError(f"answers are about {answers.n_samples:,} rows, but the model is about {n_samples:,}.")
    if "landmark_model_" in vars(model):
        return _about_landmarks(model, answers, among, n, kind=kind, size=size, random_state=random_state)
    rng = np.random.default_rng([random_state, 0 if answers is None else len(answers)])
    votes, same, weights = earlier_votes(model) if answers is None else heard_votes(answers)
    chooser = make_chooser(
        Committee.of_model(model),
        constraints | inferred_links(constraints, model.n_clusters),
        model.n_clusters_,
        Calibration.of(votes, same, weights),
        rows_among(among, n_samples),
        rng,
    )
    if answers is not None:
        mark_asked(chooser, answers)
    return Questions(next_questions(chooser, n, kind, rng, size), n_samples)


def _about_landmarks(model: Likewise, answers: Answers | None, among: Any, n: int, **given: Any) -> Questions:
    """Questions for a model of rows in files: about those in memory, with the row numbers of the files."""
    rows = model.landmarks_
    n_samples = model.constraints_.n_samples
    inside = rows_among(among, n_samples)[rows]
    known = None if answers is None else answers.restrict(rows)
    asked = model.landmark_model_.ask(n, among=inside, answers=known, **given)
    numbers = rows.tolist()
    return Questions(
        [
            replace(
                question,
                rows=tuple(numbers[row] for row in question.rows),
                pairs=tuple((numbers[left], numbers[right]) for left, right in question.pairs),
            )
            for question in asked
        ],
        n_samples,
    )


def choose(
    labelings: Any,
    constraints: Constraints | None = None,
    n: int = 10,
    *,
    n_clusters: int | None = None,
    weights: Any = None,
    kind: str = "pair",
    size: int = 6,
    among: Any = None,
    random_state: int = 0,
) -> Questions:
    """The most informative questions, given several clusterings of the same rows.

    Parameters
    ----------
    labelings : sequence of (n,) ints, or data frame
        Two or more clusterings by any method, in a data frame one in each column; −1 for rows that are in no cluster.
    constraints : Constraints, optional
        Known constraints. Questions whose answers they imply are not asked.
    n : int
        The maximum number of questions. There are fewer if no other pair of rows is undetermined.
    n_clusters : int, optional
        The number of clusters. By default the median of the labelings.
    weights : (c,) floats, optional
        The weight of each labeling. By default equal weights.
    kind, size, among, random_state
        As for :func:`ask`.

    Returns
    -------
    Questions

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.questions import choose
    >>> labelings = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1]]
    >>> questions = choose(labelings, n=2)
    >>> len(questions), len(questions[0].rows)
    (2, 2)
    """
    if hasattr(labelings, "columns"):
        labelings = [labelings[name] for name in labelings.columns]
    arrays = [_as_labels(labels) for labels in as_list(labelings, "labelings", "Pass a list of arrays of labels.")]
    if len(arrays) < 2:
        raise ValueError(f"labelings has {len(arrays)} entries. Pass a list of two or more arrays of labels.")
    for number, labels in enumerate(arrays):
        if labels.ndim != 1 or not len(labels) or len(labels) != arrays[0].size:
            raise ValueError(
                f"labelings[{number}] is {described(labels)}, labelings[0] has {arrays[0].size} labels. Each must have "
                "one label for each row."
            )
    check_request(n, kind, size)
    if weights is not None:
        weights = checked_weights(weights, len(arrays), "weights", "labeling")
    n_samples = len(arrays[0])
    known = as_constraints(n_samples, None, constraints)
    committee = Committee.of_labelings(arrays, weights)
    found = int(np.median([len(np.unique(labels)) for labels in arrays]))
    rng = np.random.default_rng(random_state)
    if n_clusters is not None:
        whole_number(n_clusters, "n_clusters", least=1)
    chooser = make_chooser(
        committee,
        known | inferred_links(known, n_clusters),
        max(found, 1) if n_clusters is None else n_clusters,
        Calibration(),
        rows_among(among, n_samples),
        rng,
    )
    return Questions(next_questions(chooser, n, kind, rng, size), n_samples)


def refit_labelings(
    estimator: BaseEstimator,
    X: Any,
    constraints: Constraints,
    n_clusters: int,
    *,
    n_refits: int = N_REFITS,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> list[IntArray]:
    """Clusterings by one method, each fitted to a subset of the hints, for :func:`choose`.

    Hints are most informative for pairs of rows on which these clusterings disagree. Each fit omits the hints of a
    quarter of the rows. With projections such as :class:`likewise.Costco`, :class:`likewise.DSP` and
    :class:`likewise.GCDR`, the projected rows are clustered by k-means.

    Parameters
    ----------
    estimator : projection or clusterer
        An estimator of likewise, whose ``fit`` takes constraints.
    X : (n, f) array or sparse matrix
    constraints : Constraints
    n_clusters : int
        Number of clusters of k-means; ignored for clusterers.
    n_refits : int
        Number of clusterings.
    n_jobs : int, optional
        Number of threads.
    random_state : int, RandomState or None

    Returns
    -------
    list of (n,) int arrays

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from likewise import Constraints, Costco
    >>> from likewise.questions import choose, refit_labelings
    >>> X, y = load_wine(return_X_y=True)
    >>> hints = Constraints.sample(y, "equal", 20, random_state=0)
    >>> labelings = refit_labelings(Costco(2), (X - X.mean(0)) / X.std(0), hints, 3, n_refits=8)
    >>> len(choose(labelings, hints, n=5, n_clusters=3))
    5
    """
    constraints = as_constraints(n_rows(X), None, constraints)
    if constraints.is_empty:
        raise ValueError("there are no hints to leave out. Use Likewise().fit(X).ask(), which needs none.")
    rng = check_random_state(random_state)
    tasks: list[tuple[BoolArray, int]] = []
    while len(tasks) < whole_number(n_refits, "n_refits", least=2):
        folds = row_folds(constraints.n_samples, rng)
        tasks += [(folds == fold, int(rng.randint(2**31 - 1))) for fold in range(N_FOLDS)]

    def refit(task: tuple[BoolArray, int]) -> IntArray:
        hidden, seed = task
        model = clone(estimator)
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        seen = drop_rows(constraints, hidden)
        if _kinds(seen) != _kinds(constraints):  # a method may need all kinds
            seen = constraints
        model.fit(X, constraints=seen)
        if hasattr(model, "labels_"):
            return np.asarray(model.labels_, dtype=np.int64)
        return KMeans(n_clusters, n_init=3, random_state=seed).fit_predict(model.transform(X)).astype(np.int64)

    return list(parallel_map(refit, tasks[:n_refits], n_jobs))


def _kinds(constraints: Constraints) -> tuple[bool, ...]:
    """Which kinds of constraints there are."""
    others = constraints.comparisons, constraints.preferences
    return constraints.n_must_link > 0, constraints.n_cannot_link > 0, *(len(each) > 0 for each in others)


def _as_labels(labels: Any) -> Any:
    """Labels as an array; object arrays, which may have missing labels, are encoded as integers."""
    array = np.asarray(labels)
    return encode_labels(array)[0] if array.ndim == 1 and array.dtype.kind == "O" else array


def check_request(n: int, kind: str, size: int, *, name: str = "kind") -> None:
    """Check the parameters of a request; `name` is the name of the parameter for the kind of question."""
    whole_number(n, "n", least=0, remedy="It is the number of questions.")
    if kind not in KINDS:
        raise ValueError(f"{name}={kind!r} is not known. Use one of {', '.join(map(repr, KINDS))}.")
    if not 3 <= whole_number(size, "size") <= 6:
        raise ValueError(f"size={size}: piles are for three to six rows.")


def n_rows(X: Any) -> int:
    """The number of rows of an array, a sparse matrix, a data frame or a list."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def rows_among(among: Any, n_samples: int) -> BoolArray:
    """The rows that may be asked about, as a mask."""
    if among is None:
        return np.ones(n_samples, dtype=np.bool_)
    given = np.asarray(among)
    if given.dtype == np.bool_:
        if given.shape != (n_samples,):
            raise ValueError(f"among has {given.size} entries, but there are {n_samples} rows. Pass one for each row.")
        return given
    rows = whole_numbers(among, "among")
    outside = rows[(rows < 0) | (rows >= n_samples)]
    if outside.size:
        raise ValueError(f"among contains row {outside[0]}, but rows are 0 to {n_samples - 1}.")
    mask = np.zeros(n_samples, dtype=np.bool_)
    mask[rows] = True
    return mask


def heard_votes(answers: Sequence[Any]) -> tuple[list[float], list[bool], list[float]]:
    """The votes on the pairs of answers, whether each answer is "same", and their weights for calibration.

    Answers that were refuted or whose votes are unknown are omitted.
    """
    used = [one for one in answers if one.said != CANT_SAY and one.status != "refuted" and not isnan(one.votes)]
    return [one.votes for one in used], [one.said == SAME for one in used], [1.0] * len(used)


def mark_asked(chooser: Chooser, answers: Sequence[Any]) -> None:
    """Mark the pairs of answers as asked, if they are in the pool."""
    for answer in answers:
        if chooser.has(answer.rows):
            i, j = (chooser.place(row) for row in answer.rows)
            chooser.asked.add((min(i, j), max(i, j)))
