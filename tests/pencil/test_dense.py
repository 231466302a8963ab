"""The dense route computes the best directions alone, and divides by a Cholesky factor, without changing the answer."""

import numpy as np
import pytest
from scipy import linalg

from cases.data import blobs, nested_angle
from cases.pencils import CASES, DATA
from likewise import SSDR, Constraints
from likewise.forms import laplacian, ridge, total_scatter
from likewise.graphs import RowMatrix
from likewise.linalg import _eigen as eigen
from likewise.linalg._eigen import generalized_eigh, well_conditioned_cholesky
from likewise.pencil import Pencil, solve_pencil


@pytest.fixture
def calls(monkeypatch):
    """Few directions are found alone whatever their share is; how many were asked for at each call."""
    asked = []
    monkeypatch.setattr(eigen, "MANY", 1.0)
    monkeypatch.setattr(eigen, "SPARE", 1)
    original = generalized_eigh
    monkeypatch.setattr(
        "likewise.pencil._direct.generalized_eigh", lambda *given: asked.append(given[-1]) or original(*given)
    )
    return asked


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("data", DATA)
def test_the_best_directions_are_those_of_all(name, data, calls):
    X = DATA[data]
    pencil = CASES[name](X)
    everything = solve_pencil(X, pencil, route="dense")
    found = solve_pencil(X, pencil, 2, route="dense")
    assert nested_angle(found.components, everything.components[:2]) < 1e-6
    np.testing.assert_allclose(found.share, everything.share[:2], rtol=1e-6, atol=1e-8)
    assert found.rank in (None, everything.rank)


def test_directions_that_tie_beyond_the_last_are_all_looked_at(calls):
    """Six directions are felt by no hint and tie: of these the widest two are the answer, whichever come out first."""
    X = blobs(50, 12, seed=3)[0] * np.linspace(1, 2, 12)
    pairs = np.arange(12).reshape(6, 2)
    pencil = Pencil(laplacian(RowMatrix.from_pairs(50, pairs, np.ones(6))), total_scatter(50))
    everything, found = (solve_pencil(X, pencil, count, route="dense") for count in (None, 2))
    assert everything.n_perfect == found.n_perfect == 6
    assert calls == [None, 2, None]
    assert nested_angle(found.components, everything.components[:2]) < 1e-6


def test_discarded_directions_do_not_count_as_found(calls):
    X = blobs(50, 12, seed=3)[0]
    pull = laplacian(RowMatrix.from_pairs(50, np.array([[0, 1], [2, 3], [4, 5], [6, 7]]), np.ones(4)))
    pencil = Pencil(pull, total_scatter(50), over="push", null_space="discard")
    everything, found = (solve_pencil(X, pencil, count, route="dense") for count in (None, 3))
    assert len(found.components) == 3
    assert nested_angle(found.components, everything.components[:3]) < 1e-6


def test_a_root_is_taken_only_of_what_is_far_from_singular():
    rng = np.random.default_rng(0)
    turn = linalg.qr(rng.normal(size=(6, 6)))[0]
    for smallest, sound in ((1e-3, True), (1e-9, False), (0.0, False), (-1.0, False)):
        matrix = turn * np.array([smallest, 1, 1, 2, 2, 3]) @ turn.T
        root = well_conditioned_cholesky((matrix + matrix.T) / 2)
        assert (root is not None) == sound
        if root is not None:
            np.testing.assert_allclose(root @ root.T, matrix, atol=1e-12)
    assert well_conditioned_cholesky(np.zeros((0, 0))) is None


def test_with_and_without_a_root_the_same(monkeypatch):
    X = blobs(60, 15, seed=1)[0]
    links = RowMatrix.from_pairs(60, np.array([[0, 1], [2, 3], [4, 9]]), np.ones(3))
    pencil = Pencil(laplacian(links) + ridge(0.5), total_scatter(60))
    with_root = solve_pencil(X, pencil, 4, route="dense")
    monkeypatch.setattr(eigen, "WELL_CONDITIONED", np.inf)
    without = solve_pencil(X, pencil, 4, route="dense")
    assert nested_angle(with_root.components, without.components) < 1e-7
    np.testing.assert_allclose(with_root.share, without.share, rtol=1e-9)


def test_numpy_integers_are_integers():
    """Few of many directions, so that only these are computed."""
    X, y = blobs(80, 300)
    hints = Constraints.sample(y, "equal", 20, random_state=0)
    expected = SSDR(6).fit(X, constraints=hints).components_
    np.testing.assert_array_equal(SSDR(np.int64(6)).fit(X, constraints=hints).components_, expected)


@pytest.mark.parametrize("count", [None, 3])
@pytest.mark.parametrize("singular", [False, True])
def test_generalized_eigenpairs(count, singular):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 60, 60))
    A = A + A.T
    B = B @ B.T + np.eye(60)
    if singular:
        B[:, 0] = B[0] = 0.0
    kept = A.copy(), B.copy()
    values, vectors, is_complete = generalized_eigh(A, B, count)
    assert is_complete == (count is None or singular)
    assert (np.diff(values) <= 0).all()
    inside = slice(1, None) if singular else slice(None)
    expected = linalg.eigh(A[inside, inside], B[inside, inside], eigvals_only=True)[::-1]
    np.testing.assert_allclose(values, expected[: len(values)], atol=1e-9)
    np.testing.assert_allclose(vectors.T @ B @ vectors, np.eye(len(values)), atol=1e-9)
    np.testing.assert_allclose((A @ vectors - B @ vectors * values)[inside], 0, atol=1e-9)
    np.testing.assert_array_equal(A, kept[0])
    np.testing.assert_array_equal(B, kept[1])
