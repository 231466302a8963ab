"""LAPACK without Python's lock, held to SciPy's calls of the same routines."""

import numpy as np
import pytest
from scipy import linalg

from likewise._lapack import divided, largest_eigenpairs, solved


@pytest.fixture(params=[1, 2, 7, 90])
def matrices(request):
    rng = np.random.default_rng(request.param)
    size = request.param
    A, B = rng.normal(size=(2, size, size))
    return A + A.T, linalg.cholesky(B @ B.T + size * np.eye(size), lower=True)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_they_do_what_their_words_say_and_change_nothing(matrices, order, dtype):
    A, L = (np.array(one, order=order, dtype=dtype) for one in matrices)
    kept = A.copy(), L.copy()
    inverse, size = linalg.inv(L.astype(float)), len(A)
    np.testing.assert_allclose(np.tril(divided(A, L)), np.tril(inverse @ A @ inverse.T), atol=1e-12)
    np.testing.assert_allclose(solved(L, A[:, ::-1]), inverse.T @ A[:, ::-1], atol=1e-12)
    for count in {1, size // 2 or 1, size}:
        values, vectors = largest_eigenpairs(A, count)
        np.testing.assert_allclose(values, linalg.eigvalsh(A.astype(float))[size - count :], atol=1e-12 * size)
        np.testing.assert_allclose(A.astype(float) @ vectors, vectors * values, atol=1e-12 * size)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(count), atol=1e-12 * size)
    np.testing.assert_array_equal(A, kept[0])
    np.testing.assert_array_equal(L, kept[1])


def test_only_the_lower_triangle_is_read(matrices):
    A, L = matrices
    spoiled = np.tril(A) + np.triu(np.full_like(A, np.pi), 1)
    np.testing.assert_array_equal(largest_eigenpairs(spoiled, 1)[0], largest_eigenpairs(A, 1)[0])
    np.testing.assert_array_equal(np.tril(divided(spoiled, L)), np.tril(divided(A, L)))


def test_a_routine_that_fails_is_named():
    with pytest.raises(linalg.LinAlgError, match="dtrtrs stopped with code 2"):
        solved(np.diag([1.0, 0.0]), np.eye(2))
