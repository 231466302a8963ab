"""The largest quotients in a growing subspace, against full eigenproblems."""

import warnings

import numpy as np
import pytest
from scipy import linalg

from likewise.linalg import _davidson as davidson
from likewise.linalg._davidson import BLOCK, largest_quotients

N = 200


class Dense:
    """A numerator and a denominator as matrices; the preconditioner is the exact inverse, or the diagonal's."""

    def __init__(self, numerator, denominator=None, *, is_exact=True, start=None, bounds=None):
        self.numerator = numerator
        self.denominator = np.eye(len(numerator)) if denominator is None else denominator
        self.is_exact = is_exact
        self._start = start
        self._bounds = bounds

    def start(self, n_components, random):
        columns = random if self._start is None else self._start
        return columns, columns, self._bounds

    def multiply(self, V, Y):
        return self.numerator @ V

    def divide(self, V, Y):
        return self.denominator @ V

    def precondition(self, residual, top):
        if self.is_exact:
            V = np.linalg.solve(self.denominator, residual)
        else:
            V = residual / np.diag(self.denominator)[:, None]
        return V, V


def matrices(seed=0):
    """A spectrum that falls slowly, so that the subspace restarts, and a denominator that is not diagonal."""
    rng = np.random.default_rng(seed)
    turn = linalg.qr(rng.normal(size=(N, N)))[0]
    N_ = turn * (1.0 / (1.0 + 0.05 * np.arange(N))) @ turn.T
    A = rng.normal(size=(N, N)) / np.sqrt(N)
    return (N_ + N_.T) / 2, A @ A.T + np.diag(np.linspace(1, 3, N))


def random_columns(seed=1):
    return np.random.default_rng(seed).normal(size=(N, BLOCK))


def quotients(operator, V):
    return np.diag(V.T @ operator.numerator @ V) / np.diag(V.T @ operator.denominator @ V)


@pytest.mark.parametrize("is_exact", [True, False])
@pytest.mark.parametrize("count", [1, 5, BLOCK + 4])
def test_they_are_those_of_the_full_problem(is_exact, count):
    operator = Dense(*matrices(), is_exact=is_exact)
    V = largest_quotients(operator, random_columns(), count, 1e-8)
    expected = linalg.eigh(operator.numerator, operator.denominator, eigvals_only=True)[::-1][:count]
    assert V.shape == (N, count)
    np.testing.assert_allclose(quotients(operator, V), expected, rtol=1e-8)
    np.testing.assert_allclose(V.T @ operator.denominator @ V, np.eye(count), atol=1e-9)


def test_a_start_that_has_converged_is_still_too_small_for_more_directions():
    numerator = np.diag(np.arange(N, 0, -1.0))
    start = np.eye(N)[:, :BLOCK] + 1e-7 * random_columns()
    V = largest_quotients(Dense(numerator, start=start), random_columns(), BLOCK + 4, 1e-4)
    np.testing.assert_allclose(np.diag(V.T @ numerator @ V), np.arange(N, N - BLOCK - 4, -1.0), rtol=1e-6)


def test_all_directions_reach_their_bounds():
    """One direction is there from the start; that is no reason to stop before the others."""
    numerator = np.diag(np.arange(N, 0, -1.0))
    start = random_columns()
    start[0] = 0.0
    start[:, 0] = np.eye(N)[0]
    bounds = np.arange(N, N - 4, -1.0)
    V = largest_quotients(Dense(numerator, start=start, bounds=bounds), start, 4, 1e-3)
    assert (bounds - np.diag(V.T @ numerator @ V) <= 1e-3 * N).all()


def test_bounds_that_are_reached_end_the_search():
    """Also before the residual is small: of the last two steps at most one multiplies."""
    operator = Dense(*matrices(), is_exact=False)
    exact = linalg.eigh(operator.numerator, operator.denominator, eigvals_only=True)[::-1][:3]
    products = []
    for bounds in (None, exact):
        operator = Dense(*matrices(), is_exact=False, bounds=bounds)
        multiply = operator.multiply
        seen = []
        operator.multiply = lambda V, Y, multiply=multiply, seen=seen: seen.append(1) or multiply(V, Y)
        largest_quotients(operator, random_columns(), 3, 1e-4)
        products.append(len(seen))
    assert products[1] < products[0]


@pytest.mark.parametrize("is_exact", [True, False])
def test_whenever_it_stops_the_columns_are_the_best_so_far(is_exact, monkeypatch):
    """Through restarts the quotients never fall, and columns stay orthonormal in the denominator."""
    operator = Dense(*matrices(), is_exact=is_exact)
    sums = []
    for steps in range(1, 20):
        monkeypatch.setattr(davidson, "MAX_STEPS", steps)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            V = largest_quotients(operator, random_columns(), 10, 1e-12)
        np.testing.assert_allclose(V.T @ operator.denominator @ V, np.eye(10), atol=1e-10)
        sums.append(quotients(operator, V).sum())
    assert (np.diff(sums) >= -1e-10).all()
    assert davidson.BLOCK * 19 > 10 + 6 * BLOCK  # far enough that there was a restart


@pytest.mark.parametrize("noise", [0.0, 1e-16, 1e-13, 1e-9])
def test_columns_that_depend_on_each_other(noise):
    """Of columns that are copies but for rounding, one counts; the others would not be orthonormal."""
    operator = Dense(*matrices())
    start = random_columns()[:, :1] + noise * random_columns(2)
    V = largest_quotients(Dense(*matrices(), start=start), start, 6, 1e-9)
    expected = linalg.eigh(operator.numerator, operator.denominator, eigvals_only=True)[::-1][:6]
    np.testing.assert_allclose(V.T @ operator.denominator @ V, np.eye(6), atol=1e-10)
    np.testing.assert_allclose(quotients(operator, V), expected, rtol=1e-8)


def test_a_space_with_fewer_directions():
    numerator = np.diag([3.0, 2.0, 1.0])
    V = largest_quotients(Dense(numerator), np.random.default_rng(0).normal(size=(3, BLOCK)), 5, 1e-9)
    np.testing.assert_allclose(np.diag(V.T @ numerator @ V), [3.0, 2.0, 1.0])
