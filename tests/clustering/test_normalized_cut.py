"""The cut against a plain dense version, scikit-learn, and graphs that fall apart."""

import numpy as np
import pytest
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from cases.data import blobs, counts
from likewise import Constraints
from likewise.clustering import NormalizedCut
from likewise.clustering.spectral._normalized_cut import affinity_graph
from likewise.linalg import _eigen as spectral


def direct_embedding(K, k, normalization="ng-jordan-weiss"):
    """Ng, Jordan and Weiss step by step; for a connected graph."""
    K = K - np.diag(np.diag(K))
    root = np.sqrt(K.sum(axis=1))
    _, vectors = linalg.eigh(K / root / root[:, None])
    V = vectors[:, ::-1][:, :k]
    return V / np.linalg.norm(V, axis=1, keepdims=True) if normalization == "ng-jordan-weiss" else V / root[:, None]


def same_up_to_rotation(A, B):
    return np.allclose(A @ A.T, B @ B.T, atol=1e-6)


def two_rings(n=40):
    angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.vstack([ring, 5 * ring]), np.repeat([0, 1], n)


@pytest.mark.parametrize("normalization", ["ng-jordan-weiss", "shi-malik"])
@pytest.mark.parametrize("dense_up_to", [600, 10])
def test_the_embedding_is_the_plain_one(monkeypatch, normalization, dense_up_to):
    monkeypatch.setattr(spectral, "DENSE", dense_up_to)  # 10: the iterative solver
    X, _ = blobs(120, 4)
    K = np.exp(-np.square(X[:, None] - X).sum(-1) / 50)
    cut = NormalizedCut(4, affinity="precomputed", normalization=normalization, random_state=0).fit(K)
    expected = direct_embedding(K, 4, normalization)
    assert same_up_to_rotation(cut.embedding_, expected)
    labels = KMeans(4, n_init=10, random_state=0).fit_predict(expected)
    assert adjusted_rand_score(labels, cut.labels_) == 1


def test_a_solver_that_fails_is_replaced_or_reported(monkeypatch):
    def give_up(*args, **kwargs):
        raise ArpackNoConvergence("no", np.zeros(0), np.zeros((0, 0)))

    X, _ = blobs(120, 4)
    expected = NormalizedCut(3, n_neighbors=10, random_state=0).fit_predict(X)
    monkeypatch.setattr(spectral, "DENSE", 20)
    monkeypatch.setattr(spectral, "eigsh", give_up)
    np.testing.assert_array_equal(NormalizedCut(3, n_neighbors=10, random_state=0).fit_predict(X), expected)
    monkeypatch.setattr(spectral, "LARGE", 50)
    with pytest.raises(RuntimeError, match="component with 120 rows did not converge"):
        NormalizedCut(3, n_neighbors=10, random_state=0).fit(X)


def test_it_agrees_with_scikit_learn():
    X, y = make_blobs(150, centers=4, cluster_std=0.6, random_state=3)
    K = np.exp(-np.square(X[:, None] - X).sum(-1) / 8)
    ours = NormalizedCut(4, affinity="precomputed", random_state=0).fit_predict(K)
    theirs = SpectralClustering(4, affinity="precomputed", random_state=0).fit_predict(K)
    assert adjusted_rand_score(ours, theirs) == adjusted_rand_score(ours, y) == 1


def test_sparse_and_dense_affinities_agree():
    X, _ = blobs(90, 5)
    K = affinity_graph(X, "rbf", 12)
    one = NormalizedCut(3, affinity="precomputed", random_state=0).fit(K)
    other = NormalizedCut(3, affinity="precomputed", random_state=0).fit(K.toarray())
    assert sparse.issparse(one.affinity_matrix_)
    assert same_up_to_rotation(one.embedding_, other.embedding_)
    direct = NormalizedCut(3, affinity="rbf", n_neighbors=12, random_state=0).fit(X)
    assert same_up_to_rotation(one.embedding_, direct.embedding_)


def test_self_loops_are_left_out():
    X, _ = blobs(60, 4)
    K = affinity_graph(X, "rbf", None)
    assert not K.diagonal().any()
    loops = NormalizedCut(3, affinity="precomputed", random_state=0).fit(K + 7 * np.eye(60))
    none = NormalizedCut(3, affinity="precomputed", random_state=0).fit(K)
    np.testing.assert_array_equal(loops.labels_, none.labels_)


def test_affinities_against_their_definitions():
    X = counts(30, 10)
    D = X.toarray()
    unit = D / np.linalg.norm(D, axis=1, keepdims=True)
    for form in (X, D):
        full = affinity_graph(form, "cosine", None)
        expected = unit @ unit.T - np.eye(30)
        np.testing.assert_allclose(full, expected, atol=1e-12)
        near = affinity_graph(form, "cosine", 4).toarray()
        assert ((near > 0).sum(axis=1) >= 4).all()
        np.testing.assert_allclose(near[near > 0], expected[near > 0])
        np.testing.assert_array_equal(near, near.T)
        gauss = affinity_graph(form, "rbf", 4, 2.0).toarray()
        squared = np.square(D[:, None] - D).sum(-1)
        np.testing.assert_allclose(gauss[gauss > 0], np.exp(-squared / 8)[gauss > 0])


def test_parts_are_clusters_when_there_are_as_many():
    X, y = two_rings()
    cut = NormalizedCut(2, n_neighbors=2, random_state=0).fit(X)
    assert cut.n_parts_ == 2
    assert adjusted_rand_score(cut.labels_, y) == 1


def test_more_clusters_than_parts_cut_the_cheapest():
    # two dumbbells joined by one edge, and a clique by itself
    clique = np.ones((6, 6))
    K = linalg.block_diag(clique, clique, clique)
    K[5, 6] = K[6, 5] = 0.1
    cut = NormalizedCut(3, affinity="precomputed", random_state=0).fit(K)
    assert cut.n_parts_ == 2
    assert adjusted_rand_score(cut.labels_, np.repeat([0, 1, 2], 6)) == 1
    again = NormalizedCut(3, affinity="precomputed", random_state=0).fit(K)
    np.testing.assert_array_equal(cut.embedding_, again.embedding_)


def test_fewer_clusters_than_parts_keep_the_largest():
    K = linalg.block_diag(np.ones((9, 9)), np.ones((3, 3)), np.ones((6, 6)), np.zeros((2, 2)))
    labels = NormalizedCut(2, affinity="precomputed", random_state=0).fit_predict(K)
    large, second = labels[0], labels[12]
    assert large != second
    np.testing.assert_array_equal(labels, np.repeat([large, large, second, large], [9, 3, 6, 2]))


def test_rows_without_neighbors_join_the_largest_cluster():
    X = np.vstack([counts(40, 8).toarray(), np.zeros((2, 8))])
    labels = NormalizedCut(3, affinity="cosine", n_neighbors=5, random_state=0).fit_predict(X)
    assert set(labels[-2:]) == {np.bincount(labels[:-2]).argmax()}


def test_errors():
    K = np.ones((5, 5))
    with pytest.raises(ValueError, match="square matrix of affinities"):
        NormalizedCut(2, affinity="precomputed").fit(np.ones((5, 3)))
    with pytest.raises(ValueError, match="must not be negative, the smallest is -1"):
        NormalizedCut(2, affinity="precomputed").fit(-K)
    with pytest.raises(ValueError, match="symmetric"):
        NormalizedCut(2, affinity="precomputed").fit(np.triu(K))
    with pytest.raises(ValueError, match="only 0 of 5 rows have an affinity to any other"):
        NormalizedCut(2, affinity="precomputed").fit(np.eye(5))
    with pytest.raises(ValueError, match="needs n_neighbors"):
        NormalizedCut(2, n_neighbors=None).fit(np.ones((5, 3)))
    with pytest.raises(ValueError, match="does not use constraints"):
        NormalizedCut(2).fit(np.eye(5), constraints=Constraints(5, [(0, 1)]))


def test_published_names():
    cut = NormalizedCut.as_published(3)
    assert (cut.affinity, cut.n_neighbors, cut.normalization) == ("cosine", None, "shi-malik")
    assert cut.fit(counts(30, 10)).embedding_.shape == (30, 3)
