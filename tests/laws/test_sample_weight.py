"""A row of weight 3 is three rows, a row of weight 0 is none; hints count as often as they are stated."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import likewise as lw
from cases.data import blobs
from likewise import Constraints
from likewise.clustering.kmeans._points import Points
from likewise.clustering.kmeans._scale import mean_distance, mean_squared_deviation
from likewise.forms import between_scatter, centroid_scatter, total_scatter, within_scatter

N = 30
X, Y = blobs(N, 4, seed=3)
HINTS = Constraints.sample(Y, "random_pairs", 25, random_state=1)
TIED = np.flatnonzero(np.bincount(HINTS.groups())[HINTS.groups()] > 1)
CONSTRAINED = np.flatnonzero(HINTS.constrained_rows())

WEIGHTS = st.lists(st.integers(0, 3), min_size=N, max_size=N).map(np.array).filter(lambda w: (w > 0).sum() > N // 2)
POSITIVE = st.lists(st.integers(1, 3), min_size=N, max_size=N).map(np.array)
FEW = settings(max_examples=10)
FORMS = [within_scatter, between_scatter]


def copies(weight, hints=HINTS):
    """Row numbers, each as often as its weight says, and the hints on the first copies."""
    rows = np.repeat(np.arange(N), weight)
    first = np.cumsum(weight) - weight
    stated = hints.restrict(np.flatnonzero(weight))
    place = first[weight > 0]
    return rows, Constraints(
        len(rows), place[stated.must_link], place[stated.cannot_link], stated.must_weight, stated.cannot_weight
    )


def together(weight, rows, tied):
    """Must-links between the copies of each of some rows."""
    pairs = [(i, i + 1) for i in range(len(rows) - 1) if rows[i] == rows[i + 1] and rows[i] in tied]
    return Constraints(len(rows), must_link=pairs)


def same_directions(one, other):
    np.testing.assert_allclose(one.share_, other.share_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(one.components_, other.components_, rtol=1e-6, atol=1e-8)


@FEW
@given(WEIGHTS)
def test_forms(weight):
    rows = np.repeat(np.arange(N), weight)
    codes = np.where(Y == 2, -1, Y)
    for form in FORMS:
        np.testing.assert_allclose(
            form(codes, weight.astype(float)).matrix(X), form(codes[rows]).matrix(X[rows]), atol=1e-9
        )
    expected = total_scatter(len(rows)).matrix(X[rows])
    np.testing.assert_allclose(total_scatter(N, weight.astype(float)).matrix(X), expected, atol=1e-9)
    alone = np.arange(N)  # copies of a row that is alone are alone, too
    expected = centroid_scatter(np.arange(len(rows))).matrix(X[rows])
    np.testing.assert_allclose(centroid_scatter(alone, weight.astype(float)).matrix(X), expected, atol=1e-9)


@pytest.mark.parametrize("model", [lw.Costco(3, beta="published"), lw.Costco(3), lw.SSDR(3)], ids=repr)
@FEW
@given(weight=WEIGHTS)
def test_projections_with_pairs(model, weight):
    rows, hints = copies(weight)
    weighted = clone(model).fit(X, constraints=HINTS, sample_weight=weight)
    same_directions(weighted, clone(model).fit(X[rows], constraints=hints))


@pytest.mark.parametrize(
    "model",
    [
        lw.ASP(3, singletons="all"),
        lw.ASP(3, singletons="none"),
        lw.SCREEN(3),
        lw.SCREEN(2, scatter="cannot"),
        lw.RCA(3, ridge=0.1),
        lw.DCA(2, ridge=0.1),
    ],
    ids=repr,
)
@FEW
@given(weight=POSITIVE)
def test_projections_with_groups(model, weight):
    """All copies of a row belong to its group."""
    rows, hints = copies(weight)
    weighted = clone(model).fit(X, constraints=HINTS, sample_weight=weight)
    grouped = CONSTRAINED if isinstance(model, lw.DCA) else TIED  # for DCA a row with a cannot-link is a group
    same_directions(weighted, clone(model).fit(X[rows], constraints=hints | together(weight, rows, grouped)))


@pytest.mark.parametrize("cosine", [False, True])
@FEW
@given(weight=POSITIVE)
def test_points_of_groups(cosine, weight):
    rows = np.repeat(np.arange(N), weight)
    groups = HINTS.groups()
    data = X.copy()
    data[4] = 0.0  # without direction
    few, many = (
        Points(data, groups, cosine=cosine, sample_weight=weight.astype(float)),
        Points(data[rows], groups[rows], cosine=cosine),
    )
    np.testing.assert_allclose(few.weight, many.weight)
    np.testing.assert_allclose(few.take(np.arange(few.n)), many.take(np.arange(few.n)), atol=1e-9)
    centers = X[:3] / np.linalg.norm(X[:3], axis=1)[:, None]
    labels = np.arange(few.n) % 3
    cost = [p.weight @ p.squared_distances(centers)[np.arange(p.n), labels] + p.constant for p in (few, many)]
    assert cost[0] == pytest.approx(cost[1], rel=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        lw.COPKMeans(3, n_init=2, random_state=0),
        lw.PCKMeans(3, must_link="hard", penalty="variance", n_init=2, random_state=0),
    ],
    ids=repr,
)
@FEW
@given(weight=POSITIVE)
def test_clusterers_that_keep_must_links(model, weight):
    """The same fit, to the last draw, as of copies that must be together."""
    rows, hints = copies(weight)
    weighted = clone(model).fit(X, constraints=HINTS, sample_weight=weight)
    copied = clone(model).fit(X[rows], constraints=hints | together(weight, rows, np.arange(N)))
    np.testing.assert_array_equal(weighted.labels_[rows], copied.labels_)
    np.testing.assert_allclose(weighted.cluster_centers_, copied.cluster_centers_, atol=1e-9)
    assert weighted.objective_ == pytest.approx(copied.objective_, rel=1e-9)


FREE = np.ones(N, dtype=int)
FREE[CONSTRAINED] = 0


@pytest.mark.parametrize("metric", ["diagonal", "full"])
@pytest.mark.parametrize("farthest", ["auto", "pair"])
@FEW
@given(weight=POSITIVE)
def test_a_metric_for_each_cluster(metric, farthest, weight):
    """The same fit, to the last draw, as of copies; a row with hints counts once, since copies of it have none."""
    weight = np.where(FREE == 1, weight, 1)
    rows, hints = copies(weight)
    # with closure a row that counts as several would be a group to start from
    model = lw.MPCKMeans(3, metric=metric, farthest=farthest, closure=False, n_init=2, random_state=0)
    weighted = clone(model).fit(X, constraints=HINTS, sample_weight=weight)
    copied = clone(model).fit(X[rows], constraints=hints)
    np.testing.assert_array_equal(weighted.labels_[rows], copied.labels_)
    np.testing.assert_allclose(weighted.cluster_centers_, copied.cluster_centers_, atol=1e-9)
    np.testing.assert_allclose(weighted.metrics_, copied.metrics_, rtol=1e-7)
    assert weighted.objective_ == pytest.approx(copied.objective_, rel=1e-9)
    assert weighted.inertia_ == pytest.approx(copied.inertia_, rel=1e-9)


@FEW
@given(weight=WEIGHTS)
def test_centers_are_weighted_means(weight):
    for model in (lw.PCKMeans(3, n_init=1, tol=0, random_state=0), lw.SphericalKMeans(3, tol=0, random_state=0)):
        hints = HINTS if isinstance(model, lw.PCKMeans) else None
        model.fit(X, constraints=hints, sample_weight=weight)
        assert len(model.labels_) == N
        rows = np.repeat(np.arange(N), weight)
        means, _ = Points(X[rows], cosine=model._cosine).means(model.labels_[rows].astype(int), 3)
        np.testing.assert_allclose(model.cluster_centers_, means, atol=1e-9)


@FEW
@given(weight=POSITIVE)
def test_units_of_penalties(weight):
    rows = np.repeat(np.arange(N), weight)
    for rule in (mean_distance, mean_squared_deviation):
        for data in (X, sparse.csr_array(X)):
            assert rule(data, sample_weight=weight.astype(float)) == pytest.approx(rule(data[rows]), rel=1e-9)


def test_rows_of_weight_zero_get_the_nearest_center():
    weight = np.ones(N)
    weight[:5] = 0
    for model in (lw.PCKMeans(3, random_state=0), lw.MPCKMeans(3, random_state=0)):
        model.fit(X, constraints=HINTS, sample_weight=weight)
        np.testing.assert_array_equal(model.labels_[:5], model.predict(X[:5]))


@pytest.mark.parametrize("model", [lw.SSDR(2), lw.SphericalKMeans(3)], ids=repr)
def test_weights_that_are_none(model):
    for weight, said in (
        (np.zeros(N), "nothing is left|zero"),
        (np.full(N, -1.0), "egative"),
        (np.ones(N - 1), "shape"),
    ):
        with pytest.raises(ValueError, match=said):
            model.fit(X, sample_weight=weight)


def test_more_clusters_than_rows_that_count():
    weight = np.zeros(N)
    weight[:2] = 1
    with pytest.raises(ValueError, match="n_clusters=3 is more than the n_samples=2 rows whose weight is not 0"):
        lw.SphericalKMeans(3).fit(X, sample_weight=weight)
