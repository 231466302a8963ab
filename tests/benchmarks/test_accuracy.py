"""The comparison of Likewise with its rivals: its hints, and what is made of the values."""

import numpy as np
import pytest
from benchmarks.accuracy import command, hints
from benchmarks.accuracy.summary import PLAIN, Table, bars, mean_of

from likewise.evaluation import Results

Y = np.repeat(np.arange(4), 30)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(hints, "FOLDER", tmp_path)
    return tmp_path


def pairs_of(drawn):
    return {tuple(pair) for pair in np.concatenate([drawn.must_link, drawn.cannot_link]).tolist()}


def wrong_ones(drawn):
    same = Y[drawn.must_link[:, 0]] == Y[drawn.must_link[:, 1]]
    apart = Y[drawn.cannot_link[:, 0]] != Y[drawn.cannot_link[:, 1]]
    return int((~same).sum() + (~apart).sum())


def test_hints_are_drawn_once_from_half_of_the_rows(folder):
    drawn, rest = hints.saved_hints("made-up", Y, 50, 0.0, 3)
    assert len(pairs_of(drawn)) == 50
    assert len(rest) == 60
    assert not drawn.constrained_rows()[rest].any()
    assert wrong_ones(drawn) == 0
    written = folder / "made-up" / "3" / "50-pairs-0-wrong.csv"
    before = written.read_bytes()
    again, _ = hints.saved_hints("made-up", Y[::-1], 50, 0.0, 3)  # read, not drawn from other classes
    assert again == drawn
    assert written.read_bytes() == before


def test_more_hints_begin_with_the_fewer_ones():
    few, many = (hints.saved_hints("made-up", Y, pairs, 0.0, 0)[0] for pairs in (25, 200))
    assert pairs_of(few) < pairs_of(many)


@pytest.mark.parametrize("wrong", [0.1, 0.2])
def test_wrong_hints_are_as_many_as_asked_for_and_about_the_same_pairs(wrong):
    right, some = (hints.saved_hints("made-up", Y, 100, share, 0)[0] for share in (0.0, wrong))
    assert wrong_ones(some) == round(100 * wrong)
    assert pairs_of(some) == pairs_of(right)


def test_seeds_and_names_draw_differently():
    first, second, other = (
        hints.saved_hints(name, Y, 50, 0.0, seed)[0] for name, seed in (("a", 0), ("a", 1), ("b", 0))
    )
    assert first != second
    assert first != other


def table(values, sets=("s", "t"), seeds=2):
    return Table(Results(values), list(sets), seeds, frozenset({"umap"}))


def test_means_ranks_and_shares():
    found = table(
        {
            "s/25/0/likewise/nmi": {0: 0.9, 1: 0.8},
            "t/25/0/likewise/nmi": {0: 0.5, 1: 0.5},
            "s/25/0/likewise/plain-nmi": {0: 0.8, 1: 0.805},
            "t/25/0/likewise/plain-nmi": {0: 0.6, 1: 0.505},
            "s/0/0/umap/nmi": {0: 0.95, 1: 0.7},
            "t/0/0/umap/nmi": {0: 0.1, 1: 0.1},
            "s/25/0/slow/nmi": {0: 0.2, 1: 0.3},
            "t/25/0/slow/nmi": {0: float("nan"), 1: float("nan")},
        }
    )
    assert found.mean("likewise", 25) == pytest.approx(0.675)
    assert found.mean("slow", 25) == pytest.approx(0.25)
    assert found.answered("slow", 25) == 1
    assert found.draws("slow", 25) == 2
    # seeds of s: umap 1st once, likewise 1st once; both of t: likewise 1st, umap 2nd, no answer is last
    assert found.ranks(["likewise", "umap", "slow"], 25) == {"likewise": 1.25, "umap": 1.75, "slow": 3.0}
    assert found.worse("likewise", PLAIN, 25) == 0.25


def test_ranks_are_over_draws_that_all_were_asked_about():
    found = table({"s/25/0/a/nmi": {0: 0.5, 1: 0.9}, "s/25/0/b/nmi": {0: 0.6}}, sets=("s",))
    assert found.ranks(["a", "b"], 25) == {"a": 2.0, "b": 1.0}


def test_a_mean_is_over_sets_first():
    assert mean_of(np.array([[1.0, np.nan], [0.0, 0.0], [np.nan, np.nan]])) == 0.5


def test_bars_are_met_or_not():
    every = {}
    for pairs in (25, 100):
        for percent in (0, 10, 20):
            for score in ("nmi", "nmi@rest"):
                every[f"wine/{pairs}/{percent}/likewise/{score}"] = {0: 0.9}
                every[f"wine/{pairs}/{percent}/likewise/plain-{score}"] = {0: 0.8}
            every[f"wine/{pairs}/{percent}/likewise/auc"] = {0: 0.8}
    every |= {
        f"wine/0/0/{method}/{score}": {0: 0.87} for method in ("umap", "k-means") for score in ("nmi", "nmi@rest")
    }
    every["wine/100/0/k unknown/factor"] = {0: 1.4}
    found = Table(Results(every), ["wine"], 1, frozenset({"umap", "k-means"}))
    missed = [bar.asked for bar in bars(found, (25, 100), ["umap", "k-means"]) if not bar.met]
    assert missed == [
        "100 pairs: ahead of UMAP + k-means by 0.04 NMI on all rows",
        "wrong hints found with AUC ≥ .85 (25 pairs and more)",
    ]


def test_values_are_kept_packed(tmp_path):
    ledger = command.unpacked(tmp_path)
    ledger.append(0, [("b", 2.0), ("a", 1.0)])
    command.pack(ledger)
    ledger.path.unlink()
    again = command.unpacked(tmp_path)
    assert again.path.read_text() == "cell,seed,value\na,0,1\nb,0,2\n"
    again.append(1, [("a", 3.0)])
    assert command.unpacked(tmp_path).read()["a"] == {0: 1.0, 1: 3.0}  # what a stopped run has left is not lost
