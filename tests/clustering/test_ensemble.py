"""The ensemble: the same however it is run, its special cases, and the pairs of Figure 4."""

import joblib
import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from cases.data import blobs, consistent_hints, counts
from likewise import Constraints
from likewise.clustering import PCKMeans, SubspaceMetricEnsemble, hbgf
from likewise.metric import XingMetric

X, Y = blobs(60, 40, n_groups=3)
HINTS = consistent_hints(Y, 15, 15)


def ensemble(**params):
    return SubspaceMetricEnsemble(3, **{"n_subspaces": 6, "subspace_features": 10, "random_state": 0, **params})


@pytest.mark.parametrize("constrained", [False, True])
def test_it_finds_the_classes(constrained):
    model = ensemble(constrained=constrained).fit(X, constraints=HINTS)
    assert model.labelings_.shape == (6, 60)
    assert model.subspaces_.shape == model.weights_.shape == (6, 10)
    assert all(len(set(features)) == 10 for features in model.subspaces_.tolist())
    assert adjusted_rand_score(model.labels_, Y) > 0.9


def test_the_parts_put_together_by_hand():
    model = ensemble(constrained=True).fit(X, constraints=HINTS)
    rng = np.random.RandomState(0)
    subspaces = [np.sort(rng.choice(40, 10, replace=False)) for _ in range(6)]
    seeds = rng.randint(np.iinfo(np.int32).max, size=7)
    labelings = []
    for features, seed in zip(subspaces, seeds[1:], strict=True):
        Z = XingMetric(toward="variance", shrink=0.5).fit_transform(X[:, features], constraints=HINTS)
        member = PCKMeans(3, penalty="variance", n_init=1, random_state=int(seed)).fit(Z, constraints=HINTS)
        labelings.append(member.labels_)
    np.testing.assert_array_equal(model.subspaces_, subspaces)
    np.testing.assert_array_equal(model.labelings_, labelings)
    np.testing.assert_array_equal(model.labels_, hbgf(labelings, 3, random_state=seeds[0]))


def test_it_is_the_same_however_it_is_run():
    one = ensemble(n_jobs=1).fit(X, constraints=HINTS)
    two = ensemble(n_jobs=2).fit(X, constraints=HINTS)
    with joblib.parallel_backend("threading", n_jobs=2):
        threads = ensemble().fit(X, constraints=HINTS)
    for other in (two, threads):
        np.testing.assert_array_equal(one.labelings_, other.labelings_)
        np.testing.assert_array_equal(one.labels_, other.labels_)


@pytest.mark.parametrize("params", [{"init": "random"}, {"n_init": 3}, {"metric": None}])
def test_members_are_k_means_in_their_subspaces(params):
    model = ensemble(**params).fit(X, constraints=HINTS)
    for labels, features, weights in zip(model.labelings_, model.subspaces_, model.weights_, strict=True):
        Z = X[:, features] * np.sqrt(weights)
        centers = np.array([Z[labels == label].mean(axis=0) for label in range(3)])
        nearest = np.square(Z[:, None] - centers).sum(axis=2).argmin(axis=1)
        np.testing.assert_array_equal(labels, nearest)


def test_a_second_fit_is_not_moved_by_the_first():
    model = ensemble().fit(X, constraints=HINTS)
    first = model.labelings_
    np.testing.assert_array_equal(model.fit(X[:, ::-1]).fit(X, constraints=HINTS).labelings_, first)


def test_full_space_variants():
    full = {"n_subspaces": 1, "subspace_features": None}
    metric = ensemble(**full).fit(X, constraints=HINTS)
    np.testing.assert_array_equal(metric.subspaces_, [np.arange(40)])
    np.testing.assert_array_equal(metric.labels_, metric.labelings_[0])
    alone = XingMetric(toward="variance", shrink=0.5).fit(X, constraints=HINTS)
    np.testing.assert_allclose(metric.weights_[0], alone.weights_)
    plain = ensemble(metric=None, constrained=True, **full).fit(X, constraints=HINTS)
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max, size=2)[1]
    expected = PCKMeans(3, penalty="variance", n_init=1, random_state=int(seed)).fit_predict(X, constraints=HINTS)
    np.testing.assert_array_equal(plain.labels_, expected)


def test_without_hints_it_is_plain_k_means_in_subspaces():
    model = ensemble().fit(X)
    assert (model.weights_ == 1).all()
    seed = np.random.RandomState(0)
    [seed.choice(40, 10, replace=False) for _ in range(6)]
    seed = int(seed.randint(np.iinfo(np.int32).max, size=7)[1])
    expected = KMeans(3, n_init=1, random_state=seed).fit_predict(X[:, model.subspaces_[0]])
    np.testing.assert_array_equal(model.labelings_[0], expected)


def test_sparse_is_dense():
    S = counts(60, 30)
    hints = Constraints.sample(np.arange(60) % 3, "random_pairs", 60, random_state=0)
    one, other = (ensemble(subspace_features=15).fit(form, constraints=hints) for form in (S, S.toarray()))
    np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-3, atol=1e-7)


def test_sizes_by_the_papers_rules():
    sizes = SubspaceMetricEnsemble.as_published(2)._sizes
    assert [sizes(f) for f in (13, 30, 1155, 4026)] == [(30, 8), (30, 11), (120, 60), (120, 60)]
    assert SubspaceMetricEnsemble(2)._sizes(1) == (30, 1)
    with pytest.raises(ValueError, match="subspace_features=41 is more than the 40 features"):
        ensemble(subspace_features=41).fit(X)


def test_diversity_and_quality():
    model = ensemble().fit(X, constraints=HINTS)
    classes = np.array(["a", "b", "c"])[Y]
    pairs = model.diversity_quality(classes)
    assert pairs.shape == (15, 2)
    nmi = normalized_mutual_info_score
    expected = [
        (1 - nmi(a, b), (nmi(a, classes) + nmi(b, classes)) / 2)
        for i, a in enumerate(model.labelings_)
        for b in model.labelings_[i + 1 :]
    ]
    np.testing.assert_allclose(pairs, expected, atol=1e-12)
    with pytest.raises(ValueError, match="inconsistent"):
        model.diversity_quality(classes[:5])


def test_must_links_alone_are_not_enough_for_a_metric():
    hints = Constraints(60, must_link=[(0, 3)])
    with pytest.raises(ValueError, match=r"SubspaceMetricEnsemble learns from cannot-links.*metric=None"):
        ensemble().fit(X, constraints=hints)
    assert ensemble(metric=None, constrained=True).fit(X, constraints=hints).labels_.shape == (60,)
