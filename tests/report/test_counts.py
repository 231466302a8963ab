"""Hints counted by cluster, against the same written out pair by pair."""

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


def slowly(labels, hints):
    """Every pair that every hint speaks of, one at a time."""
    same, different = np.zeros((3, 3), dtype=int), np.zeros((3, 3), dtype=int)
    said = [(same, pair) for pair in hints.must_link.tolist()]
    said += [(different, pair) for pair in hints.cannot_link.tolist()]
    for partition in hints.partitions:
        for i in range(ROWS):
            for j in range(i + 1, ROWS):
                if min(partition.codes[i], partition.codes[j]) >= 0:
                    inside = bool(partition.codes[i] == partition.codes[j])
                    said += [(same, (i, j))] * (partition.same_within and inside)
                    said += [(different, (i, j))] * (partition.different_within and inside)
                    said += [(different, (i, j))] * (partition.different_across and not inside)
    for counts, (i, j) in said:
        counts[labels[i], labels[j]] += 1
        if labels[i] != labels[j]:
            counts[labels[j], labels[i]] += 1
    return same, different


@given(LABELS, PAIRS, PAIRS, CODES, MEANINGS)
def test_counts_are_those_of_all_pairs(labels, must, cannot, codes, meaning):
    hints = Constraints(ROWS, must, cannot, partitions=[Partition(codes, *meaning)])
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
