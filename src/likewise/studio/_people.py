"""Several people: how far they agree, and what counts where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log

from ._state import CANT_SAY, DIFFERENT, PROGRAM, SAME, Answered, Hint

WRONG, ASKED = 1.0, 10.0
"""What is assumed of a person before anything is known: so many wrong answers, of so many."""

STEPS = 30
"""Of expectation maximization."""

MAX_ODDS = 2.5
"""What the model expected counts as at most so much."""

DECIDED = 2.0
"""The log odds beyond which people who disagree have decided."""

TINY = 1e-9


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


def error_rates(answers: Iterable[Answered]) -> dict[str, float]:
    """The share of wrong answers of each person, from the pairs that several answered.

    A one-coin model, fitted by expectation maximization: each pair is the same or different, with the chance that the
    model gave it when it was asked, and each person is wrong about one in so many of them, whichever it is. Before
    anything is known, one in ten.

    >>> error_rates([])
    {}
    """
    listed = list(answers)
    said = said_by(listed)
    several: dict[frozenset[str], list[tuple[str, str]]] = {}
    for who, words in said.items():
        for pair, word in words.items():
            several.setdefault(pair, []).append((who, word))
    shared = {pair: words for pair, words in several.items() if len(words) > 1}
    expected = dict.fromkeys(shared, 0.0)
    for answer in listed:
        for ends, chance in zip(answer.pairs, answer.chances or (), strict=False):
            if frozenset(ends) in expected:
                expected[frozenset(ends)] = min(max(log_odds(chance), -MAX_ODDS), MAX_ODDS)
    rates = dict.fromkeys(said, WRONG / ASKED)
    for _ in range(STEPS if shared else 0):
        wrong, asked = dict.fromkeys(said, WRONG), dict.fromkeys(said, ASKED)
        for pair, told in shared.items():
            same = 1 / (1 + exp(-expected[pair] - voted(told, rates)))
            for who, word in told:
                wrong[who] += 1 - same if word == SAME else same
                asked[who] += 1
        rates = {who: wrong[who] / asked[who] for who in said}
    return rates


def log_odds(chance: float) -> float:
    """Of a chance; large rather than infinite for what is certain."""
    return log(max(chance, TINY) / max(1 - chance, TINY))


def voted(told: Iterable[tuple[str, str]], rates: Mapping[str, float]) -> float:
    """The log odds that a pair is the same, by what people say of it and how often each is wrong."""
    weights = [(word, log_odds(1 - rates.get(who, WRONG / ASKED))) for who, word in told]
    return sum(weight if word == SAME else -weight for word, weight in weights)


def disputed(hints: Iterable[Hint]) -> dict[frozenset[str], dict[str, str]]:
    """Pairs of which different people say different things: what each said."""
    said: dict[frozenset[str], dict[str, str]] = {}
    for hint in hints:
        if hint.is_pair and hint.who != PROGRAM:
            said.setdefault(frozenset((hint.left, hint.right)), {})[hint.who] = hint.kind
    return {pair: words for pair, words in said.items() if len(words) > 1 and len(set(words.values())) > 1}


def verdicts(hints: Iterable[Hint], rates: Mapping[str, float]) -> dict[frozenset[str], str | None]:
    """What counts of pairs of which people say different things: "same", "different", or None while it is undecided.

    Those decide who are wrong seldom; of people who are wrong one time in ten, the most.
    """
    found: dict[frozenset[str], str | None] = {}
    for pair, words in disputed(hints).items():
        odds = voted(words.items(), rates)
        found[pair] = None if abs(odds) <= DECIDED else SAME if odds > 0 else DIFFERENT
    return found


def outvoted(hints: Iterable[Hint], decided: Mapping[frozenset[str], str | None]) -> set[str]:
    """Hints of people that do not count, as the verdict is the contrary, or there is none."""
    return {
        hint.id
        for hint in hints
        if hint.is_pair
        and hint.who != PROGRAM
        and (pair := frozenset((hint.left, hint.right))) in decided
        and hint.kind != decided[pair]
    }
