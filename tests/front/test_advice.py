"""Advice: which hints are missing, and how many."""

import numpy as np
import pytest

from likewise.constraints import Comparisons, Constraints, Preference
from likewise.front._advice import advice
from likewise.front._consensus import Consensus
from likewise.front._evidence import (
    UNSUPERVISED,
    Evidence,
)
from likewise.front._folds import Statements


def advised(hints, *, fallback="", gain=2.6, error=6.3, kept=0.6, n_clusters=2, stated_=None, lead=None):
    pairs = Statements.of(hints, np.random.RandomState(0))
    nothing = np.zeros(len(pairs))
    evidence = Evidence(pairs, nothing, nothing, gain, error, {UNSUPERVISED: 1.0}, n_clusters,
                        chosen=lead is not None, satisfied=0.625, lead=lead or 0.0)  # fmt: skip
    rows = np.zeros(hints.n_samples, dtype=int)
    consensus = Consensus(rows, np.zeros((hints.n_samples, 2)), (), rows, evidence, fallback, True, hints,
                          stated_ or hints)  # fmt: skip
    return advice(consensus, hints, kept)


def chain(count, n=160):
    return Constraints(n, np.arange(2 * count).reshape(-1, 2))


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (
            23,
            "give up to 2 more hints: 25, counting pairs that follow from them, are enough to learn for all rows",
        ),
        (
            24,
            "give up to 1 more hint: 25, counting pairs that follow from them, are enough to learn for all rows",
        ),
        (25, "allow more time (budget_s), so that clusterings can learn from the hints"),
        (26, "allow more time (budget_s), so that clusterings can learn from the hints"),
    ],
)
def test_twenty_five_hints_are_advised(count, words):
    assert advised(chain(count), fallback="fewer than 25 hints") == words


def test_other_hints_count_by_the_pairs_that_they_are_worth():
    """A comparison is worth half a pair of two clusters, and a preference one and a quarter."""
    compared = chain(20) | Comparisons(160, nearer=[(0, 1, 100)])
    assert advised(compared, fallback="-") == "give 5 more pairs, or other hints worth as many"
    liked = chain(22) | Preference(np.arange(160) % 2, np.arange(160) % 3)
    assert advised(liked, fallback="-") == "give 2 more pairs, or other hints worth as many"
    both = chain(24) | Comparisons(160, nearer=[(0, 1, 100)])
    assert advised(both, fallback="-") == "give 1 more pair, or other hints worth as many"
    enough = chain(24) | Comparisons(160, nearer=[(0, 1, 100), (2, 3, 100)])
    assert advised(enough, fallback="-").startswith("allow more time")
    read = Constraints(160) | Comparisons(160, nearer=[(0, 1, 100), (2, 3, 100)])
    assert advised(read, fallback="-", stated_=read.as_pairs()) == "give 21 more pairs, or other hints worth as many"


def test_advice_counts_hints_of_all_kinds():
    hints = chain(60) | Comparisons(160, nearer=[(0, 1, 100), (2, 3, 100), (4, 5, 6)])
    hints |= Preference(np.arange(160) % 2, np.arange(160) % 3)
    words = "or give at least {} more hints"
    assert words.format(65) in advised(hints, gain=0.0, error=1.0)  # 64, rounded up to a multiple of five
    assert words.format(60) in advised(chain(60), gain=0.0, error=1.0)
    labels = Constraints.from_labels(np.where(np.arange(160) < 17, np.arange(160) % 2, -1))
    assert "or give at least 20 more labels" in advised(labels, gain=0.0, error=1.0)


@pytest.mark.parametrize("gain", [0.0, -1e-9, -3.0])
def test_hints_without_a_gain_do_not_match_the_data(gain):
    assert advised(chain(60), gain=gain, error=6.0).startswith(
        "the hints do not match the structure of the data, or they are too few to tell: check the most doubtful of them"
    )


@pytest.mark.parametrize(
    ("lead", "gain", "words"),
    [(3.3, 3.3 * 6.3, ""), (3.0, 3.3 * 6.3, "give about 5 more hints"), (1.2, 2.6 * 6.3, "give about 115 more hints"),
     (1.0, 2.2 * 6.3, "check the most doubtful of them, or give at least 60 more hints"),
     (-1.0, 0.9 * 6.3, "check the most doubtful of them, or give at least 60 more hints"), (None, 6.3, "")],
)  # fmt: skip
def test_more_answers_are_advised_until_they_have_a_weight_of_four_fifths(lead, gain, words):
    """That is, until the mean of the lead and the gain in standard errors is 2 log 5 = 3.2."""
    found = advised(chain(30) | Constraints(160, cannot_link=chain(60).must_link[30:]), gain=gain, lead=lead)
    assert words in found if words else found == ""
