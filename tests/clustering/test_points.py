"""The arithmetic and the loop that every k-means here shares."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans

from cases.data import blobs
from likewise.clustering.kmeans import _points as rows
from likewise.clustering.kmeans._lloyd import k_means, lloyd, plain
from likewise.clustering.kmeans._points import Points, squared_lengths
from likewise.clustering.kmeans._seeding import kmeans_plus_plus, random_rows

X, Y = blobs(60, 8, n_groups=3)
LOOP = {"max_iter": 100, "tol": 0.0}


@pytest.mark.parametrize("groups", [None, np.arange(60) // 2])
def test_few_and_many_points_have_the_same_means(monkeypatch, groups):
    points = Points(X, groups)
    labels = np.arange(points.n) % 4
    small, alive = points.means(labels, 5)
    monkeypatch.setattr(rows, "FEW", 0)
    large, also_alive = points.means(labels, 5)
    np.testing.assert_allclose(small, large, atol=1e-12)
    np.testing.assert_array_equal(alive, also_alive)
    assert alive.tolist() == [True] * 4 + [False]


def test_squared_lengths_of_dense_and_sparse_rows():
    expected = np.square(X).sum(axis=1)
    np.testing.assert_allclose(squared_lengths(X), expected)
    np.testing.assert_allclose(squared_lengths(sparse.csr_array(X)), expected)


def test_plain_k_means_is_scikit_learns():
    for seed in range(5):
        run = k_means(Points(X), 3, np.random.RandomState(seed), n_init=3, **LOOP)
        model = KMeans(3, n_init=3, random_state=seed, tol=0).fit(X)
        assert run.objective == pytest.approx(model.inertia_)


def test_more_starts_are_never_worse():
    points = Points(np.random.default_rng(0).normal(size=(80, 4)))
    one, many = (k_means(points, 6, np.random.RandomState(3), n_init=n, **LOOP).objective for n in (1, 10))
    assert many <= one


@pytest.mark.parametrize("start", [random_rows, kmeans_plus_plus])
def test_starts_are_rows(start):
    points = Points(X)
    centers = start(points, 5, np.random.RandomState(0))
    nearest = np.abs(X[:, None] - centers).max(axis=2).argmin(axis=0)
    np.testing.assert_allclose(X[nearest], centers, atol=1e-12)
    assert len(set(nearest)) == 5
    run = k_means(points, 5, np.random.RandomState(0), n_init=1, start=start, **LOOP)
    again = lloyd(points, centers, plain(points), **LOOP)
    assert run.objective == again.objective
