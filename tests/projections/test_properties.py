"""What must hold for every data set and every set of hints."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs

import likewise as lw
from cases.data import blobs, consistent_hints, labels_partition, law, partial_labels, principal_angle
from cases.published import costco_beta, gcdr_weights, groups_of
from estimators import PROJECTIONS
from likewise import Constraints, Partition

SEEDS = st.integers(0, 10_000)

EVERY = pytest.mark.parametrize("method", [case.fresh() for case in PROJECTIONS.values()], ids=PROJECTIONS)


def drawn(seed, n=24, f=4, n_must=8, n_cannot=6, **kwargs):
    X, y = blobs(n, f, seed=seed)
    return X, y, consistent_hints(y, n_must, n_cannot, seed=seed, **kwargs)


def gram_volume(rows):
    """Sum of squared distances to the mean: the volume of the thesis."""
    return np.sum((rows - rows.mean(axis=0)) ** 2)


class TestASPLemmas:
    """Thesis, Section 4.4, with singletons="all": centroids keep their distances, groups shrink."""

    @law
    @given(SEEDS)
    def test_distances_between_centroids_are_kept(self, seed):
        X, _, hints = drawn(seed, n=12, f=20, n_must=5)
        Z = lw.ASP(singletons="all").fit_transform(X, constraints=hints)
        groups = groups_of(hints)
        centroids, images = (
            np.array([data[groups == group].mean(axis=0) for group in np.unique(groups)]) for data in (X, Z)
        )
        np.testing.assert_allclose(
            np.linalg.norm(centroids[:, None] - centroids, axis=2),
            np.linalg.norm(images[:, None] - images, axis=2),
            atol=1e-7,
        )
        # Overall volume: the scatter of the centroids, and their Gram matrix, are the same.
        np.testing.assert_allclose(gram_volume(images), gram_volume(centroids))
        np.testing.assert_allclose(images @ images.T, centroids @ centroids.T, atol=1e-7)

    @law
    @given(SEEDS)
    def test_every_group_shrinks(self, seed):
        X, _, hints = drawn(seed, n=12, f=20, n_must=5)
        Z = lw.ASP(singletons="all").fit_transform(X, constraints=hints)
        groups = groups_of(hints)
        for group in np.unique(groups):
            before, after = gram_volume(X[groups == group]), gram_volume(Z[groups == group])
            assert after <= before * (1 + 1e-9)
            if np.sum(groups == group) > 1:
                assert after < before  # 20 features, at most 12 centroids: something is always lost


@law
@given(SEEDS, st.booleans())
def test_beta_of_costco_is_equation_5_17(seed, weighted):
    X, _, hints = drawn(seed, weighted=weighted)
    fitted = lw.Costco(1, beta="published").fit(X, constraints=hints)
    assert fitted.beta_ == pytest.approx(costco_beta(X, hints))


@law
@given(SEEDS, st.integers(1, 60))
def test_shrinking_leaves_degrees_and_no_more(seed, n_cannot):
    X, y, _ = drawn(seed)
    hints = consistent_hints(y, 4, n_cannot, seed=seed)
    fitted = lw.GCDR(2, degree="shrink").fit(X, constraints=hints)
    positive, negative = (weights.sum(axis=1) for weights in gcdr_weights(X, hints))
    factor = fitted.shrinkage_
    assert 0 < factor <= 1
    left = (positive - factor * negative) / positive
    assert left.min() >= 1e-3 * (1 - 1e-9)
    if factor < 1:  # the largest such factor: one row has nothing to spare
        assert left.min() == pytest.approx(1e-3)
    else:
        assert np.all(positive - negative >= 1e-3 * positive * (1 - 1e-9))


@EVERY
@pytest.mark.parametrize("seed", [0, 1])
def test_a_partition_is_its_pairs(method, seed):
    X, y = blobs(24, 4, seed=seed)
    labels = Constraints.from_labels(partial_labels(y, 0.5, seed=seed))
    others = Partition(partial_labels(y, 0.6, seed=seed + 9), different_across=True, weight=0.5)  # overlaps
    same = Partition(np.where(np.arange(24) % 3 == 0, y, -1), weight=2.0)
    for constraints in (labels, labels | Constraints(24, partitions=[others, same])):
        found = method.fit(X, constraints=constraints).components_.copy()
        expected = method.fit(X, constraints=constraints.expand()).components_
        assert principal_angle(found, expected) < 1e-6
        np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())


def test_auto_counts_the_must_links_that_do_not_follow_from_the_others():
    """Documented: a group of s rows counts s − 1 must-links, as labels, as a chain of pairs, or with all its pairs."""
    X, y = blobs(24, 4)
    labels = Constraints.from_labels(y)
    auto, published = (lw.Costco(1, beta=beta).fit(X, constraints=labels).beta_ for beta in ("auto", "published"))
    assert auto == pytest.approx(published * 4 / 21)
    assert lw.Costco(1).fit(X, constraints=labels.expand()).beta_ == pytest.approx(auto)


@EVERY
@pytest.mark.parametrize("seed", [0, 1])
def test_the_order_of_rows_does_not_matter(method, seed):
    X, y, hints = drawn(seed, weighted=True)
    hints = hints | Constraints(24, partitions=[labels_partition(partial_labels(y, 0.3, seed=seed), weight=0.5)])
    if isinstance(method, lw.DSP):
        # Rows of one group coincide after the collapse, and ties go to the lower index: order counts there.
        hints = Constraints(24, cannot_link=hints.cannot_link)
    rows = np.random.default_rng(seed).permutation(24)
    found = method.fit(X[rows], constraints=hints.restrict(rows)).components_.copy()
    if isinstance(method, lw.LPPSI) and method.kernel == "rbf":
        found = method.transform(X)
        expected = method.fit(X, constraints=hints).transform(X)
        assert principal_angle(found.T, expected.T) < 1e-6
        return
    assert principal_angle(found, method.fit(X, constraints=hints).components_) < 1e-6


@EVERY
@pytest.mark.parametrize("factor", [1e-3, 50.0])
def test_a_constant_factor_does_not_turn_the_answer(method, factor):
    X, _, hints = drawn(3)
    found = method.fit(X * factor, constraints=hints).components_.copy()
    assert principal_angle(found, method.fit(X, constraints=hints).components_) < 1e-6


@pytest.mark.parametrize("name", ["costco", "screen", "screen cannot", "ssdr", "rca", "dca", "gcdr"])
def test_where_the_origin_lies_does_not_matter(name):
    X, _, hints = drawn(5)
    method = PROJECTIONS[name].fresh()
    found = method.fit(X + 1e6, constraints=hints).components_.copy()
    assert principal_angle(found, method.fit(X, constraints=hints).components_) < 1e-6


@EVERY
def test_a_pair_said_twice_counts_once(method):
    X, _, hints = drawn(4)
    twice = Constraints(
        24,
        np.vstack([hints.must_link, hints.must_link[:, ::-1]]),
        np.vstack([hints.cannot_link, hints.cannot_link]),
    )
    found = method.fit(X, constraints=twice).components_.copy()
    np.testing.assert_array_equal(found, method.fit(X, constraints=hints).components_)


@EVERY
@law
@given(st.data())
def test_hints_of_any_kind_give_finite_directions(method, data):
    seed = data.draw(SEEDS)
    n_must, n_cannot = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 12))
    X, _, hints = drawn(seed, n=15, f=data.draw(st.sampled_from([2, 6, 30])), n_must=n_must, n_cannot=n_cannot)
    assume(method.n_components is None or X.shape[1] >= 2)
    with np.errstate(all="raise", under="ignore"):
        fitted = _quietly(method, X, hints)
    assert np.all(np.isfinite(fitted.components_))
    assert np.isrealobj(fitted.components_)
    assert np.all(np.isfinite(fitted.share_))
    assert 1 <= fitted.n_components_ <= min(X.shape[1] if "kernel" not in fitted.get_params() else 30, 30)


def _quietly(method, X, hints):
    """With few must-links there may be fewer directions than asked for; that is said, and right."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "n_components=2, but only 1 directions separate")
        return method.fit(X, constraints=hints)


@pytest.mark.parametrize("unit", [1e-170, 1e-155, 1e155, 1e300])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_values_whose_squares_do_not_fit_are_refused(unit, kind):
    X, y = blobs(40, 6)
    hints = consistent_hints(y)
    for method in (lw.ASP(2), lw.Costco(2), lw.DSP(2), lw.SSDR(2)):
        with pytest.raises(ValueError, match=r"the largest value of X is .*to be squared"):
            method.fit(kind(X * unit), constraints=hints)


@pytest.mark.parametrize("method", [lw.Costco(2), lw.DCA(2), lw.GCDR(2), lw.RCA(2)], ids=lambda m: type(m).__name__)
def test_equal_rows_are_refused(method):
    """Their centered values are rounding errors, which are no differences between rows."""
    hints = consistent_hints(np.arange(40) % 3)
    with pytest.raises(ValueError, match="no direction separates anything"):
        method.fit(np.full((40, 6), 3.3), constraints=hints)


@pytest.mark.parametrize("value", [1e40, 1e120, 1e127, 1e145])
@EVERY
@pytest.mark.filterwarnings("ignore:.*directions separate anything:UserWarning")
def test_one_huge_value_is_an_answer_or_an_error_in_words(method, value):
    X, y = make_blobs(40, n_features=5, random_state=12)
    X[7, 2] = value
    hints = Constraints.sample(y, "equal", 12, random_state=2)
    try:
        Z = clone(method).fit(X, constraints=hints).transform(X)
    except np.linalg.LinAlgError:
        raise
    except ValueError:
        return
    assert np.isfinite(Z).all()
