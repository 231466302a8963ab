"""The kernel null space, and the graphs of nearness."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import likewise as lw
from cases.data import blobs, law
from cases.forms import slow_neighbours
from cases.published import collapsed_kernel, gaussian, groups_of
from constraints.strategies import hints
from likewise.graphs import kernel, neighbor_graph, neighbors
from likewise.graphs.kernel import CollapsedDistances
from likewise.graphs.neighbors import extreme_pairs, largest_distance

X = blobs(9, 3)[0]


def squared_distances(K):
    return np.diag(K)[:, None] + np.diag(K) - 2 * K


@law
@given(hints(9))
def test_collapse(constraints):
    K = gaussian(X, 2.0)
    K_hat = lw.kernel_null_space(K, constraints)
    np.testing.assert_allclose(K_hat, collapsed_kernel(K, constraints), atol=1e-7)
    np.testing.assert_allclose(K_hat, K_hat.T, atol=1e-12)
    assert np.linalg.eigvalsh(K_hat)[0] > -1e-8
    before, after = squared_distances(K), squared_distances(K_hat)
    groups = groups_of(constraints)
    np.testing.assert_allclose(after[groups[:, None] == groups], 0.0, atol=1e-8)  # one point a group
    assert np.all(after <= before + 1e-8)  # a projection: no distance grows


@law
@given(hints(9))
def test_distances_in_blocks_are_those_of_the_collapsed_kernel(constraints):
    distances = CollapsedDistances(X, 2.0, constraints)
    expected = squared_distances(lw.kernel_null_space(gaussian(X, 2.0), constraints))
    blocks = np.vstack([distances(slice(0, 4)), distances(slice(4, 9))])
    np.testing.assert_allclose(blocks**2, np.maximum(expected, 0.0), atol=1e-8)


def test_kernel_without_must_links_is_left_alone():
    K = gaussian(X, 2.0)
    np.testing.assert_allclose(lw.kernel_null_space(K, lw.Constraints(9, cannot_link=[(0, 1)])), K)


@pytest.mark.parametrize(
    ("K", "n", "words"),
    [
        (np.ones((2, 3)), 2, r"must be a square kernel matrix, got shape \(2, 3\)"),
        (np.arange(4.0).reshape(2, 2), 2, "K must be symmetric"),
        (np.eye(3), 2, r"constraints were built for 2 rows, K has 3. Split them too"),
    ],
)
def test_kernel_errors(K, n, words):
    with pytest.raises(ValueError, match=words):
        lw.kernel_null_space(K, lw.Constraints(n))


@pytest.mark.parametrize("symmetry", ["union", "mean"])
@pytest.mark.parametrize("k", [1, 3, 8])
def test_neighbour_graph(symmetry, k):
    found = neighbor_graph(X, k, symmetry=symmetry).toarray()
    np.testing.assert_allclose(found, slow_neighbours(X, k, symmetry))


def test_too_many_neighbours():
    with pytest.raises(ValueError, match=r"n_neighbors=9, but with n_samples=9 a row has only 8 others"):
        neighbor_graph(X, 9)


@law
@given(st.integers(0, 30), st.integers(1, 6), st.booleans())
def test_extreme_pairs(seed, k, farthest):
    """Rounded distances rank, ties go to the lower index; many rows coincide here."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, size=(8, 2)).astype(float) + 1e-9 * rng.random((8, 2))
    D = np.linalg.norm(rows[:, None] - rows, axis=2)
    scale = max(D.max(), 1.0)
    expected = set()
    for i in range(8):
        sign = -1 if farthest else 1
        ranked = sorted((sign * round(D[i, j] / scale * 1e6), j) for j in range(8) if j != i)
        expected |= {(min(i, j), max(i, j)) for _, j in ranked[:k]}
    pairs, values = extreme_pairs(lambda some: D[some], 8, k, scale, farthest=farthest)
    assert {tuple(pair) for pair in pairs.tolist()} == expected
    assert len(pairs) == len(expected)
    np.testing.assert_allclose(values, D[pairs[:, 0], pairs[:, 1]] / scale)


def test_blocks_change_nothing(monkeypatch):
    D = np.linalg.norm(X[:, None] - X, axis=2)
    whole = extreme_pairs(lambda rows: D[rows], 9, 3, D.max())
    monkeypatch.setattr(neighbors, "BLOCK_ENTRIES", 20)
    assert largest_distance(lambda rows: D[rows], 9) == D.max()
    for one, other in zip(extreme_pairs(lambda rows: D[rows], 9, 3, D.max()), whole, strict=True):
        np.testing.assert_array_equal(one, other)


def test_cycles_of_must_links_do_no_harm():
    K = gaussian(X, 2.0)
    tree = lw.Constraints(9, must_link=[(0, 1), (1, 2), (2, 3)])
    cycle = lw.Constraints(9, must_link=[(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)])
    np.testing.assert_allclose(lw.kernel_null_space(K, tree), lw.kernel_null_space(K, cycle), atol=1e-9)
    assert kernel.must_link_differences(cycle)[1].shape == (3, 4)
