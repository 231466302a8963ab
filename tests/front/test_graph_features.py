"""Coordinates in the neighbor graph: against a slow dense version, and for new rows."""

from copy import copy

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs, make_circles
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from likewise import GraphFeatures
from likewise.front._graph_features import _check_walk
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


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_new_rows_are_the_mean_of_their_neighbors(metric):
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(50, 3)) + 2.0, rng.normal(size=(8, 3)) + 2.0
    features = GraphFeatures(n_components=5, n_neighbors=6, metric=metric, reach=0.8).fit(X)
    W = features.graph_.toarray()
    degree = W.sum(axis=1)
    values, V = np.linalg.eigh(W / np.sqrt(np.outer(degree, degree)))
    values, V = values[::-1][:5], V[:, ::-1][:, :5]
    walk = V / np.sqrt(degree)[:, None] / (1 - 0.8 * values)
    if metric == "euclidean":
        distance = np.linalg.norm(new[:, None] - X, axis=2)
    else:
        distance = 1 - (new / np.linalg.norm(new, axis=1)[:, None]) @ (X / np.linalg.norm(X, axis=1)[:, None]).T
    near = np.argsort(distance, axis=1)[:, :6]
    chosen = np.take_along_axis(distance, near, axis=1)
    weights = fuzzy_weights(chosen) if metric == "euclidean" else 1 - chosen
    mean = np.einsum("ij,ijk->ik", weights / weights.sum(axis=1, keepdims=True), walk[near]) / values
    expected = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    found = features.transform(new)
    known = walk / np.linalg.norm(walk, axis=1)[:, None]  # signs of eigenvectors are free
    np.testing.assert_allclose(found @ features.embedding_.T, expected @ known.T, atol=1e-4)
    np.testing.assert_allclose(features.eigenvalues_, values, atol=1e-8)


def test_new_rows_may_be_dense_or_sparse():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.7, size=(40, 12)).astype(float) + np.eye(40, 12)
    new = rng.poisson(0.7, size=(5, 12)).astype(float)
    dense, kept_sparse = GraphFeatures(4, metric="cosine").fit(X), GraphFeatures(4).fit(sparse.csr_array(X))
    for features in (dense, kept_sparse):
        as_dense, as_sparse = features.transform(new), features.transform(sparse.csr_array(new))
        np.testing.assert_allclose(as_dense, as_sparse, atol=1e-9)
    assert kept_sparse._near.metric == "cosine"
    assert (dense.recall_, kept_sparse.recall_) == (1.0, 1.0)


def test_a_new_row_without_words_is_nowhere():
    X = sparse.csr_array(np.eye(4)[[0, 0, 1, 1, 2, 2, 3, 3]] + np.eye(4)[[1, 0, 1, 2, 2, 3, 3, 0]])
    features = GraphFeatures(2).fit(X)
    assert not features.transform(sparse.csr_array((1, 4))).any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_coordinates_have_the_precision_of_the_rows(dtype):
    X = np.random.default_rng(0).normal(size=(20, 3)).astype(dtype)
    features = GraphFeatures(3).fit(X)
    assert features.embedding_.dtype == features.transform(X + 1).dtype == dtype
    assert features.get_feature_names_out().tolist() == [f"graphfeatures{number}" for number in range(3)]
    tags = get_tags(features)
    assert tags.transformer_tags.preserves_dtype == ["float64", "float32"]


def test_one_row_has_no_neighbors():
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        GraphFeatures().fit([[1.0, 2.0]])
    assert GraphFeatures(n_neighbors=1).fit([[1.0], [2.0]]).embedding_.shape[0] == 2
    with pytest.raises(ValueError, match="too large to be squared"):
        GraphFeatures().fit(np.array([[1e200], [2.0], [3.0]]))


@pytest.mark.parametrize("name", ["_walk", "embedding_", "eigenvalues_", "_row_hashes"])
def test_arrays_of_a_file_fit_together(name):
    features = GraphFeatures(3).fit(np.random.default_rng(0).normal(size=(20, 4)))
    _check_walk(features)
    kind = np.float64 if name == "_row_hashes" else np.int64
    for wrong in (getattr(features, name)[1:], np.zeros(getattr(features, name).shape, dtype=kind)):
        model = copy(features)
        setattr(model, name, wrong)
        with pytest.raises(ValueError, match=rf"{name} (has the shape|is of type)"):
            _check_walk(model)
    features.n_features_in_ = 5
    with pytest.raises(ValueError, match="_rows has the shape"):
        _check_walk(features)


def test_where_no_row_has_a_neighbor_one_coordinate_is_left():
    features = GraphFeatures(3).fit(sparse.csr_array((8, 3)))
    assert features.n_components_ == 1
    assert not features.embedding_.any()
