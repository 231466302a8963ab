"""Landmarks in parts: which rows become some, what is extended to other rows, and where late ones come from."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from likewise.constraints import Comparisons, Constraints
from likewise.front import _landmarks as landmarks
from likewise.front._consensus import Consensus
from likewise.front._landmarks import EveryRow, Landmarks, choose_rows
from likewise.front._late_landmarks import LateLandmarks
from likewise.front._learned_map import Space
from likewise.front._members import Member
from likewise.front._unsupervised import Features, Unsupervised


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(landmarks, "MAX_LANDMARKS", 10)
    monkeypatch.setattr(landmarks, "MAX_CONSTRAINED", 6)


@pytest.mark.usefixtures("few")
class TestChoice:
    @pytest.mark.parametrize(("n", "every"), [(9, True), (10, True), (11, False)])
    def test_up_to_the_limit_all_rows_are_in_the_ensemble(self, n, every):
        rows = choose_rows(Constraints(n), np.random.RandomState(0))
        assert (rows is None) == every
        if not every:
            assert len(np.unique(rows)) == len(rows) == 10
            assert (np.diff(rows) > 0).all()

    def test_rows_of_pairs_labels_and_comparisons_come_first(self):
        hints = Constraints(50, [(40, 41)], [(42, 43)]) | Comparisons(50, nearer=[(44, 45, 46)])
        rows = choose_rows(hints, np.random.RandomState(0))
        assert len(rows) == 10
        assert {40, 41, 42, 43} <= set(rows)  # pairs first, then two of the three that were compared
        assert len({44, 45, 46} & set(rows)) >= 2
        labels = Constraints.from_labels([0, 1] * 2 + [-1] * 46)
        assert {0, 1, 2, 3} <= set(choose_rows(labels, np.random.RandomState(0)))

    def test_a_row_of_many_hints_is_one_landmark(self):
        hub = Constraints(50, [(0, other) for other in range(1, 30)])
        rows = choose_rows(hub, np.random.RandomState(0), np.zeros(50, dtype=bool))
        assert len(rows) == 6  # at most, with none drawn
        assert 0 in rows

    def test_others_come_from_those_that_were_drawn(self):
        drawn = np.arange(50) % 10 == 3
        hints = Constraints(50, [(0, 1)])
        assert choose_rows(hints, np.random.RandomState(0), drawn).tolist() == [0, 1, 3, 13, 23, 33, 43]
        many = choose_rows(hints, np.random.RandomState(0), np.arange(50) >= 20)
        assert len(many) == 10
        assert (many[2:] >= 20).all()
        exactly = choose_rows(hints, np.random.RandomState(0), np.arange(50) >= 42)
        assert exactly.tolist() == [0, 1, *range(42, 50)]

    def test_there_is_room_for_late_rows_of_hints_of_any_kind(self):
        placement = Landmarks(50, None, np.arange(10))
        hints = Constraints(50, [(3, 20)]) | Comparisons(50, nearer=[(20, 30, 4)])
        assert placement.late_rows(hints).tolist() == [20, 30]
        chain = Constraints(50, [(row, row + 1) for row in range(49)])
        assert placement.late_rows(chain).tolist() == list(range(10, 16))
        assert Landmarks(50, None, np.arange(17)).late_rows(chain).tolist() == []


def test_ten_thousand_rows_become_landmarks_half_of_them_for_hints():
    rng = np.random.RandomState(0)
    assert choose_rows(Constraints(10_000), rng) is None
    assert len(choose_rows(Constraints(10_001), rng)) == 10_000
    labels = Constraints.from_labels(np.where(np.arange(20_000) < 9_000, 0, -1))
    named = choose_rows(labels, rng, np.zeros(20_000, dtype=bool))
    assert len(named) == 5_000
    assert named.max() < 9_000


@pytest.mark.parametrize("rows", [np.arange(3.0), np.zeros((3, 1), dtype=int), np.zeros(0, dtype=int)])
def test_landmarks_of_a_file_are_a_list_of_rows(rows):
    with pytest.raises(ValueError, match=r"rows (has the shape|is of type)"):
        landmarks._check_landmarks(Landmarks(10, SimpleNamespace(n=0), rows))


@pytest.mark.parametrize(("n", "n_neighbors"), [(30, 10), (12, 10), (11, 10), (10, 9), (3, 2)])
def test_ten_neighbors_vote(n, n_neighbors):
    features = Features.of(np.random.default_rng(0).normal(size=(n, 3)))
    placement = EveryRow.of(features)
    assert (placement.near.n_neighbors, placement.near.n, placement.n) == (n_neighbors, n, n)
    assert placement.near.metric == "euclidean"
    np.testing.assert_array_equal(placement.near._rows, features.both.F)
    np.testing.assert_array_equal(placement.rows, np.arange(n))


def test_where_all_rows_are_in_the_ensemble_nothing_is_extended():
    placement, hints, values = EveryRow(4, None), Constraints(4, [(0, 1)]), np.eye(4)
    assert placement.restrict(hints) is hints
    assert placement.merge(None, hints) is hints
    assert placement.average(values) is placement.directions(values) is placement.vote(values) is values
    assert placement.label(values, None, hints, 2, None, closed=True) is values
    assert values[placement.anchors].tolist() == values.tolist()
    landmarks._check_every_row(EveryRow(4, SimpleNamespace(n=4)))
    with pytest.raises(ValueError, match="4 rows and 5 rows in the neighbor search do not fit together"):
        landmarks._check_every_row(EveryRow(4, SimpleNamespace(n=5)))


@pytest.mark.parametrize("batch", [7, 20, 64])
def test_rows_are_placed_by_their_features(monkeypatch, batch):
    monkeypatch.setattr(landmarks, "BATCH_ROWS", batch)
    X = np.random.default_rng(0).normal(size=(64, 3))
    rows = np.arange(0, 64, 2)
    features = Features.of(X[rows])
    placement = Landmarks.of(features, X, rows)
    assert placement.n == 64
    assert placement.near.n == placement.n_landmarks == 32
    np.testing.assert_allclose(placement.features, features.transform(X), atol=1e-6)
    assert placement.weights.shape == (64, 32)
    np.testing.assert_allclose(
        placement.weights.toarray(), placement.near.of(features.transform(X)).toarray(), atol=1e-5
    )


@pytest.mark.parametrize(("closed", "contradictory"), [(True, False), (True, True), (False, False)])
def test_contradictory_hints_are_not_closed(monkeypatch, closed, contradictory):
    seen = {}
    monkeypatch.setattr(landmarks, "constrained_kmeans", lambda *given, **options: seen.update(options) or given[0])
    weights = sparse.csr_array(np.eye(6, 3)[[0, 1, 2, 0, 1, 1]])
    placement = Landmarks(6, SimpleNamespace(n=3), np.arange(3), weights)
    hints = Constraints(6, [(0, 3), (3, 4)], [(0, 4)] if contradictory else [(0, 5)])
    Z = np.eye(6)
    assert placement.label(np.array([0, 1, 0]), Z, hints, 2, None, closed=closed) is Z
    assert seen["closed"] == (closed and not contradictory)
    (start,) = seen["starts"]
    assert start.tolist() == [0, 1, 0, 0, 1, 1]


def test_rows_between_landmarks_have_their_weighted_mean():
    weights = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 1.0], [0.25, 0.75], [1.0, 1.0], [0.0, 0.0]]))
    placement = Landmarks(5, SimpleNamespace(n=2), np.array([0, 1]), weights)
    values = np.array([[4.0, 0.0], [0.0, 8.0]])
    np.testing.assert_allclose(placement.average(values), [[4, 0], [0, 8], [1, 6], [2, 4], [0, 0]])
    expected = np.array([[1, 0], [0, 1], [1, 6], [2, 4], [0, 0]]) / [[1], [1], [np.sqrt(37)], [np.sqrt(20)], [1]]
    np.testing.assert_allclose(placement.directions(values), expected)


def late():
    weights = sparse.csr_array(np.array([[0.25, 0.75, 0.0], [0.6, 0.2, 0.2]]))
    return LateLandmarks(np.array([7, 9]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=np.float32), weights)


def test_late_landmarks_take_labels_and_coordinates_of_those_near_them():
    rows, features = np.arange(3), np.arange(12.0).reshape(4, 3)
    placement = Landmarks(10, None, rows, sparse.csr_array(np.eye(4)), features)
    taken = LateLandmarks.of(placement, np.array([3, 1]))
    np.testing.assert_array_equal(taken.features, features[[3, 1]])
    np.testing.assert_array_equal(taken.weights.toarray(), np.eye(4)[[3, 1]])
    assert late().join(placement).rows.tolist() == [0, 1, 2, 7, 9]
    assert late().extend_labels(np.array([0, 1, 2])).tolist() == [0, 1, 2, 1, 0]
    assert late().extend_labels(np.array([1, 0, 0, 5])).tolist() == [1, 0, 0, 5, 0, 1]  # the fourth came late, too
    Z = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.6, 0.8]], dtype=np.float32)
    found = late().extend_embedding(Z)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found[:4], Z)
    np.testing.assert_allclose(found[4], np.array([0.25, 0.75]) / np.hypot(0.25, 0.75), rtol=1e-6)
    np.testing.assert_allclose(found[5], np.array([0.6, 0.2]) / np.hypot(0.6, 0.2), rtol=1e-6)


def test_late_landmarks_join_features_runs_and_members():
    linear, graph = (np.arange(3.0 * d).reshape(3, d).astype(np.float32) for d in (2, 1))
    features = Features(None, None, Space(linear), Space(graph), Space(np.hstack([linear, graph])), 5.0, {2: []})
    more = late().extend_features(features)
    np.testing.assert_array_equal(more.linear.F, np.vstack([linear, [[1, 2], [4, 5]]]))
    np.testing.assert_array_equal(more.graph.F, np.vstack([graph, [[3], [6]]]))
    np.testing.assert_array_equal(more.both.F, np.hstack([more.linear.F, more.graph.F]))
    assert (more.n, more.graph_s, more.partitions) == (5, 5.0, {})
    run = np.array([0, 1, 1])
    unsupervised = Unsupervised(2, run, np.eye(3, 2), [run, 1 - run], np.array([0.5, 0.5]), 1.0, 2.0)
    extended = late().extend_unsupervised(unsupervised)
    assert extended.labels.tolist() == extended.labelings[0].tolist() == [0, 1, 1, 1, 0]
    assert extended.labelings[1].tolist() == [1, 0, 0, 0, 1]
    assert extended.embedding.shape == (5, 2)
    space = Space(np.eye(3, 2))
    members = (Member("a", run, 0, kept=space), Member("b", 1 - run, 1, 1, kept="coefficients"))
    consensus = Consensus(run, np.eye(3, 2), members, np.array([0, 1, 2]), None, "", True, None, None)
    assert late().extend_consensus(None, np.random.RandomState(0)) is None
    joined = late().extend_consensus(consensus, np.random.RandomState(0))
    assert joined.labels.tolist() == [0, 1, 1, 1, 0]
    assert joined.folds[:3].tolist() == [0, 1, 2]
    assert sorted(joined.folds[3:]) == [0, 1]
    assert [member.labels.tolist() for member in joined.members] == [[0, 1, 1, 1, 0], [1, 0, 0, 0, 1]]
    assert joined.members[0].kept.F.shape == (5, 2)
    assert joined.members[1].kept == "coefficients"
