"""Comparisons and preferences that are held out: questions left open, slopes, and disputed pairs."""

import numpy as np
import pytest

from likewise.constraints import Comparisons, Preference
from likewise.front import _answerer, _held_out
from likewise.front._answerer import answered_ties, are_pairs
from likewise.front._held_out import (
    HeldOutPreferences,
    calibrated_slopes,
    disputed_pairs,
)
from likewise.front._members import Member
from likewise.front._unsupervised import Unsupervised

N = 60
Y = np.arange(N) % 3
RUN = np.arange(N) // 20
NOISY = np.where(np.arange(N) % 7 == 0, (Y + 1) % 3, Y)
RUNS = Unsupervised(3, RUN, np.zeros((N, 3)), [RUN, NOISY], np.array([0.75, 0.25]))


def test_questions_that_were_all_left_open_are_no_pairs():
    nothing = Comparisons(N, unsure=[(0, 1, 2, 3)])
    assert answered_ties(nothing, RUNS) == 0.0
    assert not are_pairs(nothing, RUNS)


@pytest.mark.parametrize("n_answered", [1, 2, 9])
def test_the_share_of_ties_that_were_answered(monkeypatch, n_answered):
    monkeypatch.setattr(_answerer, "tie_share", lambda near, far, runs: 0.75)
    rng = np.random.default_rng(0)
    asked = np.array([rng.choice(N, 4, replace=False) for _ in range(10)])
    found = answered_ties(Comparisons(N, pairs=asked[:n_answered], unsure=asked[n_answered:]), RUNS)
    assert found == pytest.approx(max(0.0, (n_answered / 10 - 0.25) / 0.75))


def test_slopes_on_votes_are_never_negative():
    """Even if all answers contradict the votes; a large weight needs small steps."""
    for weight in (1.0, 1e4):
        slopes = calibrated_slopes(np.full((50, 1), -0.9), np.full(50, weight), ((12.0,), (4.0,)))
        assert slopes.tolist() == [0.0]
    nothing = calibrated_slopes(np.zeros((0, 2)), np.zeros(0), ((6.0, 0.0), (3.0, 1.0)))
    np.testing.assert_array_equal(nothing, [6.0, 0.0])


def test_slopes_of_many_answers_are_where_the_posterior_is_flat():
    rng = np.random.default_rng(0)
    for mean, spread, size in ((0.4, 0.5, 200), (0.05, 1.0, 40), (0.9, 0.01, 400)):
        X, weight = rng.normal(mean, spread, (size, 1)), rng.uniform(0.5, 2.0, size)
        (slope,) = calibrated_slopes(X, weight, ((12.0,), (4.0,)))
        gradient = X[:, 0] @ (weight / (1 + np.exp(X[:, 0] * slope))) - (slope - 12.0) / 16.0
        assert abs(gradient) < 1e-5 * size


class Draws:
    """A generator that writes down how much is drawn."""

    def __init__(self):
        self.rng, self.asked = np.random.RandomState(0), []

    def choice(self, values, size, **options):
        self.asked.append((len(values), size, options))
        return self.rng.choice(values, size, **options)


@pytest.mark.parametrize(("most", "is_drawn"), [(20, True), (21, False), (22, False)])
def test_pairs_are_listed_up_to_ten_times_as_many_as_are_kept(monkeypatch, most, is_drawn):
    """Of 21 rows there are 210 pairs; if there are more, twenty times as many are drawn as are kept."""
    monkeypatch.setattr(_held_out, "MAX_DISPUTED", most)
    shown = np.where(np.arange(30) < 21, 0, -1)
    preference = Preference(np.where(np.arange(30) < 2, 1, shown), np.where(shown < 0, -1, 0))
    draws = Draws()
    pairs, same = disputed_pairs(preference, draws)
    asked = [(number, size) for number, size, options in draws.asked if not options]
    assert asked == ([(21, 20 * most)] * 2 if is_drawn else [])
    assert (pairs[:, 0] != pairs[:, 1]).all()
    assert pairs.max() < 21
    assert same.any()
    assert not same.all()  # 38 pairs are apart in the better clustering, and as many together in both


def test_preferences_without_a_vote_have_a_score_of_zero():
    liked = Preference(np.where(np.arange(N) < 6, Y, -1), np.where(np.arange(N) < 6, 0, -1))
    folds = np.where(np.arange(N) < 6, 0, 1)
    held_out = HeldOutPreferences.of((liked,), folds, np.random.RandomState(0))
    assert held_out.weight.tolist() == [0.25, 0.0, 0.0, 0.0]
    scores = held_out.scores([Member("a", Y, 0), Member("a", Y, 1), Member("b", RUN, 0), Member("b", RUN, 0)], folds)
    margins = [held_out._margins(labels, 0)[0] for labels in (Y, RUN)]
    assert scores.tolist() == pytest.approx([np.mean(margins), 0.0, 0.0, 0.0])
    assert held_out.scores([], folds).tolist() == [0.0] * 4
    expected = [0.75 * held_out._margins(RUN, fold)[0] + 0.25 * held_out._margins(NOISY, fold)[0] for fold in range(4)]
    np.testing.assert_allclose(held_out.plain_scores(RUNS), expected)
