"""Piles, odd ones out, triplets and ratings: from answers, and drawn from labels."""

from __future__ import annotations

from math import ceil, comb

import numpy as np
import pytest

from likewise import Constraints, Partition, Preference

Y = np.arange(60) % 3


def pairs_of(hints):
    return {tuple(pair) for pair in hints.must_link.tolist()}, {tuple(pair) for pair in hints.cannot_link.tolist()}


class TestPiles:
    def test_same_within_and_different_across_piles_of_one_screen(self):
        must, cannot = pairs_of(Constraints.from_piles(9, [[(0, 4), [7], range(1, 3)], [(7, 8)]]))
        assert must == {(0, 4), (1, 2), (7, 8)}
        assert cannot == {(0, 7), (4, 7), (0, 1), (0, 2), (1, 4), (2, 4), (1, 7), (2, 7)}

    def test_a_large_screen_is_a_partition(self):
        hints = Constraints.from_piles(100, [[range(40), range(40, 90)]])
        codes = [0] * 40 + [1] * 50 + [-1] * 10
        assert hints == Constraints(100, partitions=[Partition(codes, different_across=True)])

    def test_screens_after_a_large_one_count_too(self):
        large = [range(40), range(40, 90)]
        both = Constraints.from_piles(100, [large, [(90, 95), (99,)]])
        assert both == Constraints.from_piles(100, [large]) | Constraints(100, [(90, 95)], [(90, 99), (95, 99)])

    @pytest.mark.parametrize(
        ("screens", "error", "message"),
        [
            ([[0, 1], [2]], TypeError, "screens[0][0] is 0. A pile is a list of rows, and a screen a list of piles"),
            ([0, 1], TypeError, "screens[0] is 0. A pile is a list of rows, and a screen a list of piles"),
            (5, TypeError, "screens is 5. It is a list of screens"),
            (["ab"], TypeError, "screens[0] is 'ab'. A pile is a list of rows"),
            ([[(0, True)]], TypeError, "screens[0][0][1] = True is not a whole number"),
            ([[]], ValueError, "screens[0] has 0 rows"),
            ([[(0, 1), (1, 2)]], ValueError, "screens[0] contains row 1 twice"),
            ([[(0, 9)]], ValueError, "screens[0][0][1] = 9 is outside the 9 rows. Rows are counted from 0 to 8"),
            ([[(0,)]], ValueError, "screens[0] has 1 row: a screen needs at least two"),
            ([[(0, 1.5)]], ValueError, "screens[0][0][1] = 1.5 is not a whole number"),
        ],
    )
    def test_what_is_refused(self, screens, error, message):
        with pytest.raises(error) as raised:
            Constraints.from_piles(9, screens)
        assert message in str(raised.value)


class TestRatings:
    def test_weights_grow_with_the_distance_from_the_middle(self):
        rated = Constraints.from_ratings(9, [(0, 1), (0, 2), (3, 4), (5, 6)], [4, 0, 5, 10], scale=(0, 10))
        assert rated == Constraints(9, [(5, 6)], [(0, 1), (0, 2)], cannot_weight=[0.2, 1.0])

    @pytest.mark.parametrize(
        ("ratings", "message"),
        [
            ([7, 1], "ratings[0] = 7 is outside 1 to 5. Pass scale=(lowest, highest)"),
            ([1, np.nan], "ratings[1] = nan is outside 1 to 5"),
            ([0.5, 1], "ratings[0] = 0.5 is outside"),
            ([3, 3], "all 2 ratings are 3, the midpoint of 1 to 5"),
            ([3], "ratings has shape (1,) for 2 pairs"),
        ],
    )
    def test_what_is_refused(self, ratings, message):
        with pytest.raises(ValueError) as raised:  # noqa: PT011
            Constraints.from_ratings(9, [(0, 1), (0, 2)], ratings)
        assert message in str(raised.value)

    @pytest.mark.parametrize(
        ("pairs", "scale", "message"),
        [
            ([(0, 1), (0, 9)], (1, 5), "pairs[1] = (0, 9) is outside the 9 rows"),
            ([(0, 1), (2, 2)], (1, 5), "pairs[1] = (2, 2) links a row to itself"),
            ([(0, 1, 2)], (1, 5), "pairs must be pairs of rows, got shape (1, 3)"),
            ([(0, 1), (0, 2)], (5, 1), "scale = (5, 1) must be the lowest and the highest rating"),
            ([(0, 1), (0, 2)], 5, "scale = 5 must be the lowest and the highest rating"),
            ([(0, 1), (0, 2)], ("a", "b"), "scale = ('a', 'b') must be"),
            ([(0, 1), (0, 2)], (1, np.inf), "scale = (1, inf) must be"),
            ([(0, 1), (0, 2)], (1, 3, 5), "scale = (1, 3, 5) must be"),
        ],
    )
    def test_pairs_and_scales_that_are_refused(self, pairs, scale, message):
        with pytest.raises(ValueError) as raised:  # noqa: PT011
            Constraints.from_ratings(9, pairs, [1, 5], scale=scale)
        assert message in str(raised.value)

    def test_words_are_no_ratings(self):
        with pytest.raises(TypeError, match="ratings must be numbers, one for each pair, got "):
            Constraints.from_ratings(9, [(0, 1), (0, 2)], ["good", "bad"])


class TestSampling:
    @pytest.mark.parametrize("size", [2, 3, 6])
    @pytest.mark.parametrize("error_rate", [0.0, 0.07])
    def test_piles(self, size, error_rate):
        drawn = Constraints.sample(Y, "piles", 1, size=size, error_rate=error_rate, random_state=3)
        assert drawn.constrained_rows().sum() == size
        assert len(drawn.must_link) + len(drawn.cannot_link) == comb(size, 2)
        right = all(Y[i] == Y[j] for i, j in drawn.must_link) and all(Y[i] != Y[j] for i, j in drawn.cannot_link)
        assert right == (error_rate == 0)
        assert drawn.conflicts() == []  # piles, if not the right ones

    def test_of_many_screens_the_stated_share_is_wrong(self):
        y = np.arange(40_000) % 5  # so many that no two of 40 screens share a row
        drawn = Constraints.sample(y, "piles", 40, size=4, error_rate=0.06, random_state=0)
        wrong = {i for i, j in drawn.must_link.tolist() if y[i] != y[j]}
        wrong |= {i for i, j in drawn.cannot_link.tolist() if y[i] == y[j]}
        screens = Constraints(len(y), np.concatenate([drawn.must_link, drawn.cannot_link])).groups()
        assert len(np.unique(screens[drawn.constrained_rows()])) == 40
        assert len(set(screens[list(wrong)].tolist())) == ceil(0.06 * 40)

    @pytest.mark.parametrize("how", ["triplets", "quadruples"])
    @pytest.mark.parametrize("error_rate", [0.0, 0.1, 0.33])
    def test_answers_that_classes_decide(self, how, error_rate):
        drawn = Constraints.sample(Y, how, 300, error_rate=error_rate, random_state=1).comparisons
        assert len(drawn) + len(drawn.unsure) == 300
        near, far = (Y[pairs[:, 0]] == Y[pairs[:, 1]] for pairs in (drawn.near, drawn.far))
        assert (near != far).all()
        assert (~near).sum() == ceil(round(error_rate * len(drawn), 9))
        ties = Y[drawn.unsure]
        assert ((ties[:, 0] == ties[:, 1]) == (ties[:, 2] == ties[:, 3])).all()
        rows = np.column_stack([drawn.near, drawn.far])
        assert {len(set(line)) for line in rows.tolist()} == {3 if how == "triplets" else 4}

    @pytest.mark.parametrize("how", ["odd", "triplets", "quadruples"])
    def test_forced_answers(self, how):
        forced = Constraints.sample(Y, how, 200, ties="coin", random_state=1).comparisons
        assert len(forced) == 200 * (2 if how == "odd" else 1)
        assert not len(forced.unsure)

    @pytest.mark.parametrize("how", ["odd", "triplets", "quadruples"])
    def test_ties_by_distance_agree_with_it(self, how):
        x = np.random.default_rng(0).normal(size=len(Y))

        def distance(left, right):
            return np.abs(x[left] - x[right])

        drawn = Constraints.sample(Y, how, 200, ties=distance, random_state=1).comparisons
        near, far = (Y[pairs[:, 0]] == Y[pairs[:, 1]] for pairs in (drawn.near, drawn.far))
        tied = near == far
        assert tied.any()
        assert (distance(*drawn.near[tied].T) < distance(*drawn.far[tied].T)).all()
        assert near[~tied].all()

    @pytest.mark.parametrize("error_rate", [0.0, 0.1])
    def test_odd_ones_out(self, error_rate):
        drawn = Constraints.sample(Y, "odd", 300, error_rate=error_rate, random_state=1).comparisons
        assert len(drawn) + len(drawn.unsure) == 600
        lines = zip(drawn.near.tolist(), drawn.far.tolist(), strict=True)
        screens = {frozenset([*near, *far]): near for near, far in lines}  # both comparisons have the same near pair
        assert sum(Y[i] != Y[j] for i, j in screens.values()) == ceil(round(error_rate * len(screens), 9))
        assert all(len(set(Y[line])) in (1, 3) for line in drawn.unsure)

    @pytest.mark.parametrize("k", [2, 3, 10])
    def test_the_share_that_classes_decide(self, k):
        drawn = Constraints.sample(np.arange(3000) % k, "triplets", 4000, random_state=0).comparisons
        assert len(drawn) / 4000 == pytest.approx(2 / k * (1 - 1 / k), abs=0.03)

    @pytest.mark.parametrize(("how", "total"), [("odd", 10), ("triplets", 30), ("quadruples", 15), ("piles", 10)])
    def test_all_questions_there_are(self, how, total):
        y = np.array([0, 1, -1, 0, 1, 0])
        drawn = Constraints.sample(y, how, total, random_state=0)
        if how == "piles":
            assert len(drawn.must_link) + len(drawn.cannot_link) == comb(5, 2)
        else:
            assert len(drawn.comparisons) + len(drawn.comparisons.unsure) == total * (2 if how == "odd" else 1)
        assert not (drawn.comparisons.compared_rows() | drawn.constrained_rows())[2]
        with pytest.raises(ValueError, match=f"cannot draw {total + 1} distinct questions .*there are {total}"):
            Constraints.sample(y, how, total + 1)

    def test_more_questions_than_can_be_numbered(self):
        y = np.arange(100_000) // 25_000
        drawn = Constraints.sample(y, "piles", 50, size=6, random_state=0)
        assert len(drawn.must_link) + len(drawn.cannot_link) == 50 * 15
        assert all(y[i] == y[j] for i, j in drawn.must_link)
        assert len(drawn.must_link) / (50 * 15) == pytest.approx(1 / 4, abs=0.06)  # rows of a screen come from anywhere

    @pytest.mark.parametrize(
        ("how", "options", "message"),
        [
            ("triplets", {"size": 4}, "size = 4 is only for how='piles'"),
            ("piles", {"ties": "coin"}, "ties = 'coin' is only for how='odd', 'triplets' and 'quadruples'"),
            ("odd", {"ties": "maybe"}, "ties = 'maybe' is not known"),
            ("piles", {"size": 1}, "size must be at least 2"),
            ("triplets", {"ties": lambda left, right: 0.0}, "ties returned shape ()"),
            ("triples", {}, "how = 'triples' is not known. Choose one of random_pairs,"),
        ],
    )
    def test_what_is_refused(self, how, options, message):
        with pytest.raises(ValueError) as raised:  # noqa: PT011
            Constraints.sample(Y, how, 10, **options)
        assert message in str(raised.value)


class TestPreferences:
    noise = np.random.default_rng(0).random((2, 12, 60))
    pool = np.where(noise[0] < np.linspace(0, 1, 12)[:, None], (3 * noise[1]).astype(int), Y)

    @staticmethod
    def right_pairs(labels, rows):
        pairs = [(i, j) for i in rows for j in rows if i < j]
        return sum((labels[i] == labels[j]) == (Y[i] == Y[j]) for i, j in pairs)

    @pytest.mark.parametrize("shown", [10, None])
    @pytest.mark.parametrize("error_rate", [0.0, 0.11])
    def test_the_one_with_more_pairs_right_is_preferred(self, shown, error_rate):
        drawn = Constraints.sample_preferences(self.pool, Y, 40, shown=shown, error_rate=error_rate, random_state=0)
        wrong = 0
        for each in drawn.preferences:
            rows = np.flatnonzero(each.shown())
            assert len(rows) == (shown or 60)
            wrong += self.right_pairs(each.better, rows) < self.right_pairs(each.worse, rows)
        if shown:  # of all rows, some are asked about twice
            assert len(drawn.preferences) == 40
            assert wrong == ceil(error_rate * 40)

    def test_pairs_that_are_apart_count_as_much_as_those_together(self):
        y = [0, 0, 0, 1, 1, 1]
        lumped, scattered = [0] * 6, list(range(6))  # 6 of the 15 pairs are right, and 9
        (told,) = Constraints.sample_preferences([lumped, scattered], y, 1, random_state=0).preferences
        assert told == Preference(scattered, lumped)

    def test_rows_without_a_label_are_not_shown(self):
        y = np.where(np.arange(60) < 30, Y, -1)
        drawn = Constraints.sample_preferences(self.pool, y, 10, random_state=0)
        assert not any(each.shown()[30:].any() for each in drawn.preferences)

    @pytest.mark.parametrize(
        ("pool", "message"),
        [
            ([Y], "pool has 1 clusterings"),
            ([Y, Y[:3]], "pool[1] has 3 labels, y has 60"),
            ([Y, Y], "only 0 of 5 preferences were found"),
        ],
    )
    def test_what_is_refused(self, pool, message):
        with pytest.raises(ValueError) as raised:  # noqa: PT011
            Constraints.sample_preferences(pool, Y, 5)
        assert message in str(raised.value)
