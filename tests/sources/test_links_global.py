"""Global core pairs by hand, on real graphs, and by the sketch."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity

from cases.data import counts
from likewise.sources.links import global_core_pairs, hitting_times
from likewise.sources.links._read import link_matrix
from likewise.sources.links._walks import MIN_SIMILARITY, RESTART, unit_documents, walk_graph
from sources.real_links import load, precision


def random_links(n, m, seed=0):
    return np.random.default_rng(seed).integers(0, n, size=(m, 2))


def by_hand(links, X, n_similar):
    """The graph of walks, in plain loops."""
    n = X.shape[0]
    cosine = cosine_similarity(X)
    linked = np.zeros((n, n), dtype=bool)
    for i, j in links:
        if i != j:
            linked[i, j] = linked[j, i] = True
    degree = linked.sum(axis=1)
    for i in np.flatnonzero(degree < degree.mean()):
        order = sorted(
            (j for j in range(n) if j != i and cosine[i, j] > 0), key=lambda j: (-round(cosine[i, j], 10), j)
        )
        for j in order[:n_similar]:
            linked[i, j] = linked[j, i] = True
    return np.where(linked, np.maximum(cosine, MIN_SIMILARITY), 0.0)


@pytest.mark.parametrize("n_similar", [0, 2])
@pytest.mark.parametrize("dense", [True, False])
def test_the_graph_of_walks_and_both_scores_by_hand(n_similar, dense):
    X, links = counts(40, 30, density=0.05), random_links(40, 25)
    data = X.toarray() if dense else X
    W = by_hand(links, X, n_similar)
    found = walk_graph(link_matrix(links, 40), unit_documents(data), n_similar).toarray()
    np.testing.assert_allclose(found, W)
    h = hitting_times(W)
    degree = np.where(W.sum(axis=1) > 0, W.sum(axis=1), 1.0)
    K = np.linalg.inv((1 + RESTART) * np.diag(degree) - W)
    corrected = 1 - K / np.sqrt(np.outer(np.diag(K), np.diag(K)))
    left, right = np.triu_indices(40, 1)
    for score, values, gamma in (("commute", (h + h.T) / 2, 60.0), ("degree-corrected", corrected, 0.7)):
        pairs = global_core_pairs(links, data, gamma=gamma, n_similar=n_similar, score=score)
        below = values[left, right] < gamma
        assert 0 < below.sum() < 780
        np.testing.assert_array_equal(pairs.must_link, np.column_stack([left, right])[below])
        order = np.lexsort((right, left, values[left, right]))[:15]
        closest = global_core_pairs(links, data, n_pairs=15, n_similar=n_similar, score=score)
        np.testing.assert_allclose(
            np.sort(values[tuple(closest.must_link.T)]), np.sort(values[left[order], right[order]]), rtol=1e-9
        )
        similar = cosine_similarity(X) if score == "commute" else 1 - values
        np.testing.assert_allclose(pairs.must_weight, np.clip(similar, MIN_SIMILARITY, 1)[tuple(pairs.must_link.T)])


def test_links_without_a_common_word_and_documents_without_links():
    X = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0.0]])
    pairs = global_core_pairs([(0, 1), (1, 1), (2, 2)], X)
    assert pairs.must_link.tolist() == [[0, 1]]  # similar to nobody, linked with nobody: in no pair
    assert 0 < pairs.must_weight[0] <= 1
    assert global_core_pairs([(0, 1)], X, score="commute").must_weight.tolist() == [MIN_SIMILARITY]
    assert global_core_pairs([], X).is_empty
    assert global_core_pairs([(0, 1)], X, n_pairs=0).is_empty
    assert global_core_pairs([(0, 1), (2, 3)], X, n_pairs=100).must_link.tolist() == [[0, 1], [2, 3]]


def test_as_many_pairs_as_links_by_default():
    pairs = global_core_pairs([(0, 1), (1, 0), (1, 2), (3, 4)], np.ones((6, 2)))
    assert len(pairs.must_link) == 3


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"gamma": 1.0, "n_pairs": 3}, r"gamma = 1.0 and n_pairs = 3 both choose.*Pass one"),
        ({"gamma": 0}, "gamma must be above 0, got 0"),
        ({"score": "hub"}, "score must be one of 'degree-corrected', 'commute', got 'hub'"),
        ({"n_pairs": -1}, "n_pairs must be at least 0"),
    ],
)
def test_what_is_wrong_is_said(chosen, message):
    with pytest.raises(ValueError, match=message):
        global_core_pairs([(0, 1)], np.eye(3), **chosen)


@pytest.mark.parametrize("score", ["commute", "degree-corrected"])
def test_a_sketched_component_has_nearly_the_closest_pairs(score):
    rng = np.random.default_rng(0)
    groups = np.arange(300) % 10
    near = rng.integers(0, 30, size=(900, 2)) * 10 + rng.integers(0, 10, size=(900, 1))  # within a group
    links = np.vstack([near, rng.integers(0, 300, size=(60, 2))])
    X = np.hstack([np.eye(10)[groups], rng.random((300, 5))])
    exact = global_core_pairs(links, X, n_pairs=300, n_similar=0, score=score)
    sketched = global_core_pairs(links, X, n_pairs=300, n_similar=0, score=score, exact_up_to=50)
    assert len(sketched.must_link) == 300
    common = {tuple(p) for p in exact.must_link.tolist()} & {tuple(p) for p in sketched.must_link.tolist()}
    assert len(common) > 200
    assert abs(precision(exact, groups) - precision(sketched, groups)) < 0.05


def test_cora_degree_corrected_is_right_more_often_than_the_literal_score():
    X, y, links = load("cora")
    literal = global_core_pairs(links, X, score="commute")
    corrected = global_core_pairs(links, X)
    assert len(literal.must_link) == len(corrected.must_link) == 5278
    assert precision(literal, y) < 0.3
    assert precision(corrected, y) > 0.7
    assert precision(global_core_pairs(links, X, n_similar=0), y) > 0.85


def test_cora_sketched():
    X, y, links = load("cora")
    exact, sketched = (
        precision(global_core_pairs(links, X, n_similar=0, exact_up_to=limit), y) for limit in (4000, 1000)
    )
    assert abs(exact - sketched) < 0.05


def test_sparse_kinds_agree():
    X, links = counts(30, 20), random_links(30, 40)
    assert global_core_pairs(links, X) == global_core_pairs(links, sparse.csc_matrix(X))
