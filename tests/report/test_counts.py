"""Hints counted by cluster, against the same written out pair by pair."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise import Constraints, Partition
from likewise.evaluation import constraint_accuracy
from likewise.report._counts import PairCounts

ROWS = 9
PAIRS = st.lists(
    st.tuples(st.integers(0, ROWS - 1), st.integers(0, ROWS - 1)).filter(lambda p: p[0] < p[1]), max_size=8
)
CODES = st.lists(st.integers(-1, 3), min_size=ROWS, max_size=ROWS)
MEANINGS = st.sampled_from([(True, False, False), (True, True, False), (False, False, True), (False, True, True)])
LABELS = st.lists(st.integers(0, 2), min_size=ROWS, max_size=ROWS)


def slowly(labels, constraints):
    """Every pair that is stated or implied, one at a time, each once."""
    same = set(map(tuple, constraints.must_link.tolist()))
    different = set(map(tuple, constraints.cannot_link.tolist()))
    for partition in constraints.partitions:
        for i, j in itertools.combinations(range(ROWS), 2):
            if min(partition.codes[i], partition.codes[j]) >= 0:
                inside = partition.codes[i] == partition.codes[j]
                if inside and partition.same_within:
                    same.add((i, j))
                if partition.different_within if inside else partition.different_across:
                    different.add((i, j))
    return counted(labels, same), counted(labels, different)


def counted(labels, pairs):
    counts = np.zeros((3, 3), dtype=int)
    for i, j in pairs:
        counts[labels[i], labels[j]] += 1
        if labels[i] != labels[j]:
            counts[labels[j], labels[i]] += 1
    return counts


@given(LABELS, PAIRS, PAIRS, st.lists(st.tuples(CODES, MEANINGS), min_size=1, max_size=2))
def test_counts_are_those_of_all_pairs(labels, must, cannot, partitions):
    hints = Constraints(ROWS, must, cannot, partitions=[Partition(codes, *meaning) for codes, meaning in partitions])
    counts = PairCounts.of(labels, hints, 3)
    same, different = slowly(labels, hints)
    np.testing.assert_array_equal(counts.same, same)
    np.testing.assert_array_equal(counts.different, different)
    assert (counts.n_same, counts.n_different) == (hints.n_must_link, hints.n_cannot_link)
    if not hints.is_empty:
        kept = (counts.same_kept + counts.different_kept) / (counts.n_same + counts.n_different)
        assert kept == pytest.approx(constraint_accuracy(labels, hints))
    np.testing.assert_array_equal(counts.kept + counts.broken, counts.same + counts.different)


def test_labels_of_other_rows_are_refused():
    with pytest.raises(ValueError, match="built for 9 rows, labels has 2"):
        PairCounts.of([0, 1], Constraints(9), 2)
