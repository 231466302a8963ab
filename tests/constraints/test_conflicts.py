import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.strategies import hints, slow_distances, slow_links, slow_partition
from likewise.constraints import Conflict, ConstraintConflictError, Constraints, Partition


def slow_conflicts(constraints):
    """Return the length of a shortest chain for each contradiction, by the definition."""
    must, _ = slow_links(constraints)
    distance = slow_distances(constraints.n_samples, must)
    groups = constraints.groups()
    found = {}
    for index, (i, j) in enumerate(constraints.cannot_link.tolist()):
        if np.isfinite(distance[i, j]):
            found[f"cannot_link[{index}]", i, j] = distance[i, j]
    for number, partition in enumerate(constraints.partitions):
        _, cannot = slow_partition(partition)
        for i, j in cannot:
            if np.isfinite(distance[i, j]):
                blocks = frozenset(partition.codes[[i, j]].tolist())
                key = f"partitions[{number}]", groups[i], blocks
                found[key] = min(found.get(key, np.inf), distance[i, j])
    return found


@given(hints())
def test_every_contradiction_is_found_with_a_shortest_chain(hints):
    must, cannot = slow_links(hints)
    groups = hints.groups()
    found = {}
    for conflict in hints.conflicts():
        i, j = conflict.cannot_link
        assert i < j
        assert (i, j) in cannot
        assert (conflict.chain[0], conflict.chain[-1]) == (i, j)
        assert all(tuple(sorted(link)) in must for link in zip(conflict.chain, conflict.chain[1:], strict=False))
        if conflict.source.startswith("cannot"):
            key = conflict.source, i, j
        else:
            partition = hints.partitions[int(conflict.source[11:-1])]
            key = conflict.source, groups[i], frozenset(partition.codes[[i, j]].tolist())
        assert key not in found
        found[key] = len(conflict.chain) - 1
    assert found == slow_conflicts(hints)


@given(hints(), st.integers(0, 3))
def test_a_limit_stops_early(hints, limit):
    assert hints.conflicts(limit) == hints.conflicts()[:limit]


def test_check_returns_consistent_hints():
    hints = Constraints(4, [(0, 1)], [(1, 2)])
    assert hints.check() is hints
    assert hints.check(n_clusters=2) is hints


def test_check_names_the_chain_and_the_remedy():
    hints = Constraints(20, [(3, 8), (17, 8)], [(0, 1), (0, 2), (3, 17)])
    message = (
        r"^must_link and cannot_link contradict: rows 3 and 17 are linked by 3–8–17, but cannot_link\[2\] = "
        r"\(3, 17\)\. Remove one of these pairs, or call drop_conflicts\(\)\.$"
    )
    with pytest.raises(ConstraintConflictError, match=message) as caught:
        hints.check()
    assert caught.value.conflicts == (Conflict((3, 17), (3, 8, 17), "cannot_link[2]"),)
    assert caught.value.clique is None
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.conflicts) == (str(caught.value), caught.value.conflicts)


def test_check_counts_the_rest():
    pairs = [(2 * i, 2 * i + 1) for i in range(10)]
    with pytest.raises(ValueError, match=r"cannot_link\[2\] = \(4, 5\); and 7 more\. Remove") as caught:
        Constraints(20, pairs, pairs).check()
    assert len(caught.value.conflicts) == 3


def test_a_partition_contradicts_too():
    hints = Constraints.from_labels([0, 0, 1, 1]) | Constraints(4, [(1, 2)])
    with pytest.raises(ConstraintConflictError, match=r"linked by 1–2, but partitions\[0\] separates them"):
        hints.check()
    frames = Partition([0, 0, 1], same_within=False, different_within=True)
    (conflict,) = Constraints(3, [(0, 2), (1, 2)], partitions=[frames]).conflicts()
    assert conflict.chain == (0, 2, 1)


@pytest.mark.parametrize(
    ("hints", "n_clusters", "clique"),
    [
        (Constraints(4, [(0, 1)], [(1, 2), (2, 3), (0, 3)]), 2, (0, 2, 3)),
        (Constraints(4, [(0, 1)], [(1, 2), (2, 3), (0, 3)]), 3, None),
        (Constraints.from_labels([5, -1, 6, 5, 7]), 2, (0, 2, 4)),
        (Constraints.from_labels([5, -1, 6, 5, 7]), 3, None),
        (Constraints(5, partitions=[Partition([0, 1, 0, 1, 0], False, False, True)]), 2, (0, 2, 4)),
        (Constraints(4, partitions=[Partition([0, 1, 0, -1], False, True, True)]), 2, (0, 1, 2)),
        (Constraints.from_labels([0, 1, -1]) | Constraints(3, [], [(0, 2), (1, 2)]), 2, (0, 1, 2)),
        (
            Constraints(4, [], [(0, 2), (0, 3), (1, 2)], partitions=[Partition([0, 0, 1, 1], False, False, True)]),
            2,
            (0, 1, 2),
        ),
        (Constraints(3), 1, None),
    ],
)
def test_rows_that_too_few_clusters_cannot_hold(hints, n_clusters, clique):
    assert hints.clique(n_clusters) == clique
    if clique is not None:
        with pytest.raises(ConstraintConflictError, match=f"use at least {len(clique)}") as caught:
            hints.check(n_clusters=n_clusters)
        assert caught.value.clique == clique


@given(hints(), st.integers(1, 4))
def test_a_clique_is_a_clique(hints, n_clusters):
    if hints.conflicts(1):
        return
    clique = hints.clique(n_clusters)
    if clique is not None:
        apart = {tuple(pair) for pair in hints.expand(closed=True).cannot_link.tolist()}
        assert len(clique) > n_clusters
        assert all((i, j) in apart for i in clique for j in clique if i < j)


def test_clique_message_and_wrong_number():
    hints = Constraints(13, [], [(0, 5), (0, 9), (0, 12), (5, 9), (5, 12), (9, 12)])
    message = "rows 0, 5, 9, 12 are all different from each other, so that 3 clusters cannot satisfy the"
    with pytest.raises(ConstraintConflictError, match=message):
        hints.check(n_clusters=3)
    with pytest.raises(ValueError, match="n_clusters must be at least 1, got 0"):
        hints.check(n_clusters=0)


@given(hints())
def test_dropping_makes_consistent_and_touches_nothing_else(hints):
    kept, dropped = hints.drop_conflicts()
    assert kept.conflicts() == []
    if not hints.conflicts(1):
        assert kept is hints
        assert dropped == Constraints(hints.n_samples)
        return
    assert not dropped.is_empty
    assert not dropped.partitions
    must, cannot = slow_links(hints)
    kept_must, kept_cannot = slow_links(kept)
    assert kept_must <= must
    assert kept_cannot <= cannot
    assert {tuple(pair) for pair in dropped.must_link.tolist()} <= must
    assert {tuple(pair) for pair in dropped.cannot_link.tolist()} <= cannot
    if not hints.partitions:
        assert kept | dropped == hints
        # what was dropped cannot come back: each contradicts what is left
        for i, j in dropped.must_link.tolist():
            assert (kept | Constraints(hints.n_samples, [(i, j)])).conflicts(1)
    # a closed group without a contradiction keeps all it has
    wrong = {hints.groups()[conflict.cannot_link[0]] for conflict in hints.conflicts()}
    for i, j in must - kept_must | cannot - kept_cannot:
        assert {hints.groups()[i], hints.groups()[j]} & wrong


def test_the_smallest_weight_is_dropped():
    hints = Constraints(4, [(0, 1), (1, 2), (2, 3)], [(0, 3)], [1, 0.2, 1], [0.5])
    kept, dropped = hints.drop_conflicts()
    assert dropped == Constraints(4, [(1, 2)], must_weight=[0.2])
    assert kept == Constraints(4, [(0, 1), (2, 3)], [(0, 3)], [1, 1], [0.5])


def test_ties_lose_as_little_as_possible_in_each_group():
    # rows 0–2: one cannot-link against a chain; rows 3–6: one must-link against three cannot-links
    must = [(0, 1), (1, 2), (3, 4), (5, 6), (4, 5)]
    cannot = [(0, 2), (3, 5), (3, 6), (4, 6)]
    kept, dropped = Constraints(7, must, cannot).drop_conflicts()
    assert kept.conflicts() == []
    assert dropped.n_must_link + dropped.n_cannot_link == 2


def test_a_label_that_is_outvoted_becomes_unknown():
    labels = Partition([0, 1, 1, 1, 0], different_across=True, weight=0.5)
    kept, dropped = Constraints(5, [(0, 1), (1, 2)], partitions=[labels]).drop_conflicts()
    assert kept.partitions == (Partition([-1, 0, 0, 0, 1], different_across=True, weight=0.5),)
    assert dropped == Constraints(5, [(0, 4)], must_weight=[0.5])


def test_a_dropped_block_stands_as_a_pair_with_a_row_that_the_partition_knows():
    apart = Partition([-1, 0, 1], same_within=False, different_across=True, weight=0.5)
    kept, dropped = Constraints(3, [(0, 1), (0, 2)], partitions=[apart]).drop_conflicts()
    assert kept.conflicts() == []
    assert dropped == Constraints(3, [], [(1, 2)], cannot_weight=[0.5])
