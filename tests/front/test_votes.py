"""Shares of votes where clusters are empty, and rows whose labels come from several sets."""

import numpy as np

from likewise.constraints import Constraints, Partition
from likewise.front._certainty import assign, labeled_rows, membership
from likewise.front._cluster_names import ClusterName, name_clusters, rows_of_their_label
from likewise.front._members import Member


def test_a_number_that_no_row_of_a_member_has_is_no_cluster():
    labels, member = np.array([0, 0, 1, 1]), np.array([0, 0, 3, 3])
    np.testing.assert_array_equal(membership([Member("a", member, -1)], {"a": 1.0}, labels, 3),
                                  [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]])  # fmt: skip
    found = assign(np.array([[0.25, 0.5, 0.25]]), np.array([1], dtype=np.int64))
    assert (found.labels.dtype, found.second_labels.dtype) == (np.int32, np.int32)
    assert (found.second_labels.tolist(), found.certainty.tolist()) == ([0], [0.5])
    assert assign(np.array([[1.0 + 1e-12, -1e-15]]), np.array([0])).certainty.tolist() == [1.0]


def test_rows_with_labels_of_several_sets_are_labeled():
    first, second = (Constraints.from_labels(labels).partitions for labels in (["a", None, "b"], ["a", "b", None]))
    assert labeled_rows(Constraints(3, partitions=[*first, *second])).tolist() == [True, True, True]
    groups = Constraints(3, partitions=[Partition([0, 0, -1])])
    assert labeled_rows(Constraints(3, partitions=[*first, *groups.partitions])).tolist() == [True, False, True]
    assert labeled_rows(groups).tolist() == [False, False, False]


def test_rows_that_share_the_label_of_their_cluster():
    first, second = (
        Constraints.from_labels(labels).partitions for labels in (["-", None, "b", None], ["-", "-", *[None] * 2])
    )
    known = Constraints(4, partitions=[*first, *second])
    labels = np.array([0, 0, 1, 0])
    names = name_clusters(known, labels, 3)
    assert names == (ClusterName("-", "-", 3, 3), ClusterName("b", "b", 1, 1), ClusterName("2"))
    assert (names[2].label, names[2].known, names[2].known_in_all) == (None, 0, 0)
    assert rows_of_their_label(known, labels, names).tolist() == [True, True, True, False]
    renamed = (ClusterName("b", "b"), ClusterName("-", "-"), ClusterName("2"))
    assert rows_of_their_label(known, labels, renamed).tolist() == [False, False, False, False]
    groups = Constraints(4, partitions=[Partition([0, 0, 1, 1], names=["-", "b"])])
    assert not rows_of_their_label(groups, labels, names).any()
