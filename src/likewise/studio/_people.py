"""Several people: their agreement, their error rates, and how disagreements are resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log

from ._state import CANT_SAY, DIFFERENT, PROGRAM, SAME, Answered, Hint

WRONG, ASKED = 1.0, 10.0
"""Prior of the error rate of a person: number of wrong answers, and of answers."""

STEPS = 30
"""Number of iterations of expectation maximization."""

MAX_ODDS = 2.5
"""Maximum absolute log odds of the model's prediction."""

DECIDED = 2.0
"""Absolute log odds above which a disagreement is decided."""

TINY = 1e-9


@dataclass(frozen=True)
class Agreement:
    """The agreement of two people on the pairs that both answered.

    Attributes
    ----------
    left, right : str
    common : int
        Number of pairs that both answered.
    same_answer : int
        Number of pairs with the same answer.
    kappa : float or None
        Cohen's κ: agreement beyond chance, at most 1; None if the expected agreement is 1.
    """

    left: str
    right: str
    common: int
    same_answer: int
    kappa: float | None


def said_by(answers: Iterable[Answered]) -> dict[str, dict[frozenset[str], str]]:
    """The last answer of each person about each pair."""
    found: dict[str, dict[frozenset[str], str]] = {}
    for answer in answers:
        for pair, word in zip(answer.pairs, answer.said, strict=True):
            if word != CANT_SAY:
                found.setdefault(answer.who, {})[frozenset(pair)] = word
    return found


def agreement(answers: Iterable[Answered], people: Sequence[str]) -> list[Agreement]:
    """The agreement of each pair of people.

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
    """The error rate of each person, estimated from the pairs that several people answered.

    A one-coin model, fitted by expectation maximization: the prior probability that a pair is the same is the
    prediction at the time of the question, and each person errs with a constant probability, independently of the true
    answer. The prior of the error rate is one in ten.

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
    """The log odds of a probability; clipped, so that they are finite."""
    return log(max(chance, TINY) / max(1 - chance, TINY))


def voted(told: Iterable[tuple[str, str]], rates: Mapping[str, float]) -> float:
    """The log odds that a pair is the same, given the answers and error rates of people."""
    weights = [(word, log_odds(1 - rates.get(who, WRONG / ASKED))) for who, word in told]
    return sum(weight if word == SAME else -weight for word, weight in weights)


def disputed(hints: Iterable[Hint]) -> dict[frozenset[str], dict[str, str]]:
    """The pairs about which people disagree, with the answer of each person."""
    said: dict[frozenset[str], dict[str, str]] = {}
    for hint in hints:
        if hint.is_pair and hint.who != PROGRAM:
            said.setdefault(frozenset((hint.left, hint.right)), {})[hint.who] = hint.kind
    return {pair: words for pair, words in said.items() if len(words) > 1 and len(set(words.values())) > 1}


def verdicts(hints: Iterable[Hint], rates: Mapping[str, float]) -> dict[frozenset[str], str | None]:
    """The decision for each pair about which people disagree: "same", "different", or None while it is undecided.

    Answers are weighted by the error rates of people; if each person is wrong one time in ten, the majority decides.
    """
    found: dict[frozenset[str], str | None] = {}
    for pair, words in disputed(hints).items():
        odds = voted(words.items(), rates)
        found[pair] = None if abs(odds) <= DECIDED else SAME if odds > 0 else DIFFERENT
    return found


def outvoted(hints: Iterable[Hint], decided: Mapping[frozenset[str], str | None]) -> set[str]:
    """The hints that do not count because the decision is the opposite or there is none."""
    return {
        hint.id
        for hint in hints
        if hint.is_pair
        and hint.who != PROGRAM
        and (pair := frozenset((hint.left, hint.right))) in decided
        and hint.kind != decided[pair]
    }
