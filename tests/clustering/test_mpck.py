"""MPCK-means against a slow direct version."""

import numpy as np
import pytest

from cases.data import blobs, consistent_hints, counts, partial_labels
from clustering.slow_kmeans import pair_lists, slow_means
from likewise import Constraints
from likewise.clustering import MPCKMeans
from likewise.clustering.metrics import DiagonalMetrics, FullMetrics
from likewise.clustering.points import Points
from likewise.clustering.violations import PairCosts


def slow_mpck(X, centres, hints, penalty, rng, n_iter, *, full):
    """J at each iteration, all metrics as matrices; (x', x'') is the box (diagonal) or the farthest pair (full)."""
    n, f = X.shape
    k = len(centres)
    told = np.zeros(n, dtype=bool)
    told[[row for _, i, j, _ in hints for row in (i, j)]] = True
    pooled = np.cov(X.T, bias=True)
    mean = np.trace(pooled) / f
    if full:
        pooled = pooled + 1e-6 * mean * np.eye(f)
    A = [np.eye(f) / mean] * k
    labels, history = None, []

    def length(v, M):
        return v @ M @ v

    def apart(M):
        if not full:
            return np.ptp(X, axis=0)
        first = X[np.argmax([length(x - X.mean(0), M) for x in X])]
        return first - X[np.argmax([length(x - first, M) for x in X])]

    def broken_cost(hint, labels):
        kind, i, j, belief = hint
        left, right, d = labels[i], labels[j], X[i] - X[j]
        if kind == "must" and left != right:
            return penalty * belief * 0.5 * (length(d, A[left]) + length(d, A[right]))
        if kind == "cannot" and left == right:
            return penalty * belief * max(length(apart(A[left]), A[left]) - length(d, A[left]), 0)
        return 0.0

    def own(i, c):
        return length(X[i] - centres[c], A[c]) - np.linalg.slogdet(A[c])[1]

    def cost(i, c, labels):
        changed = labels.copy()
        changed[i] = c
        return own(i, c) + sum(broken_cost(hint, changed) for hint in hints if i in hint[1:3])

    for _ in range(n_iter):
        near = np.array([np.argmin([own(i, c) for c in range(k)]) for i in range(n)])
        labels = near if labels is None else np.where(told, labels, near)
        wanting = [
            i
            for i in np.flatnonzero(told)
            if min(cost(i, c, labels) for c in range(k)) < cost(i, labels[i], labels) - 1e-12
        ]
        for i in rng.permutation(wanting).tolist() if wanting else []:
            options = [cost(i, c, labels) for c in range(k)]
            if min(options) < options[labels[i]] - 1e-12:
                labels[i] = int(np.argmin(options))
        history.append(sum(own(i, labels[i]) for i in range(n)) + sum(broken_cost(hint, labels) for hint in hints))
        centres = slow_means(X, labels, centres)
        learned = []
        for h in range(k):
            S = sum((np.outer(x - centres[h], x - centres[h]) for x in X[labels == h]), np.zeros((f, f)))
            far = apart(A[h])
            for kind, i, j, belief in hints:
                d = X[i] - X[j]
                if kind == "must" and labels[i] != labels[j]:
                    S += 0.5 * penalty * belief * np.outer(d, d) * ((labels[i] == h) + (labels[j] == h))
                if kind == "cannot" and labels[i] == labels[j] == h:
                    S += penalty * belief * (np.outer(far, far) - np.outer(d, d))
            S = S / (labels == h).sum()
            if full:
                root = np.linalg.cholesky(pooled)
                inverse = np.linalg.inv(root)
                spread, axes = np.linalg.eigh(inverse @ S @ inverse.T)
                learned.append(inverse.T @ (axes / np.maximum(spread, 1e-3)) @ axes.T @ inverse)
            else:
                learned.append(np.diag(1 / np.maximum(np.diag(S), 1e-3 * np.diag(pooled))))
        A = learned
    return history


@pytest.mark.parametrize("metric", ["diagonal", "full"])
@pytest.mark.parametrize("beliefs", [False, True])
def test_same_start_gives_the_slow_objective_at_every_iteration(metric, beliefs):
    X, y = blobs(24, 3, seed=1)
    hints = consistent_hints(y, 6, 6, beliefs=beliefs).expand(closed=True)
    start = X[[0, 1, 2]]
    model = MPCKMeans(3, metric=metric, penalty=0.7, max_iter=6, tol=0.0)
    points, pairs = Points(X), PairCosts(X, hints, 0.7)
    run, _ = model._run(X, points, pairs, start, model._metrics(X), np.random.RandomState(2))
    direct = slow_mpck(X, start, pair_lists(hints), 0.7, np.random.RandomState(2), run.n_iter, full=metric == "full")
    np.testing.assert_allclose(run.history, direct, rtol=1e-7)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shared", [False, True])
def test_objective_never_rises(seed, shared):
    X, y = blobs(60, 5, seed=seed)
    y = np.where(np.random.default_rng(seed).random(60) < 0.3, (y + 1) % 3, y)  # hints the data do not like
    model = MPCKMeans(3, shared=shared, random_state=seed, tol=0).fit(X, constraints=consistent_hints(y, seed=seed))
    history = np.array(model.history_)
    assert (np.diff(history) <= 1e-9 * np.abs(history[:-1])).all()


@pytest.mark.parametrize("kind", [DiagonalMetrics, FullMetrics])
def test_without_broken_pairs_a_metric_is_an_inverse_variance(kind):
    X, y = blobs(90, 3)
    centres = slow_means(X, y, np.zeros((3, 3)))
    pairs = PairCosts(X, Constraints(90, must_link=[(0, 3)]), 1.0)
    learned = kind(X, 3, shared=False, farthest="pair").learned(X, centres, y, *pairs.broken(y, 3))
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
    assert MPCKMeans.as_published(3).farthest == "pair"


def test_labels_are_their_pairs_and_too_many_are_refused():
    X, y = blobs(40)
    labels = Constraints.from_labels(partial_labels(y))
    first = MPCKMeans(3, random_state=0).fit(X, constraints=labels)
    second = MPCKMeans(3, random_state=0).fit(X, constraints=labels.expand())
    np.testing.assert_array_equal(first.labels_, second.labels_)
    with pytest.raises(ValueError, match="limit"):
        MPCKMeans(3, max_pairs=5).fit(X, constraints=labels)


def test_sparse_and_dense_agree_for_diagonal_metrics():
    X, y = counts(40, 6), np.arange(40) % 3
    hints = consistent_hints(y)
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
