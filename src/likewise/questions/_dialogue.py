"""A dialogue: one question after the other, each chosen by all answers before it."""

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
from ..constraints import Constraints
from ..constraints._io import RowIds, check_suffix
from ..constraints._validate import whole_number
from ..front import Likewise, Suspects
from ._answers import DECIDED, Answer, Answers, answers_to, same_odds, screens
from ._choose import check_request, heard_votes, make_chooser, mark_asked, n_rows, next_question, rows_among
from ._chooser import PLACING, Chooser
from ._committee import Calibration, Committee, earlier_votes
from ._files import read_sheet, write_answers
from ._known import Known, inferred_links
from ._question import CANT_SAY, SAME, Question
from ._suspicion import suspect_answers
from ._worker import Worker

MAX_CHECKS = 2

REFIT_AFTER = 10
"""Answers after which the model learns from them."""


@dataclass(frozen=True)
class _Stage:
    """A model, and what questions are chosen by until the next.

    Attributes
    ----------
    n_answers : int
        How many of the answers it has learned from.
    fresh : int
        How many there were at the last fit from scratch.
    model : Likewise
    told : list of (rows, said, status)
        The answers that it has learned from.
    chooser : Chooser
    known : Known
        What these answers tell.
    inferred : Constraints
        What follows from them and the number of clusters.
    """

    n_answers: int
    fresh: int
    model: Likewise
    told: list[_Told]
    chooser: Chooser
    known: Known
    inferred: Constraints


class Dialogue:
    """Ask a person about rows, one question after the other, until the answers can be predicted.

    A row is placed among the groups that answers have made so far: it is compared with a typical row of the likeliest
    group, then of the next, until the answer is "same". Rows are chosen by turns for what they stand for and for how
    open their place is, and every fifth by lot. An answer that is likely wrong, because it was unexpected, is asked for
    again at once, with other rows of the group, and the majority counts. After ten answers the model learns from them.

    Of pairs that contradict each other, those that fewer others agree with are refuted. Where more groups are kept
    apart than there are clusters, an answer must be wrong, and they are asked about again; where answers were wrong and
    all rows have their places, those that hang on one answer are asked about again, too.

    Parameters
    ----------
    X : (n, f) array, sparse matrix or data frame
        As for :meth:`likewise.Likewise.fit`.
    n_clusters : int, optional
        None: as many as data and answers make likely.
    constraints : Constraints, optional
        What is known beforehand.
    questions : {"pair", "choice", "piles"}
        What is asked: whether two rows are the same; with which of some rows a row belongs; how to sort rows into
        piles.
    size : int
        Rows to be sorted, 3 to 6.
    among : (m,) ints or (n,) bools, optional
        The rows that may be asked about. By default all.
    path : path, optional
        A .csv, .tsv or .jsonl file that every answer is written to at once. If it is there, the dialogue goes on where
        it was. It is a file of hints, too.
    ids : list-like, optional
        Ids of the rows in order, for the file.
    background : bool
        Whether to learn in the background, on one thread, while questions are answered: nobody waits for a fit, and
        which question comes next depends on how long fits take. Otherwise the same answers lead to the same questions.
    random_state : int
    **params
        Further parameters of :class:`likewise.Likewise`.

    Attributes
    ----------
    answers : Answers
        All answers with their status.
    model : Likewise
        Fitted with the answers up to the last fit; :meth:`update` takes in all.

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
        self.questions, self.size, self.ids, self.background = questions, size, ids, background
        self.random_state = whole_number(random_state, "random_state")
        self.path = None if path is None else Path(path)
        model = Likewise(n_clusters, random_state=self.random_state, **{"verbose": False, **params})
        n_samples = n_rows(X)
        self._among = rows_among(among, n_samples)
        answers = self._earlier_answers(n_samples)
        self._given = as_constraints(n_samples, None, constraints)
        self._first = model.fit(X, constraints=self._given)
        if background:
            self._first.n_jobs = 1  # of the threads there are, the person's next question needs one
        self.answers = Answers(answers, n_samples)
        self._stages: dict[int, _Stage] = {}
        self._latest: tuple[list[_Told], Likewise] | None = None
        self._worker = Worker()
        self._question: Question | None = None
        if background:
            self._stages[len(answers)] = self._learn(self.answers, len(answers), None)
        elif answers:
            self._planned_stage(at_end=False)

    def _earlier_answers(self, n_samples: int) -> list[Answer]:
        """Those of the file."""
        if self.ids is not None and len(RowIds(self.ids)) != n_samples:
            raise ValueError(f"ids has {len(self.ids):,} entries, X has {n_samples:,} rows. Give one for each row.")
        if self.path is None:
            return []
        _answers_path(self.path)
        if not self.path.parent.is_dir():
            raise FileNotFoundError(f"{self.path}: there is no folder {self.path.parent}. Make it, or name another.")
        self._written = _stamp(self.path)
        if self._written is None:
            return []
        return [answer for _, answer in read_sheet(self.path, n_samples, self.ids)]

    @property
    def model(self) -> Likewise:
        """The model by the last fit."""
        newest = self._stages[max(self._stages)] if self._stages else None
        if self._latest is not None and (newest is None or len(self._latest[0]) >= newest.n_answers):
            return self._latest[1]
        return self._first if newest is None else newest.model

    @property
    def constraints(self) -> Constraints:
        """What was given, what was answered and not refuted, and what follows from the number of clusters."""
        return self._taught(self.answers, self._inferred(self.answers))

    @property
    def groups(self) -> list[IntArray]:
        """The rows known to be together, the largest group first; groups of two and more."""
        groups = self.constraints.groups()
        order = np.argsort(groups, kind="stable")
        sizes = np.bincount(groups)
        found = np.split(order, np.cumsum(sizes)[:-1])
        return sorted((rows for rows in found if len(rows) > 1), key=len, reverse=True)

    @property
    def n_clusters(self) -> int:
        """Clusters of the model."""
        return int(self.model.n_clusters_)

    @property
    def suspects(self) -> Suspects:
        """The answers, those most likely wrong first: by what clusterings that did not see them say, by how unexpected
        they were, and by what became of them."""
        return suspect_answers(self.answers, self.model)

    @property
    def predicted_share(self) -> float | None:
        """The share of the last 25 answers that was predicted; None before the first."""
        return self.answers.predicted_share

    @property
    def expected_gain(self) -> float | None:
        """What many more answers would still add to the quality (NMI), as measured on other data; None before 25."""
        return self.answers.expected_gain

    @property
    def done(self) -> bool:
        """Whether to stop: 24 of the last 25 answers were predicted, or nothing is left to ask."""
        return self.answers.enough or self.question is None

    @property
    def question(self) -> Question | None:
        """The next question; None if nothing is left to ask. It stays the same until it is answered."""
        if self._question is None:
            self._question = self._next()
        return self._question

    def answer(self, answer: Any) -> tuple[Answer, ...]:
        """Answer the question. It is on disk when this returns, if the dialogue has a file.

        Parameters
        ----------
        answer : str, bool, int, sequence or None
            As :meth:`Question.read` takes it: "same", "different", or None for "can't say".

        Returns
        -------
        tuple of Answer
            What was said of each pair of the question, with its status.
        """
        question = self.question
        if question is None:
            raise ValueError("there is no question left to answer: all that can be asked is known.")
        screen = self.answers[-1].screen + 1 if self.answers else 0
        told = answers_to(question, question.read(answer), screen)
        self._keep([*self.answers, *told])
        return tuple(self.answers[-len(told) :])

    def undo(self) -> tuple[Answer, ...]:
        """Take the last answer back; its question is asked again.

        Returns
        -------
        tuple of Answer
            What was taken back.
        """
        if not self.answers:
            raise ValueError("there is no answer to undo.")
        last = self.answers[-1].screen
        kept = [answer for answer in self.answers if answer.screen != last]
        taken = tuple(self.answers[len(kept) :])
        self._keep(kept)
        self._stages = {count: stage for count, stage in self._stages.items() if count <= len(kept)}
        self._latest = None
        return taken

    def update(self) -> Likewise:
        """Learn from all answers now. It has no effect on which questions are asked.

        Returns
        -------
        Likewise
            The model.
        """
        told = told_of(self.answers)
        if self._latest is None or self._latest[0] != told:
            newest = self._stages[max(self._stages)] if self._stages else None
            if newest is not None and newest.told == told:
                return newest.model
            start = None if newest is None or len(told) >= 2 * newest.fresh else newest
            self._latest = told, self._teach(self.answers, start)[0]
        return self._latest[1]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the answers to a file by which ``Dialogue(X, ..., path=path)`` goes on; it is a file of hints, too.

        Parameters
        ----------
        path : path
            It ends in .csv, .tsv or .jsonl.

        Returns
        -------
        Path
        """
        target = _answers_path(Path(path))
        write_answers(target, self.answers, self.ids)
        return target

    def wait(self) -> None:
        """Wait until what is being learned in the background is there for the next question."""
        self._worker.wait()

    def _keep(self, answers: list[Answer]) -> None:
        kept = Answers(answers, self.answers.n_samples)
        if self.path is not None:
            if _stamp(self.path) != self._written:
                raise OSError(
                    f"{self.path} was changed by somebody else since this dialogue wrote or read it, and is left as it "
                    "is. Begin again to go on from what it holds now."
                )
            write_answers(self.path, kept, self.ids)
            self._written = _stamp(self.path)
        self.answers = kept
        self._question = None

    # -- learning ----------------------------------------------------------------------------------------------------
    @property
    def _n_given(self) -> int | None:
        """The number of clusters, if it is known."""
        return self._first.n_clusters

    def _known(self, answers: Answers) -> Constraints:
        return self._given | answers.constraints_within(self._n_given)

    def _inferred(self, answers: Answers, earlier: Constraints | None = None) -> Constraints:
        """What follows from answers and the number of clusters, if it is known and few answers are wrong."""
        if answers.noisy:
            return Constraints(answers.n_samples)
        return inferred_links(self._known(answers), self._n_given, earlier)

    def _taught(self, answers: Answers, inferred: Constraints) -> Constraints:
        return self._known(answers) | inferred

    def _teach(self, told: Answers, before: _Stage | None) -> tuple[Likewise, Constraints]:
        """The model that has learned from answers, from that of a stage before or anew; and what was inferred."""
        if not told:
            return self._first, Constraints(told.n_samples)
        still = before is not None and before.told == told_of(told[: before.n_answers])
        inferred = self._inferred(told, before.inferred if before and still else None)
        model = copy.copy(self._first if before is None else before.model)
        model.labels_ = self.model.labels_  # clusters keep the numbers of the last answer
        model.set_constraints(self._taught(told, inferred)).answers_ = told
        return model, inferred

    def _learn(self, told: Answers, fresh: int, before: _Stage | None, answers: Answers | None = None) -> _Stage:
        """The stage after answers; of those that came since, the rows are among those that it chooses from."""
        model, inferred = self._teach(told, before)
        return self._stage_of(model, inferred, told, fresh, told if answers is None else answers)

    def _stage_of(self, model: Likewise, inferred: Constraints, told: Answers, fresh: int, answers: Answers) -> _Stage:
        votes, same, weights = earlier_votes(self._first)
        heard = heard_votes(told)
        chooser = make_chooser(
            Committee.of_model(model),
            self._taught(told, inferred),
            model.n_clusters_,
            Calibration.of([*votes, *heard[0]], [*same, *heard[1]], [*weights, *heard[2]]),
            self._among,
            np.random.default_rng([self.random_state, len(told), 1]),
            needed=[row for answer in answers[len(told) :] for row in answer.rows],
        )
        return _Stage(len(told), fresh, model, told_of(told), chooser, chooser.known, inferred)

    def _planned_stage(self, *, at_end: bool) -> _Stage:
        """The stage that answers lead to: which it is follows from the answers alone.

        The model learns after ten answers, but not before a check; from what it learned before, until the number of
        answers has doubled: then all members learn anew, as what some of them learned grows stale.
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
                self._stages[count] = self._learn(self._first_answers(count), fresh, stage)
            stage = self._stages[count]
        assert stage is not None
        return stage

    def _first_answers(self, count: int) -> Answers:
        return Answers(self.answers[:count], self.answers.n_samples)

    def _ready_stage(self) -> _Stage:
        """The last stage that is ready, while the next is learned in the background."""
        done = self._worker.result()
        if done is not None and done.told == told_of(self._first_answers(done.n_answers)):
            since = self.answers[done.n_answers :]
            if done.chooser.has(row for answer in since for row in answer.rows):
                self._stages[done.n_answers] = done
            else:  # rows were asked about meanwhile that it does not choose from
                told, answers = self._first_answers(done.n_answers), self.answers
                self._worker.start(lambda: self._stage_of(done.model, done.inferred, told, done.fresh, answers))
        if not self._stages:
            self._stages[0] = self._learn(self._first_answers(0), 0, None, self.answers)
        return self._stages[max(self._stages)]

    def _learn_later(self, stage: _Stage) -> None:
        """Begin to learn from the answers after a stage, if there are enough and nothing else is being learned."""
        count = len(self.answers)
        if count - stage.n_answers >= REFIT_AFTER and not self._worker.busy:
            anew = count >= 2 * stage.fresh
            told, fresh, before = self.answers, count if anew else stage.fresh, None if anew else stage
            self._worker.start(lambda: self._learn(told, fresh, before))

    # -- the next question -------------------------------------------------------------------------------------------
    def _next(self) -> Question | None:
        stage = self._ready_stage() if self.background else self._planned_stage(at_end=False)
        chooser = self._prepared(stage)
        rng = np.random.default_rng([self.random_state, len(self.answers)])
        check = self._pending_check(chooser, rng)
        if check is not None:
            return check
        if self.background:
            self._learn_later(stage)
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
        """Rows whose places hang on one answer, each with the row it was compared with, the most suspect first."""
        believed = {frozenset(one.rows): one for one in self.answers.believed if one.said == SAME}
        count = Counter(row for rows in believed for row in rows)
        suspects = [frozenset(one.rows) for one in suspect_answers(self.answers, model)]
        hanging = [believed[rows].rows for rows in suspects if rows in believed]
        return [
            (chooser.place(row), chooser.place(other))
            for row, other in hanging
            if count[row] == 1 and chooser.has((row, other))
        ]

    def _prepared(self, stage: _Stage) -> Chooser:
        """The chooser of a stage, with all answers so far."""
        chooser = stage.chooser
        chooser.asked = set()
        mark_asked(chooser, self.answers)
        chooser.n_given = self._n_given
        chooser.known = stage.known.copy()
        still = stage.told == told_of(self.answers[: stage.n_answers])
        if not (still and self._heard(chooser, self.answers[stage.n_answers :])):
            # answers that came since contradict what was known, or what was inferred from it
            chooser.known = Known.of(self._given, chooser.rows)
            self._heard(chooser, self.answers)
        if self._n_given is not None and not self.answers.noisy:
            chooser.known.infer(self._n_given)
        chooser.joined = bool(self.answers) and self.answers[-1].why in ("groups", "excess")
        chooser.placed = len({answer.screen for answer in self.answers if answer.why in PLACING})
        return chooser

    def _heard(self, chooser: Chooser, answers: Sequence[Answer]) -> bool:
        """Take answers for known; whether none contradicts what was."""
        fits = True
        for answer in answers:
            if answer.status in ("open", "confirmed") and chooser.has(answer.rows):
                left, right = (chooser.place(row) for row in answer.rows)
                fits &= chooser.known.take(left, right, answer.said == SAME)
        return fits

    def _pending_check(self, chooser: Chooser, rng: np.random.Generator) -> Question | None:
        """A question that asks for the last answer again, if it was a surprise."""
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
        """The row that the last question was about, if its place is still open."""
        asked = [answer for answer in self.answers if answer.why in (*PLACING, "next", "again")]
        if not asked or not chooser.has(asked[-1].rows) or self.answers[-1].why in ("groups", "excess", "open"):
            return None
        row = chooser.place(asked[-1].rows[0])
        return row if len(chooser.known.mates(row)) < 2 else None


_Told = tuple[tuple[int, int], str, str]


def told_of(answers: Sequence[Answer]) -> list[_Told]:
    """What was said, and what became of it."""
    return [(answer.rows, answer.said, answer.status) for answer in answers]


def _answers_path(path: Path) -> Path:
    if check_suffix(path) not in (".csv", ".tsv", ".jsonl"):
        raise ValueError(f"{path}: answers are kept in a .csv, .tsv or .jsonl file.")
    return path


def _stamp(path: Path) -> tuple[int, int] | None:
    """By which it is known whether a file was changed; None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size
