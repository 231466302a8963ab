"""RowMatrix does what the n×n matrix it stands for does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from cases.data import law
from likewise.graphs import RowMatrix
from likewise.linalg._row_matrix import indicator, selector

NUMBERS = st.sampled_from([0.0, 0.0, 0.0, 1.0, -1.0, 0.5, 2.0, -3.0])


@st.composite
def symmetric(draw, n):
    flat = draw(st.lists(NUMBERS, min_size=n * n, max_size=n * n))
    half = np.array(flat).reshape(n, n)
    return half + half.T


@st.composite
def row_matrices(draw, n=None):
    n = draw(st.integers(1, 6)) if n is None else n
    g = draw(st.integers(0, 3))
    factor = np.array(draw(st.lists(NUMBERS, min_size=n * g, max_size=n * g))).reshape(n, g)
    core = draw(symmetric(g)) if draw(st.booleans()) else None
    return RowMatrix(sparse.csr_array(draw(symmetric(n))), factor, core)


@st.composite
def two_row_matrices(draw):
    n = draw(st.integers(1, 5))
    return draw(row_matrices(n)), draw(row_matrices(n))


def close(found, expected):
    np.testing.assert_allclose(found, expected, atol=1e-10)


@law
@given(row_matrices())
def test_written_out_it_is_sparse_plus_low_rank(K):
    expected = K.sparse.toarray() + K.factor.toarray() @ K.core.toarray() @ K.factor.toarray().T
    close(K.toarray(), expected)
    close(K.toarray(), K.toarray().T)
    assert K.n == len(expected)


@law
@given(two_row_matrices(), st.sampled_from([0.0, 1.0, -2.5, 3.0]))
def test_arithmetic(pair, scalar):
    K, L = pair
    A, B = K.toarray(), L.toarray()
    close((K + L).toarray(), A + B)
    close((K - L).toarray(), A - B)
    close((-K).toarray(), -A)
    close((scalar * K).toarray(), scalar * A)
    close((K * scalar).toarray(), scalar * A)


@law
@given(row_matrices(), st.integers(0, 3))
def test_products(K, columns):
    V = np.random.default_rng(columns).normal(size=(K.n, columns))
    close(K @ V, K.toarray() @ V)
    close(K @ np.arange(K.n), K.toarray() @ np.arange(K.n))
    close(K.row_sums(), K.toarray().sum(axis=1))


@law
@given(row_matrices(), st.data())
def test_entries(K, data):
    place = st.lists(st.tuples(st.integers(0, K.n - 1), st.integers(0, K.n - 1)), max_size=6)
    places = np.array(data.draw(place), dtype=int).reshape(-1, 2)
    found = K.entries(places[:, 0], places[:, 1])
    assert found.shape == (len(places),)
    close(found, K.toarray()[places[:, 0], places[:, 1]])


@law
@given(row_matrices())
def test_diagonal(K):
    close(K.diagonal(), np.diag(K.toarray()))
    bare = K.toarray()
    np.fill_diagonal(bare, 0.0)
    close(K.without_diagonal().toarray(), bare)


@law
@given(row_matrices())
def test_span_and_support(K):
    rows, E, B = K.span()
    close((E @ B @ E.T).toarray(), K.toarray())
    assert E.shape == (K.n, len(rows) + K.factor.shape[1])
    np.testing.assert_array_equal(rows, K.support())
    touched = np.flatnonzero(np.abs(K.sparse.toarray()).sum(axis=1))
    assert set(touched) <= set(rows.tolist())


@law
@given(row_matrices(4), st.integers(1, 7), st.integers(0, 9))
def test_lift(K, n, seed):
    members = np.random.default_rng(seed).normal(size=(n, 4))
    close(K.lift(members).toarray(), members @ K.toarray() @ members.T)


@law
@given(row_matrices())
def test_centered(K):
    H = np.eye(K.n) - 1.0 / K.n
    close(K.centered().toarray(), H @ K.toarray() @ H)
    close(K.centered().row_sums(), np.zeros(K.n))
    assert K.ignores_shifts() == np.allclose(K.toarray().sum(axis=1), 0.0)


@law
@given(st.integers(1, 6))
def test_constructors(n):
    rng = np.random.default_rng(n)
    values, factor = rng.normal(size=n), rng.normal(size=(n, 2))
    close(RowMatrix.zeros(n).toarray(), np.zeros((n, n)))
    close(RowMatrix.diag(values).toarray(), np.diag(values))
    close(RowMatrix.low_rank(factor).toarray(), factor @ factor.T)
    close(RowMatrix.centering(n).toarray(), np.eye(n) - np.ones((n, n)) / n)


def test_from_pairs_is_a_graph():
    graph = RowMatrix.from_pairs(4, np.array([[0, 2], [1, 2]]), np.array([2.0, -1.0]))
    expected = np.zeros((4, 4))
    expected[0, 2] = expected[2, 0] = 2.0
    expected[1, 2] = expected[2, 1] = -1.0
    close(graph.toarray(), expected)


def test_indicator_and_selector():
    np.testing.assert_array_equal(indicator(np.array([1, -1, 0, 1])).toarray(), [[0, 1], [0, 0], [1, 0], [0, 1]])
    assert indicator(np.array([0, -1]), 3).shape == (2, 3)
    assert indicator(np.array([-1, -1])).shape == (2, 0)
    np.testing.assert_array_equal(selector(3, np.array([2, 0])).toarray(), [[0, 1], [0, 0], [1, 0]])


def test_a_product_never_writes_the_matrix_out(monkeypatch):
    n = 100_000
    K = RowMatrix.centering(n) + RowMatrix.low_rank(indicator(np.arange(n) % 3))
    monkeypatch.setattr(RowMatrix, "toarray", lambda self: pytest.fail("written out"))
    x = np.arange(n, dtype=float)
    sums = np.array([x[start::3].sum() for start in range(3)])
    np.testing.assert_allclose(K @ x, x - x.mean() + sums[np.arange(n) % 3])
    np.testing.assert_allclose(K.diagonal(), 2.0 - 1.0 / n)
