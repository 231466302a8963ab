"""The diagonal metric: optimality, agreement with general solvers, and what hints do to it."""

import warnings

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.datasets import load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning

from cases.data import blobs, consistent_hints, counts, partial_labels
from likewise import Constraints, Partition
from likewise.metric import XingMetric
from likewise.metric import _terms as terms
from likewise.metric._diagonal import Objective, minimize


def direct_terms(X, hints, ridge=1e-6):
    """Must-link sum and cannot-link squared differences, pair by pair."""
    pairs = hints.expand()
    variance = X.var(axis=0)
    s = 2 * ridge * pairs.must_weight.sum() * variance
    for (i, j), weight in zip(pairs.must_link, pairs.must_weight, strict=True):
        s = s + weight * (X[i] - X[j]) ** 2
    C = np.array([(X[i] - X[j]) ** 2 for i, j in pairs.cannot_link])
    return s, C, pairs.cannot_weight


def G(a, s, C, weights):
    return s @ a - np.log(weights @ np.sqrt(C @ a))


def literal(X, **hints):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the optimum keeps")
        return XingMetric.as_published().fit(X, **hints)


CASES = {
    "blobs": (blobs(60, 8)[0], consistent_hints(blobs(60, 8)[1], weighted=True)),
    "more features than rows": (blobs(30, 200)[0], consistent_hints(blobs(30, 200)[1], 20, 30)),
    "few pairs": (blobs(40, 6)[0], consistent_hints(blobs(40, 6)[1], 2, 3)),
    "labels": (blobs(60, 8)[0], Constraints.from_labels(partial_labels(blobs(60, 8)[1]))),
    "wine": (load_wine().data, Constraints.sample(load_wine().target, "random_pairs", 150, random_state=1)),
    "digits": (load_digits().data, Constraints.sample(load_digits().target, "random_pairs", 500, random_state=0)),
    "counts": (counts(60, 30).toarray(), Constraints.sample(np.arange(60) % 4, "random_pairs", 120, random_state=0)),
}


@pytest.mark.parametrize("name", CASES)
def test_optimality_conditions(name):
    X, hints = CASES[name]
    a = literal(X, constraints=hints).weights_
    s, C, weights = direct_terms(X, hints)
    alive = s > 0
    a, s, C = a[alive], s[alive], C[:, alive]
    d = np.sqrt(C @ a)
    gradient = s - C.T @ (weights / d) / (2 * weights @ d)
    assert (a >= 0).all()
    assert (gradient / s >= -1e-6).all()  # nothing to gain by raising a weight
    assert np.abs(a * gradient).max() <= 1e-6  # nor by changing one that is there
    assert s @ a == pytest.approx(0.5, abs=2e-6)


@pytest.mark.parametrize("name", CASES)
def test_no_general_solver_finds_better(name):
    X, hints = CASES[name]
    a = literal(X, constraints=hints).weights_
    s, C, weights = direct_terms(X, hints)
    alive = s > 0
    scaled = C[:, alive] / s[alive]
    phi = Objective(scaled, weights, 1e-12)
    start = np.full(alive.sum(), 0.5 / alive.sum())
    found = optimize.minimize(
        phi.value,
        start,
        jac=phi.gradient,
        bounds=[(0, None)] * len(start),
        method="L-BFGS-B",
        options={"maxiter": 3000, "maxfun": 10**5, "ftol": 1e-14, "gtol": 1e-9},
    )
    assert G(a, s, C, weights) <= G(found.x / s[alive], s[alive], C[:, alive], weights) + 1e-7
    if len(start) <= 13:
        found = optimize.minimize(phi.value, start, jac=phi.gradient, bounds=[(0, None)] * len(start), method="SLSQP")
        assert G(a, s, C, weights) <= G(found.x / s[alive], s[alive], C[:, alive], weights) + 1e-7


def clipped_newton(phi, b, steps=200):
    """A full Newton step, clipped at 0, taken when it lowers the objective: as published."""
    for _ in range(steps):
        d = np.sqrt(phi.C @ b + phi.floor)
        f = phi.pair_weights @ d
        q = phi.C.T @ (phi.pair_weights / d) / (2 * f)
        H = (phi.C.T * (phi.pair_weights / (4 * f * d**3))) @ phi.C + np.outer(q, q)
        step = np.linalg.lstsq(H, phi.gradient(b), rcond=None)[0]
        for size in 0.5 ** np.arange(40):
            tried = np.maximum(b - size * step, 0)
            if tried.any() and phi.value(tried) < phi.value(b) - 1e-10:
                b = tried
                break
        else:
            break
    return b


def test_a_clipped_newton_stalls_where_ours_does_not():
    X, y = load_digits(return_X_y=True)
    s, C, weights = direct_terms(X, Constraints.sample(y, "random_pairs", 200, random_state=0))
    C = C[:, s > 0] / s[s > 0]
    phi = Objective(C, weights, 1e-12)
    stalled = phi.value(clipped_newton(phi, np.full(C.shape[1], 0.5 / C.shape[1])))
    found = minimize(C, weights)
    assert found.residual <= 1e-6
    assert phi.value(found.weights) < stalled - 0.01


def test_many_features_grow_the_set():
    rng = np.random.default_rng(0)
    C = sparse.random(400, 3000, density=0.02, random_state=0, format="csr") * 10
    found = minimize(C, rng.uniform(0.5, 2, 400))
    assert found.residual <= 1e-6
    dense = minimize(C.toarray(), np.random.default_rng(0).uniform(0.5, 2, 400))
    np.testing.assert_allclose(C @ found.weights, C @ dense.weights, rtol=1e-4)


def test_a_partition_is_its_pairs():
    X, y = blobs(50, 7)
    hints = Constraints.from_labels(partial_labels(y))
    one, other = literal(X, constraints=hints), literal(X, constraints=hints.expand())
    np.testing.assert_allclose(one.weights_, other.weights_, atol=1e-6 * one.weights_.max())


def test_weights_scale_terms():
    X, y = blobs(40, 6)
    hints = consistent_hints(y, 6, 6)
    twice = Constraints(40, hints.must_link, hints.cannot_link, 2.0, 3.0)
    s_once, s_twice = (terms.must_link_form(X, h).diagonal(X) for h in (hints, twice))
    np.testing.assert_allclose(s_twice, 2 * s_once)
    # the log does not see a common factor of the cannot-links; the must-links' factor divides the weights
    once, twice = literal(X, constraints=hints), literal(X, constraints=twice)
    np.testing.assert_allclose(once.weights_, 2 * twice.weights_, rtol=1e-5, atol=1e-9)


def test_units_of_features_do_not_matter():
    X, y = blobs(50, 7)
    hints = consistent_hints(y, 10, 10)
    units = 10.0 ** np.arange(-3, 4)
    for shrink in (0.0, 0.5):
        metric = XingMetric(shrink=shrink)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="the optimum keeps")
            one = metric.fit(X, constraints=hints).transform(X)
            other = metric.fit(X * units + 5, constraints=hints).transform(X * units)
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def test_shrink_keeps_the_spread_and_mixes():
    X, y = blobs(50, 7)
    hints = consistent_hints(y)
    variance = X.var(axis=0)
    a = [
        XingMetric(shrink=shrink, ridge=1e-6, toward="variance").fit(X, constraints=hints).weights_
        for shrink in (0.5, 1.0)
    ]
    bare = literal(X, constraints=hints).weights_
    np.testing.assert_allclose(a[1] * variance, np.full(7, (bare @ variance) / 7))
    np.testing.assert_allclose(a[0], (bare + a[1]) / 2)


@pytest.mark.filterwarnings("ignore:the optimum keeps")
def test_pseudo_links_keep_the_optimum_from_features_that_agree_by_chance():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 30)) + 4 * y[:, None] * (np.arange(30) < 2)
    X[:, 29] = 0.0
    X[-1, 29] = 1.0  # varies, but not among must-linked rows
    hints = Constraints.sample(y[:50], "equal", 8, random_state=0)
    hints = Constraints(60, hints.must_link, np.vstack([hints.cannot_link, [(0, 59)]]))
    share = {}
    for ridge in (1e-6, 1.0):
        a = XingMetric(shrink=0.0, ridge=ridge).fit(X, constraints=hints).weights_ * X.var(axis=0)
        share[ridge] = a[29] / a.sum()
    assert share[1e-6] > 0.9 > 0.5 > share[1.0]
    assert XingMetric().get_params()["ridge"] == "auto"
    literal_weights = literal(X, constraints=hints).weights_
    np.testing.assert_allclose(XingMetric(shrink=0.0).fit(X, constraints=hints).weights_, literal_weights)


def test_toward_equal_weights():
    X, y = blobs(50, 7)
    weights = XingMetric(shrink=1.0, ridge=1e-6, toward="equal").fit(X, constraints=consistent_hints(y)).weights_
    np.testing.assert_allclose(weights, weights[0])
    bare = literal(X, constraints=consistent_hints(y)).weights_
    assert weights @ X.var(axis=0) == pytest.approx(bare @ X.var(axis=0))
    A = XingMetric("full", shrink=1.0, toward="equal").fit(X, constraints=consistent_hints(y)).metric_
    np.testing.assert_allclose(A, A[0, 0] * np.eye(7), atol=1e-12)


def test_sparse_is_dense_and_stays_sparse():
    X = counts(60, 30)
    hints = Constraints.sample(np.arange(60) % 4, "random_pairs", 120, random_state=0)
    one, other = XingMetric().fit(X, constraints=hints), XingMetric().fit(X.toarray(), constraints=hints)
    np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-4, atol=1e-7)
    image = one.transform(X)
    assert sparse.issparse(image)
    np.testing.assert_allclose(image.toarray(), other.transform(X.toarray()), rtol=1e-4, atol=1e-6)


def test_constant_features_get_no_weight():
    X, y = blobs(40, 6)
    X[:, 2] = 1e6 + 0.1
    assert XingMetric().fit(X, y).weights_[2] == 0


def test_few_kept_features_warn():
    X, y = blobs(88, 300, n_groups=4)
    hints = consistent_hints(y, 30, 40)
    with pytest.warns(UserWarning, match=r"keeps only \d of 300 features.*Increase shrink"):
        metric = XingMetric(shrink=0).fit(X, constraints=hints)
    assert 1 <= metric.n_kept_ < 5
    assert np.count_nonzero(metric.weights_) == metric.n_kept_
    assert np.count_nonzero(XingMetric().fit(X, constraints=hints).weights_) == 300


def test_too_few_steps_warn():
    X, y = load_digits(return_X_y=True)
    hints = Constraints.sample(y, "random_pairs", 500, random_state=2)
    with pytest.warns(ConvergenceWarning, match="Increase max_iter=1"):
        XingMetric(max_iter=1, tol=1e-12).fit(X, constraints=hints)


def test_what_it_cannot_learn_from():
    X, _ = blobs(20, 5)
    with pytest.raises(ValueError, match="cannot-links, but the constraints contain none"):
        XingMetric().fit(X, constraints=Constraints(20, must_link=[(0, 3)]))
    with pytest.raises(ValueError, match="requires y to be passed"):
        XingMetric().fit(X)
    X[1] = X[0]
    with pytest.warns(UserWarning, match="every cannot-linked pair has equal rows"):
        metric = XingMetric().fit(X, constraints=Constraints(20, [(3, 4)], [(0, 1)]))
    np.testing.assert_allclose(metric.weights_, 1 / X.var(axis=0))


def test_cannot_links_alone_are_enough():
    X, _ = blobs(30, 6)
    weights = literal(X, constraints=Constraints(30, cannot_link=[(0, 1), (2, 4), (5, 7)])).weights_
    assert np.isfinite(weights).all()
    assert weights.any()


@pytest.mark.parametrize("flags", [{"different_across": True}, {"different_within": True}, {"both": True}])
def test_evenly_spaced_pairs_stand_for_all(monkeypatch, flags):
    monkeypatch.setattr(terms, "MAX_PAIRS", 60)
    if "both" in flags:
        flags = {"different_across": True, "different_within": True}
    codes = np.array([0, 0, 0, 1, 1, 2, -1, 2, 2, 0, 1, 3, 3, 0, -1, 1, 2, 2, 0, 0])
    part = Partition(codes, same_within=False, weight=2.0, **flags)
    every = {tuple(sorted(pair)) for pair in Constraints(20, partitions=[part]).expand().cannot_link.tolist()}
    pairs, weights = terms.cannot_link_pairs(Constraints(20, partitions=[part]), 3)
    found = {tuple(sorted(pair)) for pair in pairs.tolist()}
    assert len(found) == len(pairs) <= max(60, len(every))
    assert found <= every
    assert weights.sum() == pytest.approx(2.0 * len(every))


def test_the_spaced_pairs_are_all_of_them_when_all_are_asked_for():
    codes = np.random.default_rng(0).integers(-1, 4, 40)
    for flags in ({"different_across": True}, {"different_within": True}):
        part = Partition(codes, same_within=False, **flags)
        pairs = terms._spaced_pairs(part, part.n_cannot_link)
        every = Constraints(40, partitions=[part]).expand().cannot_link
        assert sorted(map(sorted, pairs.tolist())) == every.tolist()


@pytest.mark.parametrize("size", [1e-300, 1e-34, 1e34, 1e300])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_units_of_the_differences_change_no_digit(size, kind):
    C = np.array([[4.0, 0.0, 0.5], [0.0, 1.0, 0.0], [2.0, 1.0, 1.0]])
    unit = 2.0 ** round(np.log2(size))
    expected, found = (minimize(kind(each), np.ones(3)) for each in (C, unit * C))
    np.testing.assert_array_equal(found.weights, expected.weights)
    assert found.residual < 1e-6


def test_rows_that_hardly_differ_beside_a_huge_one():
    X, y = blobs(40, 4)
    X[0] = 1e18
    hints = consistent_hints(y)
    for metric in (XingMetric(), XingMetric(toward="equal"), XingMetric.as_published()):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="the optimum keeps")
            assert np.isfinite(metric.fit(X, constraints=hints).transform(X)).all()
