"""Interactive questioning: each question is chosen given all earlier answers."""

from __future__ import annotations

import copy
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import IntArray
from .._estimator import as_constraints
from ..chunked._lazy import is_chunked
from ..constraints import Constraints
from ..constraints._io import row_names
from ..constraints._validate import whole_number
from ..front import Likewise, Suspects
from ._answers import DECIDED, Answer, Answers, answers_to, same_odds, screens
from ._choose import check_request, heard_votes, make_chooser, mark_asked, n_rows, next_question, rows_among
from ._chooser import PLACING, Chooser
from ._committee import Calibration, Committee, earlier_votes
from ._files import check_no_other_columns, read_sheet, write_answers
from ._known import Known, inferred_links
from ._question import CANT_SAY, SAME, Question
from ._suspicion import suspect_answers
from ._worker import Worker

MAX_CHECKS = 2
"""Maximum number of checks of an answer."""

REFIT_AFTER = 10
"""Number of answers after which the model is refitted."""


@dataclass(frozen=True)
class _Stage:
    """A fitted model, and the state for choosing questions until the next fit.

    Attributes
    ----------
    n_answers : int
        Number of answers that the model was fitted to.
    fresh : int
        Number of answers at the last fit from scratch.
    model : Likewise
    states : list of (rows, said, status)
        The answers that the model was fitted to.
    chooser : Chooser
    known : Known
        The relations between rows by these answers.
    inferred : Constraints
        The must-links that follow from them and the number of clusters.
    """

    n_answers: int
    fresh: int
    model: Likewise
    states: list[_AnswerState]
    chooser: Chooser
    known: Known
    inferred: Constraints


class Dialogue:
    """Ask a person about rows, one question at a time, until the answers can be predicted.

    Answers "same" form groups of rows. Each row that is asked about is compared with a typical row of its most likely
    group, then of the next, until the answer is "same". Rows are chosen alternately by how many other rows they
    represent and by how uncertain their group is, and every fifth row at random. An answer that was unexpected, and is
    therefore likely wrong, is checked at once by comparing the row with other rows of the group; the majority decides.
    The model is refitted after every ten answers.

    Contradictions between answers are resolved by majority. If there are more pairwise different groups than clusters,
    an answer must be wrong, and these groups are compared again. If some answers were wrong and every row has a group,
    the rows whose group depends on a single answer are compared again as well.

    Parameters
    ----------
    X : (n, f) array, sparse matrix or data frame
        As for :meth:`likewise.Likewise.fit`.
    n_clusters : int, optional
        The number of clusters. By default it is chosen from the data and the answers.
    constraints : Constraints, optional
        Constraints that are known beforehand.
    questions : {"pair", "choice", "piles"}
        The kind of question: whether two rows are the same; which of several rows a row belongs with; or how to sort
        rows into piles.
    size : int
        Number of rows to sort into piles, 3 to 6.
    among : (m,) ints or (n,) bools, optional
        The rows that may be asked about. By default all.
    path : path, optional
        A .csv, .tsv or .jsonl file to which every answer is written immediately. If it exists, its answers are read
        first, so that a dialogue can be resumed. It is also a valid file of hints.
    ids : list-like, optional
        Ids of the rows in order, for the file.
    background : bool
        Whether to fit in a background thread. Questions are then available without waiting for a fit, but depend on
        how long fits take. Otherwise the same answers lead to the same questions.
    random_state : int
    **params
        Further parameters of :class:`likewise.Likewise`.

    Attributes
    ----------
    answers : Answers
        All answers with their status.
    model : Likewise
        The model of the last fit; :meth:`update` fits it to all answers.

    See Also
    --------
    likewise.Likewise.ask : Several questions at once.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise.questions import Dialogue
    >>> X, y = load_iris(return_X_y=True)
    >>> dialogue = Dialogue(X, 3)
    >>> for _ in range(12):
    ...     i, j = dialogue.question.rows
    ...     _ = dialogue.answer("same" if y[i] == y[j] else "different")
    >>> len(dialogue.answers), dialogue.undo()[0].rows == (i, j), len(dialogue.answers)
    (12, True, 11)
    """

    def __init__(
        self,
        X: Any,
        n_clusters: int | None = None,
        *,
        constraints: Constraints | None = None,
        questions: str = "pair",
        size: int = 6,
        among: Any = None,
        path: str | os.PathLike[str] | None = None,
        ids: Any = None,
        background: bool = False,
        random_state: int = 0,
        **params: Any,
    ) -> None:
        check_request(1, questions, size, name="questions")
        self.questions, self.size, self.background = questions, size, background
        self.random_state = whole_number(random_state, "random_state")
        self.path = None if path is None else Path(path)
        if is_chunked(X):
            raise TypeError(
                "a dialogue needs rows in memory. Fit Likewise to the rows in files, and use its ask(), which asks "
                "about the rows that it has in memory."
            )
        model = Likewise(n_clusters, random_state=self.random_state, **{"verbose": False, **params})
        n_samples = n_rows(X)
        self._among = rows_among(among, n_samples)
        self._names = row_names(ids, n_samples)
        answers = self._earlier_answers(n_samples, ids)
        self._given = as_constraints(n_samples, None, constraints)
        self._first = model.fit(X, constraints=self._given)
        if background:
            self._first.n_jobs = 1  # leave the other threads to choosing the next question
        self.answers = Answers(answers, n_samples)
        self._stages: dict[int, _Stage] = {}
        self._latest: tuple[list[_AnswerState], Likewise] | None = None
        self._worker = Worker()
        self._question: Question | None = None
        self._asked: dict[int, Question] = {}  # by the number of answers before
        if background:
            self._stages[len(answers)] = self._make_stage(self.answers, len(answers), None)
        elif answers:
            self._planned_stage(at_end=False)

    def _earlier_answers(self, n_samples: int, ids: Any) -> list[Answer]:
        """The answers in the file."""
        if self.path is None:
            return []
        _answers_path(self.path)
        if not self.path.parent.is_dir():
            raise FileNotFoundError(f"{self.path}: there is no folder {self.path.parent}. Create it first.")
        self._written = _stamp(self.path)
        if self._written is None:
            return []
        check_no_other_columns(self.path)
        found = read_sheet(self.path, n_samples, None if ids is None else self._names)
        return sorted((answer for _, answer in found), key=lambda answer: answer.screen)  # a spreadsheet may sort lines

    @property
    def model(self) -> Likewise:
        """The model of the last fit."""
        newest = self._stages[max(self._stages)] if self._stages else None
        if self._latest is not None and (newest is None or len(self._latest[0]) >= newest.n_answers):
            return self._latest[1]
        return self._first if newest is None else newest.model

    @property
    def constraints(self) -> Constraints:
        """The given constraints, those of the answers, and those that follow from the number of clusters."""
        return self._all_constraints(self.answers, self._inferred(self.answers))

    @property
    def groups(self) -> list[IntArray]:
        """The groups of at least two rows that are known to be the same, largest first."""
        groups = self.constraints.groups()
        order = np.argsort(groups, kind="stable")
        sizes = np.bincount(groups)
        found = np.split(order, np.cumsum(sizes)[:-1])
        return sorted((rows for rows in found if len(rows) > 1), key=len, reverse=True)

    @property
    def n_clusters(self) -> int:
        """Number of clusters of the model."""
        return int(self.model.n_clusters_)

    @property
    def suspects(self) -> Suspects:
        """The answers, sorted by decreasing probability to be wrong.

        It is estimated from clusterings that were fitted without the answer, from its predicted probability, and from
        checks.
        """
        return suspect_answers(self.answers, self.model)

    @property
    def predicted_share(self) -> float | None:
        """The share of predicted answers among the last 25; None if there are no answers."""
        return self.answers.predicted_share

    @property
    def expected_gain(self) -> float | None:
        """The expected gain of NMI by many more answers, as measured on other data sets; None before 25 answers."""
        return self.answers.expected_gain

    @property
    def done(self) -> bool:
        """Whether to stop: `answers.enough`, or there are no more questions."""
        return self.answers.enough or self.question is None

    @property
    def question(self) -> Question | None:
        """The next question; None if there are no more. It does not change until it is answered."""
        if self._question is None:
            self._question = self._next()
        return self._question

    def answer(self, answer: Any) -> tuple[Answer, ...]:
        """Answer the current question. If the dialogue has a file, the answer is written before this returns.

        Parameters
        ----------
        answer : str, bool, int, sequence or None
            As for :meth:`Question.read`: "same", "different", or None for "can't say".

        Returns
        -------
        tuple of Answer
            The answers about each pair of the question, with their status.
        """
        question = self.question
        if question is None:
            raise ValueError("there are no more questions to answer.")
        screen = self.answers[-1].screen + 1 if self.answers else 0
        new = answers_to(question, question.read(answer), screen)
        before = len(self.answers)
        self._keep([*self.answers, *new])
        self._asked[before] = question
        return tuple(self.answers[-len(new) :])

    def undo(self) -> tuple[Answer, ...]:
        """Remove the last answer; its question is asked again.

        Returns
        -------
        tuple of Answer
            The answers that were removed.
        """
        if not self.answers:
            raise ValueError("there is no answer to undo.")
        last = self.answers[-1].screen
        kept = [answer for answer in self.answers if answer.screen != last]
        removed = tuple(self.answers[len(kept) :])
        self._keep(kept)
        self._question = self._asked.get(len(kept))  # otherwise, it is chosen again
        self._stages = {count: stage for count, stage in self._stages.items() if count <= len(kept)}
        self._latest = None
        return removed

    def update(self) -> Likewise:
        """Fit the model to all answers now. This does not affect which questions are asked.

        Returns
        -------
        Likewise
            The model.
        """
        states = states_of(self.answers)
        if self._latest is None or self._latest[0] != states:
            newest = self._stages[max(self._stages)] if self._stages else None
            if newest is not None and newest.states == states:
                return newest.model
            start = None if newest is None or len(states) >= 2 * newest.fresh else newest
            self._latest = states, self._fit(self.answers, start)[0]
        return self._latest[1]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the answers to a file, which is also a valid file of hints.

        ``Dialogue(X, ..., path=path)`` resumes the dialogue.

        Parameters
        ----------
        path : path
            With the extension .csv, .tsv or .jsonl.

        Returns
        -------
        Path
        """
        target = _answers_path(Path(path))
        write_answers(target, self.answers, self._names)
        return target

    def wait(self) -> None:
        """Wait until the fit in the background is finished, so that the next question uses it."""
        self._worker.wait()

    def _keep(self, answers: list[Answer]) -> None:
        kept = Answers(answers, self.answers.n_samples)
        if self.path is not None:
            if _stamp(self.path) not in (self._written, None):  # if it is gone, it is written again
                raise OSError(
                    f"{self.path} was changed by another program since this dialogue read or wrote it, and was not "
                    "overwritten. Run the same command or call again to go on from the file."
                )
            write_answers(self.path, kept, self._names)
            self._written = _stamp(self.path)
        self.answers = kept
        self._question = None

    # -- fitting -----------------------------------------------------------------------------------------------------
    @property
    def _given_n_clusters(self) -> int | None:
        """The number of clusters, if it was given."""
        return self._first.n_clusters

    def _known(self, answers: Answers) -> Constraints:
        return self._given | answers.constraints_within(self._given_n_clusters)

    def _inferred(self, answers: Answers, earlier: Constraints | None = None) -> Constraints:
        """The must-links that follow from answers and the number of clusters, if few answers are wrong."""
        if answers.noisy:
            return Constraints(answers.n_samples)
        return inferred_links(self._known(answers), self._given_n_clusters, earlier)

    def _all_constraints(self, answers: Answers, inferred: Constraints) -> Constraints:
        return self._known(answers) | inferred

    def _fit(self, seen: Answers, before: _Stage | None) -> tuple[Likewise, Constraints]:
        """The model fitted to answers, starting from an earlier stage or from scratch, and the inferred must-links."""
        if not seen:
            return self._first, Constraints(seen.n_samples)
        still = before is not None and before.states == states_of(seen[: before.n_answers])
        inferred = self._inferred(seen, before.inferred if before and still else None)
        model = copy.copy(self._first if before is None else before.model)
        model.labels_ = self.model.labels_  # so that clusters keep the numbers of the last fit
        return model.set_constraints(seen.with_constraints(self._all_constraints(seen, inferred))), inferred

    def _make_stage(self, seen: Answers, fresh: int, before: _Stage | None, answers: Answers | None = None) -> _Stage:
        """The stage after some answers; its pool contains the rows of all ``answers``, which may include later ones."""
        model, inferred = self._fit(seen, before)
        return self._stage_of(model, inferred, seen, fresh, seen if answers is None else answers)

    def _stage_of(self, model: Likewise, inferred: Constraints, seen: Answers, fresh: int, answers: Answers) -> _Stage:
        votes, same, weights = earlier_votes(self._first)
        answered = heard_votes(seen)
        chooser = make_chooser(
            Committee.of_model(model),
            self._all_constraints(seen, inferred),
            model.n_clusters_,
            Calibration.of([*votes, *answered[0]], [*same, *answered[1]], [*weights, *answered[2]]),
            self._among,
            np.random.default_rng([self.random_state, len(seen), 1]),
            needed=[row for answer in answers[len(seen) :] for row in answer.rows],
        )
        return _Stage(len(seen), fresh, model, states_of(seen), chooser, chooser.known, inferred)

    def _planned_stage(self, *, at_end: bool) -> _Stage:
        """The stage for the current answers, which depends on the answers alone.

        The model is refitted after ten answers, but not before a check. It is updated from the previous stage until the
        number of answers has doubled, and then fitted from scratch, since some members of the ensemble become outdated.
        """
        answers = self.answers
        plan = [(0, 0)]
        for count in range(1, len(answers) + at_end):
            goes_on = count < len(answers) and (
                answers[count].why == "check" or answers[count].screen == answers[count - 1].screen
            )
            if count - plan[-1][0] >= REFIT_AFTER and not goes_on:
                fresh = plan[-1][1]
                plan.append((count, count if count >= 2 * fresh else fresh))
        fresh = plan[-1][1]
        stage: _Stage | None = None
        for count in [count for count, anew in plan if anew == fresh]:
            if count not in self._stages:
                self._stages[count] = self._make_stage(self._first_answers(count), fresh, stage)
            stage = self._stages[count]
        assert stage is not None
        return stage

    def _first_answers(self, count: int) -> Answers:
        return Answers(self.answers[:count], self.answers.n_samples)

    def _ready_stage(self) -> _Stage:
        """The last stage that is ready, while the next is fitted in the background."""
        done = self._worker.result()
        if done is not None and done.states == states_of(self._first_answers(done.n_answers)):
            since = self.answers[done.n_answers :]
            if done.chooser.has(row for answer in since for row in answer.rows):
                self._stages[done.n_answers] = done
            else:  # its pool lacks rows that were asked about in the meantime
                seen, answers = self._first_answers(done.n_answers), self.answers
                self._worker.start(lambda: self._stage_of(done.model, done.inferred, seen, done.fresh, answers))
        if not self._stages:
            self._stages[0] = self._make_stage(self._first_answers(0), 0, None, self.answers)
        return self._stages[max(self._stages)]

    def _start_fit(self, stage: _Stage) -> None:
        """Start a fit in the background if there are enough answers since a stage and no other fit is running."""
        count = len(self.answers)
        if count - stage.n_answers >= REFIT_AFTER and not self._worker.busy:
            anew = count >= 2 * stage.fresh
            seen, fresh, before = self.answers, count if anew else stage.fresh, None if anew else stage
            self._worker.start(lambda: self._make_stage(seen, fresh, before))

    # -- the next question -------------------------------------------------------------------------------------------
    def _next(self) -> Question | None:
        stage = self._ready_stage() if self.background else self._planned_stage(at_end=False)
        chooser = self._prepared(stage)
        rng = np.random.default_rng([self.random_state, len(self.answers)])
        check = self._pending_check(chooser, rng)
        if check is not None:
            return check
        if self.background:
            self._start_fit(stage)
        else:
            newer = self._planned_stage(at_end=True)
            chooser, stage = (chooser, stage) if newer is stage else (self._prepared(newer), newer)
        if self.questions != "pair":
            return next_question(chooser, self.questions, rng, self.size)
        question = chooser.excess(rng) or chooser.pair(rng, self._being_placed(chooser))
        if question is None and self.answers.noisy:
            question = chooser.again(self._doubtful(chooser, stage.model), rng)
        return question

    def _doubtful(self, chooser: Chooser, model: Likewise) -> list[tuple[int, int]]:
        """Rows whose group depends on a single answer, with the rows they were compared with, most suspect first."""
        believed = {frozenset(one.rows): one for one in self.answers.believed if one.said == SAME}
        count = Counter(row for rows in believed for row in rows)
        suspects = [frozenset(one.rows) for one in suspect_answers(self.answers, model)]
        ranked = [believed[rows].rows for rows in suspects if rows in believed]
        return [
            (chooser.place(row), chooser.place(other))
            for row, other in ranked
            if count[row] == 1 and chooser.has((row, other))
        ]

    def _prepared(self, stage: _Stage) -> Chooser:
        """The chooser of a stage, updated with all answers."""
        chooser = stage.chooser
        chooser.asked = set()
        mark_asked(chooser, self.answers)
        chooser.n_given = self._given_n_clusters
        chooser.known = stage.known.copy()
        still = stage.states == states_of(self.answers[: stage.n_answers])
        if not (still and self._add_answers(chooser, self.answers[stage.n_answers :])):
            # later answers contradict the relations of the stage, or those inferred from them
            chooser.known = Known.of(self._given, chooser.rows)
            self._add_answers(chooser, self.answers)
        if self._given_n_clusters is not None and not self.answers.noisy:
            chooser.known.infer(self._given_n_clusters)
        chooser.joined = bool(self.answers) and self.answers[-1].why in ("groups", "excess")
        chooser.placed = len({answer.screen for answer in self.answers if answer.why in PLACING})
        return chooser

    def _add_answers(self, chooser: Chooser, answers: Sequence[Answer]) -> bool:
        """Add answers to the known relations; return whether there were no contradictions."""
        fits = True
        for answer in answers:
            if answer.status in ("open", "confirmed") and chooser.has(answer.rows):
                left, right = (chooser.place(row) for row in answer.rows)
                fits &= chooser.known.take(left, right, answer.said == SAME)
        return fits

    def _pending_check(self, chooser: Chooser, rng: np.random.Generator) -> Question | None:
        """A question that checks the last answer, if it was unexpected."""
        found = screens(self.answers)
        if not found:
            return None
        last = found[-1]
        checked = self.answers[last.checked]
        checks = [self.answers[number] for number in last.checks]
        decided = len(checks) >= MAX_CHECKS or any(check.said == CANT_SAY for check in checks)
        decided = decided or (bool(checks) and abs(same_odds(self.answers, last)) > DECIDED)
        if decided or not self.answers.is_surprising(last.checked) or not chooser.has(checked.rows):
            return None
        row, other = (chooser.place(each) for each in checked.rows)
        tried = [chooser.place(each) for check in checks for each in check.rows if chooser.has([each])]
        return chooser.check(row, other, tried, rng)

    def _being_placed(self, chooser: Chooser) -> int | None:
        """The row that the last question was about, if its group is still unknown."""
        asked = [answer for answer in self.answers if answer.why in (*PLACING, "next", "again")]
        if not asked or not chooser.has(asked[-1].rows) or self.answers[-1].why in ("groups", "excess", "open"):
            return None
        row = chooser.place(asked[-1].rows[0])
        return row if len(chooser.known.mates(row)) < 2 else None


_AnswerState = tuple[tuple[int, int], str, str]


def states_of(answers: Sequence[Answer]) -> list[_AnswerState]:
    """The rows, answer and status of each answer, to compare answers by."""
    return [(answer.rows, answer.said, answer.status) for answer in answers]


def _answers_path(path: Path) -> Path:
    if path.suffix.lower() not in (".csv", ".tsv", ".jsonl"):
        raise ValueError(f"{path}: answers must be in a .csv, .tsv or .jsonl file.")
    return path


def _stamp(path: Path) -> tuple[int, int] | None:
    """The time and size of a file, to detect changes; None if it does not exist."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size
