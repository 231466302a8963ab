"""Rough inverses by conjugate gradients, and the products they are made of, against full matrices."""

import numpy as np
import pytest
from scipy import sparse

from likewise.forms import Form
from likewise.graphs import RowMatrix
from likewise.linalg._cg import conjugate_gradients
from likewise.linalg._products import GramMatrix
from likewise.pencil._matrix_free import FeatureSystem, RowSystem

N, F = 90, 200


def words(seed=0):
    """Sparse rows; many features are of one row alone, and one row is empty."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0 / np.arange(1, F + 1), size=(N, F)).astype(float)
    X[3] = 0
    X[np.arange(40) + 10, np.arange(40) + 100] = 1.5
    return X


def weights(seed=0):
    return RowMatrix.diag(np.random.default_rng(seed).uniform(0.5, 30, N)).centered()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_the_gram_matrix_is_that_of_the_rows(kind, precision):
    X = words().astype(precision)
    assert (np.count_nonzero(X, axis=0) == 1).sum() > 10
    V = np.random.default_rng(1).normal(size=(N, 3)).astype(precision)
    found = GramMatrix(kind(X)) @ V
    assert found.dtype == precision
    np.testing.assert_allclose(found, X @ X.T @ V, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1e-25, 1.0, 1e25])
def test_rows_are_inverted(kind, precision, size):
    X, K = words(), weights()
    inner = RowSystem(kind(X * size), K * size**-2, precision)
    wanted = K.toarray() @ np.random.default_rng(2).normal(size=(N, 4))
    V, Y = conjugate_gradients(inner, wanted.astype(precision), 1e-5, 200)
    assert V.dtype == Y.dtype == precision
    expected = np.linalg.solve(K.toarray() @ X @ X.T + np.eye(N), wanted)
    G, close = X @ X.T, 1e-3 if precision == np.float32 else 1e-4
    seen = Y * (inner.unit / size**2)
    assert np.linalg.norm(seen - G @ expected) < close * np.linalg.norm(G @ expected)
    assert np.linalg.norm(G @ V - G @ expected) < close * np.linalg.norm(G @ expected)


def test_what_is_known_of_the_strongest_directions_saves_steps(monkeypatch):
    X, K = sparse.csr_array(words()), weights()
    wanted = K @ np.random.default_rng(2).normal(size=(N, 4))
    steps = []
    for strongest in (1, 20):
        monkeypatch.setattr("likewise.pencil._matrix_free.STRONGEST", strongest)
        system = RowSystem(X, K, np.float64)
        multiplied = []
        multiply = system.multiply
        system.multiply = lambda V, Y, multiply=multiply, seen=multiplied: seen.append(1) or multiply(V, Y)
        conjugate_gradients(system, wanted, 1e-4, 200)
        steps.append(len(multiplied))
    assert steps[1] < 0.7 * steps[0]


def test_features_are_inverted():
    X, form = words(), Form(weights(), 1.0)
    wanted = np.random.default_rng(2).normal(size=(F, 4))
    V, Y = conjugate_gradients(FeatureSystem(X, form, form.diagonal(X)), wanted, 1e-9, 500)
    assert V is Y or np.array_equal(V, Y)
    np.testing.assert_allclose(form.matrix(X) @ V, wanted, atol=1e-6)


def test_it_stops_where_the_columns_will_do():
    inner = RowSystem(words(), weights(), np.float64)
    looks = []
    wanted = weights() @ np.random.default_rng(2).normal(size=(N, 2))
    V, _ = conjugate_gradients(inner, wanted, 0.0, 200, enough=lambda V, Y: looks.append(V.copy()) or len(looks) == 2)
    assert len(looks) == 2
    np.testing.assert_array_equal(V, looks[-1])
