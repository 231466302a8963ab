"""Hints that members see: those of rows that are not hidden, and pairs that they imply."""

import numpy as np
import pytest

from likewise.constraints import Comparisons, Constraints, Partition
from likewise.front import _folds as folding
from likewise.front._folds import drop_rows, random_pairs, seen_constraints


def test_hints_keep_their_weights_when_rows_are_hidden():
    hints = Constraints(6, [(0, 1), (2, 3)], [(0, 2), (3, 4)], must_weight=[0.5, 0.25], cannot_weight=[0.75, 0.1])
    hints |= Constraints(6, partitions=[Partition([0, 0, 0, 1, 1, -1])])
    hints |= Comparisons(6, nearer=[(0, 1, 2), (3, 4, 5)])
    left = drop_rows(hints, np.arange(6) == 0)
    assert (left.must_link.tolist(), left.must_weight.tolist()) == ([[2, 3]], [0.25])
    assert (left.cannot_link.tolist(), left.cannot_weight.tolist()) == ([[3, 4]], [0.1])
    assert left.partitions[0].codes[0] == -1
    assert (left.partitions[0].codes[1:] >= 0).tolist() == [True, True, True, True, False]
    assert left.comparisons.near.tolist() == [[3, 4]]


def test_rows_of_groups_that_differ_learn_of_two_rows_of_other_groups():
    hints = Constraints(20, [(0, 1), (1, 2), (3, 4), (5, 6)], [(0, 3), (3, 5)], cannot_weight=[0.5, 0.25])
    hidden = np.isin(np.arange(20), [2, 5, 6])  # a whole group is hidden
    seen = seen_constraints(hints, hidden, np.random.RandomState(0), closed=True)
    pairs = {tuple(pair): weight for pair, weight in zip(seen.cannot_link.tolist(), seen.cannot_weight, strict=True)}
    assert set(pairs) <= {(i, j) for i in (0, 1) for j in (3, 4)}
    assert set(pairs.values()) == {0.5}
    assert {row for pair in pairs for row in pair} == {0, 1, 3, 4}  # each row has two partners, if not the same twice
    many = Constraints.from_labels(np.arange(20) % 2)
    seen = seen_constraints(many, np.zeros(20, dtype=bool), np.random.RandomState(0), closed=True)
    apart = seen.cannot_link
    assert (apart[:, 0] % 2 != apart[:, 1] % 2).all()
    assert 20 < len(apart) <= 2 * 20
    assert not seen.must_link.size or (seen.must_link[:, 0] % 2 == seen.must_link[:, 1] % 2).all()


@pytest.mark.parametrize(("limit", "n_pairs"), [(3, 3), (2, 0)])
def test_of_too_many_groups_that_differ_no_pairs_are_written_out(monkeypatch, limit, n_pairs):
    monkeypatch.setattr(folding, "MAX_PAIRS", limit)
    triangle = Constraints(9, cannot_link=[(0, 1), (1, 2), (0, 2)])
    rows = np.arange(3)
    between = triangle.closure().between
    groups = triangle.closure().groups[rows]
    size = np.bincount(groups, minlength=triangle.closure().n_groups)
    order = np.argsort(groups, kind="stable")
    first = np.cumsum(size) - size
    found, weight = folding._entailed_cannot_links(
        between, rows[order], groups[order], first, size, np.random.RandomState(0)
    )
    assert len(found) == len(weight) == (6 if n_pairs else 0)
    assert found.shape[1] == 2


def test_random_pairs_are_all_equally_likely():
    pairs = random_pairs(4, 12_000, np.random.RandomState(0))
    counts = np.unique(pairs, axis=0, return_counts=True)[1]
    assert len(counts) == 12
    assert abs(counts - 1_000).max() < 150


def test_of_many_sets_of_labels_two_rows_of_each_are_left(monkeypatch):
    monkeypatch.setattr(folding, "MAX_PAIRS", 4)
    sets = [Partition(np.arange(30) % k, different_across=True) for k in (3, 4, 5)]
    found = folding._sampled(Constraints(30, [(0, 1)], partitions=sets), np.random.RandomState(0))
    assert [int((partition.codes >= 0).sum()) for partition in found.partitions] == [2, 2, 2]
    assert found.must_link.tolist() == [[0, 1]]
