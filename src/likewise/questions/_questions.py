"""Sequences of questions, and matching answers to them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, SupportsIndex, overload

from .._frames import make_frame
from ..constraints._io import row_names
from ..constraints._validate import as_list, whole_numbers
from ._answers import Answer, Answers, answers_to, as_html, as_text
from ._files import read_frame_answers, read_sheet
from ._question import Question


class Questions(Sequence[Question]):
    """A sequence of questions, most informative first, shown as a table in terminals and notebooks.

    Parameters
    ----------
    questions : sequence of Question
    n_samples : int
        Number of rows of the data.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import Likewise
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Likewise(3, random_state=0, verbose=False).fit(X)
    >>> questions = model.ask(4)
    >>> pairs = [question.rows for question in questions]
    >>> answers = questions.answered(["same" if y[i] == y[j] else "different" for i, j in pairs])
    >>> len(model.add_constraints(answers).constraints_.must_link) + len(model.constraints_.cannot_link)
    4
    """

    def __init__(self, questions: Sequence[Question], n_samples: int) -> None:
        self._questions = tuple(questions)
        self.n_samples = n_samples

    def __len__(self) -> int:
        return len(self._questions)

    @overload
    def __getitem__(self, key: SupportsIndex) -> Question: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Question]: ...
    def __getitem__(self, key: Any) -> Any:
        return self._questions[key]

    def answered(self, answers: Any, *, ids: Any = None) -> Answers:
        """Answer the questions.

        Parameters
        ----------
        answers : list, dict, data frame or path
            A list has one answer for each question (see :meth:`Question.read`), with None or "?" for "can't say". A
            dict from pairs of rows to answers, or a data frame or file with the columns left, right and kind, such as
            :meth:`to_frame` with this column filled in, may have the answers in any order, and only some of them.
        ids : list-like, optional
            Ids of the rows in order, if the data frame or file contains ids instead of row numbers.

        Returns
        -------
        Answers
            Pass them to ``add_constraints`` or ``set_constraints`` of a model.
        """
        if isinstance(answers, str | os.PathLike):
            return self._matched(read_sheet(answers, self.n_samples, ids))
        if isinstance(answers, Mapping) and not _is_table(answers):
            by_pair = zip(_pairs(answers), answers.values(), strict=True)
            named = [Answer(pair, _word(pair, said)) for pair, said in by_pair]
            return self._matched([(f"the answer to {one.rows}", one) for one in named])
        if _is_table(answers):
            return self._matched(read_frame_answers(answers, self.n_samples, ids))
        given = as_list(answers, "answers", "Pass a list with one answer for each question.")
        if len(given) != len(self):
            raise ValueError(
                f"there are {len(given)} answers to {len(self)} questions. Pass one for each, in their order, and None "
                "for can't say."
            )
        said = [question.read(answer) for question, answer in zip(self, given, strict=True)]
        found = [
            answer
            for number, (question, words) in enumerate(zip(self, said, strict=True))
            for answer in answers_to(question, words, number)
        ]
        return Answers(found, self.n_samples)

    def _matched(self, located: Sequence[tuple[str, Answer]]) -> Answers:
        """Match answers to questions by their pairs of rows; each answer is given with its location for messages."""
        asked = {
            frozenset(pair): (number, place)
            for number, question in enumerate(self)
            for place, pair in enumerate(question.pairs)
        }
        found: dict[frozenset[int], tuple[str, Answer]] = {}
        for where, answer in located:
            pair = frozenset(answer.rows)
            if pair not in asked:
                raise ValueError(
                    f"{where}: there is no question about rows {answer.rows[0]} and {answer.rows[1]}. Remove the "
                    "answer, or add it as a hint: Constraints(...)."
                )
            if pair in found and found[pair][1].said != answer.said:
                raise ValueError(
                    f"{where} says {answer.said!r} for rows {answer.rows[0]} and {answer.rows[1]}, but "
                    f"{found[pair][0]} says {found[pair][1].said!r}. Remove one of them."
                )
            found[pair] = where, answer
        matched = []
        for pair, (number, place) in asked.items():
            if pair in found:
                question = self[number]
                matched.append(
                    replace(
                        found[pair][1],
                        rows=question.pairs[place],
                        chance=question.chances[place],
                        votes=question.votes[place],
                        why=question.why,
                        screen=number,
                    )
                )
        return Answers(matched, self.n_samples)

    def columns(self, *, ids: Any = None, shown: Any = None) -> dict[str, list[Any]]:
        """The questions as columns of a table, with one line for each pair and an empty ``kind`` to fill in.

        Parameters
        ----------
        ids : list-like, optional
            Ids of the rows in order, used instead of row numbers.
        shown : callable, optional
            Maps a row number to text that describes the row; adds the columns left_row and right_row.

        Returns
        -------
        dict of str to list
        """
        lines = [
            (number, pair, chance, question)
            for number, question in enumerate(self)
            for pair, chance in zip(question.pairs, question.chances, strict=True)
        ]
        ends = [[pair[end] for _, pair, _, _ in lines] for end in (0, 1)]
        names = row_names(ids, self.n_samples)
        left, right = ([names[row] for row in rows] for rows in ends)
        table: dict[str, list[Any]] = {"left": left, "right": right, "kind": [""] * len(lines)}
        if shown is not None:
            table["left_row"], table["right_row"] = ([shown(row) for row in rows] for rows in ends)
        table["chance"] = [round(chance, 4) for _, _, chance, _ in lines]
        table["question"] = [number for number, *_ in lines]
        table["why"] = [question.reason for *_, question in lines]
        return table

    def to_frame(self, *, ids: Any = None, backend: str | None = None) -> Any:
        """The questions as a data frame; fill in the column ``kind`` and pass it to :meth:`answered`.

        Parameters
        ----------
        ids : list-like, optional
            Ids of the rows in order, used instead of row numbers.
        backend : {"pandas", "polars", "pyarrow"}, optional
            By default the first of them that is installed.

        Returns
        -------
        data frame
            With the columns left, right, kind, chance, question and why.
        """
        return make_frame(self.columns(ids=ids), backend)

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            ("question", "rows", "chance of same", "why"),
            *(
                (
                    str(number),
                    ", ".join(map(str, question.rows)),
                    ", ".join(f"{chance:.0%}" for chance in question.chances[:4]) + " …" * (len(question.chances) > 4),
                    question.reason,
                )
                for number, question in enumerate(self)
            ),
        ]

    def __repr__(self) -> str:
        return as_text(self._cells()) if self else "no questions"

    def _repr_html_(self) -> str:
        return as_html(self._cells(), "Questions") if self else "<p>no questions</p>"


def _word(pair: tuple[int, int], said: Any) -> str:
    """The answer about a pair: same, different or can't say."""
    (word,) = Question("pair", pair, (pair,), (0.5,), (0.5,), "open").read(said)
    return word


def _pairs(keys: Iterable[Any]) -> list[tuple[int, int]]:
    """The keys of a dict of answers as pairs of row numbers."""
    pairs = []
    for key in keys:
        rows = whole_numbers(key, "a key of the answers")
        if rows.shape != (2,):
            raise ValueError(f"{key!r} is not a pair of rows. Write a dict as {{(0, 3): 'same'}}.")
        pairs.append((int(rows[0]), int(rows[1])))
    return pairs


def _is_table(value: Any) -> bool:
    return hasattr(value, "columns") or (isinstance(value, Mapping) and all(isinstance(key, str) for key in value))
