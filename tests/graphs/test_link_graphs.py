"""Graphs of hints are those of their pairs written out one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.data import law
from constraints.strategies import hints
from likewise import ConstraintConflictError, Constraints, Partition
from likewise.constraints import _overlap
from likewise.graphs import cannot_link_graph, must_link_graph


def written_out(constraints, kind):
    W = np.zeros((constraints.n_samples,) * 2)
    pairs, weights = getattr(constraints, f"{kind}_link"), getattr(constraints, f"{kind}_weight")
    for (i, j), weight in zip(pairs, weights, strict=True):
        W[i, j] = W[j, i] = weight
    return W


def both(constraints, **how):
    return must_link_graph(constraints, **how), cannot_link_graph(constraints, **how)


@law
@given(hints(max_partitions=3))
def test_closed_must_links(constraints):
    same = Constraints(
        constraints.n_samples,
        constraints.must_link,
        must_weight=constraints.must_weight,
        partitions=[Partition(part.codes, weight=part.weight) for part in constraints.partitions if part.same_within],
    )
    expected = written_out(same.expand(closed=True), "must")
    np.testing.assert_allclose(must_link_graph(same, closed=True).toarray(), expected, atol=1e-12)
    np.testing.assert_allclose(must_link_graph(constraints, closed=True).toarray(), expected, atol=1e-12)


@settings(deadline=None, max_examples=200)
@given(hints(max_partitions=4), st.booleans(), st.sampled_from([0, 3, _overlap.MOST_TERMS]))
def test_overlapping_partitions_are_their_pairs_written_out(constraints, closed, most_terms):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_overlap, "MOST_TERMS", most_terms)
        try:
            pairs = constraints.expand(closed=closed)
        except ConstraintConflictError:
            with pytest.raises(ConstraintConflictError):
                cannot_link_graph(constraints, closed=True)
            return
        for graph, kind in zip(both(constraints, closed=closed), ("must", "cannot"), strict=True):
            np.testing.assert_allclose(graph.toarray(), written_out(pairs, kind), atol=1e-12)


def test_partitions_that_overlap_in_many_ways():
    rng = np.random.default_rng(0)
    for meaning in ((True, False), (False, True), (False, False, True)):
        parts = [Partition(rng.integers(-1, 3, 30), *meaning, weight=rng.uniform(0.5, 2.0)) for _ in range(9)]
        constraints = Constraints(30, partitions=parts)
        pairs = constraints.expand()
        for graph, kind in zip(both(constraints), ("must", "cannot"), strict=True):
            np.testing.assert_allclose(graph.toarray(), written_out(pairs, kind), atol=1e-12)


def test_many_overlapping_partitions_of_many_rows_stay_small():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 60, 20_000)  # rows of a kind are alike in all partitions
    parts = [Partition(rng.integers(0, 3, 60)[kind], weight=w) for w in np.linspace(0.5, 2.0, 12)]
    graph = must_link_graph(Constraints(20_000, partitions=parts))
    assert graph.sparse.nnz + graph.factor.nnz <= 20 * 20_000
    assert graph.core.nnz <= 20 * 60**2
    together = np.max([part.weight * (part.codes == part.codes[0]) for part in parts], axis=0)
    assert graph.row_sums()[0] == pytest.approx(together.sum() - together[0])


def test_too_many_pairs_to_count_once_is_an_error(monkeypatch):
    monkeypatch.setattr(_overlap, "MOST_TERMS", 0)
    monkeypatch.setattr(_overlap, "MOST_PAIRS", 3)
    with pytest.raises(ValueError, match="the overlaps of 1 partitions require expanding more than 3 pairs"):
        cannot_link_graph(Constraints(9, partitions=[Partition(range(9), different_across=True)]))


def with_weight_one(constraints):
    """The same constraints, each with weight 1."""
    return Constraints(
        constraints.n_samples,
        constraints.must_link,
        constraints.cannot_link,
        partitions=[part.with_codes(part.codes, weight=1.0) for part in constraints.partitions],
    )


@law
@given(hints(max_partitions=1).map(with_weight_one))
def test_closed(constraints):
    try:
        pairs = constraints.expand(closed=True)
    except ConstraintConflictError:
        with pytest.raises(ConstraintConflictError):
            cannot_link_graph(constraints, closed=True)
        return
    for graph, kind in zip(both(constraints, closed=True), ("must", "cannot"), strict=True):
        np.testing.assert_allclose(graph.toarray(), written_out(pairs, kind), atol=1e-12)


def test_an_entailed_cannot_link_has_the_weight_of_its_groups_and_a_stated_one_its_own():
    constraints = Constraints(4, [(0, 1)], [(0, 2), (1, 2), (0, 3)], cannot_weight=[0.5, 2.0, 0.7])
    W = cannot_link_graph(constraints, closed=True).toarray()
    assert W[1, 3] == pytest.approx(0.7)
    assert W[1, 2] == pytest.approx(2.0)
    assert W[0, 3] == pytest.approx(0.7)
    assert W[2, 3] == 0.0


@law
@given(st.lists(st.integers(-1, 3), min_size=2, max_size=9))
def test_labels_closed_or_not_say_the_same(codes):
    labels = Constraints.from_labels(codes)
    for graph, closed in zip(both(labels), both(labels, closed=True), strict=True):
        np.testing.assert_allclose(graph.toarray(), closed.toarray(), atol=1e-12)


@law
@given(hints())
def test_no_row_is_linked_to_itself(constraints):
    for graph in both(constraints):
        np.testing.assert_allclose(graph.diagonal(), 0.0, atol=1e-12)


def test_a_block_of_one_row_lends_no_weight():
    doubtful = Partition([0, 1, 1, -1, -1], weight=0.1)
    constraints = Constraints(5, must_link=[(0, 3), (3, 4)], partitions=[doubtful])
    W = must_link_graph(constraints, closed=True).toarray()
    assert W[0, 4] == pytest.approx(1.0)
    assert W[1, 2] == pytest.approx(0.1)


def test_graphs_of_labels_stay_small():
    n = 50_000
    labels = Constraints.from_labels(np.arange(n) % 5)
    for closed in (False, True):
        for graph in both(labels, closed=closed):
            assert graph.sparse.nnz <= n
            assert graph.factor.nnz <= 3 * n
    assert must_link_graph(labels).row_sums()[0] == pytest.approx(n / 5 - 1)
    assert cannot_link_graph(labels).row_sums()[0] == pytest.approx(4 * n / 5)


def test_without_hints_there_are_no_edges():
    for closed in (False, True):
        for graph in both(Constraints(3), closed=closed):
            np.testing.assert_array_equal(graph.toarray(), np.zeros((3, 3)))
