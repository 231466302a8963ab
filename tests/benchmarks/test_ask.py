"""Questions: people who answer them, strategies that ask, and what is made of the values."""

from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.accuracy.ask import command, run
from benchmarks.accuracy.ask.person import HARD, Person
from benchmarks.accuracy.ask.run import DRAWS, SCREENS, UNKNOWN, dialogue, distinct, suspicion, told_to_both, trials
from benchmarks.accuracy.ask.sets import HALVES, Rows
from benchmarks.accuracy.ask.strategies import (
    Round,
    Told,
    balanced,
    constraints_of,
    explore_and_consolidate,
    min_max,
    npu,
    random,
)
from benchmarks.accuracy.ask.summary import PEERS, Asked, bars, needed, screens_for, stopping
from benchmarks.accuracy.ask.writing import coverage, means, write_results
from click.testing import CliRunner
from sklearn.datasets import make_blobs

from likewise.evaluation import Results
from likewise.front import Suspect
from likewise.questions import Question

STRATEGIES = (random, balanced, explore_and_consolidate, min_max, npu)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs([14, 12, 10], 3, centers=None, cluster_std=2.5, random_state=3)


def asking_about(blobs, answers="0", screens=60):
    X, y = blobs
    rows = np.arange(0, len(y), 2)
    return Round(X, 3, rows, y % 2, Person(X, y, answers, 0), screens, np.random.default_rng(0))


@pytest.mark.parametrize("answers", ["0", "10", "20", "hard"])
def test_errors_are_as_many_as_announced_and_persist(answers):
    X, y = make_blobs(400, 2, centers=4, cluster_std=1.5, random_state=0)
    person, again = (Person(X, y, answers, [0, 1]) for _ in range(2))
    np.testing.assert_array_equal(person.said, again.said)
    np.testing.assert_array_equal(person.said, person.said.T)
    pairs = np.triu_indices(400, 1)
    wrong = (person.said != person.truth)[pairs]
    share = HARD if answers == "hard" else int(answers) / 100
    assert wrong.mean() == pytest.approx(share, abs=0.005)
    if answers == "hard":
        hard = person.errors[pairs] > np.median(person.errors[pairs])
        assert wrong[hard].mean() > 2 * wrong[~hard].mean()


def test_rows_that_are_never_mixed_are_never_hard():
    X, y = make_blobs(60, centers=[[0, 0], [100, 100]], random_state=0)
    assert not Person(X, y, "hard", 0).errors.any()


def test_answers_of_every_kind():
    y = np.array([0, 0, 1, 1, 2])
    person = Person(np.zeros((5, 1)), y, "0", 0)

    def question(kind, rows, pairs):
        return Question(kind, rows, pairs, (0.5,) * len(pairs), (0.5,) * len(pairs), "doubt")

    assert person.answer(question("pair", (0, 1), ((0, 1),))) == "same"
    assert person.answer(question("pair", (0, 2), ((0, 2),))) == "different"
    assert person.answer(question("choice", (3, 0, 2), ((3, 0), (3, 2)))) == [2]
    assert person.answer(question("choice", (4, 0, 2), ((4, 0), (4, 2)))) == 0
    assert person.piles((0, 2, 1, 4)) == [0, 1, 0, 2]
    person.said[4, 0] = person.said[0, 4] = -1
    assert person.answer(question("pair", (0, 4), ((0, 4),))) is None
    assert person.answer(question("choice", (4, 0, 2), ((4, 0), (4, 2)))) is None
    assert person.piles((0, 2, 4)) == [0, 1, "?"]


def test_a_tenth_cannot_be_said():
    y = np.arange(200) % 3
    person = Person(np.zeros((200, 1)), y, "cant-say", 0)
    assert (person.said < 0).mean() == pytest.approx(0.1, abs=0.01)
    assert person.is_right
    said = person.said >= 0
    np.testing.assert_array_equal(person.said[said] == 1, person.truth[said])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategies_ask_about_their_rows_alone_and_stop_at_the_budget(blobs, strategy):
    asking = asking_about(blobs, screens=12)
    told = asking.run(strategy)
    assert asking.used == 12
    assert set(np.ravel([one.rows for one in told])) <= set(asking.rows.tolist())
    assert all(one.same == (blobs[1][one.rows[0]] == blobs[1][one.rows[1]]) for one in told)
    assert [one.screen for one in told] == sorted(one.screen for one in told)


@pytest.mark.parametrize("strategy", [explore_and_consolidate, min_max, npu])
def test_strategies_by_neighborhoods_end_when_all_rows_are_placed(blobs, strategy):
    asking = asking_about(blobs, screens=500)
    told = asking.run(strategy)
    groups = constraints_of(told, len(asking.X)).groups()[asking.rows]
    np.testing.assert_array_equal(groups[:, None] == groups, asking.person.truth[np.ix_(asking.rows, asking.rows)])
    assert asking.used < 3 * len(asking.rows)


def test_exploring_finds_a_row_of_each_class_early(blobs):
    asking = asking_about(blobs, screens=8)
    rows = np.unique([one.rows for one in asking.run(explore_and_consolidate)])
    assert set(blobs[1][rows]) == {0, 1, 2}


def test_rows_that_cannot_be_said_are_left_open(blobs):
    asking = asking_about(blobs, "cant-say", screens=500)
    asking.run(min_max)
    assert any(asking.person.said[one.rows] < 0 for one in asking.told) is False


def test_balanced_asks_within_and_across_by_turns(blobs):
    asking = asking_about(blobs, screens=20)
    within = [bool(asking.labels[i] == asking.labels[j]) for (i, j) in (one.rows for one in asking.run(balanced))]
    assert within == [True, False] * 10


@pytest.fixture
def small(blobs, monkeypatch):
    """The blobs in place of every data set, and few screens."""
    X, y = blobs
    monkeypatch.setattr(run, "load", lambda name: Rows(X, y, "auto", X))
    monkeypatch.setattr(run, "SCREENS", (5, 12))
    run.base.cache_clear()
    yield
    run.base.cache_clear()


@pytest.mark.parametrize("answers", ["0", "10", UNKNOWN])
def test_a_dialogue_is_scored_at_each_budget(small, answers):
    case = run.draw("iris", answers, 0)
    assert not set(case.extra["rows"]) & set(case.scored)
    found = dialogue("pair", case, 0)
    assert {"nmi-5", "nmi@rest-5", "nmi-12", "nmi@rest-12", "screens", "same", "seconds"} <= set(found)
    assert found["screens"] <= 12
    assert found == {**dialogue("pair", case, 0), "seconds": found["seconds"]}


def test_answers_after_the_rule_stopped_count_at_the_next_budget(small, monkeypatch):
    heard = []
    monkeypatch.setattr(run, "SCREENS", (5, 40))
    monkeypatch.setattr(run, "measured", lambda case, talk: heard.append(len(talk.answers)) or {"nmi": len(heard)})
    found = dialogue("pair", run.draw("iris", "0", 0), 0)
    assert found["screens"] < 40  # nothing was left to ask
    assert heard == sorted(set(heard))
    assert heard[-1] == found["screens"]
    assert found["nmi-40"] == len(heard)


def test_other_strategies_are_scored_with_both_clusterers(small):
    case = run.draw("iris", "0", 1)
    found = run.WITH_K["explore & consolidate"](case, 1)
    assert {"nmi@rest-5", "own nmi@rest-5", "nmi-12", "own nmi-12"} <= set(found)
    assert "own nmi-5" not in run.LOT["random"](case, 1)


def test_what_is_told_at_a_budget_is_what_was_asked_until_then(small, monkeypatch):
    case = run.draw("iris", "0", 0)
    seen = []
    monkeypatch.setattr(run, "with_answers", lambda case, told: seen.append(told) or case.extra["base"])
    told_to_both(case, [Told(2, (0, 1), True), Told(5, (0, 2), False), Told(6, (1, 3), True)], 0, None)
    assert [len(hints.must_link) + len(hints.cannot_link) for hints in seen] == [2, 3]
    assert distinct([Told(1, (0, 1), True), Told(4, (0, 1), True)]) == [Told(1, (0, 1), True)]


def test_wrong_answers_are_found_or_not():
    case = SimpleNamespace(y=np.array([0, 0, 1, 1]))
    right, wrong = Suspect((0, 1), "must-link", 0.1, 0.9), Suspect((1, 2), "must-link", 0.05, 0.9)
    assert suspicion(case, [right]) == suspicion(case, []) == {}
    assert suspicion(case, [right, wrong]) == {"auc": 0.0}
    assert suspicion(case, [right, wrong, Suspect((0, 3), "must-link", 0.9, 0.1)]) == {"auc": 0.5}


def test_halves_are_apart_and_trials_name_their_cells():
    assert not set(HALVES["judged"]) & set(HALVES["choosing"])
    named = {trial.name: trial for trial in trials()}
    assert set(named["judged/iris/0"].methods) >= {"pairs", "piles", "random", "npu", "no hints"}
    assert "npu" not in named[f"choosing/wine/{UNKNOWN}"].methods


def test_screens_that_are_needed():
    curve = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    assert screens_for(curve, 0.1) == 0
    assert screens_for(curve, 0.75) == pytest.approx(350)
    assert screens_for(curve, 0.9) == np.inf


def values_of(ours, auc=0.9, lost=0.0):
    """The same values in all runs: random reaches .5, others .4; ours is given."""
    found = {}
    for name in HALVES["judged"]:
        for answers in ("0", "10"):

            def put(method, score, value, at=f"judged/{name}/{answers}"):
                found[f"{at}/{method}/{score}"] = dict.fromkeys(range(DRAWS), value)

            put("no hints", "nmi@rest-0", 0.2)
            for place, screens in enumerate(SCREENS):
                put("random", f"nmi@rest-{screens}", 0.2 + 0.05 * place)
                for peer in PEERS:
                    own = "own " if "own" in peer else ""
                    put(peer.split(",")[0], f"{own}nmi@rest-{screens}", 0.3)
                for method in ("pairs", "piles"):
                    put(method, f"nmi@rest-{screens}", ours)
                    put(method, f"auc-{screens}", auc)
                    put(method, "stop", 60.0)
                    put(method, "nmi@rest-stop", ours - lost)
    return Results(found)


@pytest.mark.parametrize(
    ("results", "met"),
    [
        (values_of(0.6), [True] * 14),
        (values_of(0.4), [True, False, True, False, True, True, False, False, *[True] * 6]),
        (values_of(0.6, auc=0.8, lost=0.02), [*[True] * 10, *[False] * 4]),
        (Results({}), [None] * 14),
    ],
)
def test_bars_are_met_or_not(results, met):
    assert [bar.met for bar in bars(Asked.of(results, "judged"))] == met


def test_stopping_is_compared_with_the_last_budget():
    found = stopping(Asked.of(values_of(0.6, lost=0.02), "judged"), "pairs")
    assert found == pytest.approx((20 * DRAWS, 20 * DRAWS, 60.0, 0.02, 0.02))
    assert needed(Asked.of(values_of(0.3), "judged"), "pairs", 100).screens == np.inf


def test_results_are_written_before_all_is_run(tmp_path):
    text = write_results(tmp_path, values_of(0.6)).read_text(encoding="utf-8")
    assert "| pairs (100) | 0.600 |" in text
    assert "nan" not in text
    assert "### 20 % of" not in text
    assert (tmp_path / "figures" / "screens.png").exists()
    assert "not run" in write_results(tmp_path, Results({})).read_text(encoding="utf-8")
    assert "| npu | 100 + 0 | 100 + 0 | 0 + 0 | 0 + 0 | 0 + 0 | – |" in coverage(values_of(0.6))
    assert "judged, right answers" in means(values_of(0.6))


def test_settings_are_tried_beside_the_results(small, tmp_path):
    out = tmp_path / "tried.csv"
    arguments = ["choosing/wine/0/random", "--seeds", "1", "--jobs", "1", "--out", str(out)]
    done = CliRunner().invoke(command.ask, arguments)
    assert done.exit_code == 0, done.output
    assert "choosing/wine/0/random/nmi@rest-12,0," in out.read_text(encoding="utf-8")
    assert not (tmp_path / "RESULTS.md").exists()
