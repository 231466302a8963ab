"""The parts of Likewise, each against its definition."""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import check_grad, minimize
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score

from likewise.constraints import Comparisons, Constraints, Partition, Preference
from likewise.evaluation import constraint_accuracy
from likewise.front import _answerer, _kmeans
from likewise.front import _choose_k as counting
from likewise.front import _folds as folding
from likewise.front import _soft_assignment as soft
from likewise.front import _unsupervised as unsupervised_runs
from likewise.front._advice import _rounded, advice
from likewise.front._answerer import decided_share
from likewise.front._budget import Budget
from likewise.front._choose_k import READABLE, STEP, _candidates, _silhouette, at_least_clique, choose_n_clusters
from likewise.front._consensus import Consensus, _too_few, reweighted
from likewise.front._evidence import (
    SURE,
    UNSUPERVISED,
    Evidence,
    _family_weight,
    _sum_error,
    align_labels,
    calibrated,
    family_weights,
    held_out_votes,
    log_likelihoods,
    matching_rows,
)
from likewise.front._folds import (
    MAX_PAIRS,
    N_ENTAILED,
    Statements,
    drop_rows,
    random_pairs,
    row_folds,
    seen_constraints,
)
from likewise.front._held_out import HeldOutComparisons, HeldOutPreferences
from likewise.front._learned_map import Space, learned_map, links_of
from likewise.front._members import Member
from likewise.front._report import Report, kept_comparisons
from likewise.front._unsupervised import Features, Unsupervised, cluster_unsupervised
from likewise.prepare import DataKind
from likewise.prepare._linear import LinearFeatures
from likewise.projections import ComparisonProjection
from likewise.projections._comparison_loss import Terms


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


@pytest.mark.parametrize("shape", [(50, 4), (12, 20)])
@pytest.mark.parametrize("unit", [1.0, 1e3])
def test_learning_from_comparisons_is_the_projection(shape, unit):
    n, d = shape
    F = unit * np.random.default_rng(0).normal(size=shape) * np.linspace(3, 1, d)
    hints = Constraints(n, [(0, 5)], [(3, 8)]) | Comparisons(n, nearer=[(0, 1, 2), (3, 4, 6), (7, 9, 10), (2, 8, 11)])
    found = Space(F).compared(Terms.of(hints), 2)
    expected = ComparisonProjection(2, max_iter=40).fit_transform(F, constraints=hints)
    found, expected = (each - each.mean(axis=0) for each in (found, expected))
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-5)


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


@pytest.mark.parametrize(("values", "error"), [([], 0.0), ([3.0], 0.0), ([1.0, 3.0], 2.0), ([1.0, 3.0, 5.0], 12**0.5)])
def test_the_error_of_a_sum(values, error):
    """One value alone does not show how much values vary."""
    assert _sum_error(np.array(values)) == pytest.approx(error)


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
    run = np.random.default_rng(6).integers(0, 2, 200)
    unsupervised = Unsupervised(2, run, np.zeros((200, 2)), [run], np.ones(1))
    once, thrice = (
        Evidence.of(Statements(pairs, same, np.full(40, weight)), members, np.arange(200) % 4, unsupervised, None)
        for weight in (1.0, 3.0)
    )
    assert thrice.gain > 2 * once.gain > 0


def test_suspects_show_the_probability_after_bayes_rule():
    stated = statements([(0, 1), (2, 3)], [True, False])
    evidence = Evidence(stated, np.array([0.2, 0.5]), np.array([0.9, 0.5]), 0.0, 0.0, {}, 2)
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


def test_folds_leave_out_preferences_that_say_nothing_without_them():
    better, worse = np.array([0, 1, 1, 1, 1, 1]), np.ones(6, dtype=int)
    preferences = [Preference(better, worse), Preference(better[::-1], worse[::-1])]
    hints = Constraints(6, preferences=preferences)
    (left,) = drop_rows(hints, np.arange(6) == 0).preferences  # the first was about row 0 alone
    assert left == preferences[1].without(np.arange(6) == 0)


@pytest.mark.parametrize(("n_must", "n_cannot", "is_many"), [(2, 2, False), (3, 2, True), (3, 3, True), (5, 0, True)])
def test_of_many_pairs_none_that_they_entail_are_asked(n_must, n_cannot, is_many, monkeypatch):
    monkeypatch.setattr(folding, "MAX_PAIRS", 4)
    chain = np.array([(row, row + 1) for row in range(9)])
    hints = Constraints(10, chain[:n_must], chain[n_must : n_must + n_cannot])
    found = Statements.with_entailed(hints, np.random.RandomState(0))
    assert (len(found) == n_must + n_cannot) == is_many


@pytest.mark.parametrize("seed", range(5))
def test_members_see_what_follows_from_hints_but_nothing_of_hidden_rows(seed):
    rng = np.random.RandomState(seed)
    y = rng.randint(3, size=40)
    hints = Constraints.sample(y, "random_pairs", 60, random_state=seed)
    hidden = rng.permutation(np.arange(40) % 4) == 0
    seen = seen_constraints(hints, hidden, rng, closed=True)
    assert not seen.constrained_rows()[hidden].any()
    entailed = hints.expand(closed=True)
    must, cannot = (set(map(tuple, pairs.tolist())) for pairs in (entailed.must_link, entailed.cannot_link))
    assert set(map(tuple, seen.must_link.tolist())) <= must
    assert set(map(tuple, seen.cannot_link.tolist())) <= cannot
    # rows that only a hidden row links stay linked
    shown = np.flatnonzero(hints.constrained_rows() & ~hidden)
    groups, left = hints.groups()[shown], seen.groups()[shown]
    assert len(np.unique(left)) == len(np.unique(groups))
    stated = drop_rows(hints, hidden)
    assert seen.n_must_link - stated.n_must_link <= N_ENTAILED * len(shown)
    assert seen.n_cannot_link - stated.n_cannot_link <= N_ENTAILED * len(shown)
    assert seen_constraints(hints, hidden, rng, closed=False) == stated


def test_each_row_learns_of_two_others_of_its_group():
    y = np.repeat([0, 1, 2], [5, 6, 7])
    seen = seen_constraints(Constraints.from_labels(y), np.zeros(18, dtype=bool), np.random.RandomState(0), closed=True)
    assert len(np.unique(seen.must_link, axis=0)) == len(seen.must_link) == 2 * 18
    assert (np.bincount(seen.must_link.ravel()) == 4).all()  # it names two, and two name it


@pytest.mark.parametrize(
    ("gain", "error", "weight"), [(0.0, 0.0, 0.16), (-9.0, 1.0, 0.0), (0.9, 1.0, 0.46), (1.1, 1.0, 1.0)]
)
def test_what_learned_families_lose_the_unsupervised_runs_gain(gain, error, weight):
    stated = statements([(0, 1), (2, 3)], [True, False])
    weights = {"graph": 1.0, "linear": 0.4, UNSUPERVISED: 0.7}
    evidence = Evidence(stated, np.zeros(2), np.zeros(2), gain, error, weights, 2)
    assert evidence.constraint_weight == pytest.approx(weight, abs=0.005)
    faded = evidence.faded_weights()
    assert sum(faded.values()) == pytest.approx(sum(weights.values()))
    assert faded["graph"] == pytest.approx(evidence.constraint_weight)
    assert faded["linear"] == pytest.approx(0.4 * evidence.constraint_weight)


@pytest.mark.parametrize(
    ("gain", "kept_without", "words"),
    [
        (30.0, 0.6, ""),
        (2.6, 0.6, "give about 80 more hints"),
        (1.0, 0.6, "check the most doubtful of them, or give at least 80 more"),
        (-8.0, 0.6, "check the most doubtful of them, or give at least 80 more"),
        (-8.0, 0.97, "without hints, clusters would keep 97% of them, too"),
    ],
)
def test_advice_follows_from_the_gain(gain, kept_without, words):
    pairs = np.arange(160).reshape(80, 2)
    hints = Constraints(160, pairs[:40], pairs[40:])
    stated = Statements.of(hints, np.random.RandomState(0))
    evidence = Evidence(stated, np.zeros(80), np.zeros(80), gain, 6.3, {UNSUPERVISED: 1.0}, 2)
    nothing = np.zeros(160, dtype=int)
    consensus = Consensus(nothing, np.zeros((160, 2)), (), nothing, evidence, "", True, hints, hints)
    found = advice(consensus, hints, kept_without)
    assert words in found if words else found == ""


def advised(hints, *, n_clusters=2, gain=2.6, error=6.3, kept=0.6, fallback=""):
    stated = Statements.of(hints, np.random.RandomState(0))
    nothing = np.zeros(len(stated))
    evidence = Evidence(stated, nothing, nothing, gain, error, {UNSUPERVISED: 1.0}, n_clusters)
    rows = np.zeros(hints.n_samples, dtype=int)
    embedding = np.zeros((hints.n_samples, 2))
    return advice(Consensus(rows, embedding, (), rows, evidence, fallback, True, hints, hints), hints, kept)


def test_advice_where_hints_agree_or_cover_little():
    pairs = np.arange(160).reshape(80, 2)
    hints = Constraints(160, pairs[:40], pairs[40:])
    assert "nothing needs to be done" in advised(hints, kept=0.9)
    assert "nothing needs to be done" not in advised(hints, kept=0.899)
    assert advised(hints, n_clusters=40, gain=30.0).startswith("give more hints about each cluster")
    assert not advised(hints, n_clusters=40, gain=3.0).startswith("give more hints about each cluster")
    labels = Constraints.from_labels(np.where(np.arange(160) < 12, np.arange(160) % 12, -1))
    assert advised(labels, n_clusters=12, gain=30.0, error=2.0).startswith("give more labels about each cluster")
    joined = Constraints(3, [(0, 1), (1, 2)])
    assert advised(joined).startswith("the hints join all rows into one group")


def test_advice_where_nothing_was_learned():
    pairs = np.arange(60).reshape(30, 2)
    many, few = Constraints(60, pairs[:20], pairs[20:]), Constraints(60, pairs[:9], pairs[9:14])
    assert "allow more time (budget_s)" in advised(many, fallback="no clustering was trained on hints")
    assert advised(few, fallback="fewer than 25 hints").startswith("give up to 11 more hints: 25, counting")
    compared = few | Comparisons(60, nearer=[(0, 1, 2), (3, 4, 5)])  # two answers are worth one pair of two clusters
    assert advised(compared, fallback="worth fewer than 25 pairs").startswith("give 10 more pairs, or other hints")


def test_comparisons_and_preferences_cover_clusters_too():
    stated = statements([(2 * t, 2 * t + 1) for t in range(10)], [True] * 5 + [False] * 5)
    compared = Comparisons(20, nearer=[(0, 1, t) for t in range(2, 12)])
    better, worse = np.arange(20) % 2, np.arange(20) // 10
    preferences = tuple(Preference(better, worse, weight) for weight in (0.5, 3.0))
    asked = HeldOutPreferences.of(preferences, np.arange(20) % 4, np.random.RandomState(0))
    others = (HeldOutComparisons(compared, np.zeros(10)), asked)
    k = 10
    each = 5 / k + decided_share(k) * 10 / k + (1.0 + 3.0) / k
    evidence = Evidence(stated, np.zeros(10), np.zeros(10), 50.0, 2.0, {}, k, others)
    assert evidence.coverage == pytest.approx((each - 0.5) / 1.5)
    said = 20 + 10 + 4  # rows of pairs, comparisons, and what preferences count for
    count = 10 + 10 + len(asked.weight)
    assert evidence.z == pytest.approx(50 / 2 * np.sqrt(min(said / count, 1.0)))


def test_the_share_that_is_kept_counts_hints_of_all_kinds():
    labels = np.array([0, 0, 1, 1, 2, 2])
    pairs = Constraints(6, [(0, 1), (1, 2)], [(2, 4), (4, 5)])  # two of four are kept
    compared = Comparisons(6, nearer=[(0, 1, 2), (1, 2, 0), (3, 4, 5)], weight=[1.0, 2.0, 4.0])  # all but the second
    liked = Preference(labels, np.zeros(6, dtype=int), 3.0)
    disliked = Preference(np.zeros(6, dtype=int), labels, 5.0)
    assert kept_comparisons(labels, compared).tolist() == [True, False, True]
    every = pairs | compared | liked | disliked
    assert constraint_accuracy(labels, pairs) == 0.5
    assert constraint_accuracy(labels, Constraints(6) | compared) == pytest.approx(5 / 7)
    assert constraint_accuracy(labels, every) == pytest.approx((2 + 5 + 3) / (4 + 7 + 8))


@pytest.mark.parametrize(
    ("gain", "words"), [(2.5, "better than .* \\(log-likelihood \\+2.5 ± 1.0\\)"), (-2.5, "no better .* −2.5 ±")]
)
def test_a_report_says_why_hints_count(gain, words):
    report = Report(
        10, 2, DataKind.TABLE, "", "4 hints", trust="weighted", gain=gain, gain_error=1.0, constraint_weight=0.3
    )
    assert re.search(rf"weight 30%: held-out hints are predicted {words}", report.weight_in_words)
    assert ("what to do next", "ask; ask about rows 3, 4 first") in replace(
        report, advice="ask", ask_about=(3, 4)
    ).lines()
    assert ("what to do next", "ask") in replace(report, advice="ask").lines()
    fallen = replace(report, fallback="fewer than 25 hints")
    assert fallen.weight_in_words == "nothing: fewer than 25 hints. They apply to their own rows only"
    compared = replace(fallen, comparisons="2 comparisons")
    assert compared.weight_in_words == "nothing: fewer than 25 hints. Pairs apply to their own rows only"


@pytest.mark.parametrize(
    ("n_must", "n_cannot", "k", "coverage"),
    [(1, 24, 2, 1.0), (2, 23, 10, 0.0), (10, 40, 10, 1 / 3), (20, 5, 10, 1.0), (9, 144, 9, 0.926), (5, 95, 10, 1 / 3)],
)
def test_constraints_count_by_the_clusters_they_cover(n_must, n_cannot, k, coverage):
    count = n_must + n_cannot
    stated = Statements(np.arange(2 * count).reshape(-1, 2), np.arange(count) < n_must, np.ones(count))
    evidence = Evidence(stated, np.zeros(count), np.zeros(count), 50.0, 2.0, {}, k)
    assert evidence.constraint_weight == evidence.coverage == pytest.approx(coverage, abs=0.001)


@pytest.mark.parametrize(("k", "coverage"), [(1, 1.0), (2, 1.0), (3, 0.0)])
def test_two_clusters_are_always_covered(k, coverage):
    nothing = np.zeros(0)
    stated = Statements(np.zeros((0, 2), dtype=int), nothing.astype(bool), nothing)
    assert Evidence(stated, nothing, nothing, 0.0, 0.0, {}, k).coverage == coverage


def test_pairs_among_few_rows_count_as_no_more_than_rows():
    y = np.arange(18) % 9
    stated = Statements.of(Constraints.from_labels(y), np.random.RandomState(0))
    assert len(stated) == 153
    evidence = Evidence(stated, np.zeros(153), np.zeros(153), 6.0, 2.0, {}, 9)
    assert evidence.z == pytest.approx(3.0 * np.sqrt(18 / 153))


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
        (np.full(100, SURE), np.full(100, False), "right"),
        (np.full(100, 1 - SURE), np.full(100, True), "right"),
    ],
)
def test_verdicts(together, same, verdict):
    stated = statements(np.zeros((100, 2), dtype=int), same)
    evidence = Evidence(stated, together, np.full(100, 0.5), 0.0, 0.0, {}, 2)
    assert evidence.verdict() == verdict
    np.testing.assert_allclose(evidence.right(), 0.9)


def test_clusters_keep_their_names():
    labels, before = np.array([2, 2, 0, 0, 1]), np.array([0, 0, 1, 1, 1])
    after = align_labels(labels, before)
    assert after[:4].tolist() == [0, 0, 1, 1]
    assert after[4] == 2


def test_a_cluster_of_a_member_stands_for_the_one_that_most_of_its_rows_are_in():
    labels = np.array([0, 0, 1, 1])
    members = [Member("a", labels, 0), Member("b", np.array([1, 1, 1, 0]), 0)]
    assert matching_rows(members, labels).tolist() == [[True] * 4, [True, True, False, True]]


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


def test_hints_pull_the_number_of_clusters_toward_what_they_say():
    centers = np.repeat(np.eye(3) * 20, 2, axis=0) + np.tile([[1.4], [-1.4]], (3, 1))  # three pairs of blobs
    X, fine = make_blobs(240, centers=centers, cluster_std=1.0, random_state=0)
    features = Features.of(X)
    told = [Constraints.sample(y, "random_pairs", 60, random_state=0) for y in (fine, fine // 2)]
    assert [choose_n_clusters(features, hints, np.random.RandomState(0)) for hints in told] == [6, 3]
    links = [Constraints(240, must_link=hints.must_link) for hints in told]  # their share says nothing
    many, few = (choose_n_clusters(features, hints, np.random.RandomState(0)) for hints in links)
    assert many > few == 3


def test_without_hints_there_are_no_more_clusters_than_one_can_read():
    X, y = make_blobs(1200, 20, centers=45, random_state=0)
    features = Features.of(X)
    assert choose_n_clusters(features, Constraints(len(y)), np.random.RandomState(0)) <= READABLE
    hints = Constraints.sample(y, "random_pairs", 3000, random_state=0)
    assert choose_n_clusters(features, hints, np.random.RandomState(0)) > READABLE, "hints may ask for more"


def test_never_fewer_clusters_than_rows_that_all_differ():
    clique = Constraints(9, cannot_link=[(i, j) for i in range(5) for j in range(i)])
    assert at_least_clique(clique, 2) == 5
    assert at_least_clique(clique, 7) == 7
    contradictory = clique | Constraints(9, must_link=[(0, 1)])
    assert at_least_clique(contradictory, 2) >= 4


@pytest.mark.parametrize("n", [2, 3, 10, 50, 1_000, 5_000])
def test_numbers_of_clusters_that_are_tried(n):
    found = _candidates(n)
    assert found[0] == 2
    assert found[-1] <= max(2, min(np.sqrt(2 * n), n - 1))
    assert max(found[-1] + 1, round(found[-1] * STEP)) > max(2, min(np.sqrt(2 * n), n - 1))  # the next is too large
    assert all(after in (before + 1, round(before * STEP)) for before, after in pairwise(found))


def test_a_silhouette_is_the_mean_of_labelings_that_tell_rows_apart():
    G = np.array([[0.0], [0.1], [5.0], [5.2]])
    apart, mixed, same, alone = (np.array(each) for each in ([0, 0, 1, 1], [0, 1, 0, 1], [0] * 4, [0, 1, 2, 3]))
    rows = np.arange(4)
    expected = np.mean([silhouette_score(G, apart), silhouette_score(G, mixed)])
    assert _silhouette(G, [apart, same, mixed, alone], rows) == pytest.approx(expected)
    assert _silhouette(G, [same, alone], rows) == -1.0
    assert _silhouette(G, [apart], rows[:3]) == pytest.approx(silhouette_score(G[:3], apart[:3]))


def test_hints_that_look_wrong_are_left_out_and_others_weighted():
    hints = Constraints(8, [(0, 1), (2, 3)], [(4, 5), (6, 7)], must_weight=[1.0, 0.5])
    stated = Statements.of(hints, np.random.RandomState(0))
    wrong = np.array([0.8, 0.5, 0.95, 0.1])
    evidence = Evidence(stated, np.zeros(4), wrong, 0.0, 0.0, {}, 2)
    found = reweighted(hints, evidence)
    assert found.must_link.tolist() == [[0, 1], [2, 3]]
    np.testing.assert_allclose(found.must_weight, [0.18 / (0.18 + 0.08), 0.5 * 0.9])
    assert found.cannot_link.tolist() == [[6, 7]]
    np.testing.assert_allclose(found.cannot_weight, 0.9 * 0.9 / (0.9 * 0.9 + 0.1 * 0.1))


@pytest.mark.parametrize("fallback", ["", "fewer than 25 hints"])
def test_shares_of_families_add_up(fallback):
    hints = Constraints(160, np.arange(80).reshape(-1, 2), np.arange(80, 160).reshape(-1, 2))
    stated = Statements.of(hints, np.random.RandomState(0))
    weights = {"graph": 1.0, "linear": 0.5, UNSUPERVISED: 0.5}
    evidence = Evidence(stated, np.zeros(80), np.zeros(80), 30.0, 2.0, weights, 2)
    nothing = np.zeros(160, dtype=int)
    consensus = Consensus(nothing, np.zeros((160, 2)), (), nothing, evidence, fallback, True, hints, hints)
    assert consensus.weights == (
        {"graph": 0.0, "linear": 0.0, UNSUPERVISED: 1.0}
        if fallback
        else {"graph": 0.5, "linear": 0.25, UNSUPERVISED: 0.25}
    )
    assert consensus.constraint_weight == (0.0 if fallback else 1.0)


def test_random_pairs_are_of_two_rows_and_all_are_drawn():
    pairs = random_pairs(5, 2_000, np.random.RandomState(0))
    assert (pairs[:, 0] != pairs[:, 1]).all()
    assert len(np.unique(pairs, axis=0)) == 20


@pytest.mark.parametrize(("closed", "expected"), [(True, "fkk"), (False, "kkk")])
def test_one_start_is_from_constraints_where_they_are_certain(closed, expected, monkeypatch):
    made = []

    def noted(letter, start):
        def call(*args):
            made.append(letter)
            return start(*args)

        return call

    monkeypatch.setattr(_kmeans, "farthest_first", noted("f", _kmeans.farthest_first))
    monkeypatch.setattr(_kmeans, "kmeans_plus_plus", noted("k", _kmeans.kmeans_plus_plus))
    Z, y = make_blobs(60, centers=3, random_state=0)
    hints = Constraints.sample(y, "random_pairs", 20, random_state=0)
    labels = _kmeans.constrained_kmeans(Z, 3, hints, np.random.RandomState(0), closed=closed, starts=[], n_init=3)
    assert "".join(made) == expected
    assert len(np.unique(labels)) == 3
    made.clear()
    _kmeans.constrained_kmeans(Z, 3, hints, np.random.RandomState(0), closed=closed, starts=[y])  # no others
    assert made == []


@pytest.mark.parametrize(("n_values", "n_runs"), [(2, 45), (None, 30)])
def test_runs_in_linear_features_count_for_categories_alone(n_values, n_runs):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6)) if n_values is None else rng.integers(n_values, size=(60, 6)).astype(float)
    found = cluster_unsupervised(Features.of(X, DataKind.ONE_SCALE), 3, np.random.RandomState(0))
    assert len(found.labelings) == n_runs
    assert found.weights.sum() == pytest.approx(1.0)
    if n_values is not None:
        assert found.weights[:15].sum() == pytest.approx(0.5)


def test_calibration_is_where_the_posterior_is_flat():
    """The prior: an intercept of 0 ± 2, a slope of 6 ± 3 on the share of votes beyond one half."""
    rng = np.random.default_rng(7)
    together, same, weight = rng.uniform(size=12), rng.uniform(size=12) < 0.7, rng.uniform(0.2, 2.0, size=12)
    sign = np.where(same, 1.0, -1.0)

    def loss(parameters):
        odds = parameters[0] + parameters[1] * (together - 0.5)
        prior = np.sum(((parameters - [0.0, 6.0]) / [2.0, 3.0]) ** 2) / 2
        return weight @ np.log1p(np.exp(-sign * odds)) + prior

    intercept, slope = minimize(loss, [0.0, 6.0], tol=1e-12).x
    found = calibrated(together, Statements(np.zeros((12, 2), dtype=int), same, weight))
    np.testing.assert_allclose(found, intercept + slope * (together - 0.5), atol=1e-5)


def test_calibration_takes_small_steps_where_votes_contradict_all_statements():
    together, same = np.tile([0.0, 1.0], 300), np.tile([True, False], 300)
    odds = calibrated(together, statements(np.zeros((600, 2), dtype=int), same))
    assert odds[0] > 3 > -3 > odds[1]


@pytest.mark.parametrize("with_comparisons", [False, True])
def test_the_loss_of_the_soft_assignment_is_its_formula(monkeypatch, with_comparisons):
    rng = np.random.default_rng(0)
    F, start = rng.normal(size=(12, 2)), np.arange(12) % 3
    pairs, same, weight = np.array([(0, 1), (2, 3), (4, 5)]), np.array([True, False, True]), np.array([1.0, 0.5, 2.0])
    compared = Comparisons(12, nearer=[(6, 7, 8), (9, 10, 11)], weight=[0.5, 1.0])
    odds = np.array([0.4, -1.0])
    seen = {}

    def look(loss, x0, *, options, **_):
        seen.update(start=x0.reshape(3, 3), at=x0 + rng.normal(size=x0.shape), steps=options["maxiter"])
        seen["loss"] = loss(seen["at"])[0]
        return type("Found", (), {"x": x0})

    monkeypatch.setattr(soft, "minimize", look)
    X = Space(F).affine
    extra = (compared, odds) if with_comparisons else None
    labels, _ = soft.softmax_labels(X, Statements(pairs, same, weight), start, 3, None, extra)
    # at first, rows belong to the nearest mean, with the squared size of rows scaled to 10
    centered = F - F.mean(axis=0)
    means = np.array([centered[start == cluster].mean(axis=0) for cluster in range(3)])
    scale = 10 / np.mean(np.square(centered).sum(axis=1))
    np.testing.assert_allclose(seen["start"][:2], scale * means.T)
    np.testing.assert_allclose(seen["start"][2], -scale * np.square(means).sum(axis=1) / 2)
    nearest = np.linalg.norm(centered[:, None] - means, axis=2).argmin(axis=1)
    np.testing.assert_array_equal(labels, nearest)
    W = seen["at"].reshape(3, 3)
    P = np.exp(X @ W)
    P /= P.sum(axis=1, keepdims=True)
    mean = P.mean(axis=0)
    information = np.mean(np.sum(P * np.log(P), axis=1)) - mean @ np.log(mean)
    chance = [P[i] @ P[j] if kind else 1 - P[i] @ P[j] for (i, j), kind in zip(pairs, same, strict=True)]
    if with_comparisons:
        weight = np.concatenate([weight, compared.weight])
        for (i, j), (k, m), odd in zip(compared.near, compared.far, odds, strict=True):
            near, far, tie = P[i] @ P[j], P[k] @ P[m], 1 / (1 + np.exp(-odd))
            decided = 0.9 * near * (1 - far) + 0.1 * (1 - near) * far
            chance.append(decided + tie * (near * far + (1 - near) * (1 - far)))
    expected = -information - weight @ np.log(chance) / weight.sum() + 1e-4 / 2 * np.square(W[:2]).sum() / 3
    assert seen["loss"] == pytest.approx(expected, rel=1e-7)
    assert seen["steps"] == 40
    soft.softmax_labels(X, Statements(pairs, same, weight[:3]), start, 3, seen["start"], extra)
    assert seen["steps"] == 4


@pytest.mark.parametrize(
    ("n_sure", "n_contrary", "n_open", "verdict"),
    [
        (19, 0, 0, "open"),
        (20, 0, 0, "right"),
        (20, 1, 0, "right"),
        (39, 2, 0, "wrong"),
        (40, 2, 0, "right"),
        (30, 10, 70, "wrong"),
        (30, 10, 71, "open"),
        (30, 1, 71, "right"),
    ],
)
def test_a_verdict_takes_20_sure_statements_and_few_contrary_ones(n_sure, n_contrary, n_open, verdict):
    together = np.repeat([1.0, 0.5], [n_sure, n_open])
    same = np.arange(n_sure + n_open) >= n_contrary
    stated = statements(np.zeros((len(same), 2), dtype=int), same)
    assert Evidence(stated, together, np.full(len(same), 0.5), 0.0, 0.0, {}, 2).verdict() == verdict


@pytest.mark.parametrize(("z", "weight"), [(1.4, 1.0), (1.5, 1.0), (2.5, np.exp(-1.0)), (3.5, np.exp(-2.0))])
def test_a_family_loses_weight_from_one_and_a_half_errors_behind(z, weight):
    spread = np.tile([-1.0, 1.0], 8)
    behind = spread + z * _sum_error(spread) / 16
    assert _family_weight(behind) == pytest.approx(weight)


@pytest.mark.parametrize(
    ("gain", "error", "more"),
    [
        (4.0, 10.0, "about 75"),
        (3.0, 10.0, "about 190"),
        (2.76, 10.0, "about 240"),
        (2.74, 10.0, "at least 80"),
        (0.25, 0.25, "about 100"),
    ],
)
def test_advice_extrapolates_to_four_times_as_many(gain, error, more):
    """z, the gain in errors, has to be 0.5 + 0.5 / error, at most 1.5; it grows with the root of the number."""
    pairs = np.arange(160).reshape(80, 2)
    found = advised(Constraints(160, pairs[:40], pairs[40:]), gain=gain, error=error)
    assert f"give {more} more hints" in found


@pytest.mark.parametrize(("number", "rounded"), [(0.0, 5), (0.1, 5), (5.0, 5), (5.1, 10), (11.0, 15)])
def test_advised_numbers_are_multiples_of_five(number, rounded):
    assert _rounded(number) == rounded


@pytest.mark.parametrize(("closed", "penalty"), [(True, 0.3), (False, 1.0)])
def test_a_violation_costs_a_share_of_the_mean_squared_distance(monkeypatch, closed, penalty):
    seen = []

    def noted(points, penalties, price, rng):
        seen.append(price)
        return penalized(points, penalties, price, rng)

    penalized = _kmeans.penalized
    monkeypatch.setattr(_kmeans, "penalized", noted)
    Z, y = make_blobs(40, centers=2, random_state=0)
    hints = Constraints.sample(y, "random_pairs", 10, random_state=0)
    _kmeans.constrained_kmeans(Z, 2, hints, np.random.RandomState(0), closed=closed, starts=[y])
    assert seen == [pytest.approx(penalty * np.mean(np.square(Z - Z.mean(axis=0)).sum(axis=1)))]


def test_runs_without_hints_have_up_to_twice_as_many_clusters(monkeypatch):
    made = []

    def noted(points, k, stream):
        made.append((points.rows.shape[1], k))
        return kmeans_labels(points, k, stream)

    kmeans_labels = unsupervised_runs.kmeans_labels
    monkeypatch.setattr(unsupervised_runs, "kmeans_labels", noted)
    features = Features.of(make_blobs(50, 4, centers=3, random_state=0)[0])
    found = cluster_unsupervised(features, 4, np.random.RandomState(0))
    spaces = [features.graph.F.shape[1], features.both.F.shape[1]]
    assert sorted(made) == sorted((width, k) for width in spaces for k in (4, 6, 8) for _ in range(5))
    np.testing.assert_allclose(found.weights, 1 / 30)
    made.clear()
    cluster_unsupervised(features, 30, np.random.RandomState(0))
    assert sorted({k for _, k in made}) == [30, 45, 50], "no more clusters than rows"


def choice_of(monkeypatch, structure, hints=None, n=400):
    """The number of clusters that is chosen, if the structure of k clusters is that of a table."""
    runs = {k: [np.arange(n) % k] for k in structure}
    monkeypatch.setattr(counting, "_partitions", lambda *_: runs)
    monkeypatch.setattr(counting, "_structure", lambda _, labelings, __: structure[int(labelings[0].max()) + 1])
    features = type("Features", (), {"n": n, "graph": type("Graph", (), {"F": None})})
    return choose_n_clusters(features, hints or Constraints(n), np.random.RandomState(0))


@pytest.mark.parametrize("best", [2, 5, 20, 24])
@pytest.mark.parametrize("height", [0.2, 0.5, 1.0])
def test_the_number_of_clusters_is_the_mean_of_its_posterior(monkeypatch, best, height):
    ks = np.array([2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24])
    structure = np.where(ks == best, height, 0.1)
    found = choice_of(monkeypatch, dict(zip(ks.tolist(), structure.tolist(), strict=True)))
    readable = np.where(ks > 20, np.minimum(structure, structure[ks <= 20].max()), structure)
    sizes = np.log(ks)
    posterior = np.gradient(sizes) * ks**-1.5 * np.exp(5 * readable)
    assert found == round(np.exp(posterior @ sizes / posterior.sum()))


@pytest.mark.parametrize("n_cannot", [12, 1])
def test_hints_count_by_partitions_and_by_their_kinds(n_cannot):
    """Their likelihood counts half; the share of must-links counts if it fits what partitions say, within a factor."""
    rng = np.random.default_rng(0)
    ks, n = np.array([2, 3, 4, 6, 8]), 60
    labels = np.arange(n) % 4
    drawn = rng.integers(0, n, size=(400, 2))
    alike = labels[drawn[:, 0]] == labels[drawn[:, 1]]
    drawn, alike = drawn[drawn[:, 0] < drawn[:, 1]], alike[drawn[:, 0] < drawn[:, 1]]
    hints = Constraints(n, drawn[alike][:12], drawn[~alike][:n_cannot])
    runs = {int(k): [np.arange(n) % k, rng.integers(0, k, n)] for k in ks}
    prior = np.zeros(len(ks))
    found = counting._constraint_evidence(prior, np.log(ks), runs, hints, None, np.random.RandomState(0))
    stated = Statements.of(hints, np.random.RandomState(0))
    left, right = stated.pairs.T
    expected = []
    for labelings in runs.values():
        together = np.mean([labels[left] == labels[right] for labels in labelings], axis=0)
        expected.append(0.5 * stated.weight @ log_likelihoods(together, stated))
    chance = np.exp(expected)
    seen = np.exp(chance @ np.log(ks) / chance.sum())  # the number of clusters by partitions alone
    share = 12 / (12 + n_cannot)
    fits = 1 / 3 <= seen * share <= 3
    assert fits == (n_cannot == 12)
    if fits:
        by_chance = np.minimum(1.1 / ks, 0.95)
        expected += len(stated) * (share * np.log(by_chance) + (1 - share) * np.log(1 - by_chance))
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("same", [True, False])
def test_hints_of_one_kind_are_contrasted_with_pairs_of_the_other(same):
    pairs, weight = np.array([(0, 1), (2, 3), (4, 5)]), np.array([1.0, 0.5, 0.6])
    features = Features.of(np.random.default_rng(0).normal(size=(40, 3)))
    stated = Statements(pairs, np.full(3, same), weight)
    found = counting._with_both_kinds(stated, features, np.random.RandomState(0))
    np.testing.assert_array_equal(found.pairs[:3], pairs)
    np.testing.assert_array_equal(found.same, np.repeat([same, not same], 3))
    np.testing.assert_allclose(found.weight, [1.0, 0.5, 0.6, 0.7, 0.7, 0.7])
    if not same:  # neighbors are drawn as must-links
        assert (features.to_graph.graph_.toarray()[tuple(found.pairs[3:].T)] > 0).all()
    mixed = Statements(pairs, np.array([True, False, True]), weight)
    assert counting._with_both_kinds(mixed, features, np.random.RandomState(0)) is mixed


def test_structure_is_agreement_and_silhouette():
    G = np.random.default_rng(0).normal(size=(30, 2))
    runs = [np.random.default_rng(seed).integers(0, 3, 30) for seed in range(4)]
    agreement = np.mean([adjusted_rand_score(runs[i], runs[j]) for i in range(4) for j in range(i)])
    first_space = np.mean([silhouette_score(G, labels) for labels in runs[:2]])
    assert counting._structure(G, runs, np.arange(30)) == pytest.approx(agreement + first_space)


def test_two_runs_in_each_space_for_each_number_of_clusters():
    features = Features.of(make_blobs(30, 3, centers=2, random_state=0)[0])
    found = counting._partitions(features, np.random.RandomState(0), Budget(), 1)
    assert {k: len(labelings) for k, labelings in found.items()} == dict.fromkeys(_candidates(30), 4)
    assert [int(max(labels.max() for labels in labelings)) + 1 for labelings in found.values()] == list(found)
    assert counting._partitions(features, np.random.RandomState(1), Budget(), 1) is found


@pytest.mark.parametrize(("n", "expected"), [(2, [2]), (8, [2, 3, 4]), (72, [2, 3, 4, 5, 6, 7, 8, 10, 12])])
def test_candidates_grow_by_a_fifth_up_to_the_root_of_twice_the_rows(n, expected):
    assert _candidates(n) == expected


@pytest.mark.parametrize(("seen", "is_pairs"), [(0.49, True), (0.5, False), (0.51, False)])
def test_comparisons_are_pairs_if_less_than_half_of_the_ties_were_answered(monkeypatch, seen, is_pairs):
    monkeypatch.setattr(_answerer, "answered_ties", lambda *_: seen)
    assert _answerer.are_pairs(Comparisons(4, nearer=[(0, 1, 2)]), None) == is_pairs


@pytest.mark.parametrize(("k", "share"), [(2, 0.7 * 1.0 + 0.3 * 0.5), (4, 0.7 * 1.0 + 0.3 * 0.625)])
def test_ties_are_estimated_from_runs_and_equal_sizes(k, share):
    run = np.zeros(4, dtype=int)
    unsupervised = Unsupervised(k, run, np.zeros((4, 2)), [run], np.ones(1))
    near, far = np.array([(0, 1)]), np.array([(2, 3)])
    assert _answerer.tie_share(near, far, unsupervised) == pytest.approx(share)


@pytest.mark.parametrize(
    ("weights", "pairs", "expected"),
    [([24, 0], 24, "fewer than 25 hints"), ([25, 0], 25, ""), ([23, 1], 23, "worth fewer than 25 pairs")],
)
def test_it_takes_25_pairs_to_learn_from(weights, pairs, expected):
    n_pairs, n_preferences = weights
    liked = Preference(np.arange(60) % 2, np.arange(60) % 3)
    hints = Constraints(60, np.arange(2 * n_pairs).reshape(-1, 2), preferences=[liked] * n_preferences)
    stated = Statements.of(hints, np.random.RandomState(0))
    assert len(stated) == pairs
    assert _too_few(hints, stated, 2) == expected


def test_late_evidence_counts_a_preference_as_one_and_a_quarter_pairs():
    liked = Preference(np.arange(60) % 2, np.arange(60) % 3, 0.8)
    for n_pairs, enough in ((23, False), (24, True)):
        hints = Constraints(60, np.arange(2 * n_pairs).reshape(-1, 2), preferences=[liked])
        assert (_too_few(hints, Statements.of(hints, np.random.RandomState(0)), 2) == "") == enough


@pytest.mark.parametrize("limit", [2, 10])
def test_of_labels_of_many_rows_a_sample_is_drawn(monkeypatch, limit):
    monkeypatch.setattr(folding, "MAX_PAIRS", 100 * limit)
    sets = [np.arange(300) % k for k in (3, 5)]
    hints = Constraints(300, partitions=[Partition(codes, different_across=True) for codes in sets])
    found = folding._sampled(hints, np.random.RandomState(0))
    n_rows = int(np.sqrt(2 * (100 * limit // 4)))
    for partition, codes in zip(found.partitions, sets, strict=True):
        kept = partition.codes >= 0
        assert kept.sum() == n_rows
        assert partition.different_across
        alike = np.equal.outer(partition.codes[kept], partition.codes[kept])
        np.testing.assert_array_equal(alike, np.equal.outer(codes[kept], codes[kept]))
