"""What a partition implies of pairs, and which closed groups hold a conflict."""

import numpy as np
import pytest

from likewise import Constraints, Partition
from likewise.constraints._conflicts import count_conflicts
from likewise.constraints._overlap import implies

CODES = [0, 0, 1, -1]
PAIRS = np.array([(0, 1), (0, 2), (0, 3)])


@pytest.mark.parametrize(
    ("meaning", "must", "cannot"),
    [
        ({"same_within": True}, [True, False, False], [False, False, False]),
        ({"same_within": True, "different_across": True}, [True, False, False], [False, True, False]),
        ({"same_within": False, "different_across": True}, [False, False, False], [False, True, False]),
        ({"same_within": False, "different_within": True}, [False, False, False], [True, False, False]),
        (
            {"same_within": False, "different_within": True, "different_across": True},
            [False, False, False],
            [True, True, False],
        ),
    ],
)
def test_pairs_that_a_partition_implies(meaning, must, cannot):
    partition = Partition(CODES, **meaning)
    assert implies(partition, "must", PAIRS).tolist() == must
    assert implies(partition, "cannot", PAIRS).tolist() == cannot


def test_only_groups_with_a_conflict_are_masked():
    different = Partition([0, 1, 2, 2, -1, -1], same_within=False, different_across=True)
    hints = Constraints(6, must_link=[(0, 1), (2, 3), (4, 5)], partitions=[different])
    groups = hints.groups()
    count, wrong = count_conflicts(hints, groups)
    assert count == 1
    assert wrong[groups].tolist() == [True, True, False, False, False, False]
