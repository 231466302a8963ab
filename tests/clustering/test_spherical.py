"""Spherical k-means against a slow direct version."""

import numpy as np
import pytest
from scipy import sparse

from cases.data import blobs, counts
from likewise import Constraints
from likewise.clustering import SphericalKMeans
from likewise.clustering.kmeans._lloyd import lloyd, plain
from likewise.clustering.kmeans._points import Points
from likewise.clustering.kmeans._seeding import kmeans_plus_plus


def slow_spherical(X, centers, n_iter):
    """Objective Σ (1 − cos) at each iteration, row by row."""
    rows = [x / np.linalg.norm(x) for x in X]
    objective = []
    for _ in range(n_iter):
        labels = [int(np.argmax([x @ c for c in centers])) for x in rows]
        objective.append(sum(1 - x @ centers[label] for x, label in zip(rows, labels, strict=True)))
        sums = [
            np.sum([x for x, own in zip(rows, labels, strict=True) if own == h], axis=0) for h in range(len(centers))
        ]
        centers = [s / np.linalg.norm(s) for s in sums]
    return objective


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, sparse.csr_matrix], ids=["dense", "array", "matrix"])
def test_same_start_gives_the_slow_objective_at_every_iteration(make):
    X = counts(60, 10, seed=1).toarray()
    points = Points(make(X), cosine=True)
    start = points.take(np.array([0, 7, 21]))
    run = lloyd(points, start, plain(points), max_iter=50, tol=0.0)
    direct = slow_spherical(X, list(start), run.n_iter)
    np.testing.assert_allclose(np.array(run.history) / 2, direct, rtol=1e-12)
    assert all(np.diff(run.history) <= 1e-12)


def test_length_of_rows_does_not_matter_and_centers_have_unit_length():
    X, _ = blobs(50)
    stretch = np.random.default_rng(0).uniform(0.1, 9, size=(50, 1))
    first = SphericalKMeans(3, random_state=0).fit(X)
    second = SphericalKMeans(3, random_state=0).fit(X * stretch)
    np.testing.assert_array_equal(first.labels_, second.labels_)
    np.testing.assert_allclose(np.linalg.norm(first.cluster_centers_, axis=1), 1.0)


def test_predict_on_training_rows_is_labels():
    X = counts(100, 15, seed=3)
    for max_iter in (1, 2, 300):
        model = SphericalKMeans(5, random_state=0, max_iter=max_iter).fit(X)
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        assert model.n_iter_ <= max_iter


def test_rows_of_zeros_cost_one_and_go_to_cluster_zero():
    X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 0.0], [0.0, 1.0], [0.1, 1.0]])
    model = SphericalKMeans(2, n_init=5, random_state=0).fit(X)
    without = SphericalKMeans(2, n_init=5, random_state=0).fit(X[[0, 1, 3, 4]])
    assert model.labels_[2] == 0
    assert model.inertia_ == pytest.approx(without.inertia_ + 1)
    np.testing.assert_allclose(np.sort(model.cluster_centers_, axis=0), np.sort(without.cluster_centers_, axis=0))


def test_all_zeros():
    model = SphericalKMeans(2, random_state=0).fit(np.zeros((4, 3)))
    np.testing.assert_array_equal(model.labels_, 0)
    assert model.inertia_ == 4


def test_fewer_distinct_rows_than_clusters():
    X = np.array([[1.0, 0.0], [0.0, 1.0]] * 5)
    model = SphericalKMeans(4, random_state=0).fit(X)
    assert len(set(model.labels_)) == 2
    assert model.inertia_ == pytest.approx(0, abs=1e-12)


def test_an_empty_cluster_takes_the_row_farthest_from_its_center():
    X = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [9.0, 9.0]])
    points = Points(X)
    start = np.array([[0.0, 0.0], [99.0, -99.0]])
    run = lloyd(points, start, plain(points), max_iter=20, tol=0.0)
    assert run.labels.tolist() == [0, 0, 0, 1]
    assert all(np.diff(run.history) <= 0)


def test_labels_are_ignored_and_hints_refused():
    X, y = blobs(30)
    ignored = SphericalKMeans(3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ignored.labels_, SphericalKMeans(3, random_state=0).fit(X).labels_)
    SphericalKMeans(3).fit(X, constraints=Constraints(30))
    with pytest.raises(ValueError, match=r"does not use constraints, but was given .*1 must-link.*PCKMeans"):
        SphericalKMeans(3).fit(X, constraints=Constraints(30, must_link=[(0, 1)]))


def test_seeds_are_far_apart_and_given_ones_stay():
    X, _ = blobs(60)
    points = Points(X)
    rng = np.random.RandomState(0)
    seeds = kmeans_plus_plus(points, 5, rng, X[:2])
    np.testing.assert_array_equal(seeds[:2], X[:2])
    assert len(np.unique(seeds, axis=0)) == 5


def test_nothing_global_changes():
    X, _ = blobs(30)
    np.random.seed(1)  # noqa: NPY002
    before, errors = np.random.get_state()[1].copy(), np.geterr()  # noqa: NPY002
    SphericalKMeans(3, random_state=0).fit(X)
    SphericalKMeans(3, random_state=np.random.RandomState(0)).fit(X)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert np.geterr() == errors
