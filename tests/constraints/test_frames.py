"""Constraints from data frames, and back."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from likewise import Constraints, Partition

IDS = ["ann", "bob", "cy", "di"]
COLUMNS = {"left": ["ann", "bob"], "right": ["cy", "di"], "kind": ["same", "different"], "weight": [1.0, 0.5]}
PAIRS = Constraints(4, [(0, 2)], [(1, 3)], cannot_weight=0.5)
GROUPS = Constraints(4, [(0, 1)], partitions=[Partition([0, 0, -1, 1], different_across=True, names=["x", "y"])])


@pytest.mark.parametrize(
    "made", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=["pandas", "polars", "arrow", "dict"]
)
def test_frames_of_any_package_are_read(made):
    assert Constraints.from_frame(made(COLUMNS), ids=IDS) == PAIRS


def test_columns_come_in_any_order_and_the_index_does_not_matter():
    frame = pd.DataFrame(COLUMNS, index=[7, 9])[["kind", "weight", "right", "left"]]
    assert Constraints.from_frame(frame, ids=pd.Index(IDS)) == PAIRS


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("constraints", [PAIRS, GROUPS, Constraints(4)], ids=["pairs", "groups", "none"])
@pytest.mark.parametrize("ids", [None, IDS])
def test_round_trip(constraints, backend, ids):
    frame = constraints.to_frame(ids=ids, backend=backend)
    assert type(frame).__module__.startswith(backend)
    assert Constraints.from_frame(frame, n_samples=4, ids=ids) == constraints


def test_row_numbers_stay_numbers_where_they_can():
    frame = PAIRS.to_frame(backend="pandas")
    assert frame["left"].tolist() == [0, 1]
    assert frame["weight"].tolist() == [1.0, 0.5]
    assert list(Constraints(4, [(0, 2)]).to_frame(backend="pandas").columns) == ["left", "right", "kind"]


@pytest.mark.parametrize(
    ("frame", "options", "error", "message"),
    [
        ([(0, 1)], {}, TypeError, "frame must be a data frame or a dict of columns, got a list of 1 item"),
        (pd.DataFrame({"a": [1]}), {}, ValueError, r"frame: hints need three columns.*left, right, kind\. Found a"),
        (COLUMNS, {"ids": ["ann", "bob", "cy", "dj"]}, ValueError, "frame, row 1: id 'di' is not among the 4 ids"),
        (
            {**COLUMNS, "kind": ["same", "perhaps"]},
            {"ids": IDS},
            ValueError,
            "frame, row 1: kind 'perhaps'",
        ),
        (COLUMNS, {"ids": IDS, "n_samples": 9}, ValueError, "frame: ids has 4 entries, but n_samples = 9"),
    ],
)
def test_frames_that_are_wrong(frame, options, error, message):
    with pytest.raises(error, match=message):
        Constraints.from_frame(frame, **options)


def test_ids_of_other_rows():
    with pytest.raises(ValueError, match="ids has 2 entries, but there are 4 rows"):
        PAIRS.to_frame(ids=["a", "b"])
