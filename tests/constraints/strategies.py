"""Small random hints for laws that hold for all of them."""

import numpy as np
from hypothesis import strategies as st

from likewise.constraints import Constraints, Partition

MEANINGS = [
    (True, False, False),
    (True, True, False),
    (False, True, False),
    (False, False, True),
    (False, True, True),
]
WEIGHTS = st.sampled_from([0.1, 0.25, 1.0, 1.0, 1.0, 2.0, 1 / 3])


@st.composite
def partitions(draw, n):
    codes = draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    return Partition(codes, *draw(st.sampled_from(MEANINGS)), weight=draw(WEIGHTS))


@st.composite
def hints(draw, n=None, max_pairs=8, max_partitions=2):
    n = draw(st.integers(1, 9)) if n is None else n
    row = st.integers(0, n - 1)
    pair = st.tuples(row, row).filter(lambda ends: ends[0] != ends[1])
    links = st.lists(st.tuples(pair, WEIGHTS), max_size=max_pairs if n > 1 else 0)
    must, cannot = draw(links), draw(links)
    return Constraints(
        n,
        [ends for ends, _ in must],
        [ends for ends, _ in cannot],
        [weight for _, weight in must],
        [weight for _, weight in cannot],
        draw(st.lists(partitions(n), max_size=max_partitions)),
    )


@st.composite
def two_hints(draw):
    n = draw(st.integers(2, 8))
    return draw(hints(n)), draw(hints(n))


def slow_links(constraints):
    """Return the sets of must-links and cannot-links, written out by the definition."""
    must = {tuple(pair) for pair in constraints.must_link.tolist()}
    cannot = {tuple(pair) for pair in constraints.cannot_link.tolist()}
    for partition in constraints.partitions:
        must_more, cannot_more = slow_partition(partition)
        must |= must_more
        cannot |= cannot_more
    return must, cannot


def slow_partition(partition):
    must, cannot = set(), set()
    known = np.flatnonzero(partition.codes >= 0).tolist()
    for i in known:
        for j in known:
            if i < j:
                same = partition.codes[i] == partition.codes[j]
                if same and partition.same_within:
                    must.add((i, j))
                if (same and partition.different_within) or (not same and partition.different_across):
                    cannot.add((i, j))
    return must, cannot


def slow_distances(n, must):
    """Number of must-links on the way from each row to each other row, by breadth-first search."""
    neighbors = [[] for _ in range(n)]
    for i, j in must:
        neighbors[i].append(j)
        neighbors[j].append(i)
    distance = np.full((n, n), np.inf)
    for start in range(n):
        distance[start, start], front = 0, [start]
        while front:
            reached = []
            for row in front:
                for other in neighbors[row]:
                    if np.isinf(distance[start, other]):
                        distance[start, other] = distance[start, row] + 1
                        reached.append(other)
            front = reached
    return distance
