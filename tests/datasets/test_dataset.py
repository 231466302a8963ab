"""Parts of a data set: rows, classes, other labels; and what a data set may not be."""

import pickle

import numpy as np
import pytest

from likewise.datasets import Dataset


def pages(**changes):
    fields = {
        "name": "pages",
        "X": np.arange(12.0).reshape(4, 3),
        "y": [0, 1, 2, 1],
        "target_names": ["course", "staff", "student"],
        "ids": ["a", "b", "c", "d"],
        "links": [(0, 1), (3, 2), (1, 3), (2, 2)],
        "extra": {"university": ["cornell", "cornell", "texas", "cornell"], "pixels": np.zeros((4, 2, 2))},
        "feature_extra": {"view": ["words", "words", "links"]},
    }
    return Dataset(**{**fields, **changes})


def texts():
    return Dataset(name="posts", text=["one", "two", "three"], y=[0, -1, 1], target_names=["x", "y"])


def test_representation_is_short():
    assert repr(pages()) == "Dataset(pages: 4 rows × 3 features, 3 classes, 4 links)"
    assert repr(texts()) == "Dataset(posts: 3 texts, 2 classes)"
    assert repr(texts().subset("x")) == "Dataset(posts: 1 text, 1 class)"


def test_rows_in_the_order_asked_for_with_their_links():
    part = pages().rows([3, 2, 1])
    np.testing.assert_array_equal(part.X, pages().X[[3, 2, 1]])
    assert part.ids.tolist() == ["d", "c", "b"]
    assert part.links.tolist() == [[0, 1], [2, 0], [1, 1]]
    assert part.extra["pixels"].shape == (3, 2, 2)
    assert part.target_names == pages().target_names
    assert part.feature_extra["view"].tolist() == ["words", "words", "links"]


def test_rows_by_mask():
    data = pages()
    part = data.rows(data.extra["university"] == "cornell")
    assert part.ids.tolist() == ["a", "b", "d"]
    assert part.links.tolist() == [[0, 1], [1, 2]]
    assert len(data.rows([])) == 0


def test_classes_are_coded_in_the_order_asked_for():
    part = pages().subset(["student", "course"])
    assert part.ids.tolist() == ["a", "c"]
    assert part.y.tolist() == [1, 0]
    assert part.counts == {"student": 1, "course": 1}


def test_rows_without_a_class_belong_to_none():
    assert texts().subset(["y", "x"]).text == ["one", "three"]
    assert texts().counts == {"x": 1, "y": 1}
    assert texts().rows([1]).y.tolist() == [-1]


def test_subset_by_what_else_is_known():
    assert pages().subset(university="cornell").ids.tolist() == ["a", "b", "d"]
    assert pages().subset("staff", university=["cornell", "texas"]).ids.tolist() == ["b", "d"]


def test_another_label():
    data = pages().labeled_by("university")
    assert data.target_names == ("cornell", "texas")
    assert data.y.tolist() == [0, 0, 1, 0]


def test_small_integers_become_floats_and_floats_stay():
    assert pages(X=np.ones((4, 3), dtype=np.uint8)).X.dtype == np.float64
    assert pages(X=np.ones((4, 3), dtype=np.float32)).X.dtype == np.float32


def test_it_travels_to_other_processes():
    again = pickle.loads(pickle.dumps(pages()))
    np.testing.assert_array_equal(again.X, pages().X)
    assert again.links.tolist() == pages().links.tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda data: data.subset("stuff"), "has no class 'stuff'; it has staff"),
        (lambda data: data.subset(["staff", "staff"]), "asked for twice"),
        (lambda data: data.subset(university="cornel"), "no rows whose university is 'cornel'; it has cornell"),
        (lambda data: data.subset(college="cornell"), "no extra 'college'; it has university, pixels"),
        (lambda data: data.labeled_by("pixels"), r"shape \(4, 2, 2\), not one value a row"),
        (lambda data: data.rows([1, 1]), "row 1 is asked for twice"),
        (lambda data: data.rows([4]), "numbers from 0 to 3"),
        (lambda data: data.rows([-1]), "numbers from 0 to 3"),
        (lambda data: data.rows([0.5]), "integers; dtype is float64"),
        (lambda data: data.rows([True, False]), r"shape \(4,\); this one has \(2,\)"),
    ],
)
def test_what_cannot_be_taken(call, message):
    with pytest.raises(ValueError, match=message):
        call(pages())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": list("abcd")}, "either X or text"),
        ({"X": None}, "either X or text"),
        ({"X": np.ones(4)}, r"table of numbers; it has shape \(4,\)"),
        ({"X": np.full((4, 3), "a")}, "table of numbers"),
        ({"X": np.ones((3, 3))}, "X must have 4 entries; it has 3"),
        ({"y": [0, 1, 3, 1]}, "run from 0 to 3"),
        ({"y": [0, 1, -2, 1]}, "run from -2 to 1"),
        ({"y": [0.0, 1, 2, 1]}, "integers"),
        ({"ids": ["a"]}, "ids must have 4 entries; it has 1"),
        ({"links": [(0, 4)]}, "run from 0 to 4"),
        ({"feature_names": ["a"]}, "feature_names must have 3 entries"),
        ({"images": (2, 2)}, "do not have 3 pixels"),
        ({"extra": {"user": [1]}}, r"extra\['user'\] must have 4 entries"),
        ({"feature_extra": {"view": [1]}}, r"feature_extra\['view'\] must have 3 entries"),
    ],
)
def test_what_no_data_set_can_be(changes, message):
    with pytest.raises(ValueError, match=message):
        pages(**changes)
