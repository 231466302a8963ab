import numpy as np
import pandas as pd
import polars as pl
import pytest

from likewise.constraints import Constraints, Partition

EXPECTED = Constraints(4, partitions=[Partition([0, 1, -1, 0], different_across=True)])


@pytest.mark.parametrize(
    "y",
    [
        [3, 5, -1, 3],
        np.array([3, 5, -1, 3]),
        np.array([3.0, 5.0, np.nan, 3.0]),
        np.array([3.0, 5.0, -1.0, 3.0], dtype=np.float32),
        np.array(["b", "a", None, "b"], dtype=object),
        ["b", "a", None, "b"],
        ["b", "a", "", "b"],
        ["b", "a", -1, "b"],
        ["b", "a", float("nan"), "b"],
        ("b", "a", None, "b"),
        pd.Series(["b", "a", None, "b"]),
        pd.Series(["b", "a", None, "b"], dtype="category"),
        pd.Series([3, 5, None, 3], dtype="Int64"),
        pd.Series([3, 5, -1, 3], index=[7, 7, 8, 9]),
        pd.Series(["b", "a", pd.NA, "b"], dtype="string"),
        pl.Series(["b", "a", None, "b"]),
        pl.Series([3, 5, None, 3]),
        pl.Series([True, False, None, True]),
    ],
)
def test_labels_of_any_kind_are_one_partition(y):
    assert Constraints.from_labels(y) == EXPECTED


def test_unknown_is_what_the_caller_says():
    assert Constraints.from_labels(["b", "a", "?", "b"], unknown="?") == EXPECTED
    assert Constraints.from_labels(np.array(["b", "a", "?", "b"]), unknown="?") == EXPECTED
    assert Constraints.from_labels([3, 5, 0, 3], unknown=0) == EXPECTED
    assert Constraints.from_labels([-1, 0, 1], unknown=None).partitions[0].n_blocks == 3
    assert Constraints.from_labels(np.array(["-1", "a"])).partitions[0].n_blocks == 2


@pytest.mark.parametrize("y", [[-1, -1], [None, None], [np.nan, np.nan], [], np.array([], dtype=int)])
def test_nothing_known_is_no_partition(y):
    assert Constraints.from_labels(y) == Constraints(len(y))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.float16, "U1", "S1", object])
def test_arrays_of_any_type(dtype):
    assert Constraints.from_labels(np.array([1, 0, 1], dtype=dtype)).partitions[0].codes.tolist() == [0, 1, 0]


def test_errors():
    with pytest.raises(ValueError, match=r"one for each row, got shape \(2, 2\)"):
        Constraints.from_labels([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match=r"got shape \(\)"):
        Constraints.from_labels(3)
    with pytest.raises(TypeError, match=r"label 1 is \[1, 2\], a list"):
        Constraints.from_labels(np.array([0, [1, 2]], dtype=object))
