"""C-NC: the dense generalized eigenproblem, strong must-links, weights and whole groups."""

import numpy as np
import pytest
from scipy import linalg
from sklearn.metrics import adjusted_rand_score

from cases.data import blobs, consistent_hints, partial_labels
from likewise import Constraints
from likewise.clustering import ConstrainedNormalizedCut, NormalizedCut
from likewise.clustering.spectral._normalized_cut import affinity_graph
from likewise.linalg import _eigen as spectral

K_BLOBS = affinity_graph(blobs(80, 5)[0], "rbf", None)
Y_BLOBS = blobs(80, 5)[1]


def cut(**params):
    return ConstrainedNormalizedCut(3, affinity="precomputed", random_state=0, **params)


def direct_embedding(K, hints, beta, k):
    """The k smallest generalized eigenvectors of (L + βUᵀU, D), rows of D^½ y to unit length."""
    closed = hints.expand(closed=True)
    n = len(K)
    U = np.zeros((len(closed.must_link), n))
    for row, (i, j), weight in zip(U, closed.must_link, closed.must_weight, strict=True):
        row[[i, j]] = np.sqrt(weight), -np.sqrt(weight)
    degrees = K.sum(axis=1)
    links = np.diag(U.T @ U)
    strength = beta * degrees.mean() / links[links > 0].mean()
    _, Y = linalg.eigh(np.diag(degrees) - K + strength * U.T @ U, np.diag(degrees))
    V = np.sqrt(degrees)[:, None] * Y[:, :k]
    return V / np.linalg.norm(V, axis=1, keepdims=True)


@pytest.mark.parametrize("dense_up_to", [600, 10])
@pytest.mark.parametrize(
    "hints",
    [
        consistent_hints(Y_BLOBS),
        consistent_hints(Y_BLOBS, weighted=True),
        Constraints.from_labels(partial_labels(Y_BLOBS)),
    ],
)
def test_the_embedding_is_the_plain_one(monkeypatch, hints, dense_up_to):
    monkeypatch.setattr(spectral, "DENSE", dense_up_to)
    found = cut(beta=3.0).fit(K_BLOBS, constraints=hints).embedding_
    expected = direct_embedding(K_BLOBS, hints, 3.0, 3)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)


def test_strong_must_links_put_rows_in_one_place():
    hints = Constraints(80, must_link=[(0, 1), (1, 2), (5, 9), (20, 61)])  # against the classes, too
    model = cut(beta=1e7).fit(K_BLOBS, constraints=hints)
    for i, j in hints.must_link:
        np.testing.assert_allclose(model.embedding_[i], model.embedding_[j], atol=1e-4)
        assert model.labels_[i] == model.labels_[j]
    loose = cut(beta=0.1).fit(K_BLOBS, constraints=hints)
    assert np.abs(loose.embedding_[0] - loose.embedding_[1]).max() > 1e-2


def test_without_must_links_it_is_the_plain_cut():
    plain = NormalizedCut(3, affinity="precomputed", random_state=0).fit(K_BLOBS)
    for hints in (None, Constraints(80, cannot_link=[(0, 1)])):
        np.testing.assert_array_equal(cut().fit(K_BLOBS, constraints=hints).labels_, plain.labels_)


def test_must_links_join_parts():
    clique = np.ones((6, 6))
    K = linalg.block_diag(clique, clique, clique, np.zeros((2, 2)))
    hints = Constraints(20, must_link=[(0, 6), (1, 7), (2, 18)])
    model = ConstrainedNormalizedCut(2, affinity="precomputed", random_state=0).fit(K, constraints=hints)
    assert model.n_parts_ == 2
    # row 18 has no neighbors and takes its group's cluster; row 19 takes the largest one
    assert adjusted_rand_score(model.labels_, np.repeat([0, 1, 0], [12, 6, 2])) == 1


def test_a_row_without_neighbors_follows_its_group():
    K = linalg.block_diag(np.ones((8, 8)), np.ones((5, 5)), [[0.0]])
    hints = Constraints(14, must_link=[(9, 13)])
    labels = ConstrainedNormalizedCut(2, affinity="precomputed", random_state=0).fit_predict(K, constraints=hints)
    assert labels[13] == labels[9] != labels[0]
