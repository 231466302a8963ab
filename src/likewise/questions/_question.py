"""A question about rows, and parsing of its answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..constraints._pair_tables import is_undecided, spelled_kind
from ..tables._cells import whole_number_of

SAME = "same"
DIFFERENT = "different"
CANT_SAY = "can't say"

KINDS = ("pair", "choice", "piles")

REASONS = {
    "coverage": "the row is similar to many rows that no answer is about yet",
    "doubt": "the group of the row is uncertain",
    "lot": "the row was drawn at random, to measure how well answers are predicted",
    "next": "the row is not in the most likely group; this is the next",
    "groups": "the two groups may be one",
    "excess": "there are more separate groups than clusters, so that an answer must be wrong",
    "again": "some answers were wrong, and the group of the row depends on a single answer",
    "check": "an answer was unexpected, so that the row is compared with another row of the group",
    "open": "the answer does not follow from earlier answers",
}
"""The reasons for asking a question."""

BETWEEN = re.compile(r"[\s,;+&]+")
"""Separators between several numbers."""


@dataclass(frozen=True)
class Question:
    """A question whether rows are the same.

    Attributes
    ----------
    kind : {"pair", "choice", "piles"}
        A pair of rows; a row (the first) and typical rows of the groups it may belong to; or three to six rows to sort
        into piles.
    rows : tuple of int
    pairs : tuple of (int, int)
        The pairs of rows that the answer is about.
    chances : tuple of float
        The probability that each pair is the same, when the question is asked.
    votes : tuple of float
        The weighted share of clusterings with both rows of each pair in the same cluster.
    why : str
        The reason for asking: coverage, doubt, lot, next, groups, excess, again, check or open.
    """

    kind: str
    rows: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    chances: tuple[float, ...]
    votes: tuple[float, ...]
    why: str

    @property
    def chance(self) -> float:
        """The probability that the first pair is the same."""
        return self.chances[0]

    @property
    def reason(self) -> str:
        """The reason for asking, as text."""
        return REASONS[self.why]

    def read(self, answer: Any) -> tuple[str, ...]:
        """Parse an answer.

        Parameters
        ----------
        answer : str, bool, int, sequence or None
            None or "?" means "can't say". For a pair: "same" or "different" (or yes, no, True, 0, ...). For a choice:
            the number, from 1, of the shown row that the first row belongs with; several numbers, or 0 for none. For
            piles: one entry per row, equal for rows of the same pile, such as "aab" or [1, 1, 2].

        Returns
        -------
        tuple of {"same", "different", "can't say"}
            The answer for each pair.

        Examples
        --------
        >>> Question("pair", (3, 8), ((3, 8),), (0.5,), (0.5,), "doubt").read("yes")
        ('same',)
        >>> three = Question("piles", (3, 8, 9), ((3, 8), (3, 9), (8, 9)), (0.5,) * 3, (0.5,) * 3, "doubt")
        >>> three.read("aab")
        ('same', 'different', 'different')
        """
        if self.kind == "piles":
            return self._read_piles(answer)
        if not isinstance(answer, list | tuple) and is_undecided(answer):
            return (CANT_SAY,) * len(self.pairs)
        return self._read_choice(answer) if self.kind == "choice" else (self._read_word(answer),)

    def _read_word(self, answer: Any) -> str:
        spelled = spelled_kind(answer)
        if spelled is None:
            raise ValueError(
                f"{answer!r} is not an answer to whether rows {self.rows[0]} and {self.rows[1]} are the same. Write "
                "same (yes, 1), different (no, 0) or can't say (?)."
            )
        return SAME if spelled == "must" else DIFFERENT

    def _read_choice(self, answer: Any) -> tuple[str, ...]:
        count = len(self.pairs)
        given = BETWEEN.split(answer.strip()) if isinstance(answer, str) else np.atleast_1d(answer).tolist()
        words = ["" if word is None else str(word).lower().removesuffix(".0") for word in given]
        chosen = {0 if word in ("none", "no", "n") else whole_number_of(word) for word in words}
        if not chosen or not chosen <= set(range(count + 1)) or (0 in chosen and len(chosen) > 1):
            raise ValueError(
                f"{answer!r} is not an answer to which of {count} rows row {self.rows[0]} belongs with. Write a number "
                f"from 1 to {count}, several numbers, 0 for none, or ? for can't say."
            )
        return tuple(SAME if number in chosen else DIFFERENT for number in range(1, count + 1))

    def _read_piles(self, answer: Any) -> tuple[str, ...]:
        count = len(self.rows)
        piles: list[Any]
        if isinstance(answer, list | tuple | np.ndarray):
            piles = list(answer)
        elif is_undecided(answer):
            piles = ["?"] * count
        else:
            is_word = isinstance(answer, str) and answer.strip().isalpha()
            if is_word and (spelled_kind(answer) is not None or answer.strip().lower() in ("none", "all")):
                piles = []  # a word, not a letter for each row
            else:
                piles = list(BETWEEN.sub("", str(answer).lower()))
        if len(piles) != count:
            raise ValueError(
                f"{answer!r} is not an answer to how {count} rows are sorted. Write one entry per row, equal for rows "
                f"of the same pile, such as {'aabcde'[:count]!r}, and ? for can't say."
            )
        pile = dict(zip(self.rows, piles, strict=True))
        said = []
        for left, right in ((pile[i], pile[j]) for i, j in self.pairs):
            unsure = is_undecided(left) or is_undecided(right)
            said.append(CANT_SAY if unsure else SAME if left == right else DIFFERENT)
        return tuple(said)
