from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from likewise.constraints import Constraints
from likewise.constraints._sample import SAMPLERS, _triangle

Y = np.array([0, 0, 0, -1, 1, 1, 2, 2, 2, 2, -1])


def drawn_pairs(hints):
    written = hints.expand()
    return [tuple(pair) for pairs in (written.must_link, written.cannot_link) for pair in pairs.tolist()]


def uniform(how, amount, y, repeats=4000):
    """Return the p-value of all pairs being drawn equally often, and the pairs drawn."""
    rng = np.random.default_rng(0)
    counts: dict = {}
    for _ in range(repeats):
        for pair in drawn_pairs(Constraints.sample(y, how, amount, random_state=rng)):
            counts[pair] = counts.get(pair, 0) + 1
    return chisquare(list(counts.values())).pvalue, set(counts)


def kinds(y):
    known = [row for row in range(len(y)) if y[row] != -1]
    pairs = {(i, j) for i in known for j in known if i < j}
    must = {(i, j) for i, j in pairs if y[i] == y[j]}
    return must, pairs - must


@pytest.mark.parametrize("amount", [1, 3])
def test_random_pairs_are_uniform_over_all_pairs(amount):
    pvalue, pairs = uniform("random_pairs", amount, Y)
    assert pairs == set.union(*kinds(Y))
    assert pvalue > 1e-3


def test_links_are_uniform_over_all_must_links():
    pvalue, pairs = uniform("links", 2, Y)
    assert pairs == kinds(Y)[0]
    assert pvalue > 1e-3


def test_cannot_links_of_equal_are_uniform():
    rng = np.random.default_rng(1)
    _, cannot = kinds(Y)
    counts = dict.fromkeys(cannot, 0)
    for _ in range(3000):
        for pair in Constraints.sample(Y, "equal", 2, random_state=rng).cannot_link.tolist():
            counts[tuple(pair)] += 1
    assert chisquare(list(counts.values())).pvalue > 1e-3


@pytest.mark.parametrize("how", ["labeled_items", "disjoint_items"])
def test_items_are_drawn_equally_often(how):
    rng = np.random.default_rng(2)
    counts = np.zeros(len(Y))
    for _ in range(2000):
        counts += Constraints.sample(Y, how, 4, random_state=rng).constrained_rows()
    assert (counts[Y == -1] == 0).all()
    assert chisquare(counts[Y != -1]).pvalue > 1e-3


@pytest.mark.parametrize("y", [Y, np.array([0, 0, 1, 1]), np.repeat(np.arange(5), 4)])
def test_per_class_draws_from_every_class_the_last_one_too(y):
    classes = np.unique(y[y >= 0])
    for seed in range(50):
        hints = Constraints.sample(y, "per_class", 1, random_state=seed)
        assert (len(hints.must_link), len(hints.cannot_link)) == (len(classes), len(classes))
        assert sorted(y[hints.must_link[:, 0]]) == classes.tolist()
        assert set(y[hints.cannot_link].ravel()) == set(classes)
        assert hints.conflicts() == []


def test_per_class_cannot_links_out_of_two_classes_are_uniform():
    # both classes draw from the same 4 × 3 pairs, and never the same one
    rng = np.random.default_rng(3)
    counts: dict = {}
    for _ in range(2000):
        links = Constraints.sample([0] * 4 + [1] * 3, "per_class", 2, random_state=rng).cannot_link
        assert len(links) == 4
        for pair in links.tolist():
            counts[tuple(pair)] = counts.get(tuple(pair), 0) + 1
    assert len(counts) == 12
    assert chisquare(list(counts.values())).pvalue > 1e-3


@pytest.mark.parametrize("how", SAMPLERS)
@pytest.mark.parametrize("error_rate", [0.0, 0.07, 0.3, 1.0])
def test_kinds_are_right_but_for_the_errors_asked_for(how, error_rate):
    y = np.repeat([0, 1, 2], 30)
    amount = {"per_class": 20, "labeled_items": 12, "disjoint_items": 40}.get(how, 100)
    hints = Constraints.sample(y, how, amount, error_rate=error_rate, random_state=0).expand()
    count = hints.n_must_link + hints.n_cannot_link
    expected = {"per_class": 120, "labeled_items": 66, "disjoint_items": 20, "equal": 200}.get(how, 100)
    assert count == expected
    wrong = (y[hints.must_link[:, 0]] != y[hints.must_link[:, 1]]).sum()
    wrong += (y[hints.cannot_link[:, 0]] == y[hints.cannot_link[:, 1]]).sum()
    assert wrong == ceil(round(count * error_rate, 6))
    if how == "links":
        assert hints.n_cannot_link == 0
    if how == "disjoint_items":
        assert len(np.unique(np.concatenate([hints.must_link, hints.cannot_link]))) == amount


def test_labeled_items_stay_a_partition():
    hints = Constraints.sample(np.arange(1_000_000) % 3, "labeled_items", 500_000, random_state=0)
    assert len(hints.partitions) == 1
    assert hints.n_must_link + hints.n_cannot_link == 500_000 * 499_999 // 2


def test_a_few_pairs_of_very_many_rows():
    hints = Constraints.sample(np.arange(3_000_000) % 2, "random_pairs", 50, random_state=0)
    assert hints.n_must_link + hints.n_cannot_link == 50


@settings(max_examples=200)
@given(st.integers(2, 3_000_000_000), st.data())
def test_pairs_are_numbered_without_gaps_or_rounding(j, data):
    i = data.draw(st.integers(0, j - 1))
    assert _triangle(np.array([j * (j - 1) // 2 + i])).tolist() == [[i, j]]


@pytest.mark.parametrize("seed", [7, np.int64(7)])
def test_the_same_seed_draws_the_same(seed):
    draw = [Constraints.sample(Y, "random_pairs", 5, random_state=seed) for _ in range(2)]
    assert draw[0] == draw[1]


def test_generators_move_on_and_no_global_state_is_touched():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    for state in (np.random.default_rng(0), np.random.RandomState(0)):
        draws = [Constraints.sample(Y, "random_pairs", 5, random_state=state) for _ in range(4)]
        assert any(draw != draws[0] for draw in draws)
    Constraints.sample(Y, "random_pairs", 5)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_string_labels_and_none():
    hints = Constraints.sample(["a", None, "b", "a", "b"], "equal", 2, random_state=0)
    assert hints.must_link.tolist() == [[0, 3], [2, 4]]


@pytest.mark.parametrize(
    ("how", "amount", "match"),
    [
        (
            "triples",
            1,
            "how = 'triples' is not known. Choose one of random_pairs, per_class, labeled_items",
        ),
        (
            "random_pairs",
            37,
            "cannot draw 37 distinct pairs of labeled rows: there are 36. Use at most 36",
        ),
        ("equal", 11, "pairs within a class: there are 10"),
        ("links", 11, "there are 10"),
        ("labeled_items", 10, "cannot draw 10 distinct labeled rows: there are 9"),
        ("disjoint_items", 10, "there are 9"),
        ("disjoint_items", 3, "amount must be even, got 3"),
        ("per_class", 2, "must-links within class 1: there are 1"),
        ("links", -1, "amount must be at least 0, got -1"),
    ],
)
def test_errors_say_the_most_there_is(how, amount, match):
    with pytest.raises(ValueError, match=match):
        Constraints.sample(Y, how, amount)


def test_other_errors():
    with pytest.raises(TypeError, match=r"amount must be a whole number, got 2\.5"):
        Constraints.sample(Y, "links", 2.5)
    with pytest.raises(ValueError, match=r"error_rate must be between 0 and 1, got 1\.5"):
        Constraints.sample(Y, "links", 2, error_rate=1.5)
    with pytest.raises(ValueError, match="random_state = 'x' is not a seed"):
        Constraints.sample(Y, "links", 2, random_state="x")
    with pytest.raises(ValueError, match="cannot-links out of class 'a': there are 0"):
        Constraints.sample(["a", "a", "a"], "per_class", 1)


@pytest.mark.parametrize("how", SAMPLERS)
def test_nothing_asked_nothing_drawn(how):
    assert Constraints.sample(Y, how, 0) == Constraints(len(Y))
    assert Constraints.sample([None, None], how, 0) == Constraints(2)
