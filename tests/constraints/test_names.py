"""Blocks keep their names through everything that makes other constraints of them."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

from likewise.constraints import Constraints, Partition

LABELS = ["CLL", "", "FL", None, "CLL", "DLBCL", float("nan"), -1]


def names_of(constraints):
    """The name of each row's block, by the first partition."""
    partition = constraints.partitions[0]
    return [None if code < 0 else partition.names[code] for code in partition.codes]


EXPECTED = ["CLL", None, "FL", None, "CLL", "DLBCL", None, None]


@pytest.mark.parametrize(
    ("y", "names"),
    [
        (LABELS, ("CLL", "FL", "DLBCL")),
        (np.array([7, -1, 2]), ("7", "2")),
        (np.array([7.0, np.nan, 2.5]), ("7", "2.5")),
        (pd.Series(["b", "", "a"]), ("b", "a")),
        (np.array([b"b", b"a"]), ("b", "a")),
        ([True, False, None], ("True", "False")),
    ],
)
def test_blocks_are_called_after_labels(y, names):
    assert Constraints.from_labels(y).partitions[0].names == names


def test_two_labels_of_one_name_are_refused():
    with pytest.raises(ValueError, match="labels 1 and '1' would have the same name, '1'"):
        Constraints.from_labels([1, "1", 2])


@pytest.mark.parametrize(
    "change",
    [
        copy.copy,
        lambda c: pickle.loads(pickle.dumps(c)),
        lambda c: c | Constraints(8, must_link=[(0, 1)]),
        lambda c: Constraints(8, must_link=[(0, 1)]) | c,
        lambda c: c.only("must"),
        lambda c: c.only("cannot"),
        lambda c: c.restrict(np.ones(8, dtype=bool)),
        lambda c: (c | Constraints(8, must_link=[(0, 2), (1, 3)], must_weight=[0.1, 1.0])).drop_conflicts()[0],
        lambda c: c | Constraints(8, partitions=[Partition(c.partitions[0].codes, different_across=True, weight=3.0)]),
    ],
)
def test_names_stay(change):
    assert names_of(change(Constraints.from_labels(LABELS))) == EXPECTED


def test_names_follow_rows():
    constraints = Constraints.from_labels(LABELS)
    assert names_of(constraints.restrict([5, 1, 0, 4])) == ["DLBCL", None, "CLL", "CLL"]
    assert constraints.closure().between.partitions[0].names == ("CLL", "FL", "DLBCL")
    drawn = Constraints.sample(["b", "a", "b", "c"], "labeled_items", 4, random_state=0)
    assert names_of(drawn) == ["b", "a", "b", "c"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".json", ".jsonl", ".parquet"])
@pytest.mark.parametrize("ids", [None, [f"row {i}" for i in range(8)]])
def test_names_are_kept_in_files(tmp_path, suffix, ids):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    labels = [None if label in ("", -1) else label for label in LABELS]
    labels[5] = 'a: b, "c" é'
    constraints = Constraints.from_labels(labels) | Constraints(8, must_link=[(1, 3)])
    path = tmp_path / f"hints{suffix}"
    constraints.write(path, ids=ids)
    again = Constraints.read(path, ids=ids, n_samples=8)
    assert again == constraints
    assert names_of(again) == ["CLL", None, "FL", None, "CLL", labels[5], None, None]


def test_blocks_in_a_file_are_called_as_written(tmp_path):
    path = tmp_path / "hints.csv"
    path.write_text('left,right,kind\nS1,type:FL,"partition:same,across"\nS0,type:CLL,"partition:same,across"\n')
    assert names_of(Constraints.read(path, ids=["S0", "S1", "S2"])) == ["CLL", "FL", None]
    path.write_text('left,right,kind\nS1,type: ,"partition:same,across"\n')
    with pytest.raises(ValueError, match="line 2: 'type: ' is not a block"):
        Constraints.read(path, ids=["S0", "S1", "S2"])
    path = tmp_path / "hints.json"
    path.write_text('{"partitions": [{"kind": "partition:same", "blocks": [[0, 1]], "names": ["a", "b"]}]}')
    with pytest.raises(ValueError, match=r"partitions\[0\]: 2 names for 1 blocks"):
        Constraints.read(path)


def test_names_imply_nothing():
    named = Partition([0, 0, 1], names=["a", "b"])
    assert named == Partition([0, 0, 1])
    assert Constraints(3, partitions=[Partition([0, 0, 1]), named]).partitions[0].names == ("a", "b")


@pytest.mark.parametrize(
    ("names", "error", "match"),
    [
        ("ab", TypeError, "got the string 'ab'"),
        (["a"], ValueError, "names has 1 entries, but there is a block 1"),
        (["a", " "], ValueError, "the name of block 1 is blank"),
        (["a", 3], TypeError, "the name of block 1 is 3. Names must be strings"),
        (["a", "a"], ValueError, "two blocks have the name 'a'"),
    ],
)
def test_wrong_names(names, error, match):
    with pytest.raises(error, match=match):
        Partition([0, 0, 1], names=names)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"different_across": True}, "4 labels of 2 classes (6 pairs)"),
        ({}, "4 rows in 2 groups of the same (3 pairs)"),
        ({"same_within": False, "different_across": True}, "4 rows in 2 groups that differ (3 pairs)"),
        ({"same_within": False, "different_within": True}, "4 rows in 2 groups of different ones (3 pairs)"),
        (
            {"same_within": False, "different_within": True, "different_across": True},
            "4 rows that all differ (6 pairs)",
        ),
    ],
)
def test_partitions_are_counted_in_words(flags, words):
    constraints = Constraints(5, partitions=[Partition([0, 0, 0, 1, -1], **flags)])
    assert constraints.summary() == words
    kind = "labels" if flags == {"different_across": True} else "groups"
    assert f"<th>{kind}</th><td>{words}" in constraints._repr_html_()


def test_more_labels_of_a_name_are_of_its_class():
    first = Constraints.from_labels(["CLL", "FL", None, None, None])
    more = Constraints.from_labels([None, "FL", "CLL", "new", None])
    both = first | more
    assert names_of(both) == ["CLL", "FL", "CLL", "new", None]
    assert both == Constraints.from_labels(["CLL", "FL", "CLL", "new", None]) == more | first
    assert both.summary() == "4 labels of 3 classes (6 pairs)"
    assert first | first == first


def test_labels_that_disagree_stay_apart():
    first = Constraints.from_labels(["CLL", "FL", "CLL"])
    assert len((first | Constraints.from_labels(["FL", "FL", None])).partitions) == 2
    weaker = Partition([0, 0, 1], different_across=True, weight=0.5, names=["CLL", "FL"])
    assert len((first | Constraints(3, partitions=[weaker])).partitions) == 2
    unnamed = Partition([0, -1, 0], different_across=True)
    assert len((first | Constraints(3, partitions=[unnamed])).partitions) == 2
    groups = Constraints(3, partitions=[Partition([0, 0, -1], names=["CLL"])])
    assert len((groups | first).partitions) == 2
