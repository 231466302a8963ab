"""Evidence in parts: gains beside random pairs, and odds of given and implied pairs."""

import numpy as np
import pytest
from scipy.special import expit, log_expit

from likewise.constraints import Comparisons, Constraints, Preference
from likewise.front._evidence import (
    UNSUPERVISED,
    Evidence,
    calibrated,
    family_weights,
    held_out_votes,
    lead_in_pairs,
    log_likelihoods,
    member_weights,
    reversed_chance,
    shared_rows,
    unsupervised_members,
    votes,
)
from likewise.front._folds import Statements, random_pairs
from likewise.front._held_out import (
    HeldOutComparisons,
    HeldOutPreferences,
    log_odds,
)
from likewise.front._members import Member
from likewise.front._unsupervised import Unsupervised

N = 60
Y = np.arange(N) % 3
FOLDS = np.arange(N) // 3 % 4
RUN = np.arange(N) // 20
NOISY = np.where(np.arange(N) % 7 == 0, (Y + 1) % 3, Y)
MEMBERS = [Member(name, labels, fold) for name, labels in (("a", Y), ("b", NOISY)) for fold in range(4)]
RUNS = Unsupervised(3, RUN, np.zeros((N, 3)), [RUN, NOISY], np.array([0.75, 0.25]))


def stated(count=40, seed=0):
    return Statements.of(Constraints.sample(Y, "random_pairs", count, random_state=seed), np.random.RandomState(0))


def test_a_gain_is_the_difference_of_weighted_likelihoods():
    pairs = stated()
    weight = np.random.default_rng(0).uniform(0.2, 2.0, len(pairs))
    pairs = Statements(pairs.pairs, pairs.same, weight)
    found = Evidence.of(pairs, MEMBERS, FOLDS, RUNS, np.random.RandomState(0))
    together = held_out_votes(MEMBERS, FOLDS, pairs.pairs)
    plain = votes(RUNS.labelings, pairs.pairs, RUNS.weights)
    np.testing.assert_allclose(plain, 0.75 * (RUN[pairs.pairs[:, 0]] == RUN[pairs.pairs[:, 1]])
                               + 0.25 * (NOISY[pairs.pairs[:, 0]] == NOISY[pairs.pairs[:, 1]]))  # fmt: skip
    np.testing.assert_allclose(found.together, together)
    odds = calibrated(together, pairs)
    np.testing.assert_allclose(found.wrong, expit(np.where(pairs.same, -odds, odds)))
    gains = weight * (log_likelihoods(together, pairs) - log_likelihoods(plain, pairs))
    assert found.gain == pytest.approx(gains.sum())
    assert found.error == pytest.approx(np.sqrt(len(gains)) * gains.std(ddof=1))
    assert found.n_clusters == 3
    expected = family_weights(pairs, MEMBERS, FOLDS, log_likelihoods(plain, pairs))
    assert found.weights == pytest.approx(expected)


def test_without_members_the_runs_are_tested():
    pairs = stated()
    found = Evidence.of(pairs, (), FOLDS, RUNS, np.random.RandomState(0))
    np.testing.assert_allclose(found.together, votes(RUNS.labelings, pairs.pairs, RUNS.weights))
    assert (found.gain, found.error, found.weights) == (0.0, 0.0, {UNSUPERVISED: 1.0})
    compared = HeldOutComparisons(Comparisons(N, nearer=[(0, 3, 1), (2, 5, 4)]), np.zeros(2))
    beside = Evidence.of(pairs, (), FOLDS, RUNS, np.random.RandomState(0), [compared])
    assert (beside.gain, beside.weights) == (0.0, {UNSUPERVISED: 1.0})
    np.testing.assert_array_equal(beside.scores[0], compared.plain_scores(RUNS))


def test_pairs_of_one_kind_gain_beside_random_ones():
    """As many random pairs of the other kind, with the same weights, but no suspects among them."""
    pairs = stated()
    must = Statements(pairs.pairs[pairs.same], pairs.same[pairs.same], np.linspace(0.5, 2.0, pairs.same.sum()))
    found = Evidence.of(must, MEMBERS, FOLDS, RUNS, np.random.RandomState(3))
    drawn = random_pairs(N, len(must), np.random.RandomState(3))
    both = Statements(
        np.concatenate([must.pairs, drawn]),
        np.concatenate([must.same, ~must.same]),
        np.concatenate([must.weight, must.weight]),
    )
    learned, plain = held_out_votes(MEMBERS, FOLDS, both.pairs), votes(RUNS.labelings, both.pairs, RUNS.weights)
    gains = both.weight * (log_likelihoods(learned, both) - log_likelihoods(plain, both))
    assert found.gain == pytest.approx(gains.sum())
    assert len(found.together) == len(found.wrong) == len(found.suspects(np.arange(N))) == len(must)
    np.testing.assert_allclose(found.wrong, expit(-calibrated(found.together, must)))
    assert found.weights == pytest.approx(family_weights(both, MEMBERS, FOLDS, log_likelihoods(plain, both)))


@pytest.mark.parametrize("kind", [True, False])
def test_pairs_of_both_kinds_need_no_contrast(kind):
    pairs = stated()
    assert pairs.contrasted(N, np.random.RandomState(0)) is pairs
    nothing = Statements(pairs.pairs[:0], pairs.same[:0], pairs.weight[:0])
    assert nothing.contrasted(N, np.random.RandomState(0)) is nothing
    all_but_one = Statements(pairs.pairs[:3], np.array([kind, kind, not kind]), np.ones(3))
    assert all_but_one.contrasted(N, np.random.RandomState(0)) is all_but_one
    alone = Statements(pairs.pairs[:1], np.array([kind]), np.array([0.5]))
    found = alone.contrasted(N, np.random.RandomState(0))
    assert (found.same.tolist(), found.weight.tolist()) == ([kind, not kind], [0.5, 0.5])
    assert found.n_stated is None


def test_given_pairs_are_judged_by_given_pairs_alone():
    hints = Constraints(N, [(0, 3), (3, 6), (6, 1)], [(0, 2), (5, 7)])
    pairs = Statements.with_entailed(hints, np.random.RandomState(0))
    assert len(pairs) > pairs.n_stated == 5
    found = Evidence.of(pairs, MEMBERS, FOLDS, RUNS, np.random.RandomState(0))
    given = pairs.stated()
    assert (len(given), given.n_stated) == (5, None)
    odds = calibrated(found.together[:5], given)
    np.testing.assert_allclose(found.wrong[:5], expit(np.where(given.same, -odds, odds)))
    every = calibrated(found.together, pairs)[5:]
    np.testing.assert_allclose(found.wrong[5:], expit(np.where(pairs.same[5:], -every, every)))
    suspects = found.suspects(np.arange(N) + 100)
    assert {suspect.rows for suspect in suspects} == {tuple(pair + 100) for pair in given.pairs}
    assert [suspect.wrong for suspect in suspects] == sorted((s.wrong for s in suspects), reverse=True)
    for suspect in suspects:
        t = next(t for t, pair in enumerate(given.pairs) if tuple(pair + 100) == suspect.rows)
        wrong = found.wrong[t]
        assert suspect.wrong == pytest.approx(0.1 * wrong / (0.1 * wrong + 0.9 * (1 - wrong)))
        assert suspect.together == found.together[t]
        assert suspect.kind == ("must-link" if given.same[t] else "cannot-link")


def test_comparisons_and_preferences_add_to_the_gain_by_their_weight():
    compared = Comparisons(N, nearer=[(0, 3, 1), (6, 9, 2), (12, 4, 15)], weight=[1.0, 0.5, 2.0])
    liked = (Preference(Y, RUN, 2.0),)
    others = [
        HeldOutComparisons(compared, np.array([1.0, -0.5, 0.5])),
        HeldOutPreferences.of(liked, FOLDS, np.random.RandomState(0)),
    ]
    pairs = stated()
    alone = Evidence.of(pairs, MEMBERS, FOLDS, RUNS, np.random.RandomState(0))
    found = Evidence.of(pairs, MEMBERS, FOLDS, RUNS, np.random.RandomState(0), others)
    gain = 0.0
    for held_out, scores in zip(others, found.scores, strict=True):
        np.testing.assert_array_equal(scores, held_out.scores(MEMBERS, FOLDS))
        learned, plain = (log_expit(log_odds(held_out, values)) for values in (scores, held_out.plain_scores(RUNS)))
        gain += float(held_out.weight @ (learned - plain))
    assert found.gain == pytest.approx(alone.gain + gain)
    assert found.others == tuple(others)
    suspects = [suspect for suspect in found.suspects(np.arange(N)) if suspect.kind == "comparison"]
    chances = reversed_chance(others[0], found.scores[0])
    assert sorted((s.rows, s.than, round(s.wrong, 9), s.together) for s in suspects) == sorted(
        (tuple(near), tuple(far), round(float(wrong), 9), float(score))
        for near, far, wrong, score in zip(
            compared.near.tolist(), compared.far.tolist(), chances, found.scores[0], strict=True
        )
    )
    odds = log_odds(others[0], found.scores[0])
    opposite = 1 / (1 + np.exp(odds))  # before it is known that few answers are reversed
    np.testing.assert_allclose(chances, 0.1 * opposite / (0.1 * opposite + 0.9 * (1 - opposite)))


def test_weights_of_members_add_up_within_families():
    members = [Member("a", Y, 0, weight=3.0), Member("a", Y, 1), Member("b", Y, 0, weight=0.2)]
    np.testing.assert_allclose(member_weights(members, {"a": 2.0, "b": 0.5}), [1.5, 0.5, 0.5])
    np.testing.assert_allclose(member_weights(members), [0.75, 0.25, 1.0])
    found = unsupervised_members(RUNS)
    assert [(member.family, member.fold, member.weight) for member in found] == [
        (UNSUPERVISED, -1, 0.75),
        (UNSUPERVISED, -1, 0.25),
    ]
    assert shared_rows(np.array([0, 2, 2]), np.array([1, 1, 0])).tolist() == [[0, 1], [0, 0], [1, 1]]


@pytest.mark.parametrize(
    ("gain", "error", "enough"),
    [(1.01, 1.0, True), (0.99, 1.0, False), (1.51, 2.0, True), (1.49, 2.0, False), (0.51, 0.01, True),
     (0.6, 1.0, False)],
)  # fmt: skip
def test_hints_have_full_weight_from_half_a_unit_and_half_an_error(gain, error, enough):
    pairs = np.arange(40).reshape(20, 2)
    evidence = Evidence(Statements(pairs, np.arange(20) < 10, np.ones(20)), None, None, gain, error, {}, 2)
    assert evidence.z == pytest.approx(gain / error)
    if enough:
        assert evidence.constraint_weight == 1.0
    else:  # the chance that it is positive, a standard error less
        assert evidence.constraint_weight < 1.0
        assert evidence.constraint_weight == pytest.approx(normal_below(gain / error - 1.0))


@pytest.mark.parametrize(
    ("z", "lead", "weight"),
    [(0.0, 0.0, 0.0), (2.0, -2.0, 0.0), (-3.0, 1.0, 0.0), (4 * np.log(2), 0.0, 0.5), (0.0, 4 * np.log(2), 0.5),
     (4 * np.log(2), 4 * np.log(2), 0.75), (80.0, 80.0, 1.0)],
)  # fmt: skip
def test_weight_of_answers_to_chosen_questions(z, lead, weight):
    """If half of what there is to lose is, it halves whenever the mean of the two z-scores grows by 2 log 2."""
    pairs = Statements(np.arange(40).reshape(20, 2), np.arange(20) < 10, np.ones(20))
    families = {"a": 1.0, "b": 0.5, UNSUPERVISED: 0.8}
    evidence = Evidence(pairs, None, None, 4.0 * z, 4.0, families, 2, chosen=True, satisfied=0.625, lead=lead)
    assert evidence.constraint_weight == pytest.approx(weight)
    faded = evidence.faded_weights()
    assert [faded["a"], faded["b"]] == pytest.approx([weight, 0.5 * weight])
    assert sum(faded.values()) == pytest.approx(sum(families.values()))
    others = Evidence(pairs, None, None, 4.0 * z, 4.0, families, 2, lead=lead)
    assert others.constraint_weight == Evidence(pairs, None, None, 4.0 * z, 4.0, families, 2).constraint_weight


@pytest.mark.parametrize(
    ("satisfied", "scale"), [(0.0, 0.5), (0.5, 0.5), (0.55, 1.1), (0.7, 2.9), (0.75, 3.5), (1.0, 3.5)]
)
def test_answers_need_more_evidence_the_more_of_them_clusters_without_hints_satisfy(satisfied, scale):
    pairs = Statements(np.arange(40).reshape(20, 2), np.arange(20) < 10, np.ones(20))
    evidence = Evidence(pairs, None, None, 4.0, 4.0, {}, 2, chosen=True, satisfied=satisfied, lead=3.0)
    assert evidence.advantage == pytest.approx(2.0)
    assert evidence.scale == pytest.approx(scale)
    assert evidence.constraint_weight == pytest.approx(1 - np.exp(-2.0 / scale))


def test_lead_compares_the_given_pairs_that_members_and_clusters_without_hints_satisfy():
    pairs = Statements(
        np.array([(0, 1), (0, 20), (21, 22), (0, 59)]), np.array([True, True, False, True]), np.ones(4), 3
    )
    found = Evidence.of(pairs, MEMBERS, FOLDS, RUNS, np.random.RandomState(0), chosen=True)
    members = (found.together[:3] > 0.5) == pairs.same[:3]
    plain = (RUNS.labels[pairs.pairs[:3, 0]] == RUNS.labels[pairs.pairs[:3, 1]]) == pairs.same[:3]
    only_members, only_plain = (members & ~plain).sum(), (plain & ~members).sum()
    assert found.satisfied == pytest.approx(1 / 3) == plain.mean()
    assert found.lead == pytest.approx((only_members - only_plain) / np.sqrt(only_members + only_plain + 1))
    assert found.chosen
    compared = HeldOutComparisons(Comparisons(N, [(0, 3, 1)]), np.ones(1))
    none = Statements.of(Constraints(N), np.random.RandomState(0))
    assert Evidence.of(none, (), FOLDS, RUNS, np.random.RandomState(0), [compared]).lead == 0.0
    assert Evidence.of(none, (), FOLDS, RUNS, np.random.RandomState(0), [compared]).satisfied == 0.0


@pytest.mark.parametrize(
    ("satisfied", "others", "lead"),
    [([1, 1, 1, 0], [0, 0, 0, 0], 1.5), ([1, 1, 1, 0], [1, 1, 1, 0], 0.0), ([1, 1, 0, 0], [0, 0, 1, 1], 0.0),
     ([1, 1, 1, 0], [0, 0, 0, 1], 2 / np.sqrt(5)), ([0, 0, 0, 1], [1, 1, 1, 1], -1.5), ([], [], 0.0)],
)  # fmt: skip
def test_lead_is_the_statistic_of_mcnemars_test(satisfied, others, lead):
    assert lead_in_pairs(np.array(satisfied, dtype=bool), np.array(others, dtype=bool)) == pytest.approx(lead)


def test_answers_are_weighted_by_how_well_they_cover_the_clusters():
    pairs = Statements(np.arange(40).reshape(20, 2), np.arange(20) < 5, np.ones(20))
    evidence = Evidence(pairs, None, None, 400.0, 4.0, {"a": 1.0, UNSUPERVISED: 1.0}, 5, chosen=True, lead=100.0)
    assert evidence.coverage == pytest.approx(1 / 3)  # a must-link for each cluster
    assert evidence.constraint_weight == pytest.approx(1 / 3)


def normal_below(z):
    """The distribution function of the normal distribution, by a sum."""
    grid = np.linspace(-12, z, 200_001)
    density = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    return float(np.sum((density[1:] + density[:-1]) / 2 * np.diff(grid)))
