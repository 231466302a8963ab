"""A question about rows, and how answers to it are read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import is_missing
from ..constraints._pair_tables import is_undecided, spelled_kind
from ..tables._cells import whole_number_of

SAME = "same"
DIFFERENT = "different"
CANT_SAY = "can't say"

KINDS = ("pair", "choice", "piles")

REASONS = {
    "coverage": "it stands for many rows that no answer is about yet",
    "doubt": "its group is in doubt",
    "lot": "it was drawn at random, to see how well answers are predicted",
    "next": "it is not with the likeliest group: this is the next",
    "groups": "these may be two groups, or one",
    "excess": "more groups are kept apart than there are clusters, so an answer may be wrong",
    "again": "all rows have their places, and some answers were wrong: this place hangs on one answer",
    "check": "an answer was unexpected, so the row is compared with another one of the group",
    "open": "what is known does not tell",
}
"""Why a question is asked."""

NUMBERS = re.compile(r"[0-9]+")


@dataclass(frozen=True)
class Question:
    """Are these rows the same?

    Attributes
    ----------
    kind : {"pair", "choice", "piles"}
        A pair of rows; a row (the first) and typical rows of the groups it may belong to; three to six rows to be
        sorted into piles.
    rows : tuple of int
    pairs : tuple of (int, int)
        The pairs of rows that an answer tells of.
    chances : tuple of float
        The chance that each pair is the same, by what is known when the question is asked.
    votes : tuple of float
        The share of clusterings, by weight, that puts each pair together.
    why : str
        A key of the reasons: coverage, doubt, lot, next, groups, excess, again, check or open.
    """

    kind: str
    rows: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    chances: tuple[float, ...]
    votes: tuple[float, ...]
    why: str

    @property
    def chance(self) -> float:
        """The chance that the first pair is the same."""
        return self.chances[0]

    @property
    def control(self) -> bool:
        """Whether it is asked to see how well answers are predicted: about a row drawn at random, as every fifth is."""
        return self.why == "lot"

    @property
    def reason(self) -> str:
        """Why it is asked, in words."""
        return REASONS[self.why]

    def read(self, answer: Any) -> tuple[str, ...]:
        """What an answer says of each pair.

        Parameters
        ----------
        answer : str, bool, int, sequence or None
            None and "?" for "can't say". Of a pair: "same" or "different" (or yes, no, True, 0, ...). Of a choice: the
            number, from 1, of the row shown that the first one belongs with; several, or 0 for none of them. Of piles:
            an entry for each row, the same for rows of one pile, such as "aab" or [1, 1, 2].

        Returns
        -------
        tuple of {"same", "different", "can't say"}

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
        if isinstance(answer, str):
            numbers = map(whole_number_of, NUMBERS.findall(answer))
            chosen = {count + 1 if number is None else number for number in numbers}
            chosen |= {0} if answer.strip().lower() in ("none", "no", "n") else set()
        else:
            chosen = {int(number) for number in np.atleast_1d(answer).tolist()}
        if not chosen or max(chosen) > count or (0 in chosen and len(chosen) > 1):
            raise ValueError(
                f"{answer!r} is not an answer to which of {count} rows {self.rows[0]} belongs with. Write a number "
                f"from 1 to {count}, several of them, 0 for none, or ? for can't say."
            )
        return tuple(SAME if number in chosen else DIFFERENT for number in range(1, count + 1))

    def _read_piles(self, answer: Any) -> tuple[str, ...]:
        count = len(self.rows)
        if is_missing(answer) if not isinstance(answer, list | tuple | np.ndarray) else False:
            return (CANT_SAY,) * len(self.pairs)
        piles: Sequence[Any] = answer.lower().replace(" ", "").replace(",", "") if isinstance(answer, str) else answer
        piles = "?" * count if isinstance(answer, str) and is_undecided(answer) else piles
        if len(piles) != count:
            raise ValueError(
                f"{answer!r} has {len(piles)} entries for {count} rows. Write one for each, the same for rows of one "
                "pile, such as " + repr("aabcde"[:count]) + ", and ? where you can't say."
            )
        pile = dict(zip(self.rows, piles, strict=True))
        said = []
        for left, right in ((pile[i], pile[j]) for i, j in self.pairs):
            unsure = is_undecided(left) or is_undecided(right)
            said.append(CANT_SAY if unsure else SAME if left == right else DIFFERENT)
        return tuple(said)
