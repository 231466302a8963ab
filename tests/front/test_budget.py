"""Time: a budget by a clock that only tests move, Ctrl-C, and threads."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_iris

from cases.clock import Clock
from likewise import _threads as threads
from likewise._warnings import InterruptedWarning
from likewise.clustering.kmeans._points import Points
from likewise.clustering.kmeans._seeding import kmeans_plus_plus
from likewise.constraints import Constraints
from likewise.front import Likewise, _training
from likewise.front import _budget as budget_module
from likewise.front import _consensus as consensus
from likewise.front import _members as members
from likewise.front import _unsupervised as unsupervised
from likewise.front._kmeans import open_stream, reserve_stream

FEATURES, RUN = 1.0, 0.05
MEMBER = {"graph": 0.2, "both": 0.3, "linear": 0.2, "soft graph": 0.4, "soft linear": 0.4, "relearned graph": 0.1}


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, Constraints.sample(y, "random_pairs", 80, random_state=0)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    for module in (budget_module, unsupervised):
        monkeypatch.setattr(module, "perf_counter", clock)
    graph = unsupervised.GraphFeatures
    monkeypatch.setattr(graph, "fit_transform", clock.slowed(graph.fit_transform, FEATURES))
    monkeypatch.setattr(unsupervised, "kmeans_labels", clock.slowed(unsupervised.kmeans_labels, RUN))
    for name, seconds in MEMBER.items():
        family = members.FAMILIES[name]
        slow = replace(family, train=clock.slowed(family.train, seconds))
        monkeypatch.setitem(members.FAMILIES, name, slow)
    return clock


def trained(model):
    """How many members each family has."""
    return {family.name: family.members for family in model.report_.families[1:]}


@pytest.mark.parametrize("budget", [2.0, 4.0, 6.0, 8.0, 10.0, 12.0])
def test_a_budget_is_kept(iris, clock, budget):
    X, hints = iris
    start = clock.now
    model = Likewise(3, budget_s=budget, random_state=0).fit(X, constraints=hints)
    assert clock.now - start <= 1.2 * budget
    assert model.labels_.shape == (150,)
    # every family that was trained has seen and not seen each fold
    assert all(count in (4, 8) for count in trained(model).values())
    assert "no time for" in str(model.report_)


def test_more_time_brings_more_members_cheap_families_first(iris, clock):
    X, hints = iris
    counts = [
        trained(Likewise(3, budget_s=seconds, random_state=0).fit(X, constraints=hints)) for seconds in (4, 8, 60)
    ]
    for fewer, more in pairwise(counts):
        assert fewer.keys() <= more.keys()
        assert all(more[family] >= count for family, count in fewer.items())
        assert sum(more.values()) > sum(fewer.values())
    cost = {name: 4 * MEMBER[name] for name in MEMBER}
    assert max(cost[name] for name in counts[0]) <= min(cost[name] for name in ("soft graph", "soft linear"))
    assert counts[-1].keys() == members.FAMILIES.keys()


def test_a_short_budget_still_gives_an_answer_and_says_what_is_missing(iris, clock):
    X, hints = iris
    model = Likewise(3, budget_s=1e-3, random_state=0).fit(X, constraints=hints)
    assert 0 < model.n_iter_ < Likewise(3, random_state=0).fit(X).n_iter_
    runs, learning = model.report_.left_out
    assert "runs without hints" in runs
    assert all(family in learning for family in members.FAMILIES)
    assert model.report_.fallback == "no clustering was trained on hints"
    assert (model.labels_[hints.must_link[:, 0]] == model.labels_[hints.must_link[:, 1]]).all()


def test_large_numbers_of_clusters_are_not_tried_in_a_hurry(iris, clock, monkeypatch):
    from likewise.front import _choose_k as counting

    X, hints = iris
    monkeypatch.setattr(counting, "kmeans_labels", clock.slowed(counting.kmeans_labels, RUN))
    model = Likewise(budget_s=8, random_state=0).fit(X, constraints=hints)
    assert model.report_.left_out[0].startswith("numbers of clusters above")
    assert model.n_clusters_ <= 10


def test_time_to_spare_changes_nothing(iris):
    X, hints = iris
    plain, rich = (Likewise(3, budget_s=s, random_state=0).fit(X, constraints=hints) for s in (None, 1e6))
    np.testing.assert_array_equal(plain.embedding_, rich.embedding_)
    assert rich.report_.left_out == ()


def interrupting(monkeypatch, family):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setitem(members.FAMILIES, family, replace(members.FAMILIES[family], train=stop))


def test_an_interrupted_fit_has_the_best_answer_so_far(iris, monkeypatch):
    X, hints = iris
    interrupting(monkeypatch, "linear")
    with pytest.warns(InterruptedWarning) as caught:
        model = Likewise(3, random_state=0).fit(X, constraints=hints)
    assert f"based on {model.n_iter_} clusterings" in str(caught[0].message)
    assert model.report_.interrupted
    assert trained(model).keys() == {"graph", "both"}  # families before the one that was interrupted
    assert "linear" in model.report_.left_out[0]
    assert model.predict(X).shape == (150,)


def test_interrupted_at_the_first_member_it_falls_back_to_the_unsupervised_result(iris, monkeypatch):
    X, hints = iris
    interrupting(monkeypatch, "graph")
    with pytest.warns(InterruptedWarning):
        model = Likewise(3, random_state=0).fit(X, constraints=hints)
    assert model.report_.fallback == "no clustering was trained on hints"
    assert (model.labels_[hints.must_link[:, 0]] == model.labels_[hints.must_link[:, 1]]).all()


def test_interrupted_when_members_are_joined_the_unsupervised_result_stays(iris, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    X, hints = iris
    monkeypatch.setattr(consensus, "constrained_kmeans", stop)
    with pytest.warns(InterruptedWarning):
        model = Likewise(3, random_state=0).fit(X, constraints=hints)
    np.testing.assert_array_equal(model.labels_, model.unsupervised_labels_)


def test_without_any_result_an_interruption_is_one(iris, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(unsupervised, "kmeans_labels", stop)
    with pytest.raises(KeyboardInterrupt):
        Likewise(3, random_state=0).fit(iris[0])


@pytest.mark.parametrize("trust", ["auto", "weighted"])
def test_threads_change_nothing(iris, trust):
    X, hints = iris
    one, three = (Likewise(trust=trust, n_jobs=n, random_state=0).fit(X, constraints=hints) for n in (1, 3))
    np.testing.assert_array_equal(one.embedding_, three.embedding_)
    np.testing.assert_array_equal(one.labels_, three.labels_)


def test_a_few_rows_more_hints_start_no_threads(iris, monkeypatch):
    X, hints = iris
    model = Likewise(3, n_jobs=2, random_state=0).fit(X, constraints=hints)
    monkeypatch.setattr(threads, "ThreadPoolExecutor", None)
    model.add_constraints(Constraints(len(X), must_link=[(0, 1)]))
    with pytest.raises(TypeError):
        model.fit(X, constraints=hints)
    monkeypatch.setattr(_training, "FEW_ROWS", 100)
    with pytest.raises(TypeError):
        model.add_constraints(Constraints(len(X), must_link=[(0, 2)]))


def test_seconds_of_a_stage_add_up(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(budget_module, "perf_counter", clock)
    budget = budget_module.Budget(10.0)
    for seconds in (2.0, 3.0):
        with budget.stage("features"):
            clock.now += seconds
    with pytest.raises(KeyboardInterrupt), budget.stage("hints"):  # noqa: PT012
        clock.now += 1.0
        raise KeyboardInterrupt
    assert budget.seconds == {"features": 5.0, "hints": 1.0}
    assert budget.elapsed == 6.0
    assert [budget.has_room(seconds) for seconds in (0.0, 4.0, 4.1)] == [True, True, False]
    assert [budget.has_room(seconds, 0.75) for seconds in (1.5, 1.6)] == [True, False]
    assert budget_module.Budget().has_room(1e9)


@pytest.mark.parametrize("k", [1, 2, 3, 8, 30])
def test_a_stream_holds_what_one_start_draws(k):
    points = Points(np.random.default_rng(0).normal(size=(60, 3)))
    rng = np.random.RandomState(5)
    own = open_stream(reserve_stream(rng, k))
    kmeans_plus_plus(points, k, own)
    assert own.uniform() == rng.uniform()


class Room:
    """A budget that writes down what it is asked for, and allows some rounds."""

    interrupted, elapsed = False, 0.0

    def __init__(self, rounds):
        self.rounds, self.asked, self.left_out = rounds, [], []

    def has_room(self, seconds):
        self.asked.append(round(seconds, 9))
        return len(self.asked) <= self.rounds


@pytest.mark.parametrize("reserve", [0.0, 1.0])
def test_the_time_of_a_round_is_expected_from_runs_without_hints(iris, reserve):
    X, hints = iris
    features = replace(unsupervised.Features.of(X), graph_s=5.0)
    plain = unsupervised.cluster_unsupervised(features, 3, np.random.RandomState(0))
    plain = replace(plain, run_s=0.1, joining_s=2.0)
    budget = Room(0)
    trainer = _training.Trainer(features, plain, 3, np.random.RandomState(0), budget)
    found, _ = trainer.train(hints, closed=True, reserve=reserve)
    assert found == []
    later = 3 * 2.0 + reserve * 4 * 0.1  # joining all, and a further round of the first family
    assert budget.asked == [pytest.approx(4 * 0.1 + later)]
    (words,) = budget.left_out
    assert words.startswith("members of graph, both, linear, graph (repeated), both (repeated), soft linear")
    cost = {name: trainer._expected_s(family) for name, family in members.FAMILIES.items()}
    assert cost["both"] == cost["linear"] == pytest.approx(4 * 1.5 * 0.1)
    assert cost["soft graph"] == pytest.approx(4 * 8 * 0.1)
    assert cost["relearned graph"] == pytest.approx(4 * 5.0)


def test_each_family_has_members_in_all_folds(iris):
    X, hints = iris
    features = unsupervised.Features.of(X)
    plain = unsupervised.cluster_unsupervised(features, 3, np.random.RandomState(0))
    trainer = _training.Trainer(features, plain, 3, np.random.RandomState(0), Room(4))
    found, folds = trainer.train(hints, closed=True)
    assert [(each.fold, each.family, each.repeat) for each in found] == [
        (fold, *member) for fold in range(4) for member in (("graph", 0), ("graph", 1), ("both", 0), ("linear", 0))
    ]
    assert np.bincount(folds).tolist() == [38, 38, 37, 37]
    assert trainer.budget.left_out == [
        "members of both (repeated), soft linear, soft graph, soft unsupervised, relearned graph"
    ]
