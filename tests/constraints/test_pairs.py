import copy
import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.strategies import hints, two_hints
from likewise.constraints import Constraints, Partition


def test_pairs_are_ordered_unique_and_keep_the_larger_weight():
    hints = Constraints(9, [(7, 2), (0, 1), (2, 7), (2, 7)], must_weight=[0.5, 1, 0.75, 0.25])
    assert hints.must_link.tolist() == [[0, 1], [2, 7]]
    assert hints.must_weight.tolist() == [1, 0.75]
    assert hints.must_link.dtype == np.int64
    assert hints.cannot_link.shape == (0, 2)


@pytest.mark.parametrize(
    "pairs",
    [
        [(0, 3), (1, 2)],
        np.array([[0, 3], [1, 2]], dtype=np.uint8),
        np.array([[0.0, 3.0], [1.0, 2.0]]),
        pd.DataFrame({"left": [0, 1], "right": [3, 2]}),
        {(0, 3), (1, 2)},
        ((i, 3 - i) for i in range(2)),
    ],
)
def test_pairs_come_in_many_shapes(pairs):
    assert Constraints(4, pairs) == Constraints(4, [(0, 3), (1, 2)])


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        (
            {"must_link": [(0, 1)] * 4 + [(7, 7)]},
            ValueError,
            r"must_link\[4\] = \(7, 7\) links a row to itself",
        ),
        ({"cannot_link": [(0, 20)]}, ValueError, r"cannot_link\[0\] = \(0, 20\) is outside the 20 rows"),
        ({"must_link": [(0, 1), (-1, 2)]}, ValueError, r"must_link\[1\] = \(-1, 2\) is outside"),
        ({"must_link": [(0, 2**70)]}, ValueError, "outside the 20 rows"),
        ({"must_link": np.array([[0, 2**64 - 1]], dtype=np.uint64)}, ValueError, "outside the 20 rows"),
        ({"must_link": [(0, 1e300)]}, ValueError, "outside the 20 rows"),
        ({"must_link": [(0, 1.5)]}, ValueError, r"must_link\[0\]\[1\] = 1.5 is not a whole number"),
        ({"must_link": [(0, np.nan)]}, ValueError, r"must_link\[0\]\[1\] = nan is not a whole number"),
        ({"must_link": [(0, None)]}, TypeError, r"must_link\[0\]\[1\] = None is not a whole number"),
        ({"must_link": [("a", "b")]}, TypeError, r"must_link\[0\]\[0\] = 'a' is not a whole number.*ids=ids"),
        ({"must_link": [(True, False)]}, TypeError, r"must_link\[0\]\[0\] = True is not a whole number"),
        ({"must_link": [0, 1]}, ValueError, r"pairs of rows, got shape \(2,\)"),
        ({"must_link": [(0, 1, 2)]}, ValueError, r"pairs of rows, got shape \(1, 3\)"),
        ({"must_link": [(0, 1), (2,)]}, ValueError, r"must_link\[1\] = \(2,\) has 1 entries"),
        (
            {"must_link": [(0, 1)], "must_weight": [1, 2]},
            ValueError,
            r"must_weight has shape \(2,\) for 1 pairs",
        ),
        (
            {"must_link": [(0, 1)], "must_weight": [np.nan]},
            ValueError,
            r"must_weight\[0\] = nan is not a weight",
        ),
        (
            {"cannot_link": [(0, 1)], "cannot_weight": [0]},
            ValueError,
            r"cannot_weight\[0\] = 0.0 is not a weight",
        ),
        (
            {"must_link": [(0, 1), (2, 3), (4, 5)], "must_weight": [1, 0, -2]},
            ValueError,
            r"must_weight\[1\] = 0\.0 is not a weight",
        ),
        ({"cannot_link": [(0, 1)], "cannot_weight": ["x"]}, TypeError, "cannot_weight must be numbers"),
        ({"n_samples": -1}, ValueError, r"n_samples must be at least 0, got -1.*len\(X\)"),
        ({"n_samples": 2.5}, TypeError, "n_samples must be a whole number, got 2.5"),
        ({"n_samples": True}, TypeError, "n_samples must be a whole number"),
        (
            {"partitions": [Partition([0, 1])]},
            ValueError,
            r"partitions\[0\] is for 2 rows, the constraints for 20",
        ),
        ({"partitions": [[0, 1]]}, TypeError, r"partitions\[0\] is a list.*from_labels"),
        ({"partitions": Partition([0, 1])}, TypeError, r"partitions=\[partition\]"),
    ],
)
def test_errors_name_the_value_the_place_and_the_remedy(arguments, error, match):
    with pytest.raises(error, match=match):
        Constraints(**{"n_samples": 20, **arguments})


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda hints: pickle.loads(pickle.dumps(hints))])
def test_frozen_also_after_a_copy(copied):
    hints = Constraints(4, [(0, 1)], [(1, 2)], [0.5], partitions=[Partition([0, 0, 1, -1])])
    again = copied(hints)
    assert again == hints
    with pytest.raises(dataclasses.FrozenInstanceError):
        again.n_samples = 5
    for array in (again.must_link, again.cannot_link, again.must_weight, again.cannot_weight):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(TypeError, match="unhashable"):
        hash(again)


def test_the_callers_arrays_stay_their_own():
    pairs, weights = np.array([[0, 1], [1, 2]]), np.ones(2)
    hints = Constraints(4, pairs, must_weight=weights)
    pairs[0], weights[0] = (2, 3), 9
    assert hints.must_link.tolist() == [[0, 1], [1, 2]]
    assert hints.must_weight.tolist() == [1, 1]


def test_no_sequence():
    hints = Constraints(2, [(0, 1)])
    for name in ("__len__", "__array__"):
        assert not hasattr(hints, name)
    assert hints  # also where there are none


@given(two_hints())
def test_union_is_commutative_idempotent_and_has_a_zero(both):
    a, b = both
    assert a | b == b | a
    assert a | a == a
    assert a | Constraints(a.n_samples) == a
    assert (a | b) | a == a | b


def test_union_with_nothing_is_the_same_object_with_all_it_has_worked_out():
    constraints = Constraints(4, [(0, 1)], partitions=[Partition([-1, 0, 0, 1])])
    assert constraints | Constraints(4) is constraints
    assert Constraints(4) | constraints is constraints


def test_union_of_other_rows_or_other_things():
    with pytest.raises(ValueError, match="for 3 rows with constraints for 4"):
        Constraints(3) | Constraints(4)
    with pytest.raises(TypeError):
        Constraints(3) | [(0, 1)]


def test_partitions_that_say_the_same_merge_and_empty_ones_go():
    a, b = Partition([0, 0, 1]), Partition([5, 5, 2], weight=2)
    assert Constraints(3, partitions=[a, b, Partition([-1, -1, -1])]).partitions == (b,)


@pytest.mark.parametrize(
    ("hints", "text"),
    [
        (Constraints(150), "Constraints(150 rows: no hints)"),
        (Constraints(3, [(0, 1)], [(1, 2), (0, 2)]), "Constraints(3 rows: 1 must-link, 2 cannot-links)"),
        (
            Constraints(3, partitions=[Partition([0, 0, -1]), Partition([0, 1, -1], different_across=True)]),
            "Constraints(3 rows: 2 labels of 2 classes (1 pair), 2 rows in 1 group of the same (1 pair))",
        ),
    ],
)
def test_repr_is_short_and_counts(hints, text):
    assert repr(hints) == text
    touched = len(set(np.concatenate([hints.expand().must_link, hints.expand().cannot_link]).ravel().tolist()))
    assert f"<td>{hints.n_samples}, of which {touched} are in hints</td>" in hints._repr_html_()


@given(hints(), st.data())
def test_restriction_keeps_what_is_said_about_the_rows_kept(hints, data):
    rows = data.draw(st.lists(st.integers(0, hints.n_samples - 1), unique=True))
    part, whole = hints.restrict(rows).expand(), hints.expand()
    for kind in ("must", "cannot"):
        links = zip(getattr(whole, f"{kind}_link").tolist(), getattr(whole, f"{kind}_weight").tolist(), strict=True)
        expected = {
            (*sorted((rows.index(i), rows.index(j))), weight) for (i, j), weight in links if i in rows and j in rows
        }
        pairs, weights = getattr(part, f"{kind}_link").tolist(), getattr(part, f"{kind}_weight").tolist()
        assert {(*pair, weight) for pair, weight in zip(pairs, weights, strict=True)} == expected


@given(hints(), st.data())
def test_restriction_to_whole_groups_commutes_with_closing(hints, data):
    groups = hints.groups()
    chosen = data.draw(st.sets(st.sampled_from(groups.tolist())))
    mask = np.isin(groups, list(chosen))
    part = hints.restrict(mask)
    assert part == hints.restrict(np.flatnonzero(mask))
    same = groups[mask][:, None] == groups[mask]
    assert ((part.groups()[:, None] == part.groups()) == same).all()


@pytest.mark.parametrize(
    ("rows", "error", "match"),
    [
        ([0, 2, 0], ValueError, "rows contains row 0 more than once"),
        ([3, 0, 3, 1], ValueError, "rows contains row 3 more than once"),
        ([0, 5], ValueError, r"rows\[1\] = 5 is outside the 5 rows"),
        ([-1], ValueError, r"rows\[0\] = -1 is outside"),
        ([True, False], ValueError, r"a mask of rows must have shape \(5,\), got \(2,\)"),
        ([[0, 1]], ValueError, "one list of row numbers"),
        (["a"], TypeError, r"rows\[0\] = .a. is not a whole number"),
    ],
)
def test_restriction_errors(rows, error, match):
    with pytest.raises(error, match=match):
        Constraints(5, partitions=[Partition([0] * 5)]).restrict(rows)


def test_nothing_is_something_too():
    empty = Constraints(0)
    assert empty.is_empty
    assert empty.groups().shape == (0,)
    assert empty.closure().n_groups == 0
    assert empty.restrict([]) == empty.expand(closed=True) == empty
    assert empty.conflicts() == []
    assert empty.check(n_clusters=1) is empty
