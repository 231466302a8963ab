"""Answers, their status, and how well they were predicted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from math import isnan, log
from pathlib import Path
from typing import Any, SupportsIndex, overload

import numpy as np

from .._frames import make_frame
from .._parameters import described
from ..constraints import Constraints
from ..constraints._io import row_names
from ._outvoted import excessive, outvoted
from ._question import CANT_SAY, DIFFERENT, SAME, Question

WINDOW = 25
"""Number of recent answers for the share of predicted answers."""

ENOUGH = 24
"""Stop asking if this many of the recent answers were predicted."""

MIN_SAME = 5
"""Do not stop if fewer of the recent questions were answered "same": with many clusters, "different" is easy to predict
even if nothing is known."""

GAIN = ((0.7, 0.14), (0.8, 0.11), (0.88, 0.03), (1.01, 0.01))
"""Upper bounds on the share of predicted answers, and the mean gain of NMI by more answers, up to 500 questions. The
last is measured on twenty data sets (``make ask``), the others on seven."""

GAIN_IF_DIFFERENT = 0.11
"""The mean gain by more answers if at least 22 of the recent answers were predicted, but fewer than `MIN_SAME` were
"same", as measured on eleven data sets of 9 to 20 classes."""

LITTLE = 0.01
"""More questions are not worthwhile if the expected gain is not larger than this."""

MIN_ERROR_RATE = 0.05
"""Lower bound of the estimated error rate of answers."""

MAX_ERROR_RATE = 0.15
"""Upper bound of the estimated error rate: if many answers are checked, more than a third of the errors are found, and
the estimate would be too large."""

NOISY = 0.07
"""Error rate of answers above which nothing is inferred from the number of clusters."""

PRIOR_ANSWERS = 20.0
"""The prior of the error rate is one error in this number of answers."""

FOUND_EACH = 3.0
"""Number of wrong answers for each refuted answer, since expected answers are not checked."""

MAX_WRONG = 0.1
"""Answers with a larger probability to be wrong are checked. With an error rate of 5 % these are answers with a
probability below 1/3; with 10 %, below 1/2."""

ANSWER_ODDS = 2.2
"""The log odds that an answer is correct, for an error rate of 10 %."""

MAX_ODDS = 2.5
"""Bound on the log odds of the prediction when answers are checked."""

DECIDED = 1.5
"""Log odds beyond which an answer is not checked again."""

EXPECTED = 0.2
"""Weight of the predicted probability of an answer, relative to the answer itself."""

TINY = 1e-9

MAX_SHOWN = 20
"""Number of answers that ``repr`` shows."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer about two rows.

    Attributes
    ----------
    rows : (int, int)
        The row that was asked about, and the row it was compared with.
    said : {"same", "different", "can't say"}
    status : {"open", "confirmed", "refuted", "can't say"}
        Whether later answers confirmed or refuted it.
    chance, votes, why
        As in the :class:`Question`; NaN, NaN and "" if they are unknown.
    screen : int
        The number of the question, which may be about several pairs.
    """

    rows: tuple[int, int]
    said: str
    status: str = "open"
    chance: float = float("nan")
    votes: float = float("nan")
    why: str = ""
    screen: int = 0

    def __post_init__(self) -> None:
        if self.said not in (SAME, DIFFERENT, CANT_SAY):
            raise ValueError(f"said={self.said!r} must be {SAME!r}, {DIFFERENT!r} or {CANT_SAY!r}.")

    @property
    def predicted(self) -> bool | None:
        """Whether the answer is the more likely one; None for "can't say" and if the probability is unknown."""
        if self.said == CANT_SAY or isnan(self.chance):
            return None
        return (self.said == SAME) == (self.chance >= 0.5)

    @property
    def likelihood(self) -> float:
        """The predicted probability of the answer; 1 for "can't say" and if it is unknown."""
        if self.said == CANT_SAY or isnan(self.chance):
            return 1.0
        return self.chance if self.said == SAME else 1.0 - self.chance


def answers_to(question: Question, said: Sequence[str], screen: int = 0) -> list[Answer]:
    """The answers to one question."""
    asked = zip(question.pairs, said, question.chances, question.votes, strict=True)
    return [Answer(pair, word, "open", chance, votes, question.why, screen) for pair, word, chance, votes in asked]


def judged(answers: Sequence[Answer]) -> list[Answer]:
    """The answers with their status.

    Answers are first confirmed or refuted by checks (:func:`checked`). If the remaining ones contradict each other, as
    few as possible are refuted (:func:`outvoted`). The latter is skipped if questions are about several pairs, whose
    errors are not independent.
    """
    answers = checked(answers)
    accepted = [number for number, answer in enumerate(answers) if answer.status in ("open", "confirmed")]
    if one_by_one(answers):
        for place in outvoted(weighed(answers[number]) for number in accepted):
            answers[accepted[place]] = replace(answers[accepted[place]], status="refuted")
    return answers


def one_by_one(answers: Sequence[Answer]) -> bool:
    """Whether each question is about a single pair."""
    return len({answer.screen for answer in answers}) == len(answers)


def checked(answers: Sequence[Answer]) -> list[Answer]:
    """The answers with their status according to checks.

    The status of an answer and its checks is determined by the majority, combined with the prediction: a very unlikely
    answer needs a majority of more than one.

    >>> first = Answer((3, 8), "same", chance=0.1, why="doubt")
    >>> checks = [Answer((3, 9), "different", why="check"), Answer((3, 7), "different", why="check")]
    >>> [answer.status for answer in checked([first, *checks])]
    ['refuted', 'confirmed', 'confirmed']
    """
    status = ["can't say" if answer.said == CANT_SAY else "open" for answer in answers]
    for screen in screens(answers):
        said = [check for check in screen.checks if answers[check].said != CANT_SAY]
        if not said or answers[screen.checked].said == CANT_SAY:
            continue
        believed = SAME if same_odds(answers, screen) > 0 else DIFFERENT
        kept = [number for number in (screen.checked, *said) if answers[number].said == believed]
        for number in (screen.checked, *said):
            if number not in kept:
                status[number] = "refuted"
            elif len(kept) > 1:
                status[number] = "confirmed"
    return [replace(answer, status=word) for answer, word in zip(answers, status, strict=True)]


def weighed(answer: Answer) -> tuple[int, int, float]:
    """The rows and weight of an answer, positive for "same" and negative for "different"."""
    weight = 1.0 + EXPECTED * answer.likelihood
    return *answer.rows, weight if answer.said == SAME else -weight


def same_odds(answers: Sequence[Answer], screen: Screen) -> float:
    """The log odds that the correct answer is "same", by the prediction, the answer and its checks.

    The error rate of answers is taken as 10 %; the prediction counts little more than one answer.
    """
    chance = answers[screen.checked].chance
    odds = 0.0 if isnan(chance) else min(max(log(max(chance, TINY) / max(1 - chance, TINY)), -MAX_ODDS), MAX_ODDS)
    for number in (screen.checked, *screen.checks):
        said = answers[number].said
        odds += ANSWER_ODDS * ((said == SAME) - (said == DIFFERENT))
    return odds


@dataclass
class Screen:
    """The positions of the answers to one question, and of its checks.

    Attributes
    ----------
    numbers, checks : list of int
    checked : int
        The position of the answer that is checked: the least likely one.
    """

    numbers: list[int]
    checks: list[int]
    checked: int


def screens(answers: Sequence[Answer]) -> list[Screen]:
    """Group the answers by question."""
    found: list[Screen] = []
    for number, answer in enumerate(answers):
        if answer.why == "check" and found:
            found[-1].checks.append(number)
        elif found and not found[-1].checks and answers[found[-1].numbers[0]].screen == answer.screen:
            found[-1].numbers.append(number)
            if answer.likelihood < answers[found[-1].checked].likelihood:
                found[-1].checked = number
        else:
            found.append(Screen([number], [], number))
    return found


def _identity(answer: Answer) -> tuple[Any, ...]:
    """What two answers have in common if they are the same one: everything but its number and status."""
    return answer.rows, answer.said, str(answer.chance), str(answer.votes), answer.why


class Answers(Sequence[Answer]):
    """A sequence of answers to questions; ``constraints`` are the constraints that they imply.

    Parameters
    ----------
    answers : sequence of Answer
    n_samples : int
        Number of rows of the data.

    Examples
    --------
    >>> from likewise.questions import Answer, Answers
    >>> first, second = Answer((0, 3), "same", chance=0.8), Answer((1, 2), "different", chance=0.6, screen=1)
    >>> answers = Answers([first, second], 5)
    >>> answers.constraints
    Constraints(5 rows: 1 must-link, 1 cannot-link)
    >>> answers.predicted_share
    0.5
    """

    def __init__(self, answers: Sequence[Answer], n_samples: int) -> None:
        for number, answer in enumerate(answers):
            if not (min(answer.rows) >= 0 and max(answer.rows) < n_samples):
                raise ValueError(f"answers[{number}] is about rows {answer.rows}, outside the {n_samples:,} rows.")
        self._answers = tuple(judged(answers))
        self._constraints: Constraints | None = None
        self.n_samples = n_samples

    def __len__(self) -> int:
        return len(self._answers)

    @overload
    def __getitem__(self, key: SupportsIndex) -> Answer: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Answer]: ...
    def __getitem__(self, key: Any) -> Any:
        return self._answers[key]

    @classmethod
    def read(cls, path: str | os.PathLike[str], n_samples: int, *, ids: Any = None) -> Answers:
        """Read answers from a file, such as that of :class:`Dialogue`, or a sheet of questions that was filled in.

        Parameters
        ----------
        path : path
            A .csv, .tsv, .jsonl, .parquet or .xlsx file with the columns left, right, kind and chance. Other hints in
            it, and answers "can't say", are ignored.
        n_samples : int
            Number of rows of the data.
        ids : list-like, optional
            Ids of the rows in order, if the file contains ids instead of row numbers.

        Returns
        -------
        Answers
        """
        from ._files import read_asked

        found = read_asked(Path(path), n_samples, ids)
        if found is None:
            raise ValueError(
                f"{path} has no column of chances, so it holds hints that nobody was asked for. Read it by "
                "Constraints.read."
            )
        return found

    def __add__(self, other: Answers) -> Answers:
        """Append later answers about the same data, without those that are the same answers to the same questions."""
        if not isinstance(other, Answers):
            return NotImplemented
        if other.n_samples != self.n_samples:
            raise ValueError(f"cannot join answers for {self.n_samples:,} rows with answers for {other.n_samples:,}.")
        after = 1 + max((answer.screen for answer in self), default=-1)
        known = {_identity(answer) for answer in self}
        later = [replace(answer, screen=after + answer.screen) for answer in other if _identity(answer) not in known]
        joined = Answers([*self, *later], self.n_samples)
        if self._constraints is None and other._constraints is None:
            return joined
        return joined.with_constraints(self.constraints | other.constraints)

    def restrict(self, rows: Any) -> Answers:
        """The answers about some rows only, which are numbered 0, 1, ... in the given order.

        Parameters
        ----------
        rows : (m,) ints
            Distinct rows.

        Returns
        -------
        Answers

        Examples
        --------
        >>> from likewise.questions import Answer, Answers
        >>> answers = Answers([Answer((0, 3), "same"), Answer((1, 2), "different", screen=1)], 5)
        >>> [answer.rows for answer in answers.restrict([3, 1, 0])]
        [(2, 0)]
        """
        place = {int(row): number for number, row in enumerate(rows)}
        inside = [answer for answer in self if all(row in place for row in answer.rows)]
        kept = [replace(answer, rows=(place[answer.rows[0]], place[answer.rows[1]])) for answer in inside]
        restricted = Answers(kept, len(place))
        return restricted if self._constraints is None else restricted.with_constraints(self.constraints.restrict(rows))

    @property
    def believed(self) -> tuple[Answer, ...]:
        """The answers "same" and "different" that were not refuted."""
        return tuple(answer for answer in self if answer.status in ("open", "confirmed"))

    @property
    def about_pairs(self) -> bool:
        """Whether each question was about a single pair; otherwise errors in its answers are not independent."""
        return one_by_one(self)

    @property
    def error_rate(self) -> float:
        """The estimated error rate of answers, from 5 to 15 %, assuming that a third of the errors are refuted."""
        return self._error_rates[-1]

    @cached_property
    def _error_rates(self) -> list[float]:
        """The estimated error rate before each answer, and after the last."""
        said = np.cumsum([0, *(answer.said != CANT_SAY for answer in self)])
        refuted = np.cumsum([0, *(answer.status == "refuted" for answer in self)])
        shares = (1.0 + FOUND_EACH * refuted) / (PRIOR_ANSWERS + said)
        found: list[float] = np.clip(shares, MIN_ERROR_RATE, MAX_ERROR_RATE).tolist()
        return found

    @property
    def noisy(self) -> bool:
        """Whether the error rate is too large to infer constraints from the number of clusters."""
        return self.error_rate > NOISY

    def chance_wrong(self, number: int) -> float:
        """The probability that an answer is wrong, given its predicted probability and the error rate before it.

        Parameters
        ----------
        number : int
            The position of the answer.

        Returns
        -------
        float
        """
        likelihood, share = self[number].likelihood, self._error_rates[number]
        return share * (1.0 - likelihood) / (share * (1.0 - likelihood) + (1.0 - share) * likelihood)

    def is_surprising(self, number: int) -> bool:
        """Whether an answer should be checked.

        Parameters
        ----------
        number : int
            The position of the answer.

        Returns
        -------
        bool
        """
        return self.chance_wrong(number) > MAX_WRONG

    @property
    def constraints(self) -> Constraints:
        """Must-links and cannot-links of the answers that were not refuted, unless others were set."""
        return self._links(self.believed) if self._constraints is None else self._constraints

    def with_constraints(self, constraints: Constraints) -> Answers:
        """These answers with other `constraints`, to be passed to a model if there are other hints, too.

        Parameters
        ----------
        constraints : Constraints
            All hints, such as ``hints | answers.constraints``, or :attr:`Dialogue.constraints`.

        Returns
        -------
        Answers

        Examples
        --------
        >>> from likewise import Constraints
        >>> from likewise.questions import Answer, Answers
        >>> hints, answers = Constraints(5, must_link=[(2, 4)]), Answers([Answer((0, 3), "same")], 5)
        >>> answers.with_constraints(hints | answers.constraints).constraints
        Constraints(5 rows: 2 must-links)
        """
        if not isinstance(constraints, Constraints):
            raise TypeError(f"constraints is {described(constraints)}. Pass Constraints.")
        if constraints.n_samples != self.n_samples:
            raise ValueError(
                f"these are answers about {self.n_samples:,} rows, but the constraints are for "
                f"{constraints.n_samples:,}. Build both for the same data."
            )
        both = copy(self)
        both._constraints = constraints
        return both

    def constraints_within(self, n_clusters: int | None) -> Constraints:
        """Same as `constraints`, omitting answers so that there are no more pairwise different groups than clusters.

        Parameters
        ----------
        n_clusters : int or None
            The number of clusters. If it is None, or if questions are about several pairs, no answers are omitted.

        Returns
        -------
        Constraints
        """
        believed = self.believed
        if n_clusters is None or not self.about_pairs:
            return self._links(believed)
        refuted = [weighed(answer) for answer in self if answer.status == "refuted"]
        left_out = set(excessive(map(weighed, believed), refuted, n_clusters))
        return self._links([answer for place, answer in enumerate(believed) if place not in left_out])

    def _links(self, answers: Sequence[Answer]) -> Constraints:
        same = [answer.rows for answer in answers if answer.said == SAME]
        different = [answer.rows for answer in answers if answer.said != SAME]
        return Constraints(self.n_samples, must_link=same, cannot_link=different)

    @property
    def n_screens(self) -> int:
        """Number of questions that were answered; a question may be about several pairs."""
        return len({answer.screen for answer in self})

    @property
    def last_predictions(self) -> list[bool]:
        """Whether each of the last 25 questions, without checks, was answered as predicted.

        A question about several pairs was predicted if all its pairs were.
        """
        return [predicted for predicted, _ in self._last]

    @property
    def _last(self) -> list[tuple[bool, bool]]:
        """Of the last 25 questions: whether each was answered as predicted, and whether a pair was answered "same"."""
        asked: dict[int, tuple[bool, bool]] = {}
        for answer in self:
            if answer.why != "check" and answer.predicted is not None:
                predicted, same = asked.get(answer.screen, (True, False))
                asked[answer.screen] = predicted and answer.predicted, same or answer.said == SAME
        return list(asked.values())[-WINDOW:]

    @property
    def _mostly_different(self) -> bool:
        """Whether hardly any of the last 25 questions was answered "same"."""
        return sum(same for _, same in self._last) < MIN_SAME

    @property
    def predicted_share(self) -> float | None:
        """The share of predicted answers among the last 25; None if there are no answers."""
        last = self.last_predictions
        return sum(last) / len(last) if last else None

    @property
    def enough(self) -> bool:
        """Whether 24 of the last 25 answers were predicted and 5 were "same": more answers would gain little."""
        last = self.last_predictions
        return len(last) == WINDOW and sum(last) >= ENOUGH and not self._mostly_different

    @property
    def expected_gain(self) -> float | None:
        """The expected gain of NMI by many more answers, as measured on other data sets; None before 25 answers."""
        last = self.last_predictions
        if len(last) < WINDOW:
            return None
        gain = next(gain for share, gain in GAIN if sum(last) / WINDOW < share)
        return max(gain, GAIN_IF_DIFFERENT) if self._mostly_different else gain

    @property
    def outlook(self) -> str:
        """The number of predicted answers and the expected gain, as text; empty if there are no answers."""
        last = self.last_predictions
        if not last:
            return ""
        which = f"the last {len(last)}" if len(last) == WINDOW else f"{len(last)}"
        words = f"{sum(last)} of {which} answers {'was' if sum(last) == 1 else 'were'} predicted"
        if self.expected_gain is None:
            return f"{words}."
        if self.expected_gain <= LITTLE:
            return f"{words}: more answers would change little."
        if self._mostly_different:
            words += ', and hardly any was "same"'
        return f"{words}: more answers would gain about {self.expected_gain:.2f} of NMI, judging by other data sets."

    def to_frame(self, *, ids: Any = None, backend: str | None = None) -> Any:
        """The answers as a data frame, which is also a valid table of hints.

        Parameters
        ----------
        ids : list-like, optional
            Ids of the rows in order, used instead of row numbers.
        backend : {"pandas", "polars", "pyarrow"}, optional
            By default the first of them that is installed.

        Returns
        -------
        data frame
            With the columns left, right, kind, chance, votes, why and screen. ``kind`` is the answer, preceded by
            "refuted" if it was refuted.
        """
        return make_frame(answer_columns(self, row_names(ids, self.n_samples)), backend)

    def _cells(self) -> list[tuple[str, ...]]:
        shown = self._answers[-MAX_SHOWN:]
        return [
            ("rows", "said", "chance of same", "status"),
            *(
                (
                    "{}, {}".format(*one.rows),
                    one.said,
                    "" if isnan(one.chance) else f"{one.chance:.0%}",
                    one.status if one.status != one.said else "",
                )
                for one in shown
            ),
        ]

    def __repr__(self) -> str:
        if not self:
            return "no answers"
        return as_text(self._cells(), f"the last {MAX_SHOWN} of {len(self):,} answers" if len(self) > MAX_SHOWN else "")

    def _repr_html_(self) -> str:
        return as_html(self._cells(), "Answers") if self else "<p>no answers</p>"


def answer_columns(answers: Sequence[Answer], names: Sequence[Any]) -> dict[str, list[Any]]:
    """The columns of a table of answers, which is also a valid table of hints; ``names`` are the ids of all rows."""
    return {
        "left": [names[one.rows[0]] for one in answers],
        "right": [names[one.rows[1]] for one in answers],
        "kind": [f"refuted {one.said}" if one.status == "refuted" else one.said for one in answers],
        "chance": [None if isnan(one.chance) else round(one.chance, 4) for one in answers],
        "votes": [None if isnan(one.votes) else round(one.votes, 4) for one in answers],
        "why": [one.why for one in answers],
        "screen": [one.screen for one in answers],
    }


def as_text(cells: list[tuple[str, ...]], more: str = "") -> str:
    """A table for a terminal."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return "\n".join([*lines, *([more] if more else [])])


def as_html(cells: list[tuple[str, ...]], caption: str) -> str:
    """A table for a notebook."""
    head, *body = ([escape(cell) for cell in line] for line in cells)
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in body)
    names = "".join(f"<th>{cell}</th>" for cell in head)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>"
