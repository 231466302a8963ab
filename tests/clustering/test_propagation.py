"""Propagation against the papers' loops, and what must stay true of distances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise import Constraints
from likewise.clustering import propagate_globally, propagate_locally


def distances(n=14, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    D = np.sqrt(np.square(X[:, None] - X).sum(-1))
    return D / D.max()


def hints_of(y, pairs):
    must = [(i, j) for i, j in pairs if i != j and y[i] == y[j]]
    cannot = [(i, j) for i, j in pairs if i != j and y[i] != y[j]]
    return Constraints(len(y), must, cannot)


def loop(D, must, cannot):
    """Section 2.2, sentence by sentence."""
    D = D.copy()
    for x, y in must:
        D[x, y] = D[y, x] = 0
        for z in range(len(D)):
            if z not in (x, y):
                D[z, x] = D[z, y] = D[x, z] = D[y, z] = min(D[z, x], D[z, y])
    for x, y in cannot:
        D[x, y] = D[y, x] = 1
    return D


def floyd_warshall(D, hints):
    """Every constrained row as an inner vertex, one after the other."""
    D = D.copy()
    groups = hints.groups()
    D[groups[:, None] == groups] = 0
    for via in np.flatnonzero(np.bincount(groups)[groups] > 1):
        D = np.minimum(D, D[:, via, None] + D[via])
    return D


cases = st.tuples(
    st.lists(st.integers(0, 2), min_size=14, max_size=14),
    st.lists(st.tuples(st.integers(0, 13), st.integers(0, 13)), max_size=15),
    st.integers(0, 10),
)


@settings(max_examples=30, deadline=None)
@given(cases)
def test_local_pairs_are_the_papers_loop(case):
    y, pairs, seed = case
    D, hints = distances(seed=seed), hints_of(y, pairs)
    found = propagate_locally(D, hints, order="pairs")
    np.testing.assert_array_equal(found, loop(D, hints.must_link, hints.cannot_link))


@settings(max_examples=30, deadline=None)
@given(cases)
def test_local_groups_close_the_loop(case):
    y, pairs, seed = case
    D, hints = distances(seed=seed), hints_of(y, pairs)
    found = propagate_locally(D, hints)
    closed = hints.expand(closed=True)
    # the literal loop over all entailed pairs, repeated until nothing changes, is the group variant
    expected = D
    for _ in range(14):
        expected = loop(expected, closed.must_link, [])
    np.testing.assert_array_equal(found, loop(expected, [], closed.cannot_link))
    np.testing.assert_array_equal(propagate_locally(found, hints), found)
    np.testing.assert_array_equal(found, found.T)


@settings(max_examples=30, deadline=None)
@given(cases)
def test_global_is_shortest_paths(case):
    y, pairs, seed = case
    D, hints = distances(seed=seed), hints_of(y, pairs)
    must = Constraints(14, hints.must_link)
    found = propagate_globally(D, must)
    np.testing.assert_allclose(found, floyd_warshall(D, must), atol=1e-12)
    assert (found <= D + 1e-12).all()
    # D is a metric, and shortest paths keep the triangle inequality
    assert (found <= (found[:, :, None] + found[None]).min(axis=1) + 1e-9).all()
    both = propagate_globally(D, hints)
    closed = hints.expand(closed=True)
    if len(closed.cannot_link):
        left, right = closed.cannot_link.T
        assert (both[left, right] == 1).all()
        assert (both[right, left] == 1).all()
    groups = hints.groups()
    assert not both[groups[:, None] == groups].any()


def test_global_cannot_links_are_inherited_at_distance_zero():
    D = distances(6)
    D[3], D[:, 3] = D[2], D[:, 2]  # a twin of row 2
    D[2, 3] = D[3, 2] = D[3, 3] = 0
    found = propagate_globally(D, Constraints(6, must_link=[(0, 1)], cannot_link=[(1, 2)]))
    assert found[0, 2] == found[0, 3] == found[1, 3] == found[1, 2] == 1
    assert found[2, 3] == 0


def test_a_cannot_link_is_as_far_as_anything():
    D = 10 * distances(8)
    hints = Constraints(8, cannot_link=[(0, 1)])
    assert propagate_locally(D, hints)[0, 1] == propagate_globally(D, hints)[0, 1] == D.max()


def test_partitions_count_as_their_pairs():
    D, y = distances(), np.array([0, 0, 1, 1, -1, 2, 2, -1, -1, -1, 0, -1, 1, -1])
    hints = Constraints.from_labels(y)
    for propagate in (propagate_locally, propagate_globally):
        np.testing.assert_array_equal(propagate(D, hints), propagate(D, hints.expand()))
    np.testing.assert_array_equal(
        propagate_locally(D, hints, order="pairs"), propagate_locally(D, hints.expand(), order="pairs")
    )


@pytest.mark.parametrize("propagate", [propagate_locally, propagate_globally])
def test_input_is_left_alone_and_checked(propagate):
    D, hints = distances(6), Constraints(6, must_link=[(0, 1)], cannot_link=[(2, 3)])
    before = D.copy()
    assert propagate(D, hints) is not D
    np.testing.assert_array_equal(D, before)
    assert propagate(D.astype(np.float32), hints).dtype == np.float32
    np.testing.assert_array_equal(propagate(D, Constraints(6)), D)
    with pytest.raises(ValueError, match="square"):
        propagate(D[:3], hints)
    with pytest.raises(ValueError, match=r"not be negative, but distances\[\d, \d\] = -"):
        propagate(-D, hints)
    with pytest.raises(ValueError, match=r"symmetric, but distances\[0, 5\]"):
        propagate(D + _corner(6), hints)
    with pytest.raises(ValueError, match=r"to itself must be 0, but distances\[0, 0\] = 1"):
        propagate(1 - D, hints)
    with pytest.raises(ValueError, match="finite"):
        propagate(np.full((6, 6), np.nan), hints)
    with pytest.raises(ValueError, match="built for 5 rows, distances have 6"):
        propagate(D, Constraints(5))
    with pytest.raises(ValueError, match=r"one has weight 0\.5"):
        propagate(D, Constraints(6, [(0, 1)], must_weight=[0.5]))


def _corner(n):
    corner = np.zeros((n, n))
    corner[0, n - 1] = 3.0
    return corner


def test_unknown_order():
    with pytest.raises(ValueError, match="order must be"):
        propagate_locally(distances(4), Constraints(4), order="random")
