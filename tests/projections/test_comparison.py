"""The projection learned from comparisons: its loss against loops, its gradient, and what it must not do."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import OptimizeResult
from sklearn.decomposition import PCA

from cases.data import blobs, counts, principal_angle
from likewise import ComparisonProjection, Comparisons, Constraints
from likewise.projections import _comparison_loss
from likewise.projections._comparison_loss import STEADY, ComparisonLoss, Terms, scaled_axes

X, Y = blobs(40, 5, seed=3)


def triplets(y, count, seed=0, *, forced=False):
    """Answers by class; forced ones to all questions, the others only where classes decide."""
    rng = np.random.default_rng(seed)
    rows = np.array([rng.choice(len(y), 3, replace=False) for _ in range(count)])
    first, second = (y[rows[:, 0]] == y[rows[:, place]] for place in (1, 2))
    rows[second & ~first] = rows[second & ~first][:, [0, 2, 1]]
    return Comparisons(len(y), rows if forced else rows[first != second])


def slow_loss(X, near, far, weight, W, start, penalty, error_rate):
    """The equation, a comparison at a time."""
    T = np.atleast_2d(np.cov(X.T, bias=True))
    R = T + STEADY * np.trace(T) / len(T) * np.eye(len(T))
    value = penalty / 2 * np.trace((W - start).T @ R @ (W - start))
    for (a, b), (c, d), w in zip(near, far, weight, strict=True):
        margin = np.sum((W.T @ (X[c] - X[d])) ** 2) - np.sum((W.T @ (X[a] - X[b])) ** 2)
        value -= w * np.log(error_rate + (1 - 2 * error_rate) / (1 + np.exp(-margin)))
    return value


def loss_of(X, comparisons, rank=2, penalty=3.0, error_rate=0.1):
    terms = Terms.of(comparisons | Constraints(len(X)))
    near, far = (X[pairs[:, 0]] - X[pairs[:, 1]] for pairs in (terms.near, terms.far))
    T = np.atleast_2d(np.cov(X.T, bias=True))
    start = scaled_axes(np.linalg.eigh(T)[1][:, ::-1][:, :rank], lambda V: T @ V)
    variance = np.trace(T) / len(T)
    return ComparisonLoss(near, far, terms.offset, terms.weight, lambda V: T @ V, variance, start, penalty, error_rate)


def test_the_loss_is_the_equation():
    hints = triplets(Y, 30)
    loss = loss_of(X, hints)
    W = loss.start + 0.3 * np.random.default_rng(1).normal(size=loss.start.shape)
    expected = slow_loss(X, hints.near, hints.far, hints.weight, W, loss.start, 3.0, 0.1)
    assert loss(W.ravel())[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("error_rate", [0.0, 0.1, 0.3])
def test_the_gradient_is_that_of_central_differences(error_rate):
    hints = triplets(Y, 30, forced=True)
    weight = np.random.default_rng(0).uniform(0.2, 3, len(hints))
    hints = Comparisons(len(Y), pairs=np.column_stack([hints.near, hints.far]), weight=weight)
    loss = loss_of(X / 3, hints, error_rate=error_rate)
    W = (loss.start + 0.3 * np.random.default_rng(1).normal(size=loss.start.shape)).ravel()
    step = 1e-5
    slopes = [(loss(W + step * e)[0] - loss(W - step * e)[0]) / (2 * step) for e in np.eye(len(W))]
    np.testing.assert_allclose(loss(W)[1], slopes, atol=1e-8 * np.abs(slopes).max(), rtol=1e-6)


def test_rows_are_two_apart_on_average_where_it_starts():
    Z = X @ loss_of(X, triplets(Y, 30)).start
    assert np.square(Z[:, None] - Z).sum(axis=-1).mean() == pytest.approx(2.0)


@pytest.mark.parametrize("seed", range(5))
def test_the_loss_never_ends_above_its_start(seed):
    hints = triplets(np.random.default_rng(seed).permutation(Y), 60, seed, forced=True)
    loss = loss_of(X, hints, penalty=0.1)
    W, _ = loss.minimized(30)
    assert loss(W.ravel())[0] <= loss(loss.start.ravel())[0]


def test_a_search_that_ends_above_its_start_is_not_followed(monkeypatch):
    loss = loss_of(X, triplets(Y, 60))

    def astray(_, start, **__):
        return OptimizeResult(x=start + 5.0, fun=loss(start + 5.0)[0], nit=7)

    monkeypatch.setattr(_comparison_loss, "minimize", astray)
    W, n_iter = loss.minimized(30)
    np.testing.assert_array_equal(W, loss.start)
    assert n_iter == 7


def test_with_a_large_penalty_it_is_pca():
    fitted = ComparisonProjection(2, alpha=1e9).fit(X, constraints=triplets(Y, 30))
    assert principal_angle(fitted.components_, PCA(2).fit(X).components_) < 1e-6


def test_comparisons_separate_what_pca_does_not():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    rows = np.column_stack([rng.normal(size=(60, 3)) * 5, y + 0.1 * rng.normal(size=60)])
    for loss in ("logistic", "ratio"):
        fitted = ComparisonProjection(1, loss=loss, alpha=0.01).fit(rows, constraints=triplets(y, 200))
        assert abs(fitted.components_[0, 3]) / np.linalg.norm(fitted.components_[0]) > 0.95, loss
        assert fitted.share_[0] > 0.8


def test_comparisons_that_cannot_be_kept_stop_counting():
    rows = np.array([[0.0], [20.0], [1.0]])  # row 0 is said to be more like 1 than 2
    for error_rate, pulls in ((0.1, False), (0.0, True)):
        loss = loss_of(rows, Comparisons(3, nearer=[(0, 1, 2)]), rank=1, penalty=0.0, error_rate=error_rate)
        assert (np.abs(loss(10 * loss.start.ravel())[1]) > 1e-6).all() == pulls


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_the_scale_of_the_rows_means_nothing(scale):
    hints = triplets(Y, 60)
    Z, scaled = (ComparisonProjection(2).fit_transform(rows, constraints=hints) for rows in (X, scale * X))
    np.testing.assert_allclose(scaled - scaled.mean(axis=0), Z - Z.mean(axis=0), atol=1e-4)


def test_rotated_rows_have_the_same_distances():
    hints = triplets(Y, 60)
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    Z, turned = (ComparisonProjection(2).fit_transform(rows, constraints=hints) for rows in (X, X @ Q))
    np.testing.assert_allclose(np.abs(turned - turned.mean(axis=0)), np.abs(Z - Z.mean(axis=0)), atol=1e-4)


def test_a_weight_of_two_is_the_same_term_twice():
    hints = triplets(Y, 30)
    pairs = np.column_stack([hints.near, hints.far])
    once, heavy = (loss_of(X, Comparisons(len(Y), pairs=pairs, weight=weight)) for weight in (1.0, 2.0))
    none = replace(once, weight=np.zeros(len(hints)))
    W = once.start.ravel() + 0.1
    for place in (0, 1):  # value and slope
        np.testing.assert_allclose(heavy(W)[place] - none(W)[place], 2 * (once(W)[place] - none(W)[place]))


def test_text_needs_no_matrix_of_features_by_features():
    S = sparse.random_array((30, 40_000), density=0.002, random_state=0, format="csr")
    fitted = ComparisonProjection(2, max_iter=5).fit(S, constraints=triplets(np.arange(30) % 3, 40))
    assert fitted.components_.shape == (2, 40_000)
    assert fitted.route_ == "L-BFGS"


def test_sparse_rows_are_learned_from_as_dense_ones():
    S = counts(40, 8, seed=3)
    hints = triplets(np.arange(40) % 3, 60)
    dense, thin = (ComparisonProjection(2).fit(rows, constraints=hints) for rows in (S.toarray(), sparse.csr_array(S)))
    assert principal_angle(dense.components_, thin.components_) < 1e-5


def test_pairs_are_compared_with_what_rows_are_apart_on_average():
    hints = Constraints(6, must_link=[(0, 1)], cannot_link=[(2, 3)], must_weight=0.5) | Comparisons(6, [(5, 4, 3)])
    terms = Terms.of(hints)
    assert terms.near.tolist() == [[4, 5], [0, 1], [2, 2]]
    assert terms.far.tolist() == [[3, 5], [0, 0], [2, 3]]
    assert terms.offset.tolist() == [0.0, 2.0, -2.0]
    assert terms.weight.tolist() == [1.0, 0.5, 1.0]


def test_labels_count_by_their_rows_and_many_are_thinned_evenly():
    few = Terms.of(Constraints.from_labels(np.arange(40) % 4))
    assert few.weight[few.offset < 0].sum() == pytest.approx(40)
    many = Terms.of(Constraints.from_labels(np.arange(2000) % 4))
    assert 10_000 < len(many.near) < 30_000
    assert many.near.max() > 1900


def test_the_ratio_is_a_quotient_of_two_scatters():
    hints = triplets(Y, 80)
    W = ComparisonProjection(2, loss="ratio").fit(X, constraints=hints).components_
    T, d, m = np.cov(X.T, bias=True), 5, len(hints)
    scatter = {
        name: sum(np.outer(X[a] - X[b], X[a] - X[b]) for a, b in pairs) / 2
        for name, pairs in (("near", hints.near), ("far", hints.far))
    }
    variance = max(np.trace(scatter["near"]) / (m * d), 0.01 * np.trace(T) / d)
    A = (scatter["near"] + 0.3 * d * variance * np.eye(d)) / (m + 0.3 * d)
    B = (scatter["far"] + 0.3 * d * T) / (m + 0.3 * d)
    values, V = np.linalg.eig(np.linalg.solve(A, B))
    expected = V[:, np.argsort(-values.real)[:2]].real
    assert principal_angle(W, expected.T) < 1e-6


def slow_lsml(X, hints, steps=150):
    """LSML (Liu et al. 2012) by projected gradients: squared residuals of broken comparisons, and LogDet."""
    near, far = (X[pairs[:, 0]] - X[pairs[:, 1]] for pairs in (hints.near, hints.far))
    prior = np.eye(X.shape[1]) / X.var(axis=0).mean()
    inverse = np.linalg.inv(prior)

    def value(M):
        first, second = (np.sqrt(np.einsum("ij,jk,ik->i", pairs, M, pairs)) for pairs in (near, far))
        broken = first > second
        ratio = second[broken] / first[broken]
        loss = np.square(first - second)[broken].sum() + np.vdot(M, inverse) - np.linalg.slogdet(M)[1]
        slope = inverse - np.linalg.inv(M)
        slope += (near[broken] * (1 - ratio)[:, None]).T @ near[broken]
        return loss, slope + (far[broken] * (1 - 1 / ratio)[:, None]).T @ far[broken]

    M, step = prior, 0.1
    loss, slope = value(M)
    for _ in range(steps):
        ratio, V = np.linalg.eigh(M - step * slope)
        tried = (V * np.maximum(ratio, 1e-6)) @ V.T
        found, slope_there = value(tried)
        if found < loss:
            M, loss, slope, step = tried, found, slope_there, 1.5 * step
        else:
            step /= 2
    return M


def test_wrong_answers_lead_it_less_astray_than_lsml():
    """Of comparisons among rows that were never compared, with one answer in ten reversed."""
    rows, y = blobs(200, 3, seed=8)
    rows = np.hstack([rows, 3 * np.random.default_rng(0).normal(size=(200, 9))])
    rows /= rows.std(axis=0)
    told = triplets(y[:100], 500)
    turned = np.random.default_rng(1).random(len(told)) < 0.1
    near, far = (np.where(turned[:, None], a, b) for a, b in ((told.far, told.near), (told.near, told.far)))
    hints = Comparisons(100, pairs=np.hstack([near, far]))
    judged = triplets(y[100:], 400, seed=1)

    def kept(Z):
        squares = [np.square(Z[pairs[:, 0]] - Z[pairs[:, 1]]).sum(axis=1) for pairs in (judged.near, judged.far)]
        return np.mean(squares[0] < squares[1])

    ours = kept(ComparisonProjection(3).fit(rows[:100], constraints=hints).transform(rows[100:]))
    theirs = kept(rows[100:] @ np.linalg.cholesky(slow_lsml(rows[:100], hints)))
    assert ours > theirs
    assert ours > kept(rows[100:])


def test_what_is_needed_is_said():
    with pytest.raises(
        ValueError, match="learns from comparisons, must-links or cannot-links, but the constraints contain none"
    ):
        ComparisonProjection().fit(X, constraints=Constraints(40))
