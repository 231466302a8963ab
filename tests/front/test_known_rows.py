"""A row of ``fit`` gets its own label and place again, whatever stands beside it."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from likewise import Constraints, GraphFeatures, Likewise, models
from likewise.front import _known_rows
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


MASK = 2**64 - 1


def slow_mixed(bits):
    """The finalizer of MurmurHash3, on a number."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        bits = ((bits ^ (bits >> 33)) * factor) & MASK
    return bits ^ (bits >> 33)


@pytest.mark.parametrize(("dtype", "bits"), [(np.float64, np.uint64), (np.float32, np.uint32)])
def test_hashes_are_those_of_models_saved_before(dtype, bits):
    """Model files hold them, so they must never change."""
    X = np.array([[1.5, 0.0, -2.25], [-0.0, 7.0, 1e30], [0.0, 0.0, 0.0]])
    found = hash_rows(X, dtype)
    for row, value in zip(X.astype(dtype), found.tolist(), strict=True):
        expected = 0
        for column, entry in enumerate(row):
            code = int(entry.view(bits)) if entry != 0 else 0
            expected += slow_mixed(code) * (slow_mixed(column + 1) | 1)
        assert value == expected & MASK
    np.testing.assert_array_equal(hash_rows(sparse.csr_array(X), dtype), found)
    assert hash_rows(np.empty((0, 3)), dtype).shape == (0,)


@pytest.mark.parametrize("entries", [1, 3, 7, 12, 100])
def test_hashes_do_not_depend_on_blocks(monkeypatch, entries):
    X = np.random.default_rng(0).normal(size=(10, 3))
    whole = hash_rows(X, X.dtype)
    monkeypatch.setattr(_known_rows, "BLOCK_ENTRIES", entries)
    np.testing.assert_array_equal(hash_rows(X, X.dtype), whole)


def test_values_beyond_single_precision_are_no_known_rows():
    known = hash_rows(np.ones((1, 1), dtype=np.float32), np.float32)
    assert find_rows(hash_rows(np.array([[1e300], [1.0], [1.0 + 1e-12]]), np.float32), known).tolist() == [-1, 0, 0]
