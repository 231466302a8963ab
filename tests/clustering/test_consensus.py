"""HBGF: against the bipartite graph written out, on noisy copies, and whatever labels are called."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg
from sklearn.metrics import adjusted_rand_score

from likewise.clustering import consensus_embedding, hbgf
from likewise.clustering.agreement import _hbgf as consensus
from likewise.clustering.agreement._hbgf import item_cluster_graph


def noisy_copies(y, copies, noise, rng):
    k = y.max() + 1
    return [np.where(rng.random(len(y)) < noise, rng.integers(0, k, len(y)), y) for _ in range(copies)]


def direct_embedding(labelings, k, weights):
    """Leading eigenvectors of the normalized adjacency of the whole bipartite graph; for a connected one."""
    columns = []
    for labels, weight in zip(labelings, weights, strict=True):
        columns += [weight * (labels == value) for value in dict.fromkeys(labels.tolist()) if value >= 0]
    E = np.column_stack(columns)
    n, m = E.shape
    W = np.block([[np.zeros((n, n)), E], [E.T, np.zeros((m, m))]])
    root = np.sqrt(W.sum(axis=1))
    _, vectors = linalg.eigh(W / root / root[:, None])
    V = vectors[:, ::-1][:, :k]
    return V / np.linalg.norm(V, axis=1, keepdims=True)


@pytest.mark.parametrize("small", [3000, 5])
@pytest.mark.parametrize("n", [60, 14])
def test_the_embedding_is_that_of_the_graph(monkeypatch, small, n):
    monkeypatch.setattr(consensus, "SMALL", small)  # 5: the iterative solver
    rng = np.random.default_rng(0)
    labelings = noisy_copies(rng.integers(0, 4, n), 6, 0.3, rng)
    labelings[2][:4] = -1
    weights = rng.uniform(0.5, 2, 6)
    found = np.vstack(consensus_embedding(labelings, 4, weights=weights))
    expected = direct_embedding(labelings, 4, weights)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 6), st.integers(0, 1000))
def test_it_recovers_a_partition_from_noisy_copies(k, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(30 * k) % k)
    labels = hbgf(noisy_copies(y, 25, 0.3, rng), k, random_state=0)
    assert adjusted_rand_score(y, labels) > 0.85  # by chance an item is wrong in most copies


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000))
def test_names_of_labels_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    labelings = noisy_copies(rng.integers(0, 3, 40), 5, 0.5, rng)
    renamed = [rng.permutation(50)[:3][labels] + 7 for labels in labelings]
    np.testing.assert_array_equal(hbgf(labelings, 3, random_state=1), hbgf(renamed, 3, random_state=1))


def test_equal_copies_are_a_graph_in_parts():
    y = np.repeat([0, 1, 2, 3], [9, 7, 5, 3])
    assert adjusted_rand_score(hbgf([y, y + 3], 4, random_state=0), y) == 1
    fewer = hbgf([y, y], 2, random_state=0)  # the largest two stay, the others join the largest
    np.testing.assert_array_equal(fewer == fewer[0], y != 1)


def test_different_numbers_of_clusters_and_rows_left_out():
    y = np.repeat([0, 1, 2], 20)
    fine, coarse = np.arange(60) // 5, np.where(y == 2, 1, y)
    partial = np.where(np.arange(60) % 7 == 0, -1, y)
    assert adjusted_rand_score(hbgf([fine, coarse, partial, y], 3, random_state=0), y) == 1


def test_weights_decide_between_two_labelings():
    a, b = np.repeat([0, 1], 20), np.arange(40) % 2
    for weights, winner in (((5.0, 1.0), a), ((1.0, 5.0), b)):
        assert adjusted_rand_score(hbgf([a, b], 2, weights=weights, random_state=0), winner) == 1


def test_the_graph():
    E = item_cluster_graph([[1, 1, 0], [4, -1, 4]], [1.0, 2.0])
    np.testing.assert_array_equal(E.toarray(), [[1, 0, 2], [1, 0, 0], [0, 1, 2]])


def test_errors():
    with pytest.raises(ValueError, match="labelings is empty"):
        hbgf([], 2)
    with pytest.raises(ValueError, match=r"labelings\[1\] has shape \(2,\)"):
        hbgf([[0, 1, 0], [0, 1]], 2)
    with pytest.raises(ValueError, match="item 1 is in none"):
        hbgf([[0, -1, 0], [1, -1, 0]], 2)
    with pytest.raises(ValueError, match="more than the 3 items"):
        hbgf([[0, 1, 0]], 4)
    with pytest.raises(ValueError, match="one positive number for each of the 1"):
        hbgf([[0, 1, 0]], 2, weights=[0.0])
    with pytest.raises(ValueError, match="not integers"):
        hbgf([["a", "b", "a"]], 2)
