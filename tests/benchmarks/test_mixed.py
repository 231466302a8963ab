"""The benchmark of tables with columns that do not matter: its tables, and what is made of the values."""

import numpy as np
import pytest
from benchmarks.mixed.command import PAIRS, results_page, scores, verdict
from benchmarks.mixed.tables import TABLES

from likewise import TableFeatures


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_what_they_say(name):
    first, again, other = (TABLES[name](np.random.default_rng(seed)) for seed in (0, 0, 1))
    n = len(first.y)
    assert 100 < n <= 400
    assert 1 <= len(first.added) <= 5
    assert not first.columns.keys() & first.added.keys()
    assert all(len(cells) == n for cells in (*first.columns.values(), *first.added.values()))
    assert all(np.array_equal(first.added[key], again.added[key]) for key in first.added)
    assert not all(np.array_equal(first.added[key], other.added[key]) for key in first.added)
    left_out = TableFeatures().fit({**first.columns, **first.added}).left_out_
    assert not left_out.keys() & first.added.keys()


def test_ten_tables_and_their_docstrings():
    assert len(TABLES) == 10
    assert all(make.__doc__ for make in TABLES.values())


def test_one_draw():
    found = np.array(scores("iris-category", 0))
    assert found.shape == (len(PAIRS), 2)
    assert (found > 0.5).all()


def test_the_page_has_means_and_a_verdict():
    values = {name: np.full((2, len(PAIRS), 2), [0.8, 0.8 - 0.01 * place]) for place, name in enumerate(TABLES)}
    page = "\n\n".join(results_page(values))
    assert "| Iris, and one category | 0.800 | +0.000 | 0.800" in page
    assert "| **mean** | 0.800 | -0.045 |" in page
    assert "in each of 2 draws" in page
    assert verdict(np.array([[0.8, 0.77], [0.8, 0.769], [0.8, 0.9]])) == (
        "On average -0.030 with 0 pairs (met), -0.031 with 30 pairs (not met), +0.100 with 100 pairs (met)."
    )
