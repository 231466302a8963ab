"""Contradictions among comparisons: by all orders of the nodes, networkx, and hierarchies."""

from __future__ import annotations

from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise import Comparisons, ConstraintConflictError, Constraints, Partition

N = 5
PAIRS = list(combinations(range(N), 2))


def lines(most=7):
    two = st.tuples(st.sampled_from(PAIRS), st.sampled_from(PAIRS)).filter(lambda two: two[0] != two[1])
    return st.lists(two, min_size=1, max_size=most, unique=True)


@st.composite
def hints(draw, most=7):
    """Comparisons beside a few pairs that do not contradict each other."""
    compared = draw(lines(most))
    weight = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=len(compared), max_size=len(compared)))
    must = draw(st.lists(st.sampled_from(PAIRS), max_size=2))
    cannot = draw(st.lists(st.sampled_from(PAIRS), max_size=2))
    codes = draw(st.lists(st.integers(-1, 1), min_size=N, max_size=N))
    meaning = draw(st.sampled_from([{}, {"same_within": False, "different_within": True}, {"different_across": True}]))
    pairs = Constraints(N, must, cannot, partitions=[Partition(codes, **meaning)]).drop_conflicts()[0]
    return pairs | Comparisons(N, pairs=[near + far for near, far in compared], weight=weight)


def digraph(given_, chosen=None):
    """The digraph of nodes as a person would draw it: groups by networkx, different pairs one by one."""
    pairs = given_.only("pairs").expand()
    graph = nx.Graph(pairs.must_link.tolist())
    graph.add_nodes_from(range(N))
    group = {row: min(part) for part in nx.connected_components(graph) for row in part}
    apart = {frozenset((group[i], group[j])) for i, j in pairs.cannot_link.tolist()}

    def node(pair):
        ends = frozenset(group[row] for row in pair)
        return "same" if len(ends) == 1 else "different" if ends in apart else ends

    arcs = nx.DiGraph([("same", "different")])
    compared = given_.comparisons
    for t in range(len(compared)) if chosen is None else chosen:
        first, second = node(compared.near[t].tolist()), node(compared.far[t].tolist())
        if first != second:
            arcs.add_edge(first, second)
    return arcs, node


@settings(max_examples=40)
@given(hints())
def test_a_conflict_is_a_directed_cycle(given_):
    arcs, _ = digraph(given_)
    consistent = nx.is_directed_acyclic_graph(arcs)
    assert (given_.conflicts() == []) == consistent
    if consistent:
        assert given_.check() is given_
    else:
        with pytest.raises(ConstraintConflictError, match="comparisons contradict each other"):
            given_.check()


@settings(max_examples=40)
@given(lines(most=5))
def test_no_conflict_means_that_some_order_of_the_pairs_has_all(compared):
    given_ = Constraints(N) | Comparisons(N, pairs=[near + far for near, far in compared])
    nodes = sorted({pair for two in compared for pair in two})[:6]
    compared = [two for two in compared if set(two) <= set(nodes)]
    given_ = Constraints(N) | Comparisons(N, pairs=[near + far for near, far in compared])
    some = any(all(order.index(a) < order.index(b) for a, b in compared) for order in permutations(nodes))
    assert (given_.conflicts() == []) == some


@settings(max_examples=40)
@given(hints())
def test_a_proof_contradicts_and_no_part_of_it_does(given_):
    for conflict in given_.conflicts():
        chosen = list(conflict.comparisons)
        assert not nx.is_directed_acyclic_graph(digraph(given_, chosen)[0])
        for left_out in chosen:
            assert nx.is_directed_acyclic_graph(digraph(given_, set(chosen) - {left_out})[0])
        # and what it says of the rows is so
        groups, pairs = given_.groups(), given_.only("pairs").expand()
        assert all(len(set(groups[list(chain)])) == 1 for chain in conflict.linked)
        assert all(list(pair) in pairs.cannot_link.tolist() for pair in conflict.different)
        for t, (near, far) in zip(chosen, conflict.pairs, strict=True):
            assert given_.comparisons.near[t].tolist() == list(near)
            assert given_.comparisons.far[t].tolist() == list(far)


@settings(max_examples=40)
@given(hints())
def test_every_comparison_on_a_cycle_is_named(given_):
    arcs, node = digraph(given_)
    compared = given_.comparisons
    component = {one: number for number, part in enumerate(nx.strongly_connected_components(arcs)) for one in part}
    ends = [(node(compared.near[t].tolist()), node(compared.far[t].tolist())) for t in range(len(compared))]
    on_cycle = [first != second and component[first] == component[second] for first, second in ends]
    assert given_._order.on_cycles().tolist() == on_cycle
    shortest = min((len(cycle) for cycle in nx.simple_cycles(arcs)), default=0)
    if shortest:
        # the arc from the same to different is no comparison
        assert min(len(one.comparisons) for one in given_.conflicts()) in (shortest, shortest - 1)


@settings(max_examples=40)
@given(hints())
def test_repair_drops_the_weakest_and_no_more_than_it_must(given_):
    kept, dropped = given_.drop_conflicts()
    assert kept.conflicts() == []
    assert kept.only("pairs") == given_.only("pairs")
    assert (kept | dropped).comparisons == given_.comparisons
    for t in range(len(dropped.comparisons)):
        back = dropped.comparisons.take([t])
        stronger = kept.comparisons.take(kept.comparisons.weight >= back.weight[0])
        assert (kept.only("pairs") | stronger | back).conflicts()


@settings(max_examples=30)
@given(hints())
def test_implied_is_reachability(given_):
    arcs, node = digraph(given_)
    closure = nx.transitive_closure(arcs)
    for near, far in permutations(PAIRS, 2):
        first, second = node(near), node(far)
        expected = first != second and closure.has_edge(first, second)
        assert given_.implied(near, far) == expected


@settings(max_examples=40)
@given(st.lists(st.permutations(range(6)).map(lambda rows: tuple(rows[:3])), min_size=1, max_size=6))
def test_what_some_hierarchy_keeps_does_not_contradict(triples):
    """Aho, Sagiv, Szymanski and Ullman's BUILD: a tree in which a and b join before either joins c."""

    def build(rows, stated):
        if len(rows) < 2:
            return True
        graph = nx.Graph()
        graph.add_nodes_from(rows)
        graph.add_edges_from((a, b) for a, b, _ in stated)
        parts = list(nx.connected_components(graph))
        return len(parts) > 1 and all(build(part, [s for s in stated if set(s) <= part]) for part in parts)

    comparisons = Comparisons.from_odd(6, triples, [odd for _, _, odd in triples])
    if build(set(range(6)), triples):
        assert (Constraints(6) | comparisons).conflicts() == []


def test_a_proof_is_a_shortest_cycle_through_its_comparison():
    rng = np.random.default_rng(0)
    pairs = list(combinations(range(7), 2))
    for _ in range(20):
        ends = [rng.choice(len(pairs), 2, replace=False) for _ in range(60)]
        given_ = Constraints(7) | Comparisons(7, pairs=[pairs[a] + pairs[b] for a, b in ends])
        said = given_.comparisons
        arcs = nx.DiGraph(zip(map(tuple, said.near.tolist()), map(tuple, said.far.tolist()), strict=True))
        for conflict in given_.conflicts():
            near, far = conflict.pairs[0]
            assert len(conflict.comparisons) == nx.shortest_path_length(arcs, far, near) + 1


def test_an_acyclic_order_is_the_order_of_some_distances():
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = rng.normal(size=(N, 2))
        apart = {pair: np.linalg.norm(x[pair[0]] - x[pair[1]]) for pair in PAIRS}
        said = [a + b for a, b in permutations(PAIRS, 2) if apart[a] < apart[b]]
        given_ = Constraints(N) | Comparisons(N, pairs=said)
        assert given_.conflicts() == []
        assert given_.implied(min(apart, key=apart.get), max(apart, key=apart.get))


class TestWords:
    def test_a_cycle(self):
        given_ = Constraints(4) | Comparisons(4, nearer=[(0, 1, 2), (0, 2, 3), (0, 3, 1)])
        words = "rows 0–1 nearer than 0–2 (comparisons[0]), 0–2 nearer than 0–3 (comparisons[1]), 0–3 nearer than 0–1 "
        assert str(given_.conflicts()[0]) == words + "(comparisons[2])"

    def test_both_ways(self):
        given_ = Constraints(3) | Comparisons(3, nearer=[(0, 1, 2), (0, 2, 1)])
        words = "rows 0–1 nearer than 0–2 (comparisons[0]), 0–2 nearer than 0–1 (comparisons[1])"
        assert [str(one) for one in given_.conflicts()] == [words]

    def test_different_rows_nearer_than_linked_ones(self):
        given_ = Constraints(9, [(2, 4), (4, 6)], [(5, 8)]) | Comparisons(9, pairs=[(5, 8, 2, 6)])
        words = "rows 5–8 nearer than 2–6 (comparisons[0]); 2–4–6 are the same, 5–8 are different"
        assert [str(one) for one in given_.conflicts()] == [words]

    def test_different_by_labels(self):
        labels = Constraints.from_labels(["a", "a", "b", None])
        given_ = labels | Constraints(4, [(2, 3)]) | Comparisons(4, pairs=[(0, 3, 0, 1)])
        words = "rows 0–3 nearer than 0–1 (comparisons[0]); 0–1 are the same, 2–3 are the same, 0–2 are different"
        assert [str(one) for one in given_.conflicts()] == [words]

    def test_different_by_the_second_of_two_partitions(self):
        codes = [0, 1, -1, -1]
        first = Partition(codes, same_within=False, different_within=True)  # says nothing of rows 0 and 1
        pairs = Constraints(4, [(2, 3)], partitions=[first, Partition(codes, different_across=True)])
        words = "rows 0–1 nearer than 2–3 (comparisons[0]); 2–3 are the same, 0–1 are different"
        assert [str(one) for one in (pairs | Comparisons(4, pairs=[(0, 1, 2, 3)])).conflicts()] == [words]

    def test_by_names(self):
        given_ = Constraints(3) | Comparisons(3, nearer=[(0, 1, 2), (0, 2, 1)])
        assert given_.conflicts()[0].words("abc".__getitem__) == "a–b nearer than a–c, a–c nearer than a–b"


def test_a_linked_far_pair_is_no_contradiction():
    given_ = Constraints(4, [(2, 3)]) | Comparisons(4, pairs=[(0, 1, 2, 3)])
    assert given_.conflicts() == []


def test_rows_of_one_group_compared_with_another_row_say_nothing():
    given_ = Constraints(4, [(1, 2)]) | Comparisons(4, nearer=[(0, 1, 2), (0, 2, 1)])
    assert given_.conflicts() == []
    assert not given_.implied((0, 1), (0, 2))


def test_pairs_that_contradict_come_first_and_are_repaired_first():
    pairs = Constraints(4, [(0, 1), (1, 2)], [(0, 2)], must_weight=[1, 0.5])
    given_ = pairs | Comparisons(4, nearer=[(0, 3, 1), (0, 1, 3)])
    assert [type(one).__name__ for one in given_.conflicts()] == ["Conflict", "ComparisonConflict"]
    kept, dropped = given_.drop_conflicts()
    assert kept.conflicts() == []
    assert (len(dropped.must_link), len(dropped.comparisons)) == (1, 1)


def test_questions_without_an_answer_are_kept_by_repair():
    said = Comparisons(5, nearer=[(0, 1, 2), (0, 2, 1)], weight=[1, 0.5], unsure=[(0, 3, 4)])
    kept, dropped = (Constraints(5) | said).drop_conflicts()
    assert kept.comparisons == Comparisons(5, nearer=[(0, 1, 2)], unsure=[(0, 3, 4)])
    assert dropped.comparisons == Comparisons(5, nearer=[(0, 2, 1)], weight=0.5)


@pytest.mark.parametrize(
    ("near", "far", "message"),
    [
        ((0, 1), (0, 9), r"\[near, far\]\[1\] = \(0, 9\) is outside the 4 rows"),
        ((0, 0), (0, 1), r"\[near, far\]\[0\] = \(0, 0\) links a row to itself"),
        ((0, 1, 2), (0, 1, 3), "must be pairs of rows"),
    ],
)
def test_what_is_no_pair_is_not_implied_but_refused(near, far, message):
    given_ = Constraints(4) | Comparisons(4, nearer=[(0, 1, 2)])
    with pytest.raises(ValueError, match=message):
        given_.implied(near, far)


def test_a_pair_is_not_more_alike_than_itself():
    assert not (Constraints(4) | Comparisons(4, nearer=[(0, 1, 2)])).implied((0, 1), (1, 0))


def test_repair_of_many():
    """Random comparisons contradict each other in one large component."""
    rng = np.random.default_rng(0)
    four = rng.integers(0, 60, size=(6_000, 4))
    four = four[(four[:, 0] != four[:, 1]) & (four[:, 2] != four[:, 3])]
    four = four[(np.sort(four[:, :2]) != np.sort(four[:, 2:])).any(axis=1)]
    given_ = Constraints(60) | Comparisons(60, pairs=four, weight=rng.integers(1, 4, len(four)))
    kept, dropped = given_.drop_conflicts()
    assert not kept._order.on_cycles().any()
    assert len(dropped.comparisons)
    assert len(given_.conflicts(limit=2)) == 2


@settings(max_examples=40)
@given(hints(), st.permutations(range(N)))
def test_renumbered_rows_contradict_alike(given_, order):
    renumbered = given_.restrict(order)
    place = np.argsort(order)
    there = {
        (tuple(sorted(place[near])), tuple(sorted(place[far]))): on
        for near, far, on in zip(
            given_.comparisons.near, given_.comparisons.far, given_._order.on_cycles().tolist(), strict=True
        )
    }
    here = renumbered.comparisons
    found = zip(here.near.tolist(), here.far.tolist(), renumbered._order.on_cycles().tolist(), strict=True)
    assert {(tuple(near), tuple(far)): on for near, far, on in found} == there
