"""The chapter on questions: informative questions, and pairs that the reader marked, to be saved as a hints file."""

from __future__ import annotations

from typing import Any

from .._methods import facts_of
from ..front import Likewise
from ..questions import Question
from ._clusters_chapter import row_shown
from ._facts import Facts
from ._markup import Html, copied, element, joined

N_OPEN = 3
"""Number of questions that are initially visible; the others are collapsed."""


def ask(facts: Facts) -> Html:
    """The questions, and the list of marked pairs."""
    asked = facts.questions
    mark = "mark any two rows on the map or in the table as the same or different"
    if asked:
        text = f"These are the questions whose answers help most. Answer what you can and skip the rest, or {mark}."
    else:
        known = isinstance(facts.model, Likewise)
        why = "There is nothing left to ask" if known else "This method does not tell which rows are in doubt"
        text = f"{why}, so there are no questions here, but you can {mark}."
    text += " Then download your hints; nothing leaves this page by itself."
    outlook = None if facts.answers is None else facts.answers.outlook
    items = [_question(facts, number, one) for number, one in enumerate(asked)]
    more = None
    if len(items) > N_OPEN:
        more = element(
            "details",
            element("summary", f"{len(items) - N_OPEN} more questions"),
            element("ol", *items[N_OPEN:], class_="questions", start=N_OPEN + 1),
            class_="more",
        )
    return joined(
        [
            element("p", text),
            element("p", outlook) if outlook else None,
            element("ol", *items[:N_OPEN], class_="questions") if items else None,
            more,
            element("p", "Answering needs scripts, which are switched off here.", class_="noscript"),
            _marked(facts),
        ]
    )


def question_data(facts: Facts) -> dict[str, Any]:
    """The questions for the script of the page: points of the map, and the probability that each pair is the same."""
    point = {int(row): number for number, row in enumerate(facts.rows)}
    asked = facts.questions
    return {
        "questions": [[point[row] for row in one.rows] for one in asked],
        "chances": [[round(chance, 4) for chance in one.chances] for one in asked],
    }


def _question(facts: Facts, number: int, one: Question) -> Html:
    row, *others = one.rows
    is_pair = len(others) == 1
    sides = [
        element(
            "div",
            element("h4", element("span", class_="dot", aria_hidden="true"), facts.titles[int(facts.labels[other])]),
            element("div", *row_shown(facts, other, row), class_="member"),
            element(
                "button",
                "The same" if is_pair else "This one",
                type="button",
                class_="action script",
                aria_pressed="false",
                data_answer=f"{number},{end}",
            ),
            class_=f"side-card c{int(facts.labels[other])}",
        )
        for end, other in enumerate(others)
    ]
    words = [("Different", "none")] if is_pair else [("None of these", "none"), ("Several of them", "several")]
    buttons = [
        element("button", text, type="button", class_="quiet", aria_pressed="false", data_answer=f"{number},{answer}")
        for text, answer in [*words, ("Skip", "skip")]
    ]
    return element(
        "li",
        element(
            "div",
            element(
                "p",
                "Are these two the same?" if is_pair else "Which of these does this row belong with?",
                class_="note",
            ),
            element("div", *row_shown(facts, row), class_="member"),
            element("p", f"Asked because {one.reason}.", class_="note"),
            class_="asked",
        ),
        element("div", *sides, class_="two"),
        element("p", *buttons, class_="script answers"),
        data_question=number,
    )


def _marked(facts: Facts) -> Html:
    """The list of marked pairs, filled by a script, and what to do with the file."""
    uses_hints = facts_of(type(facts.model)).uses_constraints
    if facts.command:
        words = "Then run it again with this file, too:"
        code = f"{facts.command} --hints hints.csv"
        if not uses_hints:
            words = "Then run it again with this file, and with a method that uses hints:"
            code = f"{facts.command} --method likewise --hints hints.csv"
    else:
        words = "Then, in Python:"
        if isinstance(facts.model, Likewise):  # which weights answers to its questions
            reader, ids = "questions.Answers", "len(X)" if facts.ids is None else "len(X), ids=ids"
        else:
            reader, ids = "Constraints", "n_samples=len(X)" if facts.ids is None else "ids=ids"
        code = f'more = likewise.{reader}.read("hints.csv", {ids})\n{_fitted_again(facts, uses_hints)}'
    return element(
        "div",
        element("h3", "Your hints"),
        element("p", "None yet.", id="marked-none", class_="note"),
        element("ul", id="marked", class_="marked"),
        element(
            "p",
            element("button", "Download hints.csv", type="button", class_="action primary", id="marked-download"),
            element("button", "Copy", type="button", class_="action", id="marked-copy"),
            element("button", "Forget all", type="button", class_="quiet", id="marked-clear"),
            id="marked-tools",
            hidden=True,
        ),
        element("p", words),
        copied(code),
        class_="script your-hints",
    )


def _fitted_again(facts: Facts, uses_hints: bool) -> str:
    """Python code that fits the model with additional hints."""
    if hasattr(facts.model, "add_constraints"):
        return "model.add_constraints(more)"
    hints = "more" if facts.constraints.is_empty else "hints | more"
    if not uses_hints:
        return f"model = likewise.Likewise({facts.n_clusters}).fit(X, constraints={hints})"
    links = "" if facts.links is None else ", links=links"
    return f"model.fit(X, constraints={hints}{links})"
