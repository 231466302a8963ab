"""Training members: what each is given, which rounds there is time for, and what members start from."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from likewise.constraints import Comparisons, Constraints, Preference
from likewise.front import _members as members
from likewise.front import _training
from likewise.front._folds import Statements, row_folds
from likewise.front._held_out import (
    HeldOutComparisons,
    HeldOutPreferences,
    calibrated_slopes,
    resemblance,
    tie_odds,
)
from likewise.front._kmeans import open_stream, reserve_stream
from likewise.front._learned_map import Space
from likewise.front._members import Member, Task, TrainingData, by_family, in_order
from likewise.front._unsupervised import Unsupervised

N = 24
RNG = np.random.default_rng(0)
F = RNG.normal(size=(N, 3)).astype(np.float32)
Y = np.arange(N) % 3
COMPARED = Comparisons(N, nearer=[(0, 3, 1), (4, 7, 5), (8, 11, 9), (12, 15, 10), (2, 5, 13), (16, 19, 17)])


def features(graph_s=0.0):
    spaces = {"linear": Space(F), "graph": Space(F[:, :2]), "both": Space(np.hstack([F, F[:, :2]]))}
    return SimpleNamespace(n=N, graph_s=graph_s, to_linear=SimpleNamespace(metric="euclidean"), **spaces)


def unsupervised(run_s=0.1, joining_s=2.0):
    return Unsupervised(3, Y, np.zeros((N, 3)), [Y, np.arange(N) % 2], np.array([0.75, 0.25]), run_s, joining_s)


class Room:
    """A budget with a clock that only tests move, which writes down what it is asked for."""

    def __init__(self, rounds=99):
        self.rounds, self.asked, self.left_out, self.interrupted, self.elapsed = rounds, [], [], False, 0.0

    def has_room(self, seconds):
        self.asked.append(seconds)
        return len(self.asked) <= self.rounds


@pytest.fixture
def quick(monkeypatch):
    """Families whose members all have the same labels, and take some seconds on the clock of a budget."""

    def start(budget, seconds):
        made = []

        def train(data, task):
            budget.elapsed += seconds.get(task.family, 0.0)
            made.append((task.family, task.fold, task.repeat))
            return Y, None

        for table in (members.FAMILIES, members.COMPARED_FAMILIES):
            for name, family in table.items():
                monkeypatch.setitem(table, name, replace(family, train=train))
        return made

    return start


def trainer(budget=None, **given):
    return _training.Trainer(features(**given), unsupervised(), 3, np.random.RandomState(0), budget or Room(), 1)


HINTS = Constraints(N, [(0, 3), (1, 4), (2, 5)], [(0, 1), (3, 5)])


def test_the_time_of_a_round_is_that_of_the_last_one_of_its_family(quick):
    budget = Room()
    quick(budget, {"graph": 0.25, "both": 0.5})
    trainer(budget).train(HINTS, closed=True, reserve=1.0)
    afterward = 3 * 2.0 + 4 * 0.25  # the consensus, and another first round, as long as the first one took
    run = 4 * 0.1
    rounds = [run, 1.5 * run, 1.5 * run, 4 * 0.25, 4 * 0.5, 8 * run, 8 * run, 8 * run, 0.0]
    expected = [each + afterward for each in rounds]
    expected[0] = run + 3 * 2.0 + run  # before it, by the time of a run without hints
    assert budget.asked == pytest.approx(expected)
    assert budget.left_out == []


def test_rounds_of_comparisons_take_two_or_three_runs(quick):
    budget = Room()
    quick(budget, {})
    found, _ = trainer(budget, graph_s=7.0).train(HINTS | COMPARED, closed=False)
    run = 4 * 0.1
    costs = [1, 1.5, 1.5, 2, 3, 3, 1, 1.5, 8, 8, 8]
    assert budget.asked == pytest.approx([*(cost * run + 6.0 for cost in costs), 4 * 7.0 + 6.0])
    assert len(found) == 4 * 12


@pytest.mark.parametrize("rounds", [0, 1, 5, 8, 9])
def test_what_there_is_no_time_for_is_named(quick, rounds):
    budget = Room(rounds)
    quick(budget, {})
    found, _ = trainer(budget).train(HINTS, closed=True)
    assert len(found) == 4 * rounds
    names = [
        *("graph", "both", "linear", "graph (repeated)", "both (repeated)", "soft linear", "soft graph"),
        *("soft unsupervised", "relearned graph"),
    ]
    assert budget.left_out == ([] if rounds == 9 else [f"members of {', '.join(names[rounds:])}"])


def test_an_interrupted_budget_trains_no_more(quick):
    budget = Room()
    made = quick(budget, {})
    budget.interrupted = True
    found, folds = trainer(budget).train(HINTS, closed=True)
    assert found == made == []
    assert len(budget.left_out) == 1
    assert np.bincount(folds).tolist() == [6, 6, 6, 6]


@pytest.mark.parametrize(("family", "rounds"), [("graph", 0), ("linear", 2), ("relearned graph", 8)])
def test_an_interruption_leaves_complete_rounds(quick, monkeypatch, family, rounds):
    def stop(*_):
        raise KeyboardInterrupt

    budget = Room()
    quick(budget, {})
    monkeypatch.setitem(members.FAMILIES, family, replace(members.FAMILIES[family], train=stop))
    found, _ = trainer(budget).train(HINTS, closed=True)
    assert len(found) == 4 * rounds
    assert budget.interrupted
    assert budget.left_out[0].startswith(f"members of {family}")


@pytest.mark.parametrize(("few", "is_previous", "n_jobs"), [(N, True, 1), (N - 1, True, 7), (N, False, 7)])
def test_a_few_rows_are_trained_further_on_one_thread(quick, monkeypatch, few, is_previous, n_jobs):
    budget, used = Room(), set()
    quick(budget, {})
    work = replace(trainer(budget), n_jobs=7)
    previous = [Member("graph", Y, 0)] if is_previous else []
    monkeypatch.setattr(_training, "FEW_ROWS", few)
    monkeypatch.setattr(
        _training, "parallel_map", lambda train, tasks, n_jobs: used.add(n_jobs) or list(map(train, tasks))
    )
    work.train(HINTS, previous, np.arange(N) % 4, closed=True)
    assert used == {n_jobs}


def test_members_start_from_those_of_their_family_fold_and_repeat(quick, monkeypatch):
    budget = Room()
    made = quick(budget, {})
    first, folds = trainer(budget).train(HINTS, closed=True)
    assert len(made) == 36
    made.clear()
    starts = []
    monkeypatch.setattr(_training, "Task", lambda *given: starts.append(given) or Task(*given))
    again, same = trainer(budget).train(HINTS, first, folds, closed=True)
    assert same is folds
    assert len(made) == 28  # all but the second ones of two families, which would be the first ones again
    for family, fold, repeat, _, previous in starts:
        assert (previous.family, previous.fold, previous.repeat) == (family, fold, repeat)
        assert any(previous is member for member in first)
    assert [each.repeat for each in again] == [each.repeat for each in first]
    fresh = trainer(budget).train(HINTS, first[:3], folds, closed=True)[0]
    assert len(fresh) == 36


def test_each_fold_has_the_hints_that_do_not_touch_it():
    hints = HINTS | COMPARED
    folds = row_folds(N, np.random.RandomState(1))
    work = trainer()
    every = work._held_out_comparisons(hints)
    odds = tie_odds(every, work.unsupervised)
    data, tasks = work._prepare(hints, False, folds, ())
    assert len(data) == 4
    for fold, each in enumerate(data):
        kept = [t for t in range(6) if not (folds[np.hstack([COMPARED.near, COMPARED.far])[t]] == fold).any()]
        np.testing.assert_array_equal(each.constraints.comparisons.near, COMPARED.near[kept])
        if kept:
            np.testing.assert_array_equal(each.tie_odds, odds[kept])
        else:
            assert each.tie_odds is None
        assert not each.constraints.constrained_rows()[folds == fold].any()
        assert len(each.statements) == each.constraints.n_must_link + each.constraints.n_cannot_link
        assert (each.n_clusters, each.closed) == (3, False)
        assert each.unsupervised_labels is work.unsupervised.labels
    assert list(tasks) == list(members.rounds_for(hints))
    for (family, repeat), own in tasks.items():
        assert [(task.family, task.fold, task.repeat) for task in own] == [(family, fold, repeat) for fold in range(4)]
        assert all(task.previous is None for task in own)
    assert all(each.tie_odds is None for each in trainer()._prepare(HINTS, True, folds, ())[0])


@pytest.mark.parametrize("n_clusters", [3, 40])
def test_streams_of_members_do_not_overlap(n_clusters):
    work = replace(trainer(), n_clusters=n_clusters)
    _, tasks = work._prepare(HINTS, True, np.arange(N) % 4, ())
    rng = np.random.RandomState(0)
    folds_rng = {}
    for fold in range(4):
        for name, family in members.FAMILIES.items():
            for repeat in range(family.repeats):
                folds_rng[name, repeat, fold] = open_stream(reserve_stream(rng, min(n_clusters, N))).uniform()
        break  # what is drawn for the hints of a fold comes between folds
    for (name, repeat, fold), expected in folds_rng.items():
        assert open_stream(tasks[name, repeat][fold].stream).uniform() == expected
    assert len(set(folds_rng.values())) == len(folds_rng) == 9


def test_comparisons_and_preferences_are_held_out_beside_pairs():
    work, folds = trainer(), np.arange(N) % 4
    liked = Preference(Y, np.arange(N) % 2)
    assert work.held_out(HINTS, folds) == []
    (compared,) = work.held_out(HINTS | COMPARED, folds)
    assert isinstance(compared, HeldOutComparisons)
    np.testing.assert_array_equal(compared.resemblance, resemblance(F, COMPARED))
    (preferred,) = work.held_out(HINTS | liked, folds)
    assert isinstance(preferred, HeldOutPreferences)
    assert [type(each) for each in work.held_out(HINTS | COMPARED | liked, folds)] == [
        HeldOutComparisons,
        HeldOutPreferences,
    ]


def test_ties_are_answered_by_resemblance_as_far_as_runs_do_not_explain_it():
    held_out = HeldOutComparisons(COMPARED, resemblance(F, COMPARED))
    plain = unsupervised()
    together = [
        sum(
            weight * (float(run[a] == run[b]) - float(run[c] == run[d]))
            for run, weight in zip(plain.labelings, plain.weights, strict=True)
        )
        for (a, b), (c, d) in zip(COMPARED.near, COMPARED.far, strict=True)
    ]
    np.testing.assert_allclose(held_out.plain_scores(plain), together)
    X = np.column_stack([together, held_out.resemblance])
    slope = calibrated_slopes(X, COMPARED.weight, ((6.0, 0.0), (3.0, 1.0)))[1]
    np.testing.assert_allclose(tie_odds(held_out, plain), held_out.resemblance * slope)


# ---- families ------------------------------------------------------------------------------------------------------


@pytest.fixture
def seen(monkeypatch):
    """What k-means is given; all its labels are the same."""
    calls = []
    monkeypatch.setattr(members, "Points", np.asarray)
    monkeypatch.setattr(members, "kmeans_labels", lambda rows, k, stream, start: calls.append((rows, k, start)) or Y)
    return calls


def training_data(hints=HINTS, n_clusters=3, **given):
    return TrainingData(features(), Y, hints, n_clusters, True, Statements.of(hints, np.random.RandomState(0)), **given)


def task(previous=None):
    return Task("a", 0, 0, reserve_stream(np.random.RandomState(0), 3), previous)


@pytest.mark.parametrize(("family", "space"), [("graph", "graph"), ("both", "both"), ("linear", "linear")])
def test_k_means_runs_in_the_space_of_its_family_as_learned(seen, family, space):
    data = training_data()
    labels, kept = members.FAMILIES[family].train(data, task())
    ((rows, k, start),) = seen
    np.testing.assert_array_equal(rows, getattr(data.features, space).learned(data.links, 3))
    assert (labels is Y, kept, k, start) == (True, None, 3, None)
    members.FAMILIES[family].train(data, task(Member("a", Y + 1, 0)))
    np.testing.assert_array_equal(seen[1][2], Y + 1)


@pytest.mark.parametrize(("family", "space"), [("graph", "graph"), ("both", "both"), ("linear", "linear")])
def test_k_means_of_comparisons_runs_in_the_space_that_they_map(seen, family, space):
    data = training_data(HINTS | COMPARED, tie_odds=np.zeros(6))
    assert members.COMPARED_FAMILIES[f"compared {family}"].train(data, task()) == (Y, None)
    mapped = getattr(data.features, space).compared(data.terms, 3)
    np.testing.assert_array_equal(seen[0][0], mapped)
    assert seen[0][1:] == (3, None)


@pytest.mark.parametrize(("n_clusters", "expected"), [(3, 20), (10, 20), (11, 22)])
@pytest.mark.usefixtures("seen")
def test_relearned_neighbors_have_at_least_twenty_coordinates(monkeypatch, n_clusters, expected):
    made = []

    class Graph:
        def __init__(self, *, n_components, metric):
            made.append((n_components, metric))

        def fit_transform(self, X):
            return X[:, :1]

    monkeypatch.setattr(members, "GraphFeatures", Graph)
    data = training_data(n_clusters=n_clusters)
    _, space = members.relearned_graph(data, task())
    assert made == [(expected, "euclidean")]
    np.testing.assert_array_equal(space.F, data.linear[:, :1])
    assert members.relearned_graph(data, task(Member("a", Y, 0, kept=space)))[1] is space
    assert len(made) == 1


@pytest.mark.parametrize(("family", "space"), [("graph", "graph"), ("linear", "linear"), ("unsupervised", "linear")])
def test_soft_members_start_from_learned_labels_or_those_without_hints(monkeypatch, family, space):
    seen = []
    start = np.arange(N) % 2
    monkeypatch.setattr(members, "kmeans_labels", lambda points, k, stream, labels: start)
    monkeypatch.setattr(members, "softmax_labels", lambda *given: seen.append(given) or (Y, "coefficients"))
    data = training_data(HINTS | COMPARED, tie_odds=np.arange(6.0))
    train = members.FAMILIES[f"soft {family}"].train
    assert train(data, task()) == (Y, "coefficients")
    train(data, task(Member("a", Y + 1, 0, kept="before")))
    (X, statements, labels, k, coefficients, compared), later = seen
    assert X is getattr(data.features, space).affine
    assert statements is data.statements
    np.testing.assert_array_equal(labels, Y if family == "unsupervised" else start)
    assert (k, coefficients) == (3, None)
    assert compared[0] is data.constraints.comparisons
    assert compared[1] is data.tie_odds
    np.testing.assert_array_equal(later[2], Y + 1)
    assert later[4] == "before"
    seen.clear()
    train(training_data(), task())
    assert seen[0][5] is None


def test_members_are_grouped_and_sorted_by_family():
    names = [*members.FAMILIES, *members.COMPARED_FAMILIES]
    every = [Member(name, Y, fold, repeat) for repeat in (1, 0) for name in names[::-1] for fold in (2, 0, 1)]
    found = in_order(every)
    place = [(member.fold, names.index(member.family), member.repeat) for member in found]
    assert place == sorted(place)
    groups = by_family(every)
    assert list(groups) == names[::-1]
    assert all({member.family for member in own} == {name} and len(own) == 6 for name, own in groups.items())
    assert [next(group for group in own) for own in groups.values()] == every[: 3 * len(names) : 3]
