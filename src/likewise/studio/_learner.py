"""Incremental fits as hints change: the computations of the worker process."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import FloatArray, IntArray
from .._methods import clusterer
from ..constraints import Constraints
from ..front import Likewise
from ..front._landmarks import Landmarks
from ..linalg._row_matrix import indicator
from ..page import on_grid
from ..prepare import Rows
from ..questions import Answer, Answers, Question
from ..questions._answers import screens
from ..questions._choose import heard_votes, make_chooser, mark_asked, next_questions
from ..questions._chooser import PLACING, Chooser
from ..questions._committee import Calibration, Committee, earlier_votes
from ..questions._dialogue import MAX_CHECKS
from ..questions._known import inferred_links
from ..questions._question import CANT_SAY
from ..questions._suspicion import suspect_answers
from ..report._facts import Facts
from ..report._layout import Layout, leading_plane
from ..report._titles import in_words
from ..sources.links import balanced, linked_pairs, local_core_pairs

N_READY = 16
"""Number of questions that are prepared."""

N_ABOUT = 6
"""Number of features that describe a cluster."""

N_SAMPLE = 400
"""Number of rows from whose pairs the disagreement of clusterings is estimated."""

MAX_SUSPECTS = 200

N_RECENT = 60
"""Number of recent answers whose rows are always candidates for questions."""

N_CHECKED = 4
"""Maximum number of questions that check an earlier answer."""

MAX_JUDGED = 600
"""Maximum number of answers for which their surprise is also used to find suspect ones."""

LIKELY_WRONG = 0.5
N_LISTED, PERHAPS_WRONG = 12, 0.05
"""All hints that are likely wrong are listed; the first `N_LISTED` may also include less likely ones."""


@dataclass(frozen=True)
class Settings:
    """Settings that are constant during a session.

    Attributes
    ----------
    seed : int
    links : sparse matrix or None
        Links between rows.
    """

    seed: int = 0
    links: Any = None


@dataclass(frozen=True)
class Task:
    """The current hints and answers, as input of a fit.

    Attributes
    ----------
    upto : int
        The last event that is included.
    constraints : Constraints
    n_clusters : int or None
    answers : sequence of Answer
        Answers to questions, with what the model predicted.
    kinds : tuple of (str, int)
        Requested questions: kind, and size of piles.
    control : sequence of (int, int)
        The next control pairs, whose probabilities are requested.
    urgent : bool
        Whether to fit immediately, even for few new hints.
    """

    upto: int
    constraints: Constraints
    n_clusters: int | None = None
    answers: Sequence[Answer] = ()
    kinds: tuple[tuple[str, int], ...] = (("pair", 4),)
    control: Sequence[tuple[int, int]] = ()
    urgent: bool = False


@dataclass(frozen=True)
class Result:
    """The result of a fit, as the page shows it.

    Attributes
    ----------
    upto : int
        The last event that was used in the fit.
    seconds : float
    labels, second : (n,) ints
    certainty : (n,) array
    points : (m,) ints
        The rows on the map.
    places : (m, 2) array
        Their positions, from which the next layout starts.
    grid : (m, 2) array of uint16
    off_center : (m,) array
        Small for typical rows.
    clusters : list of dict
        Title and description of each cluster: the words that distinguish it from others, with their differences.
    suspects : list of (int, int, bool, float, float)
        Two rows, whether they should be the same, the probability that this is wrong, and the votes for "same".
    disagreement : float
        The fraction of pairs about which two clusterings of the ensemble disagree.
    features : (m, d) array or None
        The features of the rows on the map; only in the first result.
    """

    upto: int
    seconds: float
    labels: IntArray
    second: IntArray
    certainty: FloatArray
    points: IntArray
    places: FloatArray
    grid: Any
    off_center: FloatArray
    clusters: list[dict[str, Any]] = field(default_factory=list)
    suspects: list[tuple[int, int, bool, float, float]] = field(default_factory=list)
    disagreement: float = 0.0
    features: Any = None


@dataclass(frozen=True)
class Ready:
    """Prepared questions.

    Attributes
    ----------
    upto : int
    questions : dict of (str, int) to list of Question
        By kind and size.
    control : dict of (int, int) to (float, float)
        Probability of "same" and votes for it, for control pairs.
    checks : dict of int to Question
        Questions that check an unexpected answer, by the number of the question that they check.
    current : bool
        Whether the model was fitted with all current hints.
    """

    upto: int
    questions: dict[tuple[str, int], list[Question]]
    control: dict[tuple[int, int], tuple[float, float]]
    checks: dict[int, Question] = field(default_factory=dict)
    current: bool = True


class Learner:
    """A model that is updated as hints are added and withdrawn.

    Parameters
    ----------
    rows : Rows
    settings : Settings
    """

    def __init__(self, rows: Rows, settings: Settings) -> None:
        self.rows = rows
        self.settings = settings
        self.model: Likewise | None = None
        self._first: Likewise | None = None
        self._told = 0
        self._spaces: tuple[Any, FloatArray] | None = None
        self._points: IntArray | None = None
        self._places: FloatArray | None = None
        self._linked: Constraints | None = None

    # -- fits --------------------------------------------------------------------------------------------------------
    def before(self) -> Result:
        """The initial result without a fit: the rows in the plane of largest variance."""
        start = perf_counter()
        n = len(self.rows)
        facts = self._facts(Unfitted(n))
        places = leading_plane(np.asarray(facts._features[1], dtype=np.float64))
        none = np.full(n, -1)
        return Result(
            upto=0,
            seconds=perf_counter() - start,
            labels=none,
            second=none,
            certainty=np.zeros(n),
            points=facts.rows,
            places=places,
            grid=on_grid(places).astype("<u2"),
            off_center=np.zeros(len(facts.rows)),
            features=np.asarray(facts._features[1], dtype=np.float32),
        )

    def fit(self, task: Task, previous: FloatArray | None = None, labels: IntArray | None = None) -> Result:
        """Fit with all current hints.

        Parameters
        ----------
        task : Task
        previous : (m, 2) array, optional
            Previous positions on the map, for the first fit after a restart.
        labels : (n,) ints, optional
            Previous cluster labels.
        """
        start = perf_counter()
        constraints = self.with_links(task.constraints)
        if self.model is None:
            self.model = self._first = self.fresh(constraints, task.n_clusters)
            if labels is not None and len(labels) == len(self.rows):
                self.model.labels_ = labels.astype(np.int32)
                self.model = self._relearn(self._first, constraints, task.n_clusters)
        else:
            assert self._first is not None
            count = task.constraints.n_must_link + task.constraints.n_cannot_link
            # members learned from few hints become outdated: when the number of hints has doubled, refit all of them
            source = self._first if count >= 2 * self._told else self.model
            numbered = self.model.labels_
            source = copy.copy(source)
            source.labels_ = numbered
            self.model = self._relearn(source, constraints, task.n_clusters)
        self._told = task.constraints.n_must_link + task.constraints.n_cannot_link
        if previous is not None and self._places is None:
            self._places = previous
        return self._result(task, start)

    def fresh(self, constraints: Constraints, n_clusters: int | None) -> Likewise:
        """A new fit, identical to that of ``likewise cluster``."""
        model: Likewise = clusterer(
            "likewise", self.rows.X, n_clusters, self.settings.seed, data_kind=self.rows.kind, verbose=False
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(self.rows.X, **({} if constraints.is_empty else {"constraints": constraints}))

    def with_links(self, constraints: Constraints) -> Constraints:
        """The hints combined with those derived from links between rows."""
        links = self.settings.links
        if links is None:
            return constraints
        if self._linked is None:
            self._linked = balanced(linked_pairs(links)) | balanced(local_core_pairs(links))
        return constraints | self._linked

    def _relearn(self, model: Likewise, constraints: Constraints, n_clusters: int | None) -> Likewise:
        model = copy.copy(model)
        model.n_clusters = n_clusters
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.set_constraints(constraints)

    def _facts(self, model: Any) -> Facts:
        """The facts for the report; features of rows are computed once."""
        rows = self.rows
        facts = Facts(
            model,
            rows.X,
            constraints=Constraints(len(rows)) if self._points is None else model.constraints_,
            texts=rows.texts,
            feature_names=list(rows.feature_names),
            table=rows.table,
            kind=rows.kind,
        )
        if self._points is None or self._spaces is None:
            self._points, self._spaces = facts.rows, facts._features
        facts.rows, facts.X = self._points, rows.X if len(self._points) == len(rows) else rows.X[self._points]
        vars(facts)["_features"] = self._spaces
        return facts

    def _suspects(self, model: Likewise, answers: Sequence[Answer]) -> list[tuple[int, int, bool, float, float]]:
        """Hints that look wrong, the worst first."""
        found = {frozenset(suspect.rows): suspect for suspect in model.suspects_[:MAX_SUSPECTS]}
        if 0 < len(answers) <= MAX_JUDGED:
            judged = suspect_answers(Answers(answers, len(self.rows)), model)
            found |= {frozenset(suspect.rows): suspect for suspect in judged}
        listed = [
            (*suspect.rows, suspect.kind == "must-link", float(suspect.wrong), float(np.nan_to_num(suspect.together)))
            for suspect in sorted(found.values(), key=lambda suspect: -suspect.wrong)
        ]
        return [
            one for place, one in enumerate(listed) if one[3] > (PERHAPS_WRONG if place < N_LISTED else LIKELY_WRONG)
        ][:MAX_SUSPECTS]

    def _result(self, task: Task, start: float) -> Result:
        model = self.model
        assert model is not None
        if self._points is None:
            self.before()
        facts = self._facts(model)
        layout = Layout.of(*facts.spaces, facts.map_labels, facts.n_clusters, self._places)
        self._places = layout.after
        about = [self._about(facts, cluster) for cluster in range(facts.n_clusters)]
        return Result(
            upto=task.upto,
            seconds=perf_counter() - start,
            labels=np.asarray(model.labels_),
            second=np.asarray(model.second_labels_),
            certainty=np.asarray(model.certainty_),
            points=facts.rows,
            places=layout.after,
            grid=on_grid(layout.after).astype("<u2"),
            off_center=layout.off_center,
            clusters=[
                {"title": title, "label": facts.label_of(number), "about": about[number]}
                for number, title in enumerate(facts.titles)
            ],
            suspects=self._suspects(model, task.answers),
            disagreement=self._disagreement(Committee.of_model(model)),
        )

    def _about(self, facts: Facts, cluster: int) -> list[dict[str, Any]]:
        """Description of a cluster: its characteristic words, or the columns in which it differs most."""
        words = [{"words": word, "difference": float(amount)} for word, amount in facts.words(cluster)[:N_ABOUT]]
        if words or not facts.has_named_columns:
            return words
        return [
            {"words": in_words(facts, one), "difference": float(one.amount)}
            for one in facts.differences[cluster][:N_ABOUT]
        ]

    def _disagreement(self, committee: Committee) -> float:
        """The expected fraction of pairs about which two clusterings, drawn by weight, disagree."""
        rng = np.random.default_rng(0)
        count = committee.labelings.shape[1]
        places = np.arange(count) if count <= N_SAMPLE else rng.choice(count, N_SAMPLE, replace=False)
        votes = committee.coassociation(places)
        return float(2 * (votes * (1 - votes))[np.triu_indices(len(places), 1)].mean()) if len(places) > 1 else 0.0

    # -- questions ---------------------------------------------------------------------------------------------------
    def ready(self, task: Task) -> Ready:
        """The questions of the latest model, given all hints."""
        model = self.model
        assert model is not None
        n = len(self.rows)
        committee = Committee.of_model(model)
        answers = Answers(task.answers, n)
        votes, same, weights = heard_votes(answers) if len(answers) else earlier_votes(model)
        calibration = Calibration.of(votes, same, weights)
        known = task.constraints | inferred_links(task.constraints, task.n_clusters)
        everywhere = np.ones(n, dtype=np.bool_)
        needed = [row for answer in answers[-N_RECENT:] for row in answer.rows]
        questions: dict[tuple[str, int], list[Question]] = {}
        checks: dict[int, Question] = {}
        for kind, size in task.kinds:
            rng = np.random.default_rng([self.settings.seed, len(answers), 3])
            chooser = make_chooser(committee, known, model.n_clusters_, calibration, everywhere, rng, needed)
            mark_asked(chooser, answers)
            chooser.placed = len({answer.screen for answer in answers if answer.why in PLACING})
            checks = checks or _checks(chooser, answers, rng)
            found = next_questions(chooser, N_READY, kind, rng, size)
            questions[kind, size] = [_shuffled(question, rng) for question in found]
        chances = pair_votes(model, committee, task.control)
        control = {
            (int(pair[0]), int(pair[1])): (float(calibration.chance(share)), float(share))
            for pair, share in zip(task.control, chances, strict=True)
        }
        return Ready(task.upto, questions, control, checks)


class Unfitted:
    """Placeholder for a model before the first fit: all rows in one cluster."""

    def __init__(self, n: int) -> None:
        self.labels_ = np.zeros(n, dtype=np.int32)


def _checks(chooser: Chooser, answers: Answers, rng: np.random.Generator) -> dict[int, Question]:
    """Questions that check recent unexpected answers, with other rows of the same groups."""
    found = {}
    for screen in screens(answers)[-N_CHECKED:]:
        checked = answers[screen.checked]
        checks = [answers[number] for number in screen.checks]
        decided = any(check.said in (checked.said, CANT_SAY) for check in checks) or len(checks) >= MAX_CHECKS
        if decided or not answers.is_surprising(screen.checked) or not chooser.has(checked.rows):
            continue
        row, other = (chooser.place(each) for each in checked.rows)
        tried = [chooser.place(each) for check in checks for each in check.rows if chooser.has([each])]
        question = chooser.check(row, other, tried, rng)
        if question is not None:
            found[checked.screen] = question
    return found


def _shuffled(question: Question, rng: np.random.Generator) -> Question:
    """The same question with rows in random order, so that the order does not reveal the prediction."""
    if len(question.rows) == 2:
        return replace(question, kind="pair")
    if question.kind == "choice":
        order = rng.permutation(len(question.pairs))
        return replace(
            question,
            rows=(question.rows[0], *(question.rows[1 + place] for place in order)),
            pairs=tuple(question.pairs[place] for place in order),
            chances=tuple(question.chances[place] for place in order),
            votes=tuple(question.votes[place] for place in order),
        )
    rows = tuple(question.rows[place] for place in rng.permutation(len(question.rows)))
    known = {
        frozenset(pair): (chance, votes)
        for pair, chance, votes in zip(question.pairs, question.chances, question.votes, strict=True)
    }
    pairs = tuple((rows[i], rows[j]) for i in range(len(rows)) for j in range(i + 1, len(rows)))
    chances, votes = zip(*(known[frozenset(pair)] for pair in pairs), strict=True)
    return replace(question, rows=rows, pairs=pairs, chances=chances, votes=votes)


def pair_votes(model: Likewise, committee: Committee, pairs: Sequence[tuple[int, int]]) -> FloatArray:
    """The weighted fraction of clusterings in which each pair of rows is in the same cluster.

    Beyond 10,000 rows, only landmarks are clustered, and rows are represented by the landmarks near them.
    """
    if not len(pairs):
        return np.zeros(0)
    ends = np.asarray(pairs, dtype=np.int64)
    rows, place = np.unique(ends, return_inverse=True)
    place = place.reshape(ends.shape)
    placement = model._placement
    count = committee.labelings.shape[1]
    if not isinstance(placement, Landmarks):
        near = sparse.csr_array((np.ones(len(rows)), (np.arange(len(rows)), rows)), shape=(len(rows), count))
    else:
        own = {int(row): at for at, row in enumerate(placement.rows)}
        weights = sparse.csr_array(placement.weights)[rows].toarray()
        full = np.zeros((len(rows), count))
        full[:, : weights.shape[1]] = weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        for at, row in enumerate(rows.tolist()):
            if row in own:
                full[at] = 0.0
                full[at, own[row]] = 1.0
        near = sparse.csr_array(full)
    shares = np.zeros(len(ends))
    for labels, weight in zip(committee.labelings, committee.weights, strict=True):
        members = (near @ indicator(labels)).toarray()
        shares += weight * (members[place[:, 0]] * members[place[:, 1]]).sum(axis=1)
    return shares
