"""Many rows: some stand for all. Here "many" is 150, so that it can be tested."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from likewise.constraints import Constraints, Partition
from likewise.evaluation import constraint_accuracy, normalized_mutual_information
from likewise.front import Likewise
from likewise.front import _landmarks as landmarks
from likewise.front._landmarks import choose_rows


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(landmarks, "MAX_LANDMARKS", 150)
    monkeypatch.setattr(landmarks, "MAX_CONSTRAINED", 60)
    monkeypatch.setattr(landmarks, "BATCH_ROWS", 64)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(500, centers=4, n_features=5, cluster_std=1.0, random_state=3)


def test_which_rows_stand_for_all():
    rng = np.random.RandomState(0)
    assert choose_rows(Constraints(150), rng) is None
    few = Constraints(500, must_link=[(3, 499), (7, 8)])
    rows = choose_rows(few, rng)
    assert len(np.unique(rows)) == len(rows) == 150
    assert {3, 499, 7, 8} <= set(rows)


@pytest.mark.parametrize(
    ("rows", "fits"),
    [([0, 4, 9], True), ([0, 4, 9, 7], True), ([0, 4], False), ([0, 4, 10], False), ([-1, 4, 9], False)],
)
def test_landmarks_of_a_file_are_rows(rows, fits):
    placement = landmarks.Landmarks(10, SimpleNamespace(n=3), np.array(rows))
    with nullcontext() if fits else pytest.raises(ValueError, match="10 rows and 3 landmarks do not fit together"):
        landmarks._check_landmarks(placement)


def test_of_too_many_constrained_rows_both_of_a_pair_are_taken():
    pairs = np.arange(400).reshape(200, 2)
    rows = choose_rows(Constraints(2000, must_link=pairs), np.random.RandomState(0))
    assert len(rows) == 150
    inside = np.isin(pairs, rows)
    assert inside.all(axis=1).sum() >= 30


def test_all_rows_are_clustered(blobs):
    X, y = blobs
    hints = Constraints.sample(y, "random_pairs", 40, random_state=0)
    model = Likewise(4, random_state=0).fit(X, constraints=hints)
    assert model.report_.landmarks == 150
    assert "assigned by the nearest of them" in str(model.report_)
    assert model.report_.learned_from == "" or "of 40 hints" in model.report_.learned_from
    for each in (model.labels_, model.unsupervised_labels_, model.predict(X), model.predict(X + 1e-3)):
        assert each.shape == (500,)
        assert normalized_mutual_information(y, each) > 0.95
    assert model.embedding_.shape == model.transform(X).shape == (500, 4)
    np.testing.assert_allclose(np.linalg.norm(model.embedding_, axis=1), 1.0)
    assert model.certainty_.shape == (500,)
    for suspect in model.suspects_:
        i, j = suspect.rows
        assert (y[i] == y[j]) == (suspect.kind == "must-link")


def test_hints_of_rows_that_are_no_landmarks_are_heard(blobs):
    X, y = blobs
    hints = Constraints.sample(y, "random_pairs", 200, random_state=0)
    model = Likewise(4, trust="strict", random_state=0).fit(X, constraints=hints)
    assert "of 200 hints" in model.report_.learned_from
    assert constraint_accuracy(model.labels_, hints) == 1.0
    assert model.report_.kept == 1.0


def test_labels_of_most_rows(blobs):
    X, y = blobs
    model = Likewise(4, random_state=0).fit(X, np.where(np.arange(500) % 2 == 0, y, -1))
    assert normalized_mutual_information(y, model.labels_) > 0.95


def test_hints_left_out_by_landmarks_stay_out(blobs):
    X, _ = blobs
    model = Likewise(4, random_state=0).fit(X)
    placement = model._placement
    inside, outside = placement.rows[:4], np.setdiff1d(np.arange(500), placement.rows)[:2]
    block = Partition(np.where(np.arange(500) < 2, 0, -1))
    constraints = Constraints(500, [inside[:2], inside[2:], outside], [(inside[0], outside[0])], partitions=[block])
    applied = Constraints(150, [(0, 1)], must_weight=[0.5])  # the second must-link was left out
    everything = placement.merge(constraints, applied)
    assert {tuple(pair) for pair in everything.must_link} == {tuple(inside[:2]), tuple(outside)}
    assert sorted(everything.must_weight) == [0.5, 1.0]
    assert len(everything.cannot_link) == 1
    assert everything.partitions == (block,)


def test_rows_are_placed_by_the_mean_of_those_near_them():
    weights = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 3.0], [0.0, 0.0]]))
    placement = landmarks.Landmarks(4, SimpleNamespace(n=2), np.array([0, 1]), weights)
    values = np.array([[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(placement.average(values), [[1, 0], [0, 1], [0.25, 0.75], [0, 0]])
    np.testing.assert_allclose(np.linalg.norm(placement.directions(values)[:3], axis=1), 1.0)
    assert placement.vote(np.array([0, 1])).tolist() == [0, 1, 1, 0]
    late = landmarks.Landmarks(4, SimpleNamespace(n=2), np.array([0, 1, 3]), weights)  # one that joined later
    np.testing.assert_allclose(late.average(np.array([[1.0], [0.0], [5.0]])).ravel(), [1, 0, 0.25, 5])
    assert late.anchors.tolist() == [0, 1]
    assert late.n_landmarks == 3


def test_there_is_room_for_some_more_rows_that_hints_speak_of(monkeypatch):
    placement = landmarks.Landmarks(500, None, np.arange(150))
    hints = Constraints(500, [(149, 150), (300, 301)])
    assert placement.late_rows(hints).tolist() == [150, 300, 301]
    monkeypatch.setattr(landmarks, "MAX_CONSTRAINED", 2)
    assert placement.late_rows(hints).tolist() == [150, 300]
    monkeypatch.setattr(landmarks, "MAX_LANDMARKS", 100)
    assert placement.late_rows(hints).tolist() == []


def test_rows_that_hints_speak_of_later_join(blobs, monkeypatch):
    X, y = blobs
    model = Likewise(4, random_state=0).fit(X, constraints=Constraints.sample(y, "random_pairs", 30, random_state=0))
    before = len(model._placement.rows)
    more = Constraints.sample(y, "random_pairs", 12, random_state=1)
    monkeypatch.setattr("likewise.front._members.GraphFeatures", None)  # none is made again
    model.add_constraints(more)
    assert len(model._placement.rows) > before
    assert np.isin(np.flatnonzero(more.constrained_rows()), model._placement.rows).all()
    assert normalized_mutual_information(y, model.labels_) > 0.95
    assert model.predict(X).shape == (500,)
    assert len(model.suspects_) > 30


def test_added_constraints_that_are_interrupted_leave_the_model_as_it_was(blobs, monkeypatch):
    X, y = blobs
    model = Likewise(random_state=0).fit(X, constraints=Constraints.sample(y, "random_pairs", 30, random_state=0))
    labels, more = model.labels_, Constraints.sample(y, "random_pairs", 12, random_state=1)

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("likewise.front._likewise.choose_n_clusters", stop)
        with pytest.raises(KeyboardInterrupt):
            model.add_constraints(more)
    assert model.report_.landmarks == len(model._placement.rows) == 150
    np.testing.assert_array_equal(model.predict(X), labels)
    assert model.add_constraints(more).report_.landmarks > 150


def test_text():
    rng = np.random.default_rng(0)
    topic = rng.integers(0, 3, size=400)
    X = sparse.csr_matrix(rng.poisson(0.05 + 0.8 * (np.arange(90) // 30 == topic[:, None])).astype(float))
    hints = Constraints.sample(topic, "random_pairs", 30, random_state=0)
    model = Likewise(3, random_state=0).fit(X, constraints=hints)
    assert model.report_.landmarks == 150
    assert normalized_mutual_information(topic, model.labels_) > 0.95
    own = np.bincount(topic[model.labels_ == 0]).argmax()
    assert all(int(name[1:]) // 30 == own for name, value in model.top_features(0, 5) if value > 0)
