"""The parts of Likewise, each against its definition."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import check_grad
from sklearn.datasets import make_blobs

from likewise.constraints import Constraints, Partition
from likewise.front import _soft_assignment as soft
from likewise.front._choose_k import at_least_clique, choose_n_clusters
from likewise.front._evidence import (
    Evidence,
    agreement,
    align_labels,
    calibrated,
    family_weights,
    held_out_votes,
    log_likelihoods,
    matching_rows,
)
from likewise.front._folds import MAX_PAIRS, Statements, drop_rows, row_folds
from likewise.front._learned_map import Space, learned_map, links_of
from likewise.front._members import Member
from likewise.front._unsupervised import Features
from likewise.prepare._linear import LinearFeatures


def statements(pairs, same):
    return Statements(np.array(pairs), np.array(same), np.ones(len(pairs)))


@pytest.mark.parametrize("rank", [2, 4])
@pytest.mark.parametrize("closed", [True, False])
def test_learning_is_its_formula(closed, rank):
    rng = np.random.default_rng(0)
    F = rng.normal(size=(50, 4)) * [4.0, 2.0, 1.0, 1.0]
    must, cannot = np.array([(0, 1), (2, 3), (4, 5), (10, 30)]), np.array([(0, 2), (6, 7)])
    d, m, c = 4, len(must), len(cannot)
    inside, between = (gaps.T @ gaps / 2 for gaps in (F[p[:, 0]] - F[p[:, 1]] for p in (must, cannot)))
    variance = np.trace(inside) / (m * d)
    A = (inside + 0.3 * d * variance * np.eye(d)) / (m + 0.3 * d)
    B = (between + 0.3 * d * np.cov(F.T, bias=True)) / (c + 0.3 * d)
    values, V = eigh(B, A)
    kept = np.argsort(-values)[:rank]
    kept = kept[values[kept] > 1]
    expected = F @ (V[:, kept] * (1 - 1 / values[kept]))
    found = F @ learned_map(Space(F), links_of(Constraints(50, must, cannot), closed=closed), rank)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, rtol=1e-6, atol=1e-8)


def test_a_partition_that_parts_counts_as_many_links_as_rows():
    F = np.random.default_rng(2).normal(size=(30, 3))
    codes = np.where(np.arange(30) < 12, np.arange(30) % 3, -1)
    hints = Constraints(30, partitions=[Partition(codes, different_across=True)])
    rows, _, cannot = links_of(hints, closed=True)
    assert cannot.n_links == 12
    np.testing.assert_array_equal(rows, np.arange(12))
    every = [(i, j) for i in range(12) for j in range(i) if codes[i] != codes[j]]
    gaps = np.array([F[i] - F[j] for i, j in every])
    np.testing.assert_allclose(cannot.matrix(F[rows]), 12 * gaps.T @ gaps / 2 / len(every))


def test_a_closed_group_counts_as_its_scatter():
    F = np.random.default_rng(1).normal(size=(30, 3))
    chain = Constraints(30, must_link=[(0, 1), (1, 2)])
    block = Constraints(30, partitions=[Partition(np.where(np.arange(30) < 3, 0, -1))])
    as_pairs, as_block = (learned_map(Space(F), links_of(hints, closed=True), 3) for hints in (chain, block))
    unclosed = learned_map(Space(F), links_of(block, closed=False), 3)
    np.testing.assert_allclose(as_pairs, as_block)
    np.testing.assert_allclose(np.abs(as_block), np.abs(unclosed), atol=1e-9)


def test_a_family_fades_only_beyond_chance():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    pairs = rng.integers(0, 400, size=(120, 2))
    stated = statements(pairs, y[pairs[:, 0]] == y[pairs[:, 1]])
    folds = np.arange(400) % 4
    noise = rng.integers(0, 2, size=400)
    family = {"right": y, "also right": 1 - y, "blind": noise}
    members = [Member(name, labels, fold) for name, labels in family.items() for fold in range(4)]
    found = family_weights(stated, members, folds, log_likelihoods(np.full(120, 0.5), stated))
    assert found["right"] == found["also right"] == 1.0
    assert found["blind"] < 0.01
    assert found["without hints"] < 0.01


def test_the_best_family_is_the_one_that_is_right_where_it_weighs():
    y = np.repeat([0, 1], 100)
    pairs = np.random.default_rng(3).permutation(200)[:120].reshape(60, 2)
    heavy, light = y.copy(), y.copy()
    heavy[pairs[:5, 0]] = 1 - heavy[pairs[:5, 0]]  # wrong on five pairs that weigh 1
    light[pairs[-15:, 0]] = 1 - light[pairs[-15:, 0]]  # wrong on fifteen that weigh next to nothing
    weight = np.repeat([1.0, 1e-3], [45, 15])
    stated = Statements(pairs, y[pairs[:, 0]] == y[pairs[:, 1]], weight)
    members = [Member(name, labels, fold) for name, labels in (("h", heavy), ("l", light)) for fold in range(4)]
    found = family_weights(stated, members, np.arange(200) % 4, np.full(60, -0.7))
    assert found["l"] == 1.0 > found["h"]


def test_a_small_lag_costs_nothing():
    y = np.repeat([0, 1], 100)
    pairs = np.random.default_rng(4).permutation(200)[:120].reshape(60, 2)
    stated = Statements(pairs, y[pairs[:, 0]] == y[pairs[:, 1]], np.ones(60))
    wrong = y.copy()
    wrong[pairs[0, 0]] = 1 - wrong[pairs[0, 0]]  # one pair of sixty: within chance
    members = [Member(name, labels, fold) for name, labels in (("all", y), ("but one", wrong)) for fold in range(4)]
    assert family_weights(stated, members, np.arange(200) % 4, np.full(60, -0.7))["but one"] == 1.0


def test_a_gain_counts_statements_by_their_weight():
    y = np.repeat([0, 1], 100)
    pairs = np.random.default_rng(5).permutation(200)[:80].reshape(40, 2)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    members = [Member("a", y, fold) for fold in range(4)]
    unsupervised = [np.random.default_rng(6).integers(0, 2, 200)]
    once, thrice = (
        Evidence.of(Statements(pairs, same, np.full(40, weight)), members, np.arange(200) % 4, unsupervised, None)
        for weight in (1.0, 3.0)
    )
    assert thrice.gain > 2 * once.gain > 0


def test_suspects_show_the_probability_after_bayes_rule():
    stated = statements([(0, 1), (2, 3)], [True, False])
    evidence = Evidence(stated, np.array([0.2, 0.5]), np.array([0.9, 0.5]), 0.0, 0.0, {})
    first, second = evidence.suspects(np.array([5, 6, 7, 8]))
    assert (first.rows, first.kind, second.rows, second.kind) == ((5, 6), "must-link", (7, 8), "cannot-link")
    assert first.wrong == pytest.approx(0.1 * 0.9 / (0.1 * 0.9 + 0.9 * 0.1))
    assert second.wrong == pytest.approx(0.1)


def test_the_gradient_of_the_soft_assignment(monkeypatch):
    rng = np.random.default_rng(0)
    F, start = rng.normal(size=(20, 3)), rng.integers(0, 3, size=20)
    stated = statements([(0, 1), (2, 3), (4, 5), (3, 0), (0, 9)], [True, False, True, False, True])
    seen = {}

    def look(loss, x0, **_):
        seen["error"] = check_grad(lambda w: loss(w)[0], lambda w: loss(w)[1], x0 + 0.1 * rng.normal(size=x0.shape))
        return type("Found", (), {"x": x0})

    monkeypatch.setattr(soft, "minimize", look)
    soft.softmax_labels(Space(F).affine, stated, start, 3)
    assert seen["error"] < 1e-5


def test_folds_leave_out_every_hint_that_touches_them():
    y = np.random.default_rng(0).integers(0, 3, size=60)
    hints = Constraints.sample(y, "random_pairs", 80, random_state=0) | Constraints.from_labels(
        np.where(np.arange(60) < 9, y, -1)
    )
    folds = row_folds(60, np.random.RandomState(0))
    assert np.bincount(folds).tolist() == [15, 15, 15, 15]
    for fold in range(4):
        assert not drop_rows(hints, folds == fold).constrained_rows()[folds == fold].any()


def test_labels_of_many_rows_are_drawn_from():
    hints = Constraints.from_labels(np.arange(1000) % 3)
    assert 1000 < len(Statements.of(hints, np.random.RandomState(0))) <= MAX_PAIRS


def test_only_members_that_did_not_see_a_hint_are_asked():
    folds, pairs = np.array([0, 0, 1, 1]), np.array([[0, 1], [2, 3], [1, 2]])
    members = [
        Member("a", np.array([0, 0, 0, 0]), 0),
        Member("a", np.array([0, 1, 2, 3]), 1),
        Member("b", np.array([0, 1, 1, 1]), 0),
        Member("b", np.array([0, 1, 1, 1]), 1),
    ]
    np.testing.assert_allclose(held_out_votes(members, folds, pairs), [0.5, 0.5, 0.75])


def test_a_family_whose_members_all_saw_a_constraint_has_no_vote():
    folds, pairs = np.array([0, 0, 1, 1]), np.array([[0, 1]])
    members = [Member("a", np.array([0, 0, 1, 1]), 0), Member("b", np.array([0, 1, 1, 1]), 1)]
    np.testing.assert_allclose(held_out_votes(members, folds, pairs), [1.0])


def test_calibration_follows_the_hints():
    rng = np.random.default_rng(0)
    together = rng.uniform(size=4000)
    same = rng.uniform(size=4000) < 1 / (1 + np.exp(-(1.0 + 4.0 * (together - 0.5))))
    odds = calibrated(together, statements(np.zeros((4000, 2), dtype=int), same))
    np.testing.assert_allclose(odds, 1.0 + 4.0 * (together - 0.5), atol=0.4)


def test_calibration_before_any_constraint_is_even_at_half_of_the_votes():
    together = np.array([0.0, 0.5, 1.0])
    nothing = Statements(np.zeros((3, 2), dtype=int), np.array([True, True, False]), np.full(3, 1e-12))
    np.testing.assert_allclose(calibrated(together, nothing), [-3.0, 0.0, 3.0], atol=1e-6)


def test_a_weight_of_two_counts_as_two_statements():
    rng = np.random.default_rng(2)
    together, same = rng.uniform(size=30), rng.uniform(size=30) < 0.5
    pairs, weight = np.zeros((30, 2), dtype=int), np.repeat([1.0, 2.0], 15)
    twice = np.repeat(np.arange(30), np.repeat([1, 2], 15))
    weighted = calibrated(together, Statements(pairs, same, weight))
    repeated = calibrated(together[twice], Statements(pairs[twice], same[twice], np.ones(45)))
    np.testing.assert_allclose(weighted[twice], repeated, rtol=1e-7)


def test_several_calibrations_at_once_are_each_its_own():
    rng = np.random.default_rng(1)
    shares, same = rng.uniform(size=(3, 60)), rng.uniform(size=60) < 0.4
    stated = statements(np.zeros((60, 2), dtype=int), same)
    expected = [calibrated(share, stated) for share in shares]
    np.testing.assert_allclose(calibrated(shares, stated), expected, rtol=1e-7)


def test_hints_of_one_kind_still_have_odds():
    odds = calibrated(np.array([0.0, 1.0, 1.0]), statements([(0, 1)] * 3, [True] * 3))
    assert np.isfinite(odds).all()
    assert odds[0] < odds[1]


@pytest.mark.parametrize(
    ("together", "same", "verdict"),
    [
        (np.repeat([0.0, 1.0], 50), np.repeat([False, True], 50), "right"),
        (np.repeat([0.0, 1.0], 50), np.tile([False] * 4 + [True], 20), "wrong"),
        (np.linspace(0.2, 0.8, 100), np.repeat([False, True], 50), "open"),
        (np.append(np.full(75, 0.5), np.zeros(25)), np.tile([False] * 4 + [True], 20), "open"),
    ],
)
def test_verdicts(together, same, verdict):
    stated = statements(np.zeros((100, 2), dtype=int), same)
    evidence = Evidence(stated, together, np.full(100, 0.5), 0.0, 0.0, {})
    assert evidence.verdict() == verdict
    np.testing.assert_allclose(evidence.right(), 0.9)


def test_clusters_keep_their_names():
    labels, before = np.array([2, 2, 0, 0, 1]), np.array([0, 0, 1, 1, 1])
    after = align_labels(labels, before)
    assert after[:4].tolist() == [0, 0, 1, 1]
    assert after[4] == 2


def test_agreement_of_families():
    labels = np.array([0, 0, 1, 1])
    members = [Member("a", labels, 0), Member("a", labels, 1), Member("b", np.array([1, 1, 1, 0]), 0)]
    # the large cluster of b is mostly cluster 0, the small one is cluster 1
    np.testing.assert_allclose(agreement(members, matching_rows(members, labels)), [1.0, 1.0, 0.5, 1.0])


def kinds():
    rng = np.random.default_rng(0)
    return [
        (rng.normal(size=(30, 5)), "table of one scale"),
        (rng.normal(size=(30, 5)) * [1, 10, 100, 1000, 1e4], "table"),
        (rng.poisson(0.1, size=(30, 50)).astype(float), "counts"),
        (rng.integers(0, 17, size=(30, 8)).astype(float), "table of one scale"),
    ]


@pytest.mark.parametrize(("X", "kind"), kinds(), ids=[kind for _, kind in kinds()])
def test_recipes(X, kind):
    features = LinearFeatures()
    _, L = features.fit_transform(X)
    assert features.kind == kind
    np.testing.assert_allclose(features.transform(X)[1], L, atol=1e-9)
    lengths = np.square(L).sum(axis=1)
    if kind == "counts":
        assert np.all(np.isclose(lengths, 1) | (lengths == 0))
    else:
        assert np.isclose(lengths.mean(), 1)


@pytest.mark.parametrize("k", [2, 5])
def test_the_number_of_separated_blobs(k):
    X, y = make_blobs(40 * k, centers=np.eye(k) * 20, cluster_std=1.0, random_state=0)
    features = Features.of(X)
    hints = Constraints.sample(y, "random_pairs", 80, random_state=0)
    assert choose_n_clusters(features, hints, np.random.RandomState(0)) == k
    links = Constraints(len(y), must_link=hints.must_link)
    assert choose_n_clusters(features, links, np.random.RandomState(0)) == k
    assert choose_n_clusters(features, Constraints(len(y)), np.random.RandomState(0)) == k


def test_never_fewer_clusters_than_rows_that_all_differ():
    clique = Constraints(9, cannot_link=[(i, j) for i in range(5) for j in range(i)])
    assert at_least_clique(clique, 2) == 5
    assert at_least_clique(clique, 7) == 7
    contradictory = clique | Constraints(9, must_link=[(0, 1)])
    assert at_least_clique(contradictory, 2) >= 4
