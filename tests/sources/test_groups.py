"""Columns of groups: all the same, or all different."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.data import law
from likewise.constraints import Constraints
from likewise.sources.groups import all_different, all_same

COLUMN = ["a", "b", None, "a", "b", "a"]
COLUMNS = {
    "list": COLUMN,
    "object array": np.array(COLUMN, dtype=object),
    "pandas": pd.Series(COLUMN),
    "pandas string": pd.Series(COLUMN, dtype="string"),
    "categories": pd.Series(COLUMN, dtype="category"),
    "polars": pl.Series(COLUMN),
    "numbers": [1.5, 2.5, np.nan, 1.5, 2.5, 1.5],
    "codes": np.array([4, 2, -1, 4, 2, 4]),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_any_column_is_one_partition(column):
    same, different = all_same(column, weight=0.5), all_different(column)
    for hints in (same, different):
        assert len(hints.partitions) == 1
        assert len(hints.must_link) == len(hints.cannot_link) == 0
        assert hints.partitions[0].codes.tolist() == [0, 1, -1, 0, 1, 0]
    assert same.partitions[0].weight == 0.5
    assert same.expand().must_link.tolist() == [[0, 3], [0, 5], [1, 4], [3, 5]]
    assert same.n_cannot_link == 0
    assert different.expand().cannot_link.tolist() == same.expand().must_link.tolist()
    assert different.n_must_link == 0


def test_what_is_unknown_can_be_said():
    assert all_same([-1, -1], unknown=None).n_must_link == 1
    assert all_same(["?", "?", "a"], unknown="?").is_empty


def test_nothing_known_is_no_hint():
    assert all_same([None, None]) == Constraints(2)
    assert all_different([]) == Constraints(0)


@given(st.lists(st.one_of(st.none(), st.integers(0, 3)), max_size=12))
@law
def test_pairs_are_those_of_equal_values(column):
    equal = [
        [i, j] for i in range(len(column)) for j in range(i + 1, len(column)) if column[i] == column[j] is not None
    ]
    assert all_same(column).expand().must_link.tolist() == equal
    assert all_different(column).expand().cannot_link.tolist() == equal


def test_errors_say_what_to_do():
    with pytest.raises(TypeError, match="one single string, 'abc'"):
        all_same("abc")
    with pytest.raises(ValueError, match="one for each row, got shape"):
        all_same(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="above 0"):
        all_different([1, 1], weight=0.0)
