"""Local core pairs against Python sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.data import law
from likewise.sources.links import _local as links_local
from likewise.sources.links import balanced, local_core_pairs
from sources.real_links import load, precision


def jaccard(a, b):
    return len(a & b) / len(a | b) if a | b else 0.0


def by_sets(pairs, n, alpha, theta):
    cites, citers = [set() for _ in range(n)], [set() for _ in range(n)]
    for i, j in pairs:
        if i != j:
            cites[i].add(j)
            citers[j].add(i)
    z = {
        (i, j): alpha * jaccard(cites[i], cites[j]) + (1 - alpha) * jaccard(citers[i], citers[j])
        for i in range(n)
        for j in range(i + 1, n)
    }
    return {pair: value for pair, value in z.items() if value > theta}


links = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=60)


@law
@given(
    links, st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.sampled_from([0.0, 0.19, 0.35]), st.sampled_from([1, 20, 10**6])
)
def test_jaccard_by_sets(pairs, alpha, theta, work):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links_local, "WORK", work)  # blocks of any size give the same pairs
        found = local_core_pairs(pairs, 12, alpha=alpha, theta=theta)
    expected = by_sets(pairs, 12, alpha, theta)
    assert [tuple(pair) for pair in found.must_link.tolist()] == sorted(expected)
    np.testing.assert_allclose(found.must_weight, [expected[pair] for pair in sorted(expected)])


def test_no_links_no_pairs():
    assert local_core_pairs([], 4).is_empty
    assert local_core_pairs([], 0).n_samples == 0
    assert local_core_pairs([(0, 1)], 4).is_empty
    assert local_core_pairs([(2, 2), (3, 3)], 4).is_empty


def test_a_hub_that_would_fill_the_memory_is_named(monkeypatch):
    monkeypatch.setattr(links_local, "MOST_PAIRS", 100)
    star = [(i, 7) for i in range(30) if i != 7]
    with pytest.raises(ValueError, match=r"theta = 0 keeps more than 100 pairs; document 7 is cited 29 times"):
        local_core_pairs(star, 30)
    assert len(local_core_pairs(star[:14], 30).must_link) == 91


@pytest.mark.parametrize(("name", "value"), [("alpha", -0.1), ("alpha", 1.5), ("theta", 1.0), ("theta", -1)])
def test_shares_are_shares(name, value):
    with pytest.raises(ValueError, match=f"{name} must be in .*, got {value}"):
        local_core_pairs([(0, 1)], 2, **{name: value})


def test_balanced_weights_let_no_hub_outweigh_the_others():
    star = balanced(local_core_pairs([(i, 0) for i in range(1, 10)] + [(10, 11), (12, 11)], 13))
    inside = star.must_weight[(star.must_link < 10).all(axis=1)]
    apart = star.must_weight[(star.must_link >= 10).all(axis=1)]
    np.testing.assert_allclose(inside, 1 / 8)  # each of nine documents is in eight pairs
    np.testing.assert_allclose(apart, 1.0)


def test_cora():
    _, y, pairs = load("cora")
    found = [local_core_pairs(pairs, len(y), theta=theta) for theta in (0.0, 0.1, 0.2, 0.3)]
    assert [len(pairs.must_link) for pairs in found] == [40584, 18573, 4957, 1366]
    right = [precision(pairs, y) for pairs in found]
    assert right == sorted(right)
    assert right[0] > 0.74
