"""Learned maps and soft assignments where data or hints are degenerate, and hints of several kinds on the same rows."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import minimize

from likewise.constraints import Comparisons, Constraints, Partition, Preference
from likewise.front import _learned_map as learned
from likewise.front import _soft_assignment as soft
from likewise.front._folds import Statements
from likewise.front._learned_map import Space, disputed_graph, learned_map, links_of
from likewise.projections._comparison_loss import Terms

RNG = np.random.default_rng(0)
F = RNG.normal(size=(40, 3)) * [3.0, 2.0, 1.0] + [5.0, 0.0, -7.0]


def outer(i, j, rows=F):
    return np.outer(rows[i] - rows[j], rows[i] - rows[j])


def gram(M):
    return M @ M.T


def expected_map(A, B, rank):
    values, V = eigh(B, A)
    kept = np.argsort(-values)[:rank]
    kept = kept[values[kept] > 1]
    return V[:, kept] * (1 - 1 / values[kept])


def test_a_space_has_the_covariance_of_its_rows():
    space = Space(F)
    np.testing.assert_allclose(space.T, np.cov(F.T, bias=True))
    np.testing.assert_allclose(space.affine, np.column_stack([F - F.mean(axis=0), np.ones(40)]))
    assert Space(F.astype(np.float32)).affine.dtype == np.float32
    values = np.diag(space.axes.T @ space.T @ space.axes)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(space.T)[::-1])


def test_without_hints_the_map_is_that_of_pca():
    space, d = Space(F), 3
    variance = np.trace(space.T) / d
    expected = expected_map(variance * np.eye(d), space.T, 2)
    found = learned_map(space, links_of(Constraints(40), closed=False), 2)
    np.testing.assert_allclose(gram(found), gram(expected), atol=1e-9)


def test_a_map_has_no_more_columns_than_there_are_features():
    links = links_of(Constraints(40, [(0, 1), (2, 3)], [(4, 5), (6, 7)]), closed=False)
    found = learned_map(Space(F), links, 9)
    np.testing.assert_allclose(gram(found), gram(learned_map(Space(F), links, 3)))
    assert learned_map(Space(F), links, 1).shape == (3, 1)


def test_linked_rows_that_coincide_have_a_hundredth_of_the_variance():
    rows = F.copy()
    rows[1], rows[3] = rows[0], rows[2]
    space, d = Space(rows), 3
    variance = 0.01 * np.trace(space.T) / d
    A = 0.3 * d * variance * np.eye(d) / (2 + 0.3 * d)
    expected = expected_map(A, space.T, 3)
    found = learned_map(space, links_of(Constraints(40, [(0, 1), (2, 3)]), closed=False), 3)
    np.testing.assert_allclose(gram(found), gram(expected), rtol=1e-6)


def test_links_a_little_farther_than_a_hundredth_of_the_variance_count_as_they_are():
    rows = F.copy()
    total = np.trace(Space(rows).T) / 3
    for share in (0.005, 0.02):
        rows[1] = rows[0] + np.sqrt(2 * 3 * share * total) * np.array([1.0, 0.0, 0.0])
        space = Space(rows)
        variance = max(np.trace(outer(0, 1, rows)) / 2 / 3, 0.01 * np.trace(space.T) / 3)
        A = (outer(0, 1, rows) / 2 + 0.3 * 3 * variance * np.eye(3)) / (1 + 0.3 * 3)
        found = learned_map(space, links_of(Constraints(40, [(0, 1)]), closed=False), 3)
        np.testing.assert_allclose(gram(found), gram(expected_map(A, space.T, 3)), rtol=1e-6)


def test_rows_that_are_all_the_same_are_not_mapped():
    space = Space(np.ones((6, 3)))
    np.testing.assert_array_equal(learned_map(space, links_of(Constraints(6, [(0, 1)]), closed=True), 2), np.eye(3))
    terms = Terms.of(Constraints(6, [(0, 1)]))
    assert space.compared(terms, 2) is space.F
    np.testing.assert_array_equal(space.learned(links_of(Constraints(6), closed=True), 2), space.F)


def test_where_no_direction_tells_clusters_apart_nothing_is_mapped():
    corners = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    opposite = Constraints(4, [(0, 1), (2, 3)])  # linked rows differ more than others
    np.testing.assert_array_equal(learned_map(Space(corners), links_of(opposite, closed=False), 2), np.eye(2))


@pytest.mark.parametrize("closed", [True, False])
def test_rows_that_hints_of_all_kinds_name_are_counted_once(closed):
    liked = Preference([0, 0, 1, *[-1] * 37], [0, 1, 1, *[-1] * 37])
    compared = Comparisons(40, pairs=[(0, 1, 0, 2)], weight=[0.5])
    links = links_of(Constraints(40, [(0, 1)], [(1, 2)]) | compared | liked, closed=closed)
    np.testing.assert_array_equal(links.rows, [0, 1, 2])
    must = outer(0, 1) / 2 + 0.5 * outer(0, 1) / 2 + 3 * outer(0, 1) / 2
    cannot = outer(1, 2) / 2 + 0.5 * outer(0, 2) / 2 + 3 * outer(1, 2) / 2
    np.testing.assert_allclose(links.must.matrix(F[links.rows]), must)
    np.testing.assert_allclose(links.cannot.matrix(F[links.rows]), cannot)
    assert (links.must.n_links, links.cannot.n_links) == pytest.approx((4.5, 4.5))


def test_weights_of_pairs_count_where_groups_are_not_closed():
    hints = Constraints(40, [(0, 1), (2, 3)], [(4, 5), (6, 7)], must_weight=[1.0, 0.5], cannot_weight=[0.25, 1.0])
    links = links_of(hints, closed=False)
    np.testing.assert_allclose(links.must.matrix(F[links.rows]), (outer(0, 1) + 0.5 * outer(2, 3)) / 2)
    np.testing.assert_allclose(links.cannot.matrix(F[links.rows]), (0.25 * outer(4, 5) + outer(6, 7)) / 2)
    assert (links.must.n_links, links.cannot.n_links) == (1.5, 1.25)


def test_a_group_counts_as_one_link_less_than_rows():
    codes = np.where(np.arange(40) < 6, np.arange(40) // 3, -1)
    links = links_of(Constraints(40, partitions=[Partition(codes)]), closed=False)
    pairs = [(i, j) for i in range(6) for j in range(i) if codes[i] == codes[j]]
    expected = 4 / 6 * sum(outer(i, j) for i, j in pairs) / 2
    np.testing.assert_allclose(links.must.matrix(F[links.rows]), expected)
    assert links.must.n_links == pytest.approx(4.0)
    closed = links_of(Constraints(40, partitions=[Partition(codes)]), closed=True)
    means = np.array([F[:3].mean(axis=0), F[3:6].mean(axis=0)])
    inside = F[:6] - means[codes[:6]]
    np.testing.assert_allclose(closed.must.matrix(F[closed.rows]), inside.T @ inside)
    assert closed.must.n_links == 4.0


def test_equal_clusterings_dispute_nothing():
    same = Preference([0, 0, 1, 1], [0, 0, 1, 0])
    merged = Preference([0, 0, 0, 0], [0, 0, 1, 1])  # nothing is together in the worse clustering alone
    for side, preference, n_disputed in (("worse", merged, 0), ("better", merged, 4), ("better", same, 1)):
        graph = disputed_graph([preference], side).without_diagonal().toarray()
        assert np.count_nonzero(graph) == 2 * n_disputed
        assert graph.sum() == pytest.approx(2 * 3.0 if n_disputed else 0.0)
    both = disputed_graph([merged, same], "worse").without_diagonal().toarray()
    assert both.sum() == pytest.approx(2 * 3.0)


@pytest.mark.parametrize(("n", "d"), [(12, 3), (4, 6)])
def test_a_map_from_comparisons_departs_from_pca_at_a_price(monkeypatch, n, d):
    """It is ½ min(n, d) tr (W − W₀)ᵀ R (W − W₀), with R = T + 0.1/d on rows of total variance 1."""
    rows = np.random.default_rng(1).normal(size=(n, d))
    hints = Constraints(n) | Comparisons(n, nearer=[(0, 1, 2), (3, 1, 0)], weight=[1.0, 0.5])
    seen = {}

    class Loss(learned.ComparisonLoss):
        def minimized(self, max_iter):
            seen.update(loss=self, steps=max_iter)
            return self.start, 0

    monkeypatch.setattr(learned, "ComparisonLoss", Loss)
    space = Space(rows)
    found = space.compared(Terms.of(hints), 2)
    loss = seen["loss"]
    assert seen["steps"] == 40
    total = np.trace(space.T)
    np.testing.assert_allclose(found, rows @ loss.start / np.sqrt(total))
    W = np.random.default_rng(2).normal(size=loss.start.shape)
    moved = W - loss.start
    R = space.T / total + 0.1 / d * np.eye(d)
    value = min(n, d) / 2 * np.trace(moved.T @ R @ moved)
    for (i, j), (k, m), weight in zip(hints.comparisons.near, hints.comparisons.far, [1.0, 0.5], strict=True):
        near, far = (np.square((rows[a] - rows[b]) / np.sqrt(total) @ W).sum() for a, b in ((i, j), (k, m)))
        value -= weight * np.log(0.1 + 0.8 / (1 + np.exp(near - far)))
    assert loss(W.ravel())[0] == pytest.approx(value)
    # PCA: both axes are scaled so that two rows are at a mean squared distance of 2
    rows_of_start = rows / np.sqrt(total) @ loss.start
    assert np.square(rows_of_start[:, None] - rows_of_start).sum(axis=2).mean() == pytest.approx(2.0)


# ---- soft assignments ----------------------------------------------------------------------------------------------


def test_without_statements_clusters_are_those_of_the_data():
    rows = np.concatenate([RNG.normal(size=(15, 2)), RNG.normal(size=(15, 2)) + 6])
    y = np.repeat([0, 1], 15)
    nothing = Statements(np.zeros((0, 2), dtype=int), np.zeros(0, dtype=bool), np.zeros(0))
    wrong = np.where(np.arange(30) % 5 == 0, 1 - y, y)
    labels, coefficients = soft.softmax_labels(Space(rows).affine, nothing, wrong, 2)
    np.testing.assert_array_equal(labels, y)
    assert coefficients.shape == (3, 2)
    assert np.isfinite(coefficients).all()


def test_rows_that_are_all_the_same_have_finite_coefficients():
    stated = Statements(np.array([(0, 1)]), np.array([True]), np.ones(1))
    labels, coefficients = soft.softmax_labels(Space(np.ones((5, 2))).affine, stated, np.arange(5) % 2, 2)
    assert np.isfinite(coefficients).all()
    assert labels.shape == (5,)


def test_clusters_without_rows_start_at_the_mean_of_all():
    start = np.array([0, 0, 2, 2])
    rows = np.array([[1.0], [2.0], [-1.0], [-2.0]])
    found = soft._coefficients_of(np.column_stack([rows, np.ones(4)]), start, 4)
    scale = 10 / np.mean(rows**2)
    np.testing.assert_allclose(found, [[1.5 * scale, 0, -1.5 * scale, 0], [-1.125 * scale, 0, -1.125 * scale, 0]])


def test_a_softmax_of_large_scores_is_finite():
    scores = np.array([[1e4, -1e4, 0.0], [0.0, 1e4, 0.0]])
    P, logs = soft._softmax(scores.copy())
    np.testing.assert_allclose(P, [[1, 0, 0.5], [0, 1, 0.5]])
    np.testing.assert_allclose(logs[:, 2], np.log(0.5))
    np.testing.assert_allclose(logs[:, 0], [0.0, -1e4])


def test_impossible_statements_have_a_finite_loss(monkeypatch):
    """Likelihoods are at least 1e-9, and so is what their logarithm sees."""
    values = []
    monkeypatch.setattr(
        soft, "minimize", lambda loss, x0, **_: values.append(loss(x0)) or minimize(loss, x0, jac=True, method="CG",
                                                                                   options={"maxiter": 0}),
    )  # fmt: skip
    X = np.array([[50.0, 1.0], [-50.0, 1.0], [50.0, 1.0], [-50.0, 1.0]])
    W = np.array([[1.0, -1.0], [0.0, 0.0]])
    stated = Statements(np.array([(0, 1), (0, 2)]), np.array([True, False]), np.array([1.0, 3.0]))
    soft.softmax_labels(X, stated, np.array([0, 1, 0, 1]), 2, W)
    ((value, slope),) = values
    assert value == pytest.approx(-np.log(2) - np.log(1e-9) + 1e-4 / 2 * 2 / 2, rel=1e-6)
    assert np.isfinite(slope).all()
