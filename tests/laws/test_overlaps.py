"""A pair counts once, with its largest weight, however often and in whatever form it is stated."""

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import likewise as lw
from cases.data import blobs
from constraints.strategies import hints, partitions
from likewise import Constraints, Partition
from likewise.constraints import _overlap
from likewise.evaluation import constraint_accuracy
from likewise.metric._terms import cannot_link_pairs, must_link_pairs

X, Y = blobs(30, 3, seed=2)
LABELS = Partition(np.where(np.arange(30) % 2 == 0, Y, -1), different_across=True, weight=0.5)
KEYS = Partition(np.where(np.arange(30) % 3 == 0, Y, -1))
DIFFERENT = Partition(np.where(np.arange(30) % 5 == 0, Y, -1), same_within=False, different_across=True)
CERTAIN = [part.with_codes(part.codes, weight=1.0) for part in (LABELS, KEYS, DIFFERENT)]


def overlapping(parts):
    same = [(i, j) for i, j in [(0, 6), (1, 4), (2, 5)] if Y[i] == Y[j]]
    return Constraints(30, must_link=same, partitions=parts)


@pytest.fixture(params=[0, _overlap.MOST_TERMS], ids=["row by row", "block by block"])
def both_ways(request, monkeypatch):
    monkeypatch.setattr(_overlap, "MOST_TERMS", request.param)


either_way = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@either_way
@given(constraints=hints(max_partitions=4))
def test_counts_are_those_of_the_pairs_written_out(both_ways, constraints):
    pairs = constraints.expand()
    assert constraints.n_must_link == len(pairs.must_link) == pairs.n_must_link
    assert constraints.n_cannot_link == len(pairs.cannot_link) == pairs.n_cannot_link
    assert constraints.is_empty == pairs.is_empty


@either_way
@given(constraints=hints(max_partitions=4), data=st.data())
def test_accuracy_is_that_of_the_pairs_written_out(both_ways, constraints, data):
    n = constraints.n_samples
    labels = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    if not constraints.is_empty:
        expected = constraint_accuracy(labels, constraints.expand())
        assert constraint_accuracy(labels, constraints) == pytest.approx(expected)


@either_way
@given(constraints=hints(max_partitions=4), data=st.data())
def test_pairs_in_one_block_of_a_partition_that_leaves_rows_out(both_ways, constraints, data):
    n = constraints.n_samples
    codes = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)))
    implied = Constraints(n, partitions=constraints.partitions)
    pairs = implied.expand()
    for kind, written in (("must", pairs.must_link), ("cannot", pairs.cannot_link)):
        ends = codes[written]
        found = sum(links.n_within(codes) for _, links in _overlap.links_once(implied.partitions, kind))
        assert found == ((ends[:, 0] == ends[:, 1]) & (ends[:, 0] >= 0)).sum()


@either_way
@given(constraints=hints(max_partitions=4))
@example(constraints=Constraints(2, [(0, 1)], must_weight=[0.25], partitions=[Partition([0, 0], weight=0.1)]))
def test_weights_are_those_of_the_pairs_written_out(both_ways, constraints):
    pairs = constraints.expand()
    assert set(_overlap.pair_weights(constraints, "must")) == set(pairs.must_weight)
    assert set(_overlap.pair_weights(constraints, "cannot")) == set(pairs.cannot_weight)


@given(hints(max_partitions=3))
def test_one_kind_alone(constraints):
    pairs = constraints.expand()
    for kind in ("must", "cannot"):
        assert constraints.only(kind).expand() == pairs.only(kind)
    assert constraints.only("must").n_cannot_link == constraints.only("cannot").n_must_link == 0
    assert (pairs.only("must") | pairs.only("cannot")) == pairs


@settings(max_examples=50)
@given(st.integers(8, 20).flatmap(lambda n: st.lists(partitions(n), min_size=1, max_size=3)))
def test_sampled_pairs_stand_for_each_pair_once(parts):
    """Beyond the limit a sample stands for the pairs; with one of every pair in it, it is the pairs."""
    constraints = Constraints(parts[0].n_samples, partitions=parts)
    pairs = constraints.expand()
    implied = sum(part.n_cannot_link for part in parts)
    if len(pairs.cannot_link):
        found, weights = cannot_link_pairs(constraints, implied - 1)
        ordered = {tuple(sorted(pair)): weight for pair, weight in zip(found.tolist(), weights, strict=True)}
        assert len(ordered) == len(found)  # none is drawn twice
        assert set(ordered) <= {tuple(pair) for pair in pairs.cannot_link.tolist()}
    must, must_weight = must_link_pairs(constraints, 10_000)
    np.testing.assert_array_equal(must, pairs.must_link)
    np.testing.assert_array_equal(must_weight, pairs.must_weight)


CLUSTERERS = [
    (lw.PCKMeans(3, random_state=0), [LABELS, KEYS, DIFFERENT]),
    (lw.PCKMeans(3, random_state=0, must_link="hard"), CERTAIN),
    (lw.PCKMeans(3, random_state=0, closure=True), [LABELS, KEYS, DIFFERENT]),
    (lw.MPCKMeans(3, random_state=0), [LABELS, KEYS, DIFFERENT]),
    (lw.COPKMeans(3, random_state=0), CERTAIN),
    (lw.ConstrainedNormalizedCut(3, random_state=0), [LABELS, KEYS, DIFFERENT]),
]


@pytest.mark.parametrize(("method", "parts"), CLUSTERERS, ids=lambda case: repr(case)[:40])
def test_clusterings(method, parts):
    constraints = overlapping(parts)
    found = method.fit(X, constraints=constraints)
    labels, objective = found.labels_, getattr(found, "objective_", 0.0)
    written = method.fit(X, constraints=constraints.expand())
    np.testing.assert_array_equal(labels, written.labels_)
    assert objective == pytest.approx(getattr(written, "objective_", 0.0))


@pytest.mark.parametrize("kind", ["diagonal", "full"])
def test_metrics(kind):
    constraints = overlapping([LABELS, KEYS, DIFFERENT])
    metric = lw.XingMetric(kind=kind)
    found = metric.fit(X, constraints=constraints).transform(X)
    np.testing.assert_allclose(
        found, metric.fit(X, constraints=constraints.expand()).transform(X), rtol=1e-5, atol=1e-8
    )


def test_weights_that_no_pair_has_are_not_refused():
    doubtful = Partition(KEYS.codes, weight=0.5)  # every pair of it is in the certain one, too
    constraints = Constraints(30, partitions=[doubtful, Partition(np.where(KEYS.codes >= 0, KEYS.codes, 5))])
    lw.COPKMeans(8, random_state=0).fit(X, constraints=constraints)
    with pytest.raises(ValueError, match=r"weight 0\.5"):
        lw.COPKMeans(8).fit(X, constraints=Constraints(30, partitions=[doubtful]))
