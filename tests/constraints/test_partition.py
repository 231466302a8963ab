import copy
import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.strategies import partitions, slow_partition
from likewise.constraints import Partition
from likewise.constraints._partition import pairs_across, pairs_within


@given(st.integers(0, 9).flatmap(partitions))
def test_counts_and_touched_follow_the_pairs_it_implies(partition):
    must, cannot = slow_partition(partition)
    assert (partition.n_must_link, partition.n_cannot_link) == (len(must), len(cannot))
    touched = {row for pair in must | cannot for row in pair}
    assert set(np.flatnonzero(partition.constrained_rows()).tolist()) == touched


@given(st.lists(st.integers(-1, 4), max_size=9))
def test_written_out_pairs_are_all_pairs_of_known_rows(codes):
    codes = np.array(codes, dtype=np.int64)
    within = {tuple(sorted(pair)) for pair in pairs_within(codes).tolist()}
    across = {tuple(sorted(pair)) for pair in pairs_across(codes).tolist()}
    assert (within, across) == slow_partition(Partition(codes, different_across=True))
    assert len(pairs_within(codes)) == len(within)
    assert len(pairs_across(codes)) == len(across)


def test_equal_when_the_blocks_are_whatever_they_are_called():
    assert Partition([9, 9, -1, 2]) == Partition([0, 0, -1, 1])
    assert Partition([0, 0, 1]) != Partition([0, 0, 1], different_across=True)
    assert Partition([0, 0]) != Partition([0, 0], weight=2)
    assert Partition([0, 0]) != "0"


def test_block_sizes_and_short_repr():
    partition = Partition([4, 4, 1, -1, 4], weight=0.5)
    assert partition.block_sizes.tolist() == [3, 1]
    assert (partition.n_samples, partition.n_blocks) == (5, 2)
    assert repr(partition) == "Partition(4 of 5 rows in 2 blocks: same within, weight 0.5)"


def test_a_block_of_one_row_matters_for_different_across_only():
    assert not Partition([0, 1, 2]).constrained_rows().any()
    assert Partition([0, 1, 2], different_across=True).constrained_rows().all()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_frozen_also_after_a_copy(copied):
    partition = copied(Partition([0, 0, 1], different_across=True))
    assert partition == Partition([0, 0, 1], different_across=True)
    with pytest.raises(dataclasses.FrozenInstanceError):
        partition.weight = 3
    with pytest.raises(ValueError, match="read-only"):
        partition.codes[0] = 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(partition)


def test_the_callers_array_stays_writable():
    codes = np.array([0, 1])
    partition = Partition(codes)
    codes[0] = 5
    assert codes.tolist() == [5, 1]
    assert partition.codes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"codes": [[0, 1]]}, ValueError, r"one number for each row, got shape \(1, 2\)"),
        ({"codes": [0, -2]}, ValueError, r"codes\[1\] = -2.*Write −1"),
        ({"codes": [0.5, 1]}, ValueError, r"codes\[0\] = 0.5 is not a whole number"),
        ({"codes": ["a", "b"]}, TypeError, r"codes\[0\] = .a. is not a whole number.*from_labels"),
        ({"codes": [0], "different_within": True}, ValueError, "contradict each other"),
        ({"codes": [0], "same_within": False}, ValueError, "must imply something"),
        ({"codes": [0], "weight": 0}, ValueError, "weight must be finite and above 0, got 0"),
        ({"codes": [0], "weight": np.inf}, ValueError, "weight must be finite"),
        ({"codes": [0], "weight": float("nan")}, ValueError, "weight must be finite"),
        ({"codes": [0], "weight": [1.0]}, TypeError, "weight must be one number"),
    ],
)
def test_errors_name_the_value_and_the_remedy(arguments, error, match):
    with pytest.raises(error, match=match):
        Partition(**arguments)
