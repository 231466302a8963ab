"""PCK-means against a slow direct version, and what it promises."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from cases.data import blobs, consistent_hints, partial_labels
from clustering.slow_kmeans import broken, pair_lists, slow_pck
from constraints.strategies import hints as any_hints
from likewise import Constraints, Partition
from likewise.clustering import COPKMeans, MPCKMeans, PCKMeans
from likewise.clustering.kmeans._lloyd import lloyd
from likewise.clustering.kmeans._pck import groups_apart, penalized, rows_apart
from likewise.clustering.kmeans._points import Points
from likewise.clustering.kmeans._scale import mean_distance, mean_squared_deviation
from likewise.clustering.kmeans._seeding import farthest_first


def never_rises(history):
    return all(later <= earlier + 1e-9 * abs(earlier) for earlier, later in pairwise(history))


def some_hints(kind, y):
    if kind == "labels":
        return Constraints.from_labels(partial_labels(y))
    if kind == "frames":
        codes = np.where(np.arange(len(y)) < 18, np.arange(len(y)) // 3, -1)
        return Constraints(
            len(y),
            must_link=[(0, 20)],
            partitions=[Partition(codes, same_within=False, different_within=True, weight=0.5)],
        )
    return consistent_hints(y, weighted=kind == "weights")


@pytest.mark.parametrize("kind", ["pairs", "weights", "labels", "frames"])
@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("penalty", [0.5, 20.0])
def test_same_start_gives_the_slow_objective_at_every_iteration(kind, closed, penalty):
    X, y = blobs(36, 4, seed=3)
    constraints = some_hints(kind, y)
    points, penalties = Points(X), rows_apart(constraints, closed=closed)
    start = X[[0, 4, 8]]
    assign = penalized(points, penalties, penalty, np.random.RandomState(5))
    run = lloyd(points, start, assign, max_iter=30, tol=0.0, free=penalties.free)
    hints = pair_lists(constraints.expand(closed=closed))
    direct = slow_pck(X, start, hints, penalty, np.random.RandomState(5), run.n_iter)
    np.testing.assert_allclose(run.history, direct, rtol=1e-9)
    assert never_rises(run.history)


@settings(max_examples=60, deadline=None)
@given(any_hints(n=8), st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_violated_weight_is_that_of_the_expanded_pairs(constraints, labels):
    penalties = rows_apart(constraints, closed=False)
    written = pair_lists(constraints.expand())
    total = penalties.total(np.array(labels))
    # Of a pair said twice RowMatrix adds what partitions say, and pairs raise it: compare where none overlaps.
    if constraints.n_must_link + constraints.n_cannot_link == len(written):
        assert total == pytest.approx(broken(written, labels), abs=1e-9)
    else:
        assert total >= broken(written, labels) - 1e-9


@pytest.mark.parametrize("kind", ["pairs", "labels"])
def test_objective_is_inertia_and_penalty_on_rows(kind):
    X, y = blobs(50, 5, seed=2)
    constraints = some_hints(kind, y)
    written = pair_lists(constraints.expand(closed=True))
    for must_link in ("soft", "hard"):
        model = PCKMeans(3, penalty=3.0, must_link=must_link, random_state=0, tol=0).fit(X, constraints=constraints)
        inertia = np.sum((X - model.cluster_centers_[model.labels_]) ** 2)
        assert model.inertia_ == pytest.approx(inertia)
        assert model.objective_ == pytest.approx(inertia + 3.0 * broken(written, model.labels_))
        assert never_rises(model.history_)


def test_groups_as_one_is_weighted_kmeans_on_their_means():
    X, y = blobs(40, 4)
    groups = consistent_hints(y, 15, 1).groups()
    whole, points = Points(X), Points(X, groups)
    for seed in range(5):
        centers = np.random.default_rng(seed).normal(size=(3, 4))
        labels = np.random.default_rng(seed).integers(3, size=points.n)
        on_rows = whole.squared_distances(centers)[np.arange(40), labels[groups]].sum()
        on_groups = points.weight @ points.squared_distances(centers)[np.arange(points.n), labels]
        assert on_rows == pytest.approx(on_groups + points.constant)


def test_hard_must_links_hold_whatever_they_cost_and_into_cluster_zero():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 50])
    hints = Constraints(40, must_link=[(i, 39 - i) for i in range(5)])
    model = PCKMeans(4, must_link="hard", random_state=0).fit(X, constraints=hints)
    assert (model.labels_[hints.must_link[:, 0]] == model.labels_[hints.must_link[:, 1]]).all()
    swapped = {0: X[:, 0] < 25, 1: X[:, 0] > 25}
    for cluster, side in swapped.items():
        start = np.array([X[side].mean(0), X[~side].mean(0)])
        points = Points(X)
        hints = Constraints(40, must_link=[(int(np.flatnonzero(side)[0]), int(np.flatnonzero(~side)[0]))])
        penalties = rows_apart(hints, closed=True)
        run = lloyd(points, start, penalized(points, penalties, 1e6, np.random.RandomState(cluster)), max_iter=9, tol=0)
        assert run.labels[hints.must_link[0, 0]] == run.labels[hints.must_link[0, 1]]


def test_weights_count():
    X = np.array([[0.0], [0.1], [1.0], [1.1]])
    weak = Constraints(4, must_link=[(1, 2)], must_weight=[0.1])
    strong = Constraints(4, must_link=[(1, 2)], must_weight=[10.0])
    apart = PCKMeans(2, penalty=1.0, random_state=0).fit(X, constraints=weak).labels_
    together = PCKMeans(2, penalty=1.0, random_state=0).fit(X, constraints=strong).labels_
    assert apart[1] != apart[2]
    assert together[1] == together[2]
    with pytest.raises(ValueError, match=r"must_link='hard' takes every must-link as certain, but one has weight 0.1"):
        PCKMeans(2, must_link="hard").fit(X, constraints=weak)


def test_no_hints_is_kmeans():
    X, _ = blobs(60)
    model = PCKMeans(3, random_state=0, tol=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.objective_ == pytest.approx(model.inertia_)
    assert len(set(model.labels_)) == 3


def test_contradictions_need_closure_off():
    X, _ = blobs(20)
    hints = Constraints(20, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    with pytest.raises(ValueError, match="contradict"):
        PCKMeans(3).fit(X, constraints=hints)
    PCKMeans(3, closure=False, random_state=0).fit(X, constraints=hints)


def test_a_chain_of_5000():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5001, 2))
    hints = Constraints(5001, must_link=np.column_stack([np.arange(5000), np.arange(1, 5001)]))
    model = PCKMeans(2, must_link="hard", n_init=1, random_state=0).fit(X, constraints=hints)
    assert len(set(model.labels_)) == 1
    soft = PCKMeans(2, n_init=1, random_state=0).fit(X, constraints=hints)
    assert len(set(soft.labels_)) == 1


def test_the_published_penalty_is_the_mean_distance():
    X, y = blobs(30)
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    assert mean_distance(X) == pytest.approx(distances[np.triu_indices(30, 1)].mean())
    assert mean_distance(sparse.csr_array(X)) == pytest.approx(mean_distance(X))
    model = PCKMeans.as_published(3, random_state=0).fit(X, constraints=consistent_hints(y))
    assert model.penalty_ == pytest.approx(mean_distance(X))
    assert mean_squared_deviation(X) == pytest.approx((distances**2).sum() / (2 * 30 * 30))
    many = np.random.default_rng(0).normal(size=(4000, 2))
    assert mean_distance(many) == pytest.approx(np.sqrt(np.pi), rel=0.03)


def test_farthest_first_takes_large_groups_that_lie_apart():
    X = np.concatenate([np.zeros((4, 1)), np.full((2, 1), 1.0), np.full((2, 1), 10.0), np.full((1, 1), 99.0)])
    groups = np.array([0, 0, 0, 0, 1, 1, 2, 2, 3])
    centers = farthest_first(Points(X), groups, 2, np.random.RandomState(0))
    assert centers.ravel().tolist() == [0.0, 10.0]
    filled = farthest_first(Points(X), groups, 4, np.random.RandomState(0))
    assert filled.ravel().tolist() == [0.0, 1.0, 10.0, 99.0]


@pytest.mark.parametrize("labeled", [0, 5])
def test_closed_groups_are_penalized_for_every_pair_of_rows(labeled):
    _, y = blobs(30)
    hints = consistent_hints(y, 10, 6) | Constraints.from_labels(np.where(np.arange(30) < labeled, y, -1))
    assert bool(hints.closure().between.partitions) == (labeled > 0)
    labels = np.random.default_rng(0).integers(2, size=groups_apart(hints, closed=True).free.size)
    groups = hints.groups()
    on_rows = broken([hint for hint in pair_lists(hints.expand(closed=True)) if hint[0] == "cannot"], labels[groups])
    assert groups_apart(hints, closed=True).total(labels) == pytest.approx(on_rows)


@pytest.mark.parametrize(
    "model", [PCKMeans(3, random_state=0), COPKMeans(3, random_state=0), MPCKMeans(3, random_state=0)]
)
def test_data_far_from_the_origin_lose_no_digits(model):
    rows, y = blobs(60)
    hints = consistent_hints(y)
    for X, shift in ((rows, 1e7), (rows.astype(np.float32), 1e3)):
        near = clone(model).fit(X, constraints=hints)
        far = clone(model).fit(X + X.dtype.type(shift), constraints=hints)
        # several starts come to the same clusters, and rounding decides which of them is the best
        one, other = (np.argsort(each.cluster_centers_[:, 0]) for each in (near, far))
        number = np.empty(3, dtype=int)
        number[other] = one
        np.testing.assert_array_equal(near.labels_, number[far.labels_])
        np.testing.assert_allclose(far.cluster_centers_[other] - shift, near.cluster_centers_[one], atol=1e-3)
        np.testing.assert_array_equal(number[far.predict(X + X.dtype.type(shift))], near.predict(X))
        assert far.objective_ == pytest.approx(near.objective_, rel=1e-4)
