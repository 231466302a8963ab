"""Questions: the time to choose them, and to learn from the answers."""

from __future__ import annotations

from itertools import count
from time import perf_counter, sleep

import numpy as np
from sklearn.semi_supervised import LabelSpreading

import likewise as lw
from likewise.questions import Dialogue

from ..data import blobs
from ..harness import Bar, Contest, Verdict, row


def said(y, question) -> str:
    """The answers of a person who knows the classes."""
    i, j = question.rows
    return "same" if y[i] == y[j] else "different"


def taught(n: int, f: int, answers: int):
    """Rows, their classes, and a model that has learned from chosen answers."""
    X, y = blobs(n, f, apart=0.5)
    model = lw.Likewise(10, n_jobs=-1, verbose=False, random_state=0).fit(X)
    asked = model.ask(answers)
    return X, y, model.add_constraints(asked.answered([said(y, question) for question in asked]))


def ten_questions(n: int, f: int, answers: int, some: int) -> Contest:
    """Choosing ten questions, compared with ten rows to label as in scikit-learn's example of active learning."""
    X, y, model = taught(n, f, answers)
    rng = np.random.default_rng(0)
    shown = rng.permutation(n)[:some]
    labels = np.where(np.arange(some) < answers, y[shown], -1)

    def uncertain():
        spread = LabelSpreading(kernel="knn", n_neighbors=10, max_iter=100).fit(X[shown], labels)
        shares = np.clip(spread.label_distributions_, 1e-12, 1.0)
        return shown[np.argsort((shares * np.log(shares)).sum(axis=1))[:10]]

    return Contest(
        lambda: model.ask(10),
        uncertain,
        lambda ours, theirs: Verdict(f"{len(ours)} pairs, theirs {len(theirs)} rows to label"),
    )


def ten_answers(n: int, f: int, answers: int) -> Contest:
    """Learning from ten more answers, compared with a new fit."""
    X, y, model = taught(n, f, answers)
    anew = lw.Likewise(10, n_jobs=-1, verbose=False, random_state=0)
    seeds = count(1)
    score = lw.evaluation.normalized_mutual_information

    def more():
        asked = model.ask(10, random_state=next(seeds))
        return asked.answered([said(y, question) for question in asked])

    batches = [more() for _ in range(8)]

    return Contest(
        lambda: model.add_constraints(batches[next(seeds) % len(batches)]).labels_,
        lambda: anew.fit(X, constraints=model.constraints_).labels_,
        lambda ours, theirs: Verdict(f"NMI {score(y, ours):.3f}, theirs {score(y, theirs):.3f}"),
    )


ASKING = "ten questions after {answers} answers, {n:,} × {f} rows, k = 10"
SPREADING = "sklearn's LabelSpreading (10 neighbors) of {some:,} of the rows, and the ten it is least sure of"
LEARNING = "ten answers learned from after {answers}, {n:,} × {f} rows, k = 10"


@row("questions", ASKING, SPREADING, Bar(seconds=0.5), n=150, f=5, answers=30, some=100)
def questions(n=20_000, f=50, answers=100, some=2_000) -> Contest:
    return ten_questions(n, f, answers, some)


@row("questions-large", ASKING, SPREADING, Bar(seconds=2), n=150, f=5, answers=30, some=100)
def questions_large(n=100_000, f=50, answers=100, some=2_000) -> Contest:
    return ten_questions(n, f, answers, some)


@row("answers", LEARNING, "a new fit", Bar(seconds=1), n=150, f=5, answers=30)
def answers(n=20_000, f=50, answers=100) -> Contest:
    return ten_answers(n, f, answers)


@row("answers-large", LEARNING, "a new fit", Bar(seconds=5), n=150, f=5, answers=30)
def answers_large(n=100_000, f=50, answers=100) -> Contest:
    return ten_answers(n, f, answers)


@row(
    "next-question",
    "the longest wait for a question while {answers} answers come, one every {pause} s, {n:,} × {f} rows, k = 10",
    "the same without background=True",
    Bar(seconds=0.05),
    n=150,
    f=5,
    answers=12,
    pause=0.0,
)
def next_question(n=20_000, f=50, answers=40, pause=0.5) -> Contest:
    X, y = blobs(n, f, apart=0.5)
    dialogues = {background: Dialogue(X, 10, background=background, n_jobs=-1) for background in (True, False)}

    def longest(background):
        dialogue = dialogues[background]
        waits = [0.0]
        _ = dialogue.question  # the first is chosen with the rows
        for _ in range(answers):
            start = perf_counter()
            dialogue.answer(said(y, dialogue.question))
            _ = dialogue.question
            waits.append(perf_counter() - start)
            sleep(pause * background)
        return max(waits)

    return Contest(
        lambda: longest(True),
        lambda: longest(False),
        ours_clock=lambda _, wait: wait,
        theirs_clock=lambda _, wait: wait,
    )
