"""Hitting times against one linear system for each target, and the laws that they obey."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from cases.data import law
from likewise.sources.links import hitting_times
from likewise.sources.links._walks import RESTART, restarted_inverse, sketch


def sketch_error(n_directions, n_pairs, failure=1e-3):
    """The ε that squared distances exceed for none of the pairs, but for a small chance (Achlioptas 2003)."""
    grid = np.linspace(0.0, 1.0, 10_001)
    enough = n_directions * (grid**2 / 4 - grid**3 / 6) >= np.log(2 * n_pairs / failure)
    return grid[enough.argmax()]


def one_system_per_target(W):
    n = len(W)
    P = W / W.sum(axis=1, keepdims=True)
    times = np.zeros((n, n))
    for j in range(n):
        others = np.delete(np.arange(n), j)
        times[others, j] = np.linalg.solve(np.eye(n - 1) - P[np.ix_(others, others)], np.ones(n - 1))
    return times


def connected(n, seed, *, density=0.3, loops=False):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.uniform(0.05, 2.0, (n, n)) * (rng.random((n, n)) < density), 1)
    W[np.arange(n - 1), np.arange(1, n)] += 0.1
    W = W + W.T
    return W + np.diag(rng.uniform(0, 1, n)) if loops else W


seeds = st.integers(0, 10_000)


@law
@given(seeds, st.integers(2, 15), st.booleans())
def test_the_closed_form_is_the_solution_of_the_equations(seed, n, loops):
    W = connected(n, seed, loops=loops)
    np.testing.assert_allclose(hitting_times(W), one_system_per_target(W), rtol=1e-8)
    np.testing.assert_allclose(hitting_times(sparse.csc_array(W)), one_system_per_target(W), rtol=1e-8)


@law
@given(seeds)
def test_a_round_trip_is_a_distance(seed):
    h = hitting_times(connected(9, seed))
    trip = h + h.T
    assert (h[~np.eye(9, dtype=bool)] >= 1 - 1e-9).all()
    assert (np.diag(h) == 0).all()
    assert (trip[:, None, :] <= trip[:, :, None] + trip[None] + 1e-8).all()


@law
@given(seeds)
def test_another_edge_shortens_every_resistance(seed):
    W = connected(9, seed)
    rng = np.random.default_rng(seed)
    i, j = rng.choice(9, 2, replace=False)
    more = W.copy()
    more[[i, j], [j, i]] += rng.uniform(0.1, 3.0)
    before, after = ((h + h.T) / w.sum() for w in (W, more) for h in [hitting_times(w)])
    assert (after <= before + 1e-9).all()
    assert after[i, j] < before[i, j]
    # one wire more in parallel: conductances add up
    np.testing.assert_allclose(1 / after[i, j], 1 / before[i, j] + more[i, j] - W[i, j])


def test_disconnected_graphs_are_solved_part_by_part():
    A, B = connected(5, 0), connected(4, 1)
    W = np.zeros((10, 10))
    W[:5, :5], W[5:9, 5:9] = A, B
    order = np.random.default_rng(0).permutation(10)
    h = hitting_times(W[np.ix_(order, order)])
    whole = np.full((10, 10), np.inf)
    whole[:5, :5], whole[5:9, 5:9], whole[9, 9] = one_system_per_target(A), one_system_per_target(B), 0.0
    np.testing.assert_allclose(h, whole[np.ix_(order, order)], rtol=1e-8)
    assert hitting_times(np.zeros((0, 0))).shape == (0, 0)


@pytest.mark.parametrize(
    ("W", "message"),
    [
        (np.ones((2, 3)), r"W must be square.*got shape \(2, 3\)"),
        ([[0, -1], [-1, 0]], r"W\[0, 1\] = -1\.0: weights must be finite and not negative"),
        ([[0, np.inf], [np.inf, 0]], r"W\[0, 1\] = inf"),
        ([[0, 1], [2, 0]], r"W\[., .\] = ., W\[., .\] = .: W must be symmetric"),
    ],
)
def test_what_is_no_graph(W, message):
    with pytest.raises(ValueError, match=message):
        hitting_times(W)


@pytest.mark.parametrize("seed", range(3))
def test_the_sketch_keeps_its_bound(seed):
    W = connected(150, seed, density=0.04)
    left, right = np.triu_indices(150, 1)
    epsilon = sketch_error(800, 4 * len(left))  # for 4 lengths of each pair, cosines are off by 2ε / (1 − ε)
    assert epsilon < 0.45
    times = hitting_times(W)
    exact = ((times + times.T) / W.sum())[left, right]
    Y = sketch(sparse.csr_array(W), 0.0, 800, seed) / np.sqrt(W.sum(axis=1))[:, None]
    near = np.square(Y[left] - Y[right]).sum(axis=1)
    assert np.abs(near / exact - 1).max() < epsilon
    assert np.abs(near / exact - 1).mean() < 0.05  # the typical error is √(2/800)

    K = restarted_inverse(W)
    length = np.sqrt(np.diag(K))
    Y = sketch(sparse.csr_array(W), RESTART, 800, seed)
    gram, norm = Y @ Y.T, np.linalg.norm(Y, axis=1)
    error = np.abs(gram / np.outer(norm, norm) - K / np.outer(length, length))[left, right]
    assert error.max() < 2 * epsilon / (1 - epsilon)
    assert error.mean() < 0.05
