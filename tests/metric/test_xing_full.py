"""The full metric: the proven gap, random rivals, and invariance."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from cases.data import blobs, consistent_hints
from likewise import Constraints
from likewise.metric import XingMetric
from likewise.metric import _xing as xing
from likewise.metric._full import maximize, project_spectahedron


def direct(X, hints, A):
    """The objective, and the must-link sum that must not exceed 1 (its ridge left out)."""

    def squared(pairs):
        D = X[pairs[:, 0]] - X[pairs[:, 1]]
        return np.einsum("pi,ij,pj->p", D, A, D)

    far = hints.cannot_weight @ np.sqrt(np.maximum(squared(hints.cannot_link), 0))
    return far, hints.must_weight @ squared(hints.must_link)


@pytest.fixture
def case():
    X, y = blobs(40, 5)
    return X, consistent_hints(y, 15, 15, weighted=True)


def test_it_is_feasible_and_beats_every_rival(case):
    X, hints = case
    A = XingMetric.as_published("full").fit(X, constraints=hints).metric_
    np.testing.assert_allclose(A, A.T)
    assert np.linalg.eigvalsh(A).min() > -1e-10
    best, must = direct(X, hints, A)
    assert must == pytest.approx(1, rel=1e-3)
    rng = np.random.default_rng(0)
    for step in np.repeat([10.0, 1.0, 0.1, 0.01], 50):
        root = np.linalg.cholesky(A + 1e-9 * np.eye(5)) + step * rng.normal(size=(5, 5)) * np.abs(A).max() ** 0.5
        rival = root @ root.T
        value, must = direct(X, hints, rival)
        assert value / np.sqrt(must) <= best * (1 + 1e-4)


@pytest.mark.filterwarnings("ignore:the optimum keeps")
def test_the_diagonal_optimum_is_a_rival(case):
    X, hints = case
    full = XingMetric.as_published("full").fit(X, constraints=hints).metric_
    diagonal = np.diag(XingMetric.as_published().fit(X, constraints=hints).weights_)
    value, must = direct(X, hints, diagonal)
    assert direct(X, hints, full)[0] >= value / np.sqrt(must)


def test_transform_gives_the_learned_distance(case):
    X, hints = case
    metric = XingMetric("full", toward="variance").fit(X, constraints=hints)
    Z = metric.transform(X)
    d = X[3] - X[8]
    assert np.square(Z[3] - Z[8]).sum() == pytest.approx(d @ metric.metric_ @ d)
    again = XingMetric("full", toward="variance").fit(sparse.csr_array(X), constraints=hints)
    np.testing.assert_allclose(again.metric_, metric.metric_, rtol=1e-2, atol=1e-4 * np.abs(metric.metric_).max())


def test_a_linear_map_of_the_data_changes_nothing():
    rng = np.random.default_rng(1)
    S, D, weights = np.eye(4), rng.normal(size=(12, 4)), np.ones(12)
    T = rng.normal(size=(4, 4))
    one = maximize(S, D, weights, tol=1e-9, max_iter=2000)
    other = maximize(T @ S @ T.T, D @ T.T, weights, tol=1e-9, max_iter=2000)
    assert one.gap <= 1e-9
    np.testing.assert_allclose(T.T @ other.metric @ T, one.metric, atol=1e-4)


def test_the_gap_is_true():
    rng = np.random.default_rng(2)
    D, weights = rng.normal(size=(20, 3)), np.full(20, 1 / 20)

    def value(A):
        return weights @ np.sqrt(np.einsum("pi,ij,pj->p", D, A, D))

    best = value(maximize(np.eye(3), D, weights, tol=1e-10, max_iter=5000).metric)
    for steps in (1, 2, 3, 5):
        found = maximize(np.eye(3), D, weights, tol=1e-12, max_iter=steps)
        assert value(found.metric) <= best * (1 + 1e-9)
        assert best - value(found.metric) <= found.gap * value(found.metric) + 1e-9


def test_the_projection_is_the_nearest_feasible_matrix():
    rng = np.random.default_rng(3)
    B = rng.normal(size=(4, 4))
    B = B + B.T
    nearest = project_spectahedron(B)
    assert np.trace(nearest) == pytest.approx(1)
    for _ in range(200):
        root = rng.normal(size=(4, 4))
        rival = root @ root.T / np.square(root).sum()
        assert np.linalg.norm(B - nearest) <= np.linalg.norm(B - rival)


def test_warnings(case, monkeypatch):
    X, hints = case
    monkeypatch.setattr(xing, "LARGE", 3)
    with pytest.warns(UserWarning, match="takes minutes"):
        XingMetric("full").fit(X, constraints=hints)
    monkeypatch.undo()
    with pytest.warns(ConvergenceWarning, match="Increase max_iter=1"):
        XingMetric("full", max_iter=1, tol=1e-12).fit(X, constraints=hints)
    X[1] = X[0]
    with pytest.warns(UserWarning, match="equal rows"):
        metric = XingMetric("full").fit(X, constraints=Constraints(40, [(3, 4)], [(0, 1)]))
    np.testing.assert_allclose(metric.metric_, np.diag(1 / X.var(axis=0)))


def test_names(case):
    X, hints = case
    assert list(XingMetric("full").fit(X, constraints=hints).get_feature_names_out()[:2]) == [
        "xingmetric0",
        "xingmetric1",
    ]
    assert list(XingMetric().fit(X, constraints=hints).get_feature_names_out()[:2]) == ["x0", "x1"]
