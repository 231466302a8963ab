"""What hints cost, from written-out pairs and from groups."""

import numpy as np
import pytest

from cases.data import consistent_hints
from likewise import Constraints
from likewise.clustering.kmeans import _penalties as penalties
from likewise.clustering.kmeans._pck import rows_apart
from likewise.clustering.kmeans._penalties import Penalties
from likewise.graphs import cannot_link_graph, must_link_graph


def of_groups(hints, monkeypatch, closed=True):
    """Nothing written out: every statement about a group stays one."""
    monkeypatch.setattr(penalties, "FEW_PAIRS", 0)
    return Penalties(cannot_link_graph(hints, closed=closed), must_link_graph(hints, closed=closed))


@pytest.mark.parametrize("seed", range(5))
def test_pairs_and_groups_cost_the_same(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 40)
    hints = consistent_hints(y, seed=seed, weighted=True)
    pairs, groups = rows_apart(hints, closed=True), of_groups(hints, monkeypatch)
    assert pairs.core.nnz == 0 < groups.core.nnz
    np.testing.assert_array_equal(pairs.rows, groups.rows)
    np.testing.assert_array_equal(pairs.free, groups.free)
    labels = rng.integers(0, 4, 40)
    constrained = labels[pairs.rows]
    np.testing.assert_allclose(pairs.votes(constrained, 4), groups.votes(constrained, 4), atol=1e-12)
    np.testing.assert_allclose(pairs.votes(constrained, 4)[3:9], pairs.votes(constrained, 4, slice(3, 9)), atol=1e-12)
    assert pairs.total(labels) == pytest.approx(groups.total(labels))
    costs = rng.uniform(size=(len(constrained), 4))
    swept = [penalties_.sweep(constrained, costs, 0.1, np.random.RandomState(0)) for penalties_ in (pairs, groups)]
    np.testing.assert_array_equal(swept[0][0], swept[1][0])
    assert swept[0][1] == pytest.approx(swept[1][1])


def test_a_large_group_with_many_small_ones_apart_takes_no_more_than_its_rows(monkeypatch):
    large, small = 2000, 3000
    n = large + small
    must = np.column_stack([np.zeros(large - 1, dtype=int), np.arange(1, large)])
    cannot = np.column_stack([np.arange(small) % large, large + np.arange(small)])
    found = of_groups(Constraints(n, must, cannot), monkeypatch)
    assert found.pairs.nnz + found.factor.nnz + found.core.nnz < 5 * n  # large × small would be 6,000,000
    labels = np.zeros(n, dtype=int)
    assert found.total(labels) == large * small
    labels[large:] = 1
    assert found.total(labels) == 0


def test_hints_are_closed_once():
    hints = consistent_hints(np.arange(30) % 3)
    assert hints.groups() is hints.groups()
    assert hints.closure() is hints.closure()
    with pytest.raises(ValueError, match="read-only"):
        hints.groups()[0] = 5
