"""What a direction means: its features by weight."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import likewise as lw
from cases.data import blobs

X, Y = blobs(30, 6, seed=5)
NAMES = ["a", "b", "c", "d", "e", "f"]
FITTED = lw.Costco(2).fit(X, Y)


def test_largest_first_whatever_the_sign():
    for component, weights in enumerate(FITTED.components_):
        found = FITTED.top_features(component, n=4)
        assert [abs(weight) for _, weight in found] == sorted(np.abs(weights), reverse=True)[:4]
        assert all(weights[int(name[1:])] == weight for name, weight in found)


def test_names_come_from_the_caller_the_frame_or_the_place():
    (by_place, weight), *_ = FITTED.top_features(0)
    column = int(by_place.removeprefix("x"))
    assert FITTED.top_features(0, 1, NAMES) == [(NAMES[column], weight)]
    assert FITTED.top_features(0, 1, np.array(NAMES, dtype=object)) == [(NAMES[column], weight)]
    framed = lw.Costco(2).fit(pd.DataFrame(X, columns=NAMES), Y)
    assert framed.top_features(0, 1)[0][0] == NAMES[column]
    assert framed.top_features(0, 1, feature_names=list("uvwxyz"))[0][0] == "uvwxyz"[column]


def test_plain_pairs_come_back():
    for name, weight in FITTED.top_features(1):
        assert type(name) is str
        assert type(weight) is float


def test_only_features_with_a_weight():
    found = lw.ASP().fit(np.eye(4)[[0, 0, 1, 1]], [0, 0, 1, 1])
    assert found.top_features(0) == [("x0", 1.0)] or found.top_features(0) == [("x1", 1.0)]
    assert len(FITTED.top_features(0, n=100)) == 6


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((2,), ValueError, "component=2, but there are 2 directions, counted from 0. The last one is 1"),
        ((-1,), ValueError, "component must be at least 0, got -1"),
        ((0.0,), TypeError, "component must be a whole number"),
        ((True,), TypeError, "component must be a whole number"),
        ((0, 0), ValueError, "n must be at least 1"),
        ((0, 2, ["a"]), ValueError, "feature_names has 1 entries, but the data passed to fit had 6 columns"),
        ((0, 2, "abcdef"), ValueError, "one name for each column"),
    ],
)
def test_errors_say_what_to_do(arguments, error, message):
    with pytest.raises(error, match=message):
        FITTED.top_features(*arguments)


def test_unfitted_and_kernels_have_none():
    with pytest.raises(NotFittedError):
        lw.Costco(2).top_features(0)
    with pytest.raises(ValueError, match="kernel='rbf' has no weights on features"):
        lw.LPPSI(2, kernel="rbf").fit(X, Y).top_features(0)
    assert len(lw.LPPSI(2).fit(X, Y).top_features(0)) == 6
