"""A row of ``fit`` gets its own label and place again, whatever stands beside it."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from likewise import Constraints, GraphFeatures, Likewise, models
from likewise.front import _landmarks as landmarks
from likewise.front._known_rows import find_rows, hash_rows

KINDS = {
    "dense": lambda X: X,
    "sparse": sparse.csr_matrix,
    "float32": lambda X: X.astype(np.float32),
    "frame order": np.asfortranarray,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_every_row_alone_after_a_round_trip(load, kind, tmp_path):
    X, y = load(return_X_y=True)
    X = KINDS[kind](X)
    constraints = Constraints.sample(y, "random_pairs", 60, random_state=0)
    model = Likewise(len(np.unique(y)), random_state=0).fit(X, constraints=constraints)
    models.save(tmp_path / "model.likewise", model)
    for known in (model, models.load(tmp_path / "model.likewise").model):
        alone = np.concatenate([known.predict(X[row : row + 1]) for row in range(X.shape[0])])
        np.testing.assert_array_equal(alone, model.labels_)
        for row in range(0, X.shape[0], 7):
            np.testing.assert_array_equal(known.transform(X[row : row + 1])[0], model.embedding_[row])
        np.testing.assert_array_equal(known.predict(X[::3]), model.labels_[::3])


def test_rows_that_are_no_landmarks_are_known_too(monkeypatch):
    monkeypatch.setattr(landmarks, "MAX_LANDMARKS", 150)
    X, y = load_wine(return_X_y=True)
    model = Likewise(3, random_state=0).fit(X, constraints=Constraints.sample(y, "random_pairs", 60, random_state=0))
    assert model.report_.landmarks == 150
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.transform(X), model.embedding_)


def test_known_and_new_rows_side_by_side():
    X, y = load_wine(return_X_y=True)
    model = Likewise(3, random_state=0).fit(X[:150], constraints=Constraints.sample(y[:150], "random_pairs", 60))
    mixed = np.concatenate([X[140:150], X[150:]])
    np.testing.assert_array_equal(model.predict(mixed)[:10], model.labels_[140:])
    np.testing.assert_array_equal(model.predict(mixed)[10:], model.predict(X[150:]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_model_compares_in_the_precision_of_its_rows(dtype):
    X = load_wine().data.astype(dtype)
    model = Likewise(3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X.astype(np.float64)), model.labels_)


def test_graph_features_of_rows_alone():
    X = load_digits().data[:300] / 16
    features = GraphFeatures(n_components=8).fit(X)
    alone = np.vstack([features.transform(row[None]) for row in X])
    np.testing.assert_array_equal(alone, features.embedding_)


def test_hashes_tell_rows_apart():
    rng = np.random.default_rng(0)
    whole = np.unique(rng.integers(0, 3, size=(4000, 9)), axis=0).astype(float)
    for X in (whole, whole.astype(np.float32), -whole, whole * 2.0**40):
        assert len(np.unique(hash_rows(X, X.dtype))) == len(X)
        np.testing.assert_array_equal(hash_rows(sparse.csr_matrix(X), X.dtype), hash_rows(X, X.dtype))
    assert hash_rows(np.array([[1.0, 2.0]]), "f8") != hash_rows(np.array([[2.0, 1.0]]), "f8")


def test_of_rows_that_coincide_the_first_answers():
    X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [0.0, 0.0]])
    known = hash_rows(X, X.dtype)
    np.testing.assert_array_equal(find_rows(known, known), [0, 1, 0, 3])
    np.testing.assert_array_equal(find_rows(hash_rows(X + 1e-12, X.dtype), known), -1)
