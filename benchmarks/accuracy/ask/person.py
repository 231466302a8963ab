"""A simulated person who answers from the true classes, with errors that do not change when a pair is asked again."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from likewise.questions import Question

ANSWERS = ("0", "10", "20", "hard", "cant-say")
"""Percentage of pairs answered wrongly; wrong where it is hard; 10 % "can't say"."""

HARD = 0.1
"""The share of random pairs answered wrongly if errors depend on the neighborhood."""

N_NEIGHBORS = 10
UNSURE = 0.1


class Person:
    """A simulated person who answers questions.

    Parameters
    ----------
    X, y
        Rows and their classes.
    answers : str
        One of ``ANSWERS``.
    seed : sequence of int

    Attributes
    ----------
    said : (n, n) int array
        Of each pair 1 for "same", 0 for "different", −1 for "can't say".
    errors : (n, n) array
        The chance that a pair is answered wrongly.
    """

    def __init__(self, X: Any, y: np.ndarray, answers: str, seed: Any) -> None:
        count = len(y)
        self.y = y
        self.truth = y[:, None] == y
        self.errors = hard_errors(X, y) if answers == "hard" else np.full((count, count), share_of(answers))
        drawn = np.triu(np.random.default_rng(seed).random((count, count)), 1)
        drawn += drawn.T
        self.said = np.where(drawn < self.errors, ~self.truth, self.truth).astype(int)
        if answers == "cant-say":
            self.said[drawn > 1 - UNSURE] = -1
        np.fill_diagonal(self.said, 1)
        self.is_right = answers in ("0", "cant-say")

    def pair(self, i: int, j: int) -> bool | None:
        """Whether two rows belong together; None for "can't say"."""
        said = int(self.said[i, j])
        return None if said < 0 else bool(said)

    def answer(self, question: Question) -> Any:
        """The answer to a question of any kind, in the form that :meth:`likewise.questions.Question.read` accepts."""
        if question.kind == "piles":
            return self.piles(question.rows)
        if question.kind == "choice":
            said = [self.pair(*pair) for pair in question.pairs]
            chosen = [number for number, one in enumerate(said, 1) if one]
            return chosen or (None if None in said else 0)
        return {True: "same", False: "different", None: None}[self.pair(*question.rows)]

    def piles(self, rows: tuple[int, ...]) -> list[Any]:
        """Sort rows one by one: each is compared with the first row of every pile until they belong together."""
        firsts: list[int] = []
        piles: list[Any] = []
        for row in rows:
            said = [self.pair(row, first) for first in firsts]
            if True in said:
                piles.append(said.index(True))
            elif None in said:
                piles.append("?")
            else:
                piles.append(len(firsts))
                firsts.append(row)
        return piles


def share_of(answers: str) -> float:
    """The share of pairs answered wrongly, independent of the rows."""
    return 0.0 if answers == "cant-say" else int(answers) / 100


def hard_errors(X: Any, y: np.ndarray) -> np.ndarray:
    """Error probabilities that grow with the share of other classes among the ten neighbors of the two rows.

    They are scaled so that their mean over random pairs is ``HARD``, but at most one half, even if the mean is then
    smaller.
    """
    near = NearestNeighbors(n_neighbors=min(N_NEIGHBORS, len(y) - 1)).fit(X).kneighbors(return_distance=False)
    mixed = (y[near] != y[:, None]).mean(axis=1)
    errors = (mixed[:, None] + mixed) / 2
    pairs = np.triu_indices(len(y), 1)
    low, high = 0.0, 1e3
    for _ in range(50):
        middle = (low + high) / 2
        enough = np.minimum(middle * errors[pairs], 0.5).mean() >= HARD
        low, high = (low, middle) if enough else (middle, high)
    return np.minimum(high * errors, 0.5)
