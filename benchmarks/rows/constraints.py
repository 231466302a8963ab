"""Reading, closing and checking hints."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import DisjointSet
from scipy.sparse.csgraph import connected_components

import likewise as lw

from ..harness import Bar, Contest, Verdict, row


@row(
    "closure",
    "{n:,} must-links over {n:,} rows: read and closed",
    "scipy's DisjointSet",
    Bar(seconds=1.5, also="as many groups"),
    n=500,
)
def closure(n=1_000_000) -> Contest:
    pairs = np.random.default_rng(0).integers(0, n, size=(n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]

    def disjoint_set():
        forest = DisjointSet(range(n))
        for left, right in pairs.tolist():
            forest.merge(left, right)
        return forest.n_subsets

    def judge(groups, n_subsets):
        return Verdict(f"{n_subsets:,} groups", n_subsets == groups.max() + 1)

    return Contest(lambda: lw.Constraints(n, must_link=pairs).groups(), disjoint_set, judge)


def many_pairs(n: int, n_pairs: int, seed: int = 0):
    """Must-links within items of about ten rows, and a fifth of all pairs as cannot-links, in no order."""
    rng = np.random.default_rng(seed)
    item = rng.permutation(n) // 10
    order = np.argsort(item, kind="stable")
    place = rng.integers(0, n, n_pairs * 4 // 5)
    mate = place // 10 * 10 + (place + rng.integers(1, 10, len(place))) % 10
    must = np.column_stack([order[place], order[mate]])
    cannot = rng.integers(0, n, size=(n_pairs - len(must), 2))
    same = item[cannot[:, 0]] == item[cannot[:, 1]]
    cannot[same, 1] = order[(item[cannot[same, 0]] * 10 + 10) % n]  # the next item
    return must, cannot


@row(
    "constraints-many",
    "{pairs:,} pairs over {n:,} rows, a fifth of them cannot-links: read, closed and checked",
    "scipy's connected_components of the same must-links, and a look at both ends of the cannot-links",
    Bar(seconds=10, gib=2, also="the same groups"),
    n=500,
    pairs=500,
)
def constraints_many(n=5_000_000, pairs=10_000_000) -> Contest:
    must, cannot = many_pairs(n, pairs)

    def by_hand():
        graph = sparse.coo_array((np.ones(len(must), dtype=bool), (must[:, 0], must[:, 1])), shape=(n, n))
        n_groups, group = connected_components(graph, directed=False)
        if (group[cannot[:, 0]] == group[cannot[:, 1]]).any():
            raise ValueError("a cannot-link lies within a group")
        return n_groups

    def ours():
        hints = lw.Constraints(n, must_link=must, cannot_link=cannot)
        return hints.check().groups()

    def judge(groups, n_groups):
        return Verdict(f"{n_groups:,} groups", n_groups == groups.max() + 1)

    return Contest(ours, by_hand, judge)


def many_comparisons(n: int, count: int, seed: int = 0):
    """Comparisons by positions on a line, so that none contradicts the others."""
    rng = np.random.default_rng(seed)
    place = rng.random(n)
    four = rng.integers(0, n, size=(count, 4))
    four[:, 2] = four[:, 0]  # a is more like b than d
    near, far = (np.abs(place[four[:, i]] - place[four[:, j]]) for i, j in ((0, 1), (2, 3)))
    four = np.where((near < far)[:, None], four, four[:, [2, 3, 0, 1]])
    distinct = (four[:, 0] != four[:, 1]) & (four[:, 0] != four[:, 3]) & (four[:, 1] != four[:, 3])
    return four[distinct]


@row(
    "comparisons-many",
    "{count:,} comparisons over {n:,} rows that do not contradict each other: read and checked",
    "scipy's strongly connected components of the same arcs between pairs of rows",
    Bar(seconds=10, gib=2, also="no contradiction by either"),
    n=500,
    count=500,
)
def comparisons_many(n=100_000, count=1_000_000) -> Contest:
    four = many_comparisons(n, count)

    def by_hand():
        ends = np.sort(four.reshape(-1, 2), axis=1)
        _, node = np.unique(ends[:, 0] * n + ends[:, 1], return_inverse=True)
        near, far = node.reshape(-1, 2).T
        shape = (node.max() + 1, node.max() + 1)
        arcs = sparse.coo_array((np.ones(len(near), dtype=bool), (near, far)), shape=shape)
        count, _ = connected_components(arcs, directed=True, connection="strong")
        return count == shape[0]

    def ours():
        hints = lw.Constraints(n) | lw.Comparisons(n, pairs=four)
        return hints.check()

    def judge(hints, consistent):
        return Verdict(f"{len(hints.comparisons):,} comparisons", consistent)

    return Contest(ours, by_hand, judge)
