"""Kernel k-means and SKK-means against slow direct versions."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances

import likewise
from cases.data import blobs, consistent_hints, partial_labels
from likewise import Constraints
from likewise.clustering import KernelKMeans, SKKMeans, choose_delta
from likewise.clustering.kmeans import _kernel as kernel
from likewise.clustering.kmeans import _nystrom as nystrom
from likewise.clustering.kmeans._kernel import GRID, KernelPoints
from likewise.clustering.kmeans._lloyd import lloyd, plain
from likewise.clustering.kmeans._nystrom import Nystrom
from likewise.graphs._kernel import median_distance


def rbf(X, delta, Y=None):
    return np.exp(-euclidean_distances(X, Y, squared=True) / (2 * delta**2))


def slow_distance(K, i, members):
    """Eq. 25, sum by sum."""
    size = len(members)
    cross = sum(K[i, t] for t in members)
    inside = sum(K[t, u] for t in members for u in members)
    return K[i, i] - 2 * cross / size + inside / size**2


def slow_kernel_kmeans(K, labels, k, n_iter):
    history = []
    for _ in range(n_iter):
        members = [np.flatnonzero(labels == h) for h in range(k)]
        distances = np.array([[slow_distance(K, i, m) for m in members] for i in range(len(K))])
        labels = distances.argmin(axis=1)
        history.append(distances.min(axis=1).sum())
    return history


@pytest.mark.parametrize("projected", [False, True])
def test_same_start_gives_the_slow_objective_at_every_iteration(projected):
    X, y = blobs(30, 3)
    K = rbf(X, 2.0)
    if projected:
        K = likewise.graphs.kernel_null_space(K, consistent_hints(y))
    points = KernelPoints(K)
    labels = np.random.default_rng(0).integers(3, size=30)
    run = lloyd(points, points.means(labels, 3)[0], plain(points), max_iter=30, tol=0.0)
    np.testing.assert_allclose(run.history, slow_kernel_kmeans(K, labels, 3, run.n_iter), rtol=1e-9)
    assert (np.diff(run.history) <= 1e-12).all()


def test_linear_kernel_is_kmeans():
    X, _ = blobs(50)
    model = KernelKMeans(3, kernel="linear", random_state=0, tol=0).fit(X)
    centers = model.coefficients_ @ X
    assert model.inertia_ == pytest.approx(((X - centers[model.labels_]) ** 2).sum())


def test_kernels_named_called_and_precomputed_agree():
    X, _ = blobs(40)
    delta = median_distance(X)
    named = KernelKMeans(3, random_state=0).fit(X)
    assert named.delta_ == delta
    given = KernelKMeans(3, kernel="precomputed", random_state=0).fit(rbf(X, delta))
    called = KernelKMeans(3, kernel=lambda a, b: np.exp(-((a - b) ** 2).sum() / (2 * delta**2)), random_state=0).fit(X)
    for other in (given, called):
        np.testing.assert_array_equal(named.labels_, other.labels_)
    new, _ = blobs(10, seed=5)
    np.testing.assert_array_equal(named.predict(new), given.predict(rbf(new, delta, X)))
    polynomial = KernelKMeans(3, kernel="poly", kernel_params={"degree": 2}, random_state=0).fit(X)
    np.testing.assert_array_equal(polynomial.predict(X), polynomial.labels_)


def test_a_precomputed_kernel_is_square():
    with pytest.raises(ValueError, match=r"square matrix, got shape \(5, 3\)"):
        KernelKMeans(2, kernel="precomputed").fit(np.ones((5, 3)))


@pytest.mark.parametrize("cls", [KernelKMeans, SKKMeans])
def test_predict_on_training_rows_is_labels(cls):
    X, y = blobs(40)
    hints = consistent_hints(y) if cls is SKKMeans else None
    model = cls(3, random_state=0).fit(X, constraints=hints)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_skk_collapses_must_links_and_its_objective_is_eq_24():
    X, y = blobs(40)
    hints = consistent_hints(y)
    model = SKKMeans(3, delta=5.0, random_state=0, tol=0).fit(X, constraints=hints)
    assert (model.labels_[hints.must_link[:, 0]] == model.labels_[hints.must_link[:, 1]]).all()
    K_hat = likewise.graphs.kernel_null_space(rbf(X, 5.0), hints)
    members = [np.flatnonzero(model.labels_ == h) for h in range(3)]
    assert model.objective_ == pytest.approx(sum(slow_distance(K_hat, i, members[model.labels_[i]]) for i in range(40)))
    labeled = SKKMeans(3, random_state=0).fit(X, partial_labels(y))
    assert len(set(labeled.labels_[(partial_labels(y) == 0)])) == 1


def test_skk_predicts_new_rows_after_the_same_projection():
    X, y = blobs(40)
    hints = consistent_hints(y)
    model = SKKMeans(3, delta=5.0, random_state=0).fit(X, constraints=hints)
    new, _ = blobs(15, seed=4)
    # A new row is one more row that no hint speaks of.
    both = likewise.graphs.kernel_null_space(rbf(np.vstack([X, new]), 5.0), Constraints(55, must_link=hints.must_link))
    members = [np.flatnonzero(model.labels_ == h) for h in range(3)]
    slow = [np.argmin([slow_distance(both, 40 + i, m) for m in members]) for i in range(15)]
    np.testing.assert_array_equal(model.predict(new), slow)


def test_skk_without_hints_is_kernel_kmeans_and_refuses_weights():
    X, y = blobs(30)
    np.testing.assert_array_equal(
        SKKMeans(3, random_state=0).fit(X).labels_, KernelKMeans(3, random_state=0).fit(X).labels_
    )
    with pytest.raises(ValueError, match="takes every hint as certain"):
        SKKMeans(3).fit(X, constraints=consistent_hints(y, weighted=True))
    with pytest.raises(ValueError, match="does not use constraints"):
        KernelKMeans(3).fit(X, constraints=consistent_hints(y))


def test_a_narrow_kernel_warns():
    X, y = blobs(30)
    with pytest.warns(UserWarning, match="less than half of the median"):
        SKKMeans(3, delta=0.1).fit(X, constraints=consistent_hints(y))


def test_choose_delta_keeps_most_cannot_links_apart_and_takes_the_middle_of_equals():
    X, y = blobs(45, 4, seed=2)
    hints = consistent_hints(y, 12, 25)
    grid = [m * median_distance(X) for m in GRID]
    seed = np.random.RandomState(3).randint(2**31 - 1)
    broken = []
    for delta in grid:
        labels = SKKMeans(3, kernel="precomputed", random_state=seed).fit(rbf(X, delta), constraints=hints).labels_
        broken.append((labels[hints.cannot_link[:, 0]] == labels[hints.cannot_link[:, 1]]).sum())
    best = np.flatnonzero(np.array(broken) == min(broken))
    assert choose_delta(X, hints, 3, random_state=3) == pytest.approx(grid[best[(len(best) - 1) // 2]])
    with pytest.raises(ValueError, match="compares widths by cannot-links, but the constraints contain none"):
        choose_delta(X, Constraints(45), 3)
    with pytest.raises(ValueError, match="widths above 0"):
        choose_delta(X, hints, 3, grid=[0.0, 1.0])


def test_landmarks_stand_for_all_rows():
    X, y = blobs(200, 3)
    hints = consistent_hints(y)
    whole = SKKMeans(3, delta=5.0, random_state=0).fit(X, constraints=hints)
    some = SKKMeans(3, delta=5.0, n_landmarks=60, random_state=0).fit(X, constraints=hints)
    assert whole.landmarks_ is None
    assert whole.kernel_error_ == 0
    assert some.coefficients_.shape == (3, 60)
    assert 0 < some.kernel_error_ < 0.05
    assert (some.labels_[hints.must_link[:, 0]] == some.labels_[hints.must_link[:, 1]]).all()
    assert some.objective_ == pytest.approx(whole.objective_, rel=3e-2)
    np.testing.assert_array_equal(some.predict(X), some.labels_)
    everyone = SKKMeans(3, delta=5.0, n_landmarks=200, random_state=0).fit(X, constraints=hints)
    assert everyone.objective_ == pytest.approx(whole.objective_, rel=1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_error_of_landmarks_is_that_of_the_whole_kernel(dtype):
    X, y = blobs(150, 6)
    X, landmarks = X.astype(dtype), np.arange(0, 150, 8)
    hints = consistent_hints(y)
    K = rbf(X.astype(float), 4.0)
    space = Nystrom.of(lambda left, right: rbf(left, 4.0, right), X, landmarks)
    direct = (
        K[:, landmarks]
        @ np.linalg.pinv(K[np.ix_(landmarks, landmarks)], rcond=nystrom.NULL[np.dtype(dtype).name])
        @ K[landmarks]
    )
    assert space.F.dtype == dtype
    np.testing.assert_allclose(space.F @ space.F.T, direct, atol=1e-3 if dtype == np.float32 else 1e-6)
    assert space.error == pytest.approx(np.linalg.norm(K - direct) / np.linalg.norm(direct), rel=1e-2)
    space.collapse(hints)
    expected = likewise.graphs.kernel_null_space(direct, hints)
    assert space.error == pytest.approx(np.linalg.norm(K - direct) / np.linalg.norm(expected), rel=1e-2)
    np.testing.assert_allclose(space.F @ space.F.T, expected, atol=5e-3 if dtype == np.float32 else 1e-5)


def test_many_rows_take_landmarks_by_themselves(monkeypatch):
    monkeypatch.setattr(kernel, "FULL", 100)
    monkeypatch.setattr(kernel, "LANDMARKS", 30)
    X, y = blobs(120)
    hints = Constraints.from_labels(np.where(np.arange(120) < 100, y, -1))
    model = SKKMeans(3, random_state=0).fit(X.astype(np.float32), constraints=hints)
    assert len(model.landmarks_) == len(np.unique(model.landmarks_)) == 30
    assert np.isin(model.landmarks_, np.arange(100)).sum() >= 15  # half may be rows that hints speak of
    assert KernelKMeans(3, n_landmarks=None, random_state=0).fit(X).landmarks_ is None
    assert KernelKMeans(3, kernel="precomputed", random_state=0).fit(rbf(X, 2.0)).landmarks_ is None
