"""What an answer is worth: people who answer, what is made of the values, and the command."""

import numpy as np
import pytest
from benchmarks.accuracy.ask.sets import HALVES, Rows
from benchmarks.accuracy.peers import PYTHON
from benchmarks.accuracy.statements import command, run
from benchmarks.accuracy.statements.answers import SHOWN, by_resemblance
from benchmarks.accuracy.statements.run import AMOUNTS, COMPARED, DRAWS, FORCED, PAIRS, PEERS, WAYS, methods, trials
from benchmarks.accuracy.statements.summary import PAIR_AMOUNTS, Told, bars, pairs_for
from benchmarks.accuracy.statements.writing import write_results
from click.testing import CliRunner
from sklearn.datasets import make_blobs

from likewise.evaluation import Results


@pytest.fixture
def blobs(monkeypatch):
    X, y = make_blobs([24, 20, 16], 3, centers=None, cluster_std=2.5, random_state=3)
    monkeypatch.setattr(run, "load", lambda name: Rows(X, y, "auto", X))
    run.base.cache_clear()
    run.pool.cache_clear()
    yield run.draw("blobs", 0)
    run.base.cache_clear()
    run.pool.cache_clear()


def results_of(values):
    """Each cell with the same value for every set of the judged half, two draws."""
    found = {}
    for (percent, amount, way), value in values.items():
        for name in HALVES["judged"]:
            found[f"judged/{name}/{percent}/{amount}/{way}/nmi"] = dict.fromkeys(range(2), value)
    return Results(found)


def test_nobody_is_asked_about_the_excluded_half(blobs):
    excluded = np.zeros(len(blobs.y), dtype=bool)
    excluded[blobs.scored] = True
    assert excluded.sum() == 30
    for way in (*WAYS, "preferences"):
        told = run.told(way, 20, 0.0, blobs, 0)
        assert not excluded[told.constrained_rows() | told.comparisons.compared_rows()].any()
        for preference in told.preferences:
            assert not excluded[preference.shown()].any()
            assert preference.shown().sum() == SHOWN


def test_an_answer_is_a_screen(blobs):
    forced = run.told("forced by resemblance", 20, 0.0, blobs, 0).comparisons
    assert (len(forced), len(forced.unsure)) == (20, 0)
    free = run.told("triplets", 20, 0.0, blobs, 0).comparisons
    assert len(free) + len(free.unsure) == 20
    assert len(free.unsure) > 0
    assert len(run.told("preferences", 20, 0.1, blobs, 0).preferences) == 20
    pairs = run.told(PAIRS, 20, 0.0, blobs, 0)
    assert len(pairs.must_link) + len(pairs.cannot_link) == 20


def test_resemblance_is_distance():
    rows = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    distance = by_resemblance(rows)(np.array([0, 0]), np.array([1, 2]))
    assert distance[1] == pytest.approx(4 * distance[0])


def test_values_of_every_way(blobs):
    for way in ("piles of three", "forced by a coin", "preferences"):
        found = run.likewise(way, 30, 0.1, blobs, 0)
        assert set(found) == {"nmi", "nmi@rest", "weight", "seconds"}
    assert run.as_pairs("forced by a coin", 30, 0.0, blobs, 0)["nmi"] > 0
    assert run.no_hints(blobs, 0)["nmi"] > 0.3


def test_the_same_answers_for_all_who_are_compared(blobs):
    assert run.told("triplets", 20, 0.1, blobs, 0) == run.told("triplets", 20, 0.1, blobs, 0)
    assert run.told("triplets", 20, 0.1, blobs, 0) != run.told("triplets", 20, 0.1, blobs, 1)


def test_trials_have_unique_names_and_all_ways():
    names = [trial.name for trial in trials()]
    assert len(names) == len(set(names))
    assert set(methods(100, 0.1)) >= {*WAYS, "preferences", *(f"{way}, {peer}" for way in COMPARED for peer in PEERS)}
    assert set(methods(50, 0.0)) == {PAIRS}


def test_what_is_worth_how_many_pairs():
    curve = [0.5, 0.5, 0.6, 0.62, 0.7, 0.8, 0.9, 1.0]
    assert len(curve) == len(PAIR_AMOUNTS) + 1
    assert pairs_for(0.8, curve) == "100"
    assert pairs_for(0.85, curve) == f"{np.sqrt(100 * 250):.0f}"
    assert pairs_for(1.1, curve) == "> 500"


def test_bars_by_hand():
    values = {(0, 0, "no hints"): 0.5}
    values |= {(p, amount, PAIRS): 0.5 + amount / 2000 for p in (0, 10) for amount in PAIR_AMOUNTS}
    for percent in (0, 10):
        values |= {(percent, amount, way): 0.52 for amount in AMOUNTS for way in FORCED}
        values |= {(percent, amount, way): 0.7 for amount in AMOUNTS for way in WAYS if way not in (*FORCED, PAIRS)}
        values |= {(percent, amount, "preferences"): 0.495 for amount in (10, 30, 100)}
    values |= {(10, amount, f"{way}, {peer}"): 0.51 for amount in AMOUNTS for way in COMPARED for peer in PEERS}
    met = [bar.met for bar in bars(Told.of(results_of(values), "judged"))]
    assert met == [True, False, True, True, True, True, True, True]
    values[10, 250, "triplets, LSML"] = 0.9
    values[0, 25, "forced by a coin"] = 0.48
    met = [bar.met for bar in bars(Told.of(results_of(values), "judged"))]
    assert met == [True, False, False, True, False, True, False, True]
    nothing = [bar.met for bar in bars(Told.of(Results({}), "judged"))]
    assert nothing == [None] * 8


def test_results_are_written(tmp_path):
    values = {(0, 0, "no hints"): 0.5, (0, 100, PAIRS): 0.6, (0, 100, "piles of three"): 0.7}
    page = write_results(tmp_path, results_of(values)).read_text(encoding="utf-8")
    assert "| piles of three |" in page
    assert "0.700 (40)" in page
    assert (tmp_path / "figures" / "answers.png").exists()


def test_the_command_runs_what_is_asked_for(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    monkeypatch.setattr(command, "run_missing", lambda package, ledger, patterns, *rest: asked.extend(patterns) or [])
    outcome = CliRunner().invoke(command.statements, ["judged/iris/0/25/*"])
    assert outcome.exit_code == 0, outcome.output
    assert asked == ["judged/iris/0/25/*"]
    assert (tmp_path / "RESULTS.md").exists()
    asked.clear()
    CliRunner().invoke(command.statements, [])
    assert asked == [pattern for pattern, _ in command.STEPS]
    assert DRAWS >= 5


def test_peers_take_the_same_comparisons(blobs):
    if not PYTHON.exists():
        pytest.skip("make .venv-peers/.ready installs the peers")
    for name in PEERS:
        assert run.peer(name, "triplets", 40, 0.0, blobs, 0)["nmi"] > 0.3
