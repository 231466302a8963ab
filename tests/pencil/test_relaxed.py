"""Rows that may lie anywhere: a bound on what directions reach, and a start that is close to it."""

import numpy as np
import pytest
from scipy import sparse

from cases.data import blobs, nested_angle
from likewise.forms import Form, laplacian, ridge
from likewise.graphs import RowMatrix, neighbor_graph
from likewise.pencil import Pencil, Route, solve_pencil
from likewise.pencil import _matrix_free as matrix_free
from likewise.pencil import _relaxed as relaxed
from likewise.pencil._relaxed import _Embedding, relaxed_optimum

N, WANTED = 120, 4


def wide(seed=0):
    """More features than rows, so that rows can be followed closely."""
    return blobs(N, 200, seed=seed)[0]


def graph_pencil(X, *, centered, cost):
    near = neighbor_graph(X, 5)
    degrees = RowMatrix.diag(1.0 + near.row_sums())
    push = Form(degrees.centered() if centered else degrees)
    return Pencil(pull=laplacian(near) + ridge(cost), push=push + ridge(cost), over="push")


@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("cost", [1e-4, 1.0, 100.0])
def test_no_direction_exceeds_the_bounds(centered, cost):
    X = wide()
    pencil = graph_pencil(X, centered=centered, cost=cost)
    found = relaxed_optimum(Form(pencil.numerator.rows, -1.0), Form(pencil.denominator.rows, 1.0), WANTED)
    reached = -quotients(X, pencil, solve_pencil(X, pencil, WANTED, route="dense"))
    assert (found.bounds[:WANTED] >= reached - 1e-9).all()
    if cost == 1e-4:
        np.testing.assert_allclose(found.bounds[:WANTED], reached, atol=5e-3)


def quotients(X, pencil, found):
    W = found.components.T
    return pencil.pull.value(X, W) / pencil.push.value(X, W)


@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("kind", ["falls", "both signs", "in parts"])
def test_the_embedding_is_leading_eigenvectors(kind, centered, monkeypatch):
    """Also where the others reach far below zero, or where several places are equally good."""
    monkeypatch.setattr(relaxed, "FIRST_TOL", 0.5)  # a look so short that the polynomial has to do it
    rng = np.random.default_rng(0)
    n = 400
    near = neighbor_graph(rng.normal(size=(n, 3)), 4).sparse
    if kind == "in parts":
        near = sparse.block_diag([neighbor_graph(rng.normal(size=(100, 3)), 4).sparse] * 4, format="csr")
    graph = RowMatrix(near)
    if kind == "both signs":
        far = np.array([[i, i + 200] for i in range(60)])
        graph = graph - RowMatrix.from_pairs(n, far, np.full(60, 5.0))
    weights = RowMatrix.diag(1.0 + abs(graph.sparse).sum(axis=1))
    numerator = -laplacian(graph, signed=True).rows
    found = relaxed_optimum(Form(numerator, -10.0), Form(weights.centered() if centered else weights, 1.0), WANTED)
    root = 1 / np.sqrt(weights.diagonal())
    matrix = root[:, None] * numerator.toarray() * root
    if centered:
        mean = np.outer(root, root) / (root @ root)
        matrix = (np.eye(n) - mean) @ matrix @ (np.eye(n) - mean) - 100 * mean
    expected = np.linalg.eigvalsh(matrix)[::-1][: WANTED + relaxed.SPARE]
    close = 4e-3  # quotients lie between −2 and 2
    np.testing.assert_allclose(found.bounds, expected, atol=close)
    assert (found.bounds >= expected - 1e-9).all()
    V = found.embedding / root[:, None]
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-8)
    np.testing.assert_allclose(np.einsum("ij,ij->j", V, matrix @ V), expected, atol=close)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("centered", [False, True])
def test_the_start_changes_no_answer(kind, centered, monkeypatch):
    monkeypatch.setattr(matrix_free, "WOODBURY", 0)
    used = []
    original = matrix_free.relaxed_optimum
    monkeypatch.setattr(matrix_free, "relaxed_optimum", lambda *given: used.append(original(*given)) or used[-1])
    X = wide()
    pencil = graph_pencil(X, centered=centered, cost=1.0)
    expected = solve_pencil(X, pencil, WANTED, route="dense")
    found = solve_pencil(kind(X), pencil, WANTED, route=Route.MATRIX_FREE, tol=1e-9)
    assert len(used) == 1
    assert used[0] is not None
    assert nested_angle(found.components, expected.components) < 1e-5
    rough = solve_pencil(kind(X), pencil, WANTED, route=Route.MATRIX_FREE, tol=0.02)
    np.testing.assert_allclose(rough.share, expected.share, atol=0.02 * np.abs(expected.share).max() + 1e-9)


@pytest.mark.parametrize("size", [1e-9, 1e9])
def test_single_precision_holds_any_unit(size, monkeypatch):
    monkeypatch.setattr(matrix_free, "WOODBURY", 0)
    X = wide()
    plain, scaled = (
        solve_pencil(X * unit, graph_pencil(X, centered=True, cost=unit**2), 2, route="matrix-free", tol=0.01)
        for unit in (1.0, size)
    )
    np.testing.assert_allclose(scaled.share, plain.share, rtol=1e-3)


WEIGHTS = _Embedding(RowMatrix.diag(np.linspace(-3.0, 2.0, 11)), np.ones((11, 1)), None)


def test_the_filter_is_a_polynomial_of_odd_degree():
    """Beyond the interval it is steep on both sides, and below it stays below."""
    filtered = relaxed._ChebyshevFilter(WEIGHTS, middle=-0.5, half=1.5)
    places = (WEIGHTS.rows.diagonal() + 0.5) / 1.5
    V = np.random.default_rng(0).normal(size=(11, 2))
    expected = np.polynomial.chebyshev.chebval(places, np.eye(relaxed.DEGREE + 1)[-1])
    np.testing.assert_allclose(filtered.multiply(V, V), expected[:, None] * V, rtol=1e-9)
    assert relaxed.DEGREE % 2 == 1


@pytest.mark.parametrize(("top", "largest"), [(-0.5, 1.0), (0.0, 1.0), (1.0, 1.0), (2.5, 5042.0)])
def test_the_tolerance_of_the_filter_is_relative_to_its_largest_value(top, largest):
    """Inside of the interval, where equal quotients may lie, that is 1."""
    filtered = relaxed._ChebyshevFilter(WEIGHTS, middle=-0.5, half=1.5)
    assert filtered.tol(top, 1e-3) == pytest.approx(1e-3 * relaxed.DEGREE**2 / 1.5 / largest)


def test_none_where_the_denominator_relates_rows():
    X = wide()
    near = neighbor_graph(X, 5)
    weights = RowMatrix.diag(1.0 + near.row_sums())
    numerator = Form(-laplacian(near).rows, -1.0)
    assert relaxed_optimum(numerator, Form(weights, 1.0), WANTED) is not None
    assert relaxed_optimum(numerator, Form(weights + near, 1.0), WANTED) is None
    assert relaxed_optimum(numerator, Form(RowMatrix.diag(np.r_[0.0, np.ones(N - 1)]), 1.0), WANTED) is None
    assert relaxed_optimum(numerator, Form(weights, 1.0), N // 4) is None
    # Centered weights around a mean that the numerator sees are no weights.
    sees = Form(RowMatrix.diag(np.ones(N)), 0.0)
    assert relaxed_optimum(sees, Form(weights.centered(), 1.0), WANTED) is None
