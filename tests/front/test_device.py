"""Rows on a device, here the strict stand-in of the array API standard, are placed as in host memory."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.datasets import make_blobs

from likewise.front import Likewise, _device
from likewise.front._device import fuzzy_weights_on_device
from likewise.graphs._fuzzy import Nearness, fuzzy_weights
from likewise.linalg._unit_rows import unit_rows
from likewise.prepare import DataKind
from likewise.prepare._linear import LinearFeatures

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


@pytest.mark.parametrize("batch", [60, 99, 100])
def test_batches_change_nothing(fitted, monkeypatch, batch):
    model, X = fitted
    whole = model.predict_certainty(xp.asarray(X[300:]))
    monkeypatch.setattr(_device, "BATCH_ROWS", batch)
    found = model.predict_certainty(xp.asarray(X[300:]))
    np.testing.assert_array_equal(found.labels, whole.labels)
    np.testing.assert_array_equal(found.second_labels, whole.second_labels)
    np.testing.assert_allclose(found.certainty, whole.certainty, atol=1e-5)
    assert (found.labels.dtype, found.second_labels.dtype, found.certainty.dtype) == (np.int32, np.int32, np.float64)


@pytest.mark.parametrize("kind", ["table", "table of one scale", "counts", "text", "images"])
@pytest.mark.parametrize("width", [3, 120])
def test_linear_features_are_those_in_host_memory(kind, width):
    X = np.round(10 * np.abs(np.random.default_rng(0).normal(size=(60, width)))) * np.linspace(1, 3, width)
    features = LinearFeatures(DataKind(kind))
    new = X[40:]
    with sklearn.config_context(array_api_dispatch=False):
        features.fit_transform(X[:40])
        both = features.transform(new)
    found = _device._Linear(features, xp.asarray(new)).of(xp.asarray(new))
    for rows, wanted in zip(found, both, strict=True):
        wanted = wanted.toarray() if sparse.issparse(wanted) else wanted
        np.testing.assert_allclose(np.asarray(rows), wanted, atol=2e-5)


def test_rows_that_were_all_the_same_are_scaled_as_they_were():
    features = LinearFeatures(DataKind.ONE_SCALE)
    features.fit_transform(np.full((9, 2), 3.0))
    new = np.array([[3.0, 3.0], [4.0, -2.0]])
    _, linear = _device._Linear(features, xp.asarray(new)).of(xp.asarray(new))
    np.testing.assert_allclose(np.asarray(linear), features.transform(new)[1], rtol=1e-6)


@pytest.mark.parametrize(
    ("metric", "form"), [("euclidean", np.asarray), ("cosine", np.asarray), ("cosine", sparse.csr_array)]
)
def test_neighbors_and_their_weights_are_those_in_host_memory(metric, form):
    rng = np.random.default_rng(0)
    known, new = (unit_rows(rng.normal(size=(n, 3))) for n in (25, 12))
    new[3], new[4] = known[7], known[8] + 1e-4
    near = Nearness(form(known), 5, metric)
    rows = xp.asarray(new, dtype=xp.float32)
    numbers, weights, coincides = (np.asarray(part) for part in _device._Near(near, xp.asarray(new)).of(rows))
    wanted = near.of(form(new)).toarray()
    found = np.zeros((12, 25))
    np.put_along_axis(found, numbers, weights, axis=1)
    np.testing.assert_allclose(found, wanted, atol=2e-3)
    distances = np.linalg.norm(new[:, None] - known, axis=2)
    np.testing.assert_array_equal(numbers, np.argsort(distances, axis=1)[:, :5])
    assert numbers[3, 0] == 7
    assert np.flatnonzero(coincides).tolist() == ([3] if metric == "euclidean" else [3, 4])  # cosines are squares


@pytest.mark.parametrize(("apart", "coincides"), [(0.9e-5, True), (1.1e-5, False)])
def test_rows_coincide_up_to_the_precision_of_features(apart, coincides):
    near = Nearness(np.array([[0.0], [1.0], [2.0], [3.0]]), 2, "euclidean")
    new = xp.asarray([[apart]], dtype=xp.float32)
    assert bool(_device._Near(near, new).of(new)[2][0]) == coincides


@pytest.mark.parametrize("library", ["torch", "cupy._core.core", "array_api_strict._array_object"])
def test_the_smallest_values_are_found_by_each_library(monkeypatch, library):
    values = np.random.default_rng(0).permutation(40).reshape(4, 10).astype(float)

    def topk(self, k, dim, largest):
        assert not largest
        return SimpleNamespace(indices=np.argsort(np.asarray(self), axis=dim)[:, :k])

    kind = type("Values", (np.ndarray,), {"__module__": library, "topk": topk})
    monkeypatch.setitem(sys.modules, "cupy", np)
    rows = xp.asarray(values) if library.startswith("array_api") else values.view(kind)
    for k in (1, 3, 10):
        found = np.asarray(_device._smallest(rows, k))
        assert found.shape == (4, k)
        np.testing.assert_array_equal(np.sort(found), np.sort(np.argsort(values, axis=1)[:, :k]))


def test_sums_over_neighbors_are_weighted():
    rng = np.random.default_rng(0)
    values, numbers, weights = rng.normal(size=(6, 2)), rng.integers(0, 6, (4, 3)), rng.random((4, 3))
    found = _device._weighted(*map(xp.asarray, (values, numbers, weights)))
    np.testing.assert_allclose(np.asarray(found), np.einsum("ij,ijk->ik", weights, values[numbers]))


def test_rows_without_votes_have_no_certainty():
    """Rows of text without a known word are near to nothing."""
    shares, near = np.array([[1.0, 0.0], [0.25, 0.75]]), np.array([[0, 1], [0, 1], [1, 0]])
    weights = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.0]])
    assigner = object.__new__(_device._Assigner)
    labels = np.array([0, 1])
    nearest = SimpleNamespace(of=lambda rows: (xp.asarray(near), xp.asarray(weights), xp.asarray([False, False, True])))
    assigner.__dict__.update(
        _xp=xp,
        _k=2,
        _linear=SimpleNamespace(of=lambda rows: (rows, rows)),
        _near_in_graph=nearest,
        _near=nearest,
        _walk=xp.asarray(np.eye(2)),
        _graph_embedding=xp.asarray(np.eye(2)),
        _known=xp.asarray(np.column_stack([labels, [-1, 0], [1.0, 0.6]])),
        _votes=xp.asarray(np.hstack([np.eye(2), shares])),
    )
    found = [np.asarray(part).tolist() for part in assigner.of(xp.asarray(np.ones((3, 2))))]
    assert found == [[0, 0, 1], [-1, 1, 0], [0.0, pytest.approx(1.25 / 2), 0.6]]
