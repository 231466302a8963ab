"""Coordinates in the neighbor graph: against a slow dense version, and for new rows."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs, make_circles
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from likewise import GraphFeatures
from likewise.graphs._fuzzy import fuzzy_weights


def slow_weights(X, k):
    """UMAP's weights, row by row: the width of each found on a fine grid."""
    n = len(X)
    distance = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    W = np.zeros((n, n))
    for i in range(n):
        near = np.argsort(np.where(np.arange(n) == i, np.inf, distance[i]))[:k]
        beyond = distance[i, near] - distance[i, near].min()
        widths = np.geomspace(1e-3, 1e3, 20_001) * distance[i, near].mean()
        sums = np.exp(-beyond / widths[:, None]).sum(axis=1)
        W[i, near] = np.exp(-beyond / widths[np.abs(sums - np.log2(k)).argmin()])
    return W + W.T - W * W.T


def slow_features(X, k, r, reach=0.95):
    W = slow_weights(X, k)
    degree = W.sum(axis=1)
    values, V = np.linalg.eigh(W / np.sqrt(np.outer(degree, degree)))
    values, V = values[::-1][:r], V[:, ::-1][:, :r]
    Z = V / (1 - reach * values)
    return W, Z / np.linalg.norm(Z, axis=1, keepdims=True)


def test_it_is_the_plain_dense_version():
    X = np.random.default_rng(0).normal(size=(60, 3))
    W, Z = slow_features(X, 10, 6)
    features = GraphFeatures(n_components=6).fit(X)
    assert features.n_parts_ == 1
    np.testing.assert_allclose(features.graph_.toarray(), W, atol=2e-3)
    # signs of eigenvectors are free
    np.testing.assert_allclose(features.embedding_ @ features.embedding_.T, Z @ Z.T, atol=1e-2)


def test_fuzzy_weights_sum_to_what_every_row_has_to_give():
    distances = np.sort(np.random.default_rng(1).uniform(0.5, 3.0, size=(20, 10)), axis=1)
    weights = fuzzy_weights(distances)
    np.testing.assert_allclose(weights.sum(axis=1), np.log2(10), rtol=1e-6)
    assert (weights[:, 0] == 1).all()


def test_a_graph_in_parts_keeps_them_apart():
    X, y = make_blobs([30, 30, 30], centers=[[0, 0], [100, 0], [0, 100]], random_state=0)
    features = GraphFeatures(n_components=5, n_neighbors=5).fit(X)
    assert features.n_parts_ >= 3
    cosine = features.embedding_ @ features.embedding_.T
    assert abs(cosine[y[:, None] != y]).max() < 1e-9


def test_more_parts_than_coordinates():
    X = np.repeat(np.arange(40.0)[:, None] * 100, 3, axis=0) + np.tile([0.0, 1.0, 2.5], 40)[:, None]
    Z = GraphFeatures(n_components=4, n_neighbors=2).fit_transform(X)
    assert np.isfinite(Z).all()
    assert Z.shape == (120, 4)


def test_rows_of_fit_keep_their_coordinates():
    X, _ = make_circles(100, factor=0.4, noise=0.05, random_state=0)
    features = GraphFeatures(n_components=10)
    Z = features.fit_transform(X)
    np.testing.assert_array_equal(features.transform(X), Z)


def test_new_rows_lie_where_rows_near_them_do():
    X, _ = make_circles(300, factor=0.4, noise=0.03, random_state=0)
    features = GraphFeatures(n_components=8).fit(X)
    moved = X + 1e-6 * np.random.default_rng(0).normal(size=X.shape)
    cosine = np.einsum("ij,ij->i", features.transform(moved), features.embedding_)
    assert np.quantile(cosine, 0.05) > 0.95


def test_sparse_rows_are_near_by_cosine():
    rng = np.random.default_rng(0)
    topic = np.repeat([0, 1], 40)
    X = sparse.csr_array(rng.poisson(0.3 + 2.0 * (np.arange(40) // 20 == topic[:, None]), size=(80, 40)).astype(float))
    X.eliminate_zeros()
    features = GraphFeatures(n_components=2)
    assert get_tags(features).input_tags.sparse
    Z = features.fit_transform(X)
    cosine = Z @ Z.T
    assert cosine[topic[:, None] == topic].mean() > 0.9 > cosine[topic[:, None] != topic].mean() + 0.5


def test_a_row_without_words_is_nowhere():
    X = sparse.csr_array(np.vstack([np.zeros(3), np.eye(3)[[0, 0, 1, 1, 0, 1]] + 0.1]))
    Z = GraphFeatures(n_components=2).fit_transform(X)
    assert not Z[0].any()


def test_too_many_neighbors_are_refused():
    with pytest.raises(ValueError, match="n_neighbors=9, but with n_samples=9 a row has only 8"):
        GraphFeatures(n_neighbors=9).fit(np.arange(18.0).reshape(9, 2))


def test_parameters_are_checked_and_rows_are_placed_after_fit():
    with pytest.raises(NotFittedError, match="GraphFeatures instance is not fitted yet"):
        GraphFeatures().transform(np.zeros((3, 2)))
    for wrong in ({"metric": "manhattan"}, {"n_components": 0}, {"reach": 1.5}):
        with pytest.raises(ValueError, match=f"The '{next(iter(wrong))}' parameter of GraphFeatures must be"):
            GraphFeatures(**wrong).fit_transform(np.random.default_rng(0).normal(size=(30, 2)))


@pytest.mark.parametrize(
    ("n", "metric", "expected"),
    [
        (2, "euclidean", 1),
        (3, "euclidean", 2),
        (17, "euclidean", 2),
        (18, "euclidean", 3),
        (59, "euclidean", 9),
        (60, "euclidean", 10),
        (1000, "euclidean", 10),
        (119, "cosine", 19),
        (1000, "cosine", 20),
    ],
)
def test_a_row_has_at_most_a_sixth_of_all_rows_as_neighbors(n, metric, expected):
    assert GraphFeatures()._count(n, metric) == expected


def test_only_smooth_coordinates_are_kept():
    X = np.random.default_rng(0).normal(size=(90, 5))
    features = GraphFeatures(n_components=90).fit(X)
    degree = features.graph_.sum(axis=1)
    values = np.linalg.eigvalsh(features.graph_.toarray() / np.sqrt(np.outer(degree, degree)))[::-1]
    assert ((values > 0.01) & (values <= 0.05)).any()
    np.testing.assert_allclose(features.eigenvalues_, values[values > 0.05], atol=1e-6)
    assert features.transform(X + 1.0).shape == (90, features.n_components_)
    assert GraphFeatures().fit(np.random.default_rng(1).normal(size=(300, 2))).n_components_ == 60
