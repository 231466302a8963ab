"""The kernel null space, and the graphs of nearness."""

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

import likewise as lw
from cases.data import blobs, law
from cases.forms import slow_neighbors
from cases.published import collapsed_kernel, gaussian, groups_of
from constraints.strategies import hints
from likewise.graphs import _kernel as kernel
from likewise.graphs import neighbor_graph
from likewise.graphs._collapsed import CollapsedKernel

X = blobs(9, 3)[0]


def squared_distances(K):
    return np.diag(K)[:, None] + np.diag(K) - 2 * K


@law
@given(hints(9))
def test_collapse(constraints):
    K = gaussian(X, 2.0)
    K_hat = lw.graphs.kernel_null_space(K, constraints)
    np.testing.assert_allclose(K_hat, collapsed_kernel(K, constraints), atol=1e-7)
    np.testing.assert_allclose(K_hat, K_hat.T, atol=1e-12)
    assert np.linalg.eigvalsh(K_hat)[0] > -1e-8
    before, after = squared_distances(K), squared_distances(K_hat)
    groups = groups_of(constraints)
    np.testing.assert_allclose(after[groups[:, None] == groups], 0.0, atol=1e-8)  # one point a group
    assert np.all(after <= before + 1e-8)  # a projection: no distance grows


@law
@given(hints(9))
def test_distances_are_those_of_the_collapsed_kernel(constraints):
    for rows in (X, sparse.csr_array(X)):
        distances = CollapsedKernel(rows, 2.0, constraints)
        expected = np.maximum(squared_distances(lw.graphs.kernel_null_space(gaussian(X, 2.0), constraints)), 0.0)
        left, right = np.indices((9, 9)).reshape(2, -1)
        np.testing.assert_allclose(distances.exact(left, right) ** 2, expected.ravel(), atol=1e-8)
        for double in (False, True):
            values = np.vstack([distances.approx(some, slice(0, 9), double=double) for some in (slice(4), slice(4, 9))])
            off = np.abs(values - (expected / 2 - 1)).max(axis=1)
            assert (off <= distances.error_bound(slice(None), double=double) + 1e-8).all()


def test_kernel_without_must_links_is_left_alone():
    K = gaussian(X, 2.0)
    np.testing.assert_allclose(lw.graphs.kernel_null_space(K, lw.Constraints(9, cannot_link=[(0, 1)])), K)


@pytest.mark.parametrize(
    ("K", "n", "words"),
    [
        (np.ones((2, 3)), 2, r"must be a square kernel matrix, got shape \(2, 3\)"),
        (np.arange(4.0).reshape(2, 2), 2, "K must be symmetric"),
        (np.eye(3), 2, r"constraints were built for 2 rows, but K has 3. Restrict them to the same rows"),
    ],
)
def test_kernel_errors(K, n, words):
    with pytest.raises(ValueError, match=words):
        lw.graphs.kernel_null_space(K, lw.Constraints(n))


@pytest.mark.parametrize("symmetry", ["union", "mean"])
@pytest.mark.parametrize("k", [1, 3, 8])
def test_neighbor_graph(symmetry, k):
    found = neighbor_graph(X, k, symmetry=symmetry).toarray()
    np.testing.assert_allclose(found, slow_neighbors(X, k, symmetry))


def test_too_many_neighbors():
    with pytest.raises(ValueError, match=r"n_neighbors=9, but with n_samples=9 a row has only 8 others"):
        neighbor_graph(X, 9)


def test_cycles_of_must_links_do_no_harm():
    K = gaussian(X, 2.0)
    tree = lw.Constraints(9, must_link=[(0, 1), (1, 2), (2, 3)])
    cycle = lw.Constraints(9, must_link=[(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)])
    np.testing.assert_allclose(lw.graphs.kernel_null_space(K, tree), lw.graphs.kernel_null_space(K, cycle), atol=1e-9)
    assert kernel.must_link_differences(cycle)[1].shape == (3, 4)
