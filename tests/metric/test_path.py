"""Shrinkage chosen by hints that were left out: what it rests on, and what it makes of signal and of noise."""

import numpy as np
import pytest
from hypothesis import given as over
from hypothesis import settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import roc_auc_score

from cases.data import blobs, consistent_hints, counts, partial_labels
from likewise import Constraints
from likewise.metric import XingMetric
from likewise.metric import _path as path
from likewise.metric._terms import differences, must_link_pairs

law = settings(deadline=None, max_examples=8)


def one_informative_feature(n=120, noise=30, seed=0):
    """Two classes that one of many features tells apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, noise + 1))
    X[:, 0] += 4 * y
    return X, y


def shrink_of(X, hints, **params):
    return XingMetric(**params).fit(X, constraints=hints).shrink_


def test_the_optimum_is_trusted_where_one_feature_decides():
    X, y = one_informative_feature()
    metric = XingMetric().fit(X, constraints=Constraints.sample(y, "random_pairs", 200, random_state=0))
    assert metric.shrink_ <= 0.5
    assert metric.weights_.argmax() == 0
    assert metric.weights_[0] > 10 * metric.weights_[1:].max()


def test_noise_is_not_trusted():
    chosen = []
    for seed in range(30):
        X, _ = one_informative_feature(seed=seed)
        rng = np.random.default_rng(seed)
        pairs = rng.permutation(120).reshape(-1, 2)
        same = rng.random(60) < 0.5  # whatever the features say
        chosen.append(shrink_of(X, Constraints(120, pairs[same], pairs[~same])))
    # One standard error is passed by chance one time in six.
    assert np.median(chosen) >= 0.9
    assert np.mean(np.array(chosen) < 0.5) < 0.3


@law
@over(st.integers(0, 1000), st.booleans())
def test_the_order_of_rows_does_not_matter(seed, make_sparse):
    rng = np.random.default_rng(seed)
    X, y = blobs(40, 5, seed=seed)
    X = np.round(X, 1)  # some distances tie
    X[7] = X[12]
    hints = Constraints.sample(y, "random_pairs", 40, random_state=seed)
    order = rng.permutation(40)
    rows = sparse.csr_array(X) if make_sparse else X
    found = XingMetric().fit(rows, constraints=hints)
    again = XingMetric().fit(rows[order], constraints=hints.restrict(order))
    assert again.shrink_ == found.shrink_
    np.testing.assert_allclose(again.weights_, found.weights_, rtol=1e-3, atol=1e-4 * found.weights_.max())


def test_pairs_are_thinned_out_by_the_values_of_their_rows():
    X, y = blobs(60, 4)
    hints = Constraints.sample(y, "random_pairs", 200, random_state=0)
    order = np.random.default_rng(1).permutation(60)
    kept = []
    for rows, given in ((X, hints), (X[order], hints.restrict(order))):
        pairs = path._Pairs.of(rows, given.cannot_link, given.cannot_weight, 50, path._ranks(rows, given))
        assert len(pairs.rows) == 50
        kept.append(sorted(np.sort(np.abs(pairs.D), axis=0).ravel().tolist()))
    assert kept[0] == kept[1]


@pytest.mark.filterwarnings("ignore:the optimum keeps")
def test_it_is_the_same_at_every_fit_and_a_number_is_taken_as_it_is():
    X, y = blobs(60, 8)
    hints = consistent_hints(y, 20, 20)
    one, other = (XingMetric().fit(X, constraints=hints) for _ in range(2))
    assert one.shrink_ == other.shrink_
    np.testing.assert_array_equal(one.weights_, other.weights_)
    again = XingMetric(shrink=one.shrink_).fit(X, constraints=hints)
    np.testing.assert_allclose(again.weights_, one.weights_)
    assert shrink_of(X, hints, shrink=0.3) == 0.3
    assert shrink_of(X, hints, shrink=0) == 0


def test_too_few_pairs_stay_near_the_prior():
    X, _ = blobs(40, 6)
    apart = [(0, 1), (2, 4), (5, 7), (8, 10)]
    for must in ([], [(0, 3)]):
        assert shrink_of(X, Constraints(40, must, apart)) == path.FALLBACK_SHRINK


def test_labels_are_their_pairs():
    X, y = blobs(60, 8)
    hints = Constraints.from_labels(partial_labels(y))
    assert shrink_of(X, hints) == shrink_of(X, hints.expand())


def test_many_pairs_are_thinned_out(monkeypatch):
    X, y = one_informative_feature(300, 10)
    sizes = []
    of = path._Pairs.of

    def watched(*args):
        sizes.append(len(of(*args).rows))
        return of(*args)

    monkeypatch.setattr(path, "MAX_FOLD_PAIRS", 400)
    monkeypatch.setattr(path._Pairs, "of", watched)
    for hints in (Constraints.from_labels(y), Constraints.from_labels(y).expand()):
        assert shrink_of(X, hints) <= 0.5
    assert max(sizes) <= 400 < 300 * 149 // 2


def test_sparse_is_dense():
    X = counts(60, 30)
    hints = Constraints.sample(np.arange(60) % 4, "random_pairs", 120, random_state=0)
    one, other = (shrink_of(form, hints, toward="equal") for form in (X, X.toarray()))
    assert one == pytest.approx(other, abs=0.05)


def test_full_metrics_go_halfway():
    X, y = blobs(60, 8)
    assert shrink_of(X, consistent_hints(y, 20, 20), kind="full") == 0.5


def test_the_score_is_the_area_under_the_roc_curve():
    rng = np.random.default_rng(0)
    must, cannot = rng.integers(0, 6, 30).astype(float), rng.integers(1, 8, 50).astype(float)  # with ties
    weights = rng.uniform(0.2, 2, 30), rng.uniform(0.2, 2, 50)
    expected = roc_auc_score(
        np.repeat([0, 1], [30, 50]), np.concatenate([must, cannot]), sample_weight=np.concatenate(weights)
    )
    assert path.weighted_auc(must, cannot, *weights) == pytest.approx(expected)


def test_the_largest_step_within_one_standard_error():
    steps = path.SHRINKAGES
    best = 1 - np.square(steps - 0.4)
    assert path.most_within_error(np.array([best, best])) == 0.4  # no doubt: the best
    assert path.most_within_error(np.ones((3, len(steps)))) == 1.0  # no difference: the prior
    doubt = np.array([best, best + 0.1 * (steps - 0.4), best - 0.1 * (steps - 0.4)])
    assert 0.4 < path.most_within_error(doubt) < 0.7


def test_rows_of_left_out_pairs_were_not_used():
    rng = np.random.default_rng(0)
    must, cannot = (rng.permutation(80)[:60].reshape(-1, 2) for _ in range(2))
    folds = list(path._folds(must, cannot))
    assert len(folds) == path.N_FOLDS
    touched = np.zeros(80, dtype=int)
    for must_left_out, cannot_left_out in folds:
        seen = np.unique(np.concatenate([must[~must_left_out], cannot[~cannot_left_out]]))
        left_out = np.setdiff1d(np.concatenate([must, cannot]), seen)
        assert np.isin(must[must_left_out], left_out).any(axis=1).all()
        assert np.isin(cannot[cannot_left_out], left_out).any(axis=1).all()
        touched[left_out] += 1
    assert (touched[np.unique(np.concatenate([must, cannot]))] >= 1).all()


def test_must_links_are_expanded():
    labels = np.append(np.arange(28) % 3, [-1, -1])
    hints = Constraints(30, [(28, 29)], must_weight=2.0) | Constraints.from_labels(labels)
    pairs, weights = must_link_pairs(hints, 10_000)
    written = hints.expand()
    np.testing.assert_array_equal(pairs, written.must_link)
    np.testing.assert_array_equal(weights, written.must_weight)
    some, raised = must_link_pairs(hints, 20)
    assert set(map(tuple, np.sort(some, axis=1).tolist())) <= set(map(tuple, written.must_link.tolist()))
    assert raised.sum() == pytest.approx(weights.sum())
    assert len(must_link_pairs(Constraints(5, cannot_link=[(0, 1)]), 10)[0]) == 0


def test_sparse_differences_can_be_dense():
    X = sparse.csr_array(np.eye(4))
    pairs = np.array([[0, 1], [2, 3]])
    assert sparse.issparse(differences(X, pairs))
    np.testing.assert_array_equal(differences(X, pairs, dense=True), differences(X, pairs).toarray())
