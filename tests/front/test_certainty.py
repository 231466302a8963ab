"""How sure clusters are: laws of the shares, what they mean on known classes, and where they go."""

from copy import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from likewise import Constraints, Likewise, models
from likewise.front import _landmarks
from likewise.front._certainty import DOUBTFUL, assign, membership
from likewise.front._evidence import UNSUPERVISED
from likewise.front._likewise import _check_rows
from likewise.front._members import Member


@st.composite
def ensembles(draw):
    n = draw(st.integers(2, 12))
    labelings = st.lists(st.integers(0, 3), min_size=n, max_size=n).map(np.array)
    labels = np.unique(draw(labelings), return_inverse=True)[1]
    members = [Member(draw(st.sampled_from("ab")), draw(labelings), -1) for _ in range(draw(st.integers(1, 5)))]
    return members, {"a": draw(st.sampled_from([0.3, 1.0])), "b": 1.0}, labels


@given(ensembles(), st.randoms(use_true_random=False))
def test_laws_of_shares(ensemble, random):
    members, weights, labels = ensemble
    k = int(labels.max()) + 1
    shares = membership(members, weights, labels, k)
    assert shares.shape == (len(labels), k)
    assert shares.min() >= 0
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    own, second, certainty = assign(shares, labels)
    rows = np.arange(len(labels))
    np.testing.assert_array_equal(own, labels)
    np.testing.assert_allclose(certainty, shares[rows, labels], atol=1e-12)
    assert (second != labels).all()
    others = np.where(np.eye(k, dtype=bool)[labels], 0, shares)
    np.testing.assert_allclose(others.max(axis=1), np.where(second < 0, 0, shares[rows, second]))
    # rows in another order have their shares in that order, and so have clusters that are numbered otherwise
    order = np.array(random.sample(range(len(labels)), len(labels)))
    moved = [Member(member.family, member.labels[order], -1) for member in members]
    np.testing.assert_allclose(membership(moved, weights, labels[order], k), shares[order])
    renamed = np.array(random.sample(range(k), k))
    np.testing.assert_allclose(membership(members, weights, renamed[labels], k)[:, renamed], shares)


def test_families_count_by_their_weights():
    labels = np.array([0, 0, 1, 1])
    members = [Member("a", labels, 0), Member("a", labels, 1), Member("b", np.array([0, 0, 0, 1]), 0)]
    assert membership(members, {"a": 1.0, "b": 0.0}, labels, 2).tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    np.testing.assert_allclose(membership(members, {"a": 1.0, "b": 1.0}, labels, 2)[2], [1 / 3, 2 / 3])


def is_right(labels, y):
    """Whether a row is in a cluster that most rows of its class share."""
    counts = np.zeros((labels.max() + 1, y.max() + 1))
    np.add.at(counts, (labels, y), 1)
    return counts.argmax(axis=1)[labels] == y


@pytest.mark.parametrize(
    ("load", "amount", "tolerance"), [(load_wine, 0, 0.06), (load_breast_cancer, 60, 0.08), (load_digits, 0, 0.08)]
)
def test_certainty_is_how_often_rows_are_right(load, amount, tolerance):
    X, y = load(return_X_y=True)
    hints = Constraints.sample(y, "random_pairs", amount, random_state=0) if amount else Constraints(len(y))
    model = Likewise(int(y.max()) + 1, random_state=0, verbose=False).fit(X, constraints=hints)
    rows = ~hints.constrained_rows()
    certainty, right = model.certainty_[rows], is_right(model.labels_, y)[rows]
    # the mean difference in ten steps of certainty, by the number of rows in each
    steps = np.minimum((10 * certainty).astype(int), 9)
    errors = [abs(certainty[steps == step].mean() - right[steps == step].mean()) for step in np.unique(steps)]
    assert np.average(errors, weights=np.unique(steps, return_counts=True)[1]) < tolerance
    assert certainty[right].mean() > certainty[~right].mean() + 0.05
    assert right[certainty >= 0.9].mean() > 0.9 > right[certainty < DOUBTFUL].mean()


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    known = np.full(len(y), -1)
    known[::9] = y[::9]
    return X, y, Likewise(3, random_state=0, verbose=False).fit(X, known)


def test_rows_in_doubt_come_least_sure_first_and_have_no_label(wine):
    _, y, model = wine
    assert (model.certainty_[::9] == 1).all()
    assert (model.second_labels_[::9] == -1).all()
    rows = model.doubtful(20)
    assert len(rows) == 20
    assert (np.diff(model.certainty_[rows]) >= 0).all()
    assert not np.isin(rows, np.arange(0, len(y), 9)).any()
    everything = model.doubtful(None)
    assert set(everything) == set(np.flatnonzero(model.certainty_ < DOUBTFUL))
    assert model.report_.doubtful == len(everything)
    assert f"{len(everything)} (certainty below 0.7)" in str(model.report_)
    assert len(model.doubtful(0)) == 0
    with pytest.raises(ValueError, match="n=-1: ask for none or more"):
        model.doubtful(-1)


def test_new_rows_and_a_saved_model(wine, tmp_path):
    X, _, model = wine
    again = models.load(models.save(tmp_path / "m.likewise", model)).model
    new = X + 0.01 * X.std(axis=0)
    for one in (model, again):
        labels, second, certainty = one.predict_certainty(X)
        np.testing.assert_array_equal(labels, model.labels_)
        np.testing.assert_array_equal(second, model.second_labels_)
        np.testing.assert_array_equal(certainty, model.certainty_)
        np.testing.assert_array_equal(one.cluster_names_, model.cluster_names_)
        labels, second, certainty = one.predict_certainty(new)
        np.testing.assert_array_equal(labels, model.predict(new))
        assert (second != labels).all()
        assert 0 <= certainty.min() <= certainty.max() <= 1
        assert np.corrcoef(certainty, model.certainty_)[0, 1] > 0.5
    assert len(again.doubtful(5)) == 5


@pytest.mark.parametrize(
    ("name", "label", "words"),
    [
        ("labels_", -1, "labels must be non-negative integers"),
        ("second_labels_", -2, "second_labels_ must be −1 or one of 3 clusters"),
        ("second_labels_", 3, "second_labels_ must be −1 or one of 3 clusters"),
    ],
)
def test_labels_of_a_file_are_clusters(wine, name, label, words):
    model = copy(wine[2])
    _check_rows(model)
    setattr(model, name, np.where(np.arange(178) == 5, label, getattr(model, name)))
    with pytest.raises(ValueError, match=words):
        _check_rows(model)


def test_one_cluster_has_no_second():
    model = Likewise(1, random_state=0, verbose=False).fit(load_wine().data[:30])
    assert (model.certainty_ == 1).all()
    assert (model.second_labels_ == -1).all()
    assert model.cluster_names_.tolist() == ["0"]


def test_rows_that_are_no_landmarks_have_what_those_near_them_have(monkeypatch):
    monkeypatch.setattr(_landmarks, "MAX_LANDMARKS", 100)
    monkeypatch.setattr(_landmarks, "MAX_CONSTRAINED", 10)
    X, y = load_wine(return_X_y=True)
    labels = np.where(np.arange(len(y)) % 9 == 0, y, -1)
    model = Likewise(random_state=0, verbose=False).fit(X, labels)
    assert model.n_clusters_ >= 3
    assert model.certainty_.shape == model.second_labels_.shape == (178,)
    assert model._shares.shape == (100, len(model.cluster_names_))
    np.testing.assert_allclose(model._shares.sum(axis=1), 1, rtol=1e-5)
    assert (model.certainty_[labels >= 0] == 1).all()
    assert (model.second_labels_ != model.labels_).all()
    others = np.setdiff1d(np.arange(178), model._placement.rows)
    others = others[labels[others] < 0]
    moved = X[others] + 1e-9 * X.std(axis=0)  # no longer known, and where they were
    np.testing.assert_allclose(model.predict_certainty(moved).certainty, model.certainty_[others], atol=0.05)


def test_hints_that_are_not_trusted_are_not_certain():
    X, y = load_wine(return_X_y=True)
    wrong = np.where(np.arange(178) % 3 == 0, (y + (np.arange(178) % 6 == 0)) % 3, -1)  # every second label is wrong
    model = Likewise(3, random_state=0, verbose=False).fit(X, wrong)
    assert model.report_.trust == "weighted"
    assert model.certainty_[wrong >= 0].min() < 1
    assert UNSUPERVISED in {family.name for family in model.report_.families}
