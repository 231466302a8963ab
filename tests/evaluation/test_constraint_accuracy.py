"""The share of hints kept: stated pairs by loop, partitions by table, and both by their weights."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluation.slow_pairs import slow_constraint_accuracy
from likewise.constraints import Comparisons, Constraints, Partition, Preference
from likewise.evaluation import constraint_accuracy, rand_index

SAME, ACROSS, WITHIN = "same_within", "different_across", "different_within"
FLAGS = [{SAME}, {ACROSS}, {WITHIN}, {SAME, ACROSS}]


def partition(codes, flags, weight=1.0):
    return Partition(
        np.array(codes),
        same_within=SAME in flags,
        different_across=ACROSS in flags,
        different_within=WITHIN in flags,
        weight=weight,
    )


@st.composite
def hints_and_labels(draw):
    n = draw(st.integers(2, 12))
    weights = st.sampled_from([0.125, 0.25, 0.5, 1.0])  # binary fractions: the loop's sums are exact too

    def column(low):
        return draw(st.lists(st.integers(low, 3), min_size=n, max_size=n))

    rows = st.integers(0, n - 1)
    links = draw(st.lists(st.tuples(rows, rows, st.booleans(), weights), max_size=10))
    stated = {(min(i, j), max(i, j)): (must, weight) for i, j, must, weight in links if i != j}
    must = {pair: weight for pair, (kind, weight) in stated.items() if kind}
    cannot = {pair: weight for pair, (kind, weight) in stated.items() if not kind}
    flags = draw(st.lists(st.sampled_from(FLAGS), max_size=2))
    constraints = Constraints(
        n,
        must_link=list(must),
        cannot_link=list(cannot),
        must_weight=list(must.values()),
        cannot_weight=list(cannot.values()),
        partitions=tuple(partition(column(-1), kinds, draw(weights)) for kinds in flags),
    )
    return constraints, column(-1)


@given(hints_and_labels())
def test_equals_a_loop_over_hints(case):
    constraints, labels = case
    try:
        expected = slow_constraint_accuracy(labels, constraints)
    except ZeroDivisionError:
        assume(False)
    assert constraint_accuracy(labels, constraints) == expected


def test_beliefs_weigh_the_hints():
    constraints = Constraints(3, must_link=[(0, 1)], cannot_link=[(1, 2)], must_weight=[0.75], cannot_weight=[0.25])
    assert constraint_accuracy(["a", "a", "b"], constraints) == 1
    assert constraint_accuracy(["a", "a", "a"], constraints) == 0.75
    assert constraint_accuracy(["a", "b", "b"], constraints) == 0


@pytest.mark.parametrize(
    ("flags", "kept"), [({SAME}, 1 / 2), ({WITHIN}, 1 / 2), ({ACROSS}, 2 / 4), ({SAME, ACROSS}, 3 / 6)]
)
def test_each_kind_of_partition(flags, kept):
    constraints = Constraints(5, partitions=(partition([0, 0, 1, 1, -1], flags),))
    assert constraint_accuracy([0, 0, 0, 1, 0], constraints) == kept


def test_full_labels_give_the_rand_index():
    y_true, y_pred = np.random.default_rng(0).integers(0, 5, (2, 100_000))
    assert constraint_accuracy(y_pred, Constraints.from_labels(y_true)) == pytest.approx(
        rand_index(y_true, y_pred), abs=1e-15
    )


def test_everything_kept_is_exactly_one():
    labels = np.random.default_rng(0).integers(0, 7, 1_000)
    pairs = np.array([(i, i + 1) for i in range(0, 998, 2)])
    together = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    constraints = Constraints(
        1_000,
        must_link=pairs[together],
        cannot_link=pairs[~together],
        must_weight=np.full(together.sum(), 0.1),
        cannot_weight=np.full((~together).sum(), 0.3),
        partitions=(partition(labels, {SAME, ACROSS}, 0.7),),
    )
    assert constraint_accuracy(labels, constraints) == 1


class TestErrors:
    def test_nothing_to_check(self):
        alone, unknown = partition([0, -1, -1], {SAME, ACROSS}), partition([-1, -1, -1], {SAME})
        for constraints in (Constraints(3), Constraints(3, partitions=(alone, unknown))):
            with pytest.raises(ValueError, match=r"there is nothing to check: .* Give at least one"):
                constraint_accuracy([0, 1, 2], constraints)

    def test_built_for_other_rows(self):
        constraints = Constraints(600, must_link=[(0, 1)])
        with pytest.raises(ValueError, match=r"built for 600 rows, labels has 480\. .*restrict\(rows\)"):
            constraint_accuracy(np.zeros(480, int), constraints)

    def test_missing_label(self):
        with pytest.raises(ValueError, match=r"labels\[1\] is nan"):
            constraint_accuracy([0, np.nan], Constraints(2, must_link=[(0, 1)]))


def test_comparisons_and_preferences_count_with_their_weights():
    compared = Comparisons(6, nearer=[(0, 1, 2), (0, 2, 1), (0, 3, 4), (0, 1, 3)], weight=[1, 2, 4, 8])
    labels = [0, 0, 1, 2, 2, 2]
    # 0 and 1 are together, 0 and 2 are not: the first is kept, the second is the wrong way round; the third is a tie
    assert constraint_accuracy(labels, Constraints(6) | compared) == (1 + 4 + 8) / 15
    better, worse = [0, 0, 1, 2, 2, 2], [0, 1, 1, 2, 0, 2]
    hints = Constraints(6, [(0, 2)]) | Preference(better, worse, 3) | Preference(worse, better, 0.5)
    assert constraint_accuracy(labels, hints) == 3 / 4.5


def test_unanswered_questions_alone_say_nothing():
    with pytest.raises(ValueError, match="nothing to check"):
        constraint_accuracy([0, 0, 1], Constraints(3) | Comparisons(3, unsure=[(0, 1, 2)]))
