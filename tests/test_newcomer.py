"""A newcomer's walk: four people with files of their own, and nothing but what README and docs tell them.

Each begins with a file as such people have it, and ends where they wanted to be.
"""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_wine

from likewise.cli import main
from likewise.evaluation import normalized_mutual_information

DOCS = Path(__file__).parents[1] / "docs"
WORDS = {
    "sea": "boat harbor sailing captain waves anchor tide nets storm deck",
    "kitchen": "bread oven baking flour butter pans onions frying salt soup",
    "garden": "roses soil planting seeds digging hedge apples pruning leaves bees",
}
COMMON = "morning old small day work hands cold warm people time year long good"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def likewise(*words):
    """Run a command as typed in a terminal; what it printed. It must not fail."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 0, f"likewise {' '.join(map(str, words))}: {done.output}"
    return done.output


def written(path):
    """The lines of a CSV file as dictionaries."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_lines(path, lines, delimiter=","):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows(lines)


def test_an_analyst_with_a_messy_table(folder):
    """Gaps, a category that means nothing, a date, remarks; hints with semicolons, yes and no, two of them wrong."""
    data, rng = load_wine(), np.random.default_rng(0)
    ids = [f"W-{row:04}" for row in range(len(data.data))]
    regions = rng.choice(["Asti", "Alba", "Langhe", "Roero"], len(ids))
    table = [["wine_id", *data.feature_names, "region", "bottled", "remark"]]
    for row, values in enumerate(data.data):
        cells = [f"{value:g}" if rng.random() > 0.02 else "" for value in values]
        bottled = f"{rng.integers(2001, 2009)}-{rng.integers(1, 13):02}-{rng.integers(1, 28):02}"
        table.append([ids[row], *cells, regions[row], bottled, rng.choice(["", "good", "to be drunk now"])])
    write_lines(folder / "wines.csv", table)
    pairs = rng.choice(len(ids), (60, 2), replace=True)
    same = data.target[pairs[:, 0]] == data.target[pairs[:, 1]]
    same[:2] = ~same[:2]
    answers = [[ids[a], ids[b], "yes" if yes else "no"] for (a, b), yes in zip(pairs, same, strict=True) if a != b]
    write_lines(folder / "pairs.csv", [["one", "other", "same?"], *answers], delimiter=";")

    told = likewise("cluster", "wines.csv", "--hints", "pairs.csv", "--k", 3,
                    "--out", "clusters.csv", "--model", "wines.likewise", "--report", "report.html")  # fmt: skip
    clusters = written("clusters.csv")
    assert [row["id"] for row in clusters] == ids
    assert normalized_mutual_information(data.target, [row["cluster"] for row in clusters]) > 0.8
    certain = np.array([float(row["certainty"]) for row in clusters])
    assert ((certain >= 0) & (certain <= 1)).all()
    assert "region" in told  # what became of the columns is said
    assert "proline" in (folder / "report.html").read_text(encoding="utf-8")
    # three more answers, and the same model goes on
    write_lines(folder / "more.csv", [[ids[0], ids[1], "same"], [ids[0], ids[70], "different"]])
    likewise("cluster", "wines.csv", "--from", "wines.likewise", "--hints", "more.csv", "--out", "clusters.csv")
    again = written("clusters.csv")
    assert normalized_mutual_information(data.target, [row["cluster"] for row in again]) > 0.8


def test_an_accountant_with_a_spreadsheet(folder):
    """Semicolons, decimal commas, euros, a title with a comma, dashes for what is missing, empty rows at the end."""
    data, rng = load_wine(), np.random.default_rng(3)
    ids = [f"W-{row:04}" for row in range(len(data.data))]  # not minus some watts

    def german(value, unit=""):
        if rng.random() < 0.03:
            return rng.choice(["-", "", "n/a"])
        return f"{value:,.2f}".translate(str.maketrans(",.", ".,")) + unit

    table = [["Wines, as of 31.12.2019", "", "", "", ""], ["", "", "", "", ""]]
    table.append(["No", "Alcohol", "Price", "Proline", "Flavanoids"])
    for name, row in zip(ids, data.data, strict=True):
        table.append([name, german(row[0], " %"), german(row[9], " €"), german(row[12]), german(row[6])])
    write_lines(folder / "wines.csv", [*table, [""] * 5, [""] * 5], delimiter=";")
    told = likewise("cluster", "wines.csv", "--k", 3, "--out", "clusters.csv")
    assert "'Wines, as of 31.12.2019' is taken as a title, and line 3 as the names of the columns" in told
    assert "178 rows of wines.csv: 4 columns of numbers, standardized ('Alcohol' in %, 'Price' in €)" in told
    assert "left out: 'No' (taken as ids" in told
    clusters = written("clusters.csv")
    assert [row["id"] for row in clusters] == ids
    assert normalized_mutual_information(data.target, [row["cluster"] for row in clusters]) > 0.7


def test_a_biologist_with_eighteen_known_samples(folder):
    """Ninety samples of nine types, three hundred genes, the type of two of each: types come out as names."""
    rng = np.random.default_rng(1)
    types = np.repeat([f"type {letter}" for letter in "ABCDEFGHI"], 10)
    levels = rng.normal(size=(90, 300))
    levels[:, :60] += 2.0 * rng.normal(size=(9, 60))[np.repeat(np.arange(9), 10)]
    known = [name if row % 10 < 2 else "" for row, name in enumerate(types)]
    genes = [f"gene{number}" for number in range(300)]
    rows = [[f"S{row:02}", known[row], *levels[row].round(3)] for row in range(90)]
    write_lines(folder / "samples.csv", [["sample", "type", *genes], *rows])

    told = likewise("cluster", "samples.csv", "--label", "type", "--out", "clusters.csv")
    assert "18 labels of 9 classes" in told
    if (found := len({row["cluster"] for row in written("clusters.csv")})) > 9:
        assert f"{found} clusters for 9 labeled classes" in told  # and why; so the number is given next
    likewise("cluster", "samples.csv", "--label", "type", "--k", 9, "--out", "clusters.csv", "--report", "report.html")
    names = np.array([row["name"] for row in written("clusters.csv")])
    assert set(names) == set(types)  # nine clusters, each with its name
    assert np.mean(names == types) > 0.95
    assert all(names[row] == name for row, name in enumerate(known) if name)
    assert "type C" in (folder / "report.html").read_text(encoding="utf-8")


def test_a_librarian_with_texts_and_links(folder):
    """Ninety text files whose words hardly tell, and who cites whom: two columns, no header, names without suffix."""
    rng = np.random.default_rng(2)
    subjects = np.repeat(list(WORDS), 30)
    (folder / "texts").mkdir()
    for number, subject in enumerate(subjects):
        words = [*rng.choice(WORDS[subject].split(), 3), *rng.choice(COMMON.split(), 12)]
        (folder / "texts" / f"doc{number:03}.txt").write_text(" ".join(words), encoding="utf-8")
    left, right = rng.integers(0, 90, (2, 1500))
    kept = (subjects[left] == subjects[right]) & (left != right) | (rng.random(1500) < 0.02) & (left != right)
    links = [[f"doc{a:03}", f"doc{b:03}"] for a, b in zip(left[kept][:250], right[kept][:250], strict=True)]
    write_lines(folder / "citations.tsv", links, delimiter="\t")

    told = likewise(
        "cluster", "texts", "--links", "citations.tsv", "--k", 3, "--out", "clusters.csv", "--report", "report.html"
    )
    assert re.search(r"\d+ links between rows were used; \d+% of them join rows of one cluster", told)
    clusters = written("clusters.csv")
    assert clusters[0]["id"].startswith("doc000")
    assert normalized_mutual_information(subjects, [row["cluster"] for row in clusters]) > 0.9
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert re.search(r"\d+ links", page)  # what decided


def test_a_researcher_with_a_method_of_thirty_lines(folder, monkeypatch):
    """The class of docs/add-a-paper.md, as it stands there, against methods of this package."""
    monkeypatch.setattr("likewise._methods._REGISTERED", [])  # it is not listed in other tests
    page = (DOCS / "add-a-paper.md").read_text(encoding="utf-8")
    code = next(block for block in re.findall(r"^```python\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
                if "class FarAndNear" in block)  # fmt: skip
    assert len([line for line in code.splitlines() if line.strip()]) <= 40
    (folder / "mine.py").write_text(code, encoding="utf-8")

    told = likewise("compare", "wine", "--with", "mine.py:FarAndNear", "--methods", "k-means,pck",
                    "--amounts", 60, "--repeats", 2, "--json")  # fmt: skip
    found = json.dumps(json.loads(told[told.index("{") :]))
    assert "far-and-near" in found
    assert "pck" in found
