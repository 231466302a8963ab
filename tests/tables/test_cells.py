"""Which cells are missing, which are numbers, and which are none."""

from datetime import timedelta

import numpy as np
import pytest

from likewise.tables._cells import as_numbers, as_texts, is_missing_cell, read_cells, whole_number_of

NAN = float("nan")


def test_whole_numbers_of_as_many_digits_as_fit():
    assert whole_number_of("9" * 18) == 10**18 - 1
    assert whole_number_of("0" * 17 + "7") == 7
    for text in ("9" * 19, "", " 1", "+1", "1.0", "1_0", "３", "²"):
        assert whole_number_of(text) is None


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "nan", "2.5", "NaN", "nan"],
        [1, NAN, 2.5, NAN, NAN],
        np.array([1, NAN, 2.5, NAN, NAN]),
        np.array([1, NAN, 2.5, NAN, NAN], dtype=np.float32),
        ["1", None, 2.5, "?", ""],
        [1, None, np.float32(2.5), "?", ""],
    ],
)
def test_missing_numbers_are_counted(cells):
    found = as_numbers(cells)
    np.testing.assert_array_equal(found.values, [1, NAN, 2.5, NAN, NAN])
    assert found.values.dtype == np.float64
    assert (found.wrong, found.n_missing) == ([], 3)


@pytest.mark.parametrize(
    ("cells", "wrong"),
    [
        ([True, False, True], [0, 1, 2]),
        ([np.True_, 1.5], [0]),
        ([10**400, 1], [0]),
        (["1", 10**400, "x"], [1, 2]),
        ([1, np.complex128(2), 3j], [1, 2]),
        (["1_000", "1"], [0]),
        (["３", "1"], [0]),
        ([1, [2], "3"], [1]),
        (np.array(["1", "many", ""]), [1]),
        ([2**60, "a", None, "b"], [1, 3]),
    ],
)
def test_cells_that_are_no_numbers(cells, wrong):
    assert as_numbers(cells).wrong == wrong


def test_spans_of_time_are_their_seconds():
    found = as_numbers([timedelta(minutes=1, milliseconds=500), None, timedelta(0)])
    np.testing.assert_array_equal(found.values, [60.5, NAN, 0])


@pytest.mark.parametrize("error", [TypeError, ValueError, OverflowError])
def test_a_cell_that_cannot_be_read_is_wrong_whatever_is_raised(error):
    def number(cell):
        if cell == "b":
            raise error
        return float(cell)

    found = read_cells(["1", "b", "", "4", "b"], number)
    np.testing.assert_array_equal(found.values, [1, NAN, NAN, 4, NAN])
    assert (found.wrong, found.n_missing) == ([1, 4], 1)


@pytest.mark.parametrize(
    "cell", ["NA", " n/a ", "#N/A", "<NA>", "NaN", "NULL", "?", "-", "--", "–", "—", "", None, NAN]
)
def test_words_for_what_is_missing(cell):
    assert is_missing_cell(cell)
    assert as_texts([cell, "x"]) == [None, "x"]


@pytest.mark.parametrize("cell", ["none", "---", "n", "0", 0, 0.0, False, [], [NAN]])
def test_what_is_there(cell):
    assert not is_missing_cell(cell)


def test_whole_numbers_kept_as_floats_are_written_without_a_point():
    cells = [2.0, np.float32(-3), 2.5, float("inf"), 10**20, " x ", np.int8(4), True]
    assert as_texts(cells) == ["2", "-3", "2.5", "inf", "1" + "0" * 20, "x", "4", "True"]
