"""Time of runs without hints and of numbers of clusters, by a clock that only tests move."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from cases.clock import Clock
from likewise.constraints import Constraints
from likewise.front import _budget as budget_module
from likewise.front import _choose_k as counting
from likewise.front import _unsupervised as module
from likewise.front._budget import Budget
from likewise.front._folds import Statements
from likewise.front._unsupervised import Features, cluster_unsupervised
from likewise.prepare import DataKind

X, Y = make_blobs(45, 4, centers=3, random_state=0)
FEATURES = Features.of(X)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(budget_module, "perf_counter", clock)
    monkeypatch.setattr(module, "perf_counter", clock)
    return clock


def test_runs_and_their_consensus_are_timed_apart(monkeypatch, clock):
    monkeypatch.setattr(module, "kmeans_labels", clock.slowed(module.kmeans_labels, 0.25))
    monkeypatch.setattr(module, "consensus_embedding", clock.slowed(module.consensus_embedding, 3.0))
    budget = Budget()
    clock.now += 50.0  # before
    found = cluster_unsupervised(FEATURES, 3, np.random.RandomState(0), budget)
    assert len(found.labelings) == 30
    assert found.run_s == pytest.approx(0.25)
    assert found.joining_s == pytest.approx(3.0)
    assert budget.left_out == []


@pytest.mark.parametrize(
    ("limit", "n_repeats"), [(2.9, 1), (6.1, 2), (8.9, 2), (9.1, 3), (11.9, 3), (12.1, 4), (14.9, 4), (15.1, 5)]
)
def test_runs_take_half_of_the_time(monkeypatch, clock, limit, n_repeats):
    """A repeat makes six runs, one for each space and size; here it takes 1.5 seconds."""
    monkeypatch.setattr(module, "kmeans_labels", clock.slowed(module.kmeans_labels, 0.25))
    budget = Budget(limit)
    found = cluster_unsupervised(FEATURES, 3, np.random.RandomState(0), budget)
    assert len(found.labelings) == 6 * n_repeats
    np.testing.assert_allclose(found.weights, 1 / (6 * n_repeats))
    left_out = 30 - 6 * n_repeats
    assert budget.left_out == ([f"{left_out} of 30 runs without hints"] if left_out else [])
    every = cluster_unsupervised(FEATURES, 3, np.random.RandomState(0))
    for number, labels in enumerate(found.labelings):  # fewer of the same, in their order
        same = every.labelings[number // n_repeats * 5 + number % n_repeats]
        np.testing.assert_array_equal(labels, same)


def test_graph_features_are_timed(monkeypatch, clock):
    graph = module.GraphFeatures
    monkeypatch.setattr(graph, "fit_transform", clock.slowed(graph.fit_transform, 7.0))
    assert Features.of(X).graph_s == pytest.approx(7.0)


@pytest.mark.parametrize("kind", [DataKind.COUNTS, DataKind.TABLE])
def test_weights_of_runs_are_those_of_their_spaces(kind):
    rows = np.random.default_rng(0).poisson(1.0, size=(40, 8)).astype(float)
    found = cluster_unsupervised(Features.of(rows, kind), 3, np.random.RandomState(0))
    sums = found.weights.reshape(-1, 15).sum(axis=1)
    np.testing.assert_allclose(sums, [0.5, 0.25, 0.25] if kind is DataKind.COUNTS else [0.5, 0.5])
    assert len(np.unique(found.weights.reshape(-1, 15), axis=1)[0]) == 1


def test_the_consensus_of_runs_has_ten_starts(monkeypatch):
    made = []
    start = module.kmeans_plus_plus
    monkeypatch.setattr(module, "kmeans_plus_plus", lambda *given: made.append(given[1]) or start(*given))
    found = cluster_unsupervised(FEATURES, 3, np.random.RandomState(0))
    assert made == [3] * 10
    assert (found.n_clusters, found.embedding.shape, len(np.unique(found.labels))) == (3, (45, 3), 3)


def test_features_of_new_rows_stand_side_by_side():
    new = X[:5] + 1e-3
    rows, linear = FEATURES.to_linear.transform(new)
    found = FEATURES.transform(new)
    np.testing.assert_allclose(found, np.hstack([linear, FEATURES.to_graph.transform(rows)]), rtol=1e-5, atol=1e-6)
    assert found.dtype == FEATURES.both.F.dtype == np.float32
    np.testing.assert_array_equal(FEATURES.both.F, np.hstack([FEATURES.linear.F, FEATURES.graph.F]))
    assert (FEATURES.n, FEATURES.graph_s > 0, FEATURES.partitions) == (45, True, {})


# ---- numbers of clusters -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "last"), [(29.3, 2), (29.4, 3), (42.6, 3), (42.7, 4), (109.3, 8), (109.4, None), (None, None)]
)
def test_numbers_of_clusters_take_three_tenths_of_the_time(monkeypatch, clock, limit, last):
    """Four runs of a second for each; the next number is expected to take a fifth more."""
    monkeypatch.setattr(counting, "kmeans_labels", clock.slowed(counting.kmeans_labels, 1.0))
    budget, features = Budget(limit), replace(FEATURES, partitions={})
    found = counting._partitions(features, np.random.RandomState(0), budget, None)
    candidates = counting._candidates(45)
    assert candidates == [2, 3, 4, 5, 6, 7, 8]
    assert list(found) == [k for k in candidates if last is None or k <= last]
    expected = [] if last in (None, 8) else [f"numbers of clusters above {last}"]
    assert budget.left_out == expected


@pytest.mark.parametrize(
    ("n_must", "counts"), [(0, False), (8, False), (9, True), (74, True), (76, False), (100, False)]
)
def test_the_share_of_must_links_counts_within_a_factor_of_three(monkeypatch, n_must, counts):
    """Four clusters by the partitions: of random pairs, between a twelfth and three quarters would be must-links."""
    ks = np.array([2, 4, 8])
    prior, chain = np.array([-1e9, 0.0, -1e9]), np.array([(row, row + 1) for row in range(101)])
    hints = Constraints(102, chain[:n_must], chain[n_must:100])
    monkeypatch.setattr(counting, "_log_likelihood", lambda labelings, statements: 3.0)
    monkeypatch.setattr(counting, "_with_both_kinds", lambda statements, *_: statements)
    runs = {int(k): [] for k in ks}
    found = counting._constraint_evidence(prior, np.log(ks), runs, hints, None, np.random.RandomState(0))
    expected = np.full(3, 1.5)
    if counts:
        share, together = n_must / 100, 1.1 / ks
        expected += 100 * (share * np.log(together) + (1 - share) * np.log(1 - together))
    np.testing.assert_allclose(found, expected)


def test_partitions_count_by_the_weight_of_statements():
    run, other = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
    pairs = np.array([(0, 1), (1, 2), (0, 2)])
    light = Statements(pairs, np.array([True, True, False]), np.array([1.0, 0.5, 1.0]))
    found = counting._log_likelihood([run, other], light)
    odds = counting.log_likelihoods(np.array([0.5, 0.5, 0.0]), light)
    assert found == pytest.approx(float(odds @ [1.0, 0.5, 1.0]))


def test_the_silhouette_looks_at_some_rows_alone(monkeypatch):
    seen = []
    monkeypatch.setattr(counting, "MAX_SILHOUETTE_ROWS", 30)
    monkeypatch.setattr(counting, "_structure", lambda G, runs, rows: seen.append(rows) or 0.0)
    counting.choose_n_clusters(replace(FEATURES, partitions={}), Constraints(45), np.random.RandomState(0))
    assert {len(np.unique(rows)) for rows in seen} == {30}
    assert all(rows is seen[0] for rows in seen)


@pytest.mark.parametrize("height", [0.3, 0.8])
def test_many_clusters_count_up_to_the_best_of_few(monkeypatch, height):
    """Beyond twenty, structure counts no more than at the best number up to there: here at five, and at 24."""
    ks = np.array([2, 3, 4, 5, 8, 12, 20, 24, 29])
    structure = dict(zip(ks.tolist(), [0.1, 0.1, 0.1, 0.5, 0.1, 0.2, 0.3, height, 0.05], strict=True))
    monkeypatch.setattr(counting, "_partitions", lambda *_: {k: [np.arange(400) % k] for k in structure})
    monkeypatch.setattr(counting, "_structure", lambda G, runs, rows: structure[int(runs[0].max()) + 1])
    seen = []
    monkeypatch.setattr(counting, "_mean", lambda sizes, posterior: seen.append(posterior) or np.log(7.0))
    features = SimpleNamespace(n=400, graph=SimpleNamespace(F=None))
    assert counting.choose_n_clusters(features, Constraints(400), np.random.RandomState(0)) == 7
    capped = np.array([0.1, 0.1, 0.1, 0.5, 0.1, 0.2, 0.3, min(height, 0.5), 0.05])
    density = np.log(np.gradient(np.log(ks))) - 1.5 * np.log(ks)
    np.testing.assert_allclose(seen[0] - seen[0][0], 5 * (capped - 0.1) + density - density[0])


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 4])
def test_rows_that_all_differ_are_a_lower_bound(n_clusters):
    triangle = Constraints(45, cannot_link=[(0, 1), (1, 2), (0, 2)])
    assert counting.at_least_clique(triangle, n_clusters) == max(n_clusters, 3)
