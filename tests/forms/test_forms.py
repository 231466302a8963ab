"""Every form of the table keeps every law."""

import numpy as np
import pytest
from scipy import sparse

from cases.forms import CASES, DATA
from likewise.forms import Form, degree, laplacian, ridge, total_scatter
from likewise.graphs import RowMatrix
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
