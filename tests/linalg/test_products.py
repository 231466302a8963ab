"""Products on several threads."""

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from likewise import _threads as shared
from likewise.linalg import _products as products
from likewise.linalg._products import ThreadedMatrix, product


@pytest.fixture
def threads(monkeypatch):
    """How many threads the parts of a product go to."""
    seen = []

    class Pool(shared.ThreadPoolExecutor):
        def __init__(self, count, **kwargs):
            seen.append(count)
            super().__init__(count, **kwargs)

    monkeypatch.setattr(shared, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(products, "THREADED_FROM", 0)
    return seen


@pytest.mark.parametrize("shape", [(50, 20), (1, 7), (7, 1), (40, 300)])
@pytest.mark.parametrize("density", [0.0, 0.2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_of_threads_gives_the_same_to_the_bit(shape, density, dtype, threads, monkeypatch):
    A = sparse.random_array(shape, density=density, rng=0, dtype=dtype, format="csr")
    V = np.asfortranarray(np.random.default_rng(1).normal(size=(shape[1], 5)).astype(dtype))
    for count in (1, 2, 3, 16):
        monkeypatch.setattr(shared, "_openmp_effective_n_threads", lambda count=count: count)
        for found in (ThreadedMatrix(A) @ V, product(A, V), ThreadedMatrix(A.T).T @ V):
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, A @ V)
    assert set(threads) == {2, 3, 16}


def test_transposed_twice_is_the_same_object():
    A = ThreadedMatrix(sparse.csr_array(np.eye(3)))
    assert A.T.T is A


def test_threads_are_those_that_the_libraries_may_use(threads):
    A = sparse.csr_array(np.eye(3))
    with threadpool_limits(1):
        product(A, np.ones((3, 2)))
    assert not threads


def test_small_products_start_no_threads(threads, monkeypatch):
    monkeypatch.setattr(products, "THREADED_FROM", 2**21)
    product(sparse.csr_array(np.eye(3)), np.ones((3, 2)))
    assert not threads
