"""The parts of the studio that know no server: relations, identity, control pairs, names, people, results."""

import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.cli._reading import read_data
from likewise.constraints import Constraints
from likewise.studio._control import ControlPairs
from likewise.studio._identity import identify
from likewise.studio._learner import Result
from likewise.studio._log import EventLog
from likewise.studio._names import place_names
from likewise.studio._people import agreement, disputed, error_rates, kappa, outvoted, verdicts
from likewise.studio._relations import relations_of
from likewise.studio._results import Results, Shown, follow
from likewise.studio._running import last_port
from likewise.studio._state import Answered, Hint

PAIRS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.booleans()).filter(lambda one: one[0] != one[1]), max_size=14
)


@given(PAIRS)
def test_relations_are_the_closure_of_constraints(pairs):
    hints = [(f"{number}.0", left, right, same) for number, (left, right, same) in enumerate(pairs)]
    known = relations_of(hints)
    constraints = Constraints(8, [p[:2] for p in pairs if p[2]], [p[:2] for p in pairs if not p[2]])
    groups = constraints.groups()
    apart = {frozenset(groups[list(p[:2])].tolist()) for p in pairs if not p[2]}
    for left in range(8):
        for right in range(left + 1, 8):
            if groups[left] == groups[right]:
                assert known.relation(left, right) == 1
            else:
                assert known.relation(left, right) == -(frozenset(groups[[left, right]].tolist()) in apart)


@given(PAIRS)
def test_a_contradiction_has_a_shortest_chain_of_stated_hints(pairs):
    hints = {f"{number}.0": one for number, one in enumerate(pairs)}
    known = relations_of((id, *one) for id, one in hints.items())
    constraints = Constraints(8, [p[:2] for p in pairs if p[2]], [p[:2] for p in pairs if not p[2]])
    lengths = {conflict.cannot_link: len(conflict.chain) for conflict in constraints.conflicts()}
    for found in known.contradictions():
        left, right, same = hints[found.different]
        assert not same
        assert {found.rows[0], found.rows[-1]} == {left, right}
        for (one, other), id in zip(zip(found.rows, found.rows[1:], strict=False), found.chain, strict=True):
            assert set(hints[id][:2]) == {one, other}
            assert hints[id][2]
        assert len(found.rows) == lengths[min(left, right), max(left, right)]
    assert {tuple(sorted(hints[one.different][:2])) for one in known.contradictions()} == set(lengths)


# -- data that changed -------------------------------------------------------------------------------------------------
def rows_of(tmp_path, lines, header="a,b"):
    path = tmp_path / "d.csv"
    path.write_text("\n".join([header, *lines]))
    return read_data(str(path)).rows


LINES = [f"{place},{place**2}" for place in range(8)]


def test_rows_without_ids_are_known_by_what_is_in_them(tmp_path):
    log = EventLog(tmp_path / "s.studio")
    first, change = identify(log, rows_of(tmp_path, LINES), {"name": "d"})
    assert change is None
    assert first.generation == 1
    again, change = identify(log, rows_of(tmp_path, LINES), {"name": "d"})
    assert (again.generation, change) == (1, None)
    moved, change = identify(log, rows_of(tmp_path, ["9,9", *LINES[::-1][:-1]]), {"name": "d"})
    assert (change.rows_new, change.rows_gone) == (1, 1)
    assert [moved.row(str(place), 1) for place in range(8)] == [-1, 7, 6, 5, 4, 3, 2, 1]
    assert moved.row("3", moved.generation) == 3
    log.close()


def test_rows_with_ids_are_known_by_them(tmp_path):
    log = EventLog(tmp_path / "s.studio")
    lines = [f"n{place},{line}" for place, line in enumerate(LINES)]
    identify(log, rows_of(tmp_path, lines, "id,a,b"), {"id_column": "id"})
    changed = [*lines[:0:-1], "new,5,6"]
    now, change = identify(log, rows_of(tmp_path, changed, "id,a,b"), {"id_column": "id"})
    assert (change.rows_new, change.rows_gone) == (1, 1)
    assert now.row("n7", 1) == 0
    assert now.row("n0", 1) == -1
    log.close()


def test_of_rows_that_are_alike_each_has_its_own_successor(tmp_path):
    log = EventLog(tmp_path / "s.studio")
    identify(log, rows_of(tmp_path, ["1,1", "1,1", "2,2", "3,3"]), {})
    now, _ = identify(log, rows_of(tmp_path, ["3,3", "1,1", "2,2", "1,1"]), {})
    assert [now.row(str(place), 1) for place in range(4)] == [1, 3, 2, 0]
    log.close()


# -- control pairs -----------------------------------------------------------------------------------------------------
def test_control_pairs_follow_from_data_and_seed_alone():
    rows = read_data("wine").rows
    first, second = (ControlPairs(rows, 3) for _ in range(2))
    pairs = [first.pair(number) for number in range(60)]
    assert pairs == [second.pair(number) for number in range(60)]
    assert pairs != [ControlPairs(rows, 4).pair(number) for number in range(60)]
    assert all(left != right for left, right in pairs)


def test_control_pairs_are_the_same_far_more_often_than_by_chance():
    rows = read_data("digits").rows
    labels = np.array(rows.labels)
    control = ControlPairs(rows, 0)
    pairs = np.array([control.pair(number) for number in range(300)])
    assert 0.3 < (labels[pairs[:, 0]] == labels[pairs[:, 1]]).mean() < 0.7


@pytest.mark.parametrize("n", [2, 3, 9, 12])
def test_control_pairs_of_few_rows(tmp_path, n):
    rows = rows_of(tmp_path, [f"{place},{place % 3}" for place in range(n)])
    control = ControlPairs(rows, 0)
    assert all(len(set(control.pair(number))) == 2 for number in range(20))


# -- names -------------------------------------------------------------------------------------------------------------
def test_names_follow_their_rows_through_renumbering():
    labels = np.repeat([0, 1, 2], 20)
    names = [(1, "cats", range(5)), (2, "dogs", range(20, 25)), (3, "cows", range(40, 45))]
    assert place_names(names, labels, 3).names == [["cats"], ["dogs"], ["cows"]]
    assert place_names(names, (labels + 1) % 3, 3).names == [["cows"], ["cats"], ["dogs"]]


def test_a_name_whose_rows_are_gone_is_kept_aside():
    found = place_names([(1, "cats", [-1, -1]), (2, "dogs", [0])], np.array([0, 1]), 2)
    assert found.names == [["dogs"], []]
    assert found.unplaced == [(1, "cats")]
    assert place_names([(1, "cats", [0])], np.array([-1, -1]), 0).unplaced == [(1, "cats")]


def test_a_cluster_that_fell_apart_keeps_its_name_once():
    labels = np.array([0] * 6 + [1] * 4)
    found = place_names([(1, "cats", range(10)), (2, "lions", range(6, 10))], labels, 2)
    assert found.names == [["cats"], ["lions"]]


# -- people ------------------------------------------------------------------------------------------------------------
def said(who, pair, word, event=1):
    return Answered(event, who, 1, "pair", (pair,), (word,), None, None, "lot", True, 1)


def hint(id, who, pair, kind):
    return Hint(id, *pair, kind, 1.0, 1, who, 0.0, "answer", 1)


def test_agreement_of_two_people():
    answers = [
        said("Anna", ("a", "b"), "same"), said("Ben", ("b", "a"), "same"),
        said("Anna", ("a", "c"), "different"), said("Ben", ("a", "c"), "same"),
        said("Anna", ("a", "d"), "can't say"), said("Ben", ("a", "d"), "same"),
    ]  # fmt: skip
    (found,) = agreement(answers, ["Anna", "Ben"])
    assert (found.common, found.same_answer, found.kappa) == (2, 1, 0.0)
    assert kappa([("same", "same")] * 3) is None
    assert kappa([("same", "same"), ("different", "different")]) == 1.0


def test_most_people_decide_and_a_tie_counts_for_nothing():
    pair, other = ("a", "b"), ("c", "d")
    hints = [
        hint("1.0", "Anna", pair, "same"), hint("2.0", "Ben", pair, "different"), hint("3.0", "Cleo", pair, "same"),
        hint("4.0", "Anna", other, "same"), hint("5.0", "Ben", other, "different"),
    ]  # fmt: skip
    decided = verdicts(hints, {})
    assert decided == {frozenset(pair): "same", frozenset(other): None}
    assert outvoted(hints, decided) == {"2.0", "4.0", "5.0"}
    assert disputed(hints)[frozenset(other)] == {"Anna": "same", "Ben": "different"}
    assert verdicts(hints[:1], {}) == {}


def test_a_person_who_is_wrong_often_is_outvoted_by_one_who_is_not():
    answers = []
    for number in range(12):  # Cleo contradicts the other two every other time
        pair, word = (f"a{number}", f"b{number}"), "same" if number % 3 else "different"
        answers += [said("Anna", pair, word), said("Ben", pair, word)]
        answers.append(said("Cleo", pair, word if number % 2 else {"same": "different"}.get(word, "same")))
    rates = error_rates(answers)
    assert rates["Anna"] == rates["Ben"] < 0.1 < 0.3 < rates["Cleo"] < 0.5
    alone = [hint("1.0", "Anna", ("c", "d"), "same"), hint("2.0", "Cleo", ("c", "d"), "different")]
    assert verdicts(alone, rates) == {frozenset("cd"): "same"}
    assert outvoted(alone, verdicts(alone, rates)) == {"2.0"}
    equal = [alone[0], hint("2.0", "Ben", ("c", "d"), "different")]
    assert verdicts(equal, rates) == {frozenset("cd"): None}
    assert error_rates(answers[:1]) == {"Anna": 0.1}


def test_what_the_model_expected_tells_whose_answers_are_wrong():
    expected = [replace(said(who, (f"a{n}", "b"), word), chances=(0.95,)) for n in range(12)
                for who, word in (("Anna", "same"), ("Ben", "different"))]  # fmt: skip
    rates = error_rates(expected)
    assert rates["Anna"] < 0.15
    assert rates["Ben"] > 0.5


def test_hints_of_files_are_of_no_person():
    hints = [hint("1.0", "*", ("a", "b"), "same"), hint("2.0", "", ("a", "b"), "different")]
    assert disputed(hints) == {}
    assert outvoted([*hints, hint("3.0", "Anna", ("a", "b"), "same")], {frozenset("ab"): None}) == {"2.0", "3.0"}


# -- results -----------------------------------------------------------------------------------------------------------
def result(labels, upto=1, n_points=None):
    labels = np.asarray(labels)
    n = len(labels)
    points = np.arange(n if n_points is None else n_points)
    k = int(labels.max()) + 1
    places = np.random.default_rng(0).normal(size=(len(points), 2))
    return Result(
        upto, 0.1, labels, np.full(n, -1), np.linspace(0, 1, n), points, places,
        (places * 1000 + 30000).astype("<u2"), np.linspace(0, 1, len(points)),
        [{"title": f"c{number}", "label": None, "about": []} for number in range(k)],
    )  # fmt: skip


def test_colors_stay_with_clusters_and_moves_are_counted():
    first = follow(result([0, 0, 0, 1, 1, 2]), None, 1)
    second = follow(result([1, 1, 1, 0, 1, 2]), first, 2)
    assert first.colors == [0, 1, 2]
    assert second.colors == [1, 0, 2]
    assert (second.moved, second.moves) == (1, [(0, 1, 1)])
    split = follow(result([0, 0, 3, 1, 1, 2]), first, 2)
    assert split.colors == [0, 1, 2, 3]
    merged = follow(result([0, 0, 0, 0, 0, 1]), first, 2)
    assert merged.colors == [0, 2]
    assert merged.moves == [(None, 0, 2)]


def test_the_map_in_bytes():
    data = Shown(7, result([0, 0, 1, 1, 0], n_points=4)).as_bytes()
    magic, flags, points, rows, number, k = struct.unpack("<4sIIIII", data[:24])
    assert (magic, flags, points, rows, number, k) == (b"LWM1", 2, 4, 5, 7, 2)
    at = 24
    assert np.frombuffer(data, "<u4", 4, at).tolist() == [0, 1, 2, 3]
    at += 16 + 8 * 2
    assert np.frombuffer(data, "u1", 4, at).tolist() == [0, 0, 1, 1]
    assert np.frombuffer(data, "u1", 4, at + 4).tolist() == [255] * 4
    assert len(data) == at + 12
    wide = Shown(1, result(np.arange(300))).as_bytes()
    assert struct.unpack("<I", wide[4:8]) == (1,)
    assert np.frombuffer(wide, "<u2", 300, 24 + 4 * 300).tolist() == list(range(300))


def test_results_are_there_after_a_restart_and_old_ones_go(tmp_path):
    results = Results(tmp_path / "r", 6, 1)
    for number in range(5):
        results.add(result([0, 0, 0, 1, 1, number % 2], upto=number))
    assert results.newest.number == 5
    assert results.get(2) is None
    assert len(list((tmp_path / "r").iterdir())) == 3
    again = Results(tmp_path / "r", 6, 1)
    assert again.newest.number == 5
    assert again.newest.result.upto == 4
    assert again.newest.colors == results.newest.colors
    assert again.newest.labels.tolist() == results.newest.labels.tolist()
    assert Results(tmp_path / "r", 7, 1).newest is None
    assert Results(tmp_path / "r", 6, 2).newest is None
    next((tmp_path / "r").glob("*5.npz")).write_bytes(b"half of a file")
    assert Results(tmp_path / "r", 6, 1).newest.number == 4


def test_only_a_real_port_is_taken_from_the_last_start(tmp_path):
    path = tmp_path / "a.studio"
    for address, port in (
        ("http://127.0.0.1:4711/", 4711),
        ("http://127.0.0.1:99999/", None),
        (f"x:{'1' * 5000}", None),
    ):
        path.with_name("a.studio.lock").write_text(json.dumps({"address": address}))
        assert last_port(path) == port
