"""Whether links mean similarity, and the papers' comparisons."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import cosine_similarity

from cases.data import counts
from likewise import Constraints, Partition
from likewise.sources.links import augmented, homophily, linear_combination, links_only
from sources.real_links import load


def test_share_and_chance_by_hand():
    y = np.array([0, 0, 0, 1, 1, 2, -1])
    links = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 5), (0, 6), (5, 5)]
    found = homophily(links, y)
    assert (found.n_links, found.share, found.verdict) == (5, 3 / 5, "unknown")
    assert found.chance == pytest.approx(0.5**2 + 0.4**2 + 0.1**2)  # of ten ends: five, four, one
    assert found == homophily(links, Constraints.from_labels(y))
    assert 0 < found.low < found.share < found.high < 1


def ring(step, n=60):
    return [(i, (i + step) % n) for i in range(n)]


def test_three_verdicts():
    y = np.arange(60) % 3
    assert homophily(ring(3), y).verdict == "similar"
    with pytest.warns(UserWarning, match=r"do not indicate similarity here: 0% of 60 links.*33% by chance: opposite"):
        assert homophily(ring(1), y).verdict == "opposite"
    rng = np.random.default_rng(0)
    with pytest.warns(UserWarning, match="unrelated"):
        assert homophily(rng.integers(0, 60, (300, 2)), y).verdict == "unrelated"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        homophily(ring(1), y, warn=False)


def test_hints_of_all_kinds():
    n = 60
    must = Constraints(n, must_link=[(i, i + 2) for i in range(40)], cannot_link=[(0, 1)])
    found = homophily(ring(4), must)
    assert found.share == 1.0  # entailed: four apart is two steps of two
    assert found.n_links == sum((i + 4) % n < 42 and i < 42 for i in range(n))
    assert homophily(ring(1), must, warn=False).share == 0.0
    within = Constraints(n, partitions=[Partition(np.arange(n) // 2, same_within=False, different_within=True)])
    assert homophily(ring(1), within, warn=False).n_links == 30
    both = Constraints(n, cannot_link=[(0, 1)]) | Constraints.from_labels(np.arange(n) % 2)
    assert homophily(ring(1), both, warn=False).share == 0.0
    assert homophily(ring(1), Constraints(n)).verdict == "unknown"
    assert "it is not known whether" in str(homophily([], Constraints(n)))


def test_contradictory_hints_are_no_obstacle():
    hints = Constraints(4, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)], must_weight=[1, 0.5])
    assert homophily([(0, 1), (0, 2)], hints).n_links == 2


def test_cora_links_mean_similarity_and_those_of_webkb_do_not():
    _, y, links = load("cora")
    sample = np.where(np.random.default_rng(0).random(len(y)) < 0.2, y, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert homophily(links, sample).verdict == "similar"
        assert homophily(links, y).share == pytest.approx(0.81, abs=0.01)
    _, y, links = load("webkb")
    sample = np.where(np.random.default_rng(0).random(len(y)) < 0.5, y, -1)
    with pytest.warns(UserWarning, match="do not indicate similarity"):
        assert homophily(links, sample).verdict == "opposite"


def test_links_only_augmented_and_combined_by_hand():
    X = counts(8, 6)
    links = [(0, 1), (1, 0), (2, 3), (3, 4), (6, 6)]
    A = np.eye(8)
    A[[0, 1, 2, 3, 3, 4], [1, 0, 3, 2, 4, 3]] = 1
    np.testing.assert_allclose(links_only(links, 8).toarray(), A / np.linalg.norm(A, axis=1, keepdims=True))
    combined = linear_combination(X, links, 0.3)
    np.testing.assert_allclose(combined, 0.7 * cosine_similarity(X) + 0.3 * cosine_similarity(A))
    np.testing.assert_allclose(linear_combination(X.toarray(), links, 0.3), combined)
    side = augmented(X, links, weight=2.0)
    assert side.shape == (8, 14)
    np.testing.assert_allclose((side @ side.T).toarray(), cosine_similarity(X) + 4 * cosine_similarity(A))
    with pytest.raises(ValueError, match="share of the links"):
        linear_combination(X, links, 1.5)
    with pytest.raises(ValueError, match="weight must be 0 or more"):
        augmented(X, links, weight=-1)


def test_rows_of_words_and_links_can_be_clustered_by_scikit_learn():
    rows = augmented(np.eye(6), [(0, 1), (1, 2), (3, 4), (4, 5)])
    labels = KMeans(2, n_init=4, random_state=0).fit_predict(rows)
    assert len(set(labels)) == 2
    assert len(set(labels[:3])) == len(set(labels[3:])) == 1
