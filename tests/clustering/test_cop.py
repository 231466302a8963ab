"""COP-means: every hint holds, and what it says when that cannot be."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.data import blobs, consistent_hints, partial_labels
from likewise import ConstraintConflictError, Constraints, Partition
from likewise.clustering import COPKMeans, PlacementError
from likewise.clustering.kmeans._coloring import Placer, TwoSides
from likewise.clustering.kmeans._cop import _two_sides
from likewise.clustering.kmeans._penalties import Penalties
from likewise.clustering.kmeans._points import Points
from likewise.graphs import cannot_link_graph


def holds(hints, labels):
    written = hints.expand()
    must, cannot = written.must_link, written.cannot_link
    return (labels[must[:, 0]] == labels[must[:, 1]]).all() and (labels[cannot[:, 0]] != labels[cannot[:, 1]]).all()


@st.composite
def hidden(draw):
    """Hints that a hidden labeling keeps, and how many clusters it has."""
    n, k = draw(st.integers(6, 30)), draw(st.integers(2, 5))
    y = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    rows = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] != pair[1])
    pairs = np.array(draw(st.lists(rows, max_size=40)), dtype=int).reshape(-1, 2)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    known = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    meaning = draw(st.sampled_from([None, (True, True, False), (False, True, False)]))
    partitions = [] if meaning is None else [Partition(np.where(known, y, -1), *meaning)]
    if draw(st.booleans()):  # rows of one frame are in different clusters
        frames = np.full(n, -1)
        for h in range(k):
            members = np.flatnonzero(y == h)
            frames[members] = np.arange(len(members))
        partitions.append(Partition(frames, same_within=False, different_within=True))
    return Constraints(n, pairs[same], pairs[~same], partitions=partitions), k


@settings(max_examples=80, deadline=None)
@given(hidden(), st.integers(0, 3))
def test_hints_of_a_hidden_labeling_always_hold(case, seed):
    hints, k = case
    X = np.random.default_rng(seed).normal(size=(hints.n_samples, 2))
    model = COPKMeans(k, n_init=2, random_state=seed).fit(X, constraints=hints)
    assert holds(hints, model.labels_)
    assert set(model.labels_) <= set(range(k))
    assert (np.diff(model.history_) <= 1e-9).all()


def brute_force(X, hints, centers):
    """The best labels for given centers among all that keep the hints."""
    k, n = len(centers), len(X)
    distances = ((X[:, None] - centers) ** 2).sum(2)
    every = np.array(np.unravel_index(np.arange(k**n), (k,) * n)).T
    allowed = [labels for labels in every if holds(hints, labels)]
    return min(distances[np.arange(n), labels].sum() for labels in allowed)


@pytest.mark.parametrize("seed", range(5))
def test_two_clusters_are_exact(seed):
    X, y = blobs(9, 2, seed=seed, n_groups=2)
    hints = consistent_hints(y, 2, 5, seed=seed)
    closure = hints.closure()
    apart = Penalties(cannot_link_graph(closure.between))
    centers = np.random.default_rng(seed).normal(size=(2, 2))
    points = Points(X, closure.groups)
    labels, objective = _two_sides(points, apart, TwoSides(closure, apart))(centers, None)
    assert holds(hints, labels[closure.groups])
    assert objective == pytest.approx(brute_force(X, hints, centers))


def test_objective_is_that_of_the_rows():
    X, y = blobs(60, 4)
    hints = consistent_hints(y, 20, 20)
    model = COPKMeans(3, random_state=0).fit(X, constraints=hints)
    assert model.objective_ == pytest.approx(((X - model.cluster_centers_[model.labels_]) ** 2).sum())
    assert model.inertia_ == model.objective_


def test_no_hints_is_kmeans():
    X, _ = blobs(60)
    model = COPKMeans(3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("k", [3, 5])
def test_a_partition_is_its_pairs(k):
    X, y = blobs(50, 4)
    labels = Constraints.from_labels(partial_labels(y))
    first = COPKMeans(k, random_state=0).fit(X, constraints=labels)
    second = COPKMeans(k, random_state=0).fit(X, constraints=labels.expand())
    assert first.objective_ == pytest.approx(second.objective_)
    assert holds(labels, second.labels_)
    np.testing.assert_array_equal(COPKMeans(k, random_state=0).fit(X, partial_labels(y)).labels_, first.labels_)


def test_many_labels_stay_small():
    X, y = blobs(20_000, 2)
    model = COPKMeans(3, n_init=1, random_state=0).fit(X, y)
    assert len(set(zip(y.tolist(), model.labels_.tolist(), strict=True))) == 3
    apart_only = Constraints(20_000, partitions=[Partition(y, same_within=False, different_across=True)])
    model = COPKMeans(4, n_init=1, random_state=0).fit(X, constraints=apart_only)
    assert len(set(zip(y.tolist(), model.labels_.tolist(), strict=True))) in (3, 4)


def test_must_links_into_every_cluster_hold():
    X = np.concatenate([np.zeros((5, 1)), np.full((5, 1), 10.0), np.full((5, 1), 20.0)]) + np.arange(15)[:, None] * 0.01
    hints = Constraints(15, must_link=[(0, 5), (1, 10), (6, 11)])
    for seed in range(6):
        assert holds(hints, COPKMeans(3, n_init=1, random_state=seed).fit(X, constraints=hints).labels_)


def test_a_chain_of_5000():
    X = np.random.default_rng(0).normal(size=(5002, 2))
    chain = np.column_stack([np.arange(5000), np.arange(1, 5001)])
    for k in (2, 3):
        hints = Constraints(5002, must_link=chain, cannot_link=[(0, 5001)])
        labels = COPKMeans(k, n_init=1, random_state=0).fit(X, constraints=hints).labels_
        assert holds(hints, labels)
        long = Constraints(5002, cannot_link=chain)
        assert holds(long, COPKMeans(k, n_init=1, random_state=0).fit(X, constraints=long).labels_)


def test_contradictory_hints_are_named():
    hints = Constraints(9, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    with pytest.raises(ConstraintConflictError, match=r"rows 0 and 2 are linked by 0–1–2, but cannot_link\[0\]"):
        COPKMeans(3).fit(np.eye(9), constraints=hints)


def test_a_clique_is_named():
    hints = Constraints(9, cannot_link=[(i, j) for i in range(4) for j in range(i)])
    with pytest.raises(ConstraintConflictError, match=r"rows 0, 1, 2, 3 are all different .* at least 4") as caught:
        COPKMeans(3).fit(np.eye(9), constraints=hints)
    assert caught.value.clique == (0, 1, 2, 3)


def test_an_odd_cycle_is_named():
    hints = Constraints(9, must_link=[(4, 5)], cannot_link=[(0, 1), (1, 2), (2, 3), (3, 4), (5, 0), (7, 8)])
    with pytest.raises(PlacementError, match=r"no labeling with 2 clusters .* odd cycle") as caught:
        COPKMeans(2).fit(np.eye(9), constraints=hints)
    assert sorted(caught.value.rows) == [0, 1, 2, 3, 4]
    assert caught.value.proven
    COPKMeans(3).fit(np.eye(9), constraints=hints)


def wheel(spokes):
    """An odd wheel needs four clusters and has no clique of four."""
    rim = [(i, (i + 1) % spokes) for i in range(spokes)]
    return Constraints(
        spokes + 3, must_link=[(spokes, spokes + 1)], cannot_link=rim + [(i, spokes) for i in range(spokes)]
    )


def test_an_exhausted_search_is_a_proof():
    with pytest.raises(PlacementError, match=r"could not be placed: each of the 3 .* All possibilities") as caught:
        COPKMeans(3).fit(np.eye(8), constraints=wheel(5))
    assert caught.value.proven
    assert caught.value.rows
    COPKMeans(4).fit(np.eye(8), constraints=wheel(5))


def test_giving_up_says_so_and_names_the_rows():
    with pytest.raises(PlacementError, match=r"backtracked 1 times .* all of 2 initializations") as caught:
        COPKMeans(3, max_steps=1, n_init=2, random_state=0).fit(np.eye(18), constraints=wheel(15))
    assert not caught.value.proven
    assert caught.value.rows
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.rows, again.proven, str(again)) == (caught.value.rows, False, str(caught.value))


def test_backtracking_finds_what_near_clusters_block():
    # Nearest first paints 0 and 3 alike, which leaves 4 without a cluster: only stepping back helps.
    hints = Constraints(6, cannot_link=[(0, 1), (1, 2), (0, 2), (1, 3), (2, 3), (3, 4), (4, 5), (0, 5), (2, 5), (1, 4)])
    closure = hints.closure()
    apart = Penalties(cannot_link_graph(closure.between))
    for seed in range(20):
        costs = np.random.default_rng(seed).uniform(size=(6, 3))
        constrained = Placer(closure, apart, 3, 100).place(costs, np.random.RandomState(seed))
        assert holds(hints, constrained)


def test_a_planted_coloring_is_found():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=120)
    hints = consistent_hints(y, 20, 260, seed=1)
    X = rng.normal(size=(120, 3))
    assert holds(hints, COPKMeans(3, n_init=2, random_state=0).fit(X, constraints=hints).labels_)


def test_weights_are_refused():
    hints = Constraints(9, must_link=[(0, 1)], must_weight=[0.5])
    with pytest.raises(ValueError, match=r"COPKMeans takes every hint as certain, .* one has weight 0.5"):
        COPKMeans(3).fit(np.eye(9), constraints=hints)


def test_labels_with_too_many_classes_only_say_same():
    X, y = blobs(30)
    with pytest.warns(UserWarning, match="y has 3 classes, more than n_clusters=2"):
        model = COPKMeans(2, random_state=0).fit(X, y)
    assert all(len(set(model.labels_[y == h])) == 1 for h in range(3))
    with pytest.raises(ConstraintConflictError, match="all different"):
        COPKMeans(2).fit(X, constraints=Constraints.from_labels(y))


def slow_hard_sweep(constrained, costs, cannot, rng):
    """Groups in random order, each to the cheapest cluster that holds none it must be apart from."""
    constrained = constrained.copy()

    def best(i):
        taken = {constrained[j] for a, b in cannot for i_, j in ((a, b), (b, a)) if i_ == i}
        return min((c for c in range(costs.shape[1]) if c not in taken), key=lambda c: costs[i, c])

    misplaced = [i for i in range(len(constrained)) if costs[i, best(i)] < costs[i, constrained[i]]]
    for i in rng.permutation(misplaced).tolist() if misplaced else []:
        if costs[i, best(i)] < costs[i, constrained[i]]:
            constrained[i] = best(i)
    return constrained


@pytest.mark.parametrize("seed", range(5))
def test_moves_are_those_of_the_slow_sweep(seed):
    y = np.arange(20) % 4
    hints = consistent_hints(y, 1, 60, seed=seed)
    hints = Constraints(20, cannot_link=hints.cannot_link)
    apart = Penalties(cannot_link_graph(hints))
    rng = np.random.default_rng(seed)
    rows = apart.rows
    costs = rng.uniform(size=(len(rows), 4))
    cannot = np.searchsorted(rows, hints.cannot_link).tolist()
    constrained = y[rows]
    for step in range(4):
        expected = slow_hard_sweep(constrained, costs, cannot, np.random.RandomState(step))
        constrained, violated = apart.sweep(constrained, costs, np.inf, np.random.RandomState(step))
        np.testing.assert_array_equal(constrained, expected)
        assert violated == 0
