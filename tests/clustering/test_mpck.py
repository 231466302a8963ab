"""MPCK-means against a slow direct version."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from cases.data import blobs, consistent_hints, counts, labels_partition, law, partial_labels
from clustering.slow_kmeans import pair_lists, slow_means
from constraints.strategies import hints as any_hints
from likewise import ConstraintConflictError, Constraints, Partition
from likewise.clustering import MPCKMeans
from likewise.clustering.kmeans._points import Points
from likewise.clustering.kmeans.mpck import _violations as violations
from likewise.clustering.kmeans.mpck._cluster_metrics import DiagonalMetrics, FullMetrics, Spread
from likewise.clustering.kmeans.mpck._violations import Violations


@pytest.fixture
def never_written(monkeypatch):
    """Small data take the path of large ones: groups stay groups."""
    monkeypatch.setattr(violations, "FEW_PAIRS", 0)
    monkeypatch.setattr(violations, "FEW_ENTRIES", 0)


def slow_mpck(X, centers, hints, penalty, rng, n_iter, *, full, shrink, prior):
    """J at each iteration, all metrics as matrices; (x', x'') is the box (diagonal) or the farthest pair (full)."""
    n, f = X.shape
    k = len(centers)
    constrained = np.zeros(n, dtype=bool)
    constrained[[row for _, i, j, _ in hints for row in (i, j)]] = True
    pooled = np.cov(X.T, bias=True)
    if full:
        pooled = pooled + 1e-6 * np.trace(pooled) / f * np.eye(f)
    A = [np.linalg.inv(prior)] * k
    labels, history = None, []

    def length(v, M):
        return v @ M @ v

    def apart(M):
        if not full:
            return np.ptp(X, axis=0)
        first = X[np.argmax([length(x - X.mean(0), M) for x in X])]
        return first - X[np.argmax([length(x - first, M) for x in X])]

    def broken_cost(hint, labels):
        kind, i, j, weight = hint
        left, right, d = labels[i], labels[j], X[i] - X[j]
        if kind == "must" and left != right:
            return penalty * weight * 0.5 * (length(d, A[left]) + length(d, A[right]))
        if kind == "cannot" and left == right:
            return penalty * weight * (far[left] - length(d, A[left]))
        return 0.0

    def own(i, c):
        imaginary = (shrink * np.trace(A[c] @ prior) - np.linalg.slogdet(A[c])[1]) / (1 - shrink)
        return length(X[i] - centers[c], A[c]) + imaginary

    def cost(i, c, labels):
        changed = labels.copy()
        changed[i] = c
        return own(i, c) + sum(broken_cost(hint, changed) for hint in hints if i in hint[1:3])

    for _ in range(n_iter):
        far = [length(apart(M), M) for M in A]
        near = np.array([np.argmin([own(i, c) for c in range(k)]) for i in range(n)])
        labels = near if labels is None else np.where(constrained, labels, near)
        misplaced = [
            i
            for i in np.flatnonzero(constrained)
            if min(cost(i, c, labels) for c in range(k)) < cost(i, labels[i], labels) - 1e-12
        ]
        for i in rng.permutation(misplaced).tolist() if misplaced else []:
            options = [cost(i, c, labels) for c in range(k)]
            if min(options) < options[labels[i]] - 1e-12:
                labels[i] = int(np.argmin(options))
        history.append(sum(own(i, labels[i]) for i in range(n)) + sum(broken_cost(hint, labels) for hint in hints))
        centers = slow_means(X, labels, centers)
        learned = []
        for h in range(k):
            S = sum((np.outer(x - centers[h], x - centers[h]) for x in X[labels == h]), np.zeros((f, f)))
            ends = apart(A[h])
            for kind, i, j, weight in hints:
                d = X[i] - X[j]
                if kind == "must" and labels[i] != labels[j]:
                    S += 0.5 * penalty * weight * np.outer(d, d) * ((labels[i] == h) + (labels[j] == h))
                if kind == "cannot" and labels[i] == labels[j] == h:
                    S += penalty * weight * (np.outer(ends, ends) - np.outer(d, d))
            size = (labels == h).sum()
            S = S / size if size else pooled
            S = (1 - shrink) * S + shrink * prior
            if full:
                root = np.linalg.cholesky(pooled)
                inverse = np.linalg.inv(root)
                spread, axes = np.linalg.eigh(inverse @ S @ inverse.T)
                learned.append(inverse.T @ (axes / np.maximum(spread, 1e-3)) @ axes.T @ inverse)
            else:
                learned.append(np.diag(1 / np.maximum(np.diag(S), 1e-3 * np.diag(pooled))))
        A = learned
    return history


def group_hints(kind, y):
    """Hints that groups have a part in."""
    rng = np.random.default_rng(0)
    n, wrong = len(y), np.where(rng.random(len(y)) < 0.2, (y + 1) % 3, y)
    labels = labels_partition(np.where(np.arange(n) % 4 > 0, wrong, -1), weight=0.6)
    if kind == "labels":
        return Constraints(n, partitions=[labels])
    if kind == "pairs":
        return consistent_hints(y, weighted=True)
    if kind == "frames":
        frames = Partition(np.arange(n) // 5, same_within=False, different_within=True, weight=0.5)
        return Constraints(n, must_link=[(0, 20), (3, 17)], partitions=[frames])
    # Two partitions that overlap, with weights of their own, and pairs that a partition implies, too.
    first = labels_partition(np.where(np.arange(n) < 15, y, -1), weight=0.8)
    second = labels_partition(np.where(np.arange(n) >= 9, y, -1), weight=1.5)
    return consistent_hints(y, weighted=True) | Constraints(n, partitions=[first, second])


KINDS = ["labels", "pairs", "frames", "overlapping"]


@pytest.mark.parametrize("metric", ["diagonal", "full"])
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("shrink", "scales"), [(0.0, [1, 1, 1]), (0.4, [1, 1, 1]), (0.4, [1, 10, 100])])
def test_same_start_gives_the_slow_objective_at_every_iteration(metric, closed, kind, shrink, scales, never_written):
    X, y = blobs(24, 3, seed=1)
    X = X * scales
    variance = X.var(axis=0) + (1e-6 * X.var(axis=0).mean() if metric == "full" else 0)
    prior = np.diag(variance) if scales[-1] > 1 else np.eye(3) * X.var(axis=0).mean()
    hints = group_hints(kind, y)
    pairs = hints.expand(closed=closed)
    start = X[:9].reshape(3, 3, 3).mean(axis=0)  # each class has every third row
    model = MPCKMeans(3, metric=metric, penalty=0.2, shrink=shrink, max_iter=6, tol=0.0)
    for costs in (Violations(X, hints, 0.2, closed=closed), Violations(X, pairs, 0.2, closed=False)):
        run, _ = model._run(
            X, Points(X), costs, start, model._metrics(X, Spread.of(X, full=metric == "full")), np.random.RandomState(2)
        )
        rng = np.random.RandomState(2)
        direct = slow_mpck(
            X, start, pair_lists(pairs), 0.2, rng, run.n_iter, full=metric == "full", shrink=shrink, prior=prior
        )
        np.testing.assert_allclose(run.history, direct, rtol=1e-7)


@pytest.mark.parametrize("metric", ["diagonal", "full"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_groups_are_their_pairs(kind, metric, seed, monkeypatch):
    X, y = blobs(60, 4, seed=seed)
    hints = group_hints(kind, y)
    model = MPCKMeans(3, metric=metric, penalty=0.1, n_init=1, random_state=seed)
    as_pairs = model.fit(X, constraints=hints.expand(closed=True))
    expected = as_pairs.labels_, as_pairs.objective_, as_pairs.history_, as_pairs.metrics_
    for limit in (0, 100):  # with a few parts expanded, and with none
        monkeypatch.setattr(violations, "FEW_PAIRS", 0)
        monkeypatch.setattr(violations, "FEW_ENTRIES", limit)
        model.fit(X, constraints=hints)
        np.testing.assert_array_equal(model.labels_, expected[0])
        assert model.objective_ == pytest.approx(expected[1], rel=1e-9)
        np.testing.assert_allclose(model.history_, expected[2], rtol=1e-9)
        np.testing.assert_allclose(model.metrics_, expected[3], rtol=1e-7)


@law
@given(any_hints(n=7, max_partitions=3), st.booleans(), st.integers(0, 99))
def test_costs_of_rows_are_the_sum_over_expanded_pairs(constraints, closed, seed):
    rng = np.random.default_rng(seed)
    X, labels, k = rng.normal(size=(7, 2)), rng.integers(0, 3, 7), 3
    metrics = DiagonalMetrics(X, Spread.of(X, full=False), k, shared=False, farthest="box")
    metrics = metrics.learned(X, rng.normal(size=(k, 2)), labels, np.zeros((k, 2)), np.zeros(k))
    try:
        pairs = pair_lists(constraints.expand(closed=closed))
    except ConstraintConflictError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(violations, "FEW_PAIRS", 0)
        patch.setattr(violations, "FEW_ENTRIES", 0)
        costs = Violations(X, constraints, 0.5, closed=closed)

    def direct(labels):
        total = 0.0
        for kind, i, j, weight in pairs:
            lengths = metrics.lengths((X[i] - X[j])[None])[0]
            if kind == "must" and labels[i] != labels[j]:
                total += 0.5 * weight * (lengths[labels[i]] + lengths[labels[j]]) / 2
            if kind == "cannot" and labels[i] == labels[j]:
                total += 0.5 * weight * (metrics.far - lengths)[labels[i]]
        return total

    assert metrics.cost(*costs.violation_scatter(labels, metrics)) == pytest.approx(direct(labels), abs=1e-9)
    states = [part.start_sweep(labels, metrics) for part in costs._parts]
    for i in range(7):
        costs_of_row = np.zeros(k)
        for part in states:
            costs_of_row += part.base[i]
            part.add_votes(i, costs_of_row)
        together = sum((part.base[i] + part.votes()[i] for part in states), np.zeros(k))
        np.testing.assert_allclose(costs_of_row, together, atol=1e-12)
        elsewhere = [direct(np.where(np.arange(7) == i, cluster, labels)) for cluster in range(k)]
        np.testing.assert_allclose(costs_of_row - costs_of_row[0], np.subtract(elsewhere, elsewhere[0]), atol=1e-9)
        before, labels[i] = labels[i], rng.integers(k)
        for part in states:
            part.move(i, before, labels[i])


@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_fully_labeled_rows_are_never_expanded(metric, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("pairs were expanded")

    X, y = blobs(20_000, 5, n_groups=4)
    y = np.where(np.arange(20_000) % 50 == 0, (y + 1) % 4, y)  # some that contradict the data
    labels = Constraints.from_labels(y)
    monkeypatch.setattr(Constraints, "expand", refuse)
    model = MPCKMeans(4, metric=metric, penalty=1e-4, n_init=1, random_state=0, tol=0).fit(X, constraints=labels)
    assert (np.diff(model.history_) <= 1e-9 * np.abs(model.history_[:-1])).all()
    assert len(model.history_) > 1
    assert np.isfinite(model.metrics_).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_objective_never_rises(seed, shared, labels, scale, never_written):
    X, y = blobs(60, 5, seed=seed)
    X = X * [scale, 1, 1, 1, 1 / scale]
    y = np.where(np.random.default_rng(seed).random(60) < 0.3, (y + 1) % 3, y)  # constraints that contradict the data
    hints = Constraints.from_labels(partial_labels(y, seed=seed)) if labels else consistent_hints(y, seed=seed)
    model = MPCKMeans(3, shared=shared, penalty=0.05 if labels else 1.0, random_state=seed, tol=0)
    history = np.array(model.fit(X, constraints=hints).history_)
    assert (np.diff(history) <= 1e-9 * np.abs(history[:-1])).all()


@pytest.mark.parametrize("kind", [DiagonalMetrics, FullMetrics])
def test_without_violated_pairs_a_metric_is_an_inverse_variance(kind):
    X, y = blobs(90, 3)
    centers = slow_means(X, y, np.zeros((3, 3)))
    metrics = kind(X, Spread.of(X, full=kind is FullMetrics), 3, shared=False, farthest="pair")
    costs = Violations(X, Constraints(90, must_link=[(0, 3)]), 1.0, closed=True)
    learned = metrics.learned(X, centers, y, *costs.violation_scatter(y, metrics))
    for h in range(3):
        covariance = np.cov(X[y == h].T, bias=True)
        if kind is DiagonalMetrics:
            np.testing.assert_allclose(learned.values[h], 1 / np.diag(covariance))
        else:
            np.testing.assert_allclose(learned.values[h], np.linalg.inv(covariance))
        assert learned.log_det[h] == pytest.approx(
            -np.linalg.slogdet(np.cov(X[y == h].T, bias=True) if kind is FullMetrics else np.diag(np.diag(covariance)))[
                1
            ]
        )


def test_variances_are_bounded_below():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 0.5], [9.0, 3.0]])
    model = MPCKMeans(2, n_init=5, random_state=0).fit(X)
    assert np.isfinite(model.metrics_).all()
    assert (model.metrics_ <= 1 / (1e-3 * X.var(axis=0)) * (1 + 1e-9)).all()
    constant = np.column_stack([X, np.full(4, 7.0)])
    np.testing.assert_array_equal(MPCKMeans(2, n_init=5, random_state=0).fit(constant).labels_, model.labels_)


def test_digits_are_clustered_no_worse_than_by_k_means():
    X, y = load_digits(return_X_y=True)
    constrained, plain = [], []
    for seed in range(8):
        hints = Constraints.sample(y, "random_pairs", 500, random_state=seed)
        labels = MPCKMeans(10, random_state=seed).fit_predict(X, constraints=hints)
        constrained.append(adjusted_rand_score(y, labels))
        plain.append(adjusted_rand_score(y, KMeans(10, n_init=10, random_state=seed).fit_predict(X)))
    assert np.mean(constrained) >= np.mean(plain)


def test_the_published_method_does_not_shrink():
    published = MPCKMeans.as_published(3)
    assert (published.shrink, published.penalty, published.n_init, published.farthest) == (0, 1, 1, "pair")


def test_it_finds_the_feature_that_matters():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = np.column_stack([y + 0.1 * rng.normal(size=120), 5 * rng.normal(size=(120, 2))])
    hints = consistent_hints(y, 60, 60)
    model = MPCKMeans(2, shared=True, n_init=5, random_state=0).fit(X, constraints=hints)
    assert model.metrics_[0].argmax() == 0
    assert len(set(zip(model.labels_.tolist(), y.tolist(), strict=True))) == 2


@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_predict_on_training_rows_without_hints_is_labels(metric):
    X, _ = blobs(50)
    model = MPCKMeans(3, metric=metric, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.metrics_.shape == ((3, 6) if metric == "diagonal" else (3, 6, 6))


@pytest.mark.parametrize("kind", ["pairs", "labels"])
def test_sparse_and_dense_agree_for_diagonal_metrics(kind, never_written):
    X, y = counts(40, 6), np.arange(40) % 3
    hints = group_hints(kind, y)
    for farthest in ("box", "pair"):
        first = MPCKMeans(3, farthest=farthest, random_state=0).fit(X, constraints=hints)
        second = MPCKMeans(3, farthest=farthest, random_state=0).fit(X.toarray(), constraints=hints)
        np.testing.assert_array_equal(first.labels_, second.labels_)
        np.testing.assert_array_equal(first.predict(X), second.predict(X.toarray()))
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        MPCKMeans(3, metric="full").fit(X)


def test_the_box_bounds_diagonal_metrics_only():
    with pytest.raises(ValueError, match="farthest='box' bounds differences only under a diagonal metric"):
        MPCKMeans(2, metric="full", farthest="box").fit(np.eye(4))
