"""What a notebook shows: hints, reports, and fitted models."""

import pytest

from likewise import Constraints, Partition, PCKMeans


def test_hints_show_as_a_table():
    groups = Partition([0, 0, 1, -1], different_across=True)
    shown = Constraints(4, must_link=[(0, 1)], cannot_link=[(0, 2), (0, 3)], partitions=[groups])._repr_html_()
    assert shown.startswith("<table>")
    for name, value in (("rows", 4), ("must-links", 1), ("cannot-links", 2)):
        assert f"<th>{name}</th><td>{value}</td>" in shown
    assert "3 of 4 rows in 2 blocks" in shown


def test_reports_and_fitted_models_show(wine):
    _, _, hints, model = wine
    assert "hints kept" in model.report_._repr_html_()
    assert "hints kept" in model._repr_html_()
    assert f"{len(hints.must_link)} must-links" in model.report_._repr_html_()


@pytest.mark.parametrize("fitted", [False, True])
def test_any_model_shows(wine, fitted):
    X, _, hints, _ = wine
    model = PCKMeans(3, random_state=0)
    if fitted:
        model.fit(X, constraints=hints)
    assert "PCKMeans" in model._repr_html_()
