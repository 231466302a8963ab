"""The command line takes data for what it is, and for what Python takes it."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from likewise import Constraints, Likewise, TableFeatures
from likewise.evaluation import normalized_mutual_information


@pytest.fixture
def people(folder):
    rng = np.random.default_rng(0)
    ages = np.concatenate([rng.normal(30, 3, 20), rng.normal(60, 3, 20)])
    towns = ["Rome"] * 18 + ["Oslo"] * 20 + ["Rome"] * 2
    lines = [f"{age:.1f},{town}" for age, town in zip(ages, towns, strict=True)]
    folder.write("people.csv", "age,town\n" + "\n".join(lines))
    return {"age": [float(line.partition(",")[0]) for line in lines], "town": towns}


def test_a_mixed_table_speaks_of_columns(folder, people):
    answer = folder.run("cluster", "people.csv", "--k", 2, "--report", folder / "r.html", terminal=True)
    assert answer.exit_code == 0, answer.output
    assert re.search(r"age \+\d", answer.stderr)
    assert re.search(r"age -\d", answer.stderr)  # also what is lower than elsewhere
    assert "words" not in answer.stderr
    page = (folder.path / "r.html").read_text()
    assert "What sets it apart" in page
    assert "Words that set it apart" not in page
    assert "Rows are texts" not in page


def test_a_mixed_table_is_clustered_as_in_python(folder, people):
    folder.run("cluster", "people.csv", "--k", 2, "--out", folder / "c.csv")
    found = [int(line.split(",")[1]) for line in (folder.path / "c.csv").read_text().splitlines()[1:]]
    features = TableFeatures()
    X = features.fit_transform(people)
    model = Likewise(2, kind=features.kind_, verbose=False, random_state=0).fit(X)
    assert adjusted_rand_score(found, model.labels_) == 1


@pytest.fixture
def wines(folder):
    """Wine as an analyst has it: ids, a region, dates, tasting notes and gaps beside the numbers; and 30 hints."""
    data = load_wine()
    rng = np.random.default_rng(0)
    n = len(data.target)
    names = [name.replace("/", " per ") for name in data.feature_names]
    gaps = rng.random(data.data.shape) < 0.01
    lines = [",".join(["wine_id", "region", *names, "bottled", "note", "country"])]
    for row in range(n):
        day = np.datetime64("2018-03-01") + rng.integers(0, 900)
        numbers = ["" if gap else str(value) for value, gap in zip(data.data[row], gaps[row], strict=True)]
        note = " ".join(rng.choice(["ripe", "dark", "plum", "oak", "fresh", "dry", "smoke", "long"], 6))
        region = rng.choice(["Asti", "Alba", "Barolo", "Bra"])
        lines.append(",".join([f"W-{row:04d}", region, *numbers, f"{day.item():%d.%m.%Y}", note, "Italy"]))
    folder.write("wines.csv", "\n".join(lines))
    ids = [f"W-{row:04d}" for row in range(n)]
    Constraints.sample(data.target, "random_pairs", 30, random_state=0).write(folder.path / "hints.csv", ids=ids)
    return data.target, gaps


def test_a_messy_table_is_clustered_nearly_as_its_numbers_alone(folder, wines):
    y, gaps = wines
    for hints in ((), ("--hints", "hints.csv")):
        answer = folder.run("cluster", "wines.csv", "--k", 3, *hints, "--out", folder / "c.csv", terminal=True)
        assert answer.exit_code == 0, answer.output
        lines = (folder.path / "c.csv").read_text().splitlines()
        clusters = lines[0].split(",").index("cluster")
        found = [line.split(",")[clusters] for line in lines[1:]]
        assert normalized_mutual_information(y, found) > 0.75
    shown = " ".join(answer.stderr.split())
    assert f"{gaps.sum()} empty cells in {gaps.any(axis=0).sum()} columns filled (numbers: median)" in shown
    assert "date 'bottled' (day.month.year: age, time of year, weekday)" in shown
    assert "'country' (it is 'Italy' in every row)" in shown
    assert re.search(r"hardly related to other columns: .*'region' \(0\.\d\)", shown)
    refused = folder.run("cluster", "wines.csv", "--k", 3, "--missing", "refuse")
    assert refused.exit_code == 2
    assert "is empty" in refused.stderr


def test_dense_unit_rows_are_clustered_as_in_python(folder):
    rng = np.random.default_rng(0)
    topic = np.arange(90) % 3
    X = normalize((rng.uniform(size=(90, 12)) + 2 * (np.arange(12) % 3 == topic[:, None])) * np.geomspace(1, 30, 12))
    np.save(folder.path / "t.npy", X)
    folder.run("cluster", "t.npy", "--k", 3, "--out", folder / "c.csv")
    found = [int(line.split(",")[1]) for line in (folder.path / "c.csv").read_text().splitlines()[1:]]
    model = Likewise(3, verbose=False, random_state=0).fit(X)
    assert model.report_.kind == "text"
    np.testing.assert_array_equal(found, model.labels_)


def test_ids_that_repeat_are_refused(folder):
    folder.write("t.csv", "id,size\n" + "\n".join(f"{row % 9},{row * row}" for row in range(10)))
    answer = folder.run("cluster", "t.csv", "--k", 2)
    assert answer.exit_code == 2
    assert "line 2 and line 11 are both '0'" in answer.stderr
    assert folder.json("cluster", "t.csv", "--k", 2, "--id", "none")["rows"] == 10
