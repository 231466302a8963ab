"""Rows on a device, here the strict stand-in of the array API standard, are placed as in host memory."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_blobs

from likewise.front import Likewise
from likewise.front._device import fuzzy_weights_on_device
from likewise.graphs._fuzzy import fuzzy_weights

xp = pytest.importorskip("array_api_strict", reason="array-api-strict is not installed (make setup)")


@pytest.fixture(autouse=True)
def dispatch(monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with sklearn.config_context(array_api_dispatch=True):
        yield


@pytest.fixture(scope="module", params=["one scale", "table", "counts", "all the same"])
def fitted(request):
    """A model, and its rows and others: clusters overlap, so that few rows are certain."""
    X = make_blobs(400, centers=3, n_features=5, cluster_std=4.0, random_state=3)[0] + 30
    if request.param == "table":
        X = X * [1.0, 10.0, 100.0, 1e3, 1e4] + 1e3
    elif request.param == "counts":
        X = np.round(np.abs(X))
    elif request.param == "all the same":
        X[:300] = X[0]
    kind = "counts" if request.param == "counts" else "auto"
    return Likewise(3, kind=kind, verbose=False, random_state=0).fit(X[:300]), X


def test_new_rows_are_placed_as_in_host_memory(fitted):
    model, X = fitted
    wanted, found = (model.predict_certainty(rows) for rows in (X[300:], xp.asarray(X[300:])))
    np.testing.assert_array_equal(found.labels, wanted.labels)
    np.testing.assert_array_equal(found.second_labels, wanted.second_labels)
    np.testing.assert_allclose(found.certainty, wanted.certainty, atol=1e-4)


def test_rows_of_fit_have_their_place(fitted):
    model, X = fitted
    found = model.predict_certainty(xp.asarray(X[:300]))
    np.testing.assert_array_equal(found.labels, model.labels_)
    np.testing.assert_allclose(found.certainty, model.certainty_, atol=1e-6)


def test_weights_of_rows_that_lie_on_others():
    distances = np.array([[0.0, 0.0, 1.0, 2.0, 4.0], [0.5, 1.0, 1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
    np.testing.assert_allclose(fuzzy_weights_on_device(xp.asarray(distances)), fuzzy_weights(distances), atol=1e-9)
