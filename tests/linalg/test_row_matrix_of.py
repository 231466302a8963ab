"""Any symmetric matrix will do as weights between rows."""

import numpy as np
import pytest
from scipy import sparse

from likewise.forms import Form, degree, laplacian
from likewise.graphs import RowMatrix

W = np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
X = np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 2.0]])
L = np.diag(W.sum(axis=1)) - W


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_matrix, RowMatrix.of])
def test_forms_of_any_kind_of_matrix(kind):
    np.testing.assert_allclose(laplacian(kind(W)).matrix(X), X.T @ L @ X)
    np.testing.assert_allclose(degree(kind(W)).matrix(X), X.T @ np.diag(W.sum(axis=1)) @ X)
    np.testing.assert_allclose(Form(kind(W), 1.0, psd=False).matrix(X), X.T @ W @ X + np.eye(2))


@pytest.mark.parametrize("wrong", [np.ones((2, 3)), np.array([[0.0, 1.0], [0.0, 0.0]])])
def test_a_matrix_that_is_no_symmetric_square_is_refused(wrong):
    with pytest.raises(ValueError, match="symmetric n×n"):
        RowMatrix.of(wrong)


def test_small_groups_are_written_out_and_large_ones_kept():
    Z = sparse.csr_array(np.kron(np.eye(4), np.ones((2, 1))))
    low_rank = RowMatrix.low_rank(Z)
    written = low_rank.written_out(16)
    assert written.factor.shape[1] == 0
    np.testing.assert_allclose(written.toarray(), low_rank.toarray())
    assert low_rank.written_out(15) is low_rank


def test_of_small_and_large_groups_the_small_ones_are_written_out():
    Z = np.zeros((9, 3))
    Z[:2, 0] = Z[2:4, 1] = Z[4:, 2] = 1
    core = np.array([[1.0, -2.0, 0.5], [-2.0, 3.0, 0.0], [0.5, 0.0, 1.0]])
    mixed = RowMatrix.low_rank(Z, core)
    written = mixed.written_out(16)  # four entries for each of four parts; the next two take ten each
    np.testing.assert_allclose(written.toarray(), mixed.toarray())
    assert written.sparse.nnz == 16
    np.testing.assert_allclose(written.core.toarray(), [[0.0, 0.5], [0.5, 1.0]])
