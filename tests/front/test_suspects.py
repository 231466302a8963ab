"""Suspects say what was said: comparisons that were read as pairs are comparisons again."""

import pytest
from sklearn.datasets import load_wine

from likewise import Comparisons, Constraints, Likewise, Partition
from likewise.front import Suspect, Suspects
from likewise.front._suspects import as_said


def test_a_comparison_that_was_read_as_pairs_is_one_suspect():
    said = Constraints(6, [(4, 5)]) | Comparisons(6, nearer=[(0, 1, 2)])
    pairs = [
        Suspect((0, 1), "must-link", 0.5, 0.4),
        Suspect((0, 2), "cannot-link", 0.25, 0.7),
        Suspect((4, 5), "must-link", 0.1, 0.9),
    ]
    comparison, link = as_said(pairs, said)
    # by Bayes' rule: odds of a tenth wrong, times how much likelier either pair is if the answer is reversed
    odds = 1 / 9 * (1 / (1 / 9)) * ((1 / 3) / (1 / 9))
    assert (comparison.kind, comparison.rows, comparison.than) == ("comparison", (0, 1), (0, 2))
    assert comparison.wrong == pytest.approx(odds / (1 + odds))
    assert comparison.together == pytest.approx(-0.3)
    assert link == pairs[2]


@pytest.mark.parametrize(
    "stated",
    [
        Constraints(6, [(0, 1)]),
        Constraints(6, partitions=[Partition([0, 0, -1, -1, -1, -1])]),
        Constraints(6, partitions=[Partition([0, 0, 1, 1, 1, 1])]),
        Constraints(6, partitions=[Partition([0, 0, 1, 1, 1, 1], different_across=True)]),
    ],
    ids=["pair", "group", "groups", "labels"],
)
def test_pairs_that_were_stated_as_well_stay(stated):
    pairs = [Suspect((0, 1), "must-link", 0.5, 0.4), Suspect((0, 2), "cannot-link", 0.25, 0.7)]
    found = as_said(pairs, stated | Comparisons(6, nearer=[(0, 1, 2)]))
    assert pairs[0] in found
    assert (pairs[1] in found) == any(partition.different_across for partition in stated.partitions)


def test_labels_state_no_pair_of_the_other_kind():
    pairs = [Suspect((0, 1), "must-link", 0.5, 0.4), Suspect((0, 2), "cannot-link", 0.25, 0.7)]
    labels = Constraints(6, partitions=[Partition([0, 1, 0, 1, 1, 1], different_across=True)])
    found = as_said(pairs, labels | Comparisons(6, nearer=[(0, 1, 2)]))
    assert [suspect.kind for suspect in found] == ["comparison"]


@pytest.mark.parametrize("codes", [[0, 0, -1, 1, 1, 1], [-1, -1, 0, 1, 1, 1], [-1, 0, -1, 1, 1, 1]])
def test_labels_of_one_row_state_nothing_of_two(codes):
    pairs = [Suspect((0, 1), "must-link", 0.5, 0.4), Suspect((0, 2), "cannot-link", 0.25, 0.7)]
    labels = Constraints(6, partitions=[Partition(codes, different_across=True)])
    assert pairs[1] not in as_said(pairs, labels | Comparisons(6, nearer=[(0, 1, 2)]))


def test_reversed_answers_are_found():
    X, y = load_wine(return_X_y=True)
    said = Constraints.sample(y, "triplets", 200, error_rate=0.1, random_state=0)
    model = Likewise(3, random_state=0, verbose=False).fit(X, constraints=said)
    assert {suspect.kind for suspect in model.suspects_} == {"comparison"}
    assert len(model.suspects_) == len(said.comparisons)
    flagged = [suspect for suspect in model.suspects_ if suspect.wrong > 0.5]
    is_reversed = [y[suspect.rows[0]] != y[suspect.rows[1]] for suspect in flagged]
    assert len(flagged) >= 6  # of ten
    assert sum(is_reversed) >= len(flagged) - 1


def test_a_frame_names_rows_by_their_ids():
    found = Suspects([Suspect((0, 1), "comparison", 0.5, 0.4, (0, 2)), Suspect((2, 1), "must-link", 0.1, 0.9)])
    ids = ["a", "b", "c"]
    named, numbered = (found.to_frame(ids=given, backend="polars").to_dict(as_series=False) for given in (ids, None))
    assert (numbered["left"], numbered["right"]) == ([0, 2], [1, 1])
    assert (numbered["third"], numbered["fourth"]) == ([0, None], [2, None])
    assert (named["left"], named["right"]) == (["a", "c"], ["b", "b"])
    assert (named["third"], named["fourth"]) == (["a", None], ["c", None])
