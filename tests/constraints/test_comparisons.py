"""Comparisons and preferences: what they hold, how they join constraints, and what is refused."""

from __future__ import annotations

import pickle
import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from likewise import (
    ChainedClusterer,
    ComparisonProjection,
    Comparisons,
    Constraints,
    Costco,
    Partition,
    PCKMeans,
    Preference,
    ProjectThenCluster,
)
from likewise.evaluation import rand_index


@st.composite
def comparisons(draw, n=6):
    pairs = list(combinations(range(n), 2))
    count = draw(st.integers(0, 6))
    lines = draw(
        st.lists(
            st.tuples(st.sampled_from(pairs), st.sampled_from(pairs)).filter(lambda two: two[0] != two[1]),
            min_size=count,
            max_size=count,
        )
    )
    weight = draw(st.lists(st.sampled_from([0.25, 0.5, 1.0, 2.0]), min_size=count, max_size=count))
    asked = draw(st.lists(st.tuples(st.sampled_from(pairs), st.sampled_from(pairs)), max_size=3))
    answered = {frozenset(two) for two in lines}
    asked = [two for two in asked if two[0] != two[1] and frozenset(two) not in answered]
    return Comparisons(
        n, pairs=[near + far for near, far in lines], weight=weight, unsure=[first + second for first, second in asked]
    )


def statements(given):
    return {
        (tuple(near), tuple(far)): weight
        for near, far, weight in zip(given.near.tolist(), given.far.tolist(), given.weight.tolist(), strict=True)
    }


def test_a_triple_is_two_pairs_that_share_a_row():
    assert Comparisons(6, nearer=[(4, 5, 1)]) == Comparisons(6, pairs=[(5, 4, 1, 4)])


def test_lines_are_sorted_and_unique_and_the_larger_weight_stays():
    given = Comparisons(5, nearer=[(3, 4, 0), (0, 1, 2), (0, 1, 2)], weight=[1.0, 0.5, 2.0])
    assert given.near.tolist() == [[0, 1], [3, 4]]
    assert given.weight.tolist() == [2.0, 1.0]
    assert not given.near.flags.writeable


def test_questions_have_no_direction():
    assert Comparisons(5, unsure=[(0, 1, 2), (0, 2, 1)]).unsure.tolist() == [[0, 1, 0, 2]]


@settings(max_examples=40)
@given(comparisons(), comparisons())
def test_joined_they_say_what_either_says(first, second):
    joined = (first | second).comparisons
    both = statements(first)
    for key, weight in statements(second).items():
        both[key] = max(weight, both.get(key, 0.0))
    assert statements(joined) == both
    answered = {frozenset(key) for key in both}
    asked = {(tuple(line[:2]), tuple(line[2:])) for each in (first, second) for line in each.unsure.tolist()}
    assert {(tuple(line[:2]), tuple(line[2:])) for line in joined.unsure.tolist()} == {
        two for two in asked if frozenset(two) not in answered
    }


@settings(max_examples=40)
@given(comparisons(), st.permutations(range(6)), st.integers(2, 6))
def test_restrict_keeps_what_is_among_the_rows(given_, order, count):
    rows = order[:count]
    restricted = given_.restrict(rows)
    expected = {
        tuple(tuple(sorted(rows.index(row) for row in pair)) for pair in key): weight
        for key, weight in statements(given_).items()
        if {*key[0], *key[1]} <= set(rows)
    }
    assert statements(restricted) == expected
    assert (Constraints(6) | given_).restrict(rows).comparisons == restricted


@settings(max_examples=40)
@given(comparisons(), st.lists(st.booleans(), min_size=6, max_size=6))
def test_without_rows(given_, hidden):
    hidden = np.array(hidden)
    left = given_.without(hidden)
    assert statements(left) == {
        key: weight for key, weight in statements(given_).items() if not hidden[[*key[0], *key[1]]].any()
    }


@settings(max_examples=40)
@given(comparisons())
def test_copies_are_equal(given_):
    hints = Constraints(6, [(0, 1)]) | given_ | Preference([0, 0, 1, 1, -1, -1], [0, 1, 0, 1, 0, 0], 0.5)
    assert pickle.loads(pickle.dumps(hints)) == hints
    assert pickle.loads(pickle.dumps(given_)) == given_


def test_take_keeps_all_questions_unless_some_are_chosen():
    given_ = Comparisons(5, nearer=[(0, 1, 2), (0, 1, 3)], unsure=[(1, 2, 3), (2, 3, 4)])
    some = given_.take([1])
    np.testing.assert_array_equal(some.far, [[0, 3]])
    np.testing.assert_array_equal(some.unsure, given_.unsure)
    np.testing.assert_array_equal(given_.take([1], [0]).unsure, given_.unsure[:1])
    np.testing.assert_array_equal(given_.take([0, 1], np.array([False, True])).unsure, given_.unsure[1:])


def test_everything_known_is_one_object():
    hints = (
        Comparisons(4, nearer=[(0, 1, 2)], unsure=[(1, 2, 3)])
        | Preference([0, 0, 1, 1], [0, 1, 0, 1])
        | Partition([0, 0, 1, -1])
        | Constraints(4, [(0, 3)])
    )
    assert isinstance(hints, Constraints)
    words = "1 must-link, 3 rows in 2 groups of the same (1 pair), 1 comparison, 1 unanswered, 1 preference"
    assert hints.summary() == words
    assert not Constraints(4, comparisons=hints.comparisons).is_empty
    assert not Constraints(4, preferences=hints.preferences).is_empty
    pairs = Constraints(4, [(0, 3)], partitions=[Partition([0, 0, 1, -1])])
    assert hints.only("pairs") == pairs
    assert (pairs | hints.preferences[0]).only("pairs") == pairs
    assert pairs.only("pairs") is pairs
    assert hints.expand().comparisons == hints.comparisons
    assert hints.expand(closed=True).preferences == hints.preferences
    assert hints != hints.only("pairs")
    assert "0–1 nearer than 0–2" in hints._repr_html_()


def test_as_pairs():
    hints = Constraints(5, [(3, 4)]) | Comparisons(5, nearer=[(0, 1, 2)], weight=0.5)
    pairs = hints.as_pairs()
    assert pairs == Constraints(5, [(0, 1), (3, 4)], [(0, 2)], [0.5, 1.0], [0.5])


def test_of_one_preference_given_twice_the_larger_weight_stays():
    first, second = ([0, 0, 1], [0, 1, 1]), (["b", "b", "a"], [5, 7, 7])
    hints = Preference(*first, 0.5) | Preference(*second, 2.0) | Preference(*first)
    assert [each.weight for each in hints.preferences] == [2.0]


def pairs_apart(better, worse, labels):
    """Of the pairs that one of two clusterings has together, those on which labels agree with the first; and all."""
    agree = total = 0
    for i, j in combinations(range(len(better)), 2):
        if min(better[i], better[j], worse[i], worse[j]) < 0:
            continue
        first, second = better[i] == better[j], worse[i] == worse[j]
        if first != second:
            total += 1
            agree += (labels[i] == labels[j]) == first
    return agree, total


LABELS = st.lists(st.integers(-1, 2), min_size=7, max_size=7)


@settings(max_examples=40)
@given(LABELS, LABELS, st.lists(st.integers(0, 3), min_size=7, max_size=7))
def test_the_margin_counts_pairs(better, worse, labels):
    agree, total = pairs_apart(better, worse, labels)
    if not total:
        with pytest.raises(ValueError, match=r"the same clustering|no row has a cluster in both"):
            Preference(better, worse)
        return
    preference = Preference(better, worse)
    assert preference.margin(labels) == pytest.approx(2 * agree / total - 1, abs=1e-12)
    assert preference.margin(preference.better) == 1.0
    assert preference.margin(preference.worse) == -1.0
    assert Preference(worse, better).margin(labels) == pytest.approx(-preference.margin(labels))


def test_preferences_of_some_rows():
    preference = Preference([0, 0, 1, 1], [0, 1, 1, 0], 0.5)
    assert preference.restrict([3, 2, 0]) == Preference([1, 1, 0], [0, 1, 0], 0.5)
    assert preference.restrict([0]) is None
    assert preference.without(np.array([True, False, True, False])) is None
    hints = Constraints(4) | preference
    assert hints.restrict([0]).preferences == ()


def test_split_and_merge():
    split = Preference.from_split([0, 0, 0, 1, -1], rows=[2, 4])
    assert split == Preference([0, 0, 1, 2, -1], [0, 0, 0, 1, -1])
    merged = Preference.from_merge(["a", "b", "c", None], ["c", "a"])
    assert merged == Preference([0, 1, 0, -1], [0, 1, 2, -1])


def test_odd_one_out():
    given_ = Comparisons.from_odd(9, [(0, 1, 2, 5), (3, 4, 6), (4, 7, 8)], [5, -1, float("nan")])
    assert statements(given_) == {
        (near, tuple(sorted((row, 5)))): 1.0 for near in combinations((0, 1, 2), 2) for row in near
    }
    assert len(given_.unsure) == 4
    with pytest.warns(UserWarning, match=r"screens\[0\] of 200 rows implies 39,402 comparisons; only 10,000 of them"):
        assert len(Comparisons.from_odd(200, [range(200)], [7])) == 10_000


def test_a_ranking_compares_neighbors_in_it():
    assert Comparisons.from_ranking(9, 4, [7, 0, 2], 0.5) == Comparisons(9, [(4, 7, 0), (4, 0, 2)], weight=0.5)


def test_groups_weigh_one_statement():
    given_ = Comparisons.from_groups(9, [2, 0, 1], [5, 8], weight=3.0)
    expected = {
        (near, tuple(sorted((row, other)))) for near in combinations(range(3), 2) for row in near for other in (5, 8)
    }
    assert set(statements(given_)) == expected
    assert given_.weight.sum() == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Comparisons(6, nearer=[(0, 1)]), ValueError, "nearer must be triples of rows, got shape (1, 2)"),
        (lambda: Comparisons(6, pairs=[(0, 1, 2)]), ValueError, "use nearer="),
        (lambda: Comparisons(6, nearer=[(0, 1, 1)]), ValueError, "nearer[0] = (0, 1, 1) compares a pair with itself"),
        (lambda: Comparisons(6, nearer=[(0, 0, 1)]), ValueError, "compares a row with itself, which is always nearest"),
        (lambda: Comparisons(6, pairs=[(0, 1, 1, 0)]), ValueError, "pairs[0] = (0, 1, 1, 0) compares a pair"),
        (lambda: Comparisons(6, nearer=[(0, 1, 2), (0, 7, 1)]), ValueError, "nearer[1] = (0, 7, 1) is outside the 6"),
        (lambda: Comparisons(6, nearer=[(0, 1.5, 2)]), ValueError, "nearer[0][1] = 1.5 is not a whole number"),
        (lambda: Comparisons(6, nearer=[(0, np.nan, 2)]), ValueError, "nearer[0][1] = nan is not a whole number"),
        (lambda: Comparisons(6, nearer=[(0, True, 2)]), TypeError, "nearer[0][1] = True is not a whole number"),
        (lambda: Comparisons(6, nearer=[(0, "a", 2)]), TypeError, "nearer[0][1] = 'a' is not a whole number"),
        (lambda: Comparisons(6, nearer=[(0.0, True, 2)]), TypeError, "nearer[0][1] = True is not a whole number"),
        (lambda: Comparisons(6, nearer=[("ann", "bob", "cy")]), TypeError, "from_frame(frame, ids=ids)"),
        (lambda: Comparisons(6, nearer=[(0, 1, 2), (0, 1)]), ValueError, "nearer[1] = (0, 1) has 2 entries"),
        (lambda: Comparisons(6, triplets=[(0, 1, 2)]), TypeError, "no parameter 'triplets'. Did you mean 'nearer'?"),
        (lambda: Comparisons(6, [(0, 1, 2)], weights=[1.0]), TypeError, "Did you mean 'weight'?"),
        (lambda: Comparisons(6, [(0, 1, 2)], weight=[0.0]), ValueError, "weight[0] = 0.0 is not a weight"),
        (lambda: Comparisons(6, [(0, 1, 2)], weight=-1), ValueError, "must be finite and above 0"),
        (lambda: Comparisons(6, [(0, 1, 2)], weight=[np.inf]), ValueError, "Remove a comparison"),
        (lambda: Comparisons(6, [(0, 1, 2)], weight=[1, 2]), ValueError, "one weight for each comparison"),
        (
            lambda: Comparisons(6, [(0, 1, 2)], unsure=[(0, 2, 1)]),
            ValueError,
            "whether rows 0–1 or 0–2 are more alike is both answered and in unsure",
        ),
        (
            lambda: Constraints(5) | Comparisons(6, [(0, 1, 2)]),
            ValueError,
            "cannot join constraints for 5 rows with comparisons for 6",
        ),
        (lambda: Constraints(5, comparisons=Comparisons(6)), ValueError, "for 6 rows, the constraints for 5"),
        (lambda: Constraints(5, comparisons=[(0, 1, 2)]), TypeError, "comparisons is a list of 1 item"),
        (lambda: Constraints(2, preferences=Preference([0, 0], [0, 1])), TypeError, "preferences=[preference]"),
        (lambda: Constraints(5, preferences=[[0, 0]]), TypeError, "preferences[0] is a list"),
        (lambda: Constraints(5, preferences=[Preference([0, 0], [0, 1])]), ValueError, "is for 2 rows"),
        (lambda: Comparisons.from_odd(9, [(1, 4, 6)], [8]), ValueError, "odd[0] = 8 is not among the rows of screens"),
        (
            lambda: Comparisons.from_odd(9, [(3, 3, 5)], [3]),
            ValueError,
            "screens[0] must have at least three rows, all",
        ),
        (lambda: Comparisons.from_odd(9, [(3, 5)], [3]), ValueError, "all different, got (3, 5)"),
        (lambda: Comparisons.from_odd(9, [(1, 2, 9)], [3]), ValueError, "screens[0][2] = 9 is outside the 9 rows"),
        (lambda: Comparisons.from_odd(9, [(1, 2, 3)], []), ValueError, "odd has 0 entries for 1 screens"),
        (lambda: Comparisons.from_odd(9, [(1, 2, 3)], 1), TypeError, "odd is 1. Write a list"),
        (lambda: Comparisons.from_odd(9, 5, [1]), TypeError, "screens is 5. Write a list of screens"),
        (lambda: Comparisons.from_odd(9, [(1, 2, 3)], [True]), ValueError, "odd[0] = True is not among the rows"),
        (lambda: Comparisons.from_odd(2.5, [(0, 1, 2)], [1]), TypeError, "n_samples must be a whole number, got 2.5"),
        (lambda: Comparisons.from_ranking(9, 4, [1, 2, 19]), ValueError, "order[2] = 19 is outside the 9 rows"),
        (lambda: Comparisons.from_ranking(9, 14, [1, 2]), ValueError, "row = 14 is outside the 9 rows"),
        (lambda: Comparisons.from_groups(9, [1, True], [3]), TypeError, "inside[1] = True is not a whole number"),
        (lambda: Comparisons.from_groups(9, [1, 2], [13]), ValueError, "outside[0] = 13 is outside the 9 rows"),
        (lambda: Comparisons.from_ranking(9, 4, [4, 2]), ValueError, "row 4 is the row that the others"),
        (lambda: Comparisons.from_ranking(9, 4, [2, 3, 2]), ValueError, "row 2 occurs twice"),
        (lambda: Comparisons.from_ranking(9, 4, [2]), ValueError, "order must have at least two rows"),
        (lambda: Comparisons.from_groups(9, [1, 2], [2]), ValueError, "row 2 is both inside and outside"),
        (lambda: Comparisons.from_groups(9, [1], [2]), ValueError, "inside must have at least two rows"),
        (lambda: Comparisons.from_groups(9, [1, 2], []), ValueError, "outside must have at least one row"),
        (lambda: Preference([0] * 5, [0] * 4), ValueError, "better has 5 rows, worse has 4"),
        (lambda: Preference([0, 1, 1], [1, 0, 0]), ValueError, "the same clustering"),
        (lambda: Preference([0, -1], [-1, 0]), ValueError, "no row has a cluster in both better and worse"),
        (lambda: Preference(np.zeros((4, 2)), [0]), ValueError, "better must be one label for each row, got shape"),
        (lambda: Preference([0, 0, [1]], [0, 1, 1]), ValueError, "better must be one label for each row, got a list"),
        (lambda: Preference([0, 0], [0, 1], 0), ValueError, "weight must be finite and above 0"),
        (lambda: Preference.from_split([0, 0, 1], [2]), ValueError, "rows are entire clusters"),
        (lambda: Preference.from_split([0, 0, -1], []), ValueError, "or were not shown, so that no cluster is split"),
        (lambda: Preference.from_merge([0, 0, 1], 5), TypeError, "clusters is 5. Write a list of two or more clusters"),
        (
            lambda: Preference.from_merge([0, 0, 1], [0, 5]),
            ValueError,
            "clusters contains 5, but the clusters are 0, 1",
        ),
        (lambda: Preference.from_merge([0, 0, 1], [0]), ValueError, "pass two or more clusters"),
    ],
)
def test_what_is_refused(make, error, message):
    with pytest.raises(error) as raised:
        make()
    assert message in str(raised.value)


class TestMethodsThatUsePairsAlone:
    X = np.random.default_rng(0).normal(size=(6, 2))
    said = Comparisons(6, [(0, 1, 2)], unsure=[(3, 4, 5)]) | Preference([0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1])

    def test_the_rest_is_named_once(self):
        pairs = Constraints(6, [(0, 1)])
        words = "PCKMeans does not use 1 comparison, 1 unanswered and 1 preference of the constraints"
        with pytest.warns(UserWarning, match=words) as caught:
            model = PCKMeans(2, random_state=0).fit(self.X, constraints=pairs | self.said)
        assert len(caught) == 1
        alone = PCKMeans(2, random_state=0).fit(self.X, constraints=pairs)
        assert (model.labels_ == alone.labels_).all()

    def test_nothing_else_is_an_error(self):
        with pytest.raises(ValueError, match=r"contain nothing else: .*constraints.as_pairs\(\) has them"):
            PCKMeans(2).fit(self.X, constraints=self.said)
        with pytest.raises(
            ValueError, match=r"Costco learns from must-links, .* contain none: .*constraints.as_pairs\(\)"
        ):
            Costco().fit(self.X, constraints=self.said)


class TestMethodsMadeOfOthers:
    X, y = load_iris(return_X_y=True)
    said = Constraints.sample(y, "triplets", 60, random_state=0)

    def test_each_part_is_given_what_it_uses(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            projected = ProjectThenCluster(3, ComparisonProjection(2), random_state=0)
            assert rand_index(self.y, projected.fit(self.X, constraints=self.said).labels_) > 0.85
            both = self.said | Constraints(150, [(0, 1)])
            chained = ChainedClusterer(3, steps=[ComparisonProjection(2)], clusterer=PCKMeans(), random_state=0)
            assert rand_index(self.y, chained.fit(self.X, constraints=both).labels_) > 0.85

    def test_no_part_uses_them(self):
        with pytest.raises(ValueError, match=r"ProjectThenCluster does not use .* comparisons"):
            ProjectThenCluster(3, Costco(2)).fit(self.X, constraints=self.said)
