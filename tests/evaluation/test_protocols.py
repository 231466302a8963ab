import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel, wilcoxon
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from likewise import Costco, NormalizedCut
from likewise.evaluation import rand_index
from likewise.evaluation.protocols import (
    Trial,
    add_noise_columns,
    case,
    clustered,
    one_sided_t_test,
    one_sided_wilcoxon,
    reduced,
    rows_per_class,
    run_trial,
    split_rows,
)

X, y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[y]


def k_means(drawn, seed):
    return KMeans(drawn.n_clusters, n_init=2, random_state=seed)


def test_a_case_holds_hints_drawn_from_the_truth():
    drawn = case(X, NAMES, "random_pairs", 40, random_state=3)
    assert drawn.n_clusters == 3
    assert len(drawn.constraints.must_link) + len(drawn.constraints.cannot_link) == 40
    left, right = drawn.constraints.must_link.T
    assert (drawn.y[left] == drawn.y[right]).all()
    assert case(X, y, "random_pairs", 0).constraints.is_empty


def test_hints_touch_only_the_rows_to_learn_from():
    learn, test = split_rows(len(y), 0.3, 0)
    assert len(learn) == 45
    np.testing.assert_array_equal(np.sort(np.concatenate([learn, test])), np.arange(len(y)))
    drawn = case(X, y, "random_pairs", 60, rows=learn, scored=test, random_state=0)
    touched = np.unique(np.concatenate([drawn.constraints.must_link, drawn.constraints.cannot_link]))
    assert set(touched) <= set(learn)
    labels = np.where(np.isin(np.arange(len(y)), learn), 0, drawn.y)
    assert drawn.score("rand", labels) == 1.0
    assert drawn.score("rand", labels) > rand_index(y, labels)


def test_several_labelings_score_their_mean():
    drawn = case(X, y, "random_pairs", 10, random_state=0)
    wrong = np.zeros(len(y), dtype=int)
    both = drawn.score("rand", np.array([drawn.y, wrong]))
    assert both == pytest.approx((1 + rand_index(y, wrong)) / 2)
    assert drawn.score("kept", drawn.y) == 1.0


def test_a_trial_fills_the_cells_it_names():
    trial = Trial(
        "iris",
        lambda seed: case(X, y, "random_pairs", 60, random_state=seed),
        {
            "k-means": clustered(k_means, restarts=3),
            "costco": reduced(lambda drawn, seed: Costco(2), k_means),
            "own": lambda drawn, seed: {"width": 2},
        },
        ("nmi", "seconds"),
    )
    values = run_trial(trial, 1)
    assert set(values) == {
        "iris/k-means/nmi",
        "iris/k-means/seconds",
        "iris/costco/nmi",
        "iris/costco/seconds",
        "iris/own/width",
    }
    assert run_trial(trial, 1, ["costco"])["iris/costco/nmi"] == values["iris/costco/nmi"]
    assert values["iris/costco/seconds"] > 0


class NoAnswer(ValueError):
    pass


def refuses(drawn, seed):
    raise NoAnswer("cannot be done")


def test_a_refusal_is_nan_and_any_other_error_is_raised():
    drawn = case(X, y, "random_pairs", 10, random_state=0)
    trial = Trial("iris", lambda seed: drawn, {"some": refuses}, ("nmi", "f"), refusals=(NoAnswer,))
    answer = run_trial(trial, 0)
    assert set(answer) == {"iris/some/nmi", "iris/some/f"}
    assert all(np.isnan(value) for value in answer.values())
    with pytest.raises(NoAnswer, match="cannot be done"):
        run_trial(Trial("iris", lambda seed: drawn, {"some": refuses}), 0)


def test_a_method_that_hears_no_hints_is_not_told_any():
    drawn = case(X, y, "random_pairs", 20, random_state=0)
    labels = clustered(lambda drawn, seed: NormalizedCut(3, random_state=seed))(drawn, 0)
    assert labels.shape == (1, len(y))


def test_an_unknown_score_is_refused():
    with pytest.raises(ValueError, match="asks for the score 'accuracy'"):
        Trial("t", lambda seed: None, {}, ("accuracy",))


def test_noise_columns_are_appended_and_say_nothing():
    noisy = add_noise_columns(X, 20, 0, low=-1, high=1)
    np.testing.assert_array_equal(noisy[:, :4], X)
    noise = noisy[:, 4:]
    assert noise.shape == (150, 20)
    assert -1 <= noise.min() < -0.9 < 0.9 < noise.max() <= 1


@given(st.integers(1, 60), st.integers(0, 5))
def test_rows_per_class_takes_no_more_than_there_are(most, seed):
    rows = rows_per_class(y, most, seed)
    assert len(set(rows)) == len(rows)
    np.testing.assert_array_equal(np.bincount(y[rows]), [min(most, 50)] * 3)


def test_tests_of_a_difference_agree_with_scipy():
    rng = np.random.default_rng(0)
    a, b = rng.random(9) + 0.2, rng.random(9)
    assert one_sided_wilcoxon(a, b) == wilcoxon(a, b, alternative="greater").pvalue
    assert one_sided_t_test(a, b) == pytest.approx(ttest_rel(a, b, alternative="greater").pvalue)
    assert one_sided_wilcoxon(a, a) == one_sided_t_test(a, a) == 1.0
    assert one_sided_t_test(a + 1, a) < 1e-6
