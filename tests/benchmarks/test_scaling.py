"""Curves: where they stop, what is kept of them, and which exponent they are said to have."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.scaling import command, running
from benchmarks.scaling.axes import AXES, TINY, curves, methods
from benchmarks.scaling.drawing import draw
from benchmarks.scaling.fitting import exponent, predicted
from benchmarks.scaling.mathematics import BECAUSE, families, needed
from benchmarks.scaling.running import Limits, Point, read, sweep, write
from benchmarks.scaling.writing import write_scaling
from click.testing import CliRunner


def points_along(method, axis, power, first=0.1):
    values = AXES[axis].values
    seconds = first * (np.array(values) / values[0]) ** power
    return {
        (method, axis, value): Point(method, axis, value, float(time), 0.2, "", 60.0, 8.0, "here")
        for value, time in zip(values, seconds, strict=True)
    }


@pytest.fixture
def measuring(monkeypatch):
    """Points that take n/1000 seconds squared, and which were measured."""
    asked = []

    def measured(method, axis, value, limits, quick=False):
        asked.append(value)
        return Point(method, axis, value, (value / 1000) ** 2, 0.1, "", limits.seconds, limits.gib, "here")

    monkeypatch.setattr(running, "measured", measured)
    return asked


def test_an_exponent_is_that_of_the_upper_part():
    assert exponent([(10, 0.06), (100, 0.06), (1000, 0.6), (10_000, 6.0), (100_000, 60.0)]) == pytest.approx(1.0)
    assert exponent([(10, 0.01), (100, 0.049), (1000, 0.05), (10_000, 5.0)]) == pytest.approx(2.0)
    assert np.isnan(exponent([(10, 0.01), (100, 0.06)]))


def test_the_next_point_is_foretold_along_the_last_two():
    assert predicted([], 10) == 0
    assert predicted([(10, 1.0)], 100) == 1.0
    assert predicted([(10, 1.0), (100, 100.0)], 1000) == pytest.approx(10_000.0)
    assert predicted([(10, 2.0), (100, 1.0)], 1000) == pytest.approx(1.0)


def test_a_curve_stops_before_a_point_that_would_take_too_long(measuring):
    curve = list(sweep("pck", "rows", Limits(60.0, 8.0)))
    assert measuring == [1000, 3162]  # 10,000 rows would take 100 s
    assert [bool(point.stopped) for point in curve] == [False, False, True]
    assert curve[-1].stopped == "time: it would take some 100 s"


def test_what_is_known_is_not_measured_again_unless_limits_are_raised(measuring):
    kept = {point.value: point for point in sweep("pck", "rows", Limits(60.0, 8.0))}
    measuring.clear()
    assert list(sweep("pck", "rows", Limits(60.0, 8.0), kept.get)) == list(kept.values())
    assert measuring == []
    longer = list(sweep("pck", "rows", Limits(300.0, 8.0), kept.get))
    assert measuring == [10_000]
    assert longer[-1].stopped.startswith("time: it would take some 1000 s")


def test_a_curve_ends_with_an_error(monkeypatch):
    point = Point("cop", "hints", 10, stopped="error: no labeling")
    monkeypatch.setattr(running, "measured", lambda *asked: point)
    assert list(sweep("cop", "hints", Limits())) == [point]
    assert point.is_final(Limits(1e9, 1e9))


def test_a_point_is_ended_at_its_memory():
    large = running.measured("pck", "rows", 316_228, Limits(60.0, 0.3))
    assert large.stopped == "memory: it needs more than 0.3 GiB"
    assert not large.is_final(Limits(60.0, 8.0))


def test_a_point_is_measured_apart():
    point = running.measured("costco", "rows", 100, Limits(), quick=True)
    assert not point.stopped
    assert 0 < point.seconds < 60
    assert 0 < point.peak_gib < 8


def test_points_are_kept(tmp_path):
    points = points_along("pck", "rows", 1.0) | {("cop", "rows", 1000): Point("cop", "rows", 1000, stopped="time: x")}
    write(tmp_path / "points.csv", points)
    again = read(tmp_path / "points.csv")
    assert list(again) == sorted(points)
    assert repr([again[key] for key in sorted(points)]) == repr([points[key] for key in sorted(points)])
    assert read(tmp_path / "none.csv") == {}


def test_every_method_of_the_registry_has_curves_and_a_family():
    assert {"costco", "dsp", "pck", "rl-nc", "likewise"} <= set(methods())
    assert not {"networked", "xing", "k-means", "pca", "umap"} & set(methods())  # links, a step, other packages
    named = [method for family in families().values() for method in family]
    assert sorted(named) == sorted(methods())
    assert all(needed(method, axis) >= 1 for method in methods() for axis in AXES)
    assert needed("dsp", "hints") == 3
    assert all(method in methods() and axis in AXES for method, axis in BECAUSE)


def test_a_method_that_hears_no_hints_has_no_curve_along_them():
    assert ("nc", "hints") not in curves()
    assert ("c-nc", "hints") in curves()
    assert curves(["nc"], ["rows", "hints"]) == [("nc", "rows")]


def test_an_axis_says_what_stays():
    assert AXES["rows"].fixed == "f = 100, 200 hints, r = k = 10"
    assert AXES["sparse"].problem(500) == replace(AXES["sparse"].base, f=500)
    assert AXES["sparse"].problem(50, quick=True) == replace(TINY, f=50, sparse=True)


def test_the_page_tells_what_is_worse_than_needed(tmp_path):
    points = points_along("pck", "rows", 1.0) | points_along("cop", "rows", 1.6) | points_along("dsp", "rows", 1.9)
    last = ("dsp", "rows", AXES["rows"].values[-1])
    points[last] = replace(points[last], seconds=float("nan"), stopped="memory: it needs more than 8 GiB")
    page = write_scaling(points, draw(points, tmp_path / "figures"), tmp_path / "SCALING.md").read_text("utf-8")
    assert "| cop | **1.60** (1) |" in page
    assert "| pck | 1.00 (1) |" in page
    assert "| dsp | 1.90 (2) |" in page
    assert "- cop, rows n: 1.60 for 1: not explained yet." in page
    assert "| dsp | 1,000,000 | memory: it needs more than 8 GiB |" in page
    assert (tmp_path / "figures" / "scaling-rows.png").stat().st_size > 10_000
    assert "scaling-hints" not in page


def test_wrong_use_is_told():
    answer = CliRunner().invoke(command.scaling, ["pckk"])
    assert answer.exit_code == 2
    assert "no method called 'pckk'. There are: likewise" in answer.output
