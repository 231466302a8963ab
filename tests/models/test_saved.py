"""What is kept of a class, and the checks that files of strangers go through."""

import numpy as np
import pytest

from likewise._saved import Saved, check_shape, check_width
from likewise.models._state import _add


def test_extended_adds_and_keeps_the_check():
    def first(model):
        pass

    def second(model):
        pass

    plain = Saved(("a",), parts={"p": int}, lists={"l": (str, float)}, optional=("o",), check=first)
    more = plain.extended(values=("b",), parts={"q": bytes}, optional=("r",))
    assert more.values == ("a", "b")
    assert more.parts == {"p": int, "q": bytes}
    assert more.lists == {"l": (str, float)}
    assert more.optional == ("o", "r")
    assert more.check is first
    assert plain.extended(check=second).check is second
    assert plain.extended() == plain
    assert more.classes == {int, bytes, str, float}


def test_two_classes_of_one_name_cannot_both_be_saved():
    first, second = (type("Twice", (), {"_saved": Saved(("a",))}) for _ in range(2))
    known = {}
    _add(known, first)
    _add(known, first)
    with pytest.raises(ValueError, match="two classes that can be saved are called Twice"):
        _add(known, second)


@pytest.mark.parametrize("value", [True, False, 0, -1, 9e-151, 2e150, float("inf"), float("nan"), "1", None, 1j])
def test_what_is_no_width_of_a_kernel(value):
    with pytest.raises(ValueError, match=r"width is .*, which is no number from 1e-150 to 1e\+150"):
        check_width(value, "width")


def test_widths_of_kernels():
    for value in (1, 0.5, np.float32(2), 1e-150, 1e150):
        check_width(value, "width")


@pytest.mark.parametrize(
    ("array", "shape", "said"),
    [
        (np.zeros((2, 3)), (2, 4), r"rows has the shape \(2, 3\), not 2 × 4"),
        (np.zeros((2, 3)), (None, 4), r"not any × 4"),
        (np.zeros((0, 4)), (None, 4), r"\(0, 4\), not any × 4"),
        (np.zeros((2, 3)), (2,), r"\(2, 3\), not 2"),
        (np.zeros(2), (2, 1), r"\(2,\), not 2 × 1"),
        ("word", (2,), r"shape None, not 2"),
        (np.zeros(2, dtype=int), (2,), "rows is of type int64"),
        (np.zeros(2, dtype=complex), (2,), "rows is of type complex128"),
    ],
)
def test_what_is_no_array_of_a_shape(array, shape, said):
    with pytest.raises(ValueError, match=said):
        check_shape(array, shape, "rows")


def test_arrays_of_a_shape():
    check_shape(np.zeros((2, 3)), (None, 3), "rows")
    check_shape(np.zeros(0), (0,), "rows")
    check_shape(np.zeros(2, dtype=int), (2,), "rows", "fi")
