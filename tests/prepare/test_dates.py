"""Dates and times: how they are written, and what becomes of them."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from likewise import TableFeatures
from likewise.prepare import read_table
from likewise.prepare._dates import ISO, find_format, read_dates

DAYS = [datetime.datetime(2019, 1, 1, 8, 30) + datetime.timedelta(days=37 * row, hours=row) for row in range(40)]
NOISE = np.random.default_rng(0).normal(size=40)


@pytest.mark.parametrize(
    "form",
    ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%d.%m.%Y", "%d.%m.%Y %H:%M", "%m/%d/%Y", "%d/%m/%Y",
     "%d-%m-%Y", "%Y/%m/%d", "%d %b %Y", "%B %d, %Y", "%m/%d/%Y %I:%M %p", "%d.%m.%y"],
)  # fmt: skip
def test_common_ways_to_write_a_date(form):
    cells = [day.strftime(form) for day in DAYS]
    found = find_format([None, *cells, ""])
    expected = [datetime.datetime.strptime(cell, form).replace(tzinfo=datetime.UTC).timestamp() for cell in cells]
    np.testing.assert_array_equal(read_dates(cells, found).seconds, expected)


@pytest.mark.parametrize(
    "cells", [["a1", "b2"], ["1.5", "2.5"], ["12-5", "13-6"], ["May", "June"], [True, False], ["3/4"]]
)
def test_what_is_no_date(cells):
    assert find_format(cells) is None


def test_a_day_above_twelve_tells_days_from_months():
    assert find_format(["1/2/2020", "3/4/2020"]) == "%m/%d/%Y"
    assert find_format(["1/2/2020", "3/4/2020", "25/4/2020"]) == "%d/%m/%Y"


def parts_of(cells):
    features = TableFeatures()
    X = features.fit_transform({"when": cells, "noise": NOISE[: len(cells)]})
    names = features.get_feature_names_out().tolist()[1:]
    return names, X[:, 1:]


def test_parts_vary_by_what_the_dates_cover():
    assert parts_of([day.isoformat() for day in DAYS])[0] == [
        "when",
        *(f"when ({name}, {axis})" for name in ("time of year", "weekday", "time of day") for axis in ("sin", "cos")),
    ]
    assert parts_of([f"2020-01-{row % 28 + 1:02d}" for row in range(40)])[0][:2] == ["when", "when (weekday, sin)"]
    assert parts_of([f"2020-01-{row % 9 + 1:02d}" for row in range(40)])[0] == ["when"]
    assert parts_of([f"{2000 + row}-01" for row in range(40)])[0][0] == "when"
    names, X = parts_of([f"{row % 24:02d}:15" for row in range(40)])
    assert names == ["when (time of day, sin)", "when (time of day, cos)"]
    assert np.linalg.norm(X[23] - X[0]) < np.linalg.norm(X[12] - X[0])  # midnight is near


def test_a_date_counts_as_one_column():
    X = parts_of([day.isoformat() for day in DAYS])[1]
    total = X.var(axis=0)
    assert total[0] == pytest.approx(total[1:].sum())
    assert parts_of([f"2020-01-{row % 9 + 1:02d}" for row in range(40)])[1].var() == pytest.approx(total.sum())


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    "cells", [DAYS, [day.date() for day in DAYS], [day.replace(tzinfo=datetime.UTC) for day in DAYS]]
)
def test_columns_of_dates_in_frames(frame, cells):
    features = TableFeatures()
    X = features.fit_transform(frame({"when": cells, "noise": NOISE}))
    texts = [
        cell.replace(tzinfo=None).isoformat() if isinstance(cell, datetime.datetime) else str(cell) for cell in cells
    ]
    same = TableFeatures().fit_transform({"when": texts, "noise": NOISE})
    np.testing.assert_allclose(X, same, atol=1e-9)


def test_durations_are_numbers_and_times_are_times():
    hours = [datetime.timedelta(hours=row) for row in range(3, 43)]
    frame = pd.DataFrame({"took": hours, "at": [datetime.time(row % 24) for row in range(40)]})
    assert TableFeatures().fit(frame).get_feature_names_out().tolist()[:2] == ["took", "at (time of day, sin)"]
    assert TableFeatures().fit(pl.DataFrame({"took": hours, "n": NOISE})).get_feature_names_out()[0] == "took"


def test_numpy_dates_and_periods():
    days = np.array(DAYS, dtype="datetime64[s]")
    days[3] = "NaT"
    texts = [None if row == 3 else day.isoformat() for row, day in enumerate(DAYS)]
    X = TableFeatures().fit_transform({"when": texts, "noise": NOISE})
    np.testing.assert_allclose(TableFeatures().fit_transform({"when": days, "noise": NOISE}), X)
    assert not X[3, 1:].any()
    months = pd.DataFrame({"when": pd.period_range("2020-01", periods=40, freq="M"), "noise": NOISE})
    assert TableFeatures().fit(months).get_feature_names_out().tolist()[1:3] == ["when", "when (time of year, sin)"]


def test_new_dates_are_read_in_the_same_way(tmp_path):
    cells = [day.strftime("%d.%m.%Y") for day in DAYS]
    features = TableFeatures()
    X = features.fit_transform({"when": cells, "noise": NOISE})
    np.testing.assert_allclose(features.transform({"when": [cells[3], None], "noise": [NOISE[3], 0.0]})[0], X[3])
    with pytest.raises(
        ValueError, match=r"X, row 0: column 'when' must hold dates \(day\.month\.year\), but here it is"
    ):
        features.transform({"when": ["2020-01-01"], "noise": [0.0]})
    (tmp_path / "t.csv").write_text("when,noise\n" + "\n".join(f"{a},{b}" for a, b in zip(cells, NOISE, strict=True)))
    np.testing.assert_allclose(read_table(tmp_path / "t.csv").X, X)
    assert "date 'when' (day.month.year: age, time of year, weekday)" in features.description_


def test_iso_is_kept_by_name():
    assert find_format(["2020-01-01T10:00:00Z", "2020-01-02T10:00:00+02:00"]) == ISO
