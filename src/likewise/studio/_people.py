"""Several people: how far they agree, and what counts where they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from ._state import CANT_SAY, SAME, Answered, Hint


@dataclass(frozen=True)
class Agreement:
    """How far two people agree on pairs that both answered.

    Attributes
    ----------
    left, right : str
    common : int
        Pairs that both said something of.
    same_answer : int
        Those of which they said the same.
    kappa : float or None
        Cohen's κ: agreement beyond chance, 1 at most; None where chance alone would agree always.
    """

    left: str
    right: str
    common: int
    same_answer: int
    kappa: float | None


def said_by(answers: Iterable[Answered]) -> dict[str, dict[frozenset[str], str]]:
    """What each person said last of each pair."""
    found: dict[str, dict[frozenset[str], str]] = {}
    for answer in answers:
        for pair, word in zip(answer.pairs, answer.said, strict=True):
            if word != CANT_SAY:
                found.setdefault(answer.who, {})[frozenset(pair)] = word
    return found


def agreement(answers: Iterable[Answered], people: Sequence[str]) -> list[Agreement]:
    """The agreement of each two people.

    >>> agreement([], ["Anna", "Ben"])
    [Agreement(left='Anna', right='Ben', common=0, same_answer=0, kappa=None)]
    """
    said = said_by(answers)
    found = []
    for left, right in combinations(people, 2):
        both = said.get(left, {}).keys() & said.get(right, {}).keys()
        words = [(said[left][pair], said[right][pair]) for pair in both]
        found.append(Agreement(left, right, len(words), sum(one == other for one, other in words), kappa(words)))
    return found


def kappa(words: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's κ of two lists of answers.

    >>> kappa([("same", "same"), ("different", "different"), ("same", "different"), ("different", "different")])
    0.5
    """
    if not words:
        return None
    n = len(words)
    observed = sum(one == other for one, other in words) / n
    first, second = (sum(pair[place] == SAME for pair in words) / n for place in (0, 1))
    expected = first * second + (1 - first) * (1 - second)
    return None if expected >= 1 else (observed - expected) / (1 - expected)


def disputed(hints: Iterable[Hint]) -> dict[frozenset[str], dict[str, str]]:
    """Pairs of which different people say different things: what each said."""
    said: dict[frozenset[str], dict[str, str]] = {}
    for hint in hints:
        if hint.is_pair:
            said.setdefault(frozenset((hint.left, hint.right)), {})[hint.who] = hint.kind
    return {pair: words for pair, words in said.items() if len(words) > 1 and len(set(words.values())) > 1}


def outvoted(hints: Iterable[Hint]) -> set[str]:
    """Hints that do not count, as more people say the contrary of the same pair; where as many do, none counts."""
    listed = list(hints)
    verdicts = {}
    for pair, words in disputed(listed).items():
        counts = Counter(words.values()).most_common()
        verdicts[pair] = None if counts[0][1] == counts[1][1] else counts[0][0]
    return {
        hint.id
        for hint in listed
        if hint.is_pair
        and frozenset((hint.left, hint.right)) in verdicts
        and hint.kind != verdicts[frozenset((hint.left, hint.right))]
    }
