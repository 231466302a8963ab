"""Every form of the table keeps every law."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy import sparse

from cases.forms import CASES, DATA
from likewise.forms import Form, degree, laplacian, ridge, total_scatter
from likewise.forms._kinds import centroids
from likewise.graphs import RowMatrix
from likewise.linalg import _products as products
from likewise.testing import check_form

EVERY = pytest.mark.parametrize("name", CASES)
ON_ALL_DATA = pytest.mark.parametrize("data", DATA)


@EVERY
@ON_ALL_DATA
def test_form_keeps_its_promises(name, data):
    X = DATA[data]
    check_form(CASES[name][0](X), X, random_state=1)


@EVERY
@ON_ALL_DATA
def test_form_equals_its_definition(name, data):
    X = DATA[data]
    make, slow = CASES[name]
    expected = slow(X.toarray() if sparse.issparse(X) else X)
    np.testing.assert_allclose(make(X).matrix(X), expected, atol=1e-9 * max(np.abs(expected).max(), 1.0))


@EVERY
def test_sparse_and_dense_data_give_the_same_form(name):
    X = DATA["sparse"]
    form = CASES[name][0](X)
    np.testing.assert_allclose(form.matrix(X), form.matrix(X.toarray()), atol=1e-9)
    V = np.random.default_rng(0).normal(size=(X.shape[1], 2))
    np.testing.assert_allclose(form.apply(X, V), form.apply(X.toarray(), V), atol=1e-9)
    np.testing.assert_allclose(form.diagonal(X), form.diagonal(X.toarray()), atol=1e-9)
    np.testing.assert_allclose(form.value(X, V), form.value(X.toarray(), V), atol=1e-9)


LINK = RowMatrix.from_pairs(24, np.array([[0, 1], [2, 5]]), np.array([1.0, -3.0]))


class WrongApply(Form):
    def apply(self, X, V):
        return 1.001 * super().apply(X, V)


class WrongVector(Form):
    def apply(self, X, V):
        return super().apply(X, V.reshape(len(V), -1))


class WrongDiagonal(Form):
    def diagonal(self, X):
        return super().diagonal(X) + 1.0


class WrongValue(Form):
    def value(self, X, W):
        return 2 * super().value(X, W)


class Lopsided(Form):
    def matrix(self, X):
        M = super().matrix(X)
        M[0, 1] += 1.0
        return M


class Infinite(Form):
    def matrix(self, X):
        return super().matrix(X) * np.nan


class WrongSum(Form):
    def __add__(self, other):
        return Form(self.rows, 7.0 + self.ridge + other.ridge)


class WrongMultiple(Form):
    def __rmul__(self, scalar):
        return Form(self.rows, self.ridge)


class WrongSign(Form):
    def __neg__(self):
        return Form(-self.rows, self.ridge, psd=True)


CENTERD = RowMatrix.centering(24)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (WrongApply(CENTERD), r"apply\(X, V\) is not matrix\(X\) @ V: off by"),
        (WrongVector(CENTERD), r"one vector is not matrix\(X\) @ v: shapes"),
        (WrongDiagonal(CENTERD), r"diagonal\(X\) is not the diagonal"),
        (WrongValue(CENTERD), r"value\(X, W\) is not the quadratic form"),
        (Lopsided(CENTERD), r"matrix\(X\) is not symmetric"),
        (Infinite(CENTERD), "is not finite"),
        (WrongSum(CENTERD), r"the matrix of form \+ other is not"),
        (WrongMultiple(CENTERD), r"the matrix of 2.5 \* form is not"),
        (WrongSign(CENTERD), "-form: psd=True, but"),
        (Form(LINK), "psd=True, but the matrix has the eigenvalue -"),
        (laplacian(LINK), "psd=True, but"),
        (-total_scatter(24) + Form(None, 1e-6, psd=False), None),
    ],
)
def test_check_form_finds_the_broken_promise(form, words):
    X = DATA["dense"]
    if words is None:
        check_form(form, X)
        return
    with pytest.raises(AssertionError, match=words):
        check_form(form, X)


def test_check_form_looks_at_the_shape():
    class Narrow(Form):
        def matrix(self, X):
            return super().matrix(X)[:-1, :-1]

    with pytest.raises(AssertionError, match=r"has shape \(4, 4\), X has 5 features"):
        check_form(Narrow(CENTERD), DATA["dense"])


def test_degree_of_a_signed_graph_admits_that_it_is_indefinite():
    assert not degree(LINK).psd
    assert degree(LINK + RowMatrix.diag(np.full(24, 3.0))).psd


def test_a_negative_ridge_is_refused():
    with pytest.raises(ValueError, match=r"a ridge must not be negative, got -1\.0"):
        ridge(np.array([1.0, -1.0]))


def test_has_ridge_needs_every_feature():
    assert ridge(0.5).has_ridge
    assert not ridge(np.array([1.0, 0.0])).has_ridge
    assert not total_scatter(4).has_ridge


def test_a_difference_of_ridges_may_be_negative_and_is_none():
    assert not (ridge(np.array([1.0, 1.0])) - ridge(np.array([0.5, 2.0]))).has_ridge


def test_float32_rows_are_summed_in_double():
    """So far from the origin that sums in single precision would be wrong in the fourth digit."""
    X = (np.random.default_rng(0).normal(size=(24, 5)) + 1000).astype(np.float32)
    exact = X.astype(np.float64)
    form = Form(LINK + RowMatrix.diag(np.linspace(0.5, 2, 24)) + RowMatrix.low_rank(np.ones((24, 1))), 0.3)
    V = np.random.default_rng(1).normal(size=(5, 2))
    size = abs(form.matrix(exact)).max()
    for kind in (np.asarray, sparse.csr_array):
        np.testing.assert_allclose(form.matrix(kind(X)), form.matrix(exact), atol=1e-11 * size)
        np.testing.assert_allclose(form.diagonal(kind(X)), form.diagonal(exact), atol=1e-11 * size)
        np.testing.assert_allclose(form.apply(kind(X), V), form.apply(exact, V), atol=1e-11 * size)
        np.testing.assert_allclose(form.value(kind(X), V), form.value(exact, V), atol=1e-11 * size)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_sums_over_many_blocks_are_those_over_one(kind, precision, monkeypatch):
    X = kind(np.random.default_rng(0).normal(size=(24, 5)).astype(precision))
    form = Form(LINK + RowMatrix.diag(np.linspace(0.5, 2, 24)), 0.3)
    whole = form.matrix(X), form.diagonal(X)
    monkeypatch.setattr(products, "ENTRIES", 20)  # four rows
    np.testing.assert_allclose(form.matrix(X), whole[0], atol=1e-12)
    np.testing.assert_allclose(form.diagonal(X), whole[1], atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.coo_matrix])
def test_rows_may_be_any_symmetric_matrix(kind):
    X = DATA["dense"]
    K = LINK.toarray()
    form = Form(kind(K), psd=False)
    np.testing.assert_allclose(form.matrix(X), X.T @ K @ X, atol=1e-9)
    check_form(form, X)


def test_a_form_cannot_be_changed():
    """Pencils share forms: one that changed would change them all."""
    for name in ("rows", "ridge", "psd"):
        with pytest.raises(FrozenInstanceError):
            setattr(total_scatter(4), name, None)


def test_single_precision_stays_single_where_all_three_have_it():
    X = np.random.default_rng(0).normal(size=(24, 5)).astype(np.float32)
    V = np.random.default_rng(1).normal(size=(5, 2)).astype(np.float32)
    form = Form(LINK, np.linspace(1, 2, 5))
    single = form.astype(np.float32)
    assert single.ridge.dtype == np.float32
    assert single.apply(X, V).dtype == np.float32
    assert form.apply(X, V.astype(np.float64)).dtype == np.float64
    np.testing.assert_allclose(single.apply(X, V), form.apply(X.astype(float), V.astype(float)), rtol=1e-4, atol=1e-4)
    assert ridge(2.0).astype(np.float32).rows is None


def test_centroids_and_how_many_groups_each_counts_as():
    codes = np.array([4, -1, 4, 0, 7])
    X = np.arange(10.0).reshape(5, 2)
    means, counts = centroids(codes)
    np.testing.assert_allclose(means.T @ X, [X[3], (X[0] + X[2]) / 2, X[4]])  # by code
    np.testing.assert_array_equal(counts, [1, 1, 1])
    means, counts = centroids(codes, np.array([1.0, 5.0, 3.0, 2.0, 0.0]))
    np.testing.assert_allclose(means.T @ X, [X[3], (X[0] + 3 * X[2]) / 4])  # a row of weight 0 is in none
    np.testing.assert_array_equal(counts, [2, 1])  # a group of one row of weight 2 is two groups
