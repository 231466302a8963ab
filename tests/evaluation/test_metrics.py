"""The scores against their definitions, against scikit-learn, and the laws each must obey."""

import datetime
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

from evaluation.slow_pairs import slow_pair_f, slow_purity, slow_rand, slow_scaled_rand
from likewise.evaluation import (
    PairScore,
    adjusted_rand_index,
    normalized_mutual_information,
    pair_f_score,
    purity,
    rand_index,
    scaled_rand_index,
)
from likewise.evaluation._contingency import Contingency, contingency, encode

SCORES = [rand_index, adjusted_rand_index, pair_f_score, scaled_rand_index, normalized_mutual_information, purity]
SYMMETRIC = [rand_index, adjusted_rand_index, normalized_mutual_information]

every_score = pytest.mark.parametrize("score", SCORES, ids=lambda score: score.__name__)


@st.composite
def labelings(draw, how_many=2):
    n = draw(st.integers(1, 14))
    groups = st.integers(0, draw(st.integers(0, 6)))
    return [draw(st.lists(groups, min_size=n, max_size=n)) for _ in range(how_many)]


class TestAgainstDefinitions:
    @given(labelings())
    def test_pair_scores_equal_a_loop_over_pairs(self, pair):
        assert rand_index(*pair) == float(slow_rand(*pair))
        assert scaled_rand_index(*pair) == float(slow_scaled_rand(*pair))
        assert tuple(pair_f_score(*pair)) == slow_pair_f(*pair)

    @given(labelings())
    def test_purity_equals_a_loop_over_clusters(self, pair):
        assert purity(*pair) == float(slow_purity(*pair))

    @given(labelings())
    def test_scikit_learn_agrees(self, pair):
        assert rand_index(*pair) == pytest.approx(sklearn_metrics.rand_score(*pair), abs=1e-15)
        assert adjusted_rand_index(*pair) == pytest.approx(sklearn_metrics.adjusted_rand_score(*pair), abs=1e-14)
        assert normalized_mutual_information(*pair) == pytest.approx(
            sklearn_metrics.normalized_mutual_info_score(*pair), abs=1e-12
        )

    @given(labelings())
    def test_f_follows_from_the_pair_confusion_matrix(self, pair):
        (_, lumped), (split, both) = sklearn_metrics.pair_confusion_matrix(*pair).tolist()
        if both:
            assert pair_f_score(*pair) == PairScore(
                f=2 * both / (2 * both + lumped + split),
                precision=both / (both + lumped),
                recall=both / (both + split),
            )

    @pytest.mark.parametrize("groups", [3, 1_000, 40_000])
    def test_scikit_learn_agrees_with_few_and_many_groups(self, groups):
        y_true, y_pred = np.random.default_rng(groups).integers(0, groups, (2, 50_000))
        assert rand_index(y_true, y_pred) == pytest.approx(sklearn_metrics.rand_score(y_true, y_pred), abs=1e-15)
        assert normalized_mutual_information(y_true, y_pred) == pytest.approx(
            sklearn_metrics.normalized_mutual_info_score(y_true, y_pred), abs=1e-12
        )


class TestLaws:
    @every_score
    @given(pair=labelings(), seed=st.integers(0, 999))
    def test_order_of_items_does_not_matter(self, score, pair, seed):
        order = np.random.default_rng(seed).permutation(len(pair[0]))
        y_true, y_pred = np.array(pair)
        assert score(y_true[order], y_pred[order]) == pytest.approx(score(y_true, y_pred), abs=1e-14)

    @every_score
    @given(pair=labelings())
    def test_names_of_groups_do_not_matter(self, score, pair):
        renamings = (
            lambda v: -v,
            lambda v: f"group {v}",
            lambda v: v / 7,
            lambda v: 10**15 * v,
            lambda v: datetime.date(2020, 1, 1 + v),
            lambda v: v if v % 2 else f"{v}",
        )
        for rename in renamings:
            renamed = [[rename(v) for v in y] for y in pair]
            assert score(*renamed) == pytest.approx(score(*pair), abs=1e-14)

    @pytest.mark.parametrize("score", SYMMETRIC)
    @given(pair=labelings())
    def test_symmetric_scores_are_symmetric(self, score, pair):
        assert score(*pair) == pytest.approx(score(*pair[::-1]), abs=1e-14)

    @given(labelings())
    def test_exchanging_sides_exchanges_precision_and_recall(self, pair):
        f, precision, recall = pair_f_score(*pair)
        assert pair_f_score(*pair[::-1]) == (f, recall, precision)

    @every_score
    @given(pair=labelings())
    def test_within_zero_and_one_and_one_for_itself(self, score, pair):
        least = -1 if score is adjusted_rand_index else 0
        assert np.all((np.array(score(*pair)) >= least) & (np.array(score(*pair)) <= 1))
        assert np.all(np.array(score(pair[0], pair[0])) == 1)

    @given(labelings(3))
    def test_splitting_clusters_never_lowers_purity(self, triple):
        y_true, y_pred, split = triple
        assert purity(y_true, whole(list(zip(y_pred, split, strict=True)))) >= purity(y_true, y_pred)


class TestScaledRand:
    @pytest.mark.parametrize("sizes", [(50, 50), (97, 3), (1, 1, 2), (20, 30, 50, 400)])
    def test_one_cluster_and_all_singletons_score_a_half(self, sizes):
        y_true = np.repeat(np.arange(len(sizes)), sizes)
        assert scaled_rand_index(y_true, np.zeros_like(y_true)) == 0.5
        assert scaled_rand_index(y_true, np.arange(y_true.size)) == 0.5

    @pytest.mark.parametrize("clusters", [2, 5, 50])
    @pytest.mark.parametrize("classes", [2, 5, 50])
    def test_random_clusters_score_about_a_half(self, classes, clusters):
        rng = np.random.default_rng(0)
        y_true, y_pred = rng.integers(0, classes, 20_000), rng.integers(0, clusters, 20_000)
        assert scaled_rand_index(y_true, y_pred) == pytest.approx(0.5, abs=2e-3)

    def test_many_classes_fool_rand_but_not_scaled_rand(self):
        rng = np.random.default_rng(0)
        y_true, y_pred = rng.integers(0, 100, (2, 20_000))
        assert rand_index(y_true, y_pred) > 0.97
        assert scaled_rand_index(y_true, y_pred) < 0.51

    def test_worked_by_hand(self):
        # 4 same-class pairs, 2 of them together; 6 different-class pairs, 4 of them apart
        y_true, y_pred = [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]
        assert scaled_rand_index(y_true, y_pred) == float(Fraction(1, 2) * (Fraction(2, 4) + Fraction(4, 6)))

    def test_the_half_that_exists_counts_alone(self):
        assert scaled_rand_index([0, 0, 0], [0, 0, 1]) == 1 / 3
        assert scaled_rand_index([0, 1, 2], [0, 0, 1]) == 2 / 3


class TestDegenerate:
    @every_score
    @pytest.mark.parametrize("n", [1, 2, 5])
    def test_one_group_on_both_sides_is_perfect(self, score, n):
        assert np.all(np.array(score(["x"] * n, [7] * n)) == 1)

    @every_score
    def test_all_singletons_on_both_sides_is_perfect(self, score):
        assert np.all(np.array(score(range(5), list("abcde"))) == 1)

    def test_nothing_found_or_nothing_to_find_scores_zero(self):
        assert pair_f_score([0, 0, 1], [0, 1, 2]) == (0, 0, 0)
        assert pair_f_score([0, 1, 2], [0, 0, 1]) == (0, 0, 0)

    def test_one_group_on_one_side_tells_nothing(self):
        assert normalized_mutual_information([0, 1, 2, 2], [5, 5, 5, 5]) == 0
        assert normalized_mutual_information([5, 5, 5, 5], [0, 1, 2, 2]) == 0


class TestExactCounts:
    def test_ten_million_items(self):
        big, small = 9_999_999, 1
        pairs = contingency(np.repeat([0, 1], [big, small]), np.repeat([0, 1], [small, big])).pairs()
        assert all(type(count) is int for count in pairs)
        assert pairs.total == 10_000_000 * 9_999_999 // 2
        assert pairs.by_row == pairs.by_column == big * (big - 1) // 2
        assert pairs.both == (big - 1) * (big - 2) // 2
        assert pairs.neither == 1

    def test_counts_past_float_precision(self):
        n = 3_000_000_001  # n² needs 63 bits, and float64 holds 53
        table = Contingency(*(np.array(v) for v in ([n], [0], [0], [n], [n])))
        assert table.pairs().both == table.pairs().total == n * (n - 1) // 2

    def test_table_is_never_larger_than_the_items(self):
        codes = np.arange(200_000)
        table = contingency(codes, codes[::-1].copy())
        assert table.cells.size == table.row_total.size == 200_000


class TestEncode:
    @pytest.mark.parametrize(
        "labels",
        [
            np.array([-128, 127, -128], np.int8),
            np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], np.uint64),
            np.array([0, 2**64 - 1, 0], np.uint64),
            np.array([-(2**63), 2**63 - 1, -(2**63)]),
            np.array([True, False, True]),
            np.array([0.5, np.inf, 0.5]),
            np.array(["2020-01-01", "2021-01-01", "2020-01-01"], "datetime64[ns]"),
            np.array([b"a", b"b", b"a"]),
            [1, "1", 1],
            ["nan", "x", "nan"],
            pd.Series(["a", "b", "a"], dtype="category"),
            pd.Series([1, 2, 1], dtype="Int64"),
            pd.Series([1, 2, 1], index=[5, 5, 5]),
            pl.Series(["a", "b", "a"]),
            pl.Series([1, 2, 1]),
        ],
    )
    def test_any_kind_of_label(self, labels):
        codes = encode(labels, "labels")
        assert codes.dtype == np.int64
        assert codes.min() == 0
        assert codes[0] != codes[1]
        assert codes[0] == codes[2]

    def test_labels_are_left_as_they_were(self):
        labels = np.array([3, 1, 2])
        labels.flags.writeable = False
        assert rand_index(labels, labels) == 1
        assert labels.tolist() == [3, 1, 2]


class TestErrors:
    @every_score
    def test_different_lengths(self, score):
        with pytest.raises(ValueError, match=r"y_true has 3 labels, y_pred has 2\. Give both one label per item"):
            score([0, 1, 2], [0, 1])

    @every_score
    def test_two_dimensions(self, score):
        with pytest.raises(ValueError, match=r"y_pred must hold one label .* has shape \(3, 2\)\. Pass a single"):
            score([0, 1, 2], np.eye(3)[:, :2])

    @every_score
    def test_empty(self, score):
        with pytest.raises(ValueError, match=r"y_true is empty\. Give at least one label"):
            score([], [])

    @pytest.mark.parametrize(
        ("labels", "seen"),
        [
            ([0.0, 1.0, np.nan], "nan"),
            (["a", "b", float("nan")], "nan"),
            (["a", "b", None], "None"),
            (np.array([1, 2, np.nan], dtype=object), "nan"),
            (np.array(["2020", "2021", "NaT"], "datetime64[D]"), "NaT"),
            (pd.Series([1, 2, None], dtype="Int64"), "(nan|<NA>)"),
            (pd.Series(["a", "b", None], dtype="string"), "(nan|<NA>)"),
            (pl.Series([1, 2, None]), "nan"),
            (pl.Series(["a", "b", None]), "None"),
        ],
    )
    def test_missing_labels(self, labels, seen):
        with pytest.raises(ValueError, match=rf"y_true\[2\] is {seen}: .* Leave such rows out"):
            rand_index(labels, [0, 1, 2])


def whole(tuples):
    """Keep tuples whole: an object array of one dimension, where numpy would make it two."""
    labels = np.empty(len(tuples), dtype=object)
    labels[:] = tuples
    return labels
