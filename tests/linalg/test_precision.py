"""float32 data: sums in double precision, and no copy of the data in it."""

import tracemalloc

import numpy as np
import pytest
from scipy import linalg, sparse

import likewise as lw
from cases.data import blobs
from likewise.forms import Form
from likewise.graphs import RowMatrix, neighbor_graph
from likewise.linalg import _davidson as davidson
from likewise.linalg import _products as products
from likewise.pencil import Route

N, F = 300, 12
FAR = 1e3
"""So far from the origin that sums in single precision would show."""


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(products, "ENTRIES", 500)


def rows(seed=0):
    return (np.random.default_rng(seed).normal(size=(N, F)) + FAR).astype(np.float32)


def weights(kind):
    graph = neighbor_graph(blobs(N, 3)[0], 4)
    codes = np.arange(N) % 7
    groups = RowMatrix.low_rank(sparse.csr_array(np.eye(7)[codes]))
    diagonal = RowMatrix.diag(np.linspace(0.5, 2, N))
    return {"diagonal": diagonal, "graph": diagonal + graph, "groups": groups.centered(), "all": graph + groups}[kind]


@pytest.mark.parametrize("kind", ["diagonal", "graph", "groups", "all"])
def test_forms_of_float32_are_those_of_the_same_numbers(small_blocks, kind):
    X, form = rows(), Form(weights(kind), 0.3)
    exact = X.astype(np.float64)
    V = np.random.default_rng(1).normal(size=(F, 3))
    size = np.abs(form.matrix(exact)).max()
    assert form.matrix(X).dtype == np.float64
    np.testing.assert_allclose(form.matrix(X), form.matrix(exact), atol=1e-12 * size)
    np.testing.assert_allclose(form.apply(X, V), form.apply(exact, V), atol=1e-11 * size)
    np.testing.assert_allclose(form.value(X, V), form.value(exact, V), atol=1e-11 * size)
    np.testing.assert_allclose(form.diagonal(X), form.diagonal(exact), atol=1e-6 * size)


@pytest.mark.parametrize("left", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("width", [2, 90])
def test_products_are_summed_in_double(small_blocks, left, width):
    A = np.random.default_rng(0).normal(size=(N, width))
    X = rows()
    np.testing.assert_allclose(products.crossprod64(left(A), X), A.T @ X.astype(np.float64), rtol=1e-13, atol=1e-9)
    np.testing.assert_allclose(products.crossprod64(X, A), X.T.astype(np.float64) @ A, rtol=1e-13, atol=1e-9)
    np.testing.assert_allclose(products.matmul64(X, A[:F]), X.astype(np.float64) @ A[:F], rtol=1e-13, atol=1e-9)


METHODS = [
    lw.ASP(3),
    lw.Costco(3),
    lw.DCA(3),
    lw.RCA(3),
    lw.SSDR(3),
    lw.XingMetric(),
    lw.MPCKMeans(3, n_init=1, random_state=0),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_a_fit_of_float32_holds_no_copy_in_double(monkeypatch, method):
    monkeypatch.setattr(products, "ENTRIES", 2**14)
    X, y = blobs(4000, 120)
    hints = lw.Constraints.sample(y, "equal", 30, random_state=0)

    def peak(data):
        tracemalloc.start()
        method.fit(data, constraints=hints)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    method.fit(X, constraints=hints)  # what is loaded on the first call counts for nobody
    assert peak(X.astype(np.float32)) < 0.75 * peak(X)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("method", [lw.Costco(3), lw.SSDR(3), lw.GCDR(3), lw.LPP(3)], ids=lambda m: type(m).__name__)
def test_the_matrix_free_route_runs_in_the_precision_of_the_data(monkeypatch, method, kind):
    rng = np.random.default_rng(0)
    X, y = blobs(200, 300)
    X = np.where(rng.random(X.shape) < 0.3, X + 3, 0.0)
    hints = lw.Constraints.sample(y, "equal", 30, random_state=0)
    monkeypatch.setattr("likewise.pencil._solve.choose_route", lambda *args, **kwargs: Route.MATRIX_FREE)
    rough = type(method).__name__ in ("GCDR", "LPP")
    if rough:
        monkeypatch.setattr("likewise.pencil._matrix_free.WOODBURY", 0)
    types = set()
    original = davidson._Basis.add
    monkeypatch.setattr(
        davidson._Basis,
        "add",
        lambda self, V, Y, D, size: (
            types.add((V.dtype.char, Y.dtype.char, D.dtype.char)) or original(self, V, Y, D, size)
        ),
    )
    found = [method.fit(kind(X.astype(precision)), constraints=hints).components_ for precision in ("f8", "f4")]
    assert method.route_ == "matrix-free"
    assert {("f", "f", "f"), ("d", "d", "d")} <= types
    assert found[1].dtype == np.float32
    assert linalg.subspace_angles(found[0].T, found[1].T.astype(float)).max() < (0.1 if rough else 1e-2)
